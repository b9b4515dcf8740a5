"""Golden edits of the scope slots: population, domain, quantifier, tense and modality."""

from collections.abc import Callable, Iterable

import pytest

from judgeprobe.build.rules.domains import extend_modifier, extend_noun
from judgeprobe.build.rules.populations import (
    drop_postmodifier,
    drop_premodifier,
    name_wider_kind,
)
from judgeprobe.build.rules.quantifiers import strengthen_quantifier
from judgeprobe.build.rules.tense import drop_can, past_to_present


def first(rule: Callable[[str], Iterable[str]], claim: str) -> str | None:
    return next(iter(rule(claim)), None)


@pytest.mark.parametrize(
    ("claim", "edited"),
    [
        ("Some lakes froze.", "All lakes froze."),
        ("Many of the ferns died.", "All of the ferns died."),
        ("The majority of patients slept.", "All patients slept."),
        ("Frost often killed buds.", "Frost always killed buds."),
        ("Frost rarely killed buds.", "Frost never killed buds."),
        ("The gain was mostly due to rest.", "The gain was entirely due to rest."),
        ("Trees explain part of the drop.", "Trees explain all of the drop."),
        ("Nearly all wells failed.", "All wells failed."),
        ("In most cases the reef grew.", "In all cases the reef grew."),
        ("Rest helped, although some nurses left and many patients stayed.",
         "Rest helped, although all nurses left and many patients stayed."),
        ("Most older adults slept, although a few dozed.",
         "All older adults slept, although a few dozed."),
    ],
)  # fmt: skip
def test_quantifiers_are_raised(claim: str, edited: str) -> None:
    assert first(strengthen_quantifier, claim) == edited


@pytest.mark.parametrize(
    "claim",
    [
        "Some lakes did not freeze.",  # "all ... not" is no stronger
        "The most severe cases healed.",  # a superlative
        "Some evidence was lost.",  # no plural
        "Ice broke up more often than before.",  # a comparative
        "It was not often seen.",
        "Price is only part of the barrier.",
        "Frequently asked questions were read.",  # belongs to the adjective
        "All lakes froze.",
        "Lakes froze.",
    ],
)
def test_quantifiers_that_stay(claim: str) -> None:
    assert first(strengthen_quantifier, claim) is None


@pytest.mark.parametrize(
    ("claim", "edited"),
    [
        ("Exercise was associated with sleep.", "Exercise is associated with sleep."),
        ("The drugs were safe and lowered fever.", "The drugs are safe and lower fever."),
        ("Salt did not change taste.", "Salt does not change taste."),
        ("Gulls left, according to work published in June.",
         "Gulls leave, according to work published in June."),
        ("The drug was effective and well tolerated in dogs.",
         "The drug is effective and well tolerated in dogs."),
        ("Factors that were seen in rust included salt.",
         "Factors that are seen in rust include salt."),
        ("Drifts that lidar mapped were deep.", "Drifts that lidar maps are deep."),
        ("Sleep and rest were often and closely linked to mood.",
         "Sleep and rest are often and closely linked to mood."),
        ("The genes showed reduced activity.", "The genes show reduced activity."),
        ("Girls who studied slept well and rose early.",
         "Girls who study sleep well and rise early."),
        ("Lakes that touched the ice grew.", "Lakes that touch the ice grow."),
        ("When wind fell, fog formed.", "When wind falls, fog forms."),
        ("Students who had left were not asked.", "Students who have left are not asked."),
        ("Nurses on night shifts slept less than others.",
         "Nurses on night shifts sleep less than others."),
        ("Programmes aimed at farmers reduced waste.", "Programmes aimed at farmers reduce waste."),
        ("One case that symptoms had missed was found.",
         "One case that symptoms have missed is found."),
    ],
)  # fmt: skip
def test_past_becomes_present(claim: str, edited: str) -> None:
    assert first(past_to_present, claim) == edited


@pytest.mark.parametrize(
    "claim",
    [
        "In 2019 yields fell.",  # a date
        "Coral died after the warm spell.",  # one event
        "Yields rise with rain.",  # present already
        "Sales fell last year.",
        "They slept when they could nap.",  # the past of "can" is listed as a hedge
    ],
)
def test_pasts_that_stay(claim: str) -> None:
    assert first(past_to_present, claim) is None


