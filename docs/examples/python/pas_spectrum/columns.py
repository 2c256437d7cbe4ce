"""Which column is what. A name or number says it; what several could be is refused."""

import re

import numpy as np

from .faults import Misused, Refused
from .recording import Column, Recording
from .units import FREQUENCIES, TIMES, VIBRATIONS

# By kind of column: its units, and names of its heading in some languages.
LOOKS = {
    "time": (set(TIMES), r"(?:(?:elapsed|relative|sample)[ _]?)?time(?:[ _]?stamp)?|zeit(?:stempel)?|(?-i:t)|temps|tempo|tiempo|date(?:[ _]?time)?|datum|uhrzeit"),
    "frequency": (set(FREQUENCIES), r"freq\w*|frequenz|hz|cpm|orders?"),
    "phase": ({"deg", "rad"}, r"phase?(?:nwinkel)?\w*|winkel"),
    "speed": ({"rpm"}, r"rpm|speed|drehzahl|tach\w*"),
}  # fmt: skip


def kind_of(column: Column) -> str:
    """`time`, `frequency`, `phase` or `speed` by unit or heading, else nothing."""
    if column.kind:
        return column.kind
    if column.unit in VIBRATIONS:  # `Speed [mm/s]` is none of a shaft
        return ""
    for kind, (units, names) in LOOKS.items():
        if column.unit in units or re.fullmatch(names, column.name.strip(), re.IGNORECASE):
            return kind
    return ""


def number_of(recording: Recording, column: Column) -> int:
    return next(at for at, one in enumerate(recording.columns) if one is column)


def titled(recording: Recording, column: Column) -> str:
    """A column as messages name it."""
    return f"channel {number_of(recording, column)}" + (f" {column.name}" if column.name else "")


def find(recording: Recording, wanted, option: str) -> Column:
    """The column of this name, the words of a name that only one has, or this number, from 0; or the column itself."""
    if isinstance(wanted, Column):
        return wanted
    columns, wanted = recording.columns, str(wanted).strip()
    numbered = columns[int(wanted)] if wanted.isdecimal() and int(wanted) < len(columns) else None
    words = re.compile(rf"(?<![^\W_]){re.escape(wanted)}(?![^\W_])", re.IGNORECASE)  # DE is no part of NDE
    for fits in (
        lambda name: name == wanted,
        lambda name: name.lower() == wanted.lower(),
        lambda name: wanted and not wanted.isdecimal() and words.search(name),
    ):
        found = [column for column in columns if fits(column.name)]
        if len(found) > 1:
            raise Misused(f"{option} {wanted}: {len(found)} columns have this name; take a number: {listed(recording)}")
        if found and numbered not in (None, found[0]):
            other = "choose it by what is only its name or only its number"
            raise Misused(f"{option} {wanted}: the name of one column is the number of another: {other}: {listed(recording)}")
        if found:
            return found[0]
    if numbered is not None:
        return numbered
    raise Misused(f"{option} {wanted}: there is no such column; there are {listed(recording)}")


def listed(recording: Recording) -> str:
    """Each column with its number, as `--show` has them in a table."""
    shown = [
        f"{at}" + (f" {one.name}" if one.name else "") + (f" [{one.unit}]" if one.unit else "") for at, one in enumerate(recording.columns)
    ]
    return ", ".join(shown[:20]) + (", ..." if len(shown) > 20 else "")


def axis_of(recording: Recording, options):
    """The columns of time, or with `--lines` of frequency: as `--x` says, else by unit or heading."""
    if options.x == "none":
        return []
    if options.x is not None:
        return [find(recording, one, "--x") for one in options.x.split(",")]
    kind = "frequency" if options.lines else "time"
    found = [column for column in recording.columns if kind_of(column) == kind and np.isfinite(column.values).any()]
    if len(found) > 1 and not recording.is_spectrum:
        raise Misused(f"{len(found)} columns look like {kind}: choose with --x, of {listed(recording)}")
    return found


def value_of(recording: Recording, options, axis) -> Column:
    """The column of values: as `--channel` says, else the only one that can be it."""
    if options.channel is not None:
        chosen = find(recording, options.channel, "--channel")
        if any(chosen is one for one in axis):
            raise Misused(f"--channel {options.channel} is the column of {'frequency' if options.lines else 'time'}")
        if kind_of(chosen) == "phase":
            raise Refused(f"{titled(recording, chosen)} is a phase, in {chosen.unit or 'degrees'}: choose another --channel")
        return chosen
    left = [column for column in recording.columns if not any(column is one for one in axis) and not kind_of(column)]
    if len(left) == 1:
        return left[0]
    if not left:
        raise Misused(f"no column looks like values: choose with --channel, of {listed(recording)}")
    unknown = not axis and len(recording.columns) > 1 and all(not column.name for column in recording.columns) and recording.form == "text"
    also = f", and the column of {'frequency' if options.lines else 'time'} with --x" if unknown else ""
    raise Misused(f"{len(recording.columns)} columns: choose with --channel{also}, of {listed(recording)}; --show shows them")
