"""Limits of the parts of a threshold from their values in healthy recordings."""

import math
import statistics
import sys

from .faults import Misused, Refused

LEAST = 5  # recordings
ENOUGH = 20  # for medians alone
COVERED, CONFIDENCE = 0.99, 0.95  # the share of healthy values below the alert, and how sure that is
HAL_ALERT, HAL_MARGIN = 3.5, 1.5
OF_ZONE_B, MOST_OF_ZONE_B = 0.25, 1.25  # ISO 20816-1, the setting of alarms
FAR, FAR_OFF = 6, 1.5  # sigmas and medians above which a value is far off


def limits_of(found, is_hal):
    """Alert and danger of at least five values."""
    median, sigma = statistics.median(found), spread_of(found)
    high = median + 3 * sigma
    if len(found) < ENOUGH:  # a median deviation of so few says little: the tolerance limit of normal values
        high = max(high, statistics.fmean(found) + factor_of(len(found)) * statistics.stdev(found))
    if is_hal:
        alert = round(max(HAL_ALERT, high), 2)
        return alert, alert + HAL_MARGIN
    alert = rounded(max(2 * median, high))
    return alert, rounded(2.5 * alert)


def iso_limits(found, zone_b, zone_c):
    """Alert: the baseline and a quarter of the upper limit of zone B, at most 1.25 times that limit. Danger: that of zone C."""
    return rounded(min(statistics.median(found) + OF_ZONE_B * zone_b, MOST_OF_ZONE_B * zone_b)), zone_c


def doubt_about(found, alert):
    """Why these values may not be those of a healthy machine; nothing where they may."""
    median, greatest = statistics.median(found), max(found)
    if median >= alert:
        return f"half of them are in alarm, at {median:.3g}: repair the machine first"
    if len(found) < ENOUGH and greatest > max(median + FAR * spread_of(found), FAR_OFF * median):
        return (
            f"one of them, {greatest:.3g}, is far above their median of {median:.3g}, and raises the limits: leave it out if it is damaged"
        )
    return ""


def spread_of(found):
    """1.4826 times the median deviation is the standard deviation of normal values; a single outlier does not move it."""
    median = statistics.median(found)
    return 1.4826 * statistics.median(abs(value - median) for value in found)


def factor_of(count):
    """Standard deviations above the mean of `count` normal values, below which 99 % of all lie, at 95 % confidence."""
    from scipy.stats import nct, norm

    return float(nct.ppf(CONFIDENCE, count - 1, norm.ppf(COVERED) * math.sqrt(count)) / math.sqrt(count))


def confidence_of(found, alert):
    """How sure it is that 99 % of healthy values lie below `alert`, if they are normal; 0 to 1."""
    from scipy.stats import nct, norm

    deviation = statistics.stdev(found)
    height = alert - statistics.fmean(found)
    if deviation == 0:
        return 1.0 if height > 0 else 0.0
    root = math.sqrt(len(found))
    # The distribution itself loses its digits far out, where it is 1.
    return 1.0 if height / deviation > 30 else float(nct.cdf(height / deviation * root, len(found) - 1, norm.ppf(COVERED) * root))


def rounded(value):
    return float(f"{value:.3g}")


def with_limits(threshold, parts, iso):
    """`threshold` gets its limits; a table of them. `iso` has the zones of a band by its position."""
    rows = []
    if not parts:
        raise Refused("no limits: `pas rate --json` printed nothing")
    if not all("counts" in part for part in parts):
        raise Refused(f"no limits: 1 recording, and at least {LEAST} healthy ones are needed: record {LEAST - 1} more")
    recordings = max(sum(part["counts"].values()) for part in parts)
    if recordings < LEAST:
        raise Refused(f"no limits: {recordings} recordings, and at least {LEAST} healthy ones are needed: record {LEAST - recordings} more")
    for position in iso:
        if f"band {position}" not in {part["part"] for part in parts}:
            raise Misused(f"--iso {position}: the threshold has no band {position}")
    for part in parts:
        found = part.get("values", [])
        rows.append([f"{part['part']} {part.get('label', '')}".rstrip(), str(len(found)), *set_limits(threshold, part, found, iso)])
    return rows


def set_limits(threshold, part, found, iso):
    """Sets the limits of one part; the rest of its row."""
    kind, _, position = part["part"].partition(" ")
    if kind not in ("HAL", "band"):
        return ["as it was: only bands and HALs get limits"]
    try:
        alarm = threshold["halAlarms" if kind == "HAL" else "bandAlarms"][int(position)]
    except (KeyError, IndexError):
        raise Misused(f"the threshold has no {part['part']}: give the one that was rated") from None
    if not found:
        return ["as it was: always NO_DATA"]
    if "units" in part:
        return [f"as it was: its units differ: {', '.join(part['units'])}"]
    # A gear or a belt is a HAL so that its lines count for no other: whether it alarms is up to its author.
    if kind == "HAL" and "bearing" not in alarm:
        return ["as it was: no bearing"]
    if len(found) < LEAST:
        return [f"as it was: {LEAST - len(found)} more with data are needed"]
    if kind == "HAL":
        alert, danger = limits_of(found, True)
        alarm |= {"upperAlert": alert, "upperDanger": danger}
    else:
        if int(position) in iso:
            if part.get("unit") != "mm/s":
                raise Misused(f"--iso {position}: band {position} is in {part.get('unit')}; ISO 20816 has limits in mm/s")
            alert, danger = iso_limits(found, *iso[int(position)])
        else:
            alert, danger = limits_of(found, False)
            if alert <= 0:
                return ["as it was: at least half of its values are 0"]
        limits = {"upperAlert": {"value": alert, "valueType": 1}, "upperDanger": {"value": danger, "valueType": 1}}
        alarm.pop("overallThreshold", None)  # the other name; both at once are refused
        alarm["overallAlarmThreshold"] = {"unit": part["unit"], **limits}
    doubt = doubt_about(found, alert)
    if doubt:
        print(f"{part['part']} {part.get('label', '')}: {doubt}", file=sys.stderr)
    numbers = [f"{number:.3g}" for number in (statistics.median(found), spread_of(found), max(found), alert, danger)]
    return [*numbers, f"{math.floor(100 * min(0.999, confidence_of(found, alert)))} %", part.get("unit", "index")]
