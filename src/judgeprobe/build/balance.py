"""Are the edits of the construct axes alike in length, and which are kept to make them so?

The check is made of every build. The selection is made where `[generator].match_length` gives a
caliper: what is left out is filed among the rejections, so that the counts still add up.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.records import Intervention, Rejection
from judgeprobe.stats.length_balance import LengthBalance, length_balance, matched_sets

__all__ = ["AxisBalance", "balances", "match_lengths"]


@dataclass(frozen=True)
class AxisBalance:
    """The length changes of two construct axes, held against each other."""

    axes: tuple[str, str]
    balance: LengthBalance

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"axes": list(self.axes), **asdict(self.balance)}


def balances(interventions: Sequence[Intervention]) -> tuple[AxisBalance, ...]:
    """Every two construct axes that have edits, in the order in which they come."""
    changes: dict[str, list[float]] = {}
    for edit in interventions:
        if edit.arm == "construct":
            changes.setdefault(edit.axis, []).append(edit.length_change)
    return tuple(
        AxisBalance((one, other), length_balance(changes[one], changes[other]))
        for one, other in combinations(changes, 2)
    )


def match_lengths(
    interventions: Sequence[Intervention], axes: Sequence[str], caliper: float
) -> tuple[list[Intervention], list[Rejection]]:
    """The interventions with the construct arm matched on absolute length change.

    Args:
        interventions: Accepted edits.
        axes: The construct axes of the taxonomy.
        caliper: Largest difference of the absolute length changes inside a matched set.

    Returns:
        What is kept, in the order given, and what is left out, with the reason.

    Raises:
        InputError: There are fewer than two construct axes.
    """
    if len(axes) < 2:
        raise InputError(
            "`match_length` needs two construct axes",
            remedy="take it out of [generator] in study.toml",
        )
    groups = [[edit for edit in interventions if edit.axis == axis] for axis in axes]
    sizes = [[abs(edit.length_change) for edit in group] for group in groups]
    kept = {
        groups[axis][at].id
        for matched in matched_sets(sizes, caliper)
        for axis, at in enumerate(matched)
    }
    stay = [edit for edit in interventions if edit.arm != "construct" or edit.id in kept]
    gone = [edit for edit in interventions if edit.arm == "construct" and edit.id not in kept]
    return stay, [_left_out(edit, caliper) for edit in gone]


def _left_out(edit: Intervention, caliper: float) -> Rejection:
    return Rejection(
        base_id=edit.base_id,
        slot=edit.slot,
        stage="match",
        gate="unmatched_length",
        reason=f"no edit of each other axis within {caliper:.1%} of its length change of "
        f"{edit.length_change:+.1%} is left",
        text=edit.edited,
        attempt=edit.attempts,
        generator=edit.generator,
        verifier=edit.verifier,
    )
