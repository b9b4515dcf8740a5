"""How do the judges stand to each other, cut by cut? Dominance, and R at matched S.

Two judges at their own cuts are two arbitrary points on two curves (Proposition 3), so they are
compared by their frontiers or at the same S. No area under a frontier is offered: (S, R) has no
order that it could stand for.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from judgeprobe.profile.fixed import CONSTRUCT, INVARIANCE
from judgeprobe.profile.numbers import number
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import Reading
from judgeprobe.stats.frontier import compare_frontiers, operating_cut

__all__ = ["dominance_rows", "matched_rows"]


def dominance_rows(real: Sequence[Reading]) -> list[dict[str, Any]]:
    """`dominance[]`: every two judges with a frontier."""
    rows = []
    drawn = [reading for reading in real if _has_frontier(reading)]
    for one, two in combinations(drawn, 2):
        got = compare_frontiers(
            1 - one.curve[INVARIANCE],
            one.curve[CONSTRUCT],
            1 - two.curve[INVARIANCE],
            two.curve[CONSTRUCT],
        )
        rows.append(
            {
                "judge": one.name,
                "other": two.name,
                "relation": got.relation,
                "judge_above": [[number(a), number(b)] for a, b in got.first_above],
                "other_above": [[number(a), number(b)] for a, b in got.second_above],
            }
        )
    return rows


def matched_rows(real: Sequence[Reading], options: ProfileOptions) -> list[dict[str, Any]]:
    """`matched[]`: at each level the best R of every judge at that S or stricter, with its S."""
    rows = []
    levels = sorted({*options.matched, options.floor})
    for level in levels:
        judges = []
        for reading in real:
            if not _has_frontier(reading):
                continue
            s, r = 1 - reading.curve[INVARIANCE], reading.curve[CONSTRUCT]
            cut = operating_cut(s, r, level)
            judges.append(
                {
                    "judge": reading.name,
                    "tau": None if cut is None else number(float(reading.crossed.taus[cut])),
                    "S": None if cut is None else number(float(s[cut])),
                    "R": None if cut is None else number(float(r[cut])),
                    "reason": "no cut reaches this S" if cut is None else None,
                }
            )
        rows.append({"level": number(level), "judges": judges})
    return rows


def _has_frontier(reading: Reading) -> bool:
    return len(reading.crossed.taus) > 0 and not bool(np.isnan(reading.curve[:2]).any())
