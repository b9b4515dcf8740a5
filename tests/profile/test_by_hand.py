"""Small tables worked by hand on paper: no number below was printed and copied."""

from pathlib import Path
from typing import Any

import pytest
from tests.helpers.pair_tables import profile_of, read_pairs

THIRD = 1 / 3


def only_judge(profile: dict[str, Any]) -> dict[str, Any]:
    assert len(profile["judges"]) == 1
    judge: dict[str, Any] = profile["judges"][0]
    return judge


def point_of(judge: dict[str, Any], *names: str) -> dict[str, float]:
    return {name: judge["operating_point"][name] for name in names}


# Two base items with four and three edits.
#   b1 (4): scope 2, scope 4, strength 3, control 4      b2 (3): strength 1, control 3, control 1
# Cut 1.5: b1 nothing moves; b2 strength and one of two controls move.
# Cut 2.5: b1 one scope edit moves too.    Cut 3.5: b1 scope and strength move, b2 nothing.
UNEQUAL = [
    ("a", "b1", "domain_extension", 4, 2),
    ("a", "b1", "population_widening", 4, 4),
    ("a", "b1", "hedging_removal", 4, 3),
    ("a", "b1", "format_shift", 4, 4),
    ("a", "b2", "condition_removal", 3, 1),
    ("a", "b2", "reordering", 3, 3),
    ("a", "b2", "register_shift", 3, 1),
]


def test_unequal_edits_weigh_base_items_equally(tmp_path: Path) -> None:
    profile = profile_of(read_pairs(tmp_path, UNEQUAL))
    judge = only_judge(profile)
    assert [(c["tau"], c["S"], c["R"], c["hull"]) for c in judge["frontier"]] == [
        (1.5, 0.75, 0.5, False),
        (2.5, 0.75, pytest.approx(2 * THIRD), True),
        (3.5, 1.0, pytest.approx(THIRD), True),
    ]
    assert point_of(judge, "tau", "S", "R", "R_scope", "R_strength") == {
        "tau": 3.5,
        "S": 1.0,
        "R": pytest.approx(THIRD),
        "R_scope": 0.5,
        "R_strength": 0.5,
    }
    # Pooled, b1's three construct edits weigh three times b2's one.
    assert judge["pooled"] == {"S": 1.0, "R": 0.5, "R_scope": 0.5, "R_strength": 0.5}
    assert judge["status"] == "frontier"
    # Nine texts: two originals and seven edits.
    assert (judge["n_graded"], judge["n_ungraded"]) == (9, 0)
    assert (judge["distinct_grades"], judge["usable_grades"], judge["usable_points"]) == (4, 4, 3)
    assert judge["n_pairs"] == {"construct": 4, "invariance": 3, "ungraded": 0}
    assert judge["operating_point"]["n_base"] == {"invariance": 2, "construct": 2}
    assert (profile["n_base"], profile["gap"]["estimate"]) == (2, 0.0)


def test_a_lower_floor_reads_the_same_judge_elsewhere(tmp_path: Path) -> None:
    judge = only_judge(profile_of(read_pairs(tmp_path, UNEQUAL), floor=0.75))
    assert point_of(judge, "tau", "S", "R", "R_scope", "R_strength") == {
        "tau": 2.5,
        "S": 0.75,
        "R": pytest.approx(2 * THIRD),
        "R_scope": 0.5,
        "R_strength": 0.5,
    }
    assert judge["control_flip_rate"] == 0.25
    slots = {row["slot"]: (row["n"], row["rate"]) for row in judge["slots"]}
    assert slots == {
        "domain_extension": (1, 1.0),
        "population_widening": (1, 0.0),
        "hedging_removal": (1, 0.0),
        "condition_removal": (1, 1.0),
        "format_shift": (1, 0.0),
        "reordering": (1, 0.0),
        "register_shift": (1, 1.0),
    }


