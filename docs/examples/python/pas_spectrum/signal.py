"""The samples of one channel, checked, in the unit that is asked for."""

from dataclasses import dataclass

import numpy as np

from . import checks, clock
from .columns import axis_of, kind_of, titled, value_of
from .faults import Fault, Misused, Refused
from .recording import Column, Recording
from .units import VOLTS


@dataclass
class Signal:
    column: Column
    title: str
    samples: np.ndarray
    rate: float
    unit: str
    faults: list[Fault]
    taken: np.ndarray  # which samples of the file these are
    start: str
    axis: str = ""  # the column of time

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate


@dataclass
class Place:
    """Names a row of what was taken by its place in the file."""

    recording: Recording
    indices: np.ndarray
    column: str

    def __call__(self, index) -> str:
        return self.recording.place(int(self.indices[index]))

    def among(self, some) -> "Place":
        """The same, where only some of the rows are left."""
        return Place(self.recording, self.indices[some], self.column)


def place_in(recording, taken, column) -> Place:
    return Place(recording, np.flatnonzero(taken), column)


def signal_of(recording, options) -> Signal:
    """Chosen, cut, checked and scaled; its faults are for the caller to refuse."""
    if recording.is_spectrum:
        raise Misused("it holds spectra: give --lines")
    axis = axis_of(recording, options)
    if not axis and any(kind_of(column) == "frequency" for column in recording.columns) and options.channel is None:
        raise Misused("a column looks like frequency: if it is a spectrum, give --lines")
    column = value_of(recording, options, axis)
    title = titled(recording, column)
    if len(axis) > 0 and any(len(one.values) != len(column.values) for one in axis):
        axis = []  # of another channel
    times = clock.seconds_of(axis, options.x_unit) if axis else None
    values = column.values
    taken = taken_of(times, len(values), options.rate or column.rate, options)
    if taken.sum() < 2:
        raise Refused("fewer than two samples lie between --from and --to" if len(values) > 1 else "fewer than two samples")
    place = place_in(recording, taken, title)
    values, faults = values[taken], list(recording.faults)
    stated = options.rate or column.rate
    if times is not None:
        place.column = titled(recording, axis[-1])
        rate, of_times = clock.rate_by(times[taken], place)
        place.column = title
        faults += of_times
        if stated:
            faults += clock.agreed(rate, stated, "--rate says" if options.rate else "the header says")
            rate = stated if options.rate else rate
    elif stated:
        rate = stated
        if options.rate and column.rate:
            faults += clock.agreed(column.rate, options.rate, "--rate says", "the file")
    else:
        raise Misused("no column looks like time: choose it with --x, or give the samples per second with --rate")
    faults += checks.faults_of(values, place, column.extremes)
    factor, unit = scale_of(column, options)
    return Signal(
        column, title, filled(values) * factor, rate, unit, faults, taken, column.start, titled(recording, axis[0]) if axis else ""
    )


def taken_of(times, count, rate, options):
    """Which samples lie between `--from` and `--to`, in seconds from the first."""
    if options.begin is None and options.end is None:
        return np.ones(count, dtype=bool)
    if times is None and not rate:
        raise Misused("--from and --to need a column of time, or --rate")
    since = times - times[0] if times is not None else np.arange(count) / rate
    return (since >= (options.begin or 0)) & (since <= (np.inf if options.end is None else options.end))


def filled(values):
    """Missing values between two others are interpolated; only `--accept missing` lets them come so far."""
    there = np.isfinite(values)
    if there.all():
        return values.astype(float)
    if not there.any():
        raise Refused("all values are missing")
    at = np.arange(len(values))
    return np.interp(at, at[there], values[there])


def scale_of(column, options):
    """The factor of the values, and their unit: `--unit`, else the file's, else g."""
    if column.doubt and (options.sensitivity is not None or not options.unit):
        raise Misused(doubt_about(column, options))
    if options.sensitivity is not None:
        if column.unit and column.unit not in VOLTS:
            raise Misused(f"--sensitivity is for volts, the file has {column.unit}")
        return options.scale * VOLTS.get(column.unit, 1.0) * 1000 / options.sensitivity, options.unit or "g"
    if not column.unit:
        return options.scale, options.unit or "g"
    if options.unit and options.unit != column.unit and "header" not in options.accept and options.scale == 1:
        hint = f"give --sensitivity in mV per {options.unit}" if column.unit in VOLTS else f"give --scale, or --unit {column.unit}"
        raise Misused(f"the file is in {column.unit}, not in {options.unit}: {hint}")
    if column.unit in VOLTS and not options.unit:
        raise Misused(f"the file is in {column.unit}: give --sensitivity in mV per g, or --unit {column.unit}")
    return options.scale, options.unit or column.unit


def doubt_about(column, options) -> str:
    """What is asked where something in the file may be the unit."""
    answer = "--scale and --unit, not --sensitivity" if options.sensitivity is not None else "--unit"
    return f"{column.name or 'the values'}: the unit may be {column.doubt}, which is not certain: give {answer}"
