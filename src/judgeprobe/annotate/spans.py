"""Are the quoted words in the sentence that the label names?

They are looked for in the sentence that the label names, then in the other; what is in neither is
flagged, and the label is kept.
"""

from collections.abc import Sequence

from judgeprobe.forms.spans import find_span
from judgeprobe.typography import normalise

__all__ = ["span_flags"]


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
