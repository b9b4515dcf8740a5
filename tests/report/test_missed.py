import pandas as pd
import pytest

from judgeprobe.records import Intervention, text_id
from judgeprobe.report.missed import missed_edits
from judgeprobe.report.view import ProfileView

TAU = 2.5


def edit(name, arm="construct", slot="hedging_removal"):
    return Intervention(
        id=name,
        base_id=f"base {name}",
        slot=slot,
        axis="strength" if arm == "construct" else "control",
        arm=arm,
        evidence="e",
        original=f"{name} may",
        edited=f"{name} will",
        generator="rules",
        family="rules",
        length_change=0.0,
        direction_source="people",
    )


def graded(judge, name, before, after, status="graded"):
    return [
        {
            "judge": judge,
            "text_id": text_id("e", f"{name} {word}"),
            "repetition": 0,
            "status": status,
            "value": value,
        }
        for word, value in (("may", before), ("will", after))
    ]


def view(*judges, rule="cut", tau=TAU):
    point = {"tau": tau, "S": 0.95, "R": 0.5}
    return ProfileView.model_validate(
        {
            "direction": "human",
            "floor": 0.9,
            "rule": rule,
            "n_base": 3,
            "judges": [
                {"judge": j, "status": "frontier", "operating_point": point} for j in judges
            ],
        }
    )


EDITS = [edit("a"), edit("b"), edit("c"), edit("d", arm="invariance", slot="reordering")]


def test_an_edit_is_missed_when_no_verdict_changes():
    grades = pd.DataFrame(
        graded("x", "a", 3, 2) + graded("x", "b", 4, 3) + graded("x", "c", 3, 5)
        + graded("x", "d", 4, 4)
    )  # fmt: skip
    (by,) = missed_edits(view("x"), EDITS, grades)
    assert (by.n_missed, by.n_graded) == (2, 3)
    assert by.by_slot == {"hedging_removal": (2, 3)}
    assert [m.edit.id for m in by.shown] == ["c", "b"]
    assert (by.shown[0].before, by.shown[0].after, by.shown[0].margin) == (3, 5, 0.5)


def test_the_most_confident_miss_comes_first():
    grades = pd.DataFrame(
        graded("x", "a", 3, 5) + graded("x", "b", 4.5, 4) + graded("x", "c", 0, 0.5)
    )
    (by,) = missed_edits(view("x"), EDITS, grades)
    # By the grade of the edited text: 5, 4, 0.5; the margin is the nearer grade's.
    assert [(m.edit.id, m.margin, m.passed) for m in by.edits] == [
        ("a", 0.5, True),
        ("b", 1.5, True),
        ("c", 2.0, False),
    ]
    assert by.of_slot("hedging_removal") == by.edits
    assert by.of_slot("reordering") == ()


def test_what_others_noticed_comes_first_among_equals():
    grades = pd.DataFrame(
        graded("x", "a", 4, 4) + graded("x", "b", 4, 4)
        + graded("y", "a", 4, 4) + graded("y", "b", 4, 1)
    )  # fmt: skip
    first, second = missed_edits(view("x", "y"), EDITS, grades)
    assert [(m.edit.id, m.noticed_by) for m in first.shown] == [("b", 1), ("a", 0)]
    assert [m.edit.id for m in second.shown] == ["a"]


def test_the_rule_shift_reads_the_move_of_the_grade():
    grades = pd.DataFrame(graded("x", "a", 3, 2) + graded("x", "b", 5, 4.5))
    (by,) = missed_edits(view("x", rule="shift", tau=0.75), EDITS, grades)
    assert [(m.edit.id, m.margin, m.passed) for m in by.shown] == [("b", 0.25, None)]


def test_ungraded_pairs_are_not_missed_and_a_judge_without_cut_misses_all():
    grades = pd.DataFrame(graded("x", "a", 3, 1) + graded("x", "b", None, None, status="refused"))
    (by,) = missed_edits(view("x", tau=None), EDITS, grades)
    assert (by.n_missed, by.n_graded) == (1, 1)
    assert (by.edits[0].margin, by.edits[0].passed) == (None, None)


@pytest.mark.parametrize("grades", [None, pd.DataFrame(graded("other", "a", 1, 2))])
def test_without_grades_there_is_nothing_to_say(grades):
    assert missed_edits(view("x"), EDITS, grades) == ()
