"""One recording as the measurement that the service takes."""

import json
import uuid
from datetime import datetime, timezone

import numpy as np

from .faults import Misused, Refused, refuse
from .formats import read
from .lines import analyser_lines
from .signal import signal_of
from .spectrum import MOST_LINES, lines_of
from .speed import speed_of


def measurement_of(file, options):
    """A line of JSON, a summary of its lines, and what was chosen of the file, if there was a choice."""
    recording = read(file, options)
    chosen, start = "", ""
    if options.lines:
        x, lines, x_unit, unit, faults, summary, chosen = analyser_lines(recording, options)
        window, rpm = options.window, options.rpm
        if rpm is None:
            raise Misused("give --rpm")
    else:
        signal = signal_of(recording, options)
        rpm, of_speed = speed_of(recording, signal, options)
        faults = signal.faults + of_speed
        refuse(faults, options.accept)
        x, lines, unit, summary = lines_of(signal, options)
        x_unit, window, start = "Hz", "hann", signal.start
        chosen = choice_in(recording, signal, rpm, options)
    refuse(faults, options.accept)
    if not np.isfinite(lines).all():
        raise Refused("its values are too great for a spectrum")
    if len(lines) > MOST_LINES:
        raise Refused(f"{len(lines)} lines; the service takes {MOST_LINES}: lower --highest, or raise --spacing")
    spectrum = {
        "speed": rpm,
        "xUnit": x_unit,
        "yUnit": unit,
        "windowFunction": window,
        "coordinates": [{"x": round(float(at), 9), "y": float(f"{y:.4g}")} for at, y in zip(x, lines)],
    }
    if window is None:
        del spectrum["windowFunction"]
    recorded = datetime.fromtimestamp(file.stat().st_mtime, timezone.utc).isoformat(timespec="milliseconds")
    measurement = {
        # The same spectrum is the same measurement, however often it is sent.
        "measurementId": str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(spectrum))),
        "createdAt": options.at or start or recorded,
        "contentType": "SPECTRUM",
        "spectrum": spectrum,
    }
    return json.dumps(measurement, separators=(",", ":"), allow_nan=False), summary, chosen


def choice_in(recording, signal, rpm, options):
    """What was taken, where the file has more than one column or says the speed."""
    by = f" by {signal.axis}" if signal.axis else ""
    speed = "" if options.rpm is not None else f", {rpm:g} rpm"
    if options.rpm is not None and options.tacho is None and recording.rpm and abs(recording.rpm - options.rpm) > 0.01 * options.rpm:
        speed = f", {rpm:g} rpm (the file says {recording.rpm:g})"
    if len(recording.columns) == 1 and not speed and recording.form != "text":
        return ""
    return f"{signal.title} [{signal.unit}]{by}, {signal.rate:g} samples per second, {signal.seconds:g} s{speed}"
