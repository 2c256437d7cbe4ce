"""Headings, units and rates in the lines above a table."""

import re

from ..faults import Fault
from ..recording import unit_named
from .dialect import fields_of, is_number

UNIT_AT_END = re.compile(r"(.*?)\s*[\[(]([^\[\]()]*)[\])]\s*$")
A_UNIT = re.compile(r"[\[(][^\[\]()]*[\])]|")
BARE_UNITS = {"s", "ms", "us", "min", "h", "g", "m/s2", "mm/s", "V", "mV", "Hz", "rpm", "deg", "mm", "um"}
NUMBER = r"([^\d\n]{0,20}?)(\d[\d.,]*(?:e[+-]?\d+)?)[ \t]*"
RATE = re.compile(
    r"(?:sampl\w*[ _-]*(?:rate|freq\w*)|abtast(?:rate|frequenz)|samples? *(?:/|per) *s\w*)" + NUMBER + r"(k?)|\bfs\b" + NUMBER + r"(k?)Hz",
    re.IGNORECASE,
)
STEP = re.compile(
    r"(?:sampl\w*[ _-]*(?:interval|period)|abtastintervall|\bdt\b|delta[ _]?[tx]\b|x[ _]?increment)" + NUMBER + r"(ms|us|µs|s\b|)",
    re.IGNORECASE,
)
UNIT = re.compile(r"^\W*(?:einheit|units?)\W+([^\s;,]+)", re.IGNORECASE | re.MULTILINE)
THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
SECONDS = {"": 1, "s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}


def names_and_units(above, dialect):
    """The name and unit of each column, empty where the file has none, and what contradicts the rows."""
    width, names, units, faults = dialect.width, [""] * dialect.width, [""] * dialect.width, []
    lines = [[field.strip().strip('"') for field in fields_of(line.lstrip(";#%/ "), dialect.delimiter, dialect.trailing)] for line in above]
    lines = [line for line in lines if any(line)]
    # Loggers with comments: `;Headers, Time,Ax,Ay`.
    lines = [
        line[1:] if len(line) == width + 1 and line[0].lower().rstrip(":") in ("headers", "header", "columns") else line for line in lines
    ]
    if (
        lines
        and len(lines[-1]) == width
        and all(A_UNIT.fullmatch(field) or unit_named(field) in BARE_UNITS for field in lines[-1])
        and len(lines) > 1
    ):
        units = [unit_named(field.strip("[]()")) for field in lines.pop()]
    if not lines:
        return names, units, faults
    last = lines[-1]
    is_text = not any(is_number(field, dialect.decimal) for field in last)
    if len(last) == width and is_text:
        for at, field in enumerate(last):
            matched = UNIT_AT_END.fullmatch(field)
            names[at] = matched.group(1) if matched and matched.group(1) else field
            units[at] = units[at] or (unit_named(matched.group(2)) if matched else "")
            if unit_named(field) in BARE_UNITS and not units[at]:
                units[at] = unit_named(field)
    elif len([field for field in last if field]) > 1 and is_text:
        faults.append(Fault("header", f"the heading names {len(last)} columns, the rows have {width}"))
    return names, units, faults


def stated_unit(above):
    """The unit of a single column, where a line above the table states it."""
    matched = UNIT.search("\n".join(above))
    return unit_named(matched.group(1)) if matched else ""


def stated_rate(above):
    """Samples per second, where a line above the table states them; nothing where it may be read in two ways, such as 25,600."""
    text = "\n".join(above)
    matched = RATE.search(text)
    if matched:
        between, number, kilo = [one for one in matched.groups() if one is not None]
        value = plain(number)
        return value and value * (1000 if kilo or "khz" in between.lower() else 1)
    matched = STEP.search(text)
    if matched:
        between, number, unit = matched.groups()
        value = plain(number)
        inside = re.search(r"[\[(](ms|us|µs)[\])]", between)
        return value and 1 / (value * SECONDS[(inside.group(1) if inside else unit).lower()])
    return None


def plain(number):
    """A number above 0 that has one reading."""
    number = number.rstrip(".,")
    if THOUSANDS.fullmatch(number) or len(re.findall("[.,]", number)) > 1:
        return None
    return float(number.replace(",", ".")) or None
