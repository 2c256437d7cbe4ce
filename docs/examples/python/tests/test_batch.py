"""Twenty machines at once: lists and folders."""

import json

import numpy as np
import pytest
from signals import clock, rows, tone

NODE = "f0b7c1de-53a9-4c1e-8f60-2d9a4b7e6c3{}"


def recording(file, hz=50, channels=1):
    file.parent.mkdir(parents=True, exist_ok=True)
    columns = [tone(hz=hz + 10 * at) for at in range(channels)]
    names = ",".join(f"{'XYZ'[at]} (g)" for at in range(channels))
    file.write_text(f"Time (s),{names}\n" + rows(clock(columns[0]), *columns))


def speeds(folder):
    return {file.stem: json.loads(file.read_text())["spectrum"]["speed"] for file in folder.glob("*.json") if file.stem != "machines"}


def test_a_list_of_machines_makes_a_file_for_each(tmp_path, call):
    for machine in range(20):
        recording(tmp_path / f"r{machine}.csv", hz=20 + machine)
    list_ = tmp_path / "list.csv"
    list_.write_text(
        "machine,file,rpm,node,time\n"
        + "".join(f"pump {at},r{at}.csv,{1000 + at},{NODE.format(f'{at:x}')[:36]},2026-01-31T10:00:00Z\n" for at in range(16))
    )
    taken = call(list_, "--into", tmp_path / "out")
    assert taken.code == 0, taken.err
    assert speeds(tmp_path / "out/pump_3") == {"r3": 1003}
    measurement = json.loads((tmp_path / "out/pump_3/all.ndjson").read_text())
    assert measurement["createdAt"] == "2026-01-31T10:00:00Z"
    machines = json.loads((tmp_path / "out/machines.json").read_text())
    assert len(machines) == 16 and machines[0] == {"folder": "pump_0", "node": NODE.format("0")}
    assert "16 spectra of 2001 lines" in taken.err


encodings = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"]


@pytest.mark.parametrize("encoding", encodings)
def test_a_list_of_a_spreadsheet(tmp_path, call, encoding):
    recording(tmp_path / "a.csv")
    (tmp_path / "list.csv").write_bytes("file;machine;rpm\r\na.csv;Lüfter 3;1480,5\r\n".encode(encoding))
    taken = call(tmp_path / "list.csv", "--into", tmp_path / "out")
    assert taken.code == 0, taken.err
    assert speeds(tmp_path / "out/Lüfter_3") == {"a": 1480.5}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a.csv,1480,5", "time: '5' is no time"),
        ("a.csv,-5", "rpm: -5 must not be below 0"),
        ("a.csv,fast", "rpm: 'fast' is no number"),
        ('a.csv,"1,480"', "'1,480' may be two numbers"),
        ("a.csv,1480,2026-01-31T10:00:00", "its zone"),
        ("none.csv,1480", "none.csv: No such file"),
        ("bad.csv,1480", "bad.csv: row 3, channel 1 a: a value is missing"),
        ("a.csv,1480,2026-01-31T10:00:00Z,more", "4 cells, 3 columns"),
    ],
)
def test_a_bad_recording_is_named_and_the_others_go_on(tmp_path, call, row, said):
    recording(tmp_path / "a.csv")
    recording(tmp_path / "b.csv")
    lines = (tmp_path / "b.csv").read_text().splitlines()
    (tmp_path / "bad.csv").write_text("\n".join(["Time (s),a (g)", lines[1], lines[2].split(",")[0] + ",nan", *lines[3:]]))
    (tmp_path / "list.csv").write_text(f"{row}\nb.csv,1480\n")
    taken = call(tmp_path / "list.csv", "--into", tmp_path / "out")
    assert taken.code == 1 and said in taken.err and "1 of 2 recordings failed" in taken.err
    assert "Traceback" not in taken.err
    assert speeds(tmp_path / "out") == {"b": 1480}


def test_the_channels_of_a_machine_are_measuring_points(tmp_path, call):
    recording(tmp_path / "a.csv", channels=3)
    (tmp_path / "list.csv").write_text("file,machine,channel,rpm,unit\na.csv,fan,X,1500,g\na.csv,fan,Y,1500,g\n")
    taken = call(tmp_path / "list.csv", "--into", tmp_path / "out")
    assert taken.code == 0, taken.err
    assert sorted(folder.name for folder in (tmp_path / "out").iterdir()) == ["fan-X", "fan-Y", "machines.json"]


