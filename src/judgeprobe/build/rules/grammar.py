"""Is the subject of this verb singular, and what does the sentence read after an edit?

Agreement is read from the shallow tags: the head of a subject is its last noun before the first
preposition, relative pronoun or participle. Where the head cannot be found the answer is None, and
the operator yields nothing.
"""

import re

from judgeprobe.build.rules.sentence import NOMINAL, Sentence
from judgeprobe.inflection import article, is_plural_noun, verb_form

__all__ = ["clause_start", "is_singular", "present", "subject", "tidy"]

_FINITE = frozenset({"VBD", "VBZ", "VBP", "MODAL", "BE", "HAVE", "DO"})
_STOP = frozenset({"PREP", "REL", "VBN", "VBG", "SUB", "TO"})
_PLURAL_PRONOUNS = frozenset({"they", "we", "you", "i", "these", "those", "ones", "others"})
_SINGULAR_QUANTITIES = frozenset({"each", "one", "neither", "either", "every", "none"})
# One determiner before a coordination joins modifiers: "this health and fitness course".
_ONE_PHRASE = frozenset({"a", "an", "this", "that", "each"})
_AMOUNTS = frozenset(
    {"some", "most", "all", "much", "part", "half", "majority", "any", "more", "quarter", "third"}
)


def clause_start(sentence: Sentence, verb: int) -> int:
    """Index of the first token of the clause that a finite verb closes the subject of."""
    i = verb - 1
    while i >= 0:
        tag = sentence.tag(i)
        if tag in ("SUB", "REL"):
            # "less common than", "more than ten": no clause begins there.
            if sentence.low(i) not in ("than", "as"):
                return _after_relative(sentence, i, verb)
        elif (tag == "PUNCT" and sentence.low(i) in ",;:()-–—") or (
            tag == "CONJ" and _closes_clause(sentence, i)
        ):
            return i + 1
        i -= 1
    return 0


def _after_relative(sentence: Sentence, edge: int, verb: int) -> int:
    """A relative clause that has its own verb before `verb` belongs to the subject; go on left."""
    finites = [j for j in range(edge + 1, verb) if sentence.tag(j) in _FINITE]
    if not finites or sentence.tag(edge) == "SUB":
        return edge if sentence.tag(edge) == "REL" else edge + 1
    return clause_start(sentence, edge)


def _closes_clause(sentence: Sentence, conjunction: int) -> bool:
    """Whether a finite verb stands before the conjunction in the same clause."""
    for j in range(conjunction - 1, -1, -1):
        if sentence.tag(j) in ("PUNCT", "SUB", "REL"):
            return False
        if sentence.tag(j) in _FINITE:
            return True
    return False


def subject(sentence: Sentence, verb: int) -> tuple[int, int] | None:
    """First and last index of the subject of a finite verb, or None."""
    first = clause_start(sentence, verb)
    last = verb - 1
    while last >= first and sentence.tag(last) in ("ADV", "NOT"):
        last -= 1
    while first <= last and sentence.tag(first) in ("ADV", "CONJ", "SUB"):
        first += 1
    return (first, last) if first <= last else None


def is_singular(sentence: Sentence, verb: int) -> bool | None:
    """Whether the subject of the finite verb at an index is singular; None where unknown."""
    before = verb - 1
    while before >= 0 and sentence.tag(before) in ("ADV", "NOT"):
        before -= 1
    if sentence.tag(before) == "CONJ":
        return _shared_subject(sentence, before)
    span = subject(sentence, verb)
    if span is None:
        return None
    first, last = span
    if sentence.tag(first) == "REL" and sentence.tag(first + 1) in (*NOMINAL, "DET", "PRON", "ADJ"):
        return _head_is_singular(sentence, first + 1, last)  # "that symptoms had missed"
    if sentence.tag(first) == "REL":
        return _antecedent(sentence, first)
    return _head_is_singular(sentence, first, last)


def _shared_subject(sentence: Sentence, conjunction: int) -> bool | None:
    for j in range(conjunction - 1, -1, -1):
        if sentence.tag(j) in _FINITE:
            return is_singular(sentence, j)
    return None


def _antecedent(sentence: Sentence, relative: int) -> bool | None:
    before = relative - 1
    if sentence.tag(before) == "PUNCT":
        start = clause_start(sentence, before)
        if any(sentence.tag(j) in _FINITE for j in range(start, before)):
            return True  # ", which" after a whole clause takes it up as one fact
        before -= 1
        return _head_is_singular(sentence, start, before)
    return None if sentence.tag(before) not in NOMINAL else not is_plural_noun(sentence.low(before))


def _head_is_singular(sentence: Sentence, first: int, last: int) -> bool | None:
    word = sentence.low(first)
    if sentence.tag(first) == "PRON":
        return None if word in ("there", "what") else word not in _PLURAL_PRONOUNS
    amount = first + (sentence.tag(first) == "DET")
    if sentence.low(amount) in _SINGULAR_QUANTITIES:
        return True
    if sentence.low(amount + 1) == "of":
        if sentence.low(amount) in ("many", "several", "few", "number", "both"):
            return False
        if sentence.low(amount) in _AMOUNTS:
            return _head_is_singular(sentence, min(amount + 2, last), last)
    if sentence.tag(first) == "VBG":
        return True
    return _noun_phrase(sentence, first, last)


def _noun_phrase(sentence: Sentence, first: int, last: int) -> bool | None:
    head, coordinated = None, False
    for j in range(first, last + 1):
        tag = sentence.tag(j)
        if tag in NOMINAL:
            head = j
        elif tag == "CONJ" and sentence.low(j) == "and" and head is not None:
            coordinated = True
        elif tag == "VBN" and sentence.tag(j + 1) in NOMINAL:
            continue  # "middle aged patients"
        elif head is not None and (tag in _STOP or sentence.low(j) == "such"):
            break
        elif tag in ("?", "PUNCT"):
            return None
    if head is None:
        return False if sentence.tag(last) in ("QUANT", "NUM") else None
    if coordinated and sentence.low(first) not in _ONE_PHRASE:
        return False
    return not _plural(sentence, head)


def _plural(sentence: Sentence, head: int) -> bool:
    token = sentence.tokens[head]
    if token.tag == "NAME":
        return bool(re.fullmatch(r"[A-Z0-9]{2,}s", token.text))
    return token.tag == "NNS"


def present(base: str, *, singular: bool) -> str:
    """A verb's present tense in the third person."""
    return verb_form(base, "VBZ" if singular else "VBP")


def tidy(text: str, like: str) -> str:
    """An edited sentence with its spaces, articles and first capital put right.

    Args:
        text: The edited sentence.
        like: The original, whose first capital is kept.
    """
    text = re.sub(r"[ \t]{2,}", " ", text).strip()
    text = re.sub(r" +([,.;:?!])", r"\1", text)
    text = re.sub(r",(?:\s*,)+", ",", text)
    text = re.sub(r",\s*([.;:?!])", r"\1", text)
    text = re.sub(r"^[,;:]\s*", "", text)
    text = re.sub(r"\b([Aa])(n?) (?=([\w-]+))", _article, text)
    if like[:1].isupper() and text[:1].islower():
        text = text[0].upper() + text[1:]
    return text


def _article(match: re.Match[str]) -> str:
    right = article(match.group(3))
    return ("A" if match.group(1) == "A" else "a") + right[1:] + " "
