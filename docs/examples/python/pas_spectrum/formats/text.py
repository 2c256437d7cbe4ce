"""Tables of text: every dialect of CSV that a logger or a spreadsheet writes."""

import io
import re

import numpy as np
import pandas

from ..columns import kind_of
from ..faults import Fault, Misused, Refused
from ..recording import Column, Recording
from .dialect import LOOKED_AT, SWAPPED, dialect_of, fields_of, is_number
from .encoding import text_of
from .heading import kind_of_x, names_and_units, units_above
from .rates import stated_rate

COMMENT = ("#", "%", "//")
FAR_ABOVE = 10


def read_text(file, options) -> Recording:
    """The columns, with the number of each row's line."""
    lines = [(at, line) for at, line in enumerate(text_of(file, options.encoding).splitlines(), 1) if at > (options.skip or 0)]
    lines = [(at, line.replace("∞", "inf").replace("−", "-")) for at, line in lines if line.strip(" \t\0")]
    while lines and not lines[-1][1].strip(" \t,;"):
        lines.pop()  # rows of a spreadsheet that are empty
    dialect, begin = dialect_of([line for _, line in lines], options)
    above = [line for _, line in lines[:begin]]
    rows = [(at, line) for at, line in lines[begin:] if not line.lstrip().startswith(COMMENT)]
    inside = [at for at, line in lines[begin:] if at < rows[-1][0] and line.lstrip().startswith(COMMENT)]
    width = dialect.width
    for at, line in rows:
        if line.count('"') % 2:
            raise Refused(f"row {at}: a quotation mark has no second")
        count = len(fields_of(line, dialect.delimiter, dialect.trailing))
        if count != width:
            raise Refused(f"row {at} has {count} columns, the rows before have {width}")
    names, units, doubts, faults = names_and_units(above, dialect)
    separator = r"\s+" if dialect.delimiter is None else dialect.delimiter
    frame = pandas.read_csv(
        io.StringIO("\n".join(line for _, line in rows)),
        sep=separator,
        decimal=dialect.decimal,
        header=None,
        index_col=False,
        skipinitialspace=True,
        skip_blank_lines=False,
        low_memory=False,
    )
    numbers = [at for at, _ in rows]
    empty = numbers[-1] - numbers[0] + 1 - (len(lines) - begin)
    if 0 < empty < len(numbers) / 2:
        at = next(one for one, other in zip(numbers, numbers[1:]) if other != one + 1)
        faults.append(Fault("missing", f"row {at + 1} is empty ({empty} are)"))
    if inside:
        text = f"row {inside[0]}: a remark stands among the rows ({len(inside)} do), so they may be of several recordings"
        faults.append(Fault("gap", text, "take a part with --from and --to"))
    columns = []
    for at in range(width):
        values, kind = values_of(frame[at], numbers, names[at] or str(at), dialect.decimal)
        columns.append(Column(names[at], values, "s" if kind else units[at], kind=kind, doubt=doubts[at]))
    if not above and options.skip is None:
        refuse_header(rows, columns, dialect)
    rate = stated_rate(above)
    for column in columns:
        column.rate = rate
        column.kind = column.kind or (kind_of_x(above) if column.name == "X_Value" else "")
    without = [column for column in columns if not column.unit and not kind_of(column)]
    for column, (unit, doubt) in zip(without, units_above(above, len(without))):
        is_either = width > 1 and not any(names)  # a unit of values, and which columns are they?
        column.unit, column.doubt = ("", doubt or unit) if is_either else (unit, doubt or (column.doubt if not unit else ""))
    return Recording("text", columns, lambda index: f"row {numbers[index]}", faults)


def refuse_header(rows, columns, dialect):
    """Asks about whole numbers at the top, far above all below, which have decimals: a header without words."""
    count = next((at for at, (_, line) in enumerate(rows[:LOOKED_AT]) if dialect.decimal in line), 0)
    if count and any(abs(one.values[:count]).min() > FAR_ABOVE * abs(one.values[count:]).max() for one in columns):
        at, line = rows[0]
        answer = f"give --skip {rows[count][0] - 1}, or --skip 0 if it is a sample"
        raise Misused(f"row {at}: {line.strip()!r} is far above the rows below, and may be of a header: {answer}")


def values_of(series, numbers, name, decimal):
    """Numbers, NaN where a cell is empty; seconds from the first row if they are times of a clock."""
    if series.dtype.kind in "fiu":
        return series.to_numpy(dtype=float), ""
    texts = series.astype(str).str.strip()
    swapped = texts.str.translate(SWAPPED) if decimal == "," else texts
    values = pandas.to_numeric(swapped, errors="coerce")
    wrong = np.flatnonzero(values.isna() & series.notna() & ~texts.str.fullmatch(r"[+-]?nan|", case=False))
    if len(wrong) == 0:
        return values.to_numpy(dtype=float), ""
    if len(wrong) == len(texts):
        times = clock_times(texts)
        if times is not None:
            return times, "time"
    text, other = texts.iloc[wrong[0]], "," if decimal == "." else "."
    hint = f"; if its decimal mark is another, give --decimal {other}" if is_number(text, other) else ""
    raise Refused(f"row {numbers[wrong[0]]}, column {name}: {text!r} is no number{hint}")


def clock_times(texts):
    """Seconds from the first of `10:00:00.5`, or of the same after a date as ISO 8601 writes it."""
    texts = texts.str.replace(",", ".", regex=False)
    if re.fullmatch(r"\d\d?:\d\d:\d\d(\.\d+)?", texts.iloc[0]):
        times = pandas.to_timedelta(texts, errors="coerce").dt.total_seconds().to_numpy()
    else:
        stamps = pandas.to_datetime(texts, format="ISO8601", errors="coerce", utc=True)
        times = (stamps - stamps.iloc[0]).dt.total_seconds().to_numpy()
    return None if np.isnan(times).any() else times - times[0]
