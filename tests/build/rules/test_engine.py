"""Properties of the rules generator as a whole."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeprobe import resources
from judgeprobe.build.gates import Pair, first_failure, run_gates, seen_key
from judgeprobe.build.rules import OPERATORS, generate
from judgeprobe.files import read_jsonl
from judgeprobe.records import BaseItem
from judgeprobe.taxonomy import load_taxonomy
from judgeprobe.typography import normalise

TAXONOMY = load_taxonomy("claim-calibration")
SLOTS = [slot.name for slot in TAXONOMY.slots]

ROOT = Path(__file__).parents[3]

LEADS = ["", "When wind was weak, ", "After rain, ", "In dry years, ", "Although few slept, "]
SUBJECTS = ["some lakes", "night nurses", "dust", "adults with mild asthma", "the soil moisture",
            "many of the wells", "a young farmer", "zinc", "people",
            "the MRI protocol"]  # fmt: skip
PREDICATES = ["may improve", "often declined in May", "appeared to reduce yields", "were cooler",
              "was linked to mood", "can lead to error", "fell by 5 cm", "probably helped children",
              "did not change", "showed a possible gain", "tended to grow"]  # fmt: skip
TAILS = ["", " when levels were low", " in coastal basins", ", which may reflect age",
         ", because demand rose", " and improved recall", ", although mice lived"]  # fmt: skip

claims = st.tuples(*(st.sampled_from(parts) for parts in (LEADS, SUBJECTS, PREDICATES, TAILS))).map(
    lambda parts: (
        (text := "".join([parts[0], parts[1], " ", parts[2], parts[3], "."]))[0].upper() + text[1:]
    )
)


def item(claim: str, evidence: str = "") -> BaseItem:
    return BaseItem(id="b", evidence=evidence, claim=claim)


@settings(max_examples=150, deadline=None)
@given(claims, st.sampled_from(SLOTS))
def test_every_candidate_is_a_clean_edit_of_the_claim(claim: str, slot: str) -> None:
    found = generate(item(claim), TAXONOMY.slot(slot), TAXONOMY, limit=10)
    assert found == generate(item(claim), TAXONOMY.slot(slot), TAXONOMY, limit=10)
    for candidate in found:
        text = candidate.text
        assert normalise(text) != normalise(claim)
        assert "  " not in text
        assert not re.search(r",\s*[,.]|\s[,.]|\(\s|\s\)", text)
        assert text.strip("*#- ")[0].isupper()
        assert text.rstrip("*").endswith(".")
        assert candidate.slot == slot
        assert candidate.operator in {operator.name for operator in OPERATORS[slot]}
    assert len({normalise(candidate.text) for candidate in found}) == len(found)


@settings(max_examples=150, deadline=None)
@given(claims, st.sampled_from(SLOTS))
def test_no_operator_moves_a_marker_of_another_axis(claim: str, slot: str) -> None:
    for candidate in generate(item(claim), TAXONOMY.slot(slot), TAXONOMY, limit=10):
        pair = Pair("b", "", claim, candidate.text)
        results = run_gates(pair, TAXONOMY.slot(slot), TAXONOMY, every=True)
        for name in ("other_axis", "epistemic", "anchor", "well_formed", "no_op"):
            assert results[name].passed, (claim, candidate, results[name])


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=120), st.sampled_from(SLOTS))
def test_any_text_is_read_without_a_fault(text: str, slot: str) -> None:
    for candidate in generate(item(text), TAXONOMY.slot(slot), TAXONOMY, limit=5):
        assert normalise(candidate.text) != normalise(text)


def test_the_limit_takes_the_first_candidates() -> None:
    slot = TAXONOMY.slot("format_shift")
    many = generate(item("Ice melts."), slot, TAXONOMY, limit=10)
    assert len(many) >= 4
    assert generate(item("Ice melts."), slot, TAXONOMY) == many[:1]
    assert generate(item("Ice melts."), slot, TAXONOMY, limit=2) == many[:2]


def test_an_operator_that_does_not_apply_yields_nothing() -> None:
    for name in SLOTS:
        if name != "format_shift":
            assert generate(item("Ice melts."), TAXONOMY.slot(name), TAXONOMY) == ()


def test_a_slot_that_the_rules_do_not_know_gets_nothing() -> None:
    slot = TAXONOMY.slots[0].model_copy(update={"name": "completeness"})
    other = TAXONOMY.model_copy(update={"slots": (slot,)})
    assert generate(item("Some lakes may freeze."), slot, other) == ()


def test_every_slot_has_operators_and_names_are_unique() -> None:
    assert set(OPERATORS) == set(SLOTS)
    names = [operator.name for operators in OPERATORS.values() for operator in operators]
    assert len(set(names)) == len(names)


def test_every_slot_has_twenty_accepted_interventions_on_the_shipped_items() -> None:
    accepted: Counter[str] = Counter()
    for base in read_jsonl(resources.path("probes", "base_items.jsonl"), BaseItem):
        seen: set[tuple[str, str]] = set()
        for slot in TAXONOMY.slots:
            for candidate in generate(base, slot, TAXONOMY):
                pair = Pair(base.id, base.evidence, base.claim, candidate.text)
                if first_failure(run_gates(pair, slot, TAXONOMY, seen)) is None:
                    accepted[slot.name] += 1
                    seen.add(seen_key(base.id, candidate.text))
    assert set(accepted) == set(SLOTS)
    assert min(accepted.values()) >= 20, accepted
    # The pages say how many edits were read; another number was not.
    for page in (ROOT / "docs" / "rules.md", ROOT / "probes" / "DATA_CARD.md"):
        for slot_name, count in accepted.items():
            assert f"| {slot_name} | {count} |" in page.read_text("utf-8"), (page, slot_name)


def test_every_operator_is_on_the_page() -> None:
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    for operators in OPERATORS.values():
        for operator in operators:
            assert f"`{operator.name}`" in page


SHARED = Path(os.environ.get("JUDGEPROBE_SHARED", Path(__file__).parents[4] / "shared"))
INSCIOUT = SHARED / "data" / "claims" / "insciout_test.jsonl"


@pytest.mark.skipif(not INSCIOUT.is_file(), reason=f"{INSCIOUT} is not there")
def test_claims_written_elsewhere_give_well_formed_edits() -> None:
    rows = [json.loads(line) for line in INSCIOUT.read_text("utf-8").splitlines()[:150]]
    made: Counter[str] = Counter()
    faulty = []
    for row in rows:
        claim = row["abstract_conclusion"]
        for slot in TAXONOMY.slots:
            for candidate in generate(item(claim), slot, TAXONOMY):
                made[slot.name] += 1
                pair = Pair("b", "", claim, candidate.text)
                result = run_gates(pair, slot, TAXONOMY, every=True)
                if not result["well_formed"].passed or not result["no_op"].passed:
                    faulty.append(candidate)
    assert set(made) == set(SLOTS)
    assert not faulty
