"""Which numbers, units, names and acronyms does a text hold?

Read without a model, from the normal form of the text with its markup taken away. A number is read
with the unit that follows it; number words count as their digits. A name is a capitalised word
that does not owe its capital to the beginning of a sentence, or that owes it to both; an acronym
holds two capitals, a capital after a small letter, or letters beside digits.
"""

import functools
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from judgeprobe import resources
from judgeprobe.inflection import can_be
from judgeprobe.typography import normalise

__all__ = ["Names", "abbreviations", "defined_in", "names", "numbers", "plain", "spells_out"]

_MARKUP = re.compile(r"(?m)^\s*(?:#{1,6}|[-*+\u2022]|>|\d+[.)](?=\s+[A-Z*_]))\s+|[*_`~]{1,3}")
_NUMBER = re.compile(r"(?<![\w.])(?:(?<!\w)-)?\d+(?:[.,]\d+)*")
_IDENTIFIER = re.compile(r"\b[A-Z]\w*-$")
_WORD = re.compile(r"[^\W_](?:[\w'.&/-]*[^\W_])?")
_SENTENCE_END = re.compile(r"[.!?:]\s+[\"'(\[]*$")
_SMALL_WORDS = frozenset({"a", "an", "and", "for", "in", "of", "on", "the", "to", "with"})


def plain(text: str) -> str:
    """The normal form of a text without Markdown's marks for bold, lists and headings."""
    return normalise(_MARKUP.sub("", text))


@functools.cache
def _units() -> tuple[Mapping[str, str], re.Pattern[str], Mapping[str, str]]:
    content = tomllib.loads(resources.read_text("probes", "rules/units.toml"))
    spellings = {s: unit for unit, all_ in content["units"].items() for s in all_}
    ordered = sorted(spellings, key=lambda s: (-len(s), s))
    # Words in any case; a symbol's capitals are its meaning.
    branches = (f"(?i:{re.escape(s)})" if len(s) > 3 else re.escape(s) for s in ordered)
    unit = re.compile(rf"[\s-]?({'|'.join(branches)})(?![^\W\d_])")
    words = {word: f"{value:g}" for word, value in content["number_words"].items()}
    return spellings, unit, words


def numbers(text: str) -> Counter[str]:
    """Every number with its unit, as "5 km" or "12"; digits and number words count alike."""
    text = plain(text)
    _, unit, words = _units()
    found: Counter[str] = Counter()
    for match in _NUMBER.finditer(text):
        after = text[match.end() :]
        glued = re.match(r"[^\W\d_]", after) and not unit.match(after)
        if glued or _IDENTIFIER.search(text[: match.start()]):
            continue  # part of an identifier, such as 3D or GPT-2: an acronym
        found[_with_unit(_value(match.group()), after)] += 1
    for match in re.finditer(r"[A-Za-z]+", text):
        value = words.get(match.group().lower())
        if value is not None:
            found[_with_unit(value, text[match.end() :])] += 1
    return found


def _value(digits: str) -> str:
    # A comma before exactly three digits groups thousands.
    digits = re.sub(r",(?=\d{3}(?!\d))", "", digits)
    return digits.replace(",", ".")


def _with_unit(value: str, after: str) -> str:
    spellings, unit, _ = _units()
    match = unit.match(after)
    if match is None:
        return value
    spelling = match.group(1)
    return f"{value} {spellings.get(spelling) or spellings[spelling.lower()]}"


@dataclass(frozen=True)
class Names:
    """Names and acronyms of a text.

    Attributes:
        sure: Acronyms, and words with a capital inside a sentence.
        first: Words at the beginning of a sentence, where every word has a capital.
        unknown: Those of `first` that the dictionary does not have: names, unless the other text
            writes them small.
        small: Words written without capitals.
    """

    sure: frozenset[str]
    first: frozenset[str]
    unknown: frozenset[str]
    small: frozenset[str]

    def without(self, other: "Names") -> frozenset[str]:
        """Names here that the other text does not have."""
        missing = self.sure - other.sure - other.first
        opening = self.unknown - other.sure - other.first
        return missing | {word for word in opening if word.lower() not in other.small}


