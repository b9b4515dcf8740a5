"""Does the profile hang on where the agreement bar was set?

The profile again at other bars: a slot stays while its raw agreement, and its axis's, is at least
the bar (check S6 of the construct-validity reference). Every judge is read anew at each bar. If the
contrast grows as the bar falls, part of it is which items survive.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.profile.contrast import mean_draws
from judgeprobe.profile.fixed import CONSTRUCT, INVARIANCE, groups_of, make_fixed
from judgeprobe.profile.numbers import ends, number, percentile_ends
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import read_judges
from judgeprobe.stats.arrays import Bools
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.tables import PairTable

__all__ = ["BARS", "bar_rows"]

BARS = (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


def bar_rows(
    table: PairTable, agreement: Mapping[str, float], bar: float, options: ProfileOptions
) -> list[dict[str, Any]]:
    """`bars[]`: means over judges and the contrast at each bar, the study's own among them.

    Args:
        table: Pairs whose majority matches the intent, whatever their slot's agreement.
        agreement: Raw pairwise agreement by slot and axis.
        bar: The study's own bar.
        options: Settings.
    """
    of_slot = np.array([agreement.get(name, -1.0) for name in table.slots])[table.slot]
    of_axis = np.array([agreement.get(str(name), -1.0) for name in table.axis])
    reaches = np.minimum(of_slot, of_axis)
    rows = []
    for level in sorted({*BARS, bar}):
        kept = reaches >= level - 1e-12
        names = sorted({table.slots[s] for s in table.slot[kept & ~table.apart]})
        row: dict[str, Any] = {"bar": number(level), "registered": level == bar, "slots": names}
        rows.append(row | _summary(table, kept, options))
    return rows


def _summary(table: PairTable, kept: Bools, options: ProfileOptions) -> dict[str, Any]:
    nothing: dict[str, Any] = {
        "n_pairs": int((kept & ~table.apart).sum()),
        "n_judges": 0,
        "mean": None,
    }
    gap: dict[str, Any] = {"estimate": None, "low": None, "high": None}
    try:
        chosen = table.select(kept)
        design, numbers = chosen.design()
    except StatisticsError:
        return {**nothing, "gap": gap, "reason": "no slot reaches this bar"}
    rng = np.random.default_rng(options.seed)
    resamples = Resamples.draw(design.n_base, options.sized(design.n_base)[0], rng)
    groups, members = groups_of(chosen, design, numbers)
    readings = [
        reading
        for reading in read_judges(chosen, design, numbers, options)
        if reading.control is None
        and reading.status == "frontier"
        and reading.name not in table.remedies
    ]
    compared = make_fixed(design, groups, members, readings, resamples)
    if not compared:
        return {**nothing, "gap": gap, "reason": "no judge has a frontier with a cut at the floor"}
    gaps = [found for fixed in compared if (found := fixed.gap()) is not None]
    if gaps:
        estimate = float(np.mean([found[0] for found in gaps]))
        draws = mean_draws([found[1] for found in gaps])
        interval = percentile_ends(estimate, draws, options.level, n=design.n_base)
        gap = {"estimate": number(estimate), **ends(interval)}
    return {
        "n_pairs": len(numbers),
        "n_judges": len(compared),
        "mean": {
            "S": number(1 - float(np.mean([f.rates[INVARIANCE] for f in compared]))),
            "R": number(float(np.mean([f.rates[CONSTRUCT] for f in compared]))),
        },
        "gap": gap,
        "reason": None,
    }
