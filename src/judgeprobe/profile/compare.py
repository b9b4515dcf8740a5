"""Has a judge moved between two studies, before and after an update?

Judges are matched by name and base items by id. Each study reads a judge at its own operating cut;
beside that, the later grades are read at the earlier cut, which is what a deployment that kept its
cut would see. The differences' intervals resample base items once for both studies, so that what a
base item adds to both cancels.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.profile.numbers import ends, number, percentile_ends
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import Reading, read_judges
from judgeprobe.profile.sources import Source
from judgeprobe.stats.arrays import Design, Floats, Ints
from judgeprobe.stats.bootstrap import Resamples, rate_draws
from judgeprobe.stats.frontier import Crossings, fixed_crossings
from judgeprobe.stats.profile import Shares, edit_shares
from judgeprobe.tables import PairTable

__all__ = ["compare_sources"]


@dataclass(frozen=True)
class _Side:
    """One study: its pairs, its judges, and where its base items stand among both studies'."""

    table: PairTable
    design: Design
    kept: Ints
    readings: dict[str, Reading]
    place: Ints
    n_both: int

    def shares(self, crossed: Crossings, cut: int) -> Shares:
        """Arms and axes of one judge at one cut, over the base items of both studies."""
        mine = edit_shares(self.design, self.design.groups, crossed.changed(cut), crossed.graded)
        share = np.zeros((self.n_both, mine.share.shape[1]))
        has = np.zeros(share.shape, dtype=np.bool_)
        share[self.place], has[self.place] = mine.share, mine.has
        return Shares(share, has)


def compare_sources(before: Source, after: Source, options: ProfileOptions) -> dict[str, Any]:
    """Set two studies side by side.

    Args:
        before: The earlier study.
        after: The later one.
        options: Settings, the same for both.

    Raises:
        InputError: The studies share no judge, or their taxonomies have other axes.
    """
    if before.table.axes != after.table.axes:
        raise InputError("the two studies have other construct axes", remedy="compare like studies")
    one, two = _sides(before.table, after.table, options)
    shared = [
        name for name in one.readings if name in two.readings and one.readings[name].control is None
    ]
    if not shared:
        raise InputError(
            "the two studies share no judge; they have "
            + ", ".join(sorted({*one.readings} | {*two.readings})[:8]),
            remedy="name the judge alike in both",
        )
    count = options.sized(one.n_both)[0]
    resamples = Resamples.draw(one.n_both, count, np.random.default_rng(options.seed))
    real = [{n for n, r in side.readings.items() if r.control is None} for side in (one, two)]
    return {
        "schema": 1,
        "before": before.name,
        "after": after.name,
        "floor": number(options.floor),
        "rule": options.rule,
        "level": options.level,
        "resamples": count,
        "seed": options.seed,
        "n_base": {
            "before": one.design.n_base,
            "after": two.design.n_base,
            "shared": len(np.intersect1d(one.place, two.place)),
        },
        "judges": [_judge(name, one, two, resamples, options) for name in shared],
        "only_before": sorted(real[0] - real[1]),
        "only_after": sorted(real[1] - real[0]),
        "made_under": {"before": dict(before.made_under), "after": dict(after.made_under)},
    }


def _sides(before: PairTable, after: PairTable, options: ProfileOptions) -> tuple[_Side, _Side]:
    parts = []
    for table in (before, after):
        design, kept = table.design()
        names = [table.base_ids[i] for i in np.unique(table.base[kept])]
        readings = {r.name: r for r in read_judges(table, design, kept, options)}
        parts.append((table, design, kept, readings, names))
    both = sorted({name for part in parts for name in part[4]})
    index = {name: i for i, name in enumerate(both)}
    sides = []
    for table, design, kept, readings, names in parts:
        place = np.array([index[name] for name in names], dtype=np.int64)
        sides.append(_Side(table, design, kept, readings, place, len(both)))
    return sides[0], sides[1]


def _judge(
    name: str, one: _Side, two: _Side, resamples: Resamples, options: ProfileOptions
) -> dict[str, Any]:
    axes = one.table.axes
    first, second = one.readings[name], two.readings[name]
    row: dict[str, Any] = {
        "judge": name,
        "status": {"before": first.status, "after": second.status},
        "before": None,
        "after": None,
        "difference": None,
        "same_cut": None,
        "reason": None,
    }
    old = None if first.cut is None else one.shares(first.crossed, first.cut)
    new = None if second.cut is None else two.shares(second.crossed, second.cut)
    row["before"] = None if old is None else _point(first.tau, old, axes)
    row["after"] = None if new is None else _point(second.tau, new, axes)
    if old is None:
        row["reason"] = f"before: {first.reason}"
        return row
    if new is None:
        row["reason"] = f"after: {second.reason}"
    else:
        row["difference"] = _difference(old, new, axes, resamples, options)
    if first.tau is not None and options.rule == "cut":
        grades = two.table.original[second.row], two.table.edited[second.row]
        crossed = fixed_crossings(*grades, first.tau).take(two.kept)
        kept_cut = two.shares(crossed, 0)
        if kept_cut.has[:, :2].any(axis=0).all():
            row["same_cut"] = {
                "after": _point(first.tau, kept_cut, axes),
                "difference": _difference(old, kept_cut, axes, resamples, options),
            }
    return row


def _point(tau: float | None, shares: Shares, axes: tuple[str, ...]) -> dict[str, Any]:
    rates = shares.rates()
    found = {"tau": number(tau), "S": number(1 - float(rates[0])), "R": number(float(rates[1]))}
    for a, axis in enumerate(axes):
        found[f"R_{axis}"] = number(float(rates[2 + a]))
    return found


def _difference(
    old: Shares, new: Shares, axes: tuple[str, ...], resamples: Resamples, options: ProfileOptions
) -> dict[str, Any]:
    """After minus before of S, R and R by axis, and of the gap between the first two axes."""
    width = old.share.shape[1]
    draws = rate_draws(
        resamples, Shares(np.hstack([old.share, new.share]), np.hstack([old.has, new.has]))
    )
    change: Floats = draws[:, width:] - draws[:, :width]
    estimate = new.rates() - old.rates()
    change[:, 0], estimate[0] = -change[:, 0], -estimate[0]
    n = int((old.has[:, :2] | new.has[:, :2]).any(axis=1).sum())
    names = ["S", "R", *(f"R_{axis}" for axis in axes)]
    columns = {name: (float(estimate[g]), change[:, g]) for g, name in enumerate(names)}
    if len(axes) >= 2:
        columns["gap"] = (float(estimate[2] - estimate[3]), change[:, 2] - change[:, 3])
    return {
        name: {
            "estimate": number(value),
            **ends(percentile_ends(value, drawn, options.level, n=n)),
        }
        for name, (value, drawn) in columns.items()
    }
