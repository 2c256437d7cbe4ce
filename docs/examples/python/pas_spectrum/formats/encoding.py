"""Text of any program: UTF-8, UTF-16 with or without a mark, else the code page of western Windows."""

import codecs

from ..faults import Misused, Refused

MARKS = [(codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")]


def text_of(file, encoding=None) -> str:
    """What the file says. Without `encoding` it is told by its bytes, which is certain but for code pages."""
    content = file.read_bytes()
    try:
        return content.decode(encoding or encoding_of(content))
    except LookupError:
        raise Misused(f"--encoding {encoding}: no such encoding") from None
    except UnicodeDecodeError:
        if encoding:
            raise Refused(f"it is not in {encoding}") from None
    return content.decode("latin-1")


def encoding_of(content: bytes) -> str:
    for mark, name in MARKS:
        if content.startswith(mark):
            return name
    head = content[:2000]
    if b"\0" in head:  # ASCII in two bytes each
        for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
            if zeros.count(0) > 0.6 * len(zeros):
                return name
        raise Refused("neither text nor a format that is known: export CSV, WAV, TDMS, MATLAB or UFF 58")
    try:
        content.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        return "cp1252"
