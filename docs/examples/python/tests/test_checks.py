"""What makes samples useless is refused by row and column, and the option that says otherwise works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from signals import RATE, clock, is_tone, rows, tone

X = tone()


def table(tmp_path, times, values):
    file = tmp_path / "a.csv"
    file.write_text("Time (s),a (g)\n" + rows(times, values))
    return file


def changed(values, at, new):
    values = values.copy()
    values[at] = new
    return values


def test_a_gap_is_refused_and_the_part_before_it_taken(tmp_path, refusal, spectrum):
    times = clock(X) + 0.5 * (np.arange(len(X)) >= 6000)
    file = table(tmp_path, times, X)
    said = refusal(file)
    assert "row 6002: a gap of 0.5004 s" in said and "--from and --to" in said and "--accept gap" in said
    assert is_tone(spectrum(file, "--to", 2.34))


def test_uneven_steps_are_refused(tmp_path, refusal, spectrum):
    times = clock(X) + 0.2 / RATE * np.sin(np.arange(len(X)))
    file = table(tmp_path, times, X)
    assert "steps are uneven" in refusal(file)
    assert is_tone(spectrum(file, "--accept", "uneven"))


def test_times_rounded_by_a_logger_are_even(tmp_path, spectrum):
    taken = spectrum(table(tmp_path, np.round(clock(X), 5), X))
    assert is_tone(taken)
    assert [len(taken["coordinates"]), taken["coordinates"][-1]["x"]] == [2001, 1000]  # the rate is 2560, not nearly so


def test_nothing_between_from_and_to(tmp_path, refusal):
    assert "between --from and --to" in refusal(table(tmp_path, clock(X), X), "--from", 99)


@pytest.mark.parametrize(("value", "what"), [(np.nan, "missing"), (np.inf, "infinite"), (-np.inf, "infinite")])
def test_missing_and_infinite_values_are_refused(tmp_path, refusal, spectrum, value, what):
    file = table(tmp_path, clock(X), changed(X, 4998, value))
    assert f"row 5000, channel 1 a: a value is {what} (1 of" in refusal(file)
    assert is_tone(spectrum(file, "--accept", "missing"))


def test_an_empty_cell_and_the_sign_of_picoscope_are_missing_values(tmp_path, refusal):
    file = table(tmp_path, clock(X), X)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:9], lines[9].split(",")[0] + ",", *lines[10:]]))
    assert "row 10, channel 1 a: a value is missing" in refusal(file)
    file.write_text("\n".join([*lines[:9], lines[9].split(",")[0] + ",-∞", *lines[10:]]), encoding="utf-8")
    assert "row 10, channel 1 a: a value is infinite" in refusal(file)


def test_a_floating_point_wav_with_nan_is_refused(tmp_path, refusal):
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(tmp_path / "a.wav", changed(X, 77, np.nan), RATE, "FLOAT")
    assert "sample 77, channel 0: a value is missing" in refusal(tmp_path / "a.wav")


@pytest.mark.parametrize("option", ["--scale", "--rate", "--spacing", "--highest", "--rpm"])
@pytest.mark.parametrize("value", ["nan", "inf", "x"])
def test_an_option_that_is_no_number_is_wrong_use(tmp_path, refusal, option, value):
    assert option in refusal(table(tmp_path, clock(X), X), option, value, code=2)


def test_clipping_is_refused(tmp_path, refusal, spectrum):
    file = table(tmp_path, clock(X), np.clip(X, -0.3, 0.3))
    assert "channel 1 a: clipped at 0.3" in refusal(file) and "--accept clipping" in refusal(file)
    spectrum(file, "--accept", "clipping")


def test_clipping_of_a_converter_is_refused(tmp_path, refusal):
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(tmp_path / "a.wav", np.clip(tone(rms=0.9), -1, 1), RATE, "PCM_16")
    assert "clipped at" in refusal(tmp_path / "a.wav")


@pytest.mark.parametrize("digits", [2, 3])
def test_a_slow_sine_of_a_coarse_converter_is_not_clipped(tmp_path, spectrum, digits):
    values = 0.25 * np.sqrt(2) * np.sin(2 * np.pi * 5 * clock(X))
    assert is_tone(spectrum(table(tmp_path, clock(X), np.round(values, digits))), 5)


@pytest.mark.parametrize("value", [0.0, 2.5])
def test_a_constant_channel_is_refused(tmp_path, refusal, value):
    assert f"channel 1 a: all samples are {value:g}, from row 2 on" in refusal(table(tmp_path, clock(X), 0 * X + value))


def test_a_dead_channel_is_refused(tmp_path, refusal):
    noise = np.random.default_rng(1).integers(0, 3, len(X)) / 32768
    assert "a dead channel" in refusal(table(tmp_path, clock(X), noise))


def test_a_dropout_is_refused_by_its_rows(tmp_path, refusal, spectrum):
    file = table(tmp_path, clock(X), changed(X, slice(3000, 3500), 0.0))
    assert "row 3002 to row 3501, channel 1 a: always 0" in refusal(file)
    spectrum(file, "--accept", "constant")


def test_a_header_that_contradicts_the_times_is_refused(tmp_path, refusal, spectrum):
    file = table(tmp_path, clock(X), X)
    file.write_text("Sampling rate [Hz],5120\n" + file.read_text())
    assert "the header says 5120 samples per second, the times 2560" in refusal(file)
    assert is_tone(spectrum(file, "--accept", "header"))
    assert "--rate says 1000 samples per second, the times 2560" in refusal(table(tmp_path, clock(X), X), "--rate", 1000)


def test_the_rate_of_a_header_is_taken_where_there_are_no_times(tmp_path, spectrum):
    file = tmp_path / "a.csv"
    file.write_text("Abtastrate;2560 Hz\nWert [g]\n" + rows(X, decimal=","))
    assert is_tone(spectrum(file))


@pytest.mark.parametrize(
    ("line", "rate"),
    [
        ("Sample rate (kHz): 2.56", 2560),
        ("Sampling frequency = 2.56 kHz", 2560),
        ("fs = 2560 Hz", 2560),
        ("Sample interval [ms];0,390625", 2560),
        ("dt: 0.000390625", 2560),
    ],
)
def test_rates_and_steps_in_headers(tmp_path, spectrum, line, rate):
    file = tmp_path / "a.csv"
    file.write_text(f"{line}\na [g]\n" + rows(X))
    assert is_tone(spectrum(file))


@pytest.mark.parametrize("line", ["FS: 16 g", "Sampling rate 2,560 Hz", "Samples: 10240"])
def test_what_may_be_no_rate_is_asked(tmp_path, refusal, line):
    file = tmp_path / "a.csv"
    file.write_text(f"{line}\na [g]\n" + rows(X))
    assert "--rate" in refusal(file, code=2)


@pytest.mark.parametrize("empty", ["", ","])
def test_an_empty_row_is_a_missing_sample(tmp_path, refusal, empty):
    file = tmp_path / "a.csv"
    lines = ("x (g),y (g)\n" + rows(X, X)).splitlines()
    file.write_text("\n".join([*lines[:500], empty, *lines[500:], ",", ","]))
    assert "row 501" in refusal(file, "--channel", "x", "--rate", RATE)


def test_seconds_since_1970(tmp_path, spectrum):
    file = tmp_path / "a.csv"
    file.write_text("Time,a\n" + "".join(f"{1.77e9 + at:.6f},{value:.6f}\n" for at, value in zip(clock(X), X)))
    assert is_tone(spectrum(file))


def test_all_faults_are_named_at_once(tmp_path, refusal):
    times = clock(X) + 0.5 * (np.arange(len(X)) >= 6000)
    said = refusal(table(tmp_path, times, changed(X, 5, np.nan)))
    assert "a gap" in said and "missing" in said


def test_the_band_and_the_last_line_must_be_measured(tmp_path, refusal):
    file = table(tmp_path, clock(X), X)
    assert "above half" in refusal(file, "--highest", 2000, code=2)
    assert "between 0 and 1280" in refusal(file, "--envelope", 500, 2000, code=2)
    assert "too short" in refusal(file, "--spacing", 0.1)


def test_show_prints_columns_and_faults_and_draws(tmp_path, call):
    times = clock(X) + 0.5 * (np.arange(len(X)) >= 6000)
    file = tmp_path / "a.csv"
    file.write_text("Time (s),a (g),Phase (deg),b (g)\n" + rows(times, X, 0 * X, 2 * X))
    taken = call(file, "--show", "--picture", tmp_path / "a.svg")
    assert taken.code == 0
    for said in (
        "LOOKS LIKE",
        "phase",
        "2560 samples per second by channel 0 Time, 4 s",
        "row 6002: a gap of 0.5004 s",
        "channel 3 b",
        "0.25",
    ):
        assert said in taken.out
    assert (tmp_path / "a.svg").read_text().count("<polyline") == 2


def test_show_names_the_band_where_a_machine_rings(tmp_path, call):
    rate, seconds = 25_600, 4
    values = 0.2 * np.random.default_rng(1).standard_normal(rate * seconds)
    ring = np.exp(-np.arange(256) / 40) * np.sin(2 * np.pi * 3500 * np.arange(256) / rate)
    for at in range(0, len(values) - 256, 240):
        values[at : at + 256] += 1.5 * ring
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(tmp_path / "a.wav", values / 8, rate, "PCM_24")
    said = call(tmp_path / "a.wav", "--show").out
    low, high = (float(said.split("most impulsive band: ")[1].split()[at]) for at in (0, 2))
    assert low < 3500 < high


def test_the_same_spectrum_is_the_same_measurement(tmp_path, call):
    file = table(tmp_path, clock(X), X)
    first, again = (json.loads(call(file, "--rpm", 1500).out) for _ in range(2))
    assert first == again


def test_rows_are_named_behind_missing_values(tmp_path, refusal):
    values = tone()
    values[10:20] = np.nan
    values[500:620] = 0
    (tmp_path / "a.csv").write_text("t (s),a (g)\n" + rows(clock(values), values))
    assert "row 502 to row 621" in refusal(tmp_path / "a.csv", "--accept", "missing")


def test_values_too_great_for_a_spectrum_are_refused(tmp_path, refusal):
    (tmp_path / "a.csv").write_text("a (g)\n" + "\n".join(f"{value * 1e200:g}" for value in tone()))
    assert refusal(tmp_path / "a.csv", "--rate", 2560).endswith("a.csv: its values are too great for a spectrum\n")


def test_show_names_the_pulses_of_a_tachometer(tmp_path, call):
    values = tone()
    pulses = (np.arange(len(values)) % 102 < 20).astype(float)
    dead = np.random.default_rng(1).integers(0, 2, len(values))
    (tmp_path / "a.csv").write_text("t (s),a (g),b,c\n" + rows(clock(values), values, pulses, dead))
    shown = call(tmp_path / "a.csv", "--show").out
    assert shown.count("pulses, as of a tachometer: take them with --tacho 2\n") == 1
    assert shown.count("a dead channel") == 1 and "impulsive" not in shown


def test_a_picture_of_nothing_is_refused(tmp_path, call):
    (tmp_path / "a.csv").write_text("t (s),a (g)\n0.0,1.0\n0.0,2.0\n")
    taken = call(tmp_path / "a.csv", "--show", "--picture", tmp_path / "a.svg")
    assert taken.code == 1 and "no channel can be drawn" in taken.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--lines", "--sensitivity", 100], "which has no --sensitivity"),
        (["--lines", "--envelope", 10, 50], "which has no --envelope"),
        (["--lines", "--from", 1], "which has no --from"),
        (["--lines", "--show", "--picture", "a.svg"], "which has no --picture"),
        (["--window", "hann"], "--window goes with --lines"),
        (["--into", "out", "--show"], "not both"),
        (["--at", "2026-31-01T10:00:00Z"], "is no time"),
        (["--at", "2026-01-31T10:00:60Z"], "is no time"),
    ],
)
def test_an_option_that_would_be_passed_over_is_wrong_use(tmp_path, refusal, options, said):
    (tmp_path / "a.csv").write_text("Hz,g\n0,0.1\n1,0.2\n2,0.1\n")
    assert said in refusal(tmp_path / "a.csv", *options, code=2)


PROGRAM = "from pas_spectrum.command import run; run()"


def run(arguments, **rest):
    return subprocess.run([sys.executable, "-c", PROGRAM, *map(str, arguments)], check=False, capture_output=True, **rest)


def test_a_pipe_is_no_file(tmp_path):
    """Its first bytes would be read, and missing."""
    taken = run(["/dev/stdin", "--rate", 2560, "--rpm", 1500], input=rows(tone()).encode())
    assert (taken.returncode, taken.stdout, taken.stderr) == (1, b"", b"/dev/stdin: it is no file\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(tmp_path):
    (tmp_path / "a.csv").write_text("t (s),a (g)\n" + rows(clock(tone()), tone()))
    with open("/dev/full", "w") as full:
        arguments = [sys.executable, "-c", PROGRAM, tmp_path / "a.csv", "--show"]
        environment = {**os.environ, "PYTHONUNBUFFERED": ""}
        taken = subprocess.run(arguments, check=False, stdout=full, stderr=subprocess.PIPE, env=environment)
    assert (taken.returncode, taken.stderr) == (2, b"output: No space left on device\n")


def test_a_name_that_a_code_page_lacks_is_shown(tmp_path):
    (tmp_path / "a.csv").write_text("t (s),\u8f74 (g)\n" + rows(clock(tone()), tone()), encoding="utf-8")
    taken = run([tmp_path / "a.csv", "--show"], env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    assert taken.returncode == 0 and b"\\u8f74" in taken.stdout
