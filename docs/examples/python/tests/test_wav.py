"""WAV files of recorders that write their header badly, and the other formats of libsndfile."""

import struct

import pytest
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
    soundfile = pytest.importorskip("soundfile")
    file = tmp_path / f"a.{ending}"
    soundfile.write(file, X, RATE, form, format=ending.upper())
    assert is_tone(spectrum(file))
