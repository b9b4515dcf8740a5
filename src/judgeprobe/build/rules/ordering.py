"""reordering: which adverbial can change its place and leave the claim as it is?

Two operators: a fronted adverbial goes to the end of its clause, or an adverbial at the end of the
first clause comes to the front. Words stay as they are, but for the first capital and one comma. A
clause whose pronoun would come before its noun is left where it is.
"""

from collections.abc import Iterator

from judgeprobe.build.rules.clauses import Adverbial, clause_end, fronted, trailing
from judgeprobe.build.rules.grammar import tidy
from judgeprobe.build.rules.sentence import NOMINAL, Sentence, Token, parse
from judgeprobe.inflection import can_be

__all__ = ["move_to_back", "move_to_front"]

_PRONOUNS = frozenset({"it", "they", "them", "their", "its", "he", "she", "his", "her", "ones"})
_CONTRAST = frozenset({"although", "though", "whereas", "because", "since"})


def move_to_back(text: str) -> Iterator[str]:
    """When wind was weak, rain fell -> Rain fell when wind was weak."""
    sentence = parse(text)
    found = fronted(sentence)
    if found is None:
        return
    start = found.last + 2
    end = clause_end(sentence, start)
    if sentence.tokens[end].text in ".,;:?!":
        end -= 1
    if end - start < 1 or _first_noun_is_pronoun(sentence, start):
        return
    phrase = (
        _lowered(sentence.tokens[0], text)
        + text[sentence.tokens[0].end : sentence.tokens[found.last].end]
    )
    body = text[sentence.tokens[start].start : sentence.tokens[end].end]
    if _confuses(sentence, start, end) or "," in phrase:
        return
    if _echoes(sentence, start, end):
        return
    comma = "," if sentence.low(0) in _CONTRAST else ""
    yield tidy(f"{body}{comma} {phrase}{text[sentence.tokens[end].end :]}", text)


def _echoes(sentence: Sentence, start: int, end: int) -> bool:
    """Whether the phrase would be read with the words before it.

    "For" and "with" phrases join the noun before them; a phrase that repeats the last preposition
    does too ("in most tests in mice", "than in calm winters in winters with").
    """
    if sentence.tag(0) != "PREP":
        return False
    last = next((i for i in range(end, start, -1) if sentence.tag(i) == "PREP"), None)
    repeated = last is not None and sentence.low(last) == sentence.low(0)
    return repeated or sentence.low(0) in ("for", "with")


def _lowered(token: Token, text: str) -> str:
    if token.tag == "NAME" or token.text[1:] != token.text[1:].lower():
        return token.text
    return token.text.lower() if text[:1].isupper() else token.text


def _first_noun_is_pronoun(sentence: Sentence, start: int) -> bool:
    """Whether the main clause takes up a noun of the adverbial by a pronoun."""
    return any(
        token.low in _PRONOUNS
        for token in sentence.tokens[start : start + 3]
        if token.tag in ("PRON", "DET")
    ) or sentence.low(start) in ("those", "these", "this")


def _confuses(sentence: Sentence, start: int, end: int) -> bool:
    """Whether the adverbial would be read with something else at the end of the clause."""
    inside = [sentence.low(i) for i in range(start, end + 1)]
    last = inside[-1]
    if last in ("then", "it", "them", "so"):
        return True
    clauses = sum(sentence.tag(i) in ("SUB", "REL") for i in range(start, end + 1))
    compared = "than" in inside or "as" in inside
    return clauses > 1 + compared or '"' in inside


def move_to_front(text: str) -> Iterator[str]:
    """Rain fell when wind was weak -> When wind was weak, rain fell."""
    sentence = parse(text)
    if fronted(sentence) is not None or not text[:1].isalpha():
        return
    if sentence.tag(0) in ("SUB", "CONJ", "ADV", "REL") or sentence.low(0) in ("this", "these"):
        return
    comma = next((i for i, t in enumerate(sentence.tokens) if t.text in ",;:("), None)
    for found in trailing(sentence, 0):
        if comma is not None and comma < found.first:
            continue
        if _takes_up(sentence, found.first, found.last) or _is_complex(sentence, found):
            continue
        phrase = text[sentence.tokens[found.first].start : sentence.tokens[found.last].end]
        body = text[: sentence.tokens[found.first].start].rstrip()
        body = _lowered(sentence.tokens[0], text) + body[sentence.tokens[0].end :]
        rest = text[sentence.tokens[found.last].end :]
        if sentence.tokens[0].tag == "NN" and _name_like(sentence.tokens[0]):
            continue
        yield tidy(f"{phrase}, {body}{rest}", text)
    yield from _contrast(sentence)


def _is_complex(sentence: Sentence, found: Adverbial) -> bool:
    """Whether the main clause has clauses of its own, or the adverbial compares."""
    verbs = [
        i
        for i in sentence.find("VBD", "VBZ", "VBP", "MODAL", "BE", "HAVE")
        if i < found.first and sentence.low(i) not in ("be", "been", "being", "have", "having")
    ]
    subordinate = any(
        sentence.tag(i) == "SUB" and sentence.low(i) not in ("than", "as", "that")
        for i in range(found.first)
    )
    compares = any(sentence.low(i) == "than" for i in range(found.first, found.last))
    return len(verbs) > 2 or subordinate or compares


def _name_like(token: Token) -> bool:
    """Whether the first word may be a name, whose capital must stay."""
    return not any(can_be(token.low, pos) for pos in ("NOUN", "ADJ", "VERB", "ADV"))


def _takes_up(sentence: Sentence, first: int, last: int) -> bool:
    return any(sentence.low(i) in _PRONOUNS for i in range(first, last + 1))


def _contrast(sentence: Sentence) -> Iterator[str]:
    """X, although Y. -> Although Y, X."""
    text = sentence.text
    for i, token in enumerate(sentence.tokens):
        if token.low not in _CONTRAST or i < 3 or sentence.tokens[i - 1].text != ",":
            continue
        end = next(
            (j for j in range(i, len(sentence.tokens)) if sentence.tokens[j].text in ".;"), 0
        )
        between = [t.text for t in sentence.tokens[i:end]]
        lead = [t.text for t in sentence.tokens[: i - 1]]
        if not end or end != len(sentence.tokens) - 1 or "," in between or "," in lead:
            return
        if _takes_up(sentence, i, end - 1) or _name_like(sentence.tokens[0]):
            return
        if not any(sentence.tag(j) in NOMINAL for j in range(i, end)):
            return
        body = text[: sentence.tokens[i - 2].end]
        body = _lowered(sentence.tokens[0], text) + body[sentence.tokens[0].end :]
        clause = text[token.start : sentence.tokens[end - 1].end]
        yield tidy(f"{clause}, {body}{text[sentence.tokens[end].start :]}", text)
        return
