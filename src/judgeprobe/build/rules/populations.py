"""population_widening: who or what does the claim cover once its restriction is dropped?

Three operators over the nouns of probes/rules/populations.toml: drop what follows the noun
("adults with mild hypertension" -> "adults"), drop what stands before it ("night nurses" ->
"nurses"), or name the wider kind ("mice" -> "mammals"). A restriction that holds a number, a name
or a quantifier stays, since those are facts of the claim or marks of another slot.
"""

import re
from collections.abc import Iterator

from judgeprobe.build.rules.grammar import tidy
from judgeprobe.build.rules.sentence import NOMINAL, Sentence, parse
from judgeprobe.build.rules.tables import table, words

__all__ = ["drop_postmodifier", "drop_premodifier", "name_wider_kind"]

_FINITE = frozenset({"VBD", "VBZ", "VBP", "MODAL", "BE", "HAVE", "DO"})
_FACTS = frozenset({"NUM", "NAME", "QUANT", "?"})
_OPENERS = frozenset({"with", "at", "in", "from", "on", "below", "above", "near", "of", "under"})


def _heads(sentence: Sentence) -> Iterator[int]:
    concession = re.search(r"\b(?:although|though)\b", sentence.text, re.IGNORECASE)
    limit = concession.start() if concession and concession.start() else len(sentence.text)
    for i, token in enumerate(sentence.tokens):
        if token.start > limit:
            return  # a concession about the rest of a population is not about all of it
        plural = token.tag in ("NN", "NNS") and token.low in words("populations", "heads")
        if plural and sentence.tag(i + 1) not in NOMINAL:
            yield i


def drop_postmodifier(text: str) -> Iterator[str]:
    """The claim about a whole population: adults with mild hypertension -> adults."""
    sentence = parse(text)
    for head in _heads(sentence):
        last = _postmodifier(sentence, head)
        if last is None:
            continue
        edited = (
            sentence.text[: sentence.tokens[head].end] + sentence.text[sentence.tokens[last].end :]
        )
        yield tidy(_without_the(sentence, head, edited), text)


def _postmodifier(sentence: Sentence, head: int) -> int | None:
    """Index of the last token of what restricts the noun, or None."""
    opener = head + 1
    relative = sentence.tag(opener) == "REL" and sentence.low(opener) in ("who", "that")
    phrase = sentence.tag(opener) == "PREP" and sentence.low(opener) in _OPENERS
    aged = sentence.tag(opener) == "VBN" and sentence.low(opener) in ("treated", "living", "born")
    if not (relative or phrase or aged):
        return None
    last = _relative_end(sentence, opener) if relative else _phrase_end(sentence, opener, head)
    if last is None or last <= opener:
        return None
    if any(sentence.tag(i) in _FACTS for i in range(opener, last + 1)):
        return None
    if any(sentence.tokens[i].text in ",;()" for i in range(opener, last + 1)):
        return None
    return last


def _relative_end(sentence: Sentence, opener: int) -> int | None:
    """A relative clause after a subject ends before the main verb; elsewhere at the next mark."""
    own = next(
        (i for i in range(opener + 1, len(sentence.tokens)) if sentence.tag(i) in _FINITE), None
    )
    if own is None:
        return None
    for i in range(own + 1, len(sentence.tokens)):
        tag = sentence.tag(i)
        if tag == "PUNCT" or tag in ("SUB", "REL"):
            return i - 1
        if tag in _FINITE and sentence.tag(i - 1) not in (
            "BE",
            "HAVE",
            "MODAL",
            "CONJ",
            "DO",
            "NOT",
        ):
            while sentence.tag(i - 1) == "ADV":
                i -= 1
            return i - 1
    return None


