"""Are the quoted words in the sentence that the label names?

Typography is normalised first (typography.normalise, capitals folded): an annotator who retypes a
non-breaking hyphen gives another character, not another quotation. Several quotations are looked
for one by one. They are looked for in the sentence that the label names, then in the other; what
is in neither is flagged, and the label is kept (appendix C of the construct-validity reference,
"Two requirements on any span-quoting field").
"""

import re
from collections.abc import Sequence
from typing import Literal

from judgeprobe.annotate.columns import decode_cell
from judgeprobe.annotate.damage import unscramble
from judgeprobe.typography import normalise

__all__ = ["Found", "find_span", "span_flags"]

Found = Literal["named", "other", "missing"]

# People put several quotations into one cell in these ways.
_SEPARATORS = re.compile(r"\s*(?:[\r\n]+|\.\.\.|…|[|;]| / |\[\.\.\.\]|\[…\])\s*")
_TRIM = " \t\r\n\"'.,;:()[]"


def find_span(span: str, named: Sequence[str], other: Sequence[str]) -> Found:
    """Where a quotation is found.

    Args:
        span: As the annotator gave it.
        named: The sentence that the label names; both sentences for "neither" and "cannot tell".
        other: The other sentence, or none.
    """
    if _in_any(span, named):
        return "named"
    if _in_any(span, other):
        return "other"
    return "missing"


def span_flags(direction: str, spans: Sequence[str], a: str, b: str) -> tuple[str, ...]:
    """What is to be said of a label's quotations, in a fixed order; empty where all is well.

    Args:
        direction: "a", "b", "neither" or "cannot_tell".
        spans: The quotations.
        a: Sentence A as the annotator saw it.
        b: Sentence B.
    """
    named, other = {"a": ((a,), (b,)), "b": ((b,), (a,))}.get(direction, ((a, b), ()))
    found = [find_span(span, named, other) for span in spans if normalise(span)]
    flags = []
    if direction in ("a", "b") and not found:
        flags.append("no quotation")
    if "other" in found:
        flags.append("quotation in the other sentence")
    if "missing" in found:
        flags.append("quotation not found")
    return tuple(flags)


def _in_any(span: str, sentences: Sequence[str]) -> bool:
    for text in (span, unscramble(span)):
        # LibreOffice reads an escape such as _x0041_ in a sentence as the letter it stands for.
        for sentence in (*sentences, *map(decode_cell, sentences)):
            whole = normalise(sentence, casefold=True)
            if _in(text, whole):
                return True
            parts = [part for part in _SEPARATORS.split(text) if normalise(part)]
            if len(parts) > 1 and all(_in(part, whole) for part in parts):
                return True
    return False


def _in(span: str, sentence: str) -> bool:
    wanted = normalise(span, casefold=True)
    if wanted and wanted in sentence:
        return True
    # Quotation marks and stops that the annotator put around the words.
    bare = wanted.strip(_TRIM)
    return bool(bare) and bare in sentence
