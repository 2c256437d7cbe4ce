"""Options that contradict each other, of the command or of a row of a list."""

# What only a recording in time has, by the options' members, and what they are if they are not given.
OF_TIME = {
    "tacho": None,
    "sensitivity": None,
    "envelope": None,
    "velocity": False,
    "rate": None,
    "begin": None,
    "end": None,
    "spacing": 0.5,
    "picture": None,
}
NAMES = {"begin": "from", "end": "to"}


def contradiction_in(options) -> str:
    """What contradicts, or nothing. What would be passed over in silence is refused."""
    if options.lines:
        given = [member for member, absent in OF_TIME.items() if getattr(options, member) != absent]
        if given:
            return f"--lines takes a spectrum, which has no --{NAMES.get(given[0], given[0])}"
    elif options.window:
        return "--window goes with --lines: of a recording it is hann"
    if options.velocity and options.envelope:
        return "--velocity takes no envelope: plain spectra need a list without one"
    if options.velocity and options.unit not in (None, "g", "m/s2"):
        return f"--velocity takes a recording in --unit g or m/s2, not {options.unit}"
    return "give --rpm or --tacho, not both" if options.rpm is not None and options.tacho is not None else ""
