"""Samples per second, where a line above a table states them."""

import re

from ..units import TIMES, known, squeezed

# A whole line: name, unit, number, unit. The number may stand there once for each channel.
REST = r'\s*(?:[\[(]([^\[\]()]*)[\])])?[\s:=;,"]*(\d[\d.,]*(?:e[+-]?\d+)?)(?:[\t;]+\3)*[\s;,"]*([^\d\s;,"][^\d;,"]*)?[\s;,"]*'
RATE = r"[\W_]*(fs|sampl\w*[ _-]*(?:rate|freq(?:uency)?)|abtast(?:rate|frequenz)|samples? *(?:/|per) *s(?:ec(?:ond)?)?)"
STEP = r"[\W_]*(sampl\w*[ _-]*(?:interval|period)|abtastintervall|dt|delta[ _]?[tx]|x[ _]?increment)"
ABOUT = re.compile(rf"(?:{RATE}|{STEP})(?![^\W\d_]).*\d", re.IGNORECASE)
RATE, STEP = (re.compile(name + REST, re.IGNORECASE) for name in (RATE, STEP))
THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
PER_SECOND = {"/s": 1, "S/s": 1, "kS/s": 1e3, "samples/s": 1, "samples/sec": 1, "samplespersecond": 1}
PER_SECOND |= {"Hz": 1, "kHz": 1e3, "MHz": 1e6}
LEAST_BARE = 250  # a rate below this without a unit may be in kHz, or of a step in ms


def stated_rate(above):
    """Nothing where a line has two numbers, a unit that is not known, or may be read in two ways, such as 25,600."""
    found = {rate_in(line) for line in above if ABOUT.match(line)}
    return found.pop() if len(found) == 1 else None


def is_of_rate(line) -> bool:
    return bool(ABOUT.match(line))


def rate_in(line):
    of_rate = RATE.fullmatch(line)
    matched = of_rate or STEP.fullmatch(line)
    if not matched:
        return None
    name, before, number, after = matched.groups()
    value, unit = plain(number), (before or after or "").strip()
    factor = factor_of(unit, PER_SECOND if of_rate else TIMES) if unit else 1
    if not value or not factor or (before and after) or (name.lower() == "fs" and not unit):
        return None
    return believable(value * factor if of_rate else 1 / (value * factor), unit)


def factor_of(unit, factors):
    return factors.get(known(unit)) or factors.get(squeezed(unit)) or factors.get(squeezed(unit).lower())


def believable(rate, unit=""):
    """The rate, unless it has no unit and may be in another."""
    return rate if unit or rate >= LEAST_BARE else None


def plain(number):
    """A number above 0 that has one reading."""
    number = number.rstrip(".,")
    if THOUSANDS.fullmatch(number) or len(re.findall("[.,]", number)) > 1:
        return None
    return float(number.replace(",", ".")) or None
