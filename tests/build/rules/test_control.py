"""Golden edits of the control slots: format, order, register, elaboration and padding."""

from collections.abc import Callable, Iterable

import pytest

from judgeprobe.build import facts
from judgeprobe.build.rules.elaboration import add_gloss, restate_compound
from judgeprobe.build.rules.formatting import shift_format
from judgeprobe.build.rules.ordering import move_to_back, move_to_front
from judgeprobe.build.rules.padding import (
    nominalise,
    spell_out,
    unpack_adjective,
    unpack_compound,
    unpack_phrase,
)
from judgeprobe.build.rules.register import formal_register
from judgeprobe.build.rules.tables import table
from judgeprobe.markers import marker_list
from judgeprobe.taxonomy import load_taxonomy

LISTS = load_taxonomy("claim-calibration").lists


def first(rule: Callable[[str], Iterable[str]], claim: str) -> str | None:
    return next(iter(rule(claim)), None)


def test_every_format_holds_the_claim_unchanged() -> None:
    claim = "When wind was weak, older sailors slept."
    edits = list(shift_format(claim))
    assert sorted(edits) == sorted(
        [
            f"**{claim}**",
            f"*{claim}*",
            f"- {claim}",
            f"### {claim}",
            "When wind was weak, **older sailors** slept.",
        ]
    )
    assert {facts.plain(edit) for edit in edits} == {claim}


def test_a_set_of_claims_gets_every_format() -> None:
    edits = [
        first(shift_format, f"Lake {letter} froze early.") or "" for letter in "ABCDEFGHIJKLMNOP"
    ]
    assert {edit[:2] for edit in edits} >= {"**", "- ", "##"}


@pytest.mark.parametrize("claim", ["**Ice** melts.", "- Ice melts.", "Ice_core data melt."])
def test_a_claim_with_markup_is_left_alone(claim: str) -> None:
    assert first(shift_format, claim) is None


@pytest.mark.parametrize(
    ("claim", "edited"),
    [
        ("When wind was weak, fog formed.", "Fog formed when wind was weak."),
        ("After dredging, lead rose, which harmed fish.",
         "Lead rose after dredging, which harmed fish."),
        ("In Kenya, rain fell late.", "Rain fell late in Kenya."),
        ("Although gulls left, terns stayed.", "Terns stayed, although gulls left."),
    ],
)  # fmt: skip
def test_a_fronted_adverbial_goes_to_the_back(claim: str, edited: str) -> None:
    assert first(move_to_back, claim) == edited


@pytest.mark.parametrize(
    ("claim", "edited"),
    [
        ("Fog formed when wind was weak.", "When wind was weak, fog formed."),
        ("Terns stayed, although gulls left.", "Although gulls left, terns stayed."),
        ("Snow melts faster under bright light.", "Under bright light, snow melts faster."),
    ],
)
def test_a_final_adverbial_goes_to_the_front(claim: str, edited: str) -> None:
    assert first(move_to_front, claim) == edited


@pytest.mark.parametrize(
    ("rule", "claim"),
    [
        (move_to_back, "When pupils rest, they learn."),  # the pronoun would come first
        (move_to_back, "In contrast, terns stayed."),
        (move_to_back, "Fog formed."),
        (move_to_back, "In winter, cliffs fell faster than in summer."),  # two phrases with "in"
        (move_to_front, "Pupils learn when they rest."),
        (move_to_front, "Fog formed."),
        (move_to_front, "Zyx rose when wind fell."),  # a name, or a word the dictionary lacks
    ],
)
def test_what_keeps_its_place(rule: Callable[[str], Iterable[str]], claim: str) -> None:
    assert first(rule, claim) is None


@pytest.mark.parametrize(
    ("claim", "edited"),
    [
        ("It didn't rain.", "It did not rain."),
        ("Nurses carried out tests.", "Nurses conducted tests."),
        ("Shops bought wool.", "Shops purchased wool."),
        ("Sleep was linked to mood.", "Sleep was associated with mood."),
        ("Prices fell.", "Prices decreased."),
        ("People slept.", "Individuals slept."),
        ("Fog cleared, but ice stayed.", "Fog cleared, yet ice stayed."),
    ],
)
def test_the_register_rises(claim: str, edited: str) -> None:
    assert formal_register(claim) == edited


@pytest.mark.parametrize(
    "claim",
    [
        "Staffing was raised as an issue in the fall.",
        "Ice melts.",
        "They got used to it.",
    ],
)
def test_a_word_in_another_sense_stays(claim: str) -> None:
    edited = formal_register(claim)
    assert edited is None or "utilise" not in edited
    assert edited is None or "decrease" not in edited


