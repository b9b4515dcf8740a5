"""Are the quoted words in the text that they are quoted from?

Typography is normalised first (typography.normalise, capitals folded): an annotator who retypes a
non-breaking hyphen gives another character, not another quotation. Several quotations in one cell
are looked for one by one (appendix C of the construct-validity reference, "Two requirements on any
span-quoting field").
"""

import re
from collections.abc import Sequence
from typing import Literal

from judgeprobe.forms.cells import decode_cell
from judgeprobe.forms.damage import unscramble
from judgeprobe.typography import normalise

__all__ = ["Found", "find_span"]

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
