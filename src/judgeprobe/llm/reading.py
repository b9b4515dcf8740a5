"""Which grade does a reply give, if it gives exactly one on the scale?

The reader is tolerant about dress (JSON in fences or with a preface, "4/5", "**Score:** 4,25",
full-width digits, number words) and strict about meaning: two different grades, a range, a date,
a list number, a percentage or a rating of something else are no grade. Nothing is clipped, scaled
or imputed, and a verdict is never read from reasoning.

Where the answer ends because of the token limit, a grade counts only if more text follows it: the
last number may have been cut. A grade between low and high that is off the lattice is kept as
given, because one reply cannot tell 0.65 "on 0 to 1" from 0.65 on 0 to 5; over many replies the
sweep can, and says so. A grade outside the scale (65 where 0 to 5 was asked), or over another
maximum ("7/10"), is `off_scale`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.llm.fields import (
    AMBIGUOUS,
    Candidate,
    json_candidates,
    text_candidates,
    whole_value,
)
from judgeprobe.llm.numerals import plain_text
from judgeprobe.llm.visible import visible
from judgeprobe.records import GradeStatus, Scale

__all__ = ["Reading", "read_grade"]

_TASK = (
    r"(?:help|assist|comply|answer|respond|fulfil|do that|continue|engage|participate"
    r"|(?:rate|grade|score|evaluate|assess|judge|review)\b"
    r"(?![^.\n]*\b(?:higher|above|more|better|fully?|lower|less|below)\b)"
    r"|(?:provide|give|assign|offer|make|produce|issue|determine|render)\s+(?:you\s+)?(?:with\s+)?"
    r"(?:an?|any|the|this|such)?\s*(?:(?:numeric(?:al)?|specific|definitive|single|reliable|fair"
    r"|meaningful|proper|valid|accurate)\s+)*"
    r"(?:grade|score|rating|assessment|evaluation|judge?ment|verdict|number|answer))"
)
_REFUSAL = re.compile(
    r"(?:\b(?:I|we)(?:'m|\s+am|\s+are)?\s+(?:really\s+|very\s+|so\s+)?(?:sorry\b[^.\n]{0,40}?)?"
    r"\s*(?:(?:but\s+)?(?:I|we)\s+)?"
    r"(?:can(?:'t|not|\s+not)|won't|will\s+not|(?:'m|am|are)?\s*(?:unable|not\s+able)\s+to"
    r"|must\s+decline(?:\s+to)?|have\s+to\s+decline(?:\s+to)?|decline\s+to|refuse\s+to"
    r"|do\s+not\s+feel\s+comfortable|don't\s+feel\s+comfortable)\s+"
    rf"(?:\w+ly\s+)?{_TASK})"
    r"|\bas\s+an\s+AI(?:\s+language)?(?:\s+model)?,?\s+I\s+(?:can(?:'t|not)|am\s+not|do\s+not|don't)"
    r"|\b(?:I|we)\s+(?:must\s+|have\s+to\s+)?(?:decline|refuse)(?:[.!]|$)"
    r"|\A\W*(?:I'm\s+sorry|I\s+am\s+sorry|sorry)[.,!]?\s+(?:but\s+)?(?:I|we)?\s*(?:can|will|am|is)"
    r"(?:'t|not|\s+not|\s+unable)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from one reply.

    Attributes:
        status: "graded", "unparseable", "refused", "truncated", "off_scale", or "failed" for a
            reply that carries an error in place of an answer.
        value: The grade in scale units; None unless the status is "graded".
        span: The part of the reply that was read, as it stands there; "" where none was.
        detail: Why there is no grade, or "off lattice" for one between the lattice points.
    """

    status: GradeStatus
    value: float | None
    span: str = ""
    detail: str = ""


def read_grade(
    text_or_message: str | Mapping[str, Any],
    scale: Scale,
    *,
    reply_pattern: str | None = None,
) -> Reading:
    """The grade that a reply gives.

    Args:
        text_or_message: The reply's text; or its message, choice or whole response, as a mapping
            (content may be a list of blocks; finish reason, refusal and reasoning are looked at).
        scale: The scale that was asked for.
        reply_pattern: Regular expression of a production judge; what its first group matches is
            the grade, and nothing else is read.

    Raises:
        InputError: `reply_pattern` is not a regular expression with a group.
    """
    answer = visible(text_or_message)
    if answer.error and not answer.text.strip():
        return Reading("failed", None, detail=f"the reply carries an error: {answer.error[:200]}")
    if answer.refused:
        return Reading("refused", None, detail="marked as refused by the provider or the model")
    if reply_pattern is not None:
        text, in_json = answer.text, False
        found = list(_by_pattern(text, reply_pattern, scale))
    else:
        text = answer.text
        if answer.structured is not None:
            text = json.dumps(answer.structured, ensure_ascii=False)
        found, rest = json_candidates(text, scale)
        in_json = bool(found)
        found.extend(text_candidates(rest, scale, beside_json=in_json))
    if _declines(text, found, in_json=in_json):
        return Reading("refused", None, detail="the text declines to grade")
    if not found:
        return _nothing(text, cut=answer.cut, hidden=answer.hidden)
    if answer.cut and any(_may_be_cut(text, candidate) for candidate in found):
        return Reading("truncated", None, detail="the grade may have been cut")
    return _decide(text, found, scale)


def _declines(text: str, found: list[Candidate], *, in_json: bool) -> bool:
    # A grade in its own JSON field stands, whatever the words in the reason field.
    if in_json and any(candidate.value is not None for candidate in found):
        return False
    return _REFUSAL.search(plain_text(text[:4000])) is not None


def _nothing(text: str, *, cut: bool, hidden: bool) -> Reading:
    if cut:
        return Reading("truncated", None, detail="the reply ended at its token limit")
    if not text.strip():
        where = "nothing outside the reasoning" if hidden else "the reply is empty"
        return Reading("unparseable", None, detail=where)
    return Reading("unparseable", None, detail="no grade found")


def _may_be_cut(text: str, candidate: Candidate) -> bool:
    after = text[candidate.end :]
    return not candidate.closed and after.strip(" .,*_`\"'") == "" and "\n" not in after


def _decide(text: str, found: list[Candidate], scale: Scale) -> Reading:
    """One reading of all candidates: they must agree."""
    best = min(candidate.tier for candidate in found)
    counted = [candidate for candidate in found if candidate.tier == best]
    last = counted[-1]
    span = text[last.start : last.end].strip()
    if any(candidate.why == AMBIGUOUS for candidate in counted):
        return Reading("unparseable", None, span, "not one plain grade")
    if len({(candidate.value, candidate.why) for candidate in counted}) > 1:
        return Reading("unparseable", None, span, "two different grades")
    if last.value is None:
        return Reading("unparseable", None, span, last.why)
    if last.why or last.value not in scale:
        why = last.why or f"outside {scale.low:g} to {scale.high:g}"
        return Reading("off_scale", None, span, why)
    return Reading(
        "graded", last.value, span, "" if scale.on_lattice(last.value) else "off lattice"
    )


def _by_pattern(text: str, pattern: str, scale: Scale) -> Iterator[Candidate]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InputError(f"`reply_pattern` is not a regular expression ({error})") from None
    if not compiled.groups:
        raise InputError("`reply_pattern` has no group", remedy="put the grade in brackets: (...)")
    for match in compiled.finditer(text):
        if match[1] is None:
            continue
        value, why = whole_value(match[1], scale)
        # What follows inside the pattern's own match shows that the grade is complete.
        closed = match.end() > match.end(1)
        yield Candidate(value, why, match.start(1), match.end(1), closed=closed)
