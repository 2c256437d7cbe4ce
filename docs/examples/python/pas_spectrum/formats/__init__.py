"""Reads a file by what it holds, not by its name."""

import math
import re
from pathlib import Path

from ..faults import Misused, Refused, unforeseen
from ..recording import Recording

# Of text, the first words may be the same as the mark of a format.
MATLAB = re.compile(rb"MATLAB \d\.\d MAT-file")
UFF = re.compile(rb"[\r\n]*    -1 *\r?\n")


def read(file: Path, options) -> Recording:
    """The channels of `file`; a rate or speed that no machine has is none."""
    if file.exists() and not file.is_file():
        raise Refused("it is no file")  # the second reading of a pipe begins where the first one ended
    try:
        recording = recording_in(file, options)
    except (Refused, Misused, OSError):
        raise
    except Exception as fault:  # a damaged file raises what its parsing meets
        raise Refused(unforeseen(fault)) from None
    for column in recording.columns:
        column.rate = column.rate if column.rate and 0 < column.rate < math.inf else None
    if recording.rpm is not None and not 0 <= recording.rpm < math.inf:
        recording.rpm = None
    return recording


def recording_in(file: Path, options) -> Recording:
    """Each reader loads its library only when it is needed."""
    with open(file, "rb") as opened:
        head = opened.read(512)
    if not head.strip(b"\0 \r\n"):
        raise Refused("the file is empty")
    if head[:4] in (b"RIFF", b"RF64", b"RIFX") and head[8:12] == b"WAVE":
        from .wav import read_wav

        return read_wav(file)
    is_aiff = head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC")
    if is_aiff or head[:4] in (b"fLaC", b"riff", b"OggS", b"caff", b".snd"):
        from .sound import read_sound

        return read_sound(file)
    if head[:4] == b"TDSm":
        from .tdms import read_tdms

        return read_tdms(file)
    if MATLAB.match(head) or head[:8] == b"\x89HDF\r\n\x1a\n" or file.suffix.lower() == ".mat":
        from .matlab import read_matlab

        return read_matlab(file)
    if UFF.match(head):
        from .uff import read_uff

        return read_uff(file)
    if file.suffix.lower() in (".wav", ".wave"):
        raise Refused("no WAV file")
    from .text import read_text

    return read_text(file, options)
