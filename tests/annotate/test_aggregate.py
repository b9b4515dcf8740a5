from itertools import product

import pytest
from tests.helpers.annotation import SLOTS, intervention

from judgeprobe.annotate.aggregate import DIRECTIONS, STATUSES, ItemLabel, aggregate, item_labels
from judgeprobe.annotate.blinding import make_key
from judgeprobe.records import Label

CONSTRUCT = 0
INVARIANCE = 8
ALL_SLOTS = {name: True for name, _, _ in SLOTS}
ALL_AXES = {axis: True for _, axis, _ in SLOTS}


def labels(item, *directions, facts=(True, True, True), role="main"):
    return [
        ItemLabel(item.id, f"annotator-{n}", role, direction, "original", same)
        for n, (direction, same) in enumerate(zip(directions, facts, strict=False), 1)
    ]


def decide(item, given, *, annotators=3, slots=ALL_SLOTS, axes=ALL_AXES):
    (found,) = aggregate(
        [item], given, planned={item.id: annotators}, measurable_slots=slots, measurable_axes=axes
    )
    return found


@pytest.mark.parametrize(
    ("slot", "directions", "majority", "status"),
    [
        (CONSTRUCT, ("edited",) * 3, "edited", "enters"),
        (CONSTRUCT, ("edited", "neither", "edited"), "edited", "enters"),
        (CONSTRUCT, ("original", "original", "edited"), "original", "against intent"),
        (CONSTRUCT, ("neither", "neither", "edited"), "neither", "against intent"),
        (CONSTRUCT, ("edited", "original", "neither"), None, "no majority"),
        (CONSTRUCT, ("cannot_tell", "cannot_tell", "edited"), "cannot_tell", "cannot tell"),
        (CONSTRUCT, ("cannot_tell", "edited", "edited"), "edited", "enters"),
        (CONSTRUCT, ("edited", "edited"), "edited", "enters"),
        (CONSTRUCT, ("edited", "neither"), None, "incomplete"),
        (CONSTRUCT, ("edited",), None, "incomplete"),
        (CONSTRUCT, (), None, "not annotated"),
        (INVARIANCE, ("neither",) * 3, "neither", "enters"),
        (INVARIANCE, ("edited",) * 3, "edited", "against intent"),
    ],
)
def test_the_majority_of_three_without_a_tie_break(slot, directions, majority, status):
    item = intervention(1, slot=slot)
    found = decide(item, labels(item, *directions))
    assert (found.majority, found.status) == (majority, status)
    assert sum(found.votes.values()) == len(directions)
    assert found.unanimous == (len(directions) == 3 and len(set(directions)) == 1)


def test_every_triple_of_answers_equals_a_count_by_hand():
    item = intervention(1, slot=CONSTRUCT)
    for triple in product(DIRECTIONS, repeat=3):
        found = decide(item, labels(item, *triple))
        twice = [name for name in DIRECTIONS if triple.count(name) >= 2]
        assert found.majority == (twice[0] if twice else None)
        assert found.matches_intent == (found.majority == "edited" if twice else None)
        assert found.status in STATUSES


def test_differing_facts_discard_a_pair_whatever_its_direction():
    item = intervention(1)
    given = labels(item, "edited", "edited", "edited", facts=(False, True, False))
    assert decide(item, given).status == "facts differ"
    given = labels(item, "edited", "original", "neither", facts=(False, False, None))
    assert decide(item, given).status == "facts differ"
    given = labels(item, "edited", "edited", "edited", facts=(False, None, True))
    assert decide(item, given).status == "enters"


def test_a_slot_or_axis_below_the_bar_stays_out_whole():
    item = intervention(1)
    given = labels(item, "edited", "edited", "edited")
    found = decide(item, given, slots={})
    assert (found.status, found.matches_intent) == ("slot not measurable", True)
    assert decide(item, given, axes={}).status == "axis not measurable"


def test_a_slot_in_neither_arm_has_a_direction_and_no_intent():
    item = intervention(1).model_copy(update={"arm": "reported_apart"})
    found = decide(item, labels(item, "edited", "edited", "neither"))
    assert (found.majority, found.matches_intent, found.status) == (
        "edited",
        None,
        "reported apart",
    )


def test_training_and_repeats_do_not_vote():
    item = intervention(1)
    given = labels(item, "edited", "edited", "edited", role="training")
    given += labels(item, "edited", "edited", "edited", role="repeat")
    assert decide(item, given).status == "not annotated"


@pytest.mark.parametrize("annotators", [1, 2, 4, 5])
def test_a_majority_is_more_than_half_of_those_planned(annotators):
    item = intervention(1)
    enough = annotators // 2 + 1
    others = ["neither", "original", "cannot_tell", "neither"][: annotators - enough]
    given = [
        ItemLabel(item.id, f"p{n}", "main", d, "edited", True)
        for n, d in enumerate(["edited"] * enough + others)
    ]
    assert decide(item, given, annotators=annotators).majority == "edited"
    fewer = [label for label in given if label.annotator != "p0"]
    assert decide(item, fewer, annotators=annotators).majority is None


def test_a_and_b_are_turned_by_each_annotators_own_order():
    items = [intervention(n, slot=n) for n in range(40)]
    key = make_key(b"k" * 32, "batch-001", items, ["x", "y", "z"], taxonomy="t")
    edited = [
        Label(
            unit_id=row.unit_id,
            annotator=row.annotator,
            direction="a" if row.first == "edited" else "b",
        )
        for row in key.rows
    ]
    assert {label.direction for label in edited} == {"a", "b"}
    assert {label.direction for label in item_labels([key], edited)} == {"edited"}
    swapped = [
        one.model_copy(update={"direction": "ab".replace(one.direction, "")}) for one in edited
    ]
    assert {label.direction for label in item_labels([key], swapped)} == {"original"}
    assert item_labels([key], [edited[0].model_copy(update={"unit_id": "unknown"})]) == []
