"""How are the edits that a judge missed shown?

In the report the most confident of each judge, folded. On a page of their own, `missed.html`, by
slot, with both texts and the evidence: what somebody reads who wants to know what their own judge
lets through.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgeprobe import __version__
from judgeprobe.report.missed import Missed, MissedBy
from judgeprobe.report.view import JudgeView, ProfileView
from judgeprobe.report.words import changed_words, clip, side_words
from judgeprobe.study import Study
from judgeprobe.taxonomy import Taxonomy

__all__ = [
    "MissedPage",
    "MissedSection",
    "all_missed_rows",
    "missed_page",
    "missed_section",
    "missed_words",
]

# Edits of one slot and judge that are listed; the table holds all. Shared between the judges.
MOST_LISTED = 100
FEWEST_LISTED = 10
# Of these, how many stand unfolded.
OPEN = 5

# Whether the second text is worse, by whether nobody but the generator says so.
_WORSE = {True: "is meant to be", False: "is"}
_SPELLED = {True: "both passed", False: "both failed", None: ""}
COLUMNS = (
    "judge",
    "slot",
    "axis",
    "base_id",
    "intervention_id",
    "original",
    "edited",
    "grade_original",
    "grade_edited",
    "cut",
    "margin",
    "passed",
    "noticed_by",
    "direction",
)


@dataclass(frozen=True)
class MissedSection:
    """The edits that one judge missed, for a folded part of the report."""

    summary: str
    slots: str
    edits: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class SlotPart:
    """One slot on the page of one judge.

    Attributes:
        anchor: Its id on the page.
        axis: The axis of the construct that its edits move.
        passed: Missed edits with both grades at or above the cut; None where there is no cut.
        first: Cards that stand unfolded.
        rest: Cards below a fold.
        left: Missed edits that only the table holds.
    """

    name: str
    anchor: str
    axis: str
    gloss: str
    missed: int
    graded: int
    passed: int | None
    first: tuple[dict[str, Any], ...]
    rest: tuple[dict[str, Any], ...]
    left: int

    @property
    def share(self) -> str:
        """Share missed, as a percentage."""
        return f"{self.missed / self.graded:.0%}"


@dataclass(frozen=True)
class JudgePart:
    """One judge on the page."""

    name: str
    anchor: str
    lines: tuple[str, ...]
    slots: tuple[SlotPart, ...]


@dataclass(frozen=True)
class MissedPage:
    """The page `missed.html`."""

    name: str
    lead: str
    boxes: tuple[Any, ...]
    ordered: str
    noun: str
    sides: tuple[str, str]
    judges: tuple[JudgePart, ...]
    show_passed: bool
    version: str = __version__


def missed_words(missed: Sequence[MissedBy]) -> tuple[str, ...]:
    """What stands above the folded parts of the report; nothing where there are none."""
    if not missed:
        return ()
    return (
        "Edits that change the construct and left the verdict where it was, at each judge's "
        "operating point; the most confident misses first (missed.html lists all of them by slot "
        "and says how they are ordered). Struck words were in the original, underlined ones came "
        "with the edit.",
    )


def missed_section(by: MissedBy) -> MissedSection:
    """The folded part of one judge."""
    slots = "; ".join(
        f"{slot.replace('_', ' ')} {missed} of {total}"
        for slot, (missed, total) in _worst_first(by.by_slot)
    )
    share = by.n_missed / by.n_graded
    return MissedSection(
        summary=f"{by.judge}: {by.n_missed} of {by.n_graded} construct edits missed ({share:.0%})",
        slots=slots,
        edits=tuple(_edit(one) for one in by.shown),
    )


def _worst_first(by_slot: Mapping[str, tuple[int, int]]) -> list[tuple[str, tuple[int, int]]]:
    return sorted(by_slot.items(), key=lambda one: (-one[1][0] / one[1][1], one[0]))


def _edit(one: Missed) -> dict[str, Any]:
    others = f"; noticed by {_others(one.noticed_by)}" if one.noticed_by else ""
    return {
        "what": (
            f"{one.edit.slot.replace('_', ' ')} ({one.edit.axis}), base item {one.edit.base_id}: "
            f"graded {one.before:g} before and {one.after:g} after{others}"
        ),
        "words": changed_words(one.edit.original, one.edit.edited),
        "evidence": clip(one.edit.evidence),
    }


def _others(n: int) -> str:
    return "1 other judge" if n == 1 else f"{n} other judges"


def missed_page(
    study: Study, view: ProfileView, missed: Sequence[MissedBy], boxes: Sequence[Any]
) -> MissedPage:
    """The page of a study.

    Args:
        study: Its name and its taxonomy's words are shown.
        view: Its profile: cuts, S and R.
        missed: What each judge missed, every edit in order.
        boxes: What must be read before any number (who set the direction, the control judges).
    """
    found = {by.judge: by for by in missed}
    from_pairs = study.settings.study.pairs is not None
    noun = "pairs" if from_pairs else "edits"
    listed = max(FEWEST_LISTED, MOST_LISTED // max(1, len(found)))
    judges = tuple(
        JudgePart(
            judge.judge,
            f"judge-{number}",
            tuple(_judge_lines(judge, found.get(judge.judge), view, noun)),
            _slot_parts(found.get(judge.judge), study.taxonomy, f"judge-{number}", listed),
        )
        for number, judge in enumerate(view.judges, start=1)
    )
    return MissedPage(
        name=study.settings.study.name,
        lead=(
            f"The judge is asked {study.taxonomy.measures}. In each pair below the second text "
            f"{_WORSE[view.direction == 'construction']} the worse one; the judge gave both the "
            "same verdict."
        ),
        boxes=tuple(box for box in boxes if box.everywhere),
        ordered=_ORDERED,
        noun=noun,
        sides=("First text", "Second text") if from_pairs else ("Original", "Edited"),
        judges=judges,
        show_passed=view.rule == "cut",
    )


_ORDERED = (
    "Most confident first: the higher the judge graded the text that is worse, the surer it was in "
    "its miss, so the pairs of each kind are ordered by the grade of their second text. Ties: the "
    "larger rise of the grade first, then what more other judges noticed."
)


def _judge_lines(
    judge: JudgeView, by: MissedBy | None, view: ProfileView, noun: str
) -> Iterator[str]:
    worse = _WORSE[view.direction == "construction"]
    point = judge.operating_point
    if point is None:
        yield (
            f"It has no cut that can be read: {judge.reason}. A verdict that moves with wording "
            "alone tells nothing when it moves with content, so nothing is listed. To see the list "
            "all the same, set a lower [profile] floor in study.toml and run profile and report "
            "again; S then stands beside it."
        )
        return
    if judge.reason:
        yield f"Read with care, a {judge.status}: {judge.reason}."
    if by is None:
        yield f"None of the {noun} has grades for both of its texts."
        return
    if point.tau is None:
        yield f"Its verdict is the same for every text, so all {by.n_graded} {noun} are missed."
        return
    verdict = (
        f"its grade moves by {point.tau:.4g} or more"
        if view.rule == "shift"
        else f"one of its two grades is {point.tau:.4g} or more (passed) and the other less "
        "(failed)"
    )
    yield (
        f"Missed: {by.n_missed} of {by.n_graded} {noun} whose second text "
        f"{worse} worse "
        f"({by.n_missed / by.n_graded:.0%}). One counts as noticed where {verdict}. judgeprobe "
        "sets that cut where the judge notices most while its verdict holds on at least "
        f"{view.floor:.0%} of the {noun} in which neither text is worse."
    )
    yield (
        f"At this cut S, the share of the {noun} with neither text worse on which the verdict "
        f"holds, is {point.S:.3f}; R, the share of the others on which it changes, is "
        f"{point.R:.3f} "
        "(with every base item weighted equally, so it need not equal the plain count)."
    )
    ungraded = judge.n_ungraded
    if ungraded:
        yield f"{ungraded} texts have no grade of this judge and are not counted here."


def _slot_parts(
    by: MissedBy | None, taxonomy: Taxonomy, judge: str, listed: int
) -> tuple[SlotPart, ...]:
    if by is None:
        return ()
    glosses = {slot.name: (slot.axis, slot.gloss) for slot in taxonomy.slots}
    parts = []
    for slot, (missed, graded) in _worst_first(by.by_slot):
        edits = by.of_slot(slot)
        cards = tuple(_card(one) for one in edits[:listed])
        told = [one.passed for one in edits]
        axis, gloss = glosses.get(slot, (edits[0].edit.axis if edits else "", ""))
        parts.append(
            SlotPart(
                name=slot.replace("_", " "),
                anchor=f"{judge}-{slot}",
                axis=axis,
                gloss=gloss,
                missed=missed,
                graded=graded,
                passed=None if None in told else sum(map(bool, told)),
                first=cards[:OPEN],
                rest=cards[OPEN:],
                left=missed - len(cards),
            )
        )
    return tuple(parts)


def _card(one: Missed) -> dict[str, Any]:
    edit = one.edit
    original, edited = side_words(edit.original, edit.edited)
    alone = edit.evidence.strip() == edit.original.strip()
    return {
        "base": edit.base_id,
        "before": f"{one.before:.4g}",
        "after": f"{one.after:.4g}",
        "verdict": _SPELLED[one.passed],
        "margin": "" if one.margin is None else f"{one.margin:.3g} from the cut",
        "noticed": f"noticed by {_others(one.noticed_by)}" if one.noticed_by else "",
        "original": original,
        "edited": edited,
        "evidence": "" if alone else clip(edit.evidence),
    }


def all_missed_rows(
    view: ProfileView, missed: Sequence[MissedBy]
) -> tuple[tuple[str, ...], list[list[Any]]]:
    """Columns and rows of the table of every missed edit, in the order of the page."""
    taus = {
        judge.judge: judge.operating_point.tau
        for judge in view.judges
        if judge.operating_point is not None
    }
    rows: list[list[Any]] = []
    for by in missed:
        for slot, _ in _worst_first(by.by_slot):
            for one in by.of_slot(slot):
                edit = one.edit
                texts = [edit.base_id, edit.id, edit.original, edit.edited]
                passed = None if one.passed is None else ("yes" if one.passed else "no")
                numbers = [one.before, one.after, taus[by.judge]]
                margin = None if one.margin is None else round(one.margin, 10)
                last = [margin, passed, one.noticed_by, view.direction]
                rows.append([by.judge, slot, edit.axis, *texts, *numbers, *last])
    return COLUMNS, rows
