"""What ends a command, and the exit codes of docs/cli.md."""

import os
import sys

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130

# What `--accept` takes as it is.
KINDS = ("uneven", "gap", "missing", "clipping", "constant", "header", "speed")


class Refused(Exception):
    """A recording that is not taken, and why."""


class Misused(Exception):
    """A wrong option or file, or one that is needed."""


class Fault:
    """What is wrong with a recording, unless `--accept KIND` says otherwise."""

    def __init__(self, kind: str, text: str, other: str = "") -> None:
        self.kind = kind
        self.text = text
        self.other = other  # another option that helps

    def __str__(self) -> str:
        return f"{self.text} ({self.other + ', or ' if self.other else ''}--accept {self.kind})"


def refuse(faults, accepted) -> None:
    """Refuses a recording for all its faults at once."""
    left = [str(fault) for fault in faults if fault.kind not in accepted]
    if left:
        raise Refused("; ".join(left))


def ended(command, arguments) -> int:
    """The exit code of a command; what ends it is printed."""
    try:
        code = command(arguments)
        sys.stdout.flush()  # a full disk shows itself here, or when nobody can say it any more
        return code
    except Refused as fault:
        print(fault, file=sys.stderr)
        return FAILED
    except Misused as fault:
        print(fault, file=sys.stderr)
        return MISUSED
    except OSError as fault:
        print(f"{fault.filename or 'output'}: {fault.strerror}", file=sys.stderr)
        if fault.filename is None:
            sys.stdout = open(os.devnull, "w")  # what is left would be tried again at the end
        return MISUSED
    except Exception as fault:  # what nobody foresaw is one sentence too
        print(unforeseen(fault), file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def unforeseen(fault) -> str:
    return f"it cannot be read: {type(fault).__name__}: {fault}"
