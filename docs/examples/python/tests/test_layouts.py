"""Files in the layouts of public data sets, analysers and loggers, written here."""

import numpy as np
import pytest
import scipy.io
from signals import clock, is_tone, rows, tone

RATE = 25_600


def test_pronostia(tmp_path, spectrum, refusal):
    """Hour, minute, second, microsecond, two accelerations; no heading."""
    values, other = tone(rate=RATE), tone(rate=RATE, hz=90)
    at = 59.5 + np.arange(len(values)) / RATE
    seconds, micros = np.floor(at), np.floor((at % 1) * 1e6)
    file = tmp_path / "acc_00001.csv"
    np.savetxt(
        file,
        np.column_stack([9 + 0 * at, 39 + seconds // 60, seconds % 60, micros, values, other]),
        delimiter=",",
        fmt="%d,%d,%d,%g,%.6f,%.6f",
    )
    lines = file.read_text().splitlines()  # as the set has it: 6.5664e+05
    file.write_text("\n".join(lines))
    assert "6 columns" in refusal(file, code=2)
    assert is_tone(spectrum(file, "--x", "none", "--rate", RATE, "--channel", 4))
    whole = np.column_stack([9 + 0 * at, 39 + seconds // 60, seconds % 60, micros, values, other])
    np.savetxt(file, whole, delimiter=",", fmt="%d,%d,%d,%d,%.6f,%.6f")
    assert is_tone(spectrum(file, "--x", "0,1,2,3", "--x-unit", "h,min,s,us", "--channel", 4))


def test_xjtu_sy(tmp_path, spectrum, refusal):
    """Two accelerations under headings."""
    file = tmp_path / "1.csv"
    values = tone(rate=RATE)
    file.write_text("Horizontal_vibration_signals,Vertical_vibration_signals\n" + rows(values, tone(rate=RATE, hz=90)))
    assert "0 Horizontal_vibration_signals, 1 Vertical_vibration_signals" in refusal(file, "--rate", RATE, code=2)
    assert is_tone(spectrum(file, "--rate", RATE, "--channel", "horizontal"))


def test_cwru(tmp_path, spectrum, refusal):
    """Variables of MATLAB with the number of the file in their names, and RPM; no sampling rate."""
    io = pytest.importorskip("scipy.io")
    values = tone(rate=12_000)
    file = tmp_path / "97.mat"
    io.savemat(file, {"X097_DE_time": values[:, None], "X097_FE_time": tone(rate=12_000, hz=90)[:, None], "X097RPM": 1796})
    assert "X097_DE_time" in refusal(file, code=2)
    assert "--rate" in refusal(file, "--channel", "DE_time", code=2)
    taken = spectrum(file, "--channel", "DE_time", "--rate", 12_000, rpm=())
    assert is_tone(taken) and taken["speed"] == 1796


def test_mfpt(tmp_path, spectrum):
    """A structure of MATLAB: sr, gs, load, and rate, which is the shaft's."""
    io = pytest.importorskip("scipy.io")
    io.savemat(tmp_path / "baseline_1.mat", {"bearing": {"sr": 97_656.0, "gs": tone(rate=97_656)[:, None], "load": 270.0, "rate": 25.0}})
    taken = spectrum(tmp_path / "baseline_1.mat", rpm=())
    assert is_tone(taken) and taken["speed"] == 1500 and taken["yUnit"] == "g"


def test_tdms(tmp_path, call, spectrum, refusal):
    """National Instruments: groups of channels with wf_increment and unit_string."""
    nptdms = pytest.importorskip("nptdms")
    file = tmp_path / "a.tdms"
    about = {"wf_increment": 1 / RATE, "unit_string": "g", "wf_start_time": np.datetime64("2026-01-31T10:00:00")}
    with nptdms.TdmsWriter(str(file)) as writer:
        writer.write_segment(
            [
                nptdms.ChannelObject("Vibration", "Ax", tone(rate=RATE), properties=about),
                nptdms.ChannelObject("Vibration", "Ay", tone(rate=RATE, hz=90), properties=about),
            ]
        )
    assert "Vibration/Ax [g]" in refusal(file, code=2)
    assert is_tone(spectrum(file, "--channel", "Ax"))
    assert '"createdAt":"2026-01-31T10:00:00.000Z"' in call(file, "--channel", "Ax", "--rpm", 1500).out


def test_tdms_cut(tmp_path, refusal):
    (tmp_path / "a.tdms").write_bytes(b"TDSm" + b"\x0e\0\0\0" + b"\x01" * 30)
    assert "no channel has data" in refusal(tmp_path / "a.tdms")


def test_tdms_whose_last_segment_is_cut(tmp_path, refusal):
    nptdms = pytest.importorskip("nptdms")
    with nptdms.TdmsWriter(str(tmp_path / "a.tdms")) as writer:
        for _ in range(2):
            writer.write_segment([nptdms.ChannelObject("V", "Ax", tone(rate=RATE), properties={"wf_increment": 1 / RATE})])
    content = (tmp_path / "a.tdms").read_bytes()
    (tmp_path / "a.tdms").write_bytes(content[:-200_004])
    assert "nptdms" in refusal(tmp_path / "a.tdms", "--spacing", 1)


def uff_58(file, values, kind=1, step=1 / RATE, unit="g", name="Motor DE"):
    pyuff = pytest.importorskip("pyuff")
    is_time = kind == 1
    pyuff.UFF(str(file)).write_sets(
        {
            "type": 58,
            "func_type": kind,
            "rsp_node": 1,
            "rsp_dir": 3,
            "ref_dir": 3,
            "ref_node": 1,
            "data": values,
            "x": np.arange(len(values)) * step,
            "id1": name,
            "rsp_ent_name": "NONE",
            "ref_ent_name": "NONE",
            "abscissa_spacing": 1,
            "abscissa_spec_data_type": 17 if is_time else 18,
            "ordinate_spec_data_type": 12,
            "orddenom_spec_data_type": 0,
            "abscissa_axis_units_lab": "s" if is_time else "Hz",
            "ordinate_axis_units_lab": unit,
        },
        "add",
    )


def test_uff_58_of_time(tmp_path, spectrum, refusal):
    uff_58(tmp_path / "a.uff", tone(rate=RATE), unit="m/s^2")
    taken = spectrum(tmp_path / "a.uff")
    assert is_tone(taken) and taken["yUnit"] == "m/s2"
    uff_58(tmp_path / "a.uff", tone(rate=RATE, hz=90), name="Motor NDE")
    assert "0 Motor DE [m/s2], 1 Motor NDE [g]" in refusal(tmp_path / "a.uff", code=2)


def test_uff_58_of_a_spectrum(tmp_path, spectrum, refusal):
    lines = np.full(400, 0.001)
    lines[100] = 0.25
    uff_58(tmp_path / "a.unv", lines.astype(complex), kind=2, step=0.5)
    assert "--lines" in refusal(tmp_path / "a.unv", code=2)
    taken = spectrum(tmp_path / "a.unv", "--lines", "--window", "hann")
    assert taken["coordinates"][100] == {"x": 50.0, "y": 0.25}


@pytest.mark.parametrize("heading", [";Headers, Time,Ax,Ay,Az\n", "Time,Ax,Ay,Az\n"])
def test_x16(tmp_path, spectrum, refusal, heading):
    """A logger of Gulf Coast Data Concepts: comments with semicolons; counts."""
    values = np.round(tone(rate=400, seconds=20) * 2048)
    file = tmp_path / "DATA-001.CSV"
    about = ";Title, http://www.gcdataconcepts.com, X16-1D\n;Start_time, 2026-01-31, 14:30:14.000\n;Temperature, 23.00, deg C\n;SampleRate, 400,Hz\n;Deadband, 0, counts\n"
    table = [f"{at:.4f},{a:.0f},{b:.0f},{c:.0f}" for at, a, b, c in zip(clock(values, 400), values, -values, 2048 + values // 2)]
    file.write_text(about + heading + "\n".join(table) + "\n")
    assert "1 Ax, 2 Ay, 3 Az" in refusal(file, "--highest", 180, code=2)
    assert is_tone(spectrum(file, "--channel", "Ax", "--scale", 1 / 2048, "--highest", 180))
    file.write_text(about.replace("400", "800") + heading + "\n".join(table) + "\n")
    assert "the header says 800 samples per second, the times 400" in refusal(file, "--channel", "Ax", "--highest", 180)


def test_schaeffler(tmp_path, spectrum):
    """FAG: lines about the measuring point, semicolons, decimal commas, a code page."""
    values = tone(rate=RATE)
    about = "FAG Detector III\nMesspunkt;Lüfter 3, Lager A\nDatum;31.01.2026 10:00:00\nAbtastrate [Hz];25600\nDrehzahl [U/min];1480,5\n\n"
    table = "Zeit [s];Beschleunigung [g]\n" + rows(clock(values, RATE), values, delimiter=";", decimal=",")
    (tmp_path / "a.csv").write_bytes((about + table).encode("cp1252"))
    assert is_tone(spectrum(tmp_path / "a.csv"))


def test_a_unit_above_the_table(tmp_path, spectrum):
    values = tone(rate=RATE)
    (tmp_path / "a.csv").write_text("Kanal;1\nAbtastrate;25600\nEinheit;m/s²\n\nWert\n" + rows(values, decimal=","), encoding="utf-8")
    assert spectrum(tmp_path / "a.csv")["yUnit"] == "m/s2"


def test_picoscope(tmp_path, spectrum, refusal):
    """A heading, units in a row of their own, an empty row."""
    values = tone(rate=RATE)
    file = tmp_path / "a.csv"
    file.write_text("Time,Channel A,Channel B\n(ms),(mV),(V)\n\n" + rows(1000 * clock(values, RATE), 100 * values, values, digits=8))
    assert "1 Channel A [mV], 2 Channel B [V]" in refusal(file, code=2)
    assert "--sensitivity" in refusal(file, "--channel", "Channel A", code=2)
    assert is_tone(spectrum(file, "--channel", "Channel A", "--sensitivity", 100))


@pytest.mark.parametrize("first", ["-1", "FORMAT 2", "MATLAB export"])
def test_a_text_that_begins_like_another_format(tmp_path, spectrum, first):
    values = np.round(1000 * tone())
    (tmp_path / "a.csv").write_text(f"{first}\n" + "".join(f"{value:.0f}\n" for value in values))
    assert is_tone(spectrum(tmp_path / "a.csv", "--rate", 2560), rms=250)


@pytest.mark.parametrize(("name", "value"), [("fs", np.nan), ("fs", -2560.0), ("X_RPM", np.nan), ("X_RPM", -1500.0)])
def test_rates_and_speeds_that_are_none(tmp_path, refusal, name, value):
    scipy.io.savemat(tmp_path / "a.mat", {"a": tone(), "fs": 2560.0, name: value})
    said = refusal(tmp_path / "a.mat", rpm=("--rpm", 1500) if name == "fs" else (), code=2)
    assert ("--rate" if name == "fs" else "give --rpm") in said


def test_a_machine_that_stands_still_beside_a_speed_of_the_file(tmp_path, call):
    scipy.io.savemat(tmp_path / "a.mat", {"a": tone(), "fs": 2560.0, "X_RPM": 1772.0})
    taken = call(tmp_path / "a.mat", "--rpm", 0)
    assert taken.code == 0 and "0 rpm (the file says 1772)" in taken.err


def test_lines_whose_columns_differ_in_length(tmp_path, refusal):
    scipy.io.savemat(tmp_path / "a.mat", {"f": np.arange(100.0), "a": np.ones(200)})
    assert "of different length" in refusal(tmp_path / "a.mat", "--lines", "--x", "f", "--channel", "a", code=2)


def test_tdms_with_remarks_and_a_clock_that_was_never_set(tmp_path, call):
    nptdms = pytest.importorskip("nptdms")
    about = {"wf_increment": 1 / 2560, "wf_start_time": np.datetime64("1904-01-01T00:00:00"), "unit_string": "g"}
    with nptdms.TdmsWriter(tmp_path / "a.tdms") as writer:
        channels = [nptdms.ChannelObject("V", "a", tone(), about), nptdms.ChannelObject("V", "remarks", np.array(["x", "y"]))]
        writer.write_segment(channels)
    taken = call(tmp_path / "a.tdms", "--rpm", 1500)
    assert taken.code == 0 and '"createdAt":"1904' not in taken.out, taken.err


@pytest.mark.parametrize("step", ["0,0001", float("nan")])
def test_tdms_whose_increment_is_no_number(tmp_path, refusal, step):
    nptdms = pytest.importorskip("nptdms")
    with nptdms.TdmsWriter(tmp_path / "a.tdms") as writer:
        writer.write_segment([nptdms.ChannelObject("V", "a", tone(), {"wf_increment": step})])
    assert "--rate" in refusal(tmp_path / "a.tdms", code=2)


def test_uff_58_cut_off(tmp_path, refusal, spectrum):
    uff_58(tmp_path / "a.uff", tone(rate=RATE))
    content = (tmp_path / "a.uff").read_bytes()
    (tmp_path / "cut.uff").write_bytes(content[: len(content) // 2])
    assert "its data set is cut off" in refusal(tmp_path / "cut.uff")
    (tmp_path / "cut.uff").write_bytes(content + content[: len(content) // 2])
    assert "its last data set is cut off (--accept header)" in refusal(tmp_path / "cut.uff")
    assert is_tone(spectrum(tmp_path / "cut.uff", "--accept", "header"))


def test_uff_58_of_a_general_function_of_frequency(tmp_path, refusal):
    uff_58(tmp_path / "a.uff", np.full(400, 0.1), kind=0, step=0.5)
    assert "give --lines" in refusal(tmp_path / "a.uff", code=2)
