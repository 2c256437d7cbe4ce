"""Which column is taken, and what must be asked."""

import numpy as np
import pytest
import soundfile
from signals import RATE, clock, is_tone, rows, tone

X, Y = tone(seed=2), tone(hz=120, rms=0.1, seed=3)


def test_several_columns_need_a_choice_and_each_is_named(tmp_path, refusal):
    file = tmp_path / "two.csv"
    file.write_text("Time (s),X (g),Y (g)\n" + rows(clock(X), X, Y))
    said = refusal(file, code=2)
    assert "--channel" in said and "1 X [g], 2 Y [g]" in said


@pytest.mark.parametrize(("channel", "hz", "rms"), [("X", 50, 0.25), ("1", 50, 0.25), ("y", 120, 0.1), ("2", 120, 0.1)])
def test_a_column_is_chosen_by_name_or_number(tmp_path, spectrum, channel, hz, rms):
    file = tmp_path / "two.csv"
    file.write_text("Time (s),X (g),Y (g)\n" + rows(clock(X), X, Y))
    assert is_tone(spectrum(file, "--channel", channel), hz, rms)


@pytest.mark.parametrize("channel", ["3", "Z", "0"])
def test_a_column_that_is_not_there_or_is_the_time_is_refused(tmp_path, refusal, channel):
    file = tmp_path / "two.csv"
    file.write_text("Time (s),X (g),Y (g)\n" + rows(clock(X), X, Y))
    assert "--channel" in refusal(file, "--channel", channel, code=2)


def test_the_channels_of_a_wav_need_a_choice_too(tmp_path, refusal, spectrum):
    soundfile = pytest.importorskip("soundfile")
    file = tmp_path / "two.wav"
    soundfile.write(file, np.column_stack([X, Y]), RATE, "PCM_24")
    assert "2 columns: choose with --channel" in refusal(file, code=2)
    assert is_tone(spectrum(file, "--channel", 1), 120, 0.1)


def test_without_headings_the_time_must_be_named(tmp_path, refusal, spectrum):
    file = tmp_path / "bare.csv"
    file.write_text(rows(clock(X), X))
    assert "--x" in refusal(file, code=2)
    assert is_tone(spectrum(file, "--x", 0))


def test_times_in_milliseconds_by_heading_or_option(tmp_path, spectrum):
    (tmp_path / "a.csv").write_text("t [ms],a [g]\n" + rows(1000 * clock(X), X))
    (tmp_path / "b.csv").write_text(rows(1000 * clock(X), X))
    assert is_tone(spectrum(tmp_path / "a.csv"))
    assert is_tone(spectrum(tmp_path / "b.csv", "--x", 0, "--x-unit", "ms"))


def test_times_of_a_clock(tmp_path, spectrum):
    stamps = np.datetime64("2026-01-31T10:00:00") + (clock(X) * 1e9).astype("timedelta64[ns]")
    file = tmp_path / "clock.csv"
    file.write_text("timestamp,a\n" + "".join(f"{stamp},{value}\n" for stamp, value in zip(stamps, X)))
    assert is_tone(spectrum(file))


def test_lines_with_a_phase_are_taken_by_their_amplitude(tmp_path, spectrum, refusal):
    file = tmp_path / "lines.csv"
    lines = np.arange(200) * 0.5
    amplitudes = np.where(lines == 50, 0.25, 0.001)
    file.write_text("Frequency (Hz),Amplitude (g),Phase (deg)\n" + rows(lines, amplitudes, 690 + 0 * lines))
    taken = spectrum(file, "--lines")
    assert max(line["y"] for line in taken["coordinates"]) == 0.25 and taken["xUnit"] == "Hz"
    assert "is a phase" in refusal(file, "--lines", "--channel", 2)


def test_without_headings_a_phase_is_not_taken_either(tmp_path, refusal):
    file = tmp_path / "lines.csv"
    lines = np.arange(200) * 0.5
    file.write_text(rows(lines, 0.25 + 0 * lines, 690 * np.sin(lines)))
    assert "--channel" in refusal(file, "--lines", code=2)
    assert "negative" in refusal(file, "--lines", "--x", 0, "--channel", 2)


