"""The speed from a tachometer, or a question."""

import numpy as np
import pytest
from signals import RATE, clock, rows, tone

X = tone(seconds=8)


def with_tacho(tmp_path, tacho, name="Tacho (V)"):
    (tmp_path / "a.csv").write_text(f"t (s),a (g),{name}\n" + rows(clock(X), X, tacho))
    return tmp_path / "a.csv"


def marks(*places, turn=128, width=20):
    at = np.arange(len(X)) % turn
    return sum(((at >= place * turn) & (at < place * turn + width)).astype(float) for place in places)


def test_two_marks_on_a_turn_are_no_two_turns(tmp_path, refusal, spectrum):
    file = with_tacho(tmp_path, marks(0, 0.3))
    assert "its turns are uneven, from 0.015" in refusal(file, "--tacho", "Tacho", rpm=())
    assert spectrum(file, "--tacho", "Tacho", "--pulses", 2, rpm=())["speed"] == pytest.approx(1200, abs=0.1)


@pytest.mark.parametrize("noise", [0, 0.001])
def test_a_pulse_of_one_sample(tmp_path, spectrum, noise):
    pulses = marks(0, turn=2048, width=1) + noise * np.random.default_rng(1).standard_normal(len(X))
    assert spectrum(with_tacho(tmp_path, pulses), "--tacho", "Tacho", rpm=())["speed"] == 75


def test_a_dead_tachometer_has_no_speed(tmp_path, refusal):
    dead = 0.001 * np.random.default_rng(1).standard_normal(len(X))
    assert "uneven" in refusal(with_tacho(tmp_path, dead), "--tacho", "Tacho", rpm=())


@pytest.mark.parametrize("name", ["Drehzahl", "Speed", "Shaft speed (furlong)"])
def test_a_speed_without_unit_is_asked(tmp_path, refusal, name):
    speeds = 1480 + np.random.default_rng(1).standard_normal(len(X))
    assert "its unit is not known" in refusal(with_tacho(tmp_path, speeds, name), "--channel", 1, "--tacho", 2, rpm=(), code=2)


def test_a_speed_in_turns_per_minute(tmp_path, spectrum):
    file = with_tacho(tmp_path, 1500 + np.random.default_rng(1).standard_normal(len(X)), "n in 1/min")
    assert spectrum(file, "--tacho", "n", rpm=())["speed"] == pytest.approx(1500, abs=0.1)


def test_pulses_of_a_channel_whose_unit_is_not_known(tmp_path, spectrum):
    file = with_tacho(tmp_path, marks(0), "Tacho (CH2)")
    assert spectrum(file, "--channel", 1, "--tacho", 2, rpm=())["speed"] == 1200


def test_a_tachometer_of_another_rate_is_cut_too(tmp_path, spectrum):
    nptdms = pytest.importorskip("nptdms")
    at = np.arange(8000) / 1000
    turns = np.cumsum(np.where(at < 4, 20, 25)) / 1000
    with nptdms.TdmsWriter(tmp_path / "a.tdms") as writer:
        channels = [("a", X, 1 / RATE), ("tacho", (turns % 1 < 0.3) * 5.0, 1e-3)]
        writer.write_segment([nptdms.ChannelObject("V", name, values, {"wf_increment": step}) for name, values, step in channels])
    assert spectrum(tmp_path / "a.tdms", "--channel", "a", "--tacho", "tacho", "--to", 3.9, rpm=())["speed"] == 1200
