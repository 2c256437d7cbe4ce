"""Many recordings at once: a list, or a folder with a folder for each machine."""

import argparse
import copy
import csv
import io
import json
import re
import sys
import time
import uuid
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from . import times
from .faults import DONE, FAILED, Misused, Refused, unforeseen
from .formats.encoding import text_of
from .measurement import measurement_of
from .options import contradiction_in
from .units import unit_named

PROGRESS_S = 10
MACHINES = Path("machines.json")
ENDINGS = {".wav", ".csv", ".txt", ".tsv", ".asc", ".dat", ".mat", ".tdms", ".uff", ".unv", ".flac", ".aif", ".aiff", ".w64"}
ENDINGS |= {".lvm", ".wave", ".caf", ".ogg", ".rf64"}
MOST_NAMED = 5

# Columns of a list that stand for an option of the command: the option's member, and how its cells are read.
OPTIONS = {
    "rpm": ("rpm", times.not_negative),
    "channel": ("channel", str),
    "unit": ("unit", unit_named),
    "tacho": ("tacho", str),
    "sensitivity": ("sensitivity", times.positive),
    "scale": ("scale", times.factor),
    "rate": ("rate", times.positive),
    "time": ("at", times.instant),
    "x": ("x", str),
    "x-unit": ("x_unit", unit_named),
    "envelope": ("envelope", times.band),
    "spacing": ("spacing", times.positive),
    "highest": ("highest", times.positive),
}
NUMBERS = {times.not_negative, times.positive, times.factor}
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")  # beside semicolons a point may group, as in `1.780`
OTHERS = {"file", "machine", "node", "threshold"}
ALSO = {
    "speed": "rpm",
    "datei": "file",
    "maschine": "machine",
    "kanal": "channel",
    "drehzahl": "rpm",
    "einheit": "unit",
    "empfindlichkeit": "sensitivity",
}


@dataclass
class Item:
    """One row: a recording, whose it is, and its own options; or why it cannot be read."""

    file: Path
    machine: str
    options: argparse.Namespace
    node: str = ""
    threshold: str = ""
    fault: str = ""
    folder: str = ""
    name: str = ""


def items_of(source: Path, options):
    """The recordings of a list or a folder."""
    items = items_in(source, options) if source.is_dir() else items_listed(source, options)
    if not items:
        raise Misused(f"{source}: no recordings")
    channels = {}
    for item in items:
        channels.setdefault(item.machine, set()).add(item.options.channel)
    for item in items:  # two channels of a machine are two measuring points
        several = item.machine and item.options.channel is not None and len(channels[item.machine]) > 1
        own = f"-{item.options.channel}" if several else ""
        item.folder = safe(item.machine + own)
        item.name = item.file.stem
    named = Counter((item.folder, item.name) for item in items)
    for item in items:  # such as 2026-01-31/pump.wav of each day
        if named[item.folder, item.name] > 1 and item.file.parent != source.parent:
            item.name = f"{item.file.parent.name}-{item.name}"
    refuse_clashes(source, items)
    return items


def refuse_clashes(source, items):
    """Each recording has a name, each machine a folder and at most one node of its own."""
    names = Counter((item.folder, item.name) for item in items if not item.fault)
    machines, nodes, folders = {}, {}, {}
    for item in items:
        if names[item.folder, item.name] > 1:
            own = "machine or channel" if item.machine else "machine"
            raise Misused(f"{source}: two recordings have the same name: {item.file.name}; give each a {own} of its own")
        if (item.folder, item.name) == ("", MACHINES.stem):
            raise Misused(f"{source}: {item.file.name} would have the name of the list of machines, {MACHINES}: give it a machine")
        if machines.setdefault(item.folder, item.machine) != item.machine:
            raise Misused(f"{source}: {item.machine} and {machines[item.folder]} would have the same folder, {item.folder}")
        if not item.node:
            continue
        if nodes.setdefault(item.folder, item.node) != item.node:
            raise Misused(f"{source}: {item.folder or 'the machine'} has two nodes, {nodes[item.folder]} and {item.node}")
        if folders.setdefault(item.node, item.folder) != item.folder:
            raise Misused(f"{source}: node {item.node} is that of {folders[item.node]} and of {item.folder}")


def safe(name):
    """A machine's name as a folder."""
    return re.sub(r"[^\w.+-]+", "_", name).strip(".") if name else ""


def items_in(folder, options):
    """Each recording of a folder, and of the folders in it: they are named like the machines."""
    found = sorted(file for file in folder.glob("**/*") if file.is_file())
    files = [file for file in found if file.suffix.lower() in ENDINGS]
    others = [str(file.relative_to(folder)) for file in found if file not in files]
    if others:
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        print(f"{folder}: not read, by their endings: {', '.join(others[:MOST_NAMED])}{more}", file=sys.stderr)
    return [Item(file, "-".join(file.parent.relative_to(folder).parts), options) for file in files]


