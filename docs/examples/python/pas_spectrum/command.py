"""The command pas-spectrum."""

import argparse
import sys
from pathlib import Path

from . import times
from .faults import DONE, KINDS, Misused, Refused, ended
from .options import contradiction_in
from .units import unit_named


def parser_of():
    parser = argparse.ArgumentParser(
        prog="pas-spectrum",
        description="Print a recording, or the lines of a spectrum, as a SPECTRUM measurement, as PUT takes it.",
        epilog="Exit codes: 0 done; 1 a recording was refused; 2 wrong use, or a choice is needed; 130 interrupted.",
    )
    add = parser.add_argument
    add(
        "file",
        type=Path,
        help="WAV, FLAC, AIFF, CSV in any dialect, TDMS, MATLAB or UFF 58; with --into a list of recordings, or a folder of them",
    )
    add("--show", action="store_true", help="print the columns with their units, rate, duration, RMS, peak and faults, and nothing else")
    add("--picture", type=Path, metavar="SVG", help="with --show: draw the time signal and the spectrum there")
    add("--into", type=Path, metavar="FOLDER", help="write the spectra of a list or folder here, each by itself and together in all.ndjson")
    what = parser.add_argument_group("what to take of a file (columns by name, or by number from 0)")
    what.add_argument("--channel", metavar="COLUMN", help="the values; needed if there are several")
    what.add_argument(
        "--x",
        metavar="COLUMN",
        help="the time, or with --lines the frequency, if its heading does not say it; several, such as 0,1,2,3, add up; none: no column",
    )
    what.add_argument(
        "--x-unit",
        type=unit_named,
        metavar="UNIT",
        help="of --x: s, ms, us, min, h; with --lines Hz, kHz, CPM, orders (as the heading says, else s)",
    )
    what.add_argument("--rate", type=times.positive, metavar="HZ", help="samples per second, if the file does not say it")
    what.add_argument("--from", dest="begin", type=times.not_negative, metavar="S", help="the first second to take")
    what.add_argument("--to", dest="end", type=times.positive, metavar="S", help="the last second to take")
    what.add_argument(
        "--accept", action="append", default=[], choices=KINDS, help="take a recording in spite of this fault; may be repeated"
    )
    about = parser.add_argument_group("what the file does not say")
    about.add_argument("--rpm", type=times.not_negative, help="the speed of the shaft during the recording")
    about.add_argument("--tacho", metavar="COLUMN", help="the speed is in this channel: pulses, or rpm")
    about.add_argument("--pulses", type=int, default=1, metavar="N", help="of --tacho in one turn (1)")
    about.add_argument("--unit", type=unit_named, help="of the values, a label (as the file says, else g)")
    about.add_argument("--sensitivity", type=times.positive, metavar="MV", help="of the sensor, in mV per unit, if the file is in volts")
    about.add_argument("--scale", type=times.factor, default=1, help="the value of a full-scale WAV sample, or of 1 in another file (1)")
    about.add_argument(
        "--at", type=times.instant, help="when it was recorded, ISO 8601 with a zone (as the file says, else the time of the file)"
    )
    out = parser.add_argument_group("the spectrum")
    out.add_argument("--envelope", type=times.positive, nargs=2, metavar="HZ", help="the band around a resonance; absent: no envelope")
    out.add_argument("--velocity", action="store_true", help="integrate acceleration, in g or m/s2, to mm/s")
    out.add_argument("--spacing", type=times.positive, default=0.5, metavar="HZ", help="from line to line (0.5)")
    out.add_argument("--highest", type=times.positive, metavar="HZ", help="the last line (1000; with --lines: all)")
    out.add_argument("--lines", action="store_true", help="the file is a table of frequency and amplitude: a spectrum already")
    out.add_argument("--window", help="of the spectrum, with --lines; absent: its lines are already corrected for energy")
    text = parser.add_argument_group("tables of text, if they are not understood")
    text.add_argument("--delimiter", help="tab, semicolon, comma or space")
    text.add_argument("--decimal", choices=(".", ","), help="the decimal mark")
    text.add_argument("--encoding", help="such as cp1252 or utf-16")
    text.add_argument("--skip", type=int, metavar="N", help="lines at the top to pass over")
    return parser


def check(options):
    """Refuses options that contradict each other."""
    contradiction = contradiction_in(options)
    if contradiction:
        raise Misused(contradiction)
    if options.pulses < 1:
        raise Misused("--pulses must be at least 1")
    if options.into and options.show:
        raise Misused("give --show or --into, not both")
    if options.into and options.at:
        raise Misused("--at is of one recording: a list has a column named time")
    if options.picture and not options.show:
        raise Misused("--picture goes with --show")
    if options.lines and options.rpm is None and not options.into and not options.show:
        raise Misused("give --rpm")
    if not options.file.exists():
        raise Misused(f"{options.file}: no such file")
    if options.file.is_dir() and not options.into:
        raise Misused(f"{options.file} is a folder: give --into")


def main(arguments=None) -> int:
    return ended(spectra, parser_of().parse_args(arguments))


def spectra(options) -> int:
    check(options)
    if options.into:
        from .batch import run_batch

        return run_batch(options.file, options.into, options)
    from .measurement import measurement_of
    from .show import show

    try:
        if options.show:
            show(options.file, options)
            return DONE
        measurement, summary, chosen = measurement_of(options.file, options)
    except (Refused, Misused) as fault:
        raise type(fault)(f"{options.file}: {fault}") from None
    print(measurement)
    if chosen:
        print(chosen, file=sys.stderr)
    print(summary, file=sys.stderr)
    return DONE


def run() -> None:
    sys.stdout.reconfigure(errors="backslashreplace")  # names that a code page of Windows lacks
    sys.exit(main())
