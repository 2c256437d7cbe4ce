"""What loggers and spreadsheets make of a table."""

import numpy as np
import pytest
from signals import RATE, clock, is_tone, rows, tone

X = tone()
GERMAN = "Zeit [s];Beschleunigung [g]\n" + rows(clock(X), X, delimiter=";", decimal=",")
ENGLISH = "Time (s),Acceleration (g)\n" + rows(clock(X), X)
QUOTED = '"Time (s)","Acceleration (g)"\n' + "".join(f'"{at:.9f}","{value:.9f}"\n' for at, value in zip(clock(X), X))
GERMAN_QUOTED = '"Zeit [s]","Wert [g]"\n' + "".join(f'"{at:.9f}","{value:.9f}"\n'.replace(".", ",") for at, value in zip(clock(X), X))
TABS = "Zeit [s]\tWert [g]\n" + rows(clock(X), X, delimiter="\t", decimal=",")
BLANKS = rows(clock(X), X, delimiter="   ")

tables = {
    "semicolons and decimal commas": GERMAN.encode(),
    "tabs and decimal commas": TABS.encode(),
    "a byte order mark": b"\xef\xbb\xbf" + ENGLISH.encode(),
    "UTF-16": GERMAN.encode("utf-16"),
    "UTF-16 big-endian": b"\xfe\xff" + ENGLISH.encode("utf-16-be"),
    "UTF-16 without a mark": ENGLISH.encode("utf-16-le"),
    "quoted numbers": QUOTED.encode(),
    "quoted decimal commas between commas": GERMAN_QUOTED.encode(),
    "a heading in Latin-1": GERMAN.replace("Beschleunigung", "Lagerträger").encode("latin-1"),
    "a heading in cp1252": ENGLISH.replace("Acceleration", "Essai – n° 1").encode("cp1252"),
    "lines ending in a delimiter": ENGLISH.replace("\n", ",\n").encode(),
    "lines of Windows": ENGLISH.replace("\n", "\r\n").encode(),
    "comments and empty lines": b"# Pump 7\n\n" + ENGLISH.replace("\n", "\n\n", 1).encode(),
    "units in a row of their own": b"Time,Acceleration\n(s),(g)\n\n" + rows(clock(X), X).encode(),
    "exponents": b"Time,a\n" + b"".join(f"{at:.9e},{value:.9E}\n".encode() for at, value in zip(clock(X), X)),
}


@pytest.mark.parametrize("name", tables)
def test_a_table_is_read_whatever_wrote_it(tmp_path, spectrum, name):
    file = tmp_path / "table.csv"
    file.write_bytes(tables[name])
    taken = spectrum(file)
    assert is_tone(taken) and taken["yUnit"] == "g"


def test_blanks_between_columns(tmp_path, spectrum):
    (tmp_path / "table.txt").write_text(BLANKS)
    assert is_tone(spectrum(tmp_path / "table.txt", "--x", 0))


def test_values_with_decimal_commas_alone_are_not_two_columns(tmp_path, spectrum, refusal):
    file = tmp_path / "values.csv"
    file.write_text("Wert [g]\n" + rows(X, decimal=","))
    assert is_tone(spectrum(file, "--rate", 2560))
    file.write_text(rows(X, decimal=","))
    assert "--decimal" in refusal(file, "--rate", 2560, code=2)
    assert is_tone(spectrum(file, "--rate", 2560, "--decimal", ","))


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda lines: [*lines[:700], lines[700].replace(".", "x"), *lines[701:]], "row 701, column Time: '0x"),
        (lambda lines: [*lines[:700], lines[700] + ",1", *lines[701:]], "row 701 has 3 columns"),
        (lambda lines: [*lines[:-1], lines[-1].split(",")[0]], f"row {len(X) + 1} has 1 columns"),
        (lambda lines: [*lines[:700], lines[0], *lines[700:]], "row 701, column Time: 'Time' is no number"),
        (lambda lines: ["Time (s),a (g),b (g)", *lines[1:]], "the heading names 3 columns, the rows have 2"),
    ],
)
def test_what_is_no_table_is_refused_by_row_and_column(tmp_path, call, edit, said):
    file = tmp_path / "table.csv"
    file.write_text("\n".join(edit(ENGLISH.replace("Time (s)", "Time").splitlines())))
    taken = call(file, "--rpm", 1500, "--x", 0, "--channel", 1)
    assert taken.code in (1, 2) and taken.out == "" and said in taken.err


@pytest.mark.parametrize("content", [b"", b"\0" * 4000, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10, b"only words\nand more\n", b"1\n"])
def test_what_is_no_recording_is_refused(tmp_path, refusal, content):
    file = tmp_path / "what.csv"
    file.write_bytes(content)
    assert refusal(file, "--rate", 10)


def test_two_decimal_marks_in_a_table_are_refused(tmp_path, refusal):
    file = tmp_path / "a.csv"
    lines = GERMAN.splitlines()
    file.write_text("\n".join([*lines[:800], lines[800].replace(",", "."), *lines[801:]]))
    assert "row 801, column Zeit" in refusal(file)


def test_no_such_file(tmp_path, refusal):
    assert "no such file" in refusal(tmp_path / "no.csv", code=2)


def test_a_million_values_of_time_keep_their_digits(tmp_path, spectrum):
    values = tone(seconds=20, rate=20_000)
    file = tmp_path / "long.csv"
    np.savetxt(file, np.column_stack([86_400 + clock(values, 20_000), values]), delimiter=",", fmt="%.5f", header="Time,a", comments="")
    assert is_tone(spectrum(file))


def test_a_quotation_mark_without_a_second_is_refused_by_row(tmp_path, refusal):
    table = rows(clock(tone()), tone()).replace("\n0.039062500,", '\n0.039062500,"')
    (tmp_path / "a.csv").write_text("t (s),a (g)\n" + table)
    assert "row 102: a quotation mark has no second" in refusal(tmp_path / "a.csv")


def test_a_remark_among_the_rows(tmp_path, refusal, spectrum):
    file = tmp_path / "a.csv"
    file.write_text("a (g)\n" + rows(X) + "# segment 2\n" + rows(X) + "# end\n")
    assert f"row {len(X) + 2}: a remark stands among the rows (1 do)" in refusal(file, "--rate", RATE)
    assert is_tone(spectrum(file, "--rate", RATE, "--to", 3.9, "--accept", "gap"))


def test_numbers_above_the_samples_are_none_of_them(tmp_path, refusal, spectrum):
    file = tmp_path / "a.csv"
    file.write_text("2560\n20480\n" + rows(X))
    said = refusal(file, "--rate", RATE, code=2)
    assert "row 1: '2560' is far above the rows below, and may be of a header: give --skip 2, or --skip 0" in said
    assert is_tone(spectrum(file, "--rate", RATE, "--skip", 2))
    spectrum(file, "--rate", RATE, "--skip", 0)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("a [g]\n" + "0\n" * 20 + rows(X, decimal=","), ["--rate", RATE], "give --decimal ,"),
        ("Zeit;a\n31.01.2026 10:00:00,1;0,5\n31.01.2026 10:00:00,2;0,6\n", [], "the last row is '31.01.2026 10:00:00,2;0,6'"),
        ("Ax, Ay\n12, -30\n13, -31\n14, -32\n", [], "choose with --channel"),
    ],
)
def test_a_message_names_what_helps(tmp_path, call, text, options, said):
    (tmp_path / "a.csv").write_text(text)
    taken = call(tmp_path / "a.csv", "--rpm", 1500, *options)
    assert taken.out == "" and said in taken.err