def names(text: str) -> Names:
    """The names and acronyms of a text; possessive and plural endings are taken off."""
    text = plain(text)
    sure, first, small = set(), set(), set()
    for match in _WORD.finditer(text):
        for word in _parts(match.group()):
            if not _capitalised(word) and not _acronym(word):
                small.add(word)
                continue
            bare = _bare(word)
            at_start = _begins_sentence(text, match.start())
            if at_start and not _acronym(word):
                first.add(bare)
            elif bare != "I":
                sure.add(bare)
    unknown = frozenset(word for word in first if not _common(word))
    return Names(frozenset(sure), frozenset(first), unknown, frozenset(small))


def _begins_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 12) : at]  # enough for a mark, spaces and opening brackets
    return _SENTENCE_END.search(before) is not None or (at <= 12 and not before.strip("\"'([ "))


def _parts(token: str) -> list[str]:
    """A hyphenated or slashed token word by word, unless it is one identifier (COVID-19)."""
    if re.search(r"\d", token):
        return [token]
    return [part for part in re.split(r"[-/]", token) if part]


def _capitalised(word: str) -> bool:
    return word[:1].isupper()


def _acronym(word: str) -> bool:
    capitals = sum(letter.isupper() for letter in word)
    letters = any(letter.isalpha() for letter in word)
    digits = any(letter.isdigit() for letter in word)
    ordinal = re.fullmatch(r"\d+(?:st|nd|rd|th|s)", word) is not None
    measured = re.fullmatch(r"[\d.,]+-?[a-z%°-]+", word) is not None
    return (
        capitals >= 2
        or bool(re.search(r"[a-z][A-Z]", word))
        or (letters and digits and not ordinal and not measured)
    )


def _bare(word: str) -> str:
    word = re.sub(r"'s?$", "", word)
    return word[:-1] if re.fullmatch(r"[A-Z0-9]{2,}s", word) else word


def _common(word: str) -> bool:
    if len(word) == 1 or "'" in word:
        return True
    return word.lower() in _function_words() or any(
        can_be(word.lower(), pos) for pos in ("NOUN", "VERB", "ADJ", "ADV", "AUX")
    )


@functools.cache
def _function_words() -> frozenset[str]:
    lines = resources.read_text("probes", "rules/function_words.txt").split("\n")
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


@functools.cache
def abbreviations() -> Mapping[str, str]:
    """The shipped table: abbreviation -> what it stands for."""
    content = tomllib.loads(resources.read_text("probes", "rules/abbreviations.toml"))
    return dict(content["abbreviations"])


def defined_in(evidence: str, abbreviation: str) -> str | None:
    """The long form that evidence gives an abbreviation, as "long form (ABC)", or None."""
    text = plain(evidence)
    at = text.find(f"({abbreviation})")
    if at < 0:
        return None
    words = text[:at].split()
    letters = abbreviation.rstrip("s").lower()
    for start in range(max(0, len(words) - 2 * len(letters) - 1), len(words)):
        if words[start].lower() not in _SMALL_WORDS and _initials(words[start:], letters):
            return " ".join(words[start:])
    return None


def spells_out(abbreviation: str, text: str, evidence: str = "") -> str | None:
    """The words of a text that spell an abbreviation out, or None.

    A long form that the evidence or the shipped table gives is the only one accepted; where
    neither gives one, words whose initials spell the abbreviation are.
    """
    body = plain(text)
    known = [
        form
        for key in (abbreviation, f"{abbreviation}s")
        for form in (defined_in(evidence, key), abbreviations().get(key))
        if form is not None
    ]
    for form in known:
        match = re.search(rf"(?<!\w){re.escape(plain(form))}(?!\w)", body, re.IGNORECASE)
        if match:
            return match.group()
    if known or not abbreviation.isalpha():
        return None
    letters = abbreviation.lower()
    words = re.findall(r"[\w']+", body)
    for start in range(len(words)):
        for length in range(2, 2 * len(letters) + 1):
            chunk = words[start : start + length]
            if (
                len(chunk) == length
                and chunk[-1].lower() not in _SMALL_WORDS
                and chunk[0].lower() not in _SMALL_WORDS
                and _initials(chunk, letters)
            ):
                return " ".join(chunk)
    return None


def _initials(words: list[str], letters: str) -> bool:
    parts = [part for word in words for part in re.split(r"-", word) if part]
    heads = "".join(part[0].lower() for part in parts if part.lower() not in _SMALL_WORDS)
    return heads == letters
