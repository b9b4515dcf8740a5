"""How much insensitivity survives a finer verdict space?

For each judge, every space in which it graded: the study's own, the scales of `[variants]` and the
expected grade. All are read at one matched S, the study's floor, on the pairs that a space shares
with the coarsest one; where a space has no cut there, its verdict is constant (S = 1, R = 0).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from judgeprobe.profile.numbers import number
from judgeprobe.variants.comparing import Comparer, Side, matched_at
from judgeprobe.variants.gradings import Graded

__all__ = ["space_rows"]


def space_rows(
    base: Graded, graded: Sequence[Graded], comparer: Comparer
) -> Iterator[dict[str, Any]]:
    """`granularity[]`: a row for each judge and space, the coarsest first.

    The differences, and the share of the misses that survives, are against the judge's coarsest
    space. A judge with one space has no rows.
    """
    variants = [one for one in graded if one.variant and one.variant.kind == "granularity"]
    for judge in (row.name for row in base.study.settings.judges):
        spaces = [one for one in (base, *variants) if judge in one.table.judges]
        if len(spaces) < 2:
            continue
        spaces.sort(key=lambda one: (_elicited(one, judge) == "expected", _points(one)))
        first = _side(spaces[0], judge)
        for one in spaces:
            yield _row(one, judge, first, comparer)


def _points(one: Graded) -> int:
    return len(one.study.settings.elicitation.scale.grades)


def _elicited(one: Graded, judge: str) -> str | None:
    found: str | None = one.entry(judge)["elicitation"]
    return found


def _side(one: Graded, judge: str) -> Side:
    scale = one.study.settings.elicitation.scale
    told = "the study" if one.variant is None else one.variant.name
    return Side(told, one.table, judge, (scale.low, scale.high, scale.step))


def _row(one: Graded, judge: str, first: Side, comparer: Comparer) -> dict[str, Any]:
    side, entry = _side(one, judge), one.entry(judge)
    expected = entry["elicitation"] == "expected"
    floor = comparer.options.floor
    constant = entry["reason"] or f"no cut reaches S {floor:g} on these pairs"
    row: dict[str, Any] = {
        "judge": judge,
        "space": side.told,
        "points": None if expected else _points(one),
        "elicitation": entry["elicitation"],
        "usable_grades": entry["usable_grades"],
        "usable_points": entry["usable_points"],
        "n_graded": entry["n_graded"],
        "n_ungraded": entry["n_ungraded"],
        "coarsest": first.told,
    }
    found = comparer.rows(first, side)
    at = matched_at(found, floor)
    if at is None:
        return {**row, "level": number(floor), "reason": found["why"]}
    return {
        **row,
        "level": number(floor),
        "reason": None if at["after"]["tau"] is not None else constant,
        "n_construct": found["n_construct"],
        "n_invariance": found["n_invariance"],
        "tau": at["after"]["tau"],
        "S": at["after"]["S"],
        "R": at["after"]["R"],
        "R_difference": at["R"],
        "S_difference": at["S"],
        "surviving": at["surviving"],
        "levels": [
            {"level": a["level"], **{name: a["after"][name] for name in ("tau", "S", "R")}}
            for a in found["matched"]
        ],
    }
