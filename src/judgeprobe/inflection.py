"""What are the forms of a word, and what can a form be?

English morphology from lemminflect's dictionary alone. Its model for unknown words is not used: it
guesses silently, and it is a pickle. A regular word that the dictionary lacks is inflected by the
spelling rules here or not at all.
"""

import functools
import re

import lemminflect

__all__ = [
    "article",
    "can_be",
    "is_plural_noun",
    "is_singular_noun",
    "lemma",
    "noun_plural",
    "verb_form",
    "verb_forms",
    "verb_lemma",
]

_BE = {"VB": "be", "VBZ": "is", "VBP": "are", "VBD": "was", "VBN": "been", "VBG": "being"}
_HAVE = {"VBZ": "has", "VBP": "have"}
# The dictionary's first spelling is not the one that this project writes, or is not the common one.
_PREFERRED = {
    ("lie", "VBD"): "lay",
    ("learn", "VBD"): "learned",
    ("learn", "VBN"): "learned",
    ("focus", "VBZ"): "focuses",
    ("focus", "VBD"): "focused",
    ("bias", "VBD"): "biased",
    ("spread", "VBD"): "spread",
    ("spread", "VBN"): "spread",
}


@functools.lru_cache(maxsize=65536)
def _tags(word: str) -> dict[str, tuple[str, ...]]:
    return dict(lemminflect.getAllLemmas(word.lower()))


@functools.lru_cache(maxsize=65536)
def can_be(word: str, pos: str) -> bool:
    """Whether the dictionary knows the word as NOUN, VERB, ADJ or ADV; capitals do not matter."""
    return pos in _tags(word)


@functools.lru_cache(maxsize=65536)
def _form(base: str, tag: str) -> str | None:
    if base == "be":
        return _BE[tag]
    if base == "have" and tag in _HAVE:
        return _HAVE[tag]
    if (base, tag) in _PREFERRED:
        return _PREFERRED[base, tag]
    forms = lemminflect.getInflection(base, tag, inflect_oov=False)
    return forms[0] if forms else None


def verb_form(base: str, tag: str) -> str:
    """A verb's form for a Penn tag: VB, VBZ, VBP, VBD, VBN or VBG.

    "be" gives the plural in VBP and the singular in VBD; a caller that needs the other agrees it.
    """
    if tag in ("VB", "VBP") and base != "be":
        return base
    return _form(base, tag) or _regular(base, tag)


def _regular(base: str, tag: str) -> str:
    if tag == "VBZ":
        return _with_s(base)
    drops_e = base.endswith("e") and not base.endswith("ee")
    if tag == "VBG":
        return (base[:-1] if drops_e else base) + "ing"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    return base + ("d" if base.endswith("e") else "ed")


def _with_s(base: str) -> str:
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ies"
    return base + ("es" if re.search(r"(s|x|z|ch|sh)$", base) else "s")


@functools.lru_cache(maxsize=4096)
def verb_forms(base: str) -> frozenset[str]:
    """Every form of a verb, the base included."""
    if base == "be":
        return frozenset({"be", "is", "are", "was", "were", "been", "being"})
    known = [
        form
        for tag in ("VBZ", "VBD", "VBN", "VBG")
        for form in lemminflect.getInflection(base, tag, inflect_oov=False)
    ]
    made = [verb_form(base, tag) for tag in ("VBZ", "VBD", "VBN", "VBG")]
    return frozenset({base, *known, *made})


@functools.lru_cache(maxsize=65536)
def verb_lemma(word: str, tag: str) -> str | None:
    """The verb whose `tag` form the word is, or None where the dictionary knows none.

    Of several ("found": find, found) the one whose own spelling differs is taken.
    """
    word = word.lower()
    if tag in ("VBD", "VBZ", "VBP") and word in ("was", "were", "is", "are"):
        return "be"
    bases = [
        base
        for base in _tags(word).get("VERB", ()) + _tags(word).get("AUX", ())
        if word in lemminflect.getInflection(base, tag, inflect_oov=False)
        or word == verb_form(base, tag)
    ]
    return min(bases, key=lambda base: (base == word, bases.index(base))) if bases else None


def lemma(word: str, pos: str) -> str | None:
    """The word's first lemma as that part of speech, or None where the dictionary has none."""
    found = _tags(word).get(pos)
    return found[0] if found else None


_ALWAYS_PLURAL = frozenset(
    {"people", "data", "police", "cattle", "mice", "men", "women", "bacteria", "larvae", "media"}
)
_SAME_IN_BOTH = frozenset({"species", "series", "sheep", "fish", "aircraft"})
# Singular, though they end in s and the dictionary offers a shorter lemma.
_SINGULAR_IN_S = frozenset(
    {
        "analysis", "basis", "diagnosis", "physics", "economics", "mathematics", "genetics",
        "statistics", "politics", "news", "diabetes", "measles", "rabies", "access", "process",
        "progress", "stress", "biomass", "mass", "loss", "illness", "virus", "status", "census",
        "focus", "glass", "grass", "class", "business", "fitness", "success", "synthesis",
        "hypothesis", "photosynthesis", "sepsis", "arthritis", "dialysis", "thesis", "crisis",
        "bias", "gas", "atlas", "canvas", "lens", "bus", "campus", "corpus", "consensus", "rickets",
        "whereas", "thus", "this", "its", "is", "was", "has", "as", "us",
    }
)  # fmt: skip


@functools.lru_cache(maxsize=65536)
def is_plural_noun(word: str) -> bool:
    """Whether the form is a plural noun ("lakes", "mice", "data", "species")."""
    word = word.lower().rsplit("-", 1)[-1]
    if word in _ALWAYS_PLURAL or word in _SAME_IN_BOTH:
        return True
    if word in _SINGULAR_IN_S or word.endswith("ness"):
        return False
    bases = _tags(word).get("NOUN", ())
    if bases:
        return word not in bases
    return word.endswith("s") and not word.endswith("ss") and len(word) > 3 and not _tags(word)


@functools.lru_cache(maxsize=65536)
def is_singular_noun(word: str) -> bool:
    """Whether the form is a singular noun that the dictionary knows."""
    word = word.lower().rsplit("-", 1)[-1]
    return word in _SINGULAR_IN_S or (can_be(word, "NOUN") and not is_plural_noun(word))


def noun_plural(word: str) -> str:
    """A singular noun's plural."""
    if word in _SAME_IN_BOTH:
        return word
    forms = lemminflect.getInflection(word, "NNS", inflect_oov=False)
    return forms[0] if forms else _with_s(word)


# "u" as in "use": unit, unique, uniform and urine, but unimportant, uninformed, under and urban.
_YOU = r"u(?:ni(?!n|m|dent)|[bst]i|bang|s[aeu]|sher|ta|te|top|nanim|r[aeiou]|ga|ku|kr)"
_CONSONANT_SOUND = re.compile(rf"(?:eu|ewe|ewi|one(?![a-z])|onet|once|{_YOU})", re.IGNORECASE)
_VOWEL_SOUND = re.compile(
    r"[aeiou]|hour|honest|honou?r|heir|nth\b|yt|8|11(?!\d)|18(?!\d)", re.IGNORECASE
)


def article(word: str) -> str:
    """The indefinite article before a word, number or acronym, by its sound: "a" or "an"."""
    letters = re.match(r"[A-Z]{2,}|[A-Z](?![a-z])", word)
    if letters and not re.match(r"(?:NASA|NATO|LASSO|SARS|FAIR)\b", word):
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    if _CONSONANT_SOUND.match(word):
        return "a"
    return "an" if _VOWEL_SOUND.match(word) else "a"
