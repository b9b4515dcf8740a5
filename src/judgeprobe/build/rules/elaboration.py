"""elaboration: which noun can be named a second time, in an apposition?

A gloss from probes/rules/glosses.toml goes after its noun, or a compound is followed by its own
unpacked form ("soil moisture, the moisture of soil, ..."). The apposition names the same thing
again; it uses no epistemic word and adds no claim.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from judgeprobe.build.rules.compounds import compounds
from judgeprobe.build.rules.grammar import tidy
from judgeprobe.build.rules.sentence import NOMINAL, Sentence, parse
from judgeprobe.build.rules.tables import table

__all__ = ["add_gloss", "restate_compound"]


def add_gloss(text: str) -> Iterator[str]:
    """The claim with one gloss: nitrate, a salt of nitrogen, declined."""
    # A noun with a phrase after it is glossed last: the apposition would stand between the two.
    sentence = parse(text)
    found = list(_glossable(sentence))
    yield from (
        _insert(sentence, last, gloss) for last, gloss in found if not _goes_on(sentence, last)
    )
    yield from (_insert(sentence, last, gloss) for last, gloss in found if _goes_on(sentence, last))


def _goes_on(sentence: Sentence, last: int) -> bool:
    return sentence.tag(last + 1) == "PREP"


def _glossable(sentence: Sentence) -> Iterator[tuple[int, str]]:
    """The last token of each term that takes its gloss, longer terms first."""
    glosses, text = table("glosses")["glosses"], sentence.text
    for term in sorted(glosses, key=lambda t: (-len(t.split()), t)):
        for match in re.finditer(rf"(?<![\w-]){re.escape(term)}(?![\w-])", text, re.IGNORECASE):
            last = next((i for i, t in enumerate(sentence.tokens) if t.end == match.end()), None)
            if last is None or not _takes_apposition(sentence, last):
                continue
            if _glossed_words(glosses[term], text):
                continue
            yield last, glosses[term]


def _glossed_words(gloss: str, text: str) -> bool:
    return gloss.lower() in text.lower()


def restate_compound(text: str) -> Iterator[str]:
    """The claim with one compound restated: soil moisture, the moisture of soil, fell."""
    sentence = parse(text)
    for compound in compounds(sentence):
        if _takes_apposition(sentence, compound.last):
            yield _insert(sentence, compound.last, f"the {compound.unpacked}")


def _takes_apposition(sentence: Sentence, last: int) -> bool:
    """Whether the noun ends its phrase and stands in no list."""
    after = sentence.tag(last + 1)
    if after in (*NOMINAL, "CONJ", "REL", "VBN", "VBG", "ADJ") or sentence.low(last + 1) in (
        "of", "'", "’", "-", "/", "(", "than", "that",
    ):  # fmt: skip
        return False
    first = last
    while sentence.tag(first - 1) in ("ADJ", "DET", "VBN", *NOMINAL):
        first -= 1
    if sentence.low(first - 1) == "/" or (first and _listed(sentence, first - 1)):
        return False
    if sentence.tag(first - 1) == "CONJ" and sentence.low(first - 1) in ("and", "or"):
        finite = ("VBD", "VBZ", "VBP", "BE", "HAVE", "MODAL")
        return sentence.tag(last + 1) in finite
    return sentence.low(last + 1) != "," or not _list_follows(sentence, last + 2)


def _listed(sentence: Sentence, i: int) -> bool:
    """Whether the comma at `i` stands in a list: "delivery, diabetes, and pain"."""
    later = [sentence.low(j) for j in range(i + 1, min(i + 8, len(sentence.tokens)))]
    if sentence.tokens[i].text != "," or sentence.tag(i - 1) not in NOMINAL:
        return False
    return any(a == "," and b in ("and", "or") for a, b in pairwise(later))


def _list_follows(sentence: Sentence, i: int) -> bool:
    """Whether a comma after the noun goes on with a list: "lakes, rivers and ponds"."""
    nxt = sentence.tag(i)
    return nxt in NOMINAL and any(
        sentence.tokens[j].text == "," or sentence.low(j) in ("and", "or")
        for j in range(i, min(i + 4, len(sentence.tokens)))
    )


def _insert(sentence: Sentence, last: int, gloss: str) -> str:
    end = sentence.tokens[last].end
    rest = sentence.text[end:]
    closing = "" if not rest.strip() or re.match(r"\s*[,.;:?!)]", rest) else ","
    return tidy(f"{sentence.text[:end]}, {gloss}{closing}{rest}", sentence.text)
