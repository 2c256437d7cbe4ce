"""WAV files, also of recorders that close them badly. libsndfile takes the samples; this looks at the header first.

libsndfile believes one field of a header that contradicts itself, and reads noise or silence. So the header is read here, what
contradicts is refused, and libsndfile gets one that holds together.
"""

import io
import struct

from ..faults import Fault, Refused
from ..recording import Recording
from .sound import read_sound

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
# Sizes of recorders that never came back to write the true one, or could not.
STREAMING = {0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE}
KNOWN = (
    b"fmt ",
    b"data",
    b"LIST",
    b"fact",
    b"bext",
    b"iXML",
    b"cue ",
    b"smpl",
    b"PEAK",
    b"JUNK",
    b"junk",
    b"PAD ",
    b"ds64",
    b"id3 ",
    b"INFO",
)


def read_wav(file) -> Recording:
    """The samples of all channels, from -1 to 1."""
    content = file.read_bytes()
    if content[:4] != b"RIFF":
        return read_sound(str(file))
    formats, data, size = chunks_of(content)
    if not formats or data is None:
        raise Refused("the header of this WAV file is cut off")
    if len(set(formats)) > 1:
        raise Refused("it has two different fmt chunks: which one holds cannot be told")
    kind, channels, rate, _, frame, bits = struct.unpack_from("<HHIIHH", formats[0])
    if kind == EXTENSIBLE and len(formats[0]) >= 26:
        (kind,) = struct.unpack_from("<H", formats[0], 24)
    if not (channels and rate and frame and bits) or frame % channels:
        raise Refused("the header of this WAV file is damaged")
    if kind not in (PCM, FLOAT):
        return read_sound(str(file))
    faults = []
    if frame != channels * ((bits + 7) // 8):
        text = f"the header contradicts itself: {channels} channels of {bits} bits are no blocks of {frame} bytes"
        faults.append(Fault("header", text))
        bits = 8 * (frame // channels)
    available = len(content) - data
    if size not in STREAMING and size > available:
        faults.append(Fault("header", f"it is cut: the header promises {size} bytes of samples, {available} are there"))
    taken = available if size in STREAMING else min(size, available)
    if taken < frame:
        raise Refused("no samples")
    samples = content[data : data + taken // frame * frame]
    recording = read_sound(io.BytesIO(plain(kind, channels, rate, 8 * (frame // channels), samples)), "WAV")
    recording.faults += faults
    return recording


def chunks_of(content):
    """Each fmt chunk, where the samples begin, and the size of them that the header states."""
    formats, data, size_of_data, at = [], None, 0, 12
    while at + 8 <= len(content):
        name, size = struct.unpack_from("<4sI", content, at)
        if name == b"fmt " and at + 8 + size <= len(content) and size >= 16:
            formats.append(content[at + 8 : at + 8 + size])
        if name == b"data" and data is None:
            data, size_of_data = at + 8, size
            if size in STREAMING:
                break
        at += 8 + size
        if size % 2 and content[at : at + 4] not in KNOWN:  # chunks are padded to even sizes, but not by every writer
            at += 1
    return formats, data, size_of_data


def plain(kind, channels, rate, bits, samples):
    """A WAV file of the shortest header."""
    frame = channels * bits // 8
    body = struct.pack("<4s4sIHHIIHH4sI", b"WAVE", b"fmt ", 16, kind, channels, rate, rate * frame, frame, bits, b"data", len(samples))
    return struct.pack("<4sI", b"RIFF", len(body) + len(samples)) + body + samples
