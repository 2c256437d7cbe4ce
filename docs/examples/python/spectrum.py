"""Recordings, or lists of lines, as SPECTRUM measurements; docs/recordings.md shows how to call it. Needs numpy."""

import argparse
import csv
import json
import struct
import sys
import uuid
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

# By unit of acceleration, one of it in mm/s2.
ACCELERATIONS = {"g": 9806.65, "m/s2": 1000}
# Formats of WAV files. The module `wave` reads only PCM, and extensible headers only from Python 3.12.
PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE


def columns_of(file):
    """The columns of a CSV, after `--skip` lines."""
    columns = np.loadtxt(file, delimiter=",", skiprows=options.skip, ndmin=2)
    if len(columns) < 2:
        raise ValueError("fewer than two rows")
    return columns


def samples_of(file):
    """The samples in `--unit`, and how many there are per second."""
    if file.suffix.lower() == ".csv":
        columns = columns_of(file)
        times = columns[:, 0]  # in seconds
        rate = options.rate or round((len(times) - 1) / (times[-1] - times[0]), 6)
        return columns[:, -1] * options.scale, rate
    kind, channels, rate, frame, data = wav_of(file)
    width = frame // channels
    if not 0 <= options.channel < channels:
        raise ValueError(f"--channel must be from 0 to {channels - 1}")
    if kind == FLOAT and width in (4, 8):
        samples = np.frombuffer(data, dtype=f"<f{width}").astype(float)
    elif kind == PCM and width in (2, 3, 4):
        widened = np.zeros((len(data) // width, 4), dtype=np.uint8)
        widened[:, 4 - width :] = np.frombuffer(data, dtype=np.uint8).reshape(-1, width)  # little-endian: the low bytes come first
        samples = widened.reshape(-1).view("<i4") / 2.0**31
    else:
        raise ValueError(f"record 16, 24 or 32 bits, PCM or floating-point; this is format {kind} of {8 * width} bits")
    return samples[options.channel :: channels] * options.scale, rate


def wav_of(file):
    """The format of a WAV file, its channels, samples per second, bytes per sample of all channels, and samples."""
    content = file.read_bytes()
    chunks, at = {}, 12
    while at + 8 <= len(content):
        name, size = struct.unpack_from("<4sI", content, at)
        chunks[name] = content[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
    if content[8:12] != b"WAVE":
        raise ValueError("no WAV file")
    try:
        header, data = chunks[b"fmt "], chunks[b"data"]
        kind, channels, rate, _, frame = struct.unpack_from("<HHIIH", header)
        if kind == EXTENSIBLE:
            (kind,) = struct.unpack_from("<H", header, 24)
    except (KeyError, struct.error):
        raise ValueError("the header of this WAV file is cut off") from None
    if not (channels and rate and frame) or frame % channels:
        raise ValueError("the header of this WAV file is damaged")
    return kind, channels, rate, frame, data[: len(data) // frame * frame]


def lines_of(file):
    """The lines of a CSV of frequency and amplitude, up to `--highest`."""
    columns = columns_of(file)
    kept = columns[columns[:, 0] <= (options.highest or np.inf)]
    return kept[:, 0], kept[:, -1] * options.scale


def envelope_of(samples, rate, low, high):
    """The amplitude of what lies between two frequencies: the magnitude of the analytic signal (Hilbert)."""
    if not 0 < low < high <= rate / 2:
        raise ValueError(f"--envelope must lie between 0 and {rate / 2:g} Hz, the lower frequency first")
    lines = np.fft.fft(samples)
    hz = np.fft.fftfreq(len(samples), 1 / rate)
    lines[(hz < low) | (hz > high)] = 0  # negative frequencies go with them
    return np.abs(2 * np.fft.ifft(lines))


def spectrum_of(samples, rate, spacing):
    """Effective values of the lines: the mean power of Hann-windowed blocks that overlap by half, and how many those are."""
    length = round(rate / spacing)
    if length > len(samples):
        raise ValueError(f"{len(samples) / rate:g} s are too short: lines {spacing:g} Hz apart take {length / rate:g} s or more")
    window = np.hanning(length + 1)[:-1]
    starts = range(0, len(samples) - length + 1, max(1, length // 2))
    blocks = (samples[start : start + length] for start in starts)
    power = sum(np.abs(np.fft.rfft((block - block.mean()) * window)) ** 2 for block in blocks) / len(starts)
    return np.sqrt(2 * power) / window.sum(), rate / length, len(starts)


def measurement_of(file, rpm, at):
    """What the service takes of a recording or of a list of lines, and a summary of its lines."""
    unit, window = options.unit, "hann"
    if options.lines:
        hz, lines = lines_of(file)
        window = options.window
        summary = f"{len(lines)} lines"
    else:
        samples, rate = samples_of(file)
        if options.envelope:
            samples = envelope_of(samples, rate, *options.envelope)
        lines, spacing, averages = spectrum_of(samples, rate, options.spacing)
        lines = lines[: int((options.highest or 1000) / spacing) + 1]
        hz = np.arange(len(lines)) * spacing
        if options.velocity:
            lines[0] = 0  # an offset has no integral
            lines[1:] *= ACCELERATIONS[unit] / (2 * np.pi * hz[1:])
            unit = "mm/s"
        summary = f"{len(lines)} lines, {spacing:g} Hz apart, {averages} averages"
    spectrum = {
        "speed": rpm,
        "xUnit": options.x_unit if options.lines else "Hz",
        "yUnit": unit,
        "windowFunction": window,
        "coordinates": [{"x": round(x, 9), "y": float(f"{y:.4g}")} for x, y in zip(hz, lines)],
    }
    if window is None:
        del spectrum["windowFunction"]
    recorded = datetime.fromtimestamp(file.stat().st_mtime, timezone.utc).isoformat(timespec="milliseconds")
    measurement = {
        # The same spectrum is the same measurement, however often it is sent.
        "measurementId": str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(spectrum))),
        "createdAt": at or recorded,
        "contentType": "SPECTRUM",
        "spectrum": spectrum,
    }
    return json.dumps(measurement, separators=(",", ":")), summary


def recordings_of(file):
    """The recordings of a list, each with its speed and time; paths are relative to the list."""
    with open(file, newline="", encoding="utf-8-sig") as rows:
        for row in filter(any, csv.reader(rows)):
            name, rpm, at = ([cell.strip() for cell in row] + ["", ""])[:3]
            try:
                yield file.parent / name, float(rpm), at
            except ValueError:
                sys.exit(f"{file}: {','.join(row)} is no recording: write its file, its rpm and, if you know it, its time")


parser = argparse.ArgumentParser(description="Print a recording, or the lines of a spectrum, as a SPECTRUM measurement, as PUT takes it.")
parser.add_argument("file", type=Path, help="a WAV file, or a .csv of time and value, or of values alone with --rate; with --into: a list")
parser.add_argument("--into", type=Path, metavar="FOLDER", help="the file is a list of recordings, each with its rpm and time: write their spectra here, each by itself and together in all.ndjson")
parser.add_argument("--lines", action="store_true", help="the file is a CSV of frequency and amplitude: a spectrum already")
parser.add_argument("--x-unit", default="Hz", help="of the frequencies, with --lines (Hz)")
parser.add_argument("--window", help="of the spectrum, with --lines; absent: its lines are already corrected for energy")
parser.add_argument("--rpm", type=float, help="the speed of the shaft during the recording; needed without --into")
parser.add_argument("--envelope", type=float, nargs=2, metavar="HZ", help="the band around a resonance; absent: no envelope")
parser.add_argument("--velocity", action="store_true", help="integrate acceleration, in --unit g or m/s2, to mm/s")
parser.add_argument("--spacing", type=float, default=0.5, metavar="HZ", help="from line to line (0.5)")
parser.add_argument("--highest", type=float, metavar="HZ", help="the last line (1000; with --lines: all)")
parser.add_argument("--unit", default="g", help="of the values, a label (g)")
parser.add_argument("--scale", type=float, default=1, help="the value of a full-scale WAV sample, or of 1 in a CSV or a floating-point WAV (1)")
parser.add_argument("--channel", type=int, default=0, help="of a WAV file, from 0 (0)")
parser.add_argument("--rate", type=float, help="samples per second of a CSV without times")
parser.add_argument("--skip", type=int, default=0, help="lines before the values of a CSV (0)")
parser.add_argument("--at", help="when it was recorded, ISO 8601 with a zone (the time of the file)")
options = parser.parse_args()
if options.velocity and (options.lines or options.envelope or options.unit not in ACCELERATIONS):
    sys.exit("--velocity takes a recording in --unit g or m/s2, without --envelope")
if (options.rpm is None) == (options.into is None) or (options.into and options.at):
    sys.exit("give --rpm, or --into and a list: the list has the speeds and times")
if not options.file.is_file():
    sys.exit(f"{options.file}: no such file")

if options.into:
    options.into.mkdir(parents=True, exist_ok=True)
    recordings = list(recordings_of(options.file))
    if len({file.stem for file, _, _ in recordings}) < len(recordings):
        sys.exit(f"{options.file}: two recordings have the same name")
else:
    recordings = [(options.file, options.rpm, options.at)]
summaries, measurements = Counter(), []
for file, rpm, at in recordings:
    try:
        measurement, summary = measurement_of(file, rpm, at)
    except (ValueError, OSError) as fault:
        sys.exit(f"{file}: {getattr(fault, 'strerror', None) or fault}")
    summaries[summary] += 1
    if options.into:
        (options.into / f"{file.stem}.json").write_text(measurement + "\n")
        measurements.append(measurement + "\n")
    else:
        print(measurement)
if options.into:
    (options.into / "all.ndjson").write_text("".join(measurements))
for summary, count in summaries.items():
    print(f"{count} spectra of {summary}" if options.into else summary, file=sys.stderr)
