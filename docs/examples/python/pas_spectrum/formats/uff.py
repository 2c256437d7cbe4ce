"""Universal files, data sets of type 58: functions at nodes."""

import re

import pyuff

from ..faults import Fault, Refused
from ..recording import Column, Recording
from ..units import FREQUENCIES, known, unit_named

GENERAL, TIME_RESPONSE, SPECTRA = 0, 1, {2: "auto spectrum", 12: "spectrum"}
FREQUENCY = 18  # of an abscissa
MARK = re.compile(rb"^    -1 *\r?$", re.MULTILINE)
POWERS = "squared, as of auto spectra (type 2)"
UNKNOWN = {"", "NONE", "none", "None"}


def read_uff(file) -> Recording:
    """Each time response, or each spectrum where there is no time response."""
    try:
        uff = pyuff.UFF(str(file))
        sets = [uff.read_sets(at) for at, kind in enumerate(uff.get_set_types()) if kind == 58]
    except Exception as fault:  # pyuff raises what its parsing meets
        raise Refused(f"pyuff: {fault}") from None
    # Each data set stands between two lines of -1; pyuff passes over one that has no second.
    is_cut = len(MARK.findall(file.read_bytes())) % 2 == 1
    if is_cut and not sets:
        raise Refused("its data set is cut off")
    responses = [one for one in sets if one["func_type"] == TIME_RESPONSE or (one["func_type"] == GENERAL and not is_of_frequency(one))]
    spectra = [one for one in sets if one["func_type"] in SPECTRA or (one["func_type"] == GENERAL and is_of_frequency(one))]
    if not responses and not spectra:
        found = sorted({one["func_type"] for one in sets})
        raise Refused(f"no time response or spectrum of type 58 (functions of type {found})" if found else "no data set of type 58")
    columns = []
    for at, one in enumerate(responses or spectra):
        name = one.get("id1", "").strip()
        name = f"set {at + 1}" if name in UNKNOWN else name  # a number would be that of another column
        unit = one.get("ordinate_axis_units_lab", "").strip()
        unit = "" if unit in UNKNOWN else unit_named(unit)
        if one.get("abscissa_spacing") and responses:
            columns.append(Column(name, real(one["data"]), unit, 1 / one["abscissa_inc"] if one["abscissa_inc"] else None))
        else:
            kind, of = ("time", "s") if responses else ("frequency", unit_of_x(one))
            doubt = POWERS if one["func_type"] == 2 and not known(unit) else ""
            columns += [Column(f"{name} {kind}", one["x"], of, kind=kind), Column(name, real(one["data"]), unit, doubt=doubt)]
    faults = [Fault("header", "its last data set is cut off")] if is_cut else []
    return Recording("UFF 58", columns, faults=faults, is_spectrum=not responses)


def unit_of_x(one):
    """Of a spectrum's lines: what its abscissa is, else its label; nothing where neither says it."""
    unit = "Hz" if is_of_frequency(one) else known(one.get("abscissa_axis_units_lab", ""))
    return unit if unit in FREQUENCIES else ""


def is_of_frequency(one) -> bool:
    return one.get("abscissa_spec_data_type") == FREQUENCY


def real(data):
    """Amplitudes of complex lines; samples as they are."""
    return abs(data) if data.dtype.kind == "c" else data.astype(float)
