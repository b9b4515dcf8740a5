"""intensifier_addition: where does an intensifier fit that the evidence gives no ground for?

One intensifier is added: before a verb of change or of doing, a participle of relation, a
comparative, an adjective after "be", or a noun of effect. Which words take which intensifier is in
probes/rules/intensifiers.toml. A word that has a degree word or a negation beside it is left alone.
"""

import hashlib
from collections.abc import Callable, Iterator

from judgeprobe.build.rules.clauses import fronted
from judgeprobe.build.rules.grammar import tidy
from judgeprobe.build.rules.sentence import NOMINAL, Sentence, parse
from judgeprobe.build.rules.tables import table, words
from judgeprobe.inflection import verb_lemma

__all__ = ["add_intensifier"]

_TAGS = {"VBZ": "VBZ", "VBP": "VB", "VBD": "VBD", "VB": "VB"}
# Forms beside which no intensifier goes.
_DEGREE = frozenset(
    {
        "slightly", "somewhat", "very", "more", "less", "much", "far", "most", "least", "too",
        "rather", "quite", "fairly", "so", "as", "little", "almost", "nearly", "about", "a",
        "highly", "well", "significantly", "even", "partly", "mainly", "largely", "mostly",
        "only", "also", "no", "any", "few", "equally", "similarly", "perhaps",
    }
)  # fmt: skip


def add_intensifier(text: str) -> Iterator[str]:
    """The claim with one intensifier, the best place first."""
    sentence = parse(text)
    lead = fronted(sentence)
    first = 1 if lead is None else lead.last + 2
    for rule in _RULES:
        for i in range(first, len(sentence.tokens)):
            if _in_condition(sentence, i):
                continue
            edited = rule(sentence, i)
            if edited is not None:
                yield tidy(edited, text)


def _in_condition(sentence: Sentence, i: int) -> bool:
    """Whether the word stands in a clause of circumstance: it would say when, not how much."""
    for j in range(i - 1, -1, -1):
        if sentence.tag(j) == "PUNCT":
            return False
        if sentence.tag(j) == "SUB" and sentence.low(j) not in ("that", "than", "so", "as"):
            return True
        if sentence.low(j) == "as" and sentence.low(j - 1) in ("far", "long", "well", "as"):
            return True
    return False


def _choice(sentence: Sentence, section: str, key: str = "adverbs") -> str:
    options = table("intensifiers")[section][key]
    digest = hashlib.sha256(sentence.text.encode("utf-8", "surrogatepass")).digest()
    return str(options[digest[0] % len(options)])


def _insert(sentence: Sentence, i: int, word: str) -> str:
    start = sentence.tokens[i].start
    return f"{sentence.text[:start]}{word} {sentence.text[start:]}"


def _negated(sentence: Sentence, i: int) -> bool:
    """Whether a negation stands before the word in its clause."""
    for j in range(i - 1, -1, -1):
        if sentence.tag(j) in ("NOT",) or sentence.low(j) in ("no", "without", "neither", "nor"):
            return True
        if sentence.tag(j) in ("PUNCT", "SUB", "REL"):
            return False
    return False


def _free(sentence: Sentence, i: int) -> bool:
    """Whether nothing beside the word bars an intensifier."""
    beside = (sentence.low(i - 1), sentence.low(i + 1))
    if any(word in _DEGREE - {"a"} for word in beside) or any(w.endswith("ly") for w in beside):
        return False
    if beside[0] in ("we", "last", "first"):
        return False
    return not _negated(sentence, i) and sentence.tag(i - 1) not in ("TO", "DO")


_FREQUENCY = frozenset(
    {"often", "usually", "generally", "sometimes", "always", "occasionally", "rarely", "frequently"}
)


