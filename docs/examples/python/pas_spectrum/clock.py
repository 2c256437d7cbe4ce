"""From times to samples per second, if they are even."""

import numpy as np

from .faults import Fault, Misused, Refused
from .units import TIMES, unit_named

STEP_OFF = 0.01  # of a step, besides what the times are rounded to
RATE_OFF = 0.01  # between what a header says and what the times say


def seconds_of(axis, x_unit):
    """Times in seconds; several columns, such as hour, minute, second and microsecond, add up."""
    units = [unit_named(unit) for unit in x_unit.split(",")] if x_unit else [column.unit or "s" for column in axis]
    if len(units) != len(axis):
        raise Misused(f"--x names {len(axis)} columns, --x-unit {len(units)} units")
    for unit, column in zip(units, axis):
        if column.unit and unit != column.unit:
            raise Misused(f"--x-unit says {unit}, the file {column.unit}")
        if unit not in TIMES:
            raise Misused(f"{unit} is no unit of time: --x-unit is one of {', '.join(TIMES)}")
        if column.doubt and not x_unit:
            raise Misused(f"{column.name or 'the time'}: its unit may be {column.doubt}: give --x-unit")
    return sum(column.values * TIMES[unit] for column, unit in zip(axis, units))


def rate_by(times, place):
    """Samples per second by their times, and what is wrong with the times. `place` names a row."""
    bad = np.flatnonzero(~np.isfinite(times))
    if len(bad):
        raise Refused(f"{place(bad[0])}: the time is missing; give --x none and --rate")
    steps = np.diff(times)
    if len(steps) == 0 or (steps == 0).all():
        raise Refused("the time never changes: choose another --x, or give --x none and --rate")
    step = float(np.median(steps))
    if step <= 0:
        falling = np.flatnonzero(steps <= 0)[0] + 1
        zero = "stays" if steps[falling - 1] == 0 else "falls"
        raise Refused(
            f"{place(falling)}: the time {zero}, as in at least half of the rows: choose another --x, or give --x none and --rate"
        )
    faults = []
    rounding = resolution_of(times)
    allowed = STEP_OFF * step + 2 * rounding
    if allowed > step / 2 and np.abs(steps - step).max() > STEP_OFF * step:
        raise Refused(f"the times are rounded to {rounding:.3g} s, the samples are {step:g} s apart: give --x none and --rate")
    off = np.flatnonzero(np.abs(steps - step) > allowed)
    gaps = off[steps[off] > 1.5 * step - rounding]
    if len(gaps):
        at, more = gaps[0], f", and {len(gaps) - 1} more" if len(gaps) > 1 else ""
        first = times[at] - times[0]
        faults.append(
            Fault(
                "gap", f"{place(at + 1)}: a gap of {steps[at]:.4g} s{more}", f"take a part with --from and --to, such as --to {first:.6g}"
            )
        )
    uneven = np.setdiff1d(off, gaps)
    if len(uneven):
        at = uneven[0]
        text = (
            f"{place(at + 1)}: a step of {steps[at]:.4g} s in {place.column}, the others have {step:.4g} s ({len(uneven)} steps are uneven)"
        )
        faults.append(Fault("uneven", text))
    even = np.delete(steps, off) if len(off) < len(steps) else steps
    rate = 1 / float(even.mean())
    known = 2 * rounding / (times[-1] - times[0])  # the part of the rate that rounded times leave open
    return (float(round(rate)) if abs(round(rate) / rate - 1) <= known else round(rate, 6)), faults


def resolution_of(times):
    """The decimal place that all times are rounded to, in s; 0 if there is none."""
    some = np.concatenate([times[:2000], times[-2000:]])
    floating = float(np.spacing(np.abs(some).max()))  # seconds since 1970 leave few digits
    for digits in range(10):
        if np.allclose(np.round(some, digits), some, rtol=0, atol=max(10.0 ** (-digits - 5), floating)):
            return 10.0**-digits + floating
    return floating


def agreed(measured, stated, by, other="the times"):
    """What contradicts: two statements of the samples per second."""
    if abs(measured / stated - 1) <= RATE_OFF:
        return []
    return [Fault("header", f"{by} {stated:g} samples per second, {other} {measured:g}")]
