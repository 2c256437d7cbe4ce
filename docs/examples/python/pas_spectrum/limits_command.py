"""The command pas-limits."""

import argparse
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from . import times
from .faults import DONE, FAILED, Misused, Refused, ended
from .limits import COVERED, LEAST, with_limits

HEADINGS = ["PART", "SPECTRA", "MEDIAN", "SIGMA", "GREATEST", "ALERT", "DANGER", "CONFIDENCE", "UNIT"]


def parser_of():
    parser = argparse.ArgumentParser(
        prog="pas-limits",
        description="Write limits from healthy spectra: of one threshold by what `pas rate --json` prints, or with --spectra of many machines.",
        epilog=f"CONFIDENCE is how sure it is that {COVERED:.0%} of healthy values lie below the alert, if they are distributed normally.",
    )
    parser.add_argument("threshold", type=Path, help="the threshold as JSON; with --spectra for machines whose list names no other")
    parser.add_argument(
        "new", type=Path, help="where it goes with its limits; with --spectra a file for `pas import`, one threshold per line"
    )
    parser.add_argument(
        "--iso",
        nargs=3,
        action="append",
        default=[],
        metavar=("BAND", "B/C", "C/D"),
        help="this band gets ISO 20816's limits from the boundaries of its zones, in mm/s",
    )
    parser.add_argument(
        "--spectra", type=Path, metavar="FOLDER", help="what pas-spectrum --into wrote: each machine is rated by `pas rate`"
    )
    parser.add_argument("--bearings", type=Path, help="with --spectra: bearings of your own, as pas rate takes them")
    parser.add_argument("--pas", help="with --spectra: the command (pas, or npm run -s pas --)")
    return parser


def main(arguments=None) -> int:
    return ended(limits, parser_of().parse_args(arguments))


def limits(options) -> int:
    iso = zones_of(options.iso)
    if options.spectra:
        return limits_of_machines(options, iso)
    sys.stdin.reconfigure(encoding="utf-8")
    threshold = read_threshold(options.threshold)
    show(with_limits(threshold, parts_of(sys.stdin.read()), iso))
    options.new.write_text(json.dumps(threshold, indent=2), encoding="utf-8")
    return DONE


def zones_of(given):
    """The boundaries B/C and C/D by a band's position."""
    zones = {}
    for band, *boundaries in given:
        try:
            position, (zone_b, zone_c) = int(band), [times.positive(one) for one in boundaries]
        except (ValueError, argparse.ArgumentTypeError) as fault:
            raise Misused(f"--iso {band} {' '.join(boundaries)}: {fault}") from None
        if zone_c < 1.25 * zone_b:
            raise Misused(f"--iso {band}: C/D must be at least 1.25 times B/C")
        zones[position] = (zone_b, zone_c)
    return zones


def parts_of(text):
    try:
        parts = [json.loads(line) for line in text.split("\n") if line.strip()]
    except ValueError:
        parts = [None]
    if not all(isinstance(part, dict) and "part" in part for part in parts):
        raise Misused("what comes in is not what `pas rate --json` prints")
    return parts


def read_threshold(file):
    try:
        threshold = json.loads(file.read_text(encoding="utf-8-sig"))
    except ValueError as fault:
        raise Misused(f"{file}: {fault}") from None
    if not isinstance(threshold, dict):
        raise Misused(f"{file} is no threshold")
    return threshold


def show(rows):
    """The table, numbers to the right; a remark takes the place of the numbers."""
    print(f"{HEADINGS[0]:<26}{HEADINGS[1]:>8}" + "".join(f"{one:>9}" for one in HEADINGS[2:7]) + f"{HEADINGS[7]:>12}  {HEADINGS[8]}")
    for name, spectra, *rest in rows:
        head = f"{name:<26}{spectra:>8}"
        print(f"{head}   {rest[0]}" if len(rest) == 1 else head + "".join(f"{one:>9}" for one in rest[:5]) + f"{rest[5]:>12}  {rest[6]}")


def limits_of_machines(options, iso):
    """Rates each machine's spectra, and writes a line for each; a machine that fails is named, and the others go on."""
    known = options.spectra / "machines.json"
    if not known.is_file():
        raise Misused(f"{options.spectra} has no machines.json: make it with pas-spectrum --into")
    machines = json.loads(known.read_text(encoding="utf-8"))
    command = shlex.split(options.pas) if options.pas else ["pas"] if shutil.which("pas") else ["npm", "run", "-s", "pas", "--"]
    lines, failed = [], 0
    for machine in machines:
        name = machine["folder"] or str(options.spectra)
        print(f"\n{name}" if lines or failed else name)
        try:
            lines.append(json.dumps(threshold_of(machine, command, options, iso)) + "\n")
        except (Refused, Misused) as fault:
            failed += 1
            print(f"{name}: {fault}", file=sys.stderr, flush=True)
    options.new.write_text("".join(lines), encoding="utf-8")
    sys.stdout.flush()
    print(f"{len(lines)} machines have limits, {failed} have none", file=sys.stderr)
    return FAILED if failed else DONE


def threshold_of(machine, command, options, iso):
    """A machine's threshold with its limits, and its node."""
    if "node" not in machine:
        raise Refused("its list has no node: add a column named node, with a UUID for each machine")
    spectra = options.spectra / machine["folder"] / "all.ndjson"
    if not spectra.is_file():
        raise Refused(f"no spectra, and at least {LEAST} are needed")
    file = Path(machine.get("threshold", options.threshold))
    if not file.is_file():
        raise Misused(f"{file}: no such file")
    threshold = read_threshold(file)
    arguments = ["rate", "--threshold", str(file), "--measurement", str(spectra), "--json"]
    arguments += ["--bearings", str(options.bearings)] if options.bearings else []
    try:
        rated = subprocess.run([*command, *arguments], stdout=subprocess.PIPE, encoding="utf-8", shell=sys.platform == "win32", check=False)
    except OSError as fault:
        raise Misused(f"{' '.join(command)}: {fault.strerror}") from None
    if rated.returncode != 0:
        raise Refused(f"pas rate ended with {rated.returncode}")
    show(with_limits(threshold, parts_of(rated.stdout), iso))
    return {**threshold, "nodeId": machine["node"]}


def run() -> None:
    sys.stdout.reconfigure(errors="backslashreplace")  # names that a code page of Windows lacks
    sys.exit(main())
