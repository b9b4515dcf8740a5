"""The report of a profile that the profile stage itself wrote."""

import csv
import json

import pytest
from tests.helpers.report_study import JUDGES, build_study

from judgeprobe.profile import profile_study
from judgeprobe.report import make_report
from judgeprobe.study import load_study


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = build_study(tmp_path_factory.mktemp("stage") / "study", judges=JUDGES[:3])
    by_hand = json.loads((folder / "profile.json").read_text())
    toml = folder / "study.toml"
    toml.write_text(
        toml.read_text()
        + "[profile]\nresamples = 200\npermutations = 200\n"
        + f'ensembles = {{ pair = ["{JUDGES[0]}", "{JUDGES[1]}"] }}\n'
    )
    profile_study(load_study(folder))
    return folder, by_hand, make_report(load_study(folder))


def rows(folder, table):
    with (folder / "tables" / f"{table}.csv").open() as file:
        return list(csv.DictReader(file))


def test_its_numbers_are_those_counted_by_hand(made):
    folder, by_hand, _ = made
    shown = {row["judge"]: row for row in rows(folder, "profiles")}
    for judge in by_hand["judges"]:
        for name in ("tau", "S", "R", "R_scope", "R_strength"):
            counted = judge["operating_point"][name]
            assert float(shown[judge["judge"]][name]) == pytest.approx(counted, abs=1e-9)
    rates = {row["slot"]: row["rate"] for row in by_hand["slots"]}
    for row in rows(folder, "slots"):
        assert float(row["rate"]) == pytest.approx(rates[row["slot"]], abs=1e-9)


def test_every_table_of_the_stage_is_shown(made):
    _, _, report = made
    assert set(report.tables) >= {
        "profiles", "remedies", "axes", "gap", "gap_by_judge", "gap_checks", "slots",
        "slots_by_judge", "groupings", "domains", "matched", "dominance", "lengths",
        "length_grades", "direction_of_change", "instrument", "yields", "missed",
    }  # fmt: skip


def test_remedies_stand_apart_with_both_coordinates(made):
    folder, _, _ = made
    found = rows(folder, "remedies")
    assert [row["remedy"] for row in found] == ["pair (mean)"]
    points = {row["judge"]: row for row in rows(folder, "profiles")}
    for name in ("S", "R"):
        members = [float(points[judge][name]) for judge in JUDGES[:2]]
        assert float(found[0][f"members_{name}"]) == pytest.approx(sum(members) / 2)
        assert found[0][name]
    assert not any("pair (mean)" in row["judge"] for row in rows(folder, "profiles"))
    assert "pair (mean)" not in (folder / "figures" / "plane.svg").read_text()
    asked = {(row["judge"], row["other"]) for row in rows(folder, "dominance")}
    assert len(asked) == 3


def test_matched_r_stands_with_the_s_it_was_attained_at(made):
    folder, _, _ = made
    for row in rows(folder, "matched"):
        for key, value in row.items():
            if key.startswith("R_at_") and value:
                assert float(row[key.replace("R_at", "S_at")]) >= float(key[5:]) - 1e-9
