from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.markers import Marker, MarkerList, marker_list
from judgeprobe.taxonomy import load_taxonomy

LISTS = load_taxonomy("claim-calibration").lists
EPISTEMIC = marker_list(LISTS["epistemic_markers"])
HEDGES = marker_list(LISTS["hedges"])


def entries(found: Counter[Marker]) -> dict[str, int]:
    return {str(marker): count for marker, count in found.items()}


def test_the_longest_entry_counts_once() -> None:
    markers = MarkerList(["well known", "as is well known", "known"])
    assert entries(markers.count("As is well known, ice melts.")) == {"`as is well known`": 1}


def test_word_boundaries_hold() -> None:
    markers = MarkerList(["may", "clearly", "far"])
    assert not markers.count("The mayor of Mayfield saw an unclearly drawn safari.")


@pytest.mark.parametrize("form", ["suggest", "suggests", "suggested", "suggesting"])
def test_a_marked_verb_matches_in_every_inflection(form: str) -> None:
    assert entries(MarkerList(["~suggest"]).count(f"Data {form} it.")) == {"`~suggest`": 1}


@pytest.mark.parametrize("form", ["is", "are", "was", "were", "be", "been"])
def test_be_inside_an_entry_matches_in_every_form(form: str) -> None:
    assert MarkerList(["~be thought to"]).count(f"It {form} thought to help.").total() == 1


@pytest.mark.parametrize(
    "text", ["a well-known lake", "a well known lake", "a well\u2011known lake"]
)
def test_a_space_in_an_entry_matches_a_hyphen_in_any_type(text: str) -> None:
    assert MarkerList(["well known"]).count(text).total() == 1


def test_a_word_inside_a_compound_is_another_word() -> None:
    markers = MarkerList(["far", "highly"])
    assert not markers.count("Far-sighted boys")
    assert entries(markers.count("a highly-cited paper")) == {"`highly`": 1}


def test_uses_are_counted_apart() -> None:
    markers = MarkerList(["clearly"])
    assert entries(markers.count("It is clearly so.")) == {"`clearly`": 1}
    assert entries(markers.count("It is not clearly so.")) == {"`clearly` (negated)": 1}
    assert entries(markers.count("It isn\u2019t clearly so.")) == {"`clearly` (negated)": 1}
    assert entries(markers.count("They wrote \u201cclearly\u201d.")) == {"`clearly` (quoted)": 1}


def test_a_negation_of_another_clause_does_not_reach_the_marker() -> None:
    assert entries(MarkerList(["clearly"]).count("It was not wet, clearly.")) == {"`clearly`": 1}


def test_the_month_is_no_hedge() -> None:
    assert not HEDGES.count("In May the lake was calm; May was dry.")
    assert HEDGES.count("It may be calm.").total() == 1


def test_changes_name_the_marker_and_the_direction() -> None:
    changes = EPISTEMIC.changes("Ice melts.", "As is often observed, ice melts.")
    assert [str(change) for change in changes] == ["introduces `as is often observed`"]
    changes = EPISTEMIC.changes("In practice, ice melts.", "Ice melts.")
    assert [str(change) for change in changes] == ["removes `in practice`"]


def test_losing_a_negation_is_a_change() -> None:
    changes = EPISTEMIC.changes("It is not known to spread.", "It is known to spread.")
    assert {str(change) for change in changes} == {
        "introduces `~be known`",
        "removes `known to` (negated)",
    }


def test_an_empty_list_finds_nothing() -> None:
    assert not MarkerList([]).count("It may clearly be so.")


@pytest.mark.parametrize("name", sorted(LISTS))
def test_every_entry_of_every_list_is_found_in_a_sentence(name: str) -> None:
    markers = marker_list(LISTS[name])
    for entry in LISTS[name]:
        text = f"The word {entry.replace('~', '')} here."
        found = {marker.entry for marker in markers.count(text)}
        # A longer or inflected entry may take the match, never none.
        assert found, entry


def test_no_hedge_is_an_epistemic_marker_too() -> None:
    # A hedge is the strength axis's own operator; the gate of the other axis guards it elsewhere.
    assert not set(LISTS["hedges"]) & set(LISTS["epistemic_markers"])


@given(st.text(max_size=60))
def test_counting_is_total_on_any_text(text: str) -> None:
    assert EPISTEMIC.count(text).total() >= 0
    assert not EPISTEMIC.changes(text, text)
