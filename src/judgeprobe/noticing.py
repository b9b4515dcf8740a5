"""How often does the verifier see that an edit moved the construct, axis by axis?

The verifier is asked, for the record alone, whether the edited text claims more. Its answer enters
no gate and sets no direction; by axis it is a second, model-made look at the asymmetry between the
axes (appendix H, S4 of the construct-validity reference: 24.1 percent of scope edits against 8.8
percent of strength edits). Where it sees a change, the axis of the slot that it names may be held
against the axis that was asked for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from judgeprobe.records import Intervention, Rejection
from judgeprobe.taxonomy import Slot

__all__ = ["Noticing", "noticing"]


@dataclass(frozen=True)
class Noticing:
    """What the verifier noticed of the edits of one axis.

    Attributes:
        axis: The axis that was asked for.
        arm: Its arm.
        pairs: Edits that the verifier gave a verdict on, accepted or not.
        noticed: Of these, those whose edited text claims more, as it says.
        share: noticed / pairs; None without pairs.
        named: Of the noticed, those in which it names an edit of a construct axis.
        agrees: Of the named, those whose axis is the one that was asked for.
        agreement: agrees / named; None where none is named, and on a control axis.
    """

    axis: str
    arm: str
    pairs: int
    noticed: int
    share: float | None
    named: int
    agrees: int
    agreement: float | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def noticing(
    interventions: Iterable[Intervention], rejections: Iterable[Rejection], slots: Sequence[Slot]
) -> tuple[Noticing, ...]:
    """What the verifier noticed on each axis, in the order of the slots.

    Args:
        interventions: Accepted edits.
        rejections: Refused edits; those with a verdict count too, because the filter must not
            choose what is counted.
        slots: The taxonomy's slots. An axis without a verdict has a row of zeros.
    """
    axis_of = {slot.name: slot.axis for slot in slots}
    arm_of = {slot.axis: str(slot.arm) for slot in slots}
    said = [(edit.slot, edit.verifier) for edit in interventions]
    said += [(row.slot, row.verifier) for row in rejections]
    verdicts = [(axis_of.get(slot, ""), verdict) for slot, verdict in said if verdict is not None]
    return tuple(
        _of_axis(axis, arm, [verdict for found, verdict in verdicts if found == axis], arm_of)
        for axis, arm in arm_of.items()
    )


def _of_axis(
    axis: str, arm: str, verdicts: list[dict[str, Any]], arm_of: dict[str, str]
) -> Noticing:
    noticed = [verdict for verdict in verdicts if verdict.get("claims_more") is True]
    axes = [verdict.get("axis_changed") for verdict in noticed]
    named = [found for found in axes if found is not None and arm_of.get(found) == "construct"]
    agrees = named.count(axis)
    construct = arm == "construct"
    return Noticing(
        axis=axis,
        arm=arm,
        pairs=len(verdicts),
        noticed=len(noticed),
        share=len(noticed) / len(verdicts) if verdicts else None,
        named=len(named),
        agrees=agrees,
        agreement=agrees / len(named) if named and construct else None,
    )
