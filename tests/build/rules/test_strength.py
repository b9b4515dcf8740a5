"""Golden edits of the strength slots: hedges, conditions and intensifiers."""

from collections.abc import Callable, Iterable

import pytest

from judgeprobe.build.rules.conditions import remove_final, remove_fronted
from judgeprobe.build.rules.hedges import drop_hedges
from judgeprobe.build.rules.intensifiers import add_intensifier


def first(rule: Callable[[str], Iterable[str]], claim: str) -> str | None:
    return next(iter(rule(claim)), None)


@pytest.mark.parametrize(
    ("claim", "edited"),
    [
        ("Dust may reduce yields.", "Dust reduces yields."),
        ("Exposure to loud sounds may harm hearing.", "Exposure to loud sounds harms hearing."),
        ("Frosts may reduce yields.", "Frosts reduce yields."),
        ("Dust and ash may reduce yields.", "Dust and ash reduce yields."),
        ("Dust may be harmful.", "Dust is harmful."),
        ("Frosts might not be harmful.", "Frosts are not harmful."),
        ("Dust may not reduce yields.", "Dust does not reduce yields."),
        ("Dust may have reduced yields.", "Dust reduced yields."),
        ("Frosts may have been early.", "Frosts were early."),
        ("Dust could also be moved.", "Dust is also moved."),
        ("Dust may reduce yields and improve the soil.",
         "Dust reduces yields and improves the soil."),
        ("Some of the gain may come from rest.", "Some of the gain comes from rest."),
        ("Sleep fell, which may reflect noise.", "Sleep fell, which reflects noise."),
        ("Data suggest that dust may cool the sea.", "Data show that dust cools the sea."),
        ("The map suggests a link.", "The map shows a link."),
        ("Rest appears to improve recall.", "Rest improves recall."),
        ("Rest appeared to improve recall.", "Rest improved recall."),
        ("The gain appeared to be lost.", "The gain was lost."),
        ("The method seems reliable.", "The method is reliable."),
        ("Cliffs tended to retreat.", "Cliffs retreated."),
        ("The maps are likely to help teams.", "The maps help teams."),
        ("Rest is thought to help.", "Rest helps."),
        ("Rest probably helps.", "Rest helps."),
        ("Rest, perhaps, helps.", "Rest helps."),
        ("A possible error was found.", "An error was found."),
        ("Age is a likely cause.", "Age is a cause."),
        ("It is possible that dust cools the sea.", "Dust cools the sea."),
        ("The trend is consistent with a possible effect of dust.",
         "The trend shows an effect of dust."),
        ("It may be due in part to age.", "It is due to age."),
        ("Boys may simply be more likely to play.", "Boys are simply more likely to play."),
    ],
)  # fmt: skip
def test_hedges_go(claim: str, edited: str) -> None:
    assert drop_hedges(claim) == edited


@pytest.mark.parametrize(
    "claim",
    [
        "Dust reduces yields.",
        "In May yields fell.",  # the month
        "Boys were more likely to play.",  # a comparison of likelihoods
        "They slept when they could nap, and left.",  # past ability
        "Infection could not be ruled out.",  # a negated ability
        "Some lakes often froze.",  # quantifiers are another axis
        "The trend is consistent with the hypothesis that dust cools.",
    ],
)
def test_what_is_no_hedge_stays(claim: str) -> None:
    assert drop_hedges(claim) is None


@pytest.mark.parametrize(
    ("claim", "edited"),
    [
        ("When wind was weak, fog formed.", "Fog formed."),
        ("After dredging, lead rose.", "Lead rose."),
        ("On hot days, shaded pools stayed cool.", "Shaded pools stayed cool."),
        ("While letters were sent, doctors prescribed less.", "Doctors prescribed less."),
        ("If burns were clean, wounds healed.", "Wounds healed."),
        ("At low dose, the drug worked.", "The drug worked."),
    ],
)
def test_fronted_conditions_go(claim: str, edited: str) -> None:
    assert first(remove_fronted, claim) == edited


@pytest.mark.parametrize(
    "claim",
    [
        "While gulls are rare, terns are common.",  # a contrast
        "In contrast, terns stayed.",  # a connective
        "When leave was split, they took more of it.",  # pronouns would dangle
        "After six weeks, pain fell.",  # a number would go
        "In Kenya, rain fell.",  # a name would go
        "In some classes, trust fell.",  # a quantifier would go
        "Rain fell.",
    ],
)
def test_fronted_phrases_that_stay(claim: str) -> None:
    assert first(remove_fronted, claim) is None


@pytest.mark.parametrize(
    ("claim", "edited"),
    [
        ("Tablets help when levels are low.", "Tablets help."),
        ("Grazing cost carbon, provided that the soil was peat.", "Grazing cost carbon."),
        ("Slugs spread after rain, and snails hid.", "Slugs spread, and snails hid."),
        ("Snow melts faster under bright light.", "Snow melts faster."),
        ("Fog formed, when wind was weak, over the bay.", "Fog formed over the bay."),
    ],
)
def test_final_conditions_go(claim: str, edited: str) -> None:
    assert first(remove_final, claim) == edited


@pytest.mark.parametrize(
    "claim",
    [
        "Slugs spread more than after rain.",
        "Slugs spread even when it froze.",
        "We tested if it helps.",
        "Fog formed after two storms.",
        "Exposure after birth shortened life.",  # the verb belongs to the main clause
        "They found work gathered during visits.",  # the participle keeps its phrase
    ],
)
def test_what_is_no_final_condition_stays(claim: str) -> None:
    assert first(remove_final, claim) is None


INTENSIFIED = [
    ("Sleep was associated with mood.", r"Sleep was (strongly|closely) associated with mood."),
    ("Dust reduces yields.", r"Dust (substantially|markedly) reduces yields."),
    ("Yields fell in June.", r"Yields fell (substantially|markedly) in June."),
    ("Yields were higher in June.",
     r"Yields were (markedly|substantially|considerably) higher in June."),
    ("Nurses made fewer errors.", r"Nurses made far fewer errors."),
    ("It brought an increase in sleep.", r"It brought a (marked|substantial) increase in sleep."),
    ("The drug was effective.", r"The drug was highly effective."),
    ("Dust may reduce yields.", r"Dust may (substantially|markedly) reduce yields."),
    ("Maps predicted floods.", r"Maps consistently predicted floods."),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "pattern"), INTENSIFIED)
def test_an_intensifier_is_added_where_it_fits(claim: str, pattern: str) -> None:
    import re

    edited = first(add_intensifier, claim)
    assert edited is not None
    assert re.fullmatch(pattern, edited), edited


@pytest.mark.parametrize(
    "claim",
    [
        "Dust does not reduce yields.",
        "Dust slightly reduced yields.",  # a degree stands there
        "When wells were deeper, pumps failed.",  # it would say when, not how much
        "The cat sat.",
    ],
)
def test_no_intensifier_where_none_fits(claim: str) -> None:
    assert first(add_intensifier, claim) is None


def test_one_claim_always_gets_the_same_intensifier_and_claims_differ() -> None:
    claims = [
        f"Dust reduces yields in {place}." for place in ("June", "May", "fens", "fog", "sand")
    ]
    edits = [first(add_intensifier, claim) for claim in claims]
    assert edits == [first(add_intensifier, claim) for claim in claims]
    assert len({edit.split()[1] for edit in edits if edit}) == 2
