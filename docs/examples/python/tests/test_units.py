"""Units, rates and channels are known or asked for; what may be read in two ways is never taken."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from signals import RATE, clock, is_tone, rows, tone
from test_layouts import uff_58

X = tone()
LINES = np.arange(200) * 0.5
TWO = rows(clock(X), X, delimiter=";")
END = "***End_of_Header***\n"
LVM = f"LabVIEW Measurement\nX_Columns\tOne\n{END}Y_Unit_Label\tm/s^2\t\nX_Dimension\t{{}}\t\nDelta_X\t3.906250E-4\t\n{END}"


def written(tmp_path, text, name="a.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def lines(heading, x=LINES):
    return heading + "\n" + rows(x, np.where(LINES == 50, 0.25, 0.001), delimiter=";")


@pytest.mark.parametrize(
    ("heading", "x_unit", "unit", "options"),
    [
        ("CPM;mm/s", "CPM", "mm/s", []),
        ("Frequency;Amplitude\nCPM;mm/s", "CPM", "mm/s", []),
        ("Frequency_CPM;Velocity [mm/s]", "CPM", "mm/s", []),
        ("Orders;g", "orders", "g", []),
        ("Frequenz in CPM;mm/s", "CPM", "mm/s", ["--x", 0]),
        ("Frequency [kHz];a [g]", "kHz", "g", []),
        ("Frequency (1/min);a [g]", "CPM", "g", ["--x", 0]),
        ("1/min;mm/s", "CPM", "mm/s", ["--x", 0]),
        ("Frequency (1/s);a [g]", "Hz", "g", []),
        ("Frequency;Amplitude mm/s", "Hz", "mm/s", []),
        ("Hz;Speed [mm/s]", "Hz", "mm/s", ["--channel", "Speed"]),
    ],
)
def test_units_of_lines(tmp_path, spectrum, heading, x_unit, unit, options):
    taken = spectrum(written(tmp_path, lines(heading)), "--lines", *options)
    assert (taken["xUnit"], taken["yUnit"]) == (x_unit, unit)


@pytest.mark.parametrize(
    ("heading", "said", "code"),
    [
        ("FreqAxis;a [g]", "channel 0 FreqAxis has no unit: --x-unit is one of Hz, kHz, CPM", 2),
        ("Frequency (Bins);a [g]", "has no unit: --x-unit", 2),
        ("Hz;PSD [g²/Hz]", "is a power, a density or a logarithm", 1),
        ("Hz;a [(mm/s)²]", "is a power", 1),
        ("Hz;a [g^2]", "is a power", 1),
        ("Hz;Velocity [VdB]", "is a power", 1),
        ("Hz;Level dB", "is a power", 1),
        ("Hz;Power Spectral Density [g]", "is a power", 1),
        ("Hz;a [mm/s Pk]", "the unit may be [mm/s Pk], which is not certain: give --unit", 2),
    ],
)
def test_lines_that_are_asked_or_refused(tmp_path, refusal, heading, said, code):
    assert said in refusal(written(tmp_path, lines(heading)), "--lines", "--x", 0, code=code)


def test_lines_without_headings_need_the_unit_of_their_frequency(tmp_path, refusal, spectrum):
    file = written(tmp_path, rows(LINES, 0.1 + 0 * LINES))
    assert "--x-unit is one of" in refusal(file, "--lines", "--x", 0, code=2)
    assert spectrum(file, "--lines", "--x", 0, "--x-unit", "cpm")["xUnit"] == "CPM"
    assert "no unit of frequency" in refusal(file, "--lines", "--x", 0, "--x-unit", "parsec", code=2)


@pytest.mark.parametrize(
    "heading",
    [
        "Zeit [s];Beschleunigung in m/s²",
        "Einheit: m/s²\nZeit [s];Beschleunigung",
        "t/s;a/(m/s²)",
        "Time [s];Acceleration m/s2",
        "Time [s];Acceleration, m/s^2",
        "Time_s;Acceleration_mps2",
        "Time [s];Acceleration [m/s²] (DE)",
        "Time;Acceleration\ns;m/s**2",
    ],
)
def test_a_unit_is_found_where_it_stands(tmp_path, spectrum, heading):
    taken = spectrum(written(tmp_path, f"{heading}\n{TWO}"))
    assert taken["yUnit"] == "m/s2" and is_tone(taken)


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("Time [s];Acc, mV", "the file is in mV"),
        ("Time (s);Voltage (V) CH1", "the file is in V"),
        ("Time (s);Acceleration (Collected)", "the unit may be (Collected), which is not certain: give --unit"),
        ("Time (s);Acceleration [furlong]", "the unit may be [furlong]"),
        ("Time (s);Tacho (V) [rpm]", "the unit may be (V) [rpm]"),
        ("Time (s);Acceleration, furlong", "give --unit"),
        ("Time (s);Acceleration\n(s);(furlong)", "the unit may be (furlong)"),
        ("Unit: Hz\nTime (s);Acceleration", "the unit may be Hz"),
        ("Unit: furlong\nTime (s);Acceleration", "the unit may be furlong"),
        ("Time (s);Acceleration [m/s²] (0-pk)", "the unit may be [m/s²] (0-pk)"),
        ("Time (s);Level dB (g)", "the unit may be Level dB (g)"),
        ("Time (s);Acc_min", "the unit may be Acc_min"),
        ("Time (s);Sensor 16 g", "the unit may be Sensor 16 g"),
        ("Time (foo);a [g]", "choose with --channel"),
    ],
)
def test_a_unit_that_is_not_known_is_asked(tmp_path, refusal, heading, said):
    assert said in refusal(written(tmp_path, f"{heading}\n{TWO}"), code=2)


@pytest.mark.parametrize("unit", ["m/s²", "m/s^2", "M/S2"])
def test_spellings_of_a_unit_do_not_contradict_each_other(tmp_path, spectrum, unit):
    assert spectrum(written(tmp_path, "Time (s);a (m/s2)\n" + TWO), "--unit", unit)["yUnit"] == "m/s2"


def test_microvolts_take_a_sensitivity(tmp_path, spectrum):
    file = written(tmp_path, "Time (s);a (µV)\n" + rows(clock(X), 1e5 * X, delimiter=";"))
    assert is_tone(spectrum(file, "--sensitivity", 100))


def test_a_unit_above_columns_without_names_is_asked(tmp_path, refusal, spectrum):
    file = written(tmp_path, "Einheit: m/s²\n" + TWO)
    assert "give --x-unit" in refusal(file, "--x", 0, code=2)
    assert "give --unit" in refusal(file, "--x", 0, "--x-unit", "s", "--channel", 1, code=2)
    assert is_tone(spectrum(file, "--x", 0, "--x-unit", "s", "--unit", "m/s2"))


def test_times_that_may_be_minutes_are_asked(tmp_path, refusal):
    assert "give --x-unit" in refusal(written(tmp_path, "Time_min;a [g]\n" + TWO), "--x", 0, code=2)


def test_the_unit_of_x_does_not_override_the_heading(tmp_path, refusal, spectrum):
    table = rows(1000 * clock(X), X, delimiter=";")
    assert "--x-unit says s, the file ms" in refusal(written(tmp_path, "t [ms];a [g]\n" + table), "--x-unit", "s", code=2)
    assert is_tone(spectrum(written(tmp_path, "Time_ms;a [g]\n" + table), "--x", "Time_ms"))


@pytest.mark.parametrize(
    "line",
    [
        "Rate: 2560 samples/s, Duration: 3 s",
        "2560 Samples per second, 24 bit",
        "Sample rate: 2 560 Hz",
        "Sample rate 2: 2560",
        "Samples per spectrum: 4096; Sample rate: 2560 Hz",
        "Device DT 9837",
        "Sampling rate (Ch 1): 2560 Hz",
        "Sampling frequency range 0-12800 Hz",
        "Sampling rate: 2560 furlongs",
        "Sampling rate: 25.6",
        "fs: 2560",
        "Sample rate: 2560 Hz\nSampling interval: 1 ms",
        "Sample rate: 2560 Hz\nSample rate (Ch 2): 5120 Hz",
    ],
)
@pytest.mark.parametrize("heading", ["a [g]\n", ""])
def test_a_rate_in_prose_is_asked(tmp_path, call, line, heading):
    taken = call(written(tmp_path, f"{line}\n{heading}" + rows(X)), "--rpm", 1500, "--unit", "g")
    assert (taken.code, taken.out) == (2, "") and "--rate" in taken.err or "--lines" in taken.err


@pytest.mark.parametrize(
    "line",
    [
        "Sample interval: 0.390625 milliseconds",
        "Sampling period: 390.6250 \u03bcs",
        "Abtastintervall: 390,6250 \u00b5s",
        "Sampling interval [usec];390.6250",
        "Sample interval (microseconds): 390.6250",
        "Sample rate: 0.00256 MHz",
        "Abtastrate [1/s]: 2560",
        "Samples/Sec: 2560",
        "Sampling rate: 2560/s",
        "Sampling rate = 2.56 kS/s",
    ],
)
@pytest.mark.parametrize("heading", ["a [g]\n", ""])
def test_a_rate_on_a_line_of_its_own_is_taken(tmp_path, spectrum, line, heading):
    taken = spectrum(written(tmp_path, f"{line}\n{heading}" + rows(X)))
    assert is_tone(taken) and taken["yUnit"] == "g"


def test_the_last_line_by_default_must_be_measured_too(tmp_path, refusal):
    assert "--highest 1000 is above half of the 400" in refusal(written(tmp_path, rows(X)), "--rate", 400, code=2)


@pytest.mark.parametrize(("channel", "taken"), [("DE", 1), ("de", 1), ("NDE", 2), ("vib", 3)])
def test_a_part_of_a_name_is_a_word(tmp_path, call, channel, taken):
    file = written(tmp_path, "t (s),DE [g],NDE [g],Ax_vib\n" + rows(clock(X), X, X, X))
    assert f"channel {taken} " in call(file, "--channel", channel, "--rpm", 1500).err


@pytest.mark.parametrize(("names", "channel"), [("t (s),NDE [g]", "DE"), ("t (s),Lager B [g]", "A"), ("t (s),a [g]", "²")])
def test_a_part_of_a_word_is_no_name(tmp_path, refusal, names, channel):
    assert "there is no such column" in refusal(written(tmp_path, f"{names}\n" + rows(clock(X), X)), "--channel", channel, code=2)


def test_unnamed_sets_of_uff_are_chosen_by_their_numbers(tmp_path, spectrum, call):
    for hz in (50, 90):
        uff_58(tmp_path / "a.uff", tone(hz=hz), name="NONE", step=1 / RATE)
    assert is_tone(spectrum(tmp_path / "a.uff", "--channel", 1), 90)
    assert "channel 1 set 2: 2560 samples" in call(tmp_path / "a.uff", "--show").out


def test_a_name_that_is_the_number_of_another_column_is_asked(tmp_path, refusal):
    for name in ("1", "0"):
        uff_58(tmp_path / "a.uff", X, name=name, step=1 / RATE)
    assert "the number of another" in refusal(tmp_path / "a.uff", "--channel", 1, code=2)


@pytest.mark.parametrize(("unit", "said", "code"), [("g^2", "is a power", 1), ("NONE", "squared", 2), ("m/s^2", "", 0)])
def test_auto_spectra_of_uff_may_be_powers(tmp_path, call, unit, said, code):
    uff_58(tmp_path / "a.uff", np.full(400, 0.1).astype(complex), kind=2, step=0.5, unit=unit)
    taken = call(tmp_path / "a.uff", "--lines", "--rpm", 1500)
    assert taken.code == code and said in taken.err


@pytest.mark.parametrize(
    "about",
    [{"NI_UnitDescription": "m/s^2"}, {"Unit": "m/s²"}, {"unit_string": "Acceleration (m/s^2)"}, {"unit_string": "", "unit": "m/s2"}],
)
def test_units_of_tdms(tmp_path, spectrum, about):
    nptdms = pytest.importorskip("nptdms")
    with nptdms.TdmsWriter(tmp_path / "a.tdms") as writer:
        writer.write_segment([nptdms.ChannelObject("V", "Ax", X, {"wf_increment": 1 / RATE, **about})])
    assert spectrum(tmp_path / "a.tdms")["yUnit"] == "m/s2"


@pytest.mark.parametrize(("name", "said"), [("cDAQ1Mod1/ai0", ""), ("Acc (mV)", "in mV"), ("Acc (EU)", "the unit may be (EU)")])
def test_names_of_tdms(tmp_path, call, name, said):
    nptdms = pytest.importorskip("nptdms")
    with nptdms.TdmsWriter(tmp_path / "a.tdms") as writer:
        writer.write_segment([nptdms.ChannelObject("V", name, X, {"wf_increment": 1 / RATE})])
    taken = call(tmp_path / "a.tdms", "--rpm", 1500)
    assert taken.code == (2 if said else 0) and said in taken.err


def test_a_rate_of_matlab_that_may_be_in_khz_is_asked(tmp_path, refusal):
    scipy.io.savemat(tmp_path / "a.mat", {"a": X, "fs": 25.6})
    assert "--rate" in refusal(tmp_path / "a.mat", code=2)


def test_times_of_matlab_in_ms(tmp_path, spectrum):
    scipy.io.savemat(tmp_path / "a.mat", {"a": X, "t_ms": 1000 * clock(X)})
    assert is_tone(spectrum(tmp_path / "a.mat", "--x", "t_ms"))


def test_labview(tmp_path, spectrum, call):
    """A heading with one column more than the rows, and its unit above."""
    heading = "X_Value\tAcceleration (Collected)\tComment\n"
    file = written(tmp_path, LVM.format("Time") + heading + rows(clock(X), X, delimiter="\t"), "a.lvm")
    taken = spectrum(file)
    assert is_tone(taken) and taken["yUnit"] == "m/s2"
    file = written(tmp_path, LVM.format("Time") + heading + "".join(f"\t{value:.6f}\n" for value in X), "b.lvm")
    assert is_tone(spectrum(file))
    two = "X_Value\tA\tB\tComment\n" + "".join(f"\t{value:.6f}\t{value:.6f}\n" for value in X)
    both = LVM.format("Time").replace("m/s^2\t", "g\tm/s^2\t").replace("E-4\t", "E-4\t3.906250E-4\t")
    taken = spectrum(written(tmp_path, both + two, "d.lvm"), "--channel", "B")
    assert is_tone(taken) and taken["yUnit"] == "m/s2"
    file = written(tmp_path, LVM.format("Frequency") + heading + rows(clock(X), X, delimiter="\t"), "c.lvm")
    assert call(file, "--rpm", 1500).code == 2


def test_a_heading_with_an_empty_last_field(tmp_path, spectrum):
    assert is_tone(spectrum(written(tmp_path, "Time,a [g],\n" + rows(clock(X), X))))


def test_sparse_variables_are_passed_over(tmp_path, spectrum):
    scipy.io.savemat(tmp_path / "a.mat", {"a": X, "fs": 2560.0, "S": scipy.sparse.eye(3).tocsc()})
    assert is_tone(spectrum(tmp_path / "a.mat"))


def test_a_scale_of_0_is_wrong_use(tmp_path, refusal):
    assert "must not be 0" in refusal(written(tmp_path, "Time (s);a (g)\n" + TWO), "--scale", 0, code=2)