def _verb(section: str) -> Callable[[Sentence, int], str | None]:
    def rule(sentence: Sentence, i: int) -> str | None:
        """Before a finite verb: reduces -> substantially reduces."""
        tag = _TAGS.get(sentence.tag(i))
        if tag is None or not _free(sentence, i) or sentence.tag(i - 1) in ("ADV", "CONJ", "HAVE"):
            return None
        if tag == "VB" and sentence.tag(i) == "VB" and sentence.tag(i - 1) != "MODAL":
            return None
        if verb_lemma(sentence.low(i), tag) not in words("intensifiers", section, "verbs"):
            return None
        if sentence.tag(i - 1) == "REL" and sentence.tag(i - 2) != "PUNCT":
            return None  # a restrictive clause: it says which, not how much
        if sentence.tag(i + 1) == "TO" or sentence.low(i + 1) == "to":
            return None
        if section == "steadiness" and any(t.low in _FREQUENCY for t in sentence.tokens):
            return None
        adverb = _choice(sentence, section)
        after = sentence.tag(i + 1) in ("PREP", "PUNCT") and section == "degree"
        if after and sentence.tag(i) != "VB":
            return _insert(sentence, i + 1, adverb) if sentence.tag(i + 1) == "PREP" else None
        return _insert(sentence, i, adverb)

    return rule


def _participle(sentence: Sentence, i: int) -> str | None:
    """Was associated with -> was strongly associated with."""
    if sentence.low(i) not in words("intensifiers", "relation", "participles"):
        return None
    related = sentence.low(i + 1) in ("with", "to") and sentence.tag(i - 1) in ("BE", "ADV")
    if not related or not _free(sentence, i):
        return None
    return _insert(sentence, i, _choice(sentence, "relation"))


def _comparative(sentence: Sentence, i: int) -> str | None:
    """Were cooler than -> were markedly cooler than; more visits -> substantially more visits."""
    word = sentence.low(i)
    if word not in words("intensifiers", "comparison") or _negated(sentence, i):
        return None
    if sentence.low(i - 1) in _DEGREE or sentence.tag(i - 1) in ("ADV", "DET", "CONJ", "QUANT"):
        return None
    if sentence.low(i + 1) in ("than", "of") and word in ("more", "less", "fewer"):
        return None  # "more than ten", "more of it"
    if word in ("more", "less") and sentence.tag(i + 1) not in ("ADJ", "ADV", *NOMINAL):
        return None
    if sentence.low(i - 1).endswith(("times", "fold")) or sentence.tag(i - 1) == "NUM":
        return None
    if sentence.low(i + 1) == "than" and sentence.tag(i + 2) == "NUM":
        return None
    if sentence.tag(i - 1) in ("PREP", "PUNCT", "CONJ", "SUB", "VBG") and not _compared(
        sentence, i
    ):
        return None
    counts = sentence.tag(i + 1) in NOMINAL or (
        sentence.tag(i + 1) == "ADJ" and sentence.tag(i + 2) == "NNS"
    )
    adverb = "far" if word in ("more", "fewer") and counts else None
    return _insert(sentence, i, adverb or _choice(sentence, "comparison"))


def _compared(sentence: Sentence, i: int) -> bool:
    """Whether the comparative says what was found, not which things: "with lower error"."""
    return sentence.low(i - 1) in ("with", "by", "to") and any(
        sentence.low(j) in ("associated", "linked", "followed", "tied", "related", "led")
        for j in range(max(0, i - 4), i)
    )


def _copula(sentence: Sentence, i: int) -> str | None:
    """Is effective -> is highly effective."""
    if sentence.low(i) not in words("intensifiers", "copula") or not _free(sentence, i):
        return None
    if sentence.tag(i - 1) != "BE" or sentence.low(i + 1) == "to":
        return None
    if sentence.low(i) in ("worth", "low", "high", "weak", "small"):
        return _insert(sentence, i, "well" if sentence.low(i) == "worth" else "very")
    return _insert(sentence, i, "highly")


def _noun(sentence: Sentence, i: int) -> str | None:
    """A reduction -> a marked reduction."""
    word = sentence.low(i)
    if word not in words("intensifiers", "nouns") or sentence.tag(i) not in ("NN", "NNS"):
        return None
    if sentence.low(i - 1) not in ("a", "an") or _negated(sentence, i):
        return None
    return _insert(sentence, i, _choice(sentence, "nouns", "adjectives"))


_RULES: tuple[Callable[[Sentence, int], str | None], ...] = (
    _participle,
    _comparative,
    _verb("degree"),
    _verb("greatness"),
    _noun,
    _copula,
    _verb("steadiness"),
)
