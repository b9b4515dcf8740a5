"""condition_removal: which circumstance can the claim be stripped of?

A fronted adverbial ("When wind was weak, ..."), a clause of circumstance at the end of a clause
("... when levels are low"), or a phrase that the table probes/rules/conditions.toml knows as a
circumstance. One goes; commas and the first capital are put right.
"""

import re
from collections.abc import Iterator

from judgeprobe.build.rules.clauses import Adverbial, fronted, trailing
from judgeprobe.build.rules.grammar import tidy
from judgeprobe.build.rules.sentence import NOMINAL, Sentence, parse
from judgeprobe.build.rules.tables import words

__all__ = ["remove_final", "remove_fronted"]


def remove_fronted(text: str) -> Iterator[str]:
    """The claim without its fronted circumstance."""
    sentence = parse(text)
    found = fronted(sentence)
    if found is None or not _is_circumstance(sentence, found) or _dangling(sentence, found):
        return
    if _holds_facts(sentence, found.first, found.last):
        return
    rest = sentence.text[sentence.tokens[found.last + 2].start :]
    yield tidy(rest, text)


def remove_final(text: str) -> Iterator[str]:
    """The claim without a circumstance at the end of one of its clauses."""
    sentence = parse(text)
    lead = fronted(sentence)
    starts = [0 if lead is None else lead.last + 2]
    starts += [
        i + 1
        for i, token in enumerate(sentence.tokens)
        if token.text == "," and i + 1 > starts[0] and sentence.tag(i + 1) in ("CONJ", "SUB", "REL")
    ]
    for start in starts:
        for found in trailing(sentence, start):
            if _holds_facts(sentence, found.first, found.last):
                continue
            head = sentence.text[: sentence.tokens[found.first].start]
            tail = sentence.text[sentence.tokens[found.last].end :]
            yield tidy(_joined(head, tail), text)
    yield from _after_comma(sentence)


def _after_comma(sentence: Sentence) -> Iterator[str]:
    """Without a clause such as ", provided that X", up to the next comma or the end."""
    openers = "|".join(sorted(words("conditions", "clauses"), key=len, reverse=True))
    for match in re.finditer(rf",\s+(?:but\s+)?(?:{openers})\b[^,;:()]*(?=[,.;])", sentence.text):
        if re.match(r",\s+(?:while|where)\b", match.group()):
            continue  # a contrast, or a relative clause
        head, tail = sentence.text[: match.start()] + ",", sentence.text[match.end() :]
        yield tidy(_joined(head, tail), sentence.text)


_KEEPS_COMMA = (
    r",\s+(?:and|but|or|so|which|although|though|according|suggests?|finds?|reports?|reveals?"
    r"|shows?|concludes?|says?)\b"
)


def _joined(head: str, tail: str) -> str:
    """What stood before and after a circumstance, with the commas that are still needed."""
    head = head.rstrip()
    parenthesis = head.endswith(",") and tail.startswith(",")
    if parenthesis and not re.match(_KEEPS_COMMA, tail):
        tail = tail[1:]
    return head.rstrip(",") + tail


def _is_circumstance(sentence: Sentence, found: Adverbial) -> bool:
    text = sentence.text[: sentence.tokens[found.last].end].lower()
    if text.startswith("while "):
        return _temporal_while(sentence, found)
    if found.clause or sentence.tag(0) == "SUB":
        return any(re.match(rf"{w}(?!\w)", text) for w in words("conditions", "clauses"))
    openers = words("conditions", "phrases") | words("conditions", "phrases", "fronted")
    if any(re.match(rf"{w}(?!\w)", text) for w in openers):
        return True
    if sentence.low(0) not in words("conditions", "by_head", "prepositions"):
        return False
    heads = words("conditions", "by_head", "heads")
    head = ""
    for i in range(1, found.last + 1):
        if sentence.tag(i) in NOMINAL:
            head = sentence.low(i)
        elif head and sentence.tag(i) in ("PREP", "REL", "SUB", "VBN", "VBG"):
            break
    return head in heads


def _temporal_while(sentence: Sentence, found: Adverbial) -> bool:
    """While letters were sent: a time. While X is rare, Y is not: a contrast."""
    return any(
        sentence.tag(i) == "BE" and sentence.tag(i + 1) in ("VBN", "VBG")
        for i in range(1, found.last)
    )


def _holds_facts(sentence: Sentence, first: int, last: int) -> bool:
    """Whether a number, a name or a quantifier would go too: facts and scope stay as they are."""
    return any(sentence.tag(i) in ("NUM", "NAME", "QUANT") for i in range(first, last + 1))


def _dangling(sentence: Sentence, found: Adverbial) -> bool:
    """Whether the rest speaks of something that only the circumstance names ("took more of it")."""
    rest = [t.low for t in sentence.tokens[found.last + 2 :]]
    first_noun = next(
        (i for i, t in enumerate(sentence.tokens[found.last + 2 :]) if t.tag in NOMINAL), len(rest)
    )
    pronouns = {"it", "they", "them", "their", "its", "this", "these", "those", "ones", "he", "she"}
    if any(word in pronouns for word in rest[:first_noun]):
        return True
    if re.search(r"\bthe (?:effect|gain|change|difference|increase|decline|drop|shift|rise)\b",
                 " ".join(rest)):  # fmt: skip
        return True
    return "of it" in " ".join(rest) or "of them" in " ".join(rest) or rest[-1:] == ["then"]