@pytest.mark.parametrize(
    ("claim", "edited"),
    [
        ("Loans can lead to debt.", "Loans lead to debt."),
        ("A loan can also lead to debt.", "A loan also leads to debt."),
        ("Frost can be harmful.", "Frost is harmful."),
        ("Middle aged patients can die early.", "Middle aged patients die early."),
        ("Soil bacteria can help crops.", "Soil bacteria help crops."),
    ],
)
def test_can_goes(claim: str, edited: str) -> None:
    assert first(drop_can, claim) == edited


def test_can_stays_where_a_second_verb_hangs_on_it() -> None:
    assert first(drop_can, "A loan can lead to debt and cause stress.") is None


@pytest.mark.parametrize(
    ("rule", "claim", "edited"),
    [
        (drop_postmodifier, "Adults with mild asthma slept less.", "Adults slept less."),
        (drop_postmodifier, "The lakes on the plateau froze later.", "Lakes froze later."),
        (drop_postmodifier, "Women who had borrowed bought seed.", "Women bought seed."),
        (drop_postmodifier, "Sleep was worse among staff with long commutes.",
         "Sleep was worse among staff."),
        (drop_premodifier, "Night nurses slept less.", "Nurses slept less."),
        (drop_premodifier, "Many of the retired teachers slept.", "Many of the teachers slept."),
        (drop_premodifier, "Small convolutional networks failed.", "Networks failed."),
        (name_wider_kind, "In mice, the drug worked.", "In mammals, the drug worked."),
    ],
)  # fmt: skip
def test_populations_are_widened(
    rule: Callable[[str], Iterable[str]], claim: str, edited: str
) -> None:
    assert first(rule, claim) == edited


@pytest.mark.parametrize(
    ("rule", "claim"),
    [
        (drop_postmodifier, "Adults in two towns slept less."),  # a number would go
        (drop_postmodifier, "Adults slept less."),
        (drop_postmodifier, "Sleep improved, although adults with asthma woke."),  # a concession
        (drop_premodifier, "Trees grew faster than young trees."),  # a comparison
        (drop_premodifier, "Public schools closed."),
        (name_wider_kind, "Pregnant women slept."),  # "pregnant adults"
        (name_wider_kind, "Men and women slept."),
        (name_wider_kind, "Stones sank."),
    ],
)
def test_populations_that_stay(rule: Callable[[str], Iterable[str]], claim: str) -> None:
    assert first(rule, claim) is None


@pytest.mark.parametrize(
    ("rule", "claim", "edited"),
    [
        (
            extend_modifier,
            "Floods rose in coastal basins.",
            "Floods rose in coastal and inland basins.",
        ),
        (
            extend_modifier,
            "Most primary schools closed.",
            "Most primary and secondary schools closed.",
        ),
        (extend_noun, "The drug worked in mice.", "The drug worked in mice and rats."),
        (extend_noun, "Cold numbed the feet.", "Cold numbed the feet and the hands."),
        (extend_noun, "Nitrate declined in May.", "Nitrate and phosphate declined in May."),
    ],
)
def test_domains_are_extended(
    rule: Callable[[str], Iterable[str]], claim: str, edited: str
) -> None:
    assert first(rule, claim) == edited


@pytest.mark.parametrize(
    ("rule", "claim"),
    [
        (extend_modifier, "A coastal basin flooded."),  # "a coastal and inland basin"
        (extend_modifier, "Coastal and inland basins flooded."),  # the neighbour is there
        (extend_modifier, "Two coastal basins flooded."),  # two of each, or two in all?
        (extend_noun, "Nitrate is lower in spring."),  # a singular verb
        (extend_noun, "It rained outside the mountains."),  # the neighbour would be left out
        (extend_noun, "Fish markets closed."),  # part of a compound
        (extend_noun, "A town flooded."),
    ],
)
def test_domains_that_stay(rule: Callable[[str], Iterable[str]], claim: str) -> None:
    assert first(rule, claim) is None
