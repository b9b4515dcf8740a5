"""What else is there to say of a kind of variant, beside S and R?

Of prompts the range over the wordings; of runs on other days whether a judge gave the same grades
again and whether the same model answered; of the paired mode whether the order of the two sentences
mattered; of quantizations what answered.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from judgeprobe.files import read_table
from judgeprobe.profile.numbers import number
from judgeprobe.stats.frontier import fixed_crossings
from judgeprobe.stats.quality import regrade_agreement
from judgeprobe.sweep.paired import ORDERS
from judgeprobe.variants.gradings import Graded

__all__ = ["day_rows", "group_rows", "model_groups", "order_rows", "prompt_rows"]

_SERVED = ("served_model", "served_provider", "served_fingerprint", "served_quantization")


def prompt_rows(comparisons: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """`prompts[]`: for each judge how far S and R range over the wordings."""
    kinds = ("prompts", "order")
    rows = [row for row in comparisons if row["kind"] in kinds and row["operating"] is not None]
    for judge in dict.fromkeys(row["judge"] for row in rows):
        mine = [row for row in rows if row["judge"] == judge]
        found: dict[str, Any] = {"judge": judge, "n_prompts": len(mine)}
        for rate in ("S", "R"):
            values = [row["operating"]["after"][rate] for row in mine]
            found |= {
                f"{rate}_lowest": min(values),
                f"{rate}_highest": max(values),
                f"{rate}_study": mine[0]["operating"]["before"][rate],
            }
        yield {**found, "moved": sum(row["status"] == "moved" for row in mine)}


def day_rows(base: Graded, days: Sequence[Graded]) -> Iterator[dict[str, Any]]:
    """`days[]`: each judge on each day, the study's own run first.

    Agreement is the share of texts with the same grade as in the study's own run, over the texts
    graded in both.
    """
    if not days:
        return
    first = read_table(base.study.grades_path)
    for judge in (row.name for row in base.study.settings.judges):
        reference = _of_judge(first, judge)
        for one in (base, *days):
            if judge not in one.table.judges:
                continue
            frame = (
                reference if one is base else _of_judge(read_table(one.study.grades_path), judge)
            )
            joined = reference.add_suffix("_first").join(frame.add_suffix("_now"), how="inner")
            graded = joined.dropna(subset=["value_first", "value_now"])
            served = _served(frame)
            point = one.entry(judge)["operating_point"] or {}
            yield {
                "judge": judge,
                "run": "the study" if one.variant is None else one.study.settings.elicitation.run,
                **{name: point.get(name) for name in ("tau", "S", "R", "S_interval", "R_interval")},
                "n_texts": len(graded),
                "agreement": number(regrade_agreement(graded["value_first"], graded["value_now"]))
                if len(graded)
                else None,
                "served": served,
                "changed": [
                    name for name, told in served.items() if told != _served(reference)[name]
                ],
            }


def _of_judge(frame: Any, judge: str) -> Any:
    """First repetitions of a judge, by text."""
    mine = frame[(frame["judge"] == judge) & (frame["repetition"] == 0)]
    return mine.set_index("text_id")[["value", *_SERVED]]


def _served(frame: Any) -> dict[str, list[str]]:
    return {name: sorted({str(told) for told in frame[name]}) for name in _SERVED}


def order_rows(one: Graded) -> Iterator[dict[str, Any]]:
    """`orders[]`: each judge of the paired mode, whether the order of the sentences matters.

    S and R in each order are read at the cut of the grades' means over both. Agreement is the share
    of pairs whose verdict changes in both orders or in none. `first_minus_second` is the mean, over
    pairs and both orders, of the grade of the sentence shown first minus that of the one shown
    second, in scale units: 0 for a judge without a liking for a place.
    """
    design, kept = one.table.design()
    for row, judge in enumerate(one.table.judges):
        point = one.entry(judge)["operating_point"]
        if point is None or point["tau"] is None:
            continue
        found: dict[str, Any] = {"judge": judge, "tau": point["tau"]}
        changed = []
        grades = [(t.original[row][kept], t.edited[row][kept]) for t in one.orders]
        both = ~np.isnan(np.stack([np.stack(pair) for pair in grades])).any(axis=(0, 1))
        for order, (original, edited) in zip(ORDERS, grades, strict=True):
            crossed = fixed_crossings(original, edited, point["tau"])
            changed.append(crossed.changed(0) & both)
            for name, arm in (("S", design.invariance), ("R", design.construct)):
                rate = _rate(design.base, arm & both, changed[-1])
                found[f"{name}_{order.replace(' ', '_')}"] = number(
                    1 - rate if name == "S" else rate
                )
        (o1, e1), (e2, o2) = grades[0], grades[1][::-1]
        leaning = ((o1 - e1) + (e2 - o2))[both] / 2
        yield {
            **found,
            "n_pairs": int(both.sum()),
            "agreement": number(float((changed[0] == changed[1])[both].mean())),
            "first_minus_second": number(float(leaning.mean())),
        }


def _rate(base: Any, members: Any, changed: Any) -> float:
    """Equation 6 of some pairs; NaN without any."""
    if not members.any():
        return float("nan")
    edits = np.bincount(base[members])
    hits = np.bincount(base[members & changed], minlength=len(edits))
    return float((hits[edits > 0] / edits[edits > 0]).mean())


def group_rows(base: Graded) -> Iterator[dict[str, Any]]:
    """`groups[]`: the judges of each `model_group`, with what answered."""
    groups = model_groups(base)
    frame = read_table(base.study.grades_path) if groups else None
    settings = {judge.name: judge for judge in base.study.settings.judges}
    for group, judges in groups.items():
        for judge in judges:
            entry = base.entry(judge)
            point = entry["operating_point"] or {}
            yield {
                "group": group,
                "judge": judge,
                "model": settings[judge].model or settings[judge].call,
                "served": _served(_of_judge(frame, judge)),
                "status": entry["status"],
                "usable_points": entry["usable_points"],
                **{name: point.get(name) for name in ("tau", "S", "R", "S_interval", "R_interval")},
            }


def model_groups(base: Graded) -> dict[str, list[str]]:
    """Judges that are one model in several quantizations, by group; groups of one are none."""
    groups: dict[str, list[str]] = {}
    for judge in base.study.settings.judges:
        if judge.model_group is not None and judge.name in base.table.judges:
            groups.setdefault(judge.model_group, []).append(judge.name)
    return {group: judges for group, judges in groups.items() if len(judges) > 1}
