"""One model call: what was asked for, what served it, and the grade read from it."""

from typing import Any, Literal

from pydantic import Field

from judgeprobe.records.base import Record

__all__ = ["Grade", "GradeStatus", "Reply", "Requested", "Served"]

GradeStatus = Literal[
    "graded", "unparseable", "refused", "truncated", "off_scale", "wrong_provider", "failed"
]
NOT_DISCLOSED = "not disclosed"


class Requested(Record):
    """What was asked for."""

    model: str
    provider: str = ""
    params_hash: str = ""


class Served(Record):
    """What answered, as far as it says; "not disclosed" where it does not."""

    model: str = NOT_DISCLOSED
    provider: str = NOT_DISCLOSED
    fingerprint: str = NOT_DISCLOSED
    quantization: str = NOT_DISCLOSED


class Reply(Record):
    """A raw reply, as cached. Grades are read from it each time.

    Attributes:
        key: Cache key (SHA-256).
        message: The reply's message or choice as JSON, untouched: text, content blocks,
            reasoning, token log-probabilities.
        finish: The provider's finish reason.
        usage: Token counts, as the provider names them.
        cost: US dollars, or None where no price is known.
        at: When it arrived, ISO 8601 UTC.
        note: What was changed to get it, for example that no temperature was sent.
    """

    key: str
    judge: str = ""
    requested: Requested
    served: Served
    text: str
    message: dict[str, Any] = Field(default_factory=dict)
    finish: str = ""
    usage: dict[str, int] = Field(default_factory=dict)
    cost: float | None = None
    at: str = ""
    note: str = ""


class Grade(Record):
    """One judge's grade of one unique text, one repetition.

    Attributes:
        value: In scale units; None unless the status is "graded".
        elicitation: "written" (read from the reply's text), "expected" (the mean over the grade
            tokens' probabilities) or "computed" (a control judge or a callable).
        reply_key: Cache key of the reply, "" where no call was made.
        detail: Why there is no grade, or what was odd about it (for example "off lattice").
    """

    judge: str
    text_id: str
    base_id: str
    repetition: int = 0
    value: float | None
    status: GradeStatus
    elicitation: Literal["written", "expected", "computed"]
    reply_key: str = ""
    served_model: str = NOT_DISCLOSED
    served_provider: str = NOT_DISCLOSED
    served_fingerprint: str = NOT_DISCLOSED
    served_quantization: str = NOT_DISCLOSED
    detail: str = ""
