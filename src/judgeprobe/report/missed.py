"""Which changes of the construct did each judge not notice?

An edit is missed when the verdict at the judge's operating point is the same for both members.
The most striking come first: those after which the judge graded the overreaching text *higher*,
then those that the most other judges noticed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judgeprobe.records import Intervention, text_id
from judgeprobe.report.view import ProfileView

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_SHOWN", "Missed", "MissedBy", "missed_edits"]

MOST_SHOWN = 10


@dataclass(frozen=True)
class Missed:
    """One construct edit whose verdict did not change.

    Attributes:
        before: Grade of the original, in scale units.
        after: Grade of the edit.
        noticed_by: Number of other judges whose verdict changed.
    """

    edit: Intervention
    before: float
    after: float
    noticed_by: int


@dataclass(frozen=True)
class MissedBy:
    """What one judge missed.

    Attributes:
        n_missed: Construct edits, both members graded, whose verdict held.
        n_graded: Construct edits with both members graded.
        by_slot: (missed, graded) of each slot.
        shown: The most striking, at most `MOST_SHOWN`.
    """

    judge: str
    n_missed: int
    n_graded: int
    by_slot: dict[str, tuple[int, int]]
    shown: tuple[Missed, ...]


def missed_edits(
    view: ProfileView, interventions: Sequence[Intervention], grades: "pd.DataFrame | None"
) -> tuple[MissedBy, ...]:
    """What each measured judge with an operating point missed.

    Args:
        view: The profile; its rule and operating points say when a verdict changes.
        interventions: The study's edits.
        grades: grades.parquet; repetition 0 is the grade.
    """
    if grades is None:
        return ()
    construct = [edit for edit in interventions if edit.arm == "construct"]
    changed: dict[str, dict[str, bool]] = {}
    moves: dict[str, dict[str, tuple[float, float]]] = {}
    for judge in view.judges:
        if judge.operating_point is None:
            continue
        given = _grades_of(grades, judge.judge)
        moves[judge.judge] = _moves(construct, given)
        changed[judge.judge] = {
            edit: _is_changed(*pair, tau=judge.operating_point.tau, rule=view.rule)
            for edit, pair in moves[judge.judge].items()
        }
    return tuple(
        _missed_by(judge, construct, moves[judge], changed) for judge in changed if moves[judge]
    )


def _grades_of(grades: "pd.DataFrame", judge: str) -> dict[str, float]:
    chosen = grades["judge"].eq(judge) & grades["repetition"].eq(0) & grades["status"].eq("graded")
    rows = grades[chosen]
    return dict(zip(rows["text_id"], rows["value"].astype(float), strict=True))


def _moves(
    edits: Sequence[Intervention], given: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    found = {}
    for edit in edits:
        before = given.get(text_id(edit.evidence, edit.original))
        after = given.get(text_id(edit.evidence, edit.edited))
        if before is not None and after is not None:
            found[edit.id] = (before, after)
    return found


def _is_changed(before: float, after: float, *, tau: float | None, rule: str) -> bool:
    if tau is None:
        return False
    if rule == "shift":
        return abs(after - before) >= tau
    return (before >= tau) != (after >= tau)


def _missed_by(
    judge: str,
    edits: Sequence[Intervention],
    moves: Mapping[str, tuple[float, float]],
    changed: Mapping[str, Mapping[str, bool]],
) -> MissedBy:
    by_slot: dict[str, tuple[int, int]] = {}
    missed = []
    for edit in edits:
        if edit.id not in moves:
            continue
        held = not changed[judge][edit.id]
        before, total = by_slot.get(edit.slot, (0, 0))
        by_slot[edit.slot] = (before + held, total + 1)
        if held:
            others = sum(told.get(edit.id, False) for told in changed.values())
            missed.append(Missed(edit, *moves[edit.id], noticed_by=others))
    missed.sort(
        key=lambda m: (-round(m.after - m.before, 9), -m.noticed_by, m.edit.slot, m.edit.id)
    )
    return MissedBy(judge, len(missed), len(moves), by_slot, tuple(missed[:MOST_SHOWN]))
