import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.records import Intervention, Rejection
from judgeprobe.taxonomy import load_taxonomy
from judgeprobe.yields import yields, yields_by_axis

SLOTS = load_taxonomy("claim-calibration").slots


def edit(number: int, slot: str, change: float = 0.0, attempts: int = 1) -> Intervention:
    place = next(s for s in SLOTS if s.name == slot)
    return Intervention(
        id=f"{slot}-{number}",
        base_id=f"b{number}",
        slot=slot,
        axis=place.axis,
        arm=place.arm,
        evidence="E",
        original="A",
        edited="B",
        generator="rules",
        family="rules",
        attempts=attempts,
        length_change=change,
        direction_source="construction",
    )


def refusal(number: int, slot: str, gate: str) -> Rejection:
    return Rejection(base_id=f"b{number}", slot=slot, stage="gate", gate=gate, reason="r", text="t")


def test_counts_of_a_slot_by_hand() -> None:
    accepted = [
        edit(1, "reordering", 0.1, 1),
        edit(2, "reordering", -0.3, 3),
        edit(3, "reordering", -0.2, 2),
    ]
    refused = [
        refusal(1, "reordering", "noop"),
        refusal(4, "reordering", "length"),
        refusal(5, "reordering", "length"),
    ]
    row = next(r for r in yields(accepted, refused, SLOTS) if r.name == "reordering")
    assert (row.axis, row.arm) == ("control", "invariance")
    assert (row.generated, row.accepted, row.items) == (6, 3, 5)
    assert list(row.rejected.items()) == [("length", 2), ("noop", 1)]
    assert row.attempts == 2
    assert row.length_absolute == pytest.approx(0.2)
    assert row.length_signed == pytest.approx(-0.2)


def test_a_slot_without_edits_has_a_row_and_no_invented_length() -> None:
    rows = yields([], [], SLOTS)
    assert [row.name for row in rows] == [slot.name for slot in SLOTS]
    assert all(row.generated == 0 and row.length_signed is None for row in rows)
    assert all(row.attempts is None for row in rows)


def test_slots_that_the_taxonomy_lacks_come_after_its_own() -> None:
    other = edit(1, "reordering").model_copy(update={"slot": "same"})
    rows = yields([other], [refusal(1, "odd", "noop")], SLOTS)
    assert [row.name for row in rows[-2:]] == ["odd", "same"]
    assert rows[-2].axis == ""
    assert [row.name for row in yields([other], [], ())] == ["same"]


gates = st.sampled_from(["noop", "length", "identity"])
slots = st.sampled_from([slot.name for slot in SLOTS])


@given(
    st.lists(st.tuples(st.integers(0, 5), slots), max_size=30),
    st.lists(st.tuples(st.integers(0, 5), slots, gates), max_size=30),
)
def test_generated_is_accepted_and_rejected_for_every_slot_and_axis(
    made: list[tuple[int, str]], refused: list[tuple[int, str, str]]
) -> None:
    accepted = [edit(*pair) for pair in made]
    rejections = [refusal(*row) for row in refused]
    by_slot = yields(accepted, rejections, SLOTS)
    by_axis = yields_by_axis(accepted, rejections, SLOTS)
    for rows in (by_slot, by_axis):
        for row in rows:
            assert row.generated == row.accepted + sum(row.rejected.values())
        assert sum(row.accepted for row in rows) == len(accepted)
        assert sum(row.generated for row in rows) == len(accepted) + len(rejections)
    assert [row.name for row in by_axis] == ["scope", "strength", "control"]
