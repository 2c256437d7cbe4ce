"""Reads a file by what it holds, not by its name."""

from pathlib import Path

from ..faults import Refused
from ..recording import Recording


def read(file: Path, options) -> Recording:
    """The channels of `file`; each reader loads its library only when it is needed."""
    with open(file, "rb") as opened:
        head = opened.read(512)
    if not head.strip(b"\0 \r\n"):
        raise Refused("the file is empty")
    if head[:4] in (b"RIFF", b"RF64", b"RIFX") and head[8:12] == b"WAVE":
        from .wav import read_wav

        return read_wav(file)
    if head[:4] in (b"fLaC", b"FORM", b"riff", b"OggS", b"caff", b".snd"):
        from .sound import read_sound

        return read_sound(file)
    if head[:4] == b"TDSm":
        from .tdms import read_tdms

        return read_tdms(file)
    if head.startswith(b"MATLAB") or head[:8] == b"\x89HDF\r\n\x1a\n" or file.suffix.lower() == ".mat":
        from .matlab import read_matlab

        return read_matlab(file)
    if head.lstrip(b"\r\n").split(b"\n")[0].strip() == b"-1":
        from .uff import read_uff

        return read_uff(file)
    if file.suffix.lower() in (".wav", ".wave"):
        raise Refused("no WAV file")
    from .text import read_text

    return read_text(file, options)
