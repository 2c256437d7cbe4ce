"""Limits from healthy spectra: `limits.py THRESHOLD NEW` reads what `pas rate --json` printed of them, and writes NEW with limits."""

import json
import statistics
import sys

sys.stdin.reconfigure(encoding="utf-8")
parts = [json.loads(line) for line in sys.stdin]
if not parts or not all("counts" in part for part in parts):
    sys.exit("no limits: give `pas rate --json` at least two spectra in one file, such as all.ndjson")
with open(sys.argv[1], encoding="utf-8-sig") as file:
    threshold = json.load(file)

print(f"{'PART':<26}{'SPECTRA':>8}{'MEDIAN':>9}{'SIGMA':>9}{'GREATEST':>9}{'ALERT':>9}{'DANGER':>9}  UNIT")
for part in parts:
    name, found = part["part"], part.get("values", [])
    kind, position = name.split()
    alarm = threshold["halAlarms" if kind == "HAL" else "bandAlarms"][int(position)]
    title = f"{name + ' ' + part.get('label', ''):<26}{len(found):>8}"
    if not found:
        print(f"{title}   as it was: always NO_DATA")
        continue
    # A gear or a belt is a HAL so that its lines count for no other: whether it alarms is up to its author.
    if kind == "HAL" and "bearing" not in alarm:
        print(f"{title}   as it was: no bearing")
        continue
    median = statistics.median(found)
    # 1.4826 times the median deviation is the standard deviation of normal values; a single outlier does not move it.
    sigma = 1.4826 * statistics.median(abs(value - median) for value in found)
    if kind == "HAL":
        alert = round(max(3.5, median + 3 * sigma), 2)
        danger = alert + 1.5
        alarm |= {"upperAlert": alert, "upperDanger": danger}
    else:
        alert = float(f"{max(2 * median, median + 3 * sigma):.3g}")
        danger = float(f"{2.5 * alert:.3g}")
        limits = {"upperAlert": {"value": alert, "valueType": 1}, "upperDanger": {"value": danger, "valueType": 1}}
        alarm.pop("overallThreshold", None)  # the other name; both at once are refused
        alarm["overallAlarmThreshold"] = {"unit": part["unit"], **limits}
    numbers = "".join(f"{number:>9.3g}" for number in (median, sigma, max(found), alert, danger))
    print(f"{title}{numbers}  {part.get('unit', 'index')}")
with open(sys.argv[2], "w") as file:
    json.dump(threshold, file, indent=2)
