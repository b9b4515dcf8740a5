"""Control judges: their profile is known beforehand, and the definition measures it."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeprobe.records import CONTROLS, Scale, text_id
from judgeprobe.sweep.controls import control_grades

from .conftest import make_interventions

SCALE = Scale()


def share_changed(edits, grades, arm):
    """Equation 6, as an explicit loop: base items equal, edits within one equal."""
    by_base = defaultdict(list)
    for edit in edits:
        if edit.arm == arm:
            before = grades[text_id(edit.evidence, edit.original)] >= SCALE.midpoint
            after = grades[text_id(edit.evidence, edit.edited)] >= SCALE.midpoint
            by_base[edit.base_id].append(before != after)
    shares = [sum(flags) / len(flags) for flags in by_base.values()]
    return sum(shares) / len(shares), len(shares)


@pytest.mark.parametrize("bases", [20, 60, 300])
@pytest.mark.parametrize("seed", range(5))
def test_each_control_measures_what_it_must(bases, seed):
    edits = make_interventions(bases, seed=seed)
    found = {control.name: control for control in control_grades(edits, SCALE, seed=seed)}
    assert list(found) == [control.name for control in CONTROLS]
    for control in CONTROLS:
        if control.S is None:
            continue
        grades = found[control.name].grades
        assert found[control.name].conflicts == 0
        changed, n_invariance = share_changed(edits, grades, "invariance")
        moved, n_construct = share_changed(edits, grades, "construct")
        if control.exact:
            assert (1 - changed, moved) == (control.S, control.R)
        else:
            assert abs(1 - changed - control.S) <= 0.5 / n_invariance + 1e-9
            assert abs(moved - control.R) <= 0.5 / n_construct + 1e-9


def test_planted_meets_its_share_in_every_slot():
    edits = make_interventions(400, seed=3)
    planted = control_grades(edits, SCALE, seed=1)[2].grades
    for slot in {edit.slot for edit in edits}:
        rows = [edit for edit in edits if edit.slot == slot]
        changed = sum(planted[text_id(edit.evidence, edit.edited)] < 2.5 for edit in rows)
        wanted = 0.4 if rows[0].arm == "construct" else 0.1
        assert abs(changed / len(rows) - wanted) < 0.06


def test_a_text_in_two_roles_keeps_every_requirement_it_can():
    first, second = make_interventions(2, seed=1, most=1)
    # The second edit starts from the first one's edited text: flip must alternate along the chain.
    chain = second.model_copy(
        update={"evidence": first.evidence, "original": first.edited, "edited": "a third text"}
    )
    flip = control_grades([first, chain], SCALE, seed=0)[1]
    texts = [first.original, first.edited, "a third text"]
    values = [flip.grades[text_id(first.evidence, text)] for text in texts]
    assert flip.conflicts == 0
    assert values[0] != values[1]
    assert values[1] != values[2]


def test_a_requirement_that_cannot_be_met_is_counted():
    (edit,) = make_interventions(1, seed=2, most=1)
    same = edit.model_copy(update={"id": "same", "edited": edit.original})
    constant, flip = control_grades([edit, same], SCALE, seed=0)[:2]
    assert (constant.conflicts, flip.conflicts) == (0, 1)
    arms = [
        edit.model_copy(update={"id": "one", "arm": "construct"}),
        edit.model_copy(update={"id": "two", "arm": "invariance"}),
    ]
    assert [control.conflicts for control in control_grades(arms, SCALE, seed=0)[:2]] == [0, 0]


def test_length_reads_nothing_but_the_number_of_words():
    edits = make_interventions(10, seed=4)
    grades = control_grades(edits, Scale(1, 7, 1), seed=0)[3].grades
    for edit in edits:
        words = len(edit.edited.split())
        found = grades[text_id(edit.evidence, edit.edited)]
        assert found == pytest.approx(1 + 6 * words / (words + 20), abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 30), st.integers(0, 1000))
def test_the_order_of_the_file_changes_nothing(bases, seed):
    edits = make_interventions(bases, seed=seed)
    assert control_grades(edits, SCALE, seed=5) == control_grades(edits[::-1], SCALE, seed=5)