def _phrase_end(sentence: Sentence, opener: int, head: int) -> int | None:
    """A prepositional phrase after a subject ends before its verb, elsewhere at the next mark."""
    before_verb = not any(
        sentence.tag(i) in _FINITE for i in range(_clause_begin(sentence, head), head)
    )
    # After a verb these may belong to the verb ("found it in adults on Mondays").
    loose = sentence.low(opener) in ("in", "on", "at", "from", "of", "under") and not before_verb
    if loose and "PREP" not in (sentence.tag(head - 1), sentence.tag(head - 2)):
        return None
    for i in range(opener + 1, len(sentence.tokens)):
        tag = sentence.tag(i)
        if tag in ("PUNCT", "SUB", "CONJ") or tag in _FINITE:
            if sentence.low(i) in ("being", "be", "having"):
                return None
            if tag == "CONJ" and not (
                i + 1 < len(sentence.tokens) and sentence.tag(i + 1) in _FINITE
            ):
                return None
            while sentence.tag(i - 1) == "ADV":
                i -= 1
            return i - 1
        if tag == "REL":
            restricts = sentence.low(i) in ("who", "that")
            return _relative_end(sentence, i) if restricts else None
    return None


def _clause_begin(sentence: Sentence, i: int) -> int:
    while i > 0 and sentence.tag(i - 1) not in ("PUNCT", "SUB", "REL"):
        i -= 1
    return i


def _without_the(sentence: Sentence, head: int, edited: str) -> str:
    """Drop "the" before a plural that no longer names particular ones."""
    first = head
    while sentence.tag(first - 1) in ("ADJ", *NOMINAL):
        first -= 1
    if sentence.low(first - 1) != "the" or sentence.low(first - 2) == "of":
        return edited
    start = sentence.tokens[first - 1].start
    return edited[:start] + edited[sentence.tokens[first].start :]


def drop_premodifier(text: str) -> Iterator[str]:
    """The claim about a whole kind: night nurses -> nurses."""
    sentence = parse(text)
    for head in _heads(sentence):
        if sentence.tag(head) != "NNS" and sentence.low(head) not in ("staff", "fish"):
            continue
        first = head
        while _restricts(sentence, first - 1):
            first -= 1
        if first == head or _barred(sentence, first, head):
            continue
        start, end = sentence.tokens[first].start, sentence.tokens[head].start
        yield tidy(sentence.text[:start] + sentence.text[end:], text)


def _restricts(sentence: Sentence, i: int) -> bool:
    word = sentence.low(i)
    if sentence.tag(i) not in ("ADJ", "NN", "VBN") or word in words("populations", "kept"):
        return False
    return not (
        sentence.tag(i) == "ADJ" and word.endswith("er") and not word.endswith("ster")
    ) and (not word.endswith(("'s", "’s")))


def _barred(sentence: Sentence, first: int, head: int) -> bool:
    """Whether the phrase compares, or a word before it needs the modifier."""
    before = sentence.low(first - 1)
    if sentence.low(first) == "age":
        return True
    if before in ("than", "more", "less", "most", "very", "as", "and", "or", "of", "between", "-"):
        return before != "of" or sentence.tag(first - 2) not in NOMINAL
    if (
        sentence.tag(first - 1) in ("ADV", "VBG", "TO", "NUM", "BE")
        or sentence.low(head + 1) == "and"
    ):
        return True
    return sentence.tag(first) == "VBN" and sentence.tag(first - 1) not in (
        "",
        "DET",
        "PUNCT",
        "QUANT",
    )


def name_wider_kind(text: str) -> Iterator[str]:
    """The claim about the wider kind: mice -> mammals."""
    sentence = parse(text)
    wider = table("populations")["wider"]
    for i, token in enumerate(sentence.tokens):
        new = wider.get(token.low)
        if new is None or token.tag not in NOMINAL or new in text.lower():
            continue
        if sentence.tag(i + 1) in NOMINAL or sentence.tag(i - 1) in ("ADJ", *NOMINAL):
            continue
        paired = any(sentence.low(j) in ("and", "or", "than") for j in (i - 1, i + 1))
        if paired or sentence.low(i + 1) in ("'", "’"):
            continue
        yield tidy(sentence.replace(i, i, new), text)
