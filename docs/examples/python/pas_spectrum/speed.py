"""The speed of the shaft: a number, or from a tachometer's channel."""

import numpy as np

from .columns import find, kind_of, titled
from .faults import Fault, Misused, Refused

DRIFT = 0.01  # of the speed, from the slowest tenth of the recording to the fastest


def speed_of(recording, signal, options):
    """rpm, and what is wrong with it: as `--rpm` or `--tacho` says, else as the file does."""
    if options.tacho is not None:
        channel = find(recording, options.tacho, "--tacho")
        values = channel.values[signal.taken] if len(channel.values) == len(signal.taken) else channel.values
        values = values[np.isfinite(values)]
        title = titled(recording, channel)
        if kind_of(channel) == "speed" and channel.unit == "rpm":
            return steady(values, title)
        return steady(pulses(values, channel.rate or signal.rate, options.pulses, title), title)
    if options.rpm is not None:
        return options.rpm, []
    if recording.rpm is not None:
        return recording.rpm, []
    raise Misused("give --rpm, or --tacho and a channel: the file does not have the speed")


def pulses(values, rate, per_turn, title):
    """rpm from pulse to pulse. A pulse counts when it rises over three quarters of the height after it fell below a quarter."""
    low, high = np.percentile(values, [0.1, 99.9])
    states = np.where(values > low + 0.75 * (high - low), 1, np.where(values < low + 0.25 * (high - low), -1, 0))
    known = np.flatnonzero(states)
    rises = known[1:][(states[known[1:]] == 1) & (states[known[:-1]] == -1)]
    if high == low or len(rises) < 1 + 3 * per_turn:
        raise Refused(f"{title}: fewer than three turns of pulses")
    turns = rises[::per_turn]
    return 60 * rate / np.diff(turns)


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
