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
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from judgeprobe.build.inflection import verb_forms
from judgeprobe.typography import normalise

__all__ = ["Change", "Marker", "MarkerList", "Use", "marker_list"]

Use = Literal["plain", "negated", "quoted"]

_NEGATION = re.compile(
    r"(?:\b(?:not|never|no|nor|neither|without|hardly|scarcely|cannot)\b|n't\b)"
    r"(?:[\s-]+[\w']+){0,2}[\s-]*$",
    re.IGNORECASE,
)
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
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(dict.fromkeys(entries))
        # Longest first: an alternation takes the first branch that fits.
        ordered = sorted(self.entries, key=lambda entry: (-len(entry), entry))
        self._names = tuple(ordered)
        branches = (f"(?P<m{i}>{_pattern(entry)})" for i, entry in enumerate(ordered))
        self._regex = re.compile(
            rf"(?<!\w)(?<!\w')(?:{'|'.join(branches)})(?![\w])" if ordered else r"(?!)",
            re.IGNORECASE,
        )

    def find(self, text: str) -> list[tuple[Marker, int, int]]:
        """Every use of a marker with its begin and end in the normalised text, in order."""
        text = normalise(text)
        quoted = [match.span() for match in _QUOTED.finditer(text)]
        found = []
        for match in self._regex.finditer(text):
            if match.group() == "May":
                continue
            entry = self._names[int((match.lastgroup or "m0")[1:])]
            begin, end = match.span()
            found.append((Marker(entry, _use(text, begin, end, quoted)), begin, end))
        return found

    def count(self, text: str) -> Counter[Marker]:
        """How often each marker is used."""
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
