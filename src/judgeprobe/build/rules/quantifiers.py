"""quantifier_strengthening: which quantifier can be raised to one that leaves no case out?

One quantifier is raised, the first that a rule covers: some -> all, often -> always, part of -> all
of. The words are in probes/rules/quantifiers.toml. A quantifier under a negation stays, since "not
all" and "all ... not" are not stronger readings of each other.
"""

import re
from collections.abc import Iterator

from judgeprobe.build.rules.grammar import tidy
from judgeprobe.build.rules.sentence import NOMINAL, Sentence, parse
from judgeprobe.build.rules.tables import table

__all__ = ["strengthen_quantifier"]


def strengthen_quantifier(text: str) -> Iterator[str]:
    """The claim with one quantifier raised: from the left, concessive clauses last."""
    sentence = parse(text)
    concession = re.search(r"\b(?:although|though|despite|even if)\b", text, re.IGNORECASE)
    limit = concession.start() if concession and concession.start() else len(text)
    places = range(len(sentence.tokens))
    for i in sorted(places, key=lambda i: sentence.tokens[i].start > limit):
        edited = _of(sentence, i) or _plural(sentence, i) or _adverb(sentence, i)
        if edited is not None:
            yield tidy(edited, text)


def _span(sentence: Sentence, i: int, phrase: str) -> int | None:
    """Index of the last token where a phrase stands at `i`, or None."""
    parts = phrase.split()
    for offset, part in enumerate(parts):
        if sentence.low(i + offset) != part:
            return None
    return i + len(parts) - 1


def _longest(sentence: Sentence, i: int, phrases: list[str]) -> int | None:
    for phrase in sorted(phrases, key=lambda p: -len(p.split())):
        last = _span(sentence, i, phrase)
        if last is not None:
            return last
    return None


def _of(sentence: Sentence, i: int) -> str | None:
    """Most of the lakes -> all of the lakes; part of the gain -> all of the gain."""
    last = _longest(sentence, i, table("quantifiers")["before_of"]["words"])
    if last is None or sentence.low(last + 1) != "of" or _barred(sentence, i, last + 1):
        return None
    following = sentence.tokens[last + 2] if last + 2 < len(sentence.tokens) else None
    if following is None or (
        following.tag != "DET" and following.low not in ("them", "it", "these")
    ):
        return None
    if sentence.low(i) in ("part", "much") and sentence.low(i - 1) in (
        "a",
        "the",
        "as",
        "so",
        "only",
    ):
        return None
    return sentence.replace(i, last, _case(sentence, i, "all"))


def _plural(sentence: Sentence, i: int) -> str | None:
    """Some lakes -> all lakes."""
    last = _longest(sentence, i, table("quantifiers")["before_plurals"]["words"])
    if last is None or sentence.low(last + 1) == "of" or _barred(sentence, i, last):
        return None
    if sentence.low(i - 1) in (
        "the",
        "their",
        "these",
        "those",
        "its",
        "a",
        "one",
        "and",
        "or",
    ):
        return None
    head = _head(sentence, last + 1)
    if head is None or sentence.tag(head) != "NNS":
        return None
    if sentence.low(last) == "of" and sentence.tag(last + 1) == "DET":
        return None
    if sentence.low(last + 1) in ("different", "more", "other"):
        return None
    if sentence.low(last) == "most" and not _counts(sentence, last):
        return None
    return sentence.replace(i, last, _case(sentence, i, "all"))


def _counts(sentence: Sentence, most: int) -> bool:
    """Whether "most" counts and is no superlative: "most lakes", not "most severe cases"."""
    following = sentence.tokens[most + 1]
    if following.tag in NOMINAL:
        return True
    comparable = following.tag == "ADJ" and not following.low.endswith(("er", "est"))
    return (
        following.tag == "ADJ"
        and not (comparable and sentence.tag(most - 1) == "DET")
        and ("-" in following.low or len(following.low) <= 7)
    )


def _head(sentence: Sentence, i: int) -> int | None:
    """Index of the head noun of the phrase that begins at `i`."""
    head = None
    while sentence.tag(i) in ("ADJ", "ADV", "VBN", "VBG", "CONJ", *NOMINAL):
        if sentence.tag(i) == "CONJ" and head is not None:
            break
        if sentence.tag(i) in NOMINAL:
            head = i
        i += 1
    return head


_EXTENT = frozenset({"mostly", "mainly", "primarily", "largely", "predominantly"})


def _adverb(sentence: Sentence, i: int) -> str | None:
    """Often -> always; in most cases -> in all cases."""
    adverbs = table("quantifiers")["adverbs"]
    for phrase in sorted(adverbs, key=lambda p: -len(p.split())):
        last = _span(sentence, i, phrase)
        if last is None:
            continue
        if _barred(sentence, i, last) or sentence.low(i - 1) in (
            "more",
            "less",
            "most",
            "as",
            "how",
        ):
            return None
        if sentence.low(i - 1) in ("so", "too", "very", "least", "quite", "used"):
            return None
        if phrase in _EXTENT and sentence.tag(last + 1) not in ("PREP", "VBN", "ADJ"):
            return None
        if phrase in _EXTENT and sentence.tag(i - 1) == "PUNCT":
            return None
        attributive = sentence.tag(last + 1) in ("ADJ", "VBN") and sentence.tag(i - 1) not in (
            "BE", "ADV", "HAVE",
        )  # fmt: skip
        if attributive and phrase not in _EXTENT:
            return None
        if sentence.tag(last + 1) == "PUNCT" and i == 0:
            return None  # "Generally, ...": "Always, ..." is no sentence opening
        return sentence.replace(i, last, _case(sentence, i, adverbs[phrase]))
    return None


def _barred(sentence: Sentence, first: int, last: int) -> bool:
    """Whether a negation or a degree word governs the quantifier, or is governed by it."""
    if sentence.tag(first - 1) == "NOT" or sentence.low(first - 1) in (
        "how", "as", "so", "too", "very", "no", "than", "not", "without",
    ):  # fmt: skip
        return True
    end = sentence.tokens[last].end
    rest = re.split(r"[,;:]|\bbut\b|\bwhile\b", sentence.text[end:])[0]
    before = re.split(r"[,;:]", sentence.text[: sentence.tokens[first].start])[-1]
    negation = r"\b(?:not|never|no|nor|neither)\b|n't\b"
    return bool(re.search(negation, rest, re.I) or re.search(negation, before, re.I))


def _case(sentence: Sentence, i: int, word: str) -> str:
    return word.capitalize() if sentence.tokens[i].text[:1].isupper() else word
