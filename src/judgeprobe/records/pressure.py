"""A claim that a generator wrote under an instruction, and what a model said of two of them."""

from typing import Literal

from pydantic import Field

from judgeprobe.records.base import Record

__all__ = ["Comparison", "PressureClaim"]


class PressureClaim(Record):
    """One claim of one passage, under one instruction, in one seed.

    Attributes:
        id: First 16 hex digits of the hash of generator, passage, condition and seed.
        generator: Its name in study.toml.
        base_id: The passage: the first base item with this evidence.
        condition: "neutral", "accuracy" or "brevity".
        seed: 0 for the first.
        text: The claim; the reply as it came (its beginning) where it holds none.
        status: "kept", or why there is no claim: "empty", "refused", "truncated", "several" (more
            than one paragraph), "prompt_repeated" (words of the prompt), "unfit" (text that cannot
            be shown), "failed" (the reply carries an error), "wrong_server", "unanswerable",
            "call_failed" (a later run may succeed).
        detail: One line on it.
        reply_key: Cache key of the reply, "" where there is none.
        made_under: Hash of the prompt.
    """

    id: str
    generator: str
    family: str
    base_id: str
    condition: Literal["neutral", "accuracy", "brevity"]
    seed: int = Field(ge=0)
    text: str
    status: str
    detail: str = ""
    reply_key: str = ""
    made_under: dict[str, str] = Field(default_factory=dict)


class Comparison(Record):
    """One answer of the verifier on one axis of one claim.

    Attributes:
        claim_id: The claim that is read.
        axis: What it was asked about.
        against: "evidence", or "neutral": the claim of the same passage and seed under the neutral
            instruction.
        first: Which claim stood as A, "pressed" or "neutral"; "" against the evidence.
        answer: "rose", "fell", "same" or "cannot_tell"; None where there is no answer.
        status: "read", "identical" (the two texts are one, so nobody was asked), or why there is
            no answer.
        detail: One line on it.
        reply_key: Cache key of the reply, "" where there is none.
    """

    claim_id: str
    axis: str
    against: Literal["evidence", "neutral"]
    first: Literal["pressed", "neutral", ""] = ""
    answer: Literal["rose", "fell", "same", "cannot_tell"] | None
    status: str
    detail: str = ""
    reply_key: str = ""
    made_under: dict[str, str] = Field(default_factory=dict)
