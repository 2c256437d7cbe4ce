"""What a file holds, before anything of it is chosen or checked."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .faults import Fault


@dataclass
class Column:
    """One channel, or the times or frequencies of others."""

    name: str
    values: np.ndarray  # of floats; infinite or NaN where a file says so
    unit: str = ""
    rate: float | None = None  # samples per second, where the file states it
    extremes: tuple | None = None  # the lowest and highest values that the converter has
    start: str = ""  # when it was recorded, where the file says that with a zone
    kind: str = ""  # "time", "frequency", "phase" or "speed", where the format says so
    doubt: str = ""  # what may be its unit, where `unit` is empty


@dataclass
class Recording:
    """The channels of a file."""

    form: str
    columns: list[Column]
    place: Callable[[int], str] = lambda index: f"sample {index}"
    faults: list[Fault] = field(default_factory=list)  # contradictions of header and content
    rpm: float | None = None
    is_spectrum: bool = False