def test_a_first_column_that_is_no_time_is_not_taken_as_time(tmp_path, refusal, spectrum):
    file = tmp_path / "load.csv"
    file.write_text("Load (kN),a (g)\n" + rows(np.linspace(1, 4, len(X)), X))
    refusal(file, code=2)
    assert "no column looks like time" in refusal(file, "--channel", "a", code=2)
    assert is_tone(spectrum(file, "--channel", "a", "--rate", RATE))


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (-clock(X), "row 3: the time falls"),
        (0 * clock(X), "the time never changes"),
        (np.round(clock(X), 2), "the time stays"),
        (np.round(clock(X), 4), "rounded to 0.0001 s"),
    ],
)
def test_times_that_do_not_rise_are_refused_by_row(tmp_path, refusal, spectrum, times, said):
    file = tmp_path / "times.csv"
    file.write_text("Time,a\n" + rows(times, X))
    assert said in refusal(file)
    assert is_tone(spectrum(file, "--x", "none", "--rate", RATE))


def test_the_unit_of_the_file_is_taken_and_volts_need_a_sensitivity(tmp_path, spectrum, refusal):
    file = tmp_path / "unit.csv"
    file.write_text("Time (s),a (m/s²)\n" + rows(clock(X), X))
    assert spectrum(file)["yUnit"] == "m/s2"
    assert "in m/s2, not in g" in refusal(file, "--unit", "g", code=2)
    file.write_text("Time (s),A (mV)\n" + rows(clock(X), 100 * X))
    assert "--sensitivity" in refusal(file, code=2)
    taken = spectrum(file, "--sensitivity", 100)
    assert taken["yUnit"] == "g" and is_tone(taken)


def test_a_tachometer_gives_the_speed(tmp_path, spectrum, refusal):
    file = tmp_path / "tacho.csv"
    pulse = (np.sin(2 * np.pi * 24.7 * clock(X)) > 0.9) * 5.0
    file.write_text("Time (s),a (g),Tacho (V)\n" + rows(clock(X), X, pulse))
    taken = spectrum(file, "--tacho", "Tacho", rpm=())
    assert is_tone(taken) and abs(taken["speed"] / (24.7 * 60) - 1) < 1e-3
    swept = (np.sin(2 * np.pi * (24.7 + clock(X)) * clock(X)) > 0.9) * 5.0
    file.write_text("Time (s),a (g),Tacho (V)\n" + rows(clock(X), X, swept))
    assert "the speed goes from" in refusal(file, "--tacho", "Tacho", rpm=())


def test_a_speed_is_needed_and_not_below_0(tmp_path, refusal):
    file = tmp_path / "a.csv"
    file.write_text("Time (s),a (g)\n" + rows(clock(X), X))
    assert "--rpm" in refusal(file, rpm=(), code=2)
    assert "below 0" in refusal(file, rpm=("--rpm", "-5"), code=2)


def test_missing_samples_of_a_tachometer_take_no_time(tmp_path, spectrum, refusal):
    values = tone()
    pulses = (np.arange(len(values)) % 128 < 20).astype(float)
    pulses[50::103] = np.nan
    (tmp_path / "a.csv").write_text("t (s),a (g),tacho\n" + rows(clock(values), values, pulses).replace("nan", ""))
    assert spectrum(tmp_path / "a.csv", "--tacho", "tacho", rpm=())["speed"] == 1200
    (tmp_path / "a.csv").write_text("t (s),a (g),tacho\n" + rows(clock(values), values, np.nan * pulses))
    assert "all values are missing" in refusal(tmp_path / "a.csv", "--tacho", "tacho", rpm=())


def test_a_corrected_rate_corrects_the_tachometer_too(tmp_path, spectrum):
    values = tone()
    pulses = (np.arange(len(values)) % 128 < 20).astype(float)
    soundfile.write(tmp_path / "a.wav", np.column_stack([values, pulses * 0.9]), 2560, subtype="PCM_24")
    options = ["--channel", 0, "--tacho", 1, "--rate", 2000, "--accept", "header"]
    assert spectrum(tmp_path / "a.wav", *options, rpm=())["speed"] == 937.5


def test_a_heading_whose_first_cell_is_empty(tmp_path, spectrum):
    values = tone()
    (tmp_path / "a.csv").write_text(";t (s);a (g)\n" + "".join(f"{at};{at / 2560:.9f};{one:.9f}\n" for at, one in enumerate(values)))
    assert is_tone(spectrum(tmp_path / "a.csv", "--channel", "a"))
