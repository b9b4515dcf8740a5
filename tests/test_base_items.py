"""The shipped content: what base_items.jsonl and the marker lists must be."""

import json
import re
from collections import Counter

import pytest

from judgeprobe import resources
from judgeprobe.files import read_jsonl
from judgeprobe.markers import marker_list
from judgeprobe.records import BaseItem
from judgeprobe.taxonomy import load_taxonomy

DOMAINS = {"earth_science", "biomedicine", "machine_learning", "social_science"}


def items() -> list[BaseItem]:
    return read_jsonl(resources.path("probes", "base_items.jsonl"), BaseItem)


def sentences(text: str) -> list[str]:
    return re.findall(r"[^.!?]+(?:\.\d[^.!?]*)*[.!?]+(?=\s|$)", text)


def test_every_domain_has_at_least_sixteen_items() -> None:
    counts = Counter(item.domain for item in items())
    assert set(counts) == DOMAINS
    assert min(counts.values()) >= 16
    assert sum(counts.values()) >= 64


def test_ids_and_claims_are_unique() -> None:
    found = items()
    assert len({item.id for item in found}) == len(found)
    assert len({item.claim for item in found}) == len(found)


def test_evidence_is_two_to_four_sentences_and_a_claim_is_one() -> None:
    for item in items():
        assert 2 <= len(sentences(item.evidence)) <= 4, item.id
        assert len(sentences(item.claim)) == 1, item.id
        assert 12 <= len(item.claim.split()) <= 40, item.id
        assert item.claim.endswith("."), item.id


def test_text_is_plain_and_tidy() -> None:
    for item in items():
        for text in (item.claim, item.evidence):
            assert text.isascii(), item.id
            assert text == " ".join(text.split()), item.id
            assert not re.search(r"[,;.]{2}| [,;.]", text), item.id


def test_documents_stay_in_one_domain_and_some_have_several_claims() -> None:
    by_document: dict[str, set[str]] = {}
    for item in items():
        by_document.setdefault(item.document, set()).add(item.domain)
    assert all(len(domains) == 1 for domains in by_document.values())
    several = [n for n in Counter(item.document for item in items()).values() if n >= 2]
    assert len(several) >= 4


def test_licence_and_source_are_given() -> None:
    assert {(item.source, item.licence) for item in items()} == {
        ("written for judgeprobe", "Apache-2.0")
    }


def test_the_data_card_states_the_counts_of_the_file() -> None:
    card = resources.read_text("probes", "DATA_CARD.md")
    counts = Counter(item.domain for item in items())
    for domain, count in counts.items():
        documents = len({item.document for item in items() if item.domain == domain})
        assert f"| {domain} | {count} | {documents} |" in card


def test_the_file_is_one_object_a_line() -> None:
    for line in resources.read_text("probes", "base_items.jsonl").splitlines():
        assert set(json.loads(line)) == set(BaseItem.model_fields)


@pytest.mark.parametrize(
    "name", ["epistemic_markers", "hedges", "quantifiers", "intensifiers", "provenance_anchors"]
)
def test_marker_lists_are_lower_case_without_repeats(name: str) -> None:
    words = load_taxonomy("claim-calibration").lists[name]
    assert len(words) >= 60
    assert len(set(words)) == len(words)
    for word in words:
        assert word == " ".join(word.lower().split())


@pytest.mark.parametrize(
    ("name", "word"),
    [
        # The three that the construct-validity reference found its generator padding with.
        ("epistemic_markers", "as is often observed"),
        ("epistemic_markers", "in practice"),
        ("epistemic_markers", "as is well known"),
        ("hedges", "may"),
        ("quantifiers", "always"),
        ("intensifiers", "markedly"),
        ("provenance_anchors", "in this study"),
    ],
)
def test_marker_lists_hold_what_the_reference_names(name: str, word: str) -> None:
    assert word in load_taxonomy("claim-calibration").lists[name]


def test_a_changed_marker_list_changes_its_hash_and_the_taxonomy_hash() -> None:
    taxonomy = load_taxonomy("claim-calibration")
    lists = {**taxonomy.lists, "hedges": (*taxonomy.lists["hedges"], "one more")}
    other = taxonomy.model_copy(update={"lists": lists})
    changed = type(taxonomy).model_validate(other.model_dump())
    assert changed.list_hashes["hedges"] != taxonomy.list_hashes["hedges"]
    assert changed.list_hashes["quantifiers"] == taxonomy.list_hashes["quantifiers"]
    assert changed.hash != taxonomy.hash


def test_claims_use_no_provenance_anchor_and_no_epistemic_marker_but_a_hedge() -> None:
    lists = load_taxonomy("claim-calibration").lists
    anchors = marker_list(lists["provenance_anchors"])
    markers = marker_list(tuple(w for w in lists["epistemic_markers"] if w not in lists["hedges"]))
    for item in items():
        assert not anchors.find(item.claim), item.id
        assert not markers.find(item.claim), item.id


def test_the_data_card_has_a_reading_of_every_slot() -> None:
    card = resources.read_text("probes", "DATA_CARD.md")
    for slot in load_taxonomy("claim-calibration").slots:
        found = re.search(
            rf"^\| {slot.name} \| (\d+) \| (\d+) \| (\d\.\d\d) \|", card, re.MULTILINE
        )
        assert found, slot.name
        read, passed = int(found[1]), int(found[2])
        assert read >= 10
        assert found[3] == f"{passed / read:.2f}"
