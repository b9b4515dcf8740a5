import pytest

from judgeprobe.errors import InputError
from judgeprobe.taxonomy import load_taxonomy


def test_every_slot_of_the_reference_has_its_axis_and_arm() -> None:
    taxonomy = load_taxonomy("claim-calibration")
    found = {(slot.axis, slot.arm): [] for slot in taxonomy.slots}
    for slot in taxonomy.slots:
        found[slot.axis, slot.arm].append(slot.name)
    assert found == {
        ("scope", "construct"): [
            "domain_extension",
            "population_widening",
            "quantifier_strengthening",
            "tense_modality_shift",
        ],
        ("strength", "construct"): [
            "condition_removal",
            "hedging_removal",
            "intensifier_addition",
        ],
        ("control", "invariance"): [
            "elaboration",
            "format_shift",
            "register_shift",
            "reordering",
            "verbosity_padding",
        ],
    }


def test_the_constants_are_the_registered_ones() -> None:
    constants = load_taxonomy("claim-calibration").constants
    assert constants.agreement_bar == 0.75
    assert constants.length_tolerance == 0.10
    assert constants.invariance_floor == 0.90
    assert constants.usable_share == 0.01


def test_an_unknown_taxonomy_is_named() -> None:
    with pytest.raises(InputError, match="no taxonomy `nonsense` is shipped"):
        load_taxonomy("nonsense")
