"""Signals whose spectrum is known, and files of them."""

import struct

import numpy as np

RATE = 2560
TONE_HZ, TONE_RMS = 50, 0.25


def tone(seconds=4, rate=RATE, hz=TONE_HZ, rms=TONE_RMS, seed=1):
    """A sine in a little noise."""
    at = np.arange(round(seconds * rate)) / rate
    return rms * np.sqrt(2) * np.sin(2 * np.pi * hz * at) + 0.001 * np.random.default_rng(seed).standard_normal(len(at))


def clock(samples, rate=RATE):
    return np.arange(len(samples)) / rate


def rows(*columns, delimiter=",", decimal=".", digits=9):
    """A table of numbers."""
    lines = [delimiter.join(f"{value:.{digits}f}".replace(".", decimal) for value in row) for row in zip(*columns)]
    return "\n".join(lines) + "\n"


def peak_of(spectrum):
    """Frequency and RMS of the highest line, the lobe of a Hann window taken together."""
    x, y = (np.array([line[of] for line in spectrum["coordinates"]]) for of in "xy")
    at = int(y.argmax())
    lobe = y[max(0, at - 2) : at + 3]
    return float(x[at]), float(np.sqrt((lobe**2).sum() / 1.5))


def is_tone(spectrum, hz=TONE_HZ, rms=TONE_RMS):
    found, height = peak_of(spectrum)
    return abs(found - hz) <= 0.5 and abs(height / rms - 1) < 0.01


def wav(samples, rate=RATE, bits=16, channels=1):
    """The fmt chunk and the samples of a PCM file; full scale is 1."""
    frame = channels * bits // 8
    whole = np.round(np.clip(samples, -1, 1) * (2 ** (bits - 1) - 1)).astype("<i4")
    data = whole.view(np.uint8).reshape(-1, 4)[:, : bits // 8].tobytes()
    return struct.pack("<HHIIHH", 1, channels, rate, rate * frame, frame, bits), data


def riff(*chunks, size=None):
    """A file of chunks (name, content, stated size, padded)."""
    body = b""
    for name, content, *rest in chunks:
        stated = rest[0] if rest and rest[0] is not None else len(content)
        padded = rest[1] if len(rest) > 1 else True
        body += struct.pack("<4sI", name, stated) + content + (b"\0" if padded and len(content) % 2 else b"")
    return struct.pack("<4sI4s", b"RIFF", size if size is not None else 4 + len(body), b"WAVE") + body
