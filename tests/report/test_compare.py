"""Two studies side by side: the differences against an explicit loop, and what is refused."""

import json

import pytest
from tests.helpers.report_study import JUDGES, build_study

from judgeprobe.errors import InputError, MixedArtifactsError
from judgeprobe.records import text_id
from judgeprobe.report import make_comparison
from judgeprobe.study import load_study

FEW = JUDGES[:2]


def fewer_resamples(folder):
    path = folder / "study.toml"
    path.write_text(path.read_text() + "[profile]\nresamples = 200\n")
    return folder


@pytest.fixture
def two(tmp_path):
    return (
        fewer_resamples(build_study(tmp_path / "after", judges=FEW, seed=1)),
        fewer_resamples(build_study(tmp_path / "before", judges=FEW, seed=2)),
    )


def compared(after, before):
    return make_comparison(load_study(after), load_study(before))


def by_hand(folder, judge, member):
    """Equation 6 of some pairs of one judge, by a loop over base items."""
    import pandas as pd

    edits = [json.loads(line) for line in (folder / "interventions.jsonl").open()]
    grades = pd.read_parquet(folder / "grades.parquet")
    given = {row.text_id: row.value for row in grades.itertuples() if row.judge == judge}
    profile = json.loads((folder / "profile.json").read_text())
    tau = next(j for j in profile["judges"] if j["judge"] == judge)["operating_point"]["tau"]
    items = {}
    for edit in edits:
        if member(edit):
            sides = [
                given[text_id(edit["evidence"], edit[k])] >= tau for k in ("original", "edited")
            ]
            items.setdefault(edit["base_id"], []).append(sides[0] != sides[1])
    return sum(sum(v) / len(v) for v in items.values()) / len(items)


def test_differences_equal_an_explicit_loop(two):
    after, before = two
    found = compared(after, before).comparison
    members = {
        "S": lambda e: e["arm"] == "invariance",
        "R": lambda e: e["arm"] == "construct",
        "R_scope": lambda e: e["axis"] == "scope",
        "R_strength": lambda e: e["axis"] == "strength",
    }
    for judge in found.judges:
        assert [c.what for c in judge.rates] == list(members)
        for change in judge.rates:
            old = by_hand(before, judge.judge, members[change.what])
            new = by_hand(after, judge.judge, members[change.what])
            if change.what == "S":
                old, new = 1 - old, 1 - new
            assert change.before == pytest.approx(old, abs=1e-9)
            assert change.after == pytest.approx(new, abs=1e-9)
            assert change.difference == pytest.approx(new - old, abs=1e-9)
            assert change.low <= change.difference + 1e-9
            assert change.difference <= change.high + 1e-9
        for change in judge.slots:
            new = by_hand(after, judge.judge, lambda e, s=change.what: e["slot"] == s)
            assert change.after == pytest.approx(new, abs=1e-9)


def test_a_study_against_its_own_grades_differs_by_nothing(two, tmp_path):
    after, _ = two
    same = fewer_resamples(build_study(tmp_path / "same", judges=FEW, seed=1))
    for judge in compared(after, same).comparison.judges:
        for change in (*judge.rates, *judge.slots):
            assert (change.difference, change.low, change.high) == (0, 0, 0)


def test_the_page_says_what_was_compared(two):
    after, before = two
    report = compared(after, before)
    page = report.page.read_text()
    assert "made for a test (after) against made for a test (before)" in page
    assert "Direction by construction." in page
    assert set(report.tables) >= {"compare", "compare_slots"}
    svg = (after / "figures" / "compare.svg").read_text()
    assert "watermark" in svg
    assert "from S = " in svg


def test_two_runs_give_the_same_bytes(two):
    after, before = two
    first = compared(after, before).page.read_bytes()
    assert compared(after, before).page.read_bytes() == first


def test_one_judge_each_is_compared_under_two_names(tmp_path):
    after = fewer_resamples(build_study(tmp_path / "after", judges=["haiku-5"], seed=1))
    before = fewer_resamples(build_study(tmp_path / "before", judges=["haiku-4.5"], seed=1))
    (judge,) = compared(after, before).comparison.judges
    assert (judge.judge, judge.other) == ("haiku-5", "haiku-4.5")
    assert judge.rates[0].difference == 0


def test_a_judge_without_operating_point_is_said(two):
    after, before = two
    path = before / "profile.json"
    profile = json.loads(path.read_text())
    profile["judges"][0]["operating_point"] = None
    path.write_text(json.dumps(profile))
    report = compared(after, before)
    assert report.comparison.judges[0].rates == ()
    assert f"{FEW[0]} cannot be compared: no operating point in" in report.page.read_text()


def change_profile(folder, **values):
    path = folder / "profile.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


@pytest.mark.parametrize(
    ("values", "told"), [({"rule": "shift"}, "rule shift"), ({"floor": 0.8}, "floor 0.8")]
)
def test_two_ways_of_reading_are_never_mixed(two, values, told):
    after, before = two
    change_profile(before, **values)
    with pytest.raises(InputError, match=told):
        compared(after, before)
    assert not (after / "compare.html").exists()


def test_studies_without_a_common_judge_or_edit_are_refused(two, tmp_path):
    after, _ = two
    strangers = build_study(tmp_path / "strangers", judges=["x", "y"])
    with pytest.raises(InputError, match="share no judge"):
        compared(after, strangers)
    lines = (strangers / "interventions.jsonl").read_text().splitlines()
    renamed = [json.dumps(json.loads(line) | {"id": f"other{i}"}) for i, line in enumerate(lines)]
    (strangers / "interventions.jsonl").write_text("\n".join(renamed) + "\n")
    with pytest.raises(InputError, match="shares no edit"):
        compared(after, strangers)


def test_another_taxonomy_is_refused(two, tmp_path):
    from judgeprobe import resources

    after, before = two
    text = resources.path("probes", "claim-calibration.toml").read_text()
    (before / "own.toml").write_text(text.split("[lists]")[0].replace("version = 1", "version = 2"))
    toml = before / "study.toml"
    toml.write_text(toml.read_text().replace("[study]", '[study]\ntaxonomy = "./own.toml"'))
    with pytest.raises(MixedArtifactsError, match="taxonomy"):
        compared(after, before)