def test_ties_in_r_go_to_the_larger_s_then_to_the_smaller_tau(tmp_path: Path) -> None:
    # Grades 1, 2, 3, 4 -> cuts 1.5, 2.5, 3.5. The construct edit 4 -> 1 moves at every cut: R = 1/2
    # throughout. Controls: 2 -> 1 moves at 1.5 only. So S = 1/2, 1, 1: the tie is broken by S, then
    # by tau: 2.5.
    rows = [
        ("a", "b1", "domain_extension", 4, 1),
        ("a", "b2", "hedging_removal", 3, 3),
        ("a", "b1", "format_shift", 4, 4),
        ("a", "b3", "reordering", 2, 1),
    ]
    judge = only_judge(profile_of(read_pairs(tmp_path, rows), floor=0.5))
    assert [(c["tau"], c["S"], c["R"], c["hull"]) for c in judge["frontier"]] == [
        (1.5, 0.5, 0.5, False),
        (2.5, 1.0, 0.5, True),
        (3.5, 1.0, 0.5, False),
    ]
    assert judge["operating_point"]["tau"] == 2.5
    # b1 alone has a scope edit, b2 alone a strength edit.
    assert point_of(judge, "R_scope", "R_strength") == {"R_scope": 1.0, "R_strength": 0.0}


def test_missing_grades_are_left_out_counted_and_bounded(tmp_path: Path) -> None:
    # Cut 3 is the only one. b1: scope moves; a second scope edit is ungraded. b2: strength holds;
    # control ungraded. b3: control holds.
    rows = [
        ("a", "b1", "domain_extension", 4, 2),
        ("a", "b1", "population_widening", 4, None),
        ("a", "b2", "hedging_removal", 4, 4),
        ("a", "b2", "format_shift", 4, None),
        ("a", "b3", "reordering", 2, 2),
    ]
    profile = profile_of(read_pairs(tmp_path, rows))
    judge = only_judge(profile)
    assert point_of(judge, "tau", "S", "R", "R_scope", "R_strength") == {
        "tau": 3.0,
        "S": 1.0,
        "R": 0.5,
        "R_scope": 1.0,
        "R_strength": 0.0,
    }
    # None changed: R = (1/2 + 0) / 2. All changed: R = (2/2 + 0) / 2. S: b2 0 or 1, b3 holds.
    assert judge["bounds"] == {
        "S": {"low": 0.5, "high": 1.0, "n_ungraded": 1},
        "R": {"low": 0.25, "high": 0.5, "n_ungraded": 1},
        "R_scope": {"low": 0.5, "high": 1.0, "n_ungraded": 1},
        "R_strength": {"low": 0.0, "high": 0.0, "n_ungraded": 0},
    }
    assert judge["n_pairs"] == {"construct": 2, "invariance": 1, "ungraded": 2}
    # Texts: three originals, five edits, two of those ungraded.
    assert (judge["n_graded"], judge["n_ungraded"]) == (6, 2)
    left_out = [(row["what"], row["judge"], row["n"]) for row in profile["excluded"]]
    assert ("pair", "a", 2) in left_out


def test_a_constant_judge_is_a_single_point_at_the_corner(tmp_path: Path) -> None:
    rows = [
        ("a", "b1", "domain_extension", 3, 3),
        ("a", "b1", "hedging_removal", 3, 3),
        ("a", "b1", "format_shift", 3, 3),
    ]
    profile = profile_of(read_pairs(tmp_path, rows))
    judge = only_judge(profile)
    assert judge["status"] == "single point"
    assert judge["frontier"] == []
    assert point_of(judge, "tau", "S", "R", "R_scope", "R_strength", "S_interval") == {
        "tau": None,
        "S": 1.0,
        "R": 0.0,
        "R_scope": 0.0,
        "R_strength": 0.0,
        # One base item that held: (1 - 0.95) / 2 is the smallest S that it does not rule out.
        "S_interval": [pytest.approx(0.025), 1.0],
    }
    # No judge has a frontier, so nothing is compared.
    assert (profile["mean"], profile["gap"]["estimate"]) == (None, None)
    assert profile["gap"]["reason"] == "no judge has a frontier with a cut at the floor"


