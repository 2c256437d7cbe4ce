"""The units that are known, however a file writes them, and where a heading has one."""

import re
import unicodedata

# Each unit as this package writes it, and its other spellings; a closed list, so that no word is taken for a unit.
SPELLINGS = {
    "s": "sec second seconds sek sekunde sekunden", "ms": "msec millisecond milliseconds millisekunden",
    "us": "μs usec microsecond microseconds mikrosekunden", "ns": "nsec nanosecond nanoseconds",
    "min": "minute minutes minuten", "h": "hr hour hours stunden",
    "Hz": "hertz cps 1/s", "kHz": "kilohertz", "MHz": "", "CPM": "", "kCPM": "", "orders": "order ordnung ordnungen", "rpm": "U/min 1/min min-1 r/min rev/min",
    "g": "G g's gn", "mg": "", "gE": "", "m/s2": "m/sec2 m/s/s mps2 ms-2", "mm/s2": "mm/sec2", "ft/s2": "", "in/s2": "",
    "mm/s": "mm/sec", "m/s": "m/sec", "cm/s": "", "km/h": "", "in/s": "ips in/sec inch/s", "ft/s": "", "mm": "", "um": "μm micron microns", "mil": "mils",
    "V": "Volt Volts", "mV": "", "uV": "μV", "deg": "° degree degrees grad", "rad": "",
    "kN": "", "Nm": "", "bar": "", "kPa": "", "MPa": "", "°C": "degC", "°F": "", "%": "", "mA": "", "kW": "", "counts": "",
}  # fmt: skip
KNOWN = {spelling: unit for unit, others in SPELLINGS.items() for spelling in (unit, *others.split())}

TIMES = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60, "h": 3600}  # in s
VOLTS = {"V": 1.0, "mV": 1e-3, "uV": 1e-6}
FREQUENCIES = ("Hz", "kHz", "CPM", "kCPM", "orders")
VIBRATIONS = {"g", "mg", "gE", "m/s2", "mm/s2", "ft/s2", "in/s2", "mm/s", "m/s", "cm/s", "in/s", "ft/s", "mm", "um", "mil"}

# Not of others: mHz is no MHz, nm no Nm.
ANY_CASE = {
    name.lower(): unit
    for name, unit in KNOWN.items()
    if len(name) > 1 and unit in {*TIMES, *VOLTS, *FREQUENCIES, *VIBRATIONS, "rpm", "deg"}
}

BRACKETS = re.compile(r"\s*/?\s*(\[[^\[\]]*\]|\([^()]*\))")
BREAK = re.compile(r"[\s_/,;:]+(?:in\s+)?")
NUMBERED = re.compile(r"\d\s*[^\W\d_]\S*$|(?i:(?<!/)\bmin|_min)$")  # a number and its unit, such as `16 g`; minutes or a minimum
REMARK = re.compile(r"(?!.*(?i:pk|peak|p-p|spitze|db))[\w .-]+")  # beside a unit in brackets, such as `DE`
DOUBT = re.compile(r"\bin\s|[/,]\s*[^\W\d]|[²³^%°√]|dB")  # before or in what a heading ends with
ACCELERATION = re.compile(r"m/s(?:ec)?\s*(?:²|2|\^2|\*\*2)")
POWERS = re.compile(r"[²³√^]|dB")  # beside a unit in brackets: `Level dB (g)` is not in g
POWER = re.compile(r"[²³√]|\^|\*\*|/ ?\(?Hz|dB|(?i:decibel|power|leistung|densit|dichte|\b[pa]sd\b|\blog)")


def squeezed(text: str) -> str:
    """Without what spellings differ in: blanks, signs of powers, and the forms of one letter."""
    return re.sub(r"\^|\*\*|\s", "", unicodedata.normalize("NFKC", text))


def known(text: str) -> str:
    """The unit that `text` is, or nothing."""
    text = squeezed(text)
    return KNOWN.get(text) or ANY_CASE.get(text.lower(), "")


def unit_named(text: str) -> str:
    """A unit as this package writes it; one that it does not know stays as it is."""
    return known(text) or text.strip()


def unit_in(heading: str):
    """The name, the unit, and else what may be a unit: of `Speed [mm/s]`, `Speed in mm/s`, `Speed, mm/s`, `Speed_mm/s`."""
    if known(heading) and not NUMBERED.search(heading):
        return heading, known(heading), ""
    brackets = [match for match in BRACKETS.finditer(heading) if not match[1][1:-1].strip().isdecimal()]
    units = [match for match in brackets if known(match[1][1:-1])]
    others = [match[1] for match in brackets if match not in units]
    if len(units) == 1 and all(REMARK.fullmatch(other[1:-1]) for other in others):
        (match,) = units
        name = f"{heading[: match.start()].strip()} {heading[match.end() :].strip()}".strip()
        return (heading, "", heading) if POWERS.search(name) else (name or heading, known(match[1][1:-1]), "")
    bare = BRACKETS.sub("", heading).strip() if brackets else heading
    tails = [match for match in BREAK.finditer(bare) if match.start() > 0]
    unit = next((known(bare[match.end() :]) for match in tails if known(bare[match.end() :])), "")
    if unit and len(units) == 0 and not NUMBERED.search(bare):
        return heading, unit, ""
    return heading, "", " ".join(match[1] for match in brackets) or (heading if unit or known(heading) or DOUBT.search(heading) else "")


def is_power(*texts: str) -> bool:
    """Whether a name or unit is of a power, a density or a logarithm, not of an amplitude."""
    return any(POWER.search(ACCELERATION.sub("", text)) for text in texts if not known(text))
