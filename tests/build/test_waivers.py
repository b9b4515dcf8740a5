"""What a slot of one's own may waive, and what it may not."""

import pytest

from judgeprobe.build.gates import GATES, Pair, check_waivers, first_failure, run_gates
from judgeprobe.errors import InputError
from judgeprobe.taxonomy import Slot, Taxonomy, load_taxonomy

CLAIM = "You can return the lamp to Anna Berg within 14 days. Refunds take 5 days."


def taxonomy(*waives: str) -> Taxonomy:
    slot = Slot(
        name="left_out", axis="coverage", arm="construct", gloss="g", length="free", waives=waives
    )
    axes = {"coverage": "c", "control": "s"}
    return Taxonomy(name="t", version=1, measures="m", question="q", axes=axes, slots=(slot,))


@pytest.mark.parametrize(
    ("edited", "waives", "refused_by"),
    [
        ("You can return the lamp to Anna Berg within 14 days.", (), "well_formed"),
        ("You can return the lamp to Anna Berg within 14 days.", ("sentences",), "numbers"),
        ("You can return the lamp to Anna Berg within 14 days.",
         ("sentences", "lost_numbers"), ""),
        ("You can return the lamp within 14 days. Refunds take 5 days.", (), "entities"),
        ("You can return the lamp within 14 days. Refunds take 5 days.", ("lost_entities",), ""),
        # Nothing may come in.
        ("You can return the lamp to Anna Berg within 21 days. Refunds take 5 days.",
         ("lost_numbers",), "numbers"),
        ("You can return the lamp to Carl Berg within 14 days. Refunds take 5 days.",
         ("lost_entities",), "entities"),
        ("You can return the lamp to Anna Berg within 21 days. Refunds take 5 days.",
         ("numbers",), ""),
        # Other parts of the gate still hold.
        ("You can return the the lamp to Anna Berg within 14 days.",
         ("sentences", "lost_numbers"), "well_formed"),
    ],
)  # fmt: skip
def test_a_slot_waives_what_it_names_and_no_more(
    edited: str, waives: tuple[str, ...], refused_by: str
) -> None:
    own = taxonomy(*waives)
    failure = first_failure(run_gates(Pair("b", "e", CLAIM, edited), own.slots[0], own))
    assert (failure or ("", ""))[0] == refused_by


def test_a_waived_gate_that_there_is_not_is_named_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="`left_out` of the taxonomy t waives `lenght`") as error:
        check_waivers(taxonomy("lenght"))
    for gate in GATES:
        assert gate.name in str(error.value)


@pytest.mark.parametrize("name", ["claim-calibration", "answer-completeness"])
def test_shipped_taxonomies_waive_known_gates(name: str) -> None:
    check_waivers(load_taxonomy(name))


def test_the_first_construct_waives_nothing() -> None:
    assert all(not slot.waives for slot in load_taxonomy("claim-calibration").slots)


def test_operators_of_ones_own_axes_are_held_apart() -> None:
    slots = (
        Slot(name="drop", axis="coverage", arm="construct", gloss="g", length="free"),
        Slot(name="blur", axis="precision", arm="construct", gloss="g", length="free"),
    )
    own = Taxonomy(
        name="t", version=1, measures="m", question="q",
        axes={"coverage": "c", "precision": "p", "control": "s"}, slots=slots,
        operators={"precision": ("vague",)}, lists={"vague": ("about", "roughly")},
    )  # fmt: skip
    pair = Pair(
        "b", "e", "The lamp weighs 4 kg and is grey.", "The lamp weighs about 4 kg and is grey."
    )
    assert first_failure(run_gates(pair, slots[0], own))[0] == "other_axis"
    assert first_failure(run_gates(pair, slots[1], own)) is None
