"""What makes samples useless, found before they become a spectrum that looks well."""

import numpy as np

from .faults import Fault

CLIPPED_RUN = 3  # equal samples in a row at an extreme
CONSTANT_RUN = 100  # equal samples in a row elsewhere
DEAD_VALUES = 4  # so few different values are the noise of a converter


def faults_of(samples, place, extremes=None):
    """Missing, constant and clipped samples; `place` names a row and the column."""
    faults = []
    bad = np.flatnonzero(~np.isfinite(samples))
    part = "take a part with --from and --to"
    if len(bad):
        what = "missing" if np.isnan(samples[bad[0]]) else "infinite"
        faults.append(
            Fault(
                "missing", f"{place(bad[0])}, {place.column}: a value is {what} ({len(bad)} of {len(samples)})", f"{part}, to interpolate"
            )
        )
        place = place.among(np.flatnonzero(np.isfinite(samples)))
        samples = samples[np.isfinite(samples)]
    if len(samples) == 0:
        return faults
    if samples.max() == samples.min():
        return [*faults, Fault("constant", f"{place.column}: all samples are {samples[0]:g}, from {place(0)} on")]
    distinct = len(np.unique(samples[:: max(1, len(samples) // 20_000)]))
    if len(samples) >= 1000 and distinct <= DEAD_VALUES:
        faults.append(Fault("constant", f"{place.column}: only {distinct} different values from {place(0)} on: a dead channel"))
        return faults
    starts, lengths = runs_of(samples)
    for extreme in (samples.max(), samples.min()):
        fault = clipping(samples, starts, lengths, extreme, extremes, place)
        if fault:
            return [*faults, fault]
    longest = int(lengths.argmax())
    if lengths[longest] >= CONSTANT_RUN:
        begin = starts[longest]
        text = f"{place(begin)} to {place(begin + lengths[longest] - 1)}, {place.column}: always {samples[begin]:g}"
        faults.append(Fault("constant", text, part))
    return faults


def runs_of(samples):
    """Where equal samples begin, and how many follow each other."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(samples)) + 1])
    return starts, np.diff(np.concatenate([starts, [len(samples)]]))


def clipping(samples, starts, lengths, extreme, extremes, place):
    """Samples that stand at an extreme: of the converter, or much more often than at the values next to it."""
    at_extreme = samples[starts] == extreme
    longest = lengths[at_extreme].max()
    is_full = extremes is not None and np.isclose(extreme, extremes, rtol=0, atol=1e-12).any()
    if longest < (2 if is_full else CLIPPED_RUN):
        return None
    count = int(lengths[at_extreme].sum())
    values = np.unique(samples)
    next_to = values[-2] if extreme == values[-1] else values[1]
    # A slow sine in a coarse converter stays at its crest too: there each lower value has a good part of the count.
    if not is_full and count <= 5 * int((samples == next_to).sum()):
        return None
    first = starts[at_extreme][lengths[at_extreme].argmax()]
    text = f"{place(first)}, {place.column}: clipped at {extreme:g} ({count} samples)"
    return Fault("clipping", text, "record with a wider range")