def items_listed(source, options):
    """A table with headings, or without them of file, rpm and time."""
    try:
        text = text_of(source, None).lstrip("\r\n")
        announced = re.match(r'"?sep=([^"\r\n])"?\s*\n', text, re.IGNORECASE)  # to Excel
        text = text[announced.end() :] if announced else text
        delimiter = announced[1] if announced else max("\t;,", key=text.partition("\n")[0].count)
        cells = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)]
    except (Refused, csv.Error) as why:
        raise Misused(f"{source} is no list: {why}") from None
    rows = [row for row in cells if any(row)]
    if not rows:
        return []
    headings = [ALSO.get(cell.lower(), cell.lower()) for cell in without_end(rows[0])]
    if "file" in headings:
        unknown = [cell for cell in headings if cell not in OPTIONS and cell not in OTHERS]
        if unknown:
            raise Misused(f"{source}: {unknown[0]!r} is no column; the columns are {', '.join([*sorted(OTHERS), *OPTIONS])}")
        if len(set(headings)) < len(headings):
            raise Misused(f"{source}: a column stands there twice")
        rows = rows[1:]
    else:
        headings = ["file", "rpm", "time"]
        if len(rows[0]) < 2:
            raise Misused(f"{source}: its first row has no heading named file")
    return [item_of(source, headings, row, options, delimiter) for row in rows]


def without_end(row):
    """A row without the empty cells at its end, which a spreadsheet adds."""
    return row[: max((at for at, cell in enumerate(row, 1) if cell), default=0)]


def item_of(source, headings, row, options, delimiter):
    """A row; a cell that is empty leaves the option of the command."""
    own, cells, fault = copy.copy(options), dict(zip(headings, row)), ""
    row = without_end(row)
    if len(row) > len(headings):
        fault = f"{len(row)} cells, {len(headings)} columns: {','.join(row)}"
    for heading, (member, read) in OPTIONS.items():
        if cells.get(heading):
            try:
                if delimiter != "," and read in NUMBERS and GROUPED.fullmatch(cells[heading]):
                    raise argparse.ArgumentTypeError(f"{cells[heading]} may be grouped by thousands: write it without a point")
                setattr(own, member, read(cells[heading]))
            except argparse.ArgumentTypeError as why:
                fault = fault or f"{heading}: {why}"
    node = cells.get("node", "")
    if node:
        try:
            node = str(uuid.UUID(node))
        except ValueError:
            fault, node = fault or f"node: {node!r} is no UUID", ""
    if cells.get("rpm") and cells.get("tacho"):
        fault = fault or "it has both rpm and tacho"
    if cells.get("rpm"):
        own.tacho = None
    if cells.get("tacho"):
        own.rpm = None
    if not cells.get("file"):
        fault = fault or f"a row has no file: {','.join(row)}"
    return Item(
        source.parent / cells.get("file", ""),
        cells.get("machine", ""),
        own,
        node,
        cells.get("threshold", ""),
        fault or contradiction_in(own),
    )


def run_batch(source, into, options):
    """Writes the spectra of each recording, by itself and in `all.ndjson` of its machine; the code."""
    items = items_of(source, options)
    into.mkdir(parents=True, exist_ok=True)
    for item in items:  # what an earlier run left is not taken for this one's
        (into / item.folder / "all.ndjson").unlink(missing_ok=True)
    summaries, failed, shown = Counter(), 0, time.monotonic()
    for at, item in enumerate(items):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{at + 1} of {len(items)}: {item.folder or item.name}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - shown > PROGRESS_S:
            shown = time.monotonic()
            print(f"{at} of {len(items)} recordings read", file=sys.stderr)
        try:
            if item.fault:
                raise Refused(item.fault)
            measurement, summary, chosen = measurement_of(item.file, item.options)
        except Exception as fault:  # the others go on, whatever it is
            failed += 1
            clear()
            text = fault if isinstance(fault, (Refused, Misused)) else getattr(fault, "strerror", None) or unforeseen(fault)
            print(f"{item.file}: {text}", file=sys.stderr)
            continue
        if chosen:
            clear()
            print(f"{item.file}: {chosen}", file=sys.stderr)
        summaries[summary] += 1
        folder = into / item.folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{item.name}.json").write_text(measurement + "\n", encoding="utf-8")
        with open(folder / "all.ndjson", "a", encoding="utf-8") as all_of_it:
            all_of_it.write(measurement + "\n")
    clear()
    write_machines(source, into, items)
    for summary, count in summaries.items():
        print(f"{count} spectra of {summary}", file=sys.stderr)
    if failed:
        print(f"{failed} of {len(items)} recordings failed", file=sys.stderr)
    return FAILED if failed else DONE


def write_machines(source, into, items):
    """`machines.json`, from which pas-limits knows each machine's node and threshold."""
    machines = {}
    for item in items:
        machine = machines.setdefault(item.folder, {"folder": item.folder})
        for member, value in (("node", item.node), ("threshold", item.threshold and str((source.parent / item.threshold).resolve()))):
            if value:
                machine[member] = value
    (into / MACHINES).write_text(json.dumps(list(machines.values()), indent=2) + "\n", encoding="utf-8")


def clear():
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
