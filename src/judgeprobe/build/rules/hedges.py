"""hedging_removal: what does the claim say without its hedges?

Every hedge that a rule covers goes, one after the other, until none is left that can go. The words
are in probes/rules/hedging.toml. Agreement and tense follow the subject; where the subject's number
cannot be read, that hedge stays.
"""

import re
from collections.abc import Callable

from judgeprobe.build.rules.grammar import clause_start, is_singular, present, tidy
from judgeprobe.build.rules.sentence import NOMINAL, Sentence, parse
from judgeprobe.build.rules.tables import table, words
from judgeprobe.inflection import verb_form, verb_lemma

__all__ = ["drop_hedges"]

_MOST_HEDGES = 12


def drop_hedges(text: str) -> str | None:
    """The claim without hedges, or None where it has none that can go."""
    current = text
    for _ in range(_MOST_HEDGES):
        after = _drop_one(current)
        if after is None:
            break
        current = after
    return None if current == text else current


def _drop_one(text: str) -> str | None:
    for rule in _RULES:
        sentence = parse(text)
        for i in range(len(sentence.tokens)):
            edited = rule(sentence, i)
            if edited is not None:
                return tidy(edited, text)
    return None


def _opening(sentence: Sentence, i: int) -> str | None:
    """It is possible that X -> X."""
    if sentence.low(i) not in ("it", "there"):
        return None
    start = sentence.tokens[i].start
    rest = sentence.text[start:]
    for phrase in table("hedging")["openings"]["patterns"]:
        match = re.match(rf"{phrase}\s+", rest, re.IGNORECASE)
        if match:
            return sentence.text[:start] + rest[match.end() :]
    return None


def _modal(sentence: Sentence, i: int) -> str | None:
    """Drop a modal and inflect its verbs: may reduce -> reduces."""
    if sentence.tag(i) != "MODAL" or sentence.low(i) not in words("hedging", "modals"):
        return None
    verb = i + 1
    negated = False
    while sentence.tag(verb) in ("ADV", "NOT"):
        negated |= sentence.low(verb) == "not"
        verb += 1
    if sentence.low(i) == "could" and (negated or _in_the_past(sentence, i)):
        return None
    singular = is_singular(sentence, i)
    if singular is None or "or may not" in sentence.text:
        return None
    base = sentence.low(verb)
    between = [sentence.low(j) for j in range(i + 1, verb) if sentence.low(j) != "not"]
    if base == "have" and sentence.tag(verb + 1) in ("VBN", "BE"):
        return _perfect(sentence, i, verb, singular=singular, negated=negated)
    if base == "be" and sentence.low(verb + 1) == "because":
        return None  # "which is because" is no sentence of an editor's
    if base == "be":
        be = ["is" if singular else "are"] + (["not"] if negated else [])
        return sentence.replace(i, verb, " ".join([*be, *between]))
    if verb_lemma(base, "VB") != base and base not in ("have", "do"):
        return None
    if negated:
        auxiliary = "does not" if singular else "do not"
        return sentence.replace(i, verb, " ".join([auxiliary, *between, base]))
    edited = _inflect_coordinated(sentence, verb, singular=singular)
    if edited is None:
        return None
    first, last = sentence.tokens[i].start, sentence.tokens[verb].end
    return edited[:first] + " ".join([*between, present(base, singular=singular)]) + edited[last:]


def _in_the_past(sentence: Sentence, i: int) -> bool:
    """Whether "could" tells a past ability: it stands in a clause of time beside a past verb."""
    edge = clause_start(sentence, i) - 1
    temporal = sentence.low(edge) in ("when", "after", "before", "if", "where", "until")
    told = any(sentence.tag(j) == "VBD" for j in range(len(sentence.tokens)))
    return temporal and told


def _perfect(sentence: Sentence, i: int, verb: int, *, singular: bool, negated: bool) -> str | None:
    """May have reduced -> reduced; may not have been -> was not."""
    participle = sentence.low(verb + 1)
    if participle == "been":
        be = ("was" if singular else "were") + (" not" if negated else "")
        return sentence.replace(i, verb + 1, be)
    base = verb_lemma(participle, "VBN")
    if base is None:
        return None
    return sentence.replace(i, verb + 1, f"did not {base}" if negated else verb_form(base, "VBD"))


