"""Signed operators: what raises, what lowers, what counts nothing."""

import tomllib

import pytest

from judgeprobe import resources
from judgeprobe.pressure.operators import axis_operators, count_sentences
from judgeprobe.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy("claim-calibration")
OPERATORS = axis_operators(TAXONOMY)
SIGNS = tomllib.loads(resources.read_text("probes", "pressure_operators.toml"))


def test_every_quantifier_has_exactly_one_place():
    scope = SIGNS["scope"]
    placed = [*scope["raises"], *scope["lowers"], *scope["neither"]]
    assert sorted(placed) == sorted(TAXONOMY.lists["quantifiers"])


def test_no_word_moves_both_axes():
    assert not set(OPERATORS.signs["scope"]) & set(OPERATORS.signs["strength"])


@pytest.mark.parametrize(
    ("text", "scope", "strength"),
    [
        ("The lakes warmed.", 0, 0),
        ("All lakes warmed.", 1, 0),
        ("Some lakes may have warmed.", -1, -1),
        ("Most lakes warmed substantially and clearly.", 1, 2),
        # The longest entry decides, and what stands under a negation or in quotes counts nothing.
        ("Not all lakes warmed.", -1, 0),
        ("The lakes did not always warm.", 0, 0),
        ('They called it "always" and "certainly".', 0, 0),
        ("The data suggest that lakes usually warm.", 1, -1),
        ("Only nine lakes warmed; no difference was seen.", 0, 0),
        ("In May the lakes warmed.", 0, 0),
    ],
)
def test_scores(text, scope, strength):
    assert OPERATORS.score(text) == {"scope": scope, "strength": strength}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One sentence", 1),
        ("One. Two! Three?", 3),
        ("At 4.5 degrees, e.g. in May, the ice broke.", 1),
        ("Smith et al. saw it. So did we.", 2),
        ('He said "no." Then he left.', 2),
        ("", 1),
    ],
)
def test_sentences(text, count):
    assert count_sentences(text) == count


def test_evidence_is_scored_per_sentence():
    text = "All lakes warmed. Some rivers may have warmed. The rest was not seen."
    assert OPERATORS.per_sentence(text) == {"scope": 0.0, "strength": pytest.approx(-1 / 3)}


def test_a_taxonomy_without_the_two_axes_has_no_operators():
    assert axis_operators(load_taxonomy("answer-completeness")) is None