def test_each_row_may_have_its_sensitivity_tachometer_and_band(tmp_path, call):
    values = tone()
    pulse = (np.sin(2 * np.pi * 25 * clock(values)) > 0.9) * 5.0
    (tmp_path / "a.csv").write_text("Time (s),A (V),T (V)\n" + rows(clock(values), 0.1 * values, pulse))
    (tmp_path / "list.csv").write_text("file,channel,tacho,unit,sensitivity,envelope\na.csv,A,T,g,100,10 400\n")
    taken = call(tmp_path / "list.csv", "--into", tmp_path / "out")
    assert taken.code == 0, taken.err
    assert abs(speeds(tmp_path / "out")["a"] - 1500) < 2


def test_velocity_takes_no_envelope_of_a_list(tmp_path, call):
    recording(tmp_path / "a.csv")
    recording(tmp_path / "b.csv")
    (tmp_path / "list.csv").write_text("file,rpm,envelope\na.csv,1500,\nb.csv,1500,100 200\n")
    taken = call(tmp_path / "list.csv", "--into", tmp_path / "out", "--velocity")
    assert taken.code == 1 and "b.csv: --velocity takes no envelope" in taken.err
    assert (tmp_path / "out/a.json").is_file() and not (tmp_path / "out/b.json").exists()


def test_a_folder_of_folders(tmp_path, call):
    for machine in ("fan", "pump"):
        for at in range(3):
            recording(tmp_path / "in" / machine / f"{at}.csv")
    (tmp_path / "in/pump/1.csv").write_text("Time (s),a (g)\n0,1\n")
    (tmp_path / "in/readme.md").write_text("no recording")
    taken = call(tmp_path / "in", "--into", tmp_path / "out", "--rpm", 1500)
    assert taken.code == 1 and "1.csv: no rows of numbers" in taken.err
    assert [len((tmp_path / "out" / one / "all.ndjson").read_text().splitlines()) for one in ("fan", "pump")] == [3, 2]


def test_a_folder_for_each_day_and_names_that_would_meet(tmp_path, call):
    for day in ("01", "02"):
        recording(tmp_path / day / "pump.csv")
    list_ = tmp_path / "list.csv"
    list_.write_text("file,machine,rpm\n01/pump.csv,p,1480\n02/pump.csv,p,1490\n")
    assert call(list_, "--into", tmp_path / "out").code == 0
    assert speeds(tmp_path / "out/p") == {"01-pump": 1480, "02-pump": 1490}
    list_.write_text("file,machine,rpm\n01/pump.csv,p 1,1480\n02/pump.csv,p_1,1490\n")
    taken = call(list_, "--into", tmp_path / "out")
    assert taken.code == 2 and "the same folder" in taken.err


def test_lines_of_a_list_need_a_speed_too(tmp_path, call):
    (tmp_path / "lines.csv").write_text("Hz,g\n0,0.1\n1,0.2\n2,0.1\n")
    (tmp_path / "list.csv").write_text("file,rpm\nlines.csv,\n")
    taken = call(tmp_path / "list.csv", "--into", tmp_path / "out", "--lines")
    assert taken.code == 1 and "give --rpm" in taken.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("file,rpm,colour\na.csv,1480,red\n", "'colour' is no column"),
        ("a.csv\n", "no heading named file"),
        ("", "no recordings"),
        ("file,rpm\na.csv,1480\na.csv,1490\n", "the same name"),
        (f"file,machine,rpm,node\na.csv,p,1480,{NODE.format(1)}\nb.csv,p,1490,{NODE.format(2)}\n", "p has two nodes"),
        (f"file,machine,rpm,node\na.csv,p,1480,{NODE.format(1)}\na.csv,q,1490,{NODE.format(1)}\n", "is that of p and of q"),
    ],
)
def test_a_list_that_says_nothing_is_wrong_use(tmp_path, call, content, said):
    recording(tmp_path / "a.csv")
    (tmp_path / "list.csv").write_text(content)
    taken = call(tmp_path / "list.csv", "--into", tmp_path / "out")
    assert taken.code == 2 and said in taken.err


