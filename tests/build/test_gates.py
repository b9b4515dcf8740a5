import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.build.gates import GATES, Pair, first_failure, run_gates, seen_key
from judgeprobe.taxonomy import load_taxonomy
from judgeprobe.typography import normalise

TAXONOMY = load_taxonomy("claim-calibration")
CLAIM = "In dry years, some lakes may lose 5 cm of water when CO2 rises."


def refused(
    edited: str, slot: str, *, original: str = CLAIM, evidence: str = ""
) -> tuple[str, str]:
    pair = Pair("b", evidence, original, edited)
    return first_failure(run_gates(pair, TAXONOMY.slot(slot), TAXONOMY)) or ("", "")


def test_a_clean_edit_keeps_every_verdict() -> None:
    pair = Pair("b", "", CLAIM, CLAIM.replace("may lose", "lose"))
    results = run_gates(pair, TAXONOMY.slot("hedging_removal"), TAXONOMY)
    assert list(results) == [gate.name for gate in GATES]
    assert all(result.passed and not result.detail for result in results.values())


def test_the_first_refusal_ends_the_run_unless_every_gate_is_asked_for() -> None:
    pair = Pair("b", "", CLAIM, "")
    slot = TAXONOMY.slot("hedging_removal")
    assert list(run_gates(pair, slot, TAXONOMY)) == ["no_op", "duplicate", "length", "well_formed"]
    assert list(run_gates(pair, slot, TAXONOMY, every=True)) == [gate.name for gate in GATES]


@pytest.mark.parametrize(
    ("edited", "slot", "gate", "reason"),
    [
        (CLAIM, "reordering", "no_op", "unchanged"),
        (f"**{CLAIM}**", "hedging_removal", "no_op", "markup"),
        ("Lakes may lose 5 cm of water.", "reordering", "length", "-54"),
        (CLAIM.replace("lose", "shed  "), "register_shift", "well_formed", "doubled spaces"),
        ("I am sorry, I cannot help with that.", "register_shift", "overlap", "40%"),
        (
            CLAIM.replace("5 cm", "5 mm"),
            "register_shift",
            "numbers",
            "loses `5 cm` and gains `5 mm`",
        ),
        (CLAIM.replace("CO2", "methane"), "register_shift", "entities", "loses `CO2`"),
        (f"According to divers, {CLAIM}", "register_shift", "anchor", "`according to`"),
        (CLAIM.replace("some", "all"), "hedging_removal", "other_axis", "`all`, which marks scope"),
        (CLAIM.replace("may lose", "lose"), "population_widening", "other_axis", "`may`"),
        (f"As is well known, {CLAIM}", "elaboration", "epistemic", "`as is well known`"),
    ],
)
def test_the_gate_and_the_reason(edited: str, slot: str, gate: str, reason: str) -> None:
    found, detail = refused(edited, slot)
    assert found == gate
    assert reason in detail


def test_a_text_already_accepted_for_the_item_is_a_duplicate() -> None:
    edited = CLAIM.replace("may lose", "lose")
    slot = TAXONOMY.slot("hedging_removal")
    seen = {seen_key("b", edited.upper().replace(" ", "\u00a0"))}
    assert first_failure(run_gates(Pair("b", "", CLAIM, edited), slot, TAXONOMY, seen)) == (
        "duplicate",
        "the same text is another intervention of this base item",
    )
    assert first_failure(run_gates(Pair("other", "", CLAIM, edited), slot, TAXONOMY, seen)) is None


def test_an_abbreviation_may_be_spelled_out_in_control_slots_only() -> None:
    edited = CLAIM.replace("CO2", "carbon dioxide")
    assert refused(edited, "verbosity_padding") == ("", "")
    assert refused(edited, "intensifier_addition")[0] == "entities"


def test_a_list_that_a_taxonomy_lacks_marks_nothing() -> None:
    bare = TAXONOMY.model_copy(update={"lists": {}})
    pair = Pair("b", "", CLAIM, CLAIM.replace("some", "all"))
    assert first_failure(run_gates(pair, bare.slot("hedging_removal"), bare)) is None


TYPESET = [
    ("A well\u2011kept pond may lose 5\u00a0cm of water.", "A well-kept pond loses 5 cm of water."),
    ("Ages 18\u201325 may differ in \u201ctrust\u201d.", 'Ages 18-25 differ in "trust".'),
    ("Kenya\u2019s lakes may shrink.", "Kenya's lakes shrink."),
    (
        "S\u00e3o Paulo\u2019s e\ufb03cient pumps may fail.",
        "Sa\u0303o Paulo's efficient pumps fail.",
    ),
    ("The \ufb02ow of PM2.5 may fall by 3\u202f%.", "The flow of PM2.5 falls by 3 %."),
    ("El Nin\u0303o years may bring \u22125\u00a0\u00b0C.", "El Ni\u00f1o years bring -5 \u00b0C."),
]


@pytest.mark.parametrize(("original", "edited"), TYPESET)
def test_retyped_facts_pass_the_identity_gates(original: str, edited: str) -> None:
    assert refused(edited, "hedging_removal", original=original) == ("", "")


@pytest.mark.parametrize(("original", "edited"), TYPESET)
def test_a_retyped_claim_is_a_no_op(original: str, edited: str) -> None:
    assert refused(normalise(original), "hedging_removal", original=original)[0] == "no_op"


TYPES = str.maketrans({"-": "\u2011", " ": "\u00a0", "'": "\u2019"})


@given(
    st.lists(
        st.sampled_from(
            ["ponds", "S\u00e3o Tom\u00e9", "5 cm", "CO2", "well-kept", "12%", "a 3-day"]
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["NFC", "NFD"]),
)
def test_identity_gates_see_normal_forms_only(words: list[str], form: str) -> None:
    text = f"Lakes may hold {' '.join(words)}."
    typeset = unicodedata.normalize(form, text.translate(TYPES))
    assert normalise(text) == normalise(typeset)
    slot = TAXONOMY.slot("register_shift")
    results = run_gates(Pair("b", "", text, typeset), slot, TAXONOMY, every=True)
    assert not results["no_op"].passed
    for name in ("numbers", "entities", "anchor", "other_axis", "epistemic"):
        assert results[name].passed, name


@given(st.text(max_size=80), st.sampled_from([slot.name for slot in TAXONOMY.slots]))
def test_gates_are_total_on_any_reply(text: str, slot: str) -> None:
    results = run_gates(Pair("b", "", CLAIM, text), TAXONOMY.slot(slot), TAXONOMY, every=True)
    assert list(results) == [gate.name for gate in GATES]
