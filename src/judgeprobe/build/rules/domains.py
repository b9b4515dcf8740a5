"""domain_extension: to which neighbouring domain can the claim be carried over?

The claim is said of a second domain beside its own, from the table probes/rules/domains.toml: a
modifier gets its neighbour ("coastal basins" -> "coastal and inland basins") or a noun does ("in
mice" -> "in mice and rats"). A noun that would make a singular verb disagree is left alone.
"""

from collections.abc import Iterator

from judgeprobe.build.rules.grammar import subject, tidy
from judgeprobe.build.rules.sentence import NOMINAL, Sentence, parse
from judgeprobe.build.rules.tables import table
from judgeprobe.inflection import is_plural_noun

__all__ = ["extend_modifier", "extend_noun"]


def extend_modifier(text: str) -> Iterator[str]:
    """Two domains for one: coastal basins -> coastal and inland basins."""
    sentence = parse(text)
    neighbours = table("domains")["modifiers"]
    for i, token in enumerate(sentence.tokens):
        pair = f"{token.low} {sentence.low(i + 1)}"
        new = neighbours.get(pair) or neighbours.get(token.low)
        if new is None or token.tag not in ("ADJ", "NN", "VBN") or _mentions(text, new):
            continue
        if not _modifies(sentence, i) or _coordinated(sentence, i):
            continue
        yield tidy(sentence.replace(i, i, f"{token.text} and {new}"), text)


def _modifies(sentence: Sentence, i: int) -> bool:
    """Whether it stands before a plural, or before a mass noun without an article."""
    if sentence.tag(i + 1) not in NOMINAL or sentence.tag(i + 1) == "NAME":
        return False
    head = i + 1
    while sentence.tag(head + 1) in NOMINAL:
        head += 1
    first = i
    while sentence.tag(first - 1) in ("ADJ", "NN"):
        first -= 1
    if sentence.tag(first - 1) in ("NUM", "ADV") or first != i:
        return False
    if sentence.tag(head) == "NNS":
        return True
    return sentence.tag(first - 1) not in ("DET", "QUANT") and not _agrees_alone(sentence, head)


def _coordinated(sentence: Sentence, i: int) -> bool:
    return sentence.low(i - 1) in ("and", "or", "than", "more", "less", "very", "-", "/")


def _mentions(text: str, neighbour: str) -> bool:
    return neighbour.lower() in text.lower()


def extend_noun(text: str) -> Iterator[str]:
    """A neighbour beside a noun: in mice -> in mice and rats."""
    sentence = parse(text)
    neighbours = table("domains")["nouns"]
    for i, token in enumerate(sentence.tokens):
        new = neighbours.get(token.low)
        if new is None or token.tag not in ("NN", "NNS") or _mentions(text, new):
            continue
        if not _ends_phrase(sentence, i) or _agrees_alone(sentence, i):
            continue
        determiner = _determiner(sentence, i)
        if determiner is None:
            continue
        yield tidy(sentence.replace(i, i, f"{token.text} and {determiner}{new}"), text)


# After these, a second place would be left out, not taken in.
_APART = frozenset({"outside", "without", "except", "beyond", "off", "between", "than"})


def _ends_phrase(sentence: Sentence, i: int) -> bool:
    """Whether nothing after the noun restricts it alone."""
    if sentence.tag(i + 1) in (*NOMINAL, "REL", "CONJ", "VBN", "VBG", "ADJ"):
        return False
    if sentence.low(i + 1) == "aged" or is_plural_noun(sentence.low(i + 1)):
        return False
    listed = sentence.low(i + 1) == "," and sentence.tag(i + 2) in ("ADJ", "CONJ", *NOMINAL)
    if listed and sentence.low(i - 1) in (",", "as"):
        return False
    if sentence.tag(i + 1) == "PREP":
        return sentence.low(i + 1) in ("after", "before", "during", "when", "over", "within", "by")
    return sentence.low(i + 1) not in ("'", "’", "-", "/", "(")


def _determiner(sentence: Sentence, i: int) -> str | None:
    """What stands before the neighbour: "the " where the noun has it; None where none fits."""
    first = i
    while sentence.tag(first - 1) in ("ADJ", "NN"):
        first -= 1
    before = sentence.tokens[first - 1] if first else None
    if before is not None and sentence.low(first - 1 - (before.low == "the")) in _APART:
        return None
    if before is None or before.tag not in ("DET", "QUANT", "NUM", "CONJ"):
        return ""
    if before.tag == "CONJ" or before.tag == "NUM":
        return None
    if before.low == "the":
        return "the "
    return "" if before.tag == "QUANT" and before.low not in ("half", "much", "other") else None


def _agrees_alone(sentence: Sentence, i: int) -> bool:
    """Whether a singular verb agrees with this noun: two nouns would break it."""
    for verb in sentence.find("BE", "HAVE", "VBZ", "DO"):
        if verb < i or (
            sentence.low(verb) not in ("is", "was", "has", "does") and (sentence.tag(verb) != "VBZ")
        ):
            continue
        span = subject(sentence, verb)
        if span is not None and span[0] <= i <= span[1]:
            inside = any(sentence.tag(j) == "PREP" for j in range(span[0], i))
            return not inside
    return False