@pytest.mark.parametrize(
    "content",
    [
        "\r\n\r\nfile;rpm\r\na.csv;1480,5\r\n",
        "sep=;\r\nfile;rpm\r\na.csv;1480,5\r\n",
        "file;rpm;;\r\na.csv;1480,5;;\r\n",
        "file;rpm\r\na.csv;1480,5;\r\n ; \r\n",
    ],
)
def test_what_a_spreadsheet_adds_to_a_list(tmp_path, call, content):
    recording(tmp_path / "a.csv")
    (tmp_path / "list.csv").write_bytes(content.encode())
    taken = call(tmp_path / "list.csv", "--into", tmp_path / "out")
    assert taken.code == 0, taken.err
    assert speeds(tmp_path / "out") == {"a": 1480.5}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("machine;file;rpm\np\nq;a.csv;1480\n", "a row has no file: p"),
        ("file;rpm\nb.csv;1.480\na.csv;1480\n", "b.csv: rpm: 1.480 may be grouped by thousands"),
        ("file;rpm;time\nb.csv;1480;2026-31-01T10:00:00Z\na.csv;1480;\n", "'2026-31-01T10:00:00Z' is no time"),
        ("file;rpm\nsub;1480\na.csv;1480\n", "sub: it is no file"),
    ],
)
def test_a_bad_row_is_named_and_the_others_go_on(tmp_path, call, content, said):
    (tmp_path / "sub").mkdir()
    recording(tmp_path / "a.csv")
    (tmp_path / "list.csv").write_text(content)
    taken = call(tmp_path / "list.csv", "--into", tmp_path / "out")
    assert taken.code == 1 and said in taken.err and "1 of 2 recordings failed" in taken.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('file,rpm\n"a.csv,1480\n', "is no list"),
        ("RIFF\0\0\1\0WAVEfmt ", "is no list: neither text"),
        ("file,rpm,channel\na.csv,1480,X\na.csv,1480,Y\n", "give each a machine of its own"),
        ("file,rpm\nmachines.csv,1480\n", "give it a machine"),
    ],
)
def test_a_list_that_cannot_be_taken_is_named(tmp_path, call, content, said):
    (tmp_path / "list.csv").write_text(content)
    taken = call(tmp_path / "list.csv", "--into", tmp_path / "out")
    assert taken.code == 2 and f"{tmp_path / 'list.csv'}" in taken.err and said in taken.err


def test_a_cell_of_rpm_overrides_the_tachometer_of_the_command(tmp_path, call):
    recording(tmp_path / "a.csv", channels=2)
    (tmp_path / "list.csv").write_text("file,rpm,channel\na.csv,1480,X\n")
    assert call(tmp_path / "list.csv", "--into", tmp_path / "out", "--tacho", "Y").code == 0
    assert speeds(tmp_path / "out") == {"a": 1480}


def test_a_channel_for_some_recordings_of_a_machine(tmp_path, call):
    recording(tmp_path / "a.csv")
    recording(tmp_path / "b.csv", channels=2)
    (tmp_path / "list.csv").write_text("file,machine,rpm,channel\na.csv,p,1480,\nb.csv,p,1480,Y\n")
    assert call(tmp_path / "list.csv", "--into", tmp_path / "out").code == 0
    assert {one.name for one in (tmp_path / "out").iterdir()} == {"p", "p-Y", "machines.json"}


def test_spectra_of_an_earlier_run_are_not_taken_for_those_of_this_one(tmp_path, call):
    recording(tmp_path / "a.csv")
    (tmp_path / "list.csv").write_text("file,machine,rpm\na.csv,p,1480\n")
    assert call(tmp_path / "list.csv", "--into", tmp_path / "out").code == 0
    (tmp_path / "a.csv").unlink()
    assert call(tmp_path / "list.csv", "--into", tmp_path / "out").code == 1
    assert not (tmp_path / "out/p/all.ndjson").exists()


def test_what_nobody_foresaw_ends_one_recording_and_no_list(tmp_path, call):
    (tmp_path / "a.csv").write_text('t (s);a (g)\n"' + 140_000 * "x" + '";1\n' + rows(clock(tone()), tone(), delimiter=";"))
    (tmp_path / "b.csv").write_text("t (s);a (g)\n" + rows(clock(tone()), tone(), delimiter=";"))
    (tmp_path / "c.xyz").write_text("")
    taken = call(tmp_path, "--into", tmp_path / "out", "--rpm", 1500)
    assert taken.code == 1 and "a.csv: it cannot be read: Error: field larger than" in taken.err
    assert f"{tmp_path}: not read, by their endings: c.xyz" in taken.err
    assert "b.csv: channel 1 a [g] by channel 0 t, 2560 samples per second, 4 s\n" in taken.err


@pytest.mark.parametrize("ending", ["lvm", "wave", "caf", "ogg", "rf64"])
def test_endings_of_recordings_in_folders(tmp_path, call, ending):
    (tmp_path / f"a.{ending}").write_text("t (s);a (g)\n" + rows(clock(tone()), tone(), delimiter=";"))
    assert f"a.{ending}: " in call(tmp_path, "--into", tmp_path / "out", "--rpm", 1500).err
