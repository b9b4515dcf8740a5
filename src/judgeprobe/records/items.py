"""Claims, edits of claims, and what people said of them."""

from typing import Any, Literal

from pydantic import Field

from judgeprobe.records.base import Record, content_hash

__all__ = [
    "ARMS",
    "AXES",
    "Arm",
    "BaseItem",
    "Direction",
    "GateResult",
    "Intervention",
    "Label",
    "Rejection",
    "text_id",
]

Arm = Literal["construct", "invariance", "reported_apart"]
ARMS: tuple[Arm, ...] = ("construct", "invariance", "reported_apart")
AXES = ("scope", "strength", "control")


def text_id(evidence: str, text: str) -> str:
    """The id of a unique (evidence, text) pair: 16 hex digits."""
    return content_hash([evidence, text])[:16]


class BaseItem(Record):
    """A claim with its evidence, before any edit.

    Attributes:
        id: Unique in its file.
        domain: Field the claim comes from.
        document: Source document; items of one document share it (folds split on it).
        evidence: What the claim may rest on.
        claim: One sentence that the evidence supports.
        source: Who wrote it, or where it was taken from.
        licence: SPDX name or the publisher's words.
    """

    id: str
    domain: str = ""
    document: str = ""
    evidence: str
    claim: str
    source: str = ""
    licence: str = ""


class GateResult(Record):
    """What one mechanical gate said of a pair."""

    passed: bool
    detail: str = ""


class Intervention(Record):
    """An accepted edit of one base item.

    Attributes:
        id: Unique: the first 16 hex digits of the hash of base id, slot, original and edited.
        arm: "construct", "invariance", or "reported_apart" (in neither arm).
        evidence: Evidence shown with both members.
        gates: Verdict of every gate, by its name.
        length_change: (edited - original) / original, in characters.
        direction_source: "construction", or who set the direction ("human: SOURCE").
        made_under: Hashes in force when it was made (taxonomy, prompt, ...).
    """

    id: str
    base_id: str
    slot: str
    axis: str
    arm: Arm
    domain: str = ""
    document: str = ""
    evidence: str
    original: str
    edited: str
    generator: str
    family: str
    attempts: int = 1
    gates: dict[str, GateResult] = Field(default_factory=dict)
    verifier: dict[str, Any] | None = None
    length_change: float
    direction_source: str
    made_under: dict[str, str] = Field(default_factory=dict)


class Rejection(Record):
    """An edit that was refused, with the text refused.

    Attributes:
        stage: "generate" (the model's reply held no edit), "gate", "verify", "match" (left out by
            the selection on length) or "pairs".
        gate: What refused it, within the stage.
        text: The edit; the reply as it came where it held none; "" where there was no reply.
        attempt: 1 for the first attempt at this base item and slot.
        generator: What wrote it, as study.toml names it.
        verifier: The verifier's record, where it was asked.
    """

    base_id: str
    slot: str
    stage: Literal["generate", "gate", "verify", "match", "pairs"]
    gate: str
    reason: str
    text: str
    attempt: int = 1
    generator: str = ""
    verifier: dict[str, Any] | None = None


class Label(Record):
    """What one annotator said of one unit, as given.

    Attributes:
        direction: "a", "b", "neither" or "cannot_tell" in the order that annotator saw.
        spans: Quotations of what exceeds the evidence.
        supported: What the evidence does support, in the annotator's words.
        same_facts: Whether both sentences assert the same facts.
        seconds: Time on the unit, or None.
        form: "html", "csv", "xlsx" or "label_studio".
    """

    unit_id: str
    annotator: str
    direction: str
    spans: tuple[str, ...] = ()
    supported: str = ""
    same_facts: bool | None = None
    seconds: float | None = None
    form: str = ""
    flags: tuple[str, ...] = ()


class Direction(Record):
    """What three labels say of one intervention."""

    intervention_id: str
    majority: str | None
    votes: dict[str, int]
    unanimous: bool
    matches_intent: bool | None
    status: str
