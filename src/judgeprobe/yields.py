"""How many edits were made, how many entered, and what refused the rest?

Yield stands beside every result (section 4 of the construct-validity reference): where one axis is
harder to edit cleanly than another, the edits that survive passed a stricter filter, and part of
any difference between the axes is the filter's.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from judgeprobe.records import Intervention, Rejection
from judgeprobe.taxonomy import Slot

__all__ = ["Yield", "yields", "yields_by_axis"]


_STAGES = ("generate", "gate", "verify", "match", "pairs")


@dataclass(frozen=True)
class Yield:
    """What became of the edits of one slot or one axis; generated = accepted + sum(rejected).

    Attributes:
        name: The slot, or the axis.
        axis: Its axis; "" where no edit and no taxonomy tells it.
        arm: "construct", "invariance" or "reported_apart"; "" where nothing tells it.
        items: Base items with at least one edit made.
        generated: Edits made, every attempt counted.
        accepted: Edits that entered.
        rejected: Edits refused, by the gate that refused them, most frequent first.
        stages: Edits refused, by the stage that refused them: "generate" (the reply held no edit),
            "gate", "verify", "match" or "pairs", in this order.
        attempts: Attempts that the accepted edits needed, mean; None where none was accepted.
        length_absolute: Median |length change| of the accepted edits, as a share of the
            original's characters; None where none was accepted.
        length_signed: Median length change, likewise.
    """

    name: str
    axis: str
    arm: str
    items: int
    generated: int
    accepted: int
    rejected: dict[str, int]
    stages: dict[str, int]
    attempts: float | None
    length_absolute: float | None
    length_signed: float | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def yields(
    interventions: Sequence[Intervention],
    rejections: Sequence[Rejection],
    slots: Sequence[Slot] = (),
) -> tuple[Yield, ...]:
    """The yield of every slot: those of the taxonomy in its order, then others by name.

    Args:
        interventions: Accepted edits.
        rejections: Refused edits.
        slots: The taxonomy's slots; one without any edit has a row of zeros.
    """
    places = {slot.name: (slot.axis, str(slot.arm)) for slot in slots}
    made = {edit.slot: (edit.axis, str(edit.arm)) for edit in interventions}
    refused = {row.slot: ("", "") for row in rejections}
    others = {**refused, **made}
    places |= {name: others[name] for name in sorted(others) if name not in places}
    return tuple(
        _yield(
            (name, *place),
            [edit for edit in interventions if edit.slot == name],
            [row for row in rejections if row.slot == name],
        )
        for name, place in places.items()
    )


def yields_by_axis(
    interventions: Sequence[Intervention],
    rejections: Sequence[Rejection],
    slots: Sequence[Slot] = (),
) -> tuple[Yield, ...]:
    """The yield of every axis, in the order in which `yields` meets them."""
    by_slot = yields(interventions, rejections, slots)
    axes = dict.fromkeys((row.axis, row.arm) for row in by_slot)
    found = []
    for axis, arm in axes:
        names = {row.name for row in by_slot if (row.axis, row.arm) == (axis, arm)}
        found.append(
            _yield(
                (axis, axis, arm),
                [edit for edit in interventions if edit.slot in names],
                [row for row in rejections if row.slot in names],
            )
        )
    return tuple(found)


def _yield(
    place: tuple[str, str, str], accepted: list[Intervention], refused: list[Rejection]
) -> Yield:
    name, axis, arm = place
    gates = Counter(row.gate for row in refused)
    stages: Counter[str] = Counter(row.stage for row in refused)
    changes = [edit.length_change for edit in accepted]
    return Yield(
        name=name,
        axis=axis,
        arm=arm,
        items=len({edit.base_id for edit in accepted} | {row.base_id for row in refused}),
        generated=len(accepted) + len(refused),
        accepted=len(accepted),
        rejected=dict(sorted(gates.items(), key=lambda pair: (-pair[1], pair[0]))),
        stages={stage: stages[stage] for stage in _STAGES if stages[stage]},
        attempts=sum(edit.attempts for edit in accepted) / len(accepted) if accepted else None,
        length_absolute=median(abs(change) for change in changes) if changes else None,
        length_signed=median(changes) if changes else None,
    )
