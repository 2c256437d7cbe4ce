"""Headings and units in the lines above a table."""

import re

from ..columns import LOOKS
from ..faults import Fault
from ..units import VIBRATIONS, VOLTS, known, unit_in
from .dialect import fields_of, fitted, is_number
from .rates import is_of_rate

UNIT = re.compile(r"\W*(?:y[ _]?)?(?:einheit|units?)(?:[ _]?label)?\s*[:=;,\t]\s*(.*)", re.IGNORECASE)


def names_and_units(above, dialect):
    """Of each column its name, its unit, and what may be its unit, empty where the file has none; and what contradicts the rows."""
    width, faults = dialect.width, []
    lines = [fitted(cells_of(line, dialect), width) for line in above if width > 1 or not is_statement(line)]
    lines = [line for line in lines if any(line)]
    row = lines.pop() if len(lines) > 1 and is_units(lines[-1], lines[-2], dialect) else [""] * width
    heads = [("", "", "")] * width
    if lines:
        is_text = is_words(lines[-1], dialect)
        if len(lines[-1]) == width and is_text:
            heads = [unit_in(field) if field else ("", "", "") for field in lines[-1]]
        elif len([field for field in lines[-1] if field]) > 1 and is_text:
            faults.append(Fault("header", f"the heading names {len(lines[-1])} columns, the rows have {width}"))
    own = [unit_in(field) if field.strip("[]()- ") else ("", "", "") for field in row]
    heads = [
        (name, of[1] or unit, "" if of[1] else of[2] or (of[0] and f"({of[0]})") or doubt) for (name, unit, doubt), of in zip(heads, own)
    ]
    return *map(list, zip(*heads)), faults


def is_statement(line) -> bool:
    """Whether a line above a single column says something else than its name."""
    return is_of_rate(line) or bool(UNIT.fullmatch(line) or re.search(r"[:=;\t]\s*[+-]?\.?\d", line))


def is_words(cells, dialect) -> bool:
    return not any(is_number(field, dialect.decimal) for field in cells)


def is_units(cells, above, dialect) -> bool:
    """Whether a row has the units of the names above it: all are in brackets or known, or some are known below words."""
    if len(cells) != dialect.width:
        return False
    are = [bool(known(field.strip("[]()"))) for field in cells]
    bracketed = [not field or re.fullmatch(r"\[.*\]|\(.*\)", field) is not None for field in cells]
    if all(one or other for one, other in zip(are, bracketed)):
        return True
    return any(are) and len(above) == dialect.width and is_words(above, dialect) and not any(map(known, above))


def cells_of(line, dialect):
    """The cells of a heading, without the mark of a comment; a semicolon may also be an empty first cell."""
    whole, bare = (
        [field.strip().strip('"') for field in fields_of(one, dialect.delimiter, dialect.trailing)] for one in (line, line.lstrip(";#%/ "))
    )
    return whole if len(whole) == dialect.width != len(bare) else bare


def units_above(above, count):
    """The units of `count` columns without one, where a line above the table states them, and what may be one."""
    stated = [re.split(r"\s*[\t;]\s*", matched[1].strip(' \t;,"')) for matched in map(UNIT.fullmatch, above) if matched]
    if not stated or not count:
        return [("", "")] * count
    cells = stated[0] * count if len(stated[0]) == 1 else stated[0]
    if len(stated) > 1 or len(cells) != count:
        return [("", " / ".join(" ".join(one) for one in stated))] * count
    return [unit_above(cell.strip("[]()")) for cell in cells]


def unit_above(cell):
    """A unit that values have, or else what may be one."""
    unit = known(cell) or unit_in(cell)[1]
    return (unit, "") if unit in VIBRATIONS or unit in VOLTS else ("", cell)


def kind_of_x(above):
    """What X_Value of LabVIEW is: time, unless X_Dimension says otherwise."""
    stated = [line.split()[1].lower() for line in above if line.startswith("X_Dimension") and len(line.split()) > 1]
    return next((kind for kind in LOOKS if not stated or kind == stated[0]), "")