def _inflect_coordinated(sentence: Sentence, verb: int, *, singular: bool) -> str | None:
    """Inflect "and improve" after "may reduce costs"; None where a second verb is in doubt."""
    if not singular:
        return sentence.text
    for j in range(verb + 1, len(sentence.tokens)):
        if sentence.tag(j) in ("PUNCT", "SUB", "REL"):
            joined = sentence.tag(j + 1) == "CONJ"
            if joined and sentence.tag(j + 2) in ("VB", "VBP", "?"):
                return None
            break
        if sentence.tag(j) != "CONJ":
            continue
        k = j + 1
        while sentence.tag(k) == "ADV":
            k += 1
        word = sentence.low(k)
        if verb_lemma(word, "VB") != word or sentence.tag(k) in ("ADJ", "PRON", "DET", "QUANT"):
            continue
        if sentence.tag(k + 1) in ("DET", "QUANT", "PRON", "ADJ", "NN", "NNS"):
            if sentence.tag(k) in ("NN", "NNS") and sentence.tag(k + 1) != "DET":
                continue
            return sentence.replace(k, k, present(word, singular=True))
        if sentence.tag(k) in ("VB", "VBP", "?"):
            return None
    return sentence.text


def _raising(sentence: Sentence, i: int) -> str | None:
    """Appears to reduce -> reduces; seemed to be lost -> was lost; seems sound -> is sound."""
    word = sentence.low(i)
    found = [
        (base, tag)
        for base in table("hedging")["raising"]["verbs"]
        for tag in ("VBZ", "VBP", "VBD", "VB")
        if word == verb_form(base, tag)
    ]
    if not found or sentence.tag(i) not in ("VBZ", "VBP", "VBD", "VB", "NN", "?"):
        return None
    base, tag = found[0]
    if any(t == "VBP" for _, t in found) and sentence.tag(i) == "VB":
        return None
    if sentence.low(i + 1) == "to":
        return _raised(sentence, i, i + 2, tag)
    if base == "tend" or sentence.tag(i + 1) not in ("ADJ", "VBN", "QUANT"):
        return None
    be = _agree_be(sentence, i, tag)
    return None if be is None else sentence.replace(i, i, be)


def _agree_be(sentence: Sentence, i: int, tag: str) -> str | None:
    singular = is_singular(sentence, i)
    if singular is None:
        return None
    if tag == "VBD":
        return "was" if singular else "were"
    return "is" if singular else "are"


def _raised(sentence: Sentence, first: int, verb: int, tag: str) -> str | None:
    """Replace tokens first..verb by the infinitive's verb in the tense of `tag`."""
    adverbs = []
    while sentence.tag(verb) == "ADV":
        adverbs.append(sentence.low(verb))
        verb += 1
    base = sentence.low(verb)
    if base == "be":
        be = _agree_be(sentence, first, tag)
        return None if be is None else sentence.replace(first, verb, " ".join([be, *adverbs]))
    if base == "have" and sentence.tag(verb + 1) in ("VBN", "BE"):
        singular = is_singular(sentence, first)
        if singular is None:
            return None
        have = "had" if tag == "VBD" else "has" if singular else "have"
        return sentence.replace(first, verb, " ".join([have, *adverbs]))
    if verb_lemma(base, "VB") != base:
        return None
    if tag == "VBD":
        return sentence.replace(first, verb, " ".join([*adverbs, verb_form(base, "VBD")]))
    singular = is_singular(sentence, first)
    if singular is None:
        return None
    edited = _inflect_coordinated(sentence, verb, singular=singular)
    if edited is None:
        return None
    head, tail = sentence.tokens[first].start, sentence.tokens[verb].end
    return edited[:head] + " ".join([*adverbs, present(base, singular=singular)]) + edited[tail:]


def _be_likely_to(sentence: Sentence, i: int) -> str | None:
    """Is likely to help -> helps; was thought to be -> was."""
    if sentence.tag(i) != "BE" or sentence.low(i) not in ("is", "are", "was", "were"):
        return None
    j = i + 1
    while sentence.tag(j) == "ADV" and sentence.low(j) in ("also", "therefore", "thus"):
        j += 1
    if sentence.low(j) not in words("hedging", "adjectives_with_to") or sentence.low(j + 1) != "to":
        return None
    tag = "VBD" if sentence.low(i) in ("was", "were") else "VBZ"
    return _raised(sentence, i, j + 2, tag)


