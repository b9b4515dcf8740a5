"""How are the edits that a judge missed shown? One folded part a judge, changed words marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judgeprobe.report.missed import Missed, MissedBy
from judgeprobe.report.words import changed_words, clip

__all__ = ["MissedSection", "missed_section", "missed_words"]


@dataclass(frozen=True)
class MissedSection:
    """The edits that one judge missed, for a folded part of the page."""

    summary: str
    slots: str
    edits: tuple[dict[str, Any], ...]


def missed_words(missed: Sequence[MissedBy]) -> tuple[str, ...]:
    """What stands above the folded parts; nothing where there are none."""
    if not missed:
        return ()
    return (
        "Edits that change the construct and left the verdict where it was, at each judge's "
        "operating point. Those that a judge graded higher after the edit come first. Struck "
        "words were in the original, underlined ones came with the edit.",
    )


def missed_section(by: MissedBy) -> MissedSection:
    """The folded part of one judge."""
    slots = "; ".join(
        f"{slot.replace('_', ' ')} {missed} of {total}"
        for slot, (missed, total) in sorted(
            by.by_slot.items(), key=lambda one: (-one[1][0] / one[1][1], one[0])
        )
    )
    share = by.n_missed / by.n_graded
    return MissedSection(
        summary=f"{by.judge}: {by.n_missed} of {by.n_graded} construct edits missed ({share:.0%})",
        slots=slots,
        edits=tuple(_edit(one) for one in by.shown),
    )


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
