"""Universal files, data sets of type 58: functions at nodes."""

import pyuff

from ..faults import Refused
from ..recording import Column, Recording, unit_named

TIME_RESPONSE, SPECTRA = 1, {2: "auto spectrum", 12: "spectrum"}
UNKNOWN = {"", "NONE", "none", "None"}


def read_uff(file) -> Recording:
    """Each time response, or each spectrum where there is no time response."""
    try:
        uff = pyuff.UFF(str(file))
        sets = [uff.read_sets(at) for at, kind in enumerate(uff.get_set_types()) if kind == 58]
    except Exception as fault:  # pyuff raises what its parsing meets
        raise Refused(f"pyuff: {fault}") from None
    responses = [one for one in sets if one["func_type"] in (0, TIME_RESPONSE)]
    spectra = [one for one in sets if one["func_type"] in SPECTRA]
    if not responses and not spectra:
        found = sorted({one["func_type"] for one in sets})
        raise Refused(f"no time response or spectrum of type 58 (functions of type {found})" if found else "no data set of type 58")
    columns = []
    for at, one in enumerate(responses or spectra):
        name = one.get("id1", "").strip()
        name = f"{at + 1}" if name in UNKNOWN else name
        unit = one.get("ordinate_axis_units_lab", "").strip()
        unit = "" if unit in UNKNOWN else unit_named(unit)
        if one.get("abscissa_spacing") and responses:
            columns.append(Column(name, real(one["data"]), unit, 1 / one["abscissa_inc"] if one["abscissa_inc"] else None))
        else:
            kind, of = ("time", "s") if responses else ("frequency", "Hz")
            columns += [Column(f"{name} {kind}", one["x"], of, kind=kind), Column(name, real(one["data"]), unit)]
    return Recording("UFF 58", columns, is_spectrum=not responses)


def real(data):
    """Amplitudes of complex lines; samples as they are."""
    return abs(data) if data.dtype.kind == "c" else data.astype(float)
