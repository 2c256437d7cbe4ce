"""Times and numbers that people write."""

import argparse
import math
import re
from datetime import datetime

ISO_8601 = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)")


def instant(text):
    """A time with its zone, as it was written."""
    if not ISO_8601.fullmatch(text) or not is_on_calendar(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no time: write it as 2026-01-31T10:00:00Z, with its zone")
    return text.replace(" ", "T")


def is_on_calendar(text):
    try:
        datetime.fromisoformat(text[:16])
    except ValueError:
        return False
    return text[17:19] < "60" if text[16] == ":" else True


def number(text):
    """A finite number; a comma may be its decimal mark, if it can be nothing else."""
    if re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+", str(text).strip()):
        raise argparse.ArgumentTypeError(f"{text!r} may be two numbers: write it without a comma")
    try:
        value = float(str(text).strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is no number")
    return value


def positive(text):
    value = number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text} must be above 0")
    return value


def factor(text):
    value = number(text)
    if value == 0:
        raise argparse.ArgumentTypeError(f"{text} must not be 0")
    return value


def not_negative(text):
    value = number(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} must not be below 0")
    return value


def band(text):
    """Two numbers of a cell, such as `2500 4500`."""
    found = re.split(r"[ ;]+|(?<=\d)-(?=\d)", text.strip())
    if len(found) != 2:
        raise argparse.ArgumentTypeError(f"{text!r} is no band: write it as 2500 4500")
    return [number(one) for one in found]
