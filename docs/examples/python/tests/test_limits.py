"""Limits from healthy recordings, few or many."""

import io
import json
import sys

import numpy as np
import pytest

from pas_spectrum.limits import confidence_of, factor_of
from pas_spectrum.limits_command import main

BAND = {"label": "overall", "lower": 1, "upper": 2}


def threshold():
    return {"thresholdType": 2, "bandAlarms": [dict(BAND)], "halAlarms": [{"bearing": {}}, {"label": "gear"}]}


def parts(count, unit="mm/s", seed=1, level=2.5):
    values = list(level + 0.05 * np.random.default_rng(seed).standard_normal(count))
    counts = {"0": 0, "1": 0, "2": count, "3": 0, "4": 0}
    return [
        {"part": "band 0", "label": "overall", "counts": counts, "values": values, "unit": unit},
        {"part": "HAL 0", "label": "BPFO", "counts": counts, "values": [value - 1 for value in values]},
        {"part": "HAL 1", "label": "gear", "counts": counts, "values": values},
    ]


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    def run(found, *arguments):
        (tmp_path / "mine.json").write_text(json.dumps(threshold()))
        stdin = io.TextIOWrapper(io.BytesIO("".join(json.dumps(part, ensure_ascii=False) + "\n" for part in found).encode()))
        monkeypatch.setattr(sys, "stdin", stdin)
        code = main([str(tmp_path / "mine.json"), str(tmp_path / "new.json"), *map(str, arguments)])
        captured = capsys.readouterr()
        new = json.loads((tmp_path / "new.json").read_text()) if (tmp_path / "new.json").exists() else None
        return code, captured.out, captured.err, new

    return run


def test_the_factor_is_that_of_tables_of_tolerance_limits():
    published = {5: 5.741, 10: 3.981, 20: 3.295, 30: 3.064}  # one-sided, 99 % with 95 % confidence: NIST, and ISO 16269-6
    assert {count: round(factor_of(count), 3) for count in published} == published


@pytest.mark.parametrize(("count", "missing"), [(1, 4), (2, 3), (4, 1)])
def test_fewer_than_five_say_what_is_missing(call, count, missing):
    code, out, said, new = call(parts(count))
    assert (code, out, new) == (1, "", None) and f"record {missing} more" in said


def test_one_measurement_says_what_is_missing(call):
    code, _, said, _ = call([{"part": "band 0", "status": 2}])
    assert code == 1 and "record 4 more" in said


@pytest.mark.parametrize("count", [5, 8, 19])
def test_few_recordings_give_limits_of_at_least_95_percent_confidence(call, count):
    code, out, _, new = call(parts(count))
    alert = new["bandAlarms"][0]["overallAlarmThreshold"]["upperAlert"]["value"]
    assert code == 0 and confidence_of(parts(count)[0]["values"], alert) > 0.95
    assert [int(line.split()[-3]) for line in out.splitlines()[1:3]] == [99, 99]
    assert new["halAlarms"][1] == {"label": "gear"}


def test_a_wide_spread_of_few_raises_the_alert(call):
    found = parts(5)
    found[0]["values"] = [1, 1, 1, 1, 3]
    _, _, _, new = call(found)
    assert new["bandAlarms"][0]["overallAlarmThreshold"]["upperAlert"]["value"] == 6.53  # mean 1.4 and 5.74 deviations of 0.894


@pytest.mark.parametrize(("greatest", "is_far"), [(1.4, False), (3, True)])
def test_a_recording_far_above_a_few_others_is_named(call, greatest, is_far):
    found = parts(6)
    found[0]["values"] = [1, 1.1, 0.9, 1.05, 0.95, greatest]
    _, _, err, _ = call(found)
    assert ("far above their median" in err) == is_far


def test_many_recordings_are_judged_by_their_medians(call):
    found = parts(20)
    found[0]["values"][3] = 50  # an outlier
    _, _, _, new = call(found)
    median = float(np.median(found[0]["values"]))
    assert new["bandAlarms"][0]["overallAlarmThreshold"]["upperAlert"]["value"] == float(f"{2 * median:.3g}")


def test_iso_20816_sets_baseline_and_a_quarter_of_zone_b(call):
    code, _, _, new = call(parts(6, level=1.6), "--iso", 0, 2.8, 4.5)
    limits = new["bandAlarms"][0]["overallAlarmThreshold"]
    assert code == 0 and limits["unit"] == "mm/s"
    assert abs(limits["upperAlert"]["value"] - (1.6 + 0.25 * 2.8)) < 0.05 and limits["upperDanger"]["value"] == 4.5


