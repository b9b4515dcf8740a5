"""Where do the adverbials of a claim begin and end?

A claim is read as (fronted adverbial,) main clause (, further clauses). A fronted adverbial runs
from the beginning to the first comma; a trailing one from its first word to the end of its clause.
"""

import re
from dataclasses import dataclass

from judgeprobe.build.rules.sentence import NOMINAL, Sentence
from judgeprobe.build.rules.tables import words

__all__ = ["Adverbial", "clause_end", "fronted", "trailing"]

_FINITE = frozenset({"VBD", "VBZ", "VBP", "MODAL", "BE", "HAVE", "DO"})


@dataclass(frozen=True)
class Adverbial:
    """A phrase or clause of circumstance.

    Attributes:
        first: Index of its first token.
        last: Index of its last token.
        clause: Whether it holds a finite verb.
    """

    first: int
    last: int
    clause: bool


def fronted(sentence: Sentence) -> Adverbial | None:
    """The adverbial before the first comma, where a main clause follows it."""
    comma = next((i for i, t in enumerate(sentence.tokens) if t.text == ","), None)
    if comma is None or comma < 2 or sentence.tag(0) not in ("PREP", "SUB"):
        return None
    if sentence.low(0) in ("as", "so", "than", "whether", "like", "of", "to", "unlike", "because"):
        return None
    if " ".join(t.low for t in sentence.tokens[:comma]) in words("conditions", "discourse"):
        return None
    rest = range(comma + 1, len(sentence.tokens))
    following = sentence.tag(comma + 1)
    listed = following in ("CONJ", "PREP", "PUNCT", "REL", "SUB", "ADV")
    if listed or not any(sentence.tag(i) in _FINITE for i in rest):
        return None
    if _list_goes_on(sentence, comma):
        return None
    clause = any(sentence.tag(i) in _FINITE for i in range(1, comma))
    if sentence.tag(0) == "SUB" and not clause and sentence.tag(1) not in ("VBN", "VBG"):
        return None
    return Adverbial(0, comma - 1, clause)


def _list_goes_on(sentence: Sentence, comma: int) -> bool:
    """Whether the comma is one of a list ("in lakes, rivers and ponds, ...")."""
    nxt = next(
        (i for i in range(comma + 1, len(sentence.tokens)) if sentence.tokens[i].text == ","), None
    )
    if nxt is None:
        return False
    between = range(comma + 1, nxt)
    return not any(sentence.tag(i) in _FINITE for i in between)


def clause_end(sentence: Sentence, start: int) -> int:
    """Index of the last token of the main clause that begins at `start`, marks left out."""
    for i in range(start, len(sentence.tokens)):
        token = sentence.tokens[i]
        final = i == len(sentence.tokens) - 1 or token.text in ";:"
        if token.text in ".!?;:" and token.tag == "PUNCT" and i > start and final:
            return i - 1
        if token.text == "," and _new_clause(sentence, i + 1):
            return i - 1
    return len(sentence.tokens) - 1


def _new_clause(sentence: Sentence, i: int) -> bool:
    """Whether a further clause begins at `i`, after a comma."""
    if sentence.tag(i) in ("REL",):
        return True
    if sentence.tag(i) == "ADV" and sentence.tag(i + 1) in ("SUB", "CONJ"):
        i += 1
    if sentence.tag(i) not in ("SUB", "CONJ"):
        return sentence.tag(i) == "VBG" or sentence.low(i) in ("especially", "particularly", "at")
    for j in range(i + 1, len(sentence.tokens)):
        if sentence.tag(j) in _FINITE:
            return sentence.tag(j - 1) != "CONJ"  # "stress, and damage and enhanced recovery"
        if sentence.tokens[j].text in ",;":
            return False
    return False


