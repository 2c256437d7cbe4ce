"""From samples to the lines of a spectrum; SciPy computes."""

import numpy as np
import scipy.fft
import scipy.signal

from .faults import Misused, Refused

# By unit of acceleration, one of it in mm/s2.
ACCELERATIONS = {"g": 9806.65, "m/s2": 1000}
MOST_LINES = 25_600  # that the service takes
DEFAULT_HIGHEST_HZ = 1000
LEAST_KURTOSIS = 8  # divided by the root of the blocks: four deviations of noise
RINGS = 0.4  # of the greatest kurtosis


def envelope_of(samples, rate, low, high):
    """The amplitude of what lies between two frequencies: the magnitude of the analytic signal (Hilbert)."""
    if not 0 < low < high <= rate / 2:
        raise Misused(f"--envelope must lie between 0 and {rate / 2:g} Hz, the lower frequency first")
    lines = scipy.fft.rfft(samples)
    hz = scipy.fft.rfftfreq(len(samples), 1 / rate)
    lines[(hz < low) | (hz > high)] = 0
    return np.abs(scipy.signal.hilbert(scipy.fft.irfft(lines, len(samples))))


def spectrum_of(samples, rate, spacing):
    """RMS lines by Welch: Hann-windowed blocks that overlap by half; how far apart they are, and how many blocks there were."""
    length = round(rate / spacing)
    if length > len(samples):
        raise Refused(f"{len(samples) / rate:g} s are too short: lines {spacing:g} Hz apart take {length / rate:g} s or more")
    if length < 4:
        raise Misused(f"--spacing {spacing:g} is too coarse for {rate:g} samples per second")
    overlap = length - length // 2
    _, power = scipy.signal.welch(samples, rate, "hann", length, overlap, scaling="spectrum")
    return np.sqrt(power), rate / length, (len(samples) - overlap) // (length - overlap)


@np.errstate(all="ignore")  # what is too great is found in the lines
def lines_of(signal, options):
    """Frequencies in Hz, RMS amplitudes, their unit, and a summary."""
    samples, unit, highest = signal.samples, signal.unit, options.highest or DEFAULT_HIGHEST_HZ
    if highest > signal.rate / 2:
        raise Misused(f"--highest {highest:g} is above half of the {signal.rate:g} samples per second")
    if options.velocity and unit not in ACCELERATIONS:
        raise Misused(f"--velocity takes acceleration in g or m/s2, not {unit}")
    if options.envelope:
        samples = envelope_of(samples, signal.rate, *options.envelope)
    lines, spacing, averages = spectrum_of(samples, signal.rate, options.spacing)
    lines = lines[: int(highest / spacing) + 1]
    hz = np.arange(len(lines)) * spacing
    if options.velocity:
        lines[0] = 0  # an offset has no integral
        lines[1:] *= ACCELERATIONS[unit] / (2 * np.pi * hz[1:])
        unit = "mm/s"
    return hz, lines, unit, f"{len(lines)} lines, {spacing:g} Hz apart, {averages} averages"


def impulsive_band(samples, rate):
    """Low, high and spectral kurtosis of the band that is most impulsive (a kurtogram), of several widths; nothing if none stands out."""
    best = None
    for length in (16, 32, 64, 128):
        if len(samples) < 100 * length:
            break
        hz, _, blocks = scipy.signal.stft(samples, rate, "hann", length, boundary=None, padded=False)
        power = np.abs(blocks) ** 2
        kurtosis = (power**2).mean(axis=1) / np.maximum(power.mean(axis=1) ** 2, 1e-300) - 2
        kurtosis[[0, 1, -2, -1]] = 0  # cut off by both ends
        at = int(kurtosis.argmax())
        if not kurtosis[at] >= LEAST_KURTOSIS / np.sqrt(power.shape[1]) or (best and kurtosis[at] <= best[2]):
            continue
        low = high = at  # its neighbours ring with it
        while kurtosis[low - 1] > RINGS * kurtosis[at]:
            low -= 1
        while kurtosis[high + 1] > RINGS * kurtosis[at]:
            high += 1
        half = rate / length / 2
        best = (float(hz[low] - half), float(hz[high] + half), float(kurtosis[at]))
    return best
