import inflect
import pytest
from lemminflect import Lemmatizer

from judgeprobe.inflection import (
    article,
    is_plural_noun,
    is_singular_noun,
    noun_plural,
    verb_form,
    verb_forms,
    verb_lemma,
)


@pytest.mark.parametrize(
    ("word", "right"),
    [
        ("MRI", "an"), ("UK", "a"), ("SVM", "an"), ("8-week", "an"), ("18-month", "an"),
        ("11", "an"), ("110", "a"), ("one-year", "a"), ("European", "a"), ("hour", "an"),
        ("unusual", "an"), ("unit", "a"), ("uninformed", "an"), ("universal", "a"), ("urban", "an"),
        ("urine", "a"), ("UNESCO", "a"), ("X-ray", "an"), ("heir", "an"), ("house", "a"),
    ],
)  # fmt: skip
def test_the_article_follows_the_sound(word: str, right: str) -> None:
    assert article(word) == right


def test_the_article_agrees_with_inflect_on_the_whole_dictionary() -> None:
    # inflect takes over two seconds to import and writes "a 8-week"; it is the reference here only.
    engine = inflect.engine()
    words = [word for word in Lemmatizer()._getLemmaDict() if word.isalpha() and word.islower()]
    assert len(words) > 40_000
    differing = [word for word in words[::7] if engine.a(word).split()[0] != article(word)]
    assert len(differing) / len(words[::7]) < 0.001


@pytest.mark.parametrize(
    ("word", "tag", "base"),
    [
        ("found", "VBD", "find"), ("lay", "VBD", "lie"), ("was", "VBD", "be"),
        ("had", "VBD", "have"),
        ("rose", "VBD", "rise"), ("reduces", "VBZ", "reduce"), ("improved", "VBN", "improve"),
        ("lake", "VBD", None), ("xyzzyed", "VBD", None),
    ],
)  # fmt: skip
def test_the_verb_behind_a_form(word: str, tag: str, base: str | None) -> None:
    assert verb_lemma(word, tag) == base


@pytest.mark.parametrize(
    ("base", "tag", "form"),
    [
        ("reduce", "VBZ", "reduces"), ("carry", "VBZ", "carries"), ("have", "VBZ", "has"),
        ("be", "VBZ", "is"), ("be", "VBP", "are"), ("focus", "VBZ", "focuses"),
        ("retrain", "VBD", "retrained"), ("overfit", "VBZ", "overfits"), ("show", "VBN", "shown"),
    ],
)  # fmt: skip
def test_verbs_are_inflected(base: str, tag: str, form: str) -> None:
    assert verb_form(base, tag) == form


def test_the_forms_of_a_verb_hold_its_base() -> None:
    assert verb_forms("seem") == {"seem", "seems", "seemed", "seeming"}
    assert "was" in verb_forms("be")


@pytest.mark.parametrize(
    "word", ["lakes", "mice", "criteria", "data", "species", "analyses", "RNNs"]
)
def test_plurals(word: str) -> None:
    assert is_plural_noun(word)


@pytest.mark.parametrize("word", ["lake", "analysis", "diabetes", "illness", "loss", "gas"])
def test_singulars(word: str) -> None:
    assert not is_plural_noun(word)
    assert is_singular_noun(word)


def test_noun_plurals() -> None:
    assert [noun_plural(word) for word in ("tree", "city", "species", "mouse")] == [
        "trees", "cities", "species", "mice",
    ]  # fmt: skip
