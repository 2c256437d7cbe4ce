"""Lines of an analyser: a table of frequency and amplitude."""

import numpy as np

from .columns import axis_of, kind_of, titled, value_of
from .faults import Misused, Refused
from .recording import unit_named
from .signal import place_in


def analyser_lines(recording, options):
    """Frequencies as they are, amplitudes, both units, faults, and a summary."""
    axis = axis_of(recording, options)
    column = value_of(recording, options, axis)
    if recording.is_spectrum:  # each spectrum has frequencies of its own, before it
        axis = [recording.columns[next(at for at, one in enumerate(recording.columns) if one is column) - 1]]
    if len(axis) != 1:
        raise Misused("no column looks like frequency: choose it with --x")
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
    if unit_named(column.unit).lower().startswith("db"):
        raise Refused(f"{titled(recording, column)} is in decibels: export linear amplitudes")
    stated = axis[0].unit
    if options.x_unit and stated and options.x_unit.lower() != stated.lower():
        raise Misused(f"--x-unit says {options.x_unit}, the file {stated}")
    kept = x <= (options.highest or np.inf)
    unit = options.unit or (column.unit if kind_of(column) == "" else "") or "g"
    if options.unit and column.unit and options.unit != column.unit and options.scale == 1:
        raise Misused(f"the file is in {column.unit}, not in {options.unit}: give --scale, or --unit {column.unit}")
    return x[kept], y[kept] * options.scale, options.x_unit or stated or "Hz", unit, list(recording.faults), f"{kept.sum()} lines"