@pytest.mark.parametrize(
    ("rule", "claim", "edited"),
    [
        (add_gloss, "Nitrate declined.", "Nitrate, a salt of nitrogen, declined."),
        (add_gloss, "Fish ate algae.", "Fish ate algae, simple plants that live in water."),
        (add_gloss, "It fell in wetlands, which dried.",
         "It fell in wetlands, lands soaked with water, which dried."),
        (restate_compound, "Tree growth slowed.", "Tree growth, the growth of trees, slowed."),
    ],
)  # fmt: skip
def test_a_noun_is_named_again(
    rule: Callable[[str], Iterable[str]], claim: str, edited: str
) -> None:
    assert first(rule, claim) == edited


@pytest.mark.parametrize(
    ("rule", "claim"),
    [
        (add_gloss, "Nitrate levels declined."),  # part of a compound
        (add_gloss, "Obesity of children rose."),
        (add_gloss, "It caused pain, diabetes, and fatigue."),  # in a list
        (restate_compound, "Sea ice thickness fell."),  # three nouns
        (restate_compound, "Blood pressure fell."),  # a term
    ],
)
def test_nouns_that_take_no_apposition(rule: Callable[[str], Iterable[str]], claim: str) -> None:
    assert first(rule, claim) is None


@pytest.mark.parametrize(
    ("rule", "claim", "edited"),
    [
        (spell_out, "An MRI scan was late.", "A magnetic resonance imaging scan was late."),
        (spell_out, "LLMs failed.", "Large language models failed."),
        (nominalise, "Yields declined in June.", "Yields showed a decline in June."),
        (nominalise, "Rest improves recall.", "Rest brings about an improvement in recall."),
        (nominalise, "Maps may help clerks.", "Maps may give help to clerks."),
        (nominalise, "The maps agree with them.", "The maps are in agreement with them."),
        (unpack_compound, "Tree growth slowed.", "The growth of trees slowed."),
        (unpack_compound, "They saw the soil moisture.", "They saw the moisture of soil."),
        (unpack_adjective, "Shallow wells dried out.", "Wells that were shallow dried out."),
        (unpack_adjective, "Obese children slept less.", "Children who were obese slept less."),
        (unpack_phrase, "Ice broke during May.", "Ice broke over the course of May."),
        (unpack_phrase, "It fell because it rained.", "It fell for the reason that it rained."),
    ],
)
def test_the_claim_is_lengthened(
    rule: Callable[[str], Iterable[str]], claim: str, edited: str
) -> None:
    assert first(rule, claim) == edited


def test_the_evidence_says_what_an_abbreviation_stands_for() -> None:
    evidence = "The field tolerance test (FTT) was given."
    assert list(spell_out("The FTT rose.", evidence)) == ["The field tolerance test rose."]
    assert list(spell_out("The FTT rose.", "")) == []


@pytest.mark.parametrize(
    ("rule", "claim"),
    [
        (nominalise, "Yields sharply declined."),  # the adverb would have to become an adjective
        (nominalise, "Rest did not improve recall."),
        (nominalise, "Yields rose and declined."),
        (unpack_adjective, "Pumps in shallow wells near the road failed."),
        (unpack_adjective, "Deeper and shallow wells failed."),
        (unpack_compound, "Night nurses slept."),
        (unpack_phrase, "It fell because of rain."),
    ],
)
def test_what_is_not_lengthened(rule: Callable[[str], Iterable[str]], claim: str) -> None:
    found = first(rule, claim)
    assert found is None or (rule is unpack_phrase and "on account of rain" in found)


def test_no_word_table_of_a_control_slot_moves_a_marker() -> None:
    pairs = [
        (f"a {term} b", f"a {term}, {gloss}, b")
        for term, gloss in table("glosses")["glosses"].items()
    ]
    for section in ("words", "contractions"):
        pairs += [(f"a {old} b", f"a {new} b") for old, new in table("register")[section].items()]
    for section in ("verbs", "phrasal"):
        pairs += [(f"a {old} b", f"a {new} b") for old, new in table("register")[section].items()]
    pairs += [(f"a {old} b", f"a {new} b") for old, new in table("padding")["phrases"].items()]
    for old, entry in table("padding")["nominal"].items():
        pairs += [(f"a {old} b", f"a {new} b") for new in entry.values()]
    assert len(pairs) > 200
    moved = [
        (name, before, after)
        for name in LISTS
        for before, after in pairs
        if marker_list(LISTS[name]).changes(before, after)
    ]
    assert not moved
