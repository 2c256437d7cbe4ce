"""What a file holds, before anything is computed of it."""

import copy

import numpy as np

from .columns import axis_of, kind_of, number_of, titled, value_of
from .faults import Misused, Refused
from .formats import read
from .signal import signal_of
from .spectrum import impulsive_band
from .speed import is_pulses


@np.errstate(all="ignore")  # what is too great is shown as inf
def show(file, options):
    """Prints each column, the rate and what is wrong; draws `--picture`. Faults are shown, not refused."""
    recording = read(file, options)
    print(f"{file}: {recording.form}, columns: {len(recording.columns)}, rows: {max(len(one.values) for one in recording.columns)}")
    rows = [["CHANNEL", "NAME", "UNIT", "LOOKS LIKE", "FIRST", "MEAN", "RMS", "PEAK"]]
    for at, column in enumerate(recording.columns):
        known = column.values[np.isfinite(column.values)]
        mean = known.mean() if len(known) else np.nan
        looks = kind_of(column) or ("spectrum" if recording.is_spectrum or options.lines else "")
        off = known - mean if len(known) else np.array([np.nan])
        numbers = [f"{one:.6g}" for one in (column.values[0], mean, np.sqrt((off**2).mean()), np.abs(off).max())]
        rows.append([str(at), column.name or "-", column.unit or "-", looks or "values", *numbers])
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    if recording.rpm is not None:
        print(f"the file says {recording.rpm:g} rpm")
    if options.lines or recording.is_spectrum:
        return
    signals = []
    for column in chosen_columns(recording, options):
        own = copy.copy(options)
        own.channel = column
        own.unit = own.unit or column.unit or column.doubt or None
        try:
            signal = signal_of(recording, own)
        except (Refused, Misused) as fault:
            print(f"{titled(recording, column)}: {fault}")
            continue
        signals.append(signal)
        by = f" by {signal.axis}" if signal.axis else ""
        print(f"{signal.title}: {signal.rate:g} samples per second{by}, {signal.seconds:g} s")
        if is_pulses(signal.samples):
            print(f"  pulses, as of a tachometer: take them with --tacho {number_of(recording, column)}")
            continue
        for fault in signal.faults:
            print(f"  {fault}")
        if not signal.faults:
            print("  no gaps, no missing values, no clipping")
        band = impulsive_band(signal.samples, signal.rate)
        if band:
            print(f"  most impulsive band: {band[0]:.0f} to {band[1]:.0f} Hz, spectral kurtosis {band[2]:.2f}")
    if options.picture:
        if not signals:
            raise Refused("no channel can be drawn")
        from .picture import picture_of

        options.picture.write_text(picture_of(signals[0], options), encoding="utf-8")


def chosen_columns(recording, options):
    """The channel that is named, else each that looks like values."""
    axis = axis_of(recording, options)
    if options.channel is not None:
        return [value_of(recording, options, axis)]
    return [one for one in recording.columns if not any(one is other for other in axis) and not kind_of(one)][:16]
