"""The delimiter and decimal mark of a table, by trying each pair on its rows."""

import csv
import re
from dataclasses import dataclass

from ..faults import Misused, Refused

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
CLOCK = re.compile(r"(?:\d{4}-\d\d-\d\d[T ])?\d\d?:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?")
NAMED = {"tab": "\t", "semicolon": ";", "comma": ",", "space": None, "\\t": "\t", "\t": "\t", ";": ";", ",": ",", "|": "|", " ": None}
LOOKED_AT = 12  # rows
WORDS = ("headers", "header", "columns")  # before the names, as in `;Headers, Time,Ax,Ay`
SWAPPED = str.maketrans(",.", ".,")  # a point is none where the comma is the decimal mark


@dataclass(frozen=True)
class Dialect:
    """Without a delimiter, blanks are one."""

    delimiter: str | None
    decimal: str
    width: int = 0
    trailing: bool = False  # each row ends with a delimiter


def fields_of(line, delimiter, trailing=False):
    """The cells of a line, without quotes."""
    if delimiter is None:
        fields = next(csv.reader([" ".join(line.split())], delimiter=" ")) if '"' in line else line.split()
    elif '"' in line:
        fields = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))
    else:
        fields = line.split(delimiter)
    return fields[:-1] if trailing and fields and not fields[-1].strip() else fields


def is_number(field, decimal) -> bool:
    field = field.strip()
    if decimal == ",":
        return bool(NUMBER.fullmatch(field.translate(SWAPPED))) and not field.endswith(",")  # that is a delimiter before a blank
    return bool(NUMBER.fullmatch(field))


def is_row(fields, decimal) -> bool:
    """Numbers, times of a clock and empty cells, and at least one number."""
    filled = [field for field in fields if field.strip()]
    numbers = [field for field in filled if is_number(field, decimal)]
    return bool(numbers) and all(is_number(field, decimal) or CLOCK.fullmatch(field.strip()) for field in filled)


def dialect_of(lines, options):
    """The dialect and where the rows begin. Two dialects that read them differently are refused, unless a heading decides."""
    delimiters = ["\t", ";", "|", ",", None]
    if options.delimiter is not None:
        if options.delimiter not in NAMED:
            raise Misused(f"--delimiter is one of {', '.join(name for name in NAMED if name.isalpha())}")
        delimiters = [NAMED[options.delimiter]]
    decimals = [options.decimal] if options.decimal else [".", ","]
    found = []
    for delimiter in delimiters:
        for decimal in decimals:
            if delimiter == "," and decimal == "," and not any('"' in line for line in lines[:200]):
                continue
            begin, dialect = begin_of(lines, delimiter, decimal)
            if begin is not None:
                readings = tuple(
                    reading(fields_of(line, delimiter, dialect.trailing), decimal) for line in lines[begin : begin + LOOKED_AT]
                )
                found.append((begin, readings, dialect))
    if not found:
        last = f"; the last row is {lines[-1].strip()[:60]!r}" if lines else ""
        raise Refused(f"no rows of numbers: at least two are needed{last}")
    first = min(begin for begin, _, _ in found)
    dialects = list({readings: dialect for begin, readings, dialect in reversed(found) if begin == first}.values())
    if len(dialects) > 1:
        dialects = [one for one in dialects if first > 0 and heads(lines[first - 1], one)] or dialects
    if len(dialects) > 1:
        text, widths = lines[first].strip(), sorted({one.width for one in dialects})
        raise Misused(
            f"{text!r} may be {' or '.join(str(width) for width in widths)} columns: name the decimal mark, --decimal , or --decimal ."
        )
    return dialects[0], first


def begin_of(lines, delimiter, decimal):
    """The first of at least two rows of the same width that follow each other."""
    previous = None
    for at, line in enumerate(lines):
        fields = fields_of(line, delimiter)
        trailing = len(fields) > 1 and not fields[-1].strip()
        if is_row(fields, decimal):
            if previous == (len(fields), trailing):
                return at - 1, Dialect(delimiter, decimal, len(fields) - trailing, trailing)
            previous = (len(fields), trailing)
        else:
            previous = None
        if at > 5_000 and previous is None:
            break
    return None, None


def reading(fields, decimal):
    """What a row says by a dialect."""
    return tuple(field.strip().replace(decimal, ".") for field in fields)


def heads(line, dialect) -> bool:
    """Whether a line has a heading for each column."""
    fields = fitted([field.strip() for field in fields_of(line, dialect.delimiter, dialect.trailing)], dialect.width)
    if "\t" in line.strip() and dialect.delimiter not in ("\t", None):
        return False
    return len(fields) == dialect.width and not any(is_number(field, dialect.decimal) for field in fields)


def fitted(cells, width):
    """A heading of one cell too many: a word before the names, or an empty cell or `Comment` behind them."""
    if len(cells) != width + 1:
        return cells
    if cells[0].lower().rstrip(":") in WORDS:
        return cells[1:]
    return cells[:-1] if cells[-1].lower() in ("", "comment") else cells
