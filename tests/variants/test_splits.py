"""Other bars, one domain, all but one: against a profile made of those items alone."""

import json

import pytest
from tests.helpers.variant_study import edits, label, make_study

from judgeprobe.files import write_jsonl
from judgeprobe.profile import options_of, profile_study
from judgeprobe.profile.sources import source_of_study
from judgeprobe.study import load_study
from judgeprobe.sweep.stage import sweep
from judgeprobe.variants.splits import bar_splits, domain_splits

BODY = """
def grade(evidence, claim):
    share = {"domain_extension": 0.8, "hedging_removal": 0.3}.get(slot(claim), 0)
    value = 1.0 if noticed(claim, share) else 4.0
    # In one domain an edit that keeps the construct is tripped over now and then.
    number = int(claim.split()[1])
    return 2.0 if number % 4 == 1 and slot(claim) == "reordering" and number % 8 == 1 else value
"""
ONE = '[[judges]]\nname = "ours"\ncall = "MODULE:grade"\n'
SLOT_AGREEMENT = {
    "domain_extension": 0.95,
    "hedging_removal": 0.8,
    "format_shift": 1.0,
    "reordering": 0.6,
}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("splits") / "s"
    found = make_study(folder, ONE, BODY, n_base=40, direction="human")
    label(found, disagree=["hedging_removal"])
    slots = [{"slot": name, "pairwise": value} for name, value in SLOT_AGREEMENT.items()]
    axes = [{"axis": name, "pairwise": 0.97} for name in ("scope", "strength", "control")]
    found.annotation_path.write_text(json.dumps({"agreement": {"slots": slots, "axes": axes}}))
    sweep(found)
    return found


def alone(study, folder, keep):
    """The profile of a study that holds some of the edits only."""
    rows = [row for row in edits(40, source="human") if keep(row)]
    (folder / "s").mkdir(parents=True)
    other = folder / "s"
    for name in ("study.toml", "directions.jsonl"):
        (other / name).write_bytes((study.folder / name).read_bytes())
    for path in study.folder.glob("planted_*.py"):
        (other / path.name).write_bytes(path.read_bytes())
    write_jsonl(other / "interventions.jsonl", rows)
    found = load_study(other)
    sweep(found)
    return profile_study(found)["judges"][0]


@pytest.mark.parametrize(("domain", "kind"), [("domain 1", "alone"), ("domain 2", "left out")])
def test_a_domain_is_read_as_a_study_of_its_own(study, tmp_path, domain, kind):
    source = source_of_study(study)
    found = domain_splits(source.table, options_of(study))
    assert len(found["rows"]) == 8
    (row,) = [r for r in found["rows"] if (r["domain"], r["kind"]) == (domain, kind)]
    keep = (lambda e: e.domain == domain) if kind == "alone" else (lambda e: e.domain != domain)
    expected = alone(study, tmp_path, keep)
    (judge,) = row["judges"]
    assert (judge["status"], judge["tau"]) == (
        expected["status"],
        expected["operating_point"] and expected["operating_point"]["tau"],
    )
    if expected["operating_point"] is not None:
        for name in ("S", "R", "R_scope", "R_strength"):
            assert judge["rates"][name]["estimate"] == expected["operating_point"][name]
    assert row["n_construct"] == expected["n_pairs"]["construct"]
    assert row["n_invariance"] == expected["n_pairs"]["invariance"]


def test_a_change_is_the_subset_minus_the_whole(study):
    source = source_of_study(study)
    whole = profile_study(study)["judges"][0]["operating_point"]
    rows = domain_splits(source.table, options_of(study))["rows"]
    for row in rows:
        for judge in row["judges"]:
            if judge["change"] is None:
                continue
            for name in ("S", "R"):
                change = judge["change"][name]
                moved = judge["rates"][name]["estimate"] - whole[name]
                assert change["estimate"] == pytest.approx(moved)
                assert change["low"] <= change["estimate"] <= change["high"]
            gap = judge["rates"]["R_scope"]["estimate"] - judge["rates"]["R_strength"]["estimate"]
            assert judge["rates"]["gap"]["estimate"] == pytest.approx(gap)


def test_all_slots_below_the_bar_leave_and_those_that_reach_it_stay(study):
    source = source_of_study(study)
    bars = (0.5, 0.75, 0.9, 1.0)
    found = bar_splits(source, options_of(study), bar=0.75, bars=bars)
    assert found["reason"] is None
    by_name = {row["subset"]: row for row in found["rows"]}
    assert list(by_name) == ["bar 0.5", "bar 0.75", "bar 0.9", "bar 1", "unanimous"]
    assert by_name["bar 0.5"]["slots"] == sorted(SLOT_AGREEMENT)
    assert by_name["bar 0.75"]["slots"] == ["domain_extension", "format_shift", "hedging_removal"]
    assert by_name["bar 0.75"]["registered"]
    assert by_name["bar 0.9"]["slots"] == ["domain_extension", "format_shift"]
    # No axis reaches full agreement, so nothing is left to read.
    assert by_name["bar 1"]["n_construct"] == by_name["bar 1"]["n_judges"] == 0
    assert by_name["bar 1"]["mean"] is None
    assert by_name["bar 1"]["reason"] == "no judge has a frontier with a cut at the floor"
    assert by_name["unanimous"]["slots"] == ["domain_extension", "format_shift"]
    same = by_name["bar 0.75"]["change"]
    assert {same[name][end] for name in same for end in ("estimate", "low", "high")} == {0.0}


def test_the_contrast_at_the_studys_bar_is_the_profiles(study):
    source = source_of_study(study)
    options = options_of(study)
    found = bar_splits(source, options, bar=0.75, bars=())
    registered = found["rows"][0]
    expected = next(row for row in profile_study(study)["bars"] if row["registered"])
    assert registered["mean"]["gap"]["estimate"] == expected["gap"]["estimate"]
    assert registered["mean"]["S"]["estimate"] == expected["mean"]["S"]
    assert registered["mean"]["R"]["estimate"] == expected["mean"]["R"]


def test_bars_do_not_apply_without_people(study, tmp_path):
    other = make_study(tmp_path / "c", ONE, BODY, n_base=6)
    sweep(other)
    found = bar_splits(source_of_study(other), options_of(other), bar=0.75, bars=(0.5,))
    assert found == {
        "rows": [],
        "reason": "direction is by construction: no agreement can be relaxed",
    }
    (study.annotation_path).rename(tmp_path / "kept.json")
    try:
        found = bar_splits(source_of_study(study), options_of(study), bar=0.75, bars=(0.5,))
        assert found["reason"] == "the agreement of those who set the direction is not known"
    finally:
        (tmp_path / "kept.json").rename(study.annotation_path)


def test_one_domain_has_no_split(tmp_path):
    other = make_study(tmp_path / "c", ONE, BODY, n_base=1)
    sweep(other)
    found = domain_splits(source_of_study(other).table, options_of(other))
    assert found == {"rows": [], "reason": "the items name fewer than two domains"}
