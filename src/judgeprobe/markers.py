"""Which marker words does a text use, and did an edit bring one in or take one out?

A marker list is closed: it is read from probes/ and nothing is guessed beyond it. Texts are
compared in normal form (`judgeprobe.typography`), on word boundaries, the longest entry first, so
that "as is well known" counts once and not also as "well known".

An entry is a word or several. A word after "~" is a verb that matches in every inflection; a
space in an entry also matches a hyphen. Each occurrence has a use:

- `plain`: the sentence uses the marker;
- `negated`: a negation stands at most two words before it ("not clearly", "is not known to");
- `quoted`: it stands inside quotation marks, so the sentence mentions it.

The three are counted apart. An edit that turns "clearly" into "not clearly", or that quotes it,
has changed a marker. "May" with a capital is the month.
"""

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from judgeprobe.inflection import verb_forms
from judgeprobe.typography import normalise

__all__ = ["Change", "Marker", "MarkerList", "Use", "marker_list"]

Use = Literal["plain", "negated", "quoted"]

_NEGATION = re.compile(
    r"(?:\b(?:not|never|no|nor|neither|without|hardly|scarcely|cannot)\b|n't\b)"
    r"(?:[\s-]+[\w']+){0,2}[\s-]*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r'"[^"]*"|(?<!\w)\'[^\']*\'(?!\w)')


@dataclass(frozen=True)
class Marker:
    """An entry of a list as one text uses it."""

    entry: str
    use: Use

    def __str__(self) -> str:
        """As a reason names it: `clearly`, or `clearly` (negated)."""
        return f"`{self.entry}`" + ("" if self.use == "plain" else f" ({self.use})")


@dataclass(frozen=True)
class Change:
    """A marker whose count differs between two texts.

    Attributes:
        by: Uses after, minus uses before.
    """

    marker: Marker
    by: int

    def __str__(self) -> str:
        """As a reason says it: introduces `clearly`, removes `may`."""
        return f"{'introduces' if self.by > 0 else 'removes'} {self.marker}"


class MarkerList:
    """A closed list, compiled once.

    Args:
        entries: Lower-case entries as `probes/markers/*.txt` gives them.

    Attributes:
        count: How often a text uses each marker (text -> Counter of `Marker`).
    """

    count: Callable[[str], Counter[Marker]]

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(dict.fromkeys(entries))
        # By first word, longest entry first: only entries that can begin at a word are tried there.
        self._by_word: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
        for entry in sorted(self.entries, key=lambda entry: (-len(entry), entry)):
            pattern = re.compile(rf"(?<!\w)(?<!\w['-])(?:{_pattern(entry)})(?!\w)", re.IGNORECASE)
            for word in _first_words(entry):
                self._by_word.setdefault(word, []).append((entry, pattern))
        self.count = functools.lru_cache(maxsize=2048)(self._count)

    def find(self, text: str) -> list[tuple[Marker, int, int]]:
        """Every use of a marker with its begin and end in the normalised text, in order."""
        text = normalise(text)
        quoted = [match.span() for match in _QUOTED.finditer(text)]
        found = []
        last = 0
        for word in _WORD.finditer(text):
            if word.start() < last or word.group() == "May":
                continue
            for entry, pattern in self._by_word.get(word.group().lower(), ()):
                match = pattern.match(text, word.start())
                if match:
                    begin, last = match.span()
                    found.append((Marker(entry, _use(text, begin, last, quoted)), begin, last))
                    break
        return found

    def _count(self, text: str) -> Counter[Marker]:
        return Counter(marker for marker, _, _ in self.find(text))

    def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """Markers whose counts differ: introduced ones first, then by entry."""
        first, second = self.count(before), self.count(after)
        changes = [
            Change(marker, second[marker] - first[marker])
            for marker in first.keys() | second.keys()
            if second[marker] != first[marker]
        ]
        return tuple(sorted(changes, key=lambda c: (c.by < 0, c.marker.entry, c.marker.use)))


@functools.lru_cache(maxsize=64)
def marker_list(entries: tuple[str, ...]) -> MarkerList:
    """The compiled list of these entries, made once."""
    return MarkerList(entries)


def _pattern(entry: str) -> str:
    pattern = r"[\s-]+".join(_word_pattern(word) for word in entry.split())
    # "far-sighted" is a word of its own; "highly-regarded" is an adverb and its adjective.
    return pattern if entry.endswith("ly") else pattern + r"(?!-\w)"


def _first_words(entry: str) -> set[str]:
    head = entry.split()[0]
    forms = verb_forms(head[1:]) if head.startswith("~") else {head}
    return {match.group().lower() for form in forms if (match := _WORD.search(form))}


def _word_pattern(word: str) -> str:
    if word.startswith("~"):
        forms = sorted(verb_forms(word[1:]), key=lambda form: (-len(form), form))
        return f"(?:{'|'.join(re.escape(form) for form in forms)})"
    return re.escape(word)


def _use(text: str, begin: int, end: int, quoted: list[tuple[int, int]]) -> Use:
    if any(first < begin and end < last for first, last in quoted):
        return "quoted"
    clause = re.split(r"[.,;:()]", text[max(0, begin - 80) : begin])[-1]
    return "negated" if _NEGATION.search(clause) else "plain"
