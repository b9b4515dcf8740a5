"""By which rule is a change of S and R called a change, or none?

The margin m is set before the runs (`[variants] margin`, 0.05 by default). "Within the margin"
means that the whole interval of the difference lies in [-m, m]; "beyond zero" that it excludes 0
and is not within the margin. An interval that holds 0 but is wider than the margin decides nothing:
a small study does not show that nothing changed.

| status | of a remedy (prediction: S may rise, R need not) |
|---|---|
| contradicted | R beyond zero in either direction, or S beyond zero and lower |
| as predicted | R within the margin, and S not lower by more than the margin |
| not decided | otherwise |

| status | of any other variant |
|---|---|
| moved | S or R beyond zero |
| holds | S and R within the margin |
| not decided | otherwise |
"""

from dataclasses import dataclass

from judgeprobe.stats.two_readings import At, Change

__all__ = ["Status", "of_remedy", "of_variant"]


@dataclass(frozen=True)
class Status:
    """What a rule says.

    Attributes:
        name: "as predicted", "contradicted", "holds", "moved" or "not decided".
        why: In a clause.
    """

    name: str
    why: str


def of_remedy(at: At, margin: float) -> Status:
    """Whether a remedy does what independence predicts.

    Args:
        at: Without the remedy and with it, each at its operating point.
        margin: Above 0, in shares.
    """
    moved = _beyond(at.R, margin)
    if moved:
        return Status("contradicted", f"R {_went(at.R)}")
    if _beyond(at.S, margin) and at.S.difference < 0:
        return Status("contradicted", "S fell")
    if not _within(at.R, margin):
        return Status("not decided", _wide("R", margin))
    if at.S.low < -margin:
        return Status("not decided", f"S may be lower by more than {margin:g}")
    rose = at.S.low > 0
    told = "S rose" if rose else "S is not lower"
    return Status("as predicted", f"{told}, R within ±{margin:g}")


def of_variant(at: At, margin: float) -> Status:
    """Whether the profile holds under a variant.

    Args:
        at: The study and the variant, each at its operating point.
        margin: Above 0, in shares.
    """
    rates = (("S", at.S), ("R", at.R))
    moved = [f"{name} {_went(rate)}" for name, rate in rates if _beyond(rate, margin)]
    if moved:
        return Status("moved", " and ".join(moved))
    open_ = [name for name, rate in rates if not _within(rate, margin)]
    if open_:
        return Status("not decided", _wide(" and ".join(open_), margin))
    return Status("holds", f"S and R within ±{margin:g}")


def _within(change: Change, margin: float) -> bool:
    return -margin <= change.low and change.high <= margin


def _beyond(change: Change, margin: float) -> bool:
    if _within(change, margin):
        return False
    return change.low > 0 or change.high < 0


def _went(change: Change) -> str:
    return "rose" if change.difference > 0 else "fell"


def _wide(names: str, margin: float) -> str:
    return f"{names}: the interval holds zero and reaches beyond ±{margin:g}"
