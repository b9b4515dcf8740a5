"""The blinded set: one sentence with its evidence, what it inherits, and what people say of it."""

from judgeprobe.records.base import Record

__all__ = ["BlindItem", "BlindLabel", "BlindMajority", "BlindUnit"]


class BlindItem(Record):
    """One sentence of the set, as a judge is shown it.

    Attributes:
        unit_id: `text_id` of evidence and sentence; what a judge's verdicts name it by.
    """

    unit_id: str
    evidence: str
    sentence: str


class BlindUnit(BlindItem):
    """One sentence of the set, with what it inherits.

    Attributes:
        inherited: The class that its making gives it.
        group: Pair or base item; units of one group are resampled together.
        role: How it was made: "original", "construct edit", "invariance edit", or as the file says.
        pairs: Ids of the pairs it is a side of.
    """

    inherited: str
    group: str
    role: str = ""
    pairs: tuple[str, ...] = ()


class BlindLabel(Record):
    """What one annotator said of one sentence, as given.

    Attributes:
        unit_id: The id on that annotator's sheet, not the set's.
        label: One of the classes.
        spans: Quotations of what exceeds the evidence, or of what points to the source.
        note: The annotator's own words.
    """

    unit_id: str
    annotator: str
    label: str
    spans: tuple[str, ...] = ()
    note: str = ""
    seconds: float | None = None
    form: str = ""
    flags: tuple[str, ...] = ()


class BlindMajority(BlindUnit):
    """One sentence of the set with what all labels say of it: the set as it is released.

    Attributes:
        votes: Labels by class.
        majority: The class of more than half of the annotators planned, or None.
        unanimous: Whether all of them gave it.
        status: "labelled", "no majority" (it can no longer come), "incomplete", "not labelled".
    """

    votes: dict[str, int]
    majority: str | None
    unanimous: bool
    status: str
