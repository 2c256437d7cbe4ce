"""WAV files, also of recorders that close them badly. libsndfile takes the samples; this looks at the header first.

libsndfile believes one field of a header that contradicts itself, and reads noise or silence. So the header is read here, what
contradicts is refused, and libsndfile gets one that holds together.
"""

import io
import struct

from ..faults import Fault, Refused
from ..recording import Recording
from .sound import STREAMING, read_sound

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
IN_DS64 = 0xFFFFFFFF  # the size of a chunk of RF64 whose true one is in the chunk ds64
MOST = 0xFFFFFF00  # bytes of samples behind a header of 32 bits
KNOWN = b"fmt ,data,LIST,fact,bext,iXML,cue ,smpl,PEAK,JUNK,junk,PAD ,ds64,id3 ,INFO,afsp".split(b",")


def read_wav(file) -> Recording:
    """The samples of all channels, from -1 to 1. RIFX is big-endian, RF64 has sizes of 64 bits."""
    content = file.read_bytes()
    order = ">" if content[:4] == b"RIFX" else "<"
    formats, data, size, left = chunks_of(content, order)
    if not formats or data is None:
        raise Refused("the header of this WAV file is cut off")
    if len(set(formats)) > 1:
        raise Refused("it has two different fmt chunks: which one holds cannot be told")
    kind, channels, rate, _, frame, bits = struct.unpack_from(f"{order}HHIIHH", formats[0])
    if kind == EXTENSIBLE and len(formats[0]) >= 26:
        (kind,) = struct.unpack_from(f"{order}H", formats[0], 24)
    if not (channels and rate and frame and bits) or frame % channels:
        raise Refused("the header of this WAV file is damaged")
    if kind not in (PCM, FLOAT):
        return read_sound(str(file))
    faults = []
    if frame != channels * ((bits + 7) // 8):
        text = f"the header contradicts itself: {channels} channels of {bits} bits are no blocks of {frame} bytes"
        faults.append(Fault("header", text))
    end = end_of(content, data, order) if size in STREAMING else data + size
    available = len(content) - data
    if end > len(content):
        faults.append(Fault("header", f"it is cut: the header promises {size} bytes of samples, {available} are there"))
    if left:
        faults.append(Fault("header", f"the header promises {size} bytes of samples, and {left} more follow that are no chunk"))
    samples = content[data : data + (min(end, len(content)) - data) // frame * frame]
    if not samples:
        raise Refused("no samples")
    if len(samples) > MOST:
        if faults:
            raise Refused(f"{faults[0].text}; of more than 4 GB of samples this cannot be accepted")
        return read_sound(str(file))
    recording = read_sound(io.BytesIO(plain(order, kind, channels, rate, 8 * (frame // channels), samples)), "WAV")
    recording.faults += faults
    return recording


def chunks_of(content, order):
    """Each fmt chunk, where the samples begin, the size of them that the header states, and how many bytes behind them are no chunk."""
    formats, data, size_of_data, at, long = [], None, 0, 12, 0
    while at + 8 <= len(content):
        name, size = struct.unpack_from(f"{order}4sI", content, at)
        if data is not None and not is_chunk(name, size, at, content):
            return formats, data, size_of_data, len(content) - at if content[at:].strip(b"\0") else 0
        if name == b"ds64" and at + 24 <= len(content):
            (long,) = struct.unpack_from(f"{order}Q", content, at + 16)
        if name == b"fmt " and at + 8 + size <= len(content) and size >= 16:
            formats.append(content[at + 8 : at + 8 + size])
        if name == b"data" and data is None:
            size = long if size == IN_DS64 and long else size
            data, size_of_data = at + 8, size
            if size in STREAMING:
                break
        at += 8 + size
        if size % 2 and content[at : at + 4] not in KNOWN:  # chunks are padded to even sizes, but not by every writer
            at += 1
    return formats, data, size_of_data, 0


def is_chunk(name, size, at, content) -> bool:
    return name in KNOWN or (name.isascii() and name.decode("ascii").isprintable() and at + 8 + size <= len(content) + 1)


def end_of(content, data, order):
    """Where the samples end whose size was never written: before the chunks that reach to the end of the file."""
    end = len(content)
    for _ in KNOWN:
        starts = [content.rfind(name, data, end) for name in KNOWN]
        ends = [
            at
            for at in starts
            if at >= data and at + 8 <= end and struct.unpack_from(f"{order}I", content, at + 4)[0] in (end - at - 8, end - at - 9)
        ]
        if not ends:
            break
        end = min(ends)
    return end


def plain(order, kind, channels, rate, bits, samples):
    """A WAV file of the shortest header."""
    frame = channels * bits // 8
    values = (b"WAVE", b"fmt ", 16, kind, channels, rate, rate * frame, frame, bits, b"data", len(samples))
    body = struct.pack(f"{order}4s4sIHHIIHH4sI", *values)
    return struct.pack(f"{order}4sI", b"RIFX" if order == ">" else b"RIFF", len(body) + len(samples)) + body + samples
