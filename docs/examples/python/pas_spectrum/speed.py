"""The speed of the shaft: a number, or from a tachometer's channel."""

import re

import numpy as np

from .columns import find, titled
from .faults import Fault, Misused, Refused
from .signal import taken_of

SPREAD = 0.1  # of the turns, by their standard deviation
SPEEDS = re.compile(r"(?:\w+[ _])?(?:speed|drehzahl|rpm)\b(?![ _]*(?:puls|signal))", re.IGNORECASE)
DRIFT = 0.01  # of the speed, from the slowest tenth of the recording to the fastest


def speed_of(recording, signal, options):
    """rpm, and what is wrong with it: as `--rpm` or `--tacho` says, else as the file does."""
    if options.tacho is not None:
        channel = find(recording, options.tacho, "--tacho")
        title = titled(recording, channel)
        # Both channels have one clock: where --rate or a column of time corrects one, it corrects the other.
        stated = signal.column.rate
        rate = channel.rate * signal.rate / stated if channel.rate and stated else channel.rate or signal.rate
        is_alike = len(channel.values) == len(signal.taken)
        values = channel.values[signal.taken if is_alike else taken_of(None, len(channel.values), rate, options)]
        if not np.isfinite(values).any():
            raise Refused(f"{title}: all values are missing")
        if channel.unit == "rpm":
            return steady(values[np.isfinite(values)], title)
        if not channel.unit and SPEEDS.match(channel.name):
            raise Misused(f"{title}: its unit is not known, so whether it has pulses or rpm: give --rpm")
        return steady(pulses(values, rate, options.pulses, title), title)
    if options.rpm is not None:
        return options.rpm, []
    if recording.rpm is not None:
        return recording.rpm, []
    raise Misused("give --rpm, or --tacho and a channel: the file does not have the speed")


def levels_of(values):
    """By sample 1 above three quarters of the height, -1 below a quarter, 0 between and where a value is missing."""
    known = np.sort(values[np.isfinite(values)])
    low, high = known[[min(2, len(known) - 1), max(-3, -len(known))]]  # two spikes set no level; a pulse may be one sample
    return np.where(values > low + 0.75 * (high - low), 1, np.where(values < low + 0.25 * (high - low), -1, 0))


def rises_of(levels):
    """Where a pulse begins: at a sample above after one below."""
    known = np.flatnonzero(levels)
    return known[1:][(levels[known[1:]] == 1) & (levels[known[:-1]] == -1)]


def is_pulses(values) -> bool:
    """Whether these are even pulses, as of a tachometer: little lies between their levels. A dead channel changes at random."""
    levels = levels_of(values)
    turns = np.diff(rises_of(levels))
    return len(turns) > 2 and (levels == 0).mean() < 0.05 and turns.std() <= SPREAD * turns.mean()


def pulses(values, rate, per_turn, title):
    """rpm from pulse to pulse."""
    rises = rises_of(levels_of(values))
    if len(rises) < 1 + 3 * per_turn:
        raise Refused(f"{title}: fewer than three turns of pulses")
    turns = np.diff(rises[::per_turn])
    if turns.std() > SPREAD * turns.mean():
        text = f"{title}: its turns are uneven, from {turns.min() / rate:.4g} to {turns.max() / rate:.4g} s"
        raise Refused(f"{text}: give --pulses, if a turn has several, or take a part with --from and --to, or give --rpm")
    return 60 * rate / turns


def steady(speeds, title):
    """The mean speed, and whether it drifts."""
    if len(speeds) == 0 or not (speeds > 0).all():
        raise Refused(f"{title}: a speed is 0 or below")
    parts = [part.mean() for part in np.array_split(speeds, min(10, len(speeds) // 3 or 1))]
    mean = len(speeds) / (1 / speeds).sum()  # the turns, divided by their time
    faults = []
    if max(parts) > (1 + DRIFT) * min(parts):
        faults.append(
            Fault("speed", f"{title}: the speed goes from {min(parts):.1f} to {max(parts):.1f} rpm", "take a part with --from and --to")
        )
    return round(float(mean), 3), faults
