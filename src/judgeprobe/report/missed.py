"""Which changes of the construct did each judge not notice, the most confident misses first?

An edit is missed when the verdict at the judge's operating point is the same for both members. The
edit makes the text worse and a higher grade says better, so a miss is the more confident, the
higher the grade of the edited text.
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
        margin: How far the grades lay from another verdict, in scale units, 0 or more: rule "cut",
            the distance of the nearer grade from the cut; rule "shift", how much more the grade
            would have had to move. None for a judge whose verdict no cut changes.
        passed: Whether both grades are at or above the cut; None under the rule "shift" and
            without a cut.
    """

    edit: Intervention
    before: float
    after: float
    noticed_by: int
    margin: float | None = None
    passed: bool | None = None


@dataclass(frozen=True)
class MissedBy:
    """What one judge missed.

    Attributes:
        n_missed: Construct edits, both members graded, whose verdict held.
        n_graded: Construct edits with both members graded.
        by_slot: (missed, graded) of each slot.
        edits: Every one, the most confident first.
    """

    judge: str
    n_missed: int
    n_graded: int
    by_slot: dict[str, tuple[int, int]]
    edits: tuple[Missed, ...]

    @property
    def shown(self) -> tuple[Missed, ...]:
        """The most confident, at most `MOST_SHOWN`."""
        return self.edits[:MOST_SHOWN]

    def of_slot(self, slot: str) -> tuple[Missed, ...]:
        """Those of one slot, the most confident first."""
        return tuple(one for one in self.edits if one.edit.slot == slot)


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
    cuts: dict[str, float | None] = {}
    for judge in view.judges:
        if judge.operating_point is None:
            continue
        given = _grades_of(grades, judge.judge)
        moves[judge.judge] = _moves(construct, given)
        cuts[judge.judge] = judge.operating_point.tau
        changed[judge.judge] = {
            edit: _is_changed(*pair, tau=judge.operating_point.tau, rule=view.rule)
            for edit, pair in moves[judge.judge].items()
        }
    return tuple(
        _missed_by(judge, construct, moves[judge], changed, tau=cuts[judge], rule=view.rule)
        for judge in changed
        if moves[judge]
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
    *,
    tau: float | None,
    rule: str,
) -> MissedBy:
    by_slot: dict[str, tuple[int, int]] = {}
    missed = []
    for edit in edits:
        if edit.id not in moves:
            continue
        held = not changed[judge][edit.id]
        already, total = by_slot.get(edit.slot, (0, 0))
        by_slot[edit.slot] = (already + held, total + 1)
        if held:
            others = sum(told.get(edit.id, False) for told in changed.values())
            before, after = moves[edit.id]
            margin = _margin(before, after, tau=tau, rule=rule)
            passed = None if tau is None or rule == "shift" else min(before, after) >= tau
            missed.append(Missed(edit, before, after, others, margin, passed))
    missed.sort(key=_order)
    return MissedBy(judge, len(missed), len(moves), by_slot, tuple(missed))


def _margin(before: float, after: float, *, tau: float | None, rule: str) -> float | None:
    if tau is None:
        return None
    if rule == "shift":
        return tau - abs(after - before)
    return min(abs(before - tau), abs(after - tau))


def _order(one: Missed) -> tuple[float, float, int, str, str]:
    """The higher grade of the edited text, the larger rise, what more others noticed."""
    return (
        -round(one.after, 9),
        -round(one.after - one.before, 9),
        -one.noticed_by,
        one.edit.slot,
        one.edit.id,
    )