def test_two_grades_give_one_usable_cut(tmp_path: Path) -> None:
    rows = [
        ("a", "b1", "domain_extension", 4, 1),
        ("a", "b1", "hedging_removal", 4, 4),
        ("a", "b1", "format_shift", 4, 4),
    ]
    judge = only_judge(profile_of(read_pairs(tmp_path, rows)))
    assert (judge["status"], judge["distinct_grades"], judge["usable_points"]) == ("frontier", 2, 1)
    assert judge["frontier"] == [{"tau": 2.5, "S": 1.0, "R": 0.5, "hull": True}]


def test_a_grade_given_once_in_two_hundred_texts_is_not_usable(tmp_path: Path) -> None:
    # 100 base items, each with one construct and one control edit, all graded 4 but for a single
    # 1 (1 of 300 texts, under one percent): two distinct grades, one usable, no frontier.
    rows: list[tuple[object, ...]] = []
    for i in range(100):
        rows.append(("a", f"b{i:02d}", "domain_extension", 4, 1 if i == 0 else 4))
        rows.append(("a", f"b{i:02d}", "format_shift", 4, 4))
    judge = only_judge(profile_of(read_pairs(tmp_path, rows)))
    assert (judge["distinct_grades"], judge["usable_grades"], judge["usable_points"]) == (2, 1, 0)
    assert judge["status"] == "single point"
    assert point_of(judge, "tau", "S", "R") == {"tau": 2.5, "S": 1.0, "R": 0.01}


def test_a_judge_that_trips_over_every_edit_is_uninterpretable(tmp_path: Path) -> None:
    rows = [
        ("a", "b1", "domain_extension", 4, 1),
        ("a", "b1", "format_shift", 4, 1),
    ]
    judge = only_judge(profile_of(read_pairs(tmp_path, rows)))
    assert judge["status"] == "uninterpretable"
    assert judge["operating_point"] is None
    assert judge["reason"] == "no cut reaches S 0.9; best S 0.000"


def test_a_judge_without_invariance_pairs_gets_no_r(tmp_path: Path) -> None:
    judge = only_judge(profile_of(read_pairs(tmp_path, [("a", "b1", "domain_extension", 4, 1)])))
    assert (judge["status"], judge["reason"]) == ("uninterpretable", "no graded invariance pair")
    assert (judge["operating_point"], judge["frontier"]) == (None, [])


def test_means_and_the_gap_weigh_judges_equally(tmp_path: Path) -> None:
    # Judge a notices scope only, judge b notices half of scope and all of strength.
    rows = [
        ("a", "b1", "domain_extension", 4, 1),
        ("a", "b1", "hedging_removal", 4, 4),
        ("a", "b2", "domain_extension", 4, 1),
        ("a", "b2", "format_shift", 4, 4),
        ("b", "b1", "domain_extension", 4, 1),
        ("b", "b1", "hedging_removal", 4, 1),
        ("b", "b2", "domain_extension", 4, 4),
        ("b", "b2", "format_shift", 4, 4),
    ]
    profile = profile_of(read_pairs(tmp_path, rows))
    # a: b1 1/2, b2 1 -> R 3/4; scope (1 + 1) / 2, strength 0. b: b1 1, b2 0 -> R 1/2; scope 1/2,
    # strength 1.
    mean = profile["mean"]
    assert {k: mean[k] for k in ("n_judges", "S", "R", "R_scope", "R_strength")} == {
        "n_judges": 2,
        "S": 1.0,
        "R": 0.625,
        "R_scope": 0.75,
        "R_strength": 0.5,
    }
    gap = profile["gap"]
    assert (gap["estimate"], gap["positive_judges"], gap["n_judges"], gap["n_base"]) == (
        0.25,
        1,
        2,
        2,
    )
    slots = {row["slot"]: (row["n"], row["rate"], row["rank"]) for row in profile["slots"]}
    assert slots == {
        "domain_extension": (2, 0.75, 1),
        "hedging_removal": (1, 0.5, 2),
        "format_shift": (1, 0.0, None),
    }