def trailing(sentence: Sentence, start: int) -> list[Adverbial]:
    """Circumstances at the end of the clause that begins at `start`, the longest first."""
    end = clause_end(sentence, start)
    found = []
    for i in range(start + 2, end + 1):
        if _opens(sentence, i) and not _governed(sentence, i):
            last = _cut(sentence, i, end)
            clause = any(sentence.tag(j) in _FINITE for j in range(i + 1, last + 1))
            if sentence.low(i) == "where":
                continue  # it says which place, not under which circumstance
            inner = [sentence.tokens[j].text for j in range(i, last + 1)]
            if "," in inner or "(" in inner or not _has_verb(sentence, start, i):
                continue
            if _swallows_verb(sentence, i, last):
                continue
            if sentence.tag(i - 1) == "VBD" and sentence.tag(last + 1) == "CONJ":
                continue  # "prevented in vitro and in vivo growth": the verb waits for its object
            found.append(Adverbial(i, last, clause))
    return found


def _swallows_verb(sentence: Sentence, i: int, last: int) -> bool:
    """Whether the span holds a verb of the main clause: "exposure after birth shortens life"."""
    verbs = [
        j
        for j in range(i + 1, last + 1)
        if sentence.tag(j) in _FINITE and sentence.low(j) not in ("be", "been", "being", "having")
    ]
    doubtful = any(sentence.tag(j) == "?" for j in range(i, last + 1))
    if sentence.tag(i) == "PREP":
        return bool(verbs) or doubtful
    apart = [j for j in verbs if sentence.tag(j - 1) not in ("BE", "HAVE", "MODAL", "DO", "NOT")]
    return len(apart) > 1 or doubtful


def _cut(sentence: Sentence, i: int, end: int) -> int:
    """The last token of the adverbial: a second predicate ("... but can expect") is not in it."""
    for j in range(i + 1, end + 1):
        if sentence.tag(j) == "CONJ":
            k = j + 1
            while sentence.tag(k) in ("ADV", "NOT"):
                k += 1
            if sentence.tag(k) in _FINITE or sentence.tag(k) in ("?", "VBN"):
                return j - 1
    return end


def _opens(sentence: Sentence, i: int) -> bool:
    text = sentence.text[sentence.tokens[i].start :].lower()
    for opener in words("conditions", "clauses"):
        if re.match(rf"{opener}(?!\w)", text):
            return sentence.tag(i) in ("SUB", "PREP", "ADV")
    for opener in words("conditions", "phrases"):
        if re.match(rf"{opener}(?!\w)", text):
            return sentence.tag(i) in ("PREP", "SUB")
    if sentence.low(i) in words("conditions", "by_head", "final_prepositions"):
        return _head(sentence, i + 1) in words("conditions", "by_head", "final_heads")
    return False


def _head(sentence: Sentence, i: int) -> str:
    """The head noun of the phrase that begins at `i`, "" where it has none."""
    head = ""
    while sentence.tag(i) in ("DET", "QUANT", "NUM", "ADJ", "ADV", "VBN", *NOMINAL):
        if sentence.tag(i) in NOMINAL:
            head = sentence.low(i)
        i += 1
    return head


def _governed(sentence: Sentence, i: int) -> bool:
    """Whether the word before belongs with it: "than when", "even when", "whether after"."""
    before = sentence.low(i - 1)
    if before in (
        "than", "as", "even", "except", "especially", "particularly", "not", "and", "or", "but",
        "of", "from", "to", "in", "on", "is", "are", "was", "were", "be", "that", "known", "just",
        "only", "born",
        "long", "which", "whether", "soon", "shortly", "years", "months", "days", "hours", "weeks",
        "minutes", "week", "month", "year", "day", "hour",
    ):  # fmt: skip
        return True
    # "techniques applied during", "published after": a participle keeps its complement.
    if sentence.low(i) == "if" and sentence.tag(i - 1) in ("VB", "VBD", "VBN", "VBP"):
        return True  # "to see if"
    return sentence.tag(i - 1) in ("PREP", "VBG") or (
        sentence.tag(i - 1) == "VBN" and sentence.tag(i - 2) != "BE"
    )


def _has_verb(sentence: Sentence, start: int, i: int) -> bool:
    """Whether the clause keeps its verb without the adverbial."""
    return any(sentence.tag(j) in _FINITE for j in range(start, i))
