"""tense_modality_shift: how does the claim read as something that holds as a rule?

Every finite past verb of the sentence goes into the present ("was associated" -> "is associated",
"improved" -> "improves"), so that no mixed tenses are left; or one "can" goes ("can lead to" ->
"leads to"). A claim that dates its observation keeps its past, and so does one with a verb that the
tagger cannot settle.
"""

import re
from collections.abc import Iterator

from judgeprobe.build.rules.grammar import is_singular, present, tidy
from judgeprobe.build.rules.sentence import Sentence, parse
from judgeprobe.inflection import verb_lemma

__all__ = ["drop_can", "past_to_present"]

_DATED = re.compile(
    r"\b(?:in|since|until|by|between|from) (?:1[89]|20)\d\d\b|\b(?:1[89]|20)\d\d\b"
    r"|\b(?:last|this|previous|past) (?:year|month|week|decade|century|summer|winter)s?\b"
    r"|\b(?:yesterday|today|recently|now|ago|previously|formerly|historically)\b"
    r"|\b(?:the|these|those|our|this) (?:study|studies|trial|survey|experiment|follow-up)\b",
    re.IGNORECASE,
)
# The past of one event: "after the warm spell", "during the warmer summer".
_EVENT = re.compile(
    r"\b(?:after|during|in|before|over|through) (?:the|that) (?:\w+ ){0,2}"
    r"(?:spell|summer|winter|spring|autumn|course|quarters?|drought|storm|flood|fire|eruption"
    r"|election|lockdown|war|pandemic|outbreak|campaign|ban|reform|change)\b",
    re.IGNORECASE,
)
_PAST_BE = {"was": "is", "were": "are"}


def past_to_present(text: str) -> Iterator[str]:
    """The claim with all its finite past verbs in the present."""
    if _DATED.search(text) or _EVENT.search(text) or '"' in text:
        return
    sentence = parse(text)
    if any(token.tag == "?" for token in sentence.tokens):
        return
    edits = []
    for i, token in enumerate(sentence.tokens):
        if token.tag == "MODAL" and token.low in ("could", "would"):
            new = _modal(sentence, i)
        elif token.tag in ("VBD", "BE", "HAVE", "DO"):
            new = _verb(sentence, i)
        else:
            continue
        if new is None:
            return
        if new != token.text:
            edits.append((token.start, token.end, new))
    if not edits:
        return
    edited = text
    for start, end, new in reversed(edits):
        edited = edited[:start] + new + edited[end:]
    yield tidy(edited, text)


def _modal(sentence: Sentence, i: int) -> str | None:
    """A hedging "could" stays. That of past ability would lose its mark of a hedge: no edit."""
    text = sentence.text[: sentence.tokens[i].start]
    temporal = re.search(r"\b(?:when|after|before|if|where) (?:\w+ ){0,3}$", text, re.IGNORECASE)
    return None if temporal and sentence.low(i) == "could" else sentence.tokens[i].text


def _verb(sentence: Sentence, i: int) -> str | None:
    """The present of a finite past; other verbs as they are; None where agreement is unknown."""
    token = sentence.tokens[i]
    word = token.low
    if word in _PAST_BE:
        return _PAST_BE[word]
    if word == "had":
        base: str | None = "have"
    elif word == "did":
        base = "do"
    elif token.tag == "VBD":
        base = verb_lemma(word, "VBD")
    else:
        return token.text
    if base is None:
        return None
    if sentence.tag(i - 1) in ("BE", "HAVE") or sentence.low(i - 1) == "to":
        return token.text
    singular = is_singular(sentence, i)
    return None if singular is None else present(base, singular=singular)


def drop_can(text: str) -> Iterator[str]:
    """The claim with one "can" gone: can lead to -> leads to."""
    sentence = parse(text)
    for i in sentence.find("MODAL"):
        verb = i + 1
        while sentence.tag(verb) == "ADV":
            verb += 1
        base = sentence.low(verb)
        singular = is_singular(sentence, i)
        if (
            sentence.low(i - 2) == "as"
            or sentence.low(i) != "can"
            or singular is None
            or sentence.tag(verb) not in ("VB", "BE")
        ):
            continue
        if sentence.tag(verb) == "VB" and verb_lemma(base, "VB") != base:
            continue
        if singular and _coordinated(sentence, verb):
            continue
        between = [sentence.low(j) for j in range(i + 1, verb)]
        new = ("is" if singular else "are") if base == "be" else present(base, singular=singular)
        words = [new, *between] if base == "be" else [*between, new]
        yield tidy(sentence.replace(i, verb, " ".join(words)), text)


def _coordinated(sentence: Sentence, verb: int) -> bool:
    """Whether a second infinitive hangs on the same "can"."""
    for j in range(verb + 1, len(sentence.tokens)):
        if sentence.tag(j) in ("SUB", "REL"):
            return False
        if sentence.tag(j) == "CONJ" and verb_lemma(sentence.low(j + 1), "VB") == sentence.low(
            j + 1
        ):
            return True
    return False
