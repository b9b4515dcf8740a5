"""format_shift: which Markdown can stand round the claim without a changed word?

Five operators: bold, a bullet, a heading, italics, and bold on the subject alone. The
claim's own hash says which comes first, so that a set of claims gets all of them.
"""

import hashlib
from collections.abc import Callable, Iterator

from judgeprobe.build.rules.clauses import fronted
from judgeprobe.build.rules.grammar import subject
from judgeprobe.build.rules.sentence import parse

__all__ = ["shift_format"]

_MARKS = "*#>_`"


def shift_format(text: str) -> Iterator[str]:
    """The claim in Markdown; nothing where it holds Markdown already."""
    if any(mark in text for mark in _MARKS) or text[:1] in "-+":
        return
    start = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0]
    for step in range(len(_FORMATS)):
        edited = _FORMATS[(start + step) % len(_FORMATS)](text)
        if edited is not None:
            yield edited


def _bold(text: str) -> str | None:
    return f"**{text}**"


def _bullet(text: str) -> str | None:
    return f"- {text}"


def _heading(text: str) -> str | None:
    return f"### {text}"


def _italic(text: str) -> str | None:
    return f"*{text}*"


def _bold_subject(text: str) -> str | None:
    """**Older adults** slept longer."""
    sentence = parse(text)
    lead = fronted(sentence)
    start = 0 if lead is None else lead.last + 2
    finite = ("VBD", "VBZ", "VBP", "MODAL", "BE", "HAVE")
    verbs = [i for i in sentence.find(*finite) if i > start]
    span = subject(sentence, verbs[0]) if verbs else None
    if span is None or span[0] != start:
        return None
    first, last = sentence.tokens[span[0]].start, sentence.tokens[span[1]].end
    return f"{text[:first]}**{text[first:last]}**{text[last:]}"


_FORMATS: tuple[Callable[[str], str | None], ...] = (
    _bold,
    _bullet,
    _heading,
    _bold_subject,
    _italic,
)
