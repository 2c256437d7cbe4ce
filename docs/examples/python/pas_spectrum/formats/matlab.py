"""MATLAB files, such as public bearing data sets have."""

import re

import numpy as np
import scipy.io
import scipy.sparse

from ..faults import Refused
from ..recording import Column, Recording
from ..units import unit_in
from .rates import believable

RATES = re.compile(r"(?:.*[._])?(?:sr|fs|samp(?:le|ling)_?(?:rate|freq(?:uency)?))", re.IGNORECASE)
SPEEDS = re.compile(r".*rpm", re.IGNORECASE)
TIMES = re.compile(r"(?:.*\.)?(?:t|time)", re.IGNORECASE)


def read_matlab(file) -> Recording:
    """Each vector of numbers, and each column of a matrix; of a structure as NAME.FIELD."""
    try:
        content = scipy.io.loadmat(str(file), squeeze_me=True, struct_as_record=True)
    except NotImplementedError:
        raise Refused("MATLAB 7.3 (HDF5): save it with -v7") from None
    except Exception as fault:  # a damaged file raises what its parsing meets
        raise Refused(f"scipy.io: {fault}") from None
    found = [pair for name, value in content.items() if not name.startswith("__") for pair in flat(name, value)]
    numbers = {name: float(value) for name, value in found if value.size == 1}
    rates = {value for name, value in numbers.items() if RATES.fullmatch(name)}
    speeds = {value for name, value in numbers.items() if SPEEDS.fullmatch(name)}
    for name in {name[:-3] for name, _ in found if name.endswith(".gs")}:  # MFPT: sr, gs, load, and rate, the shaft's in Hz
        speeds |= {60 * numbers[f"{name}.rate"]} if {f"{name}.sr", f"{name}.rate"} <= numbers.keys() else set()
    rate = believable(rates.pop()) if len(rates) == 1 else None
    columns = [column for name, value in found if value.size > 1 for column in columns_of(name, value, rate)]
    if not columns:
        raise Refused("no vector of numbers")
    return Recording("MATLAB", columns, rpm=speeds.pop() if len(speeds) == 1 else None)


def flat(name, value):
    """The arrays of numbers of a variable, those of structures too."""
    if scipy.sparse.issparse(value):  # no recording
        return
    value = np.asarray(value)
    if value.dtype.names:
        if value.size == 1:
            for one in value.dtype.names:
                yield from flat(f"{name}.{one}", value[()][one] if value.ndim == 0 else value.reshape(-1)[0][one])
    elif value.dtype == object and value.size == 1:
        yield from flat(name, value.reshape(-1)[0])
    elif value.dtype.kind in "fiu":
        yield name, value


def columns_of(name, value, rate):
    """One column for each channel: a matrix has its longer side as time."""
    _, own, doubt = unit_in(name)
    if value.ndim == 1:
        is_time = bool(TIMES.fullmatch(name))
        unit = "s" if is_time else "g" if name.endswith(".gs") else own
        return [Column(name, value.astype(float), unit, rate, kind="time" if is_time else "", doubt=doubt)]
    if value.ndim > 2:
        return []
    value = value if value.shape[0] >= value.shape[1] else value.T
    return [Column(f"{name}({at + 1})", value[:, at].astype(float), own, rate, doubt=doubt) for at in range(value.shape[1])]
