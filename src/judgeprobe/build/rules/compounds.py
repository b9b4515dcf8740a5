"""Which compound nouns can be unpacked, and into what?

"Soil moisture" is "the moisture of soil". Only heads of the table probes/rules/compounds.toml are
unpacked, since other compounds have other readings ("night nurses" are not nurses of night).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from judgeprobe.build.rules.sentence import NOMINAL, Sentence
from judgeprobe.build.rules.tables import table, words
from judgeprobe.inflection import is_plural_noun, noun_plural

__all__ = ["Compound", "compounds"]


@dataclass(frozen=True)
class Compound:
    """A compound in a sentence.

    Attributes:
        first: Index of its first token (an article before it is not counted).
        last: Index of its head.
        article: "the ", "a " or "" as it stands before the compound.
        unpacked: The head with its complement, without article: "moisture of soil".
    """

    first: int
    last: int
    article: str
    unpacked: str


def compounds(sentence: Sentence) -> Iterator[Compound]:
    """The compounds of a sentence that can be unpacked."""
    for head, token in enumerate(sentence.tokens):
        preposition = _preposition(token.low)
        if preposition is None or sentence.tag(head) not in ("NN", "NNS") or head == 0:
            continue
        if sentence.tag(head + 1) in (*NOMINAL, "PRON") or sentence.low(head + 1) in (
            "of",
            "'",
            "-",
        ):
            continue
        first = head - 1
        if sentence.tag(first) not in ("NN", "NNS") or _bound(sentence, first):
            continue
        if f"{sentence.low(first)} {token.low}" in words("compounds", "terms"):
            continue
        complement = _complement(sentence.low(first))
        if complement is None:
            continue
        before = sentence.low(first - 1)
        article = f"{before} " if before in ("the", "a", "an") else ""
        yield Compound(first, head, article, f"{token.low} {preposition} {complement}")


def _preposition(head: str) -> str | None:
    for preposition, members in table("compounds")["heads"].items():
        if head in members:
            return str(preposition)
    return None


def _bound(sentence: Sentence, first: int) -> bool:
    """Whether the noun before the head has a modifier or is written as a name or as one word."""
    if sentence.tag(first - 1) in (
        "ADJ",
        "NN",
        "NNS",
        "NAME",
        "NUM",
        "CONJ",
        "VBN",
        "VBG",
        "QUANT",
    ):
        return True
    token = sentence.tokens[first]
    name = token.text[:1].isupper() and first != 0
    if sentence.low(first - 1) == "of":
        return True  # "the level of the pressure of blood"
    return name or sentence.low(first - 1) in ("its", "their", "this", "these", "-", "'", "’", "no")


def _complement(noun: str) -> str | None:
    if noun in words("compounds", "skip"):
        return None
    if noun in words("compounds", "mass") or is_plural_noun(noun):
        return noun
    return noun_plural(noun) if noun in words("compounds", "count") else None