def _frame(sentence: Sentence, i: int) -> str | None:
    """suggest(s/ed/ing) X -> show(s/ed/ing) X."""
    for base, entry in table("hedging")["frames"].items():
        for tag in ("VBZ", "VBP", "VBD", "VBG", "VB"):
            if sentence.low(i) != verb_form(base, tag):
                continue
            if tag == "VBD" and (sentence.tag(i) == "VBN" or sentence.tag(i + 1) == "PREP"):
                return None  # "values suggested for use"
            if sentence.tag(i) not in ("VBZ", "VBP", "VBD", "VBG", "VB", "?"):
                return None
            last = i + 1 if base == "hint" and sentence.low(i + 1) == "at" else i
            if base == "hint" and last == i and sentence.low(i + 1) != "that":
                return None
            return sentence.replace(i, last, verb_form(entry["to"], tag))
    return None


def _consistent(sentence: Sentence, i: int) -> str | None:
    """Is consistent with a link -> shows a link."""
    if sentence.low(i) not in ("is", "are", "was", "were"):
        return None
    rest = sentence.text[sentence.tokens[i].end :].lstrip()
    for phrase in table("hedging")["consistent"]["phrases"]:
        if rest.lower().startswith(phrase + " ") and not re.match(
            r"the (?:hypothes|notion|idea|view|possib|theor|propos)", rest[len(phrase) + 1 :]
        ):
            tag = {"is": "VBZ", "are": "VBP"}.get(sentence.low(i), "VBD")
            return (
                sentence.text[: sentence.tokens[i].start]
                + verb_form("show", tag)
                + rest[len(phrase) :]
            )
    return None


def _adverb(sentence: Sentence, i: int) -> str | None:
    """Drop an adverb or an adverbial phrase, with the commas around it."""
    start = sentence.tokens[i].start
    for phrase in table("hedging")["adverbs"]["words"]:
        match = re.match(rf"{phrase}(?!\w)", sentence.text[start:], re.IGNORECASE)
        if match is None or _kept(sentence, i, phrase):
            continue
        before, after = sentence.text[:start], sentence.text[start + match.end() :]
        if re.search(r",\s*$", before) and re.match(r"\s*,", after):
            before = re.sub(r",\s*$", "", before)
            after = re.sub(r"^\s*,", "", after)
        return before.rstrip() + (" " if before.strip() else "") + after.lstrip()
    if sentence.low(i) == "likely" and _adverbial_likely(sentence, i):
        return sentence.text[:start] + sentence.text[sentence.tokens[i].end :].lstrip()
    return None


def _kept(sentence: Sentence, i: int, phrase: str) -> bool:
    """Whether the word is a part of something else: "not possibly", "in part of"."""
    following = i + len(phrase.split())
    if sentence.low(following) == "of" and phrase == "in part":
        return True
    return sentence.tag(i - 1) == "NOT" or sentence.low(i - 1) in ("as", "only", "at")


def _adverbial_likely(sentence: Sentence, i: int) -> bool:
    degree = sentence.low(i - 1) in ("more", "less", "most", "least", "as", "equally", "very")
    return not degree and sentence.tag(i + 1) in ("VBN", "VBD", "VBZ", "VBP", "VB", "SUB")


def _noun_modifier(sentence: Sentence, i: int) -> str | None:
    """A possible link -> a link; possible links -> links."""
    if sentence.low(i) not in words("hedging", "noun_modifiers"):
        return None
    if sentence.tag(i - 1) in ("BE", "ADV", "NOT", "CONJ") or sentence.low(i - 1) in ("as",):
        return None
    if sentence.tag(i + 1) not in ("ADJ", *NOMINAL):
        return None
    return (
        sentence.text[: sentence.tokens[i].start] + sentence.text[sentence.tokens[i].end :].lstrip()
    )


_RULES: tuple[Callable[[Sentence, int], str | None], ...] = (
    _opening,
    _modal,
    _raising,
    _be_likely_to,
    _consistent,
    _frame,
    _adverb,
    _noun_modifier,
)
