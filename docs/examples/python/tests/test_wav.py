"""WAV files of recorders that write their header badly, and the other formats of libsndfile."""

import struct

import numpy as np
import pytest
import soundfile
from signals import RATE, is_tone, riff, tone, wav

X = tone()


def written(tmp_path, content):
    file = tmp_path / "a.wav"
    file.write_bytes(content)
    return file


@pytest.mark.parametrize("bits", [16, 24, 32])
def test_pcm(tmp_path, spectrum, bits):
    form, data = wav(X, bits=bits)
    assert is_tone(spectrum(written(tmp_path, riff((b"fmt ", form), (b"data", data)))))


def test_a_block_align_that_contradicts_its_bits(tmp_path, refusal, spectrum):
    _, data = wav(X, bits=32)
    form = struct.pack("<HHIIHH", 1, 1, RATE, RATE * 4, 4, 16)
    file = written(tmp_path, riff((b"fmt ", form), (b"data", data)))
    assert "1 channels of 16 bits are no blocks of 4 bytes" in refusal(file)
    assert is_tone(spectrum(file, "--accept", "header"))


def test_a_second_fmt_chunk(tmp_path, refusal, spectrum):
    form, data = wav(X)
    other, _ = wav(X, bits=24)
    assert "two different fmt chunks" in refusal(written(tmp_path, riff((b"fmt ", form), (b"data", data), (b"fmt ", other))))
    assert is_tone(spectrum(written(tmp_path, riff((b"fmt ", form), (b"fmt ", form), (b"data", data)))))


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF])
def test_the_size_of_a_streaming_recorder(tmp_path, spectrum, size):
    form, data = wav(X)
    assert is_tone(spectrum(written(tmp_path, riff((b"fmt ", form), (b"data", data, size), size=size))))


@pytest.mark.parametrize("padded", [True, False])
def test_a_list_of_odd_size(tmp_path, spectrum, padded):
    form, data = wav(X)
    file = written(tmp_path, riff((b"fmt ", form), (b"LIST", b"INFOICMT\x03\0\0\0abc", None, padded), (b"data", data)))
    assert is_tone(spectrum(file))


def test_a_cut_file(tmp_path, refusal, spectrum):
    form, data = wav(X)
    content = riff((b"fmt ", form), (b"data", data))
    assert "it is cut" in refusal(written(tmp_path, content[:-1000]))
    assert is_tone(spectrum(written(tmp_path, content[:-1000]), "--accept", "header", "--spacing", 1))
    assert "cut off" in refusal(written(tmp_path, content[:30]))


def test_no_wav_file(tmp_path, refusal):
    assert "no WAV file" in refusal(written(tmp_path, b"\xff" * 400))


@pytest.mark.parametrize(("ending", "form"), [("flac", "PCM_24"), ("aiff", "PCM_16"), ("w64", "FLOAT"), ("rf64", "PCM_24")])
def test_other_formats_of_libsndfile(tmp_path, spectrum, ending, form):
    file = tmp_path / f"a.{ending}"
    soundfile.write(file, X, RATE, form, format=ending.upper())
    assert is_tone(spectrum(file))


@pytest.mark.parametrize("form", ["aiff", "w64", "rf64", "caf"])
def test_other_formats_that_are_cut(tmp_path, refusal, spectrum, form):
    soundfile.write(tmp_path / "a", tone(), 2560, "PCM_16", format=form.upper())
    content = (tmp_path / "a").read_bytes()
    (tmp_path / "a").write_bytes(content[: len(content) * 7 // 8])
    assert "it is cut: the header promises" in refusal(tmp_path / "a")
    assert is_tone(spectrum(tmp_path / "a", "--accept", "header"))


@pytest.mark.parametrize(("form", "endian", "order"), [("RF64", "FILE", "<"), ("WAV", "BIG", ">")])
def test_headers_of_rf64_and_rifx_are_compared_too(tmp_path, refusal, spectrum, form, endian, order):
    file = tmp_path / "a.wav"
    soundfile.write(file, 0.5 * X, RATE, "PCM_16", format=form, endian=endian)
    assert is_tone(spectrum(file), rms=0.125)
    content = bytearray(file.read_bytes())
    file.write_bytes(content[: len(content) // 2 + 1])
    assert "it is cut: the header promises 20480 bytes" in refusal(file)
    struct.pack_into(f"{order}H", content, content.index(b"fmt ") + 22, 8)
    file.write_bytes(content)
    assert "1 channels of 8 bits are no blocks of 2 bytes" in refusal(file)
    assert is_tone(spectrum(file, "--accept", "header"), rms=0.125)


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF])
def test_a_list_behind_samples_whose_size_was_never_written(tmp_path, spectrum, size):
    form, data = wav(X)
    noise = np.random.default_rng(1).integers(0, 256, 20_000).astype(np.uint8).tobytes()
    (tmp_path / "a.wav").write_bytes(riff((b"fmt ", form), (b"data", data, size), (b"LIST", b"INFO" + noise)))
    (tmp_path / "b.wav").write_bytes(riff((b"fmt ", form), (b"data", data)))
    assert spectrum(tmp_path / "a.wav") == spectrum(tmp_path / "b.wav")


def test_samples_that_the_header_does_not_count(tmp_path, refusal):
    form, data = wav(X)
    (tmp_path / "a.wav").write_bytes(riff((b"fmt ", form), (b"data", data, len(data) // 2)))
    assert "more follow that are no chunk (--accept header)" in refusal(tmp_path / "a.wav")
