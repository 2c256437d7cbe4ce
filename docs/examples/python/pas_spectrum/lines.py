"""Lines of an analyser: a table of frequency and amplitude."""

import re

import numpy as np

from .columns import axis_of, titled, value_of
from .faults import Misused, Refused
from .signal import doubt_about, place_in
from .units import FREQUENCIES, is_power

PLAIN = re.compile(r"freq(?:uency|uenz)?|hz", re.IGNORECASE)  # names that stand for Hz
PER_MINUTE = {"rpm": "CPM"}


def analyser_lines(recording, options):
    """Frequencies as they are, amplitudes, both units, faults, a summary, and what was chosen."""
    axis = axis_of(recording, options)
    column = value_of(recording, options, axis)
    if recording.is_spectrum:  # each spectrum has frequencies of its own, before it
        axis = [recording.columns[next(at for at, one in enumerate(recording.columns) if one is column) - 1]]
    if len(axis) != 1:
        raise Misused("no column looks like frequency: choose it with --x")
    if len(axis[0].values) != len(column.values):
        raise Misused(
            f"{titled(recording, axis[0])} and {titled(recording, column)} are of different length: choose with --x and --channel"
        )
    x, y, taken = axis[0].values, column.values, np.ones(len(column.values), dtype=bool)
    place = place_in(recording, taken, titled(recording, column))
    for values, one in ((x, axis[0]), (y, column)):
        bad = np.flatnonzero(~np.isfinite(values) | (values < 0))
        if len(bad):
            what = "negative (a phase, or decibels?)" if values[bad[0]] < 0 else "missing or infinite"
            raise Refused(f"{place(bad[0])}, {titled(recording, one)}: a value is {what}")
    falling = np.flatnonzero(np.diff(x) <= 0)
    if len(falling):
        raise Refused(f"{place(falling[0] + 1)}, {titled(recording, axis[0])}: the frequency does not rise: choose another --x")
    for one in (column.name, column.unit, column.doubt):
        if is_power(one):
            raise Refused(f"{titled(recording, column)}: {one} is a power, a density or a logarithm: export linear amplitudes")
    if column.doubt and not options.unit:
        raise Misused(doubt_about(column, options))
    unit = options.unit or column.unit or "g"
    if options.unit and column.unit and options.unit != column.unit and options.scale == 1:
        raise Misused(f"the file is in {column.unit}, not in {options.unit}: give --scale, or --unit {column.unit}")
    x_unit = frequency_unit(recording, axis[0], options)
    kept = x <= (options.highest or np.inf)
    chosen = f"{titled(recording, column)} [{unit}] by {titled(recording, axis[0])} [{x_unit}]"
    return x[kept], y[kept] * options.scale, x_unit, unit, list(recording.faults), f"{kept.sum()} lines", chosen


def frequency_unit(recording, column, options) -> str:
    """Hz, CPM or orders: as the file or --x-unit says; a column that is only named Frequency is in Hz."""
    stated, asked = (PER_MINUTE.get(unit, unit) for unit in (column.unit, options.x_unit or ""))
    if asked and stated and asked != stated:
        raise Misused(f"--x-unit says {asked}, the file {stated}")
    unit = asked or stated or ("Hz" if PLAIN.fullmatch(column.name.strip()) and not column.doubt else "")
    if unit not in FREQUENCIES:
        of = f"{unit} is no unit of frequency" if unit else f"{titled(recording, column)} has no unit"
        raise Misused(f"{of}: --x-unit is one of {', '.join(FREQUENCIES)}")
    return unit
