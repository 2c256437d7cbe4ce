"""FLAC, AIFF, W64 and what else libsndfile reads."""

import re

import numpy as np
import soundfile

from ..faults import Fault, Refused
from ..recording import Column, Recording

# Bits per sample of converters, by libsndfile's name; floating-point samples have no extremes.
BITS = {"PCM_S8": 8, "PCM_U8": 8, "PCM_16": 16, "PCM_24": 24, "PCM_32": 32}
# A size that libsndfile found to be too great, in its log.
CUT = re.compile(r" : (\d+) \(should be (\d+)\)")
# Sizes of recorders that never came back to write the true one, or could not.
STREAMING = {0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE}


def read_sound(file, form: str = "", place_of=lambda index: f"sample {index}") -> Recording:
    """Samples from -1 to 1 of each channel; `file` may be bytes in memory."""
    try:
        with soundfile.SoundFile(file) as sound:
            bits = BITS.get(sound.subtype)
            extremes = (-1.0, 1.0 - 2.0 ** (1 - bits)) if bits else None
            samples, rate, form = sound.read(dtype="float64", always_2d=True), sound.samplerate, form or sound.format
            sizes = [(int(stated), int(real)) for stated, real in CUT.findall(sound.extra_info)]
    except (soundfile.LibsndfileError, RuntimeError) as fault:
        raise Refused(f"libsndfile: {fault}") from None
    if len(samples) == 0:
        raise Refused("no samples")
    channels = [np.ascontiguousarray(samples[:, at]) for at in range(samples.shape[1])]
    cut = [f"it is cut: the header promises {stated} bytes, {real} are there" for stated, real in sizes if real < stated not in STREAMING]
    faults = [Fault("header", cut[0])] if cut else []
    return Recording(form, [Column("", values, rate=rate, extremes=extremes) for values in channels], place_of, faults)