def test_iso_20816_allows_at_most_a_quarter_above_zone_b(call):
    _, _, _, new = call(parts(6, level=3.3), "--iso", 0, 2.8, 4.5)
    assert new["bandAlarms"][0]["overallAlarmThreshold"]["upperAlert"]["value"] == 3.5


def test_a_machine_that_is_in_alarm_by_iso_20816_is_named(call):
    _, _, err, new = call(parts(6, level=24), "--iso", 0, 2.8, 4.5)
    limits = new["bandAlarms"][0]["overallAlarmThreshold"]
    assert [limits[one]["value"] for one in ("upperAlert", "upperDanger")] == [3.5, 4.5]
    assert "half of them are in alarm, at 24" in err and "repair the machine first" in err


@pytest.mark.parametrize(
    ("given", "unit", "said"),
    [
        ((0, 2.8, 3), "mm/s", "at least 1.25"),
        ((0, "x", 3), "mm/s", "is no number"),
        ((7, 2.8, 4.5), "mm/s", "no band 7"),
        ((0, 2.8, 4.5), "g", "in mm/s"),
    ],
)
def test_iso_20816_is_for_a_band_in_velocity(call, given, unit, said):
    code, _, err, new = call(parts(6, unit=unit), "--iso", *given)
    assert code == 2 and said in err and new is None


def test_another_threshold_than_the_one_that_was_rated(call):
    found = parts(6)
    found.append({**found[0], "part": "band 3"})
    code, _, said, new = call(found)
    assert code == 2 and "has no band 3" in said and new is None


def test_parts_that_no_spectrum_rates_stay_as_they_are(call):
    found = parts(6)
    found.append({**found[0], "part": "overall"})
    code, out, _, _ = call(found)
    assert code == 0 and "only bands and HALs get limits" in out


def test_each_machine_gets_a_line_for_import(tmp_path, capsys):
    rated = tmp_path / "rated.ndjson"
    rated.write_text("".join(json.dumps(part) + "\n" for part in parts(6)))
    pas = tmp_path / "pas.py"
    pas.write_text(f"import sys\nassert sys.argv[1] == 'rate' and sys.argv[-1] == '--json'\nprint(open({str(rated)!r}).read())\n")
    (tmp_path / "mine.json").write_text(json.dumps({**threshold(), "nodeId": "that of the template"}))
    for machine in ("fan", "pump"):
        (tmp_path / "spectra" / machine).mkdir(parents=True)
        (tmp_path / "spectra" / machine / "all.ndjson").write_text("{}\n")
    machines = [{"folder": "fan", "node": "a"}, {"folder": "pump", "node": "b"}, {"folder": "lost", "node": "c"}, {"folder": "unknown"}]
    (tmp_path / "spectra/machines.json").write_text(json.dumps(machines))
    code = main(
        [
            str(tmp_path / "mine.json"),
            str(tmp_path / "new.ndjson"),
            "--spectra",
            str(tmp_path / "spectra"),
            "--pas",
            f"{sys.executable} {pas}",
        ]
    )
    said = capsys.readouterr().err
    lines = [json.loads(line) for line in (tmp_path / "new.ndjson").read_text().splitlines()]
    assert code == 1 and [line["nodeId"] for line in lines] == ["a", "b"]
    assert "lost: no spectra" in said and "unknown: its list has no node" in said and "2 machines have limits, 2 have none" in said


def test_values_in_several_units_give_no_limits(call):
    found = parts(6)
    del found[0]["unit"]
    code, out, _, new = call([{**found[0], "units": ["g", "m/s2"]}, *found[1:]])
    assert code == 0 and "as it was: its units differ: g, m/s2" in out and "overallAlarmThreshold" not in new["bandAlarms"][0]


@pytest.mark.parametrize("line", ["5", "[]", "null", "{}"])
def test_what_is_no_part_is_wrong_use(call, line):
    assert call([json.loads(line)])[0] == 2


def test_a_label_may_have_a_separator_of_lines(call):
    found = parts(6)
    found[0]["label"] = "a\u2028b"
    assert call(found)[0] == 0


def test_a_list_is_no_threshold(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    (tmp_path / "mine.json").write_text("[]")
    assert main([str(tmp_path / "mine.json"), str(tmp_path / "new.json")]) == 2
    assert "is no threshold" in capsys.readouterr().err


def test_values_of_0_get_no_limits(call):
    found = parts(20)[:1]
    found[0]["values"] = [0.0] * 11 + [1.0] * 9
    code, out, _, new = call(found)
    assert code == 0 and "as it was: at least half of its values are 0" in out
    assert new["bandAlarms"] == [BAND]
