"""verbosity_padding: how does the claim read at greater length, by syntax alone?

Four operators: spell out an abbreviation (from the evidence, else from the shipped table), turn a
verb into a light verb and a noun, turn an adjective into a clause, and unpack a compound or a
function word. The words are in probes/rules/padding.toml and compounds.toml.
"""

import re
from collections.abc import Iterator

from judgeprobe.build.facts import abbreviations, defined_in
from judgeprobe.build.rules.compounds import compounds
from judgeprobe.build.rules.grammar import is_singular, tidy
from judgeprobe.build.rules.sentence import NOMINAL, Sentence, parse
from judgeprobe.build.rules.tables import table, words
from judgeprobe.inflection import verb_form, verb_lemma

__all__ = ["nominalise", "spell_out", "unpack_adjective", "unpack_compound", "unpack_phrase"]

_FINITE = {"VBD": "VBD", "VBZ": "VBZ", "VBP": "VBP", "VB": "VB"}
_OBJECTS = frozenset({"DET", "QUANT", "ADJ", "NUM", "NN", "NNS", "NAME"})


def spell_out(text: str, evidence: str = "") -> Iterator[str]:
    """The claim with one abbreviation in full: MRI -> magnetic resonance imaging."""
    for match in re.finditer(r"(?<![\w-])[A-Z][A-Za-z0-9.]*[A-Z0-9]s?(?![\w-])", text):
        short = match.group()
        full = defined_in(evidence, short) or abbreviations().get(short)
        if full is None or full.lower() in text.lower():
            continue
        if not match.start():
            full = full[:1].upper() + full[1:]
        yield tidy(text[: match.start()] + full + text[match.end() :], text)


def nominalise(text: str) -> Iterator[str]:
    """The claim with one verb as a noun: improved it -> brought about an improvement in it."""
    sentence = parse(text)
    for i, token in enumerate(sentence.tokens):
        tag = _FINITE.get(token.tag)
        base = verb_lemma(token.low, tag) if tag else None
        entry = table("padding")["nominal"].get(base) if base else None
        if entry is None or tag is None or _adverb_beside(sentence, i):
            continue
        phrase = entry.get("object") if _has_object(sentence, i) else None
        if phrase is None and sentence.tag(i + 1) in ("PREP", "PUNCT", "SUB"):
            phrase = entry.get("alone")
        if phrase is None or sentence.low(i - 1) == "to":
            continue
        new = _conjugated(sentence, i, phrase, tag)
        if new is not None:
            yield tidy(sentence.replace(i, i, new), text)


def _adverb_beside(sentence: Sentence, i: int) -> bool:
    """Whether an adverb of manner would have to become an adjective."""
    manner = any(sentence.low(j).endswith("ly") for j in (i - 1, i + 1))
    return manner or sentence.tag(i - 1) in ("CONJ", "DO", "NOT") or _joined(sentence, i)


def _joined(sentence: Sentence, i: int) -> bool:
    return sentence.tag(i + 1) == "CONJ"


def _has_object(sentence: Sentence, i: int) -> bool:
    return sentence.tag(i + 1) in _OBJECTS and sentence.low(i + 1) not in ("more", "less", "how")


def _conjugated(sentence: Sentence, i: int, phrase: str, tag: str) -> str | None:
    verb, _, rest = phrase.partition(" ")
    if verb != "be":
        return f"{verb_form(verb, tag)} {rest}"
    if tag == "VB":
        return f"be {rest}"
    singular = is_singular(sentence, i)
    if singular is None:
        return None
    past = tag == "VBD"
    be = ("was" if past else "is") if singular else ("were" if past else "are")
    return f"{be} {rest}"


def unpack_adjective(text: str) -> Iterator[str]:
    """The claim with one adjective as a clause: shallow wells -> wells that were shallow."""
    sentence = parse(text)
    for i, token in enumerate(sentence.tokens):
        noun = i + 1
        if token.low not in words("padding", "adjectives") or sentence.tag(noun) != "NNS":
            continue
        if sentence.tag(noun + 1) == "PREP":
            continue  # the phrase that follows would be read with the adjective
        if sentence.tag(i - 1) == "PUNCT" and sentence.tag(i - 2) in ("ADJ", *NOMINAL):
            continue  # one of several modifiers: "normal-weight, postmenopausal women"
        if sentence.tag(noun + 1) in (*NOMINAL, "REL", "VBN", "VBG") or sentence.low(noun + 1) in (
            "than", "of", "'", "’", "-", "and", "or", "who", "that",
        ):  # fmt: skip
            continue
        if sentence.tag(i - 1) in ("ADV", "ADJ", "CONJ", "BE") or sentence.low(i - 1) in (
            "than", "as", "-", "more", "most", "less",
        ):  # fmt: skip
            continue
        relative = "who" if sentence.low(noun) in _PERSONS else "that"
        be = "were" if _told_in_past(sentence) else "are"
        head = sentence.tokens[noun].text
        yield tidy(sentence.replace(i, noun, f"{head} {relative} {be} {token.low}"), text)


_PERSONS = frozenset(
    {
        "adults", "women", "men", "children", "people", "patients", "students", "nurses", "infants",
        "participants", "users", "residents", "workers", "mothers", "fathers", "girls", "boys",
        "adolescents", "individuals", "athletes", "farmers", "survivors", "subjects", "outpatients",
    }
)  # fmt: skip


def _told_in_past(sentence: Sentence) -> bool:
    for token in sentence.tokens:
        if token.tag == "VBD" or token.low in ("was", "were", "had"):
            return True
        if token.tag in ("VBZ", "VBP") or token.low in ("is", "are", "has", "have"):
            return False
    return False


def unpack_compound(text: str) -> Iterator[str]:
    """The claim with one compound unpacked: soil moisture -> the moisture of soil."""
    sentence = parse(text)
    for compound in compounds(sentence):
        first = compound.first - (1 if compound.article else 0)
        noun = (
            f"the {compound.unpacked}"
            if not compound.article.startswith("a")
            else (f"a {compound.unpacked}")
        )
        yield tidy(sentence.replace(first, compound.last, noun), text)


def unpack_phrase(text: str) -> Iterator[str]:
    """The claim with one function word in more words: because -> for the reason that."""
    entries = table("padding")["phrases"]
    for key in sorted(entries, key=lambda k: -len(k)):
        match = re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", text, re.IGNORECASE)
        if match is None or (key == "because" and _bound_because(text, match)):
            continue
        new = entries[key]
        if match.group()[:1].isupper():
            new = new[:1].upper() + new[1:]
        yield tidy(text[: match.start()] + new + text[match.end() :], text)


def _bound_because(text: str, match: re.Match[str]) -> bool:
    """Whether "because" goes with the word beside it: "because of", "perhaps because"."""
    before = re.search(r"([\w']+)\W*$", text[: match.start()])
    joined = before is not None and (before.group(1).endswith("ly") or before.group(1) in _BESIDE)
    return text[match.end() :].startswith(" of") or joined


_BESIDE = frozenset({"perhaps", "maybe", "be", "is", "are", "was", "were", "only", "just"})
