"""How many base items give the half-width or the power that is wanted?

A grid of sizes is simulated; the answer is the smallest size of the grid that meets everything
asked for.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.profile.numbers import number
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import read_judges
from judgeprobe.stats.power import PlannedStudy, Sampler, from_pilot, simulate_study
from judgeprobe.stats.profile import Shares, edit_shares
from judgeprobe.tables import PairTable

__all__ = ["GRID", "pilot_sampler", "plan_study"]

GRID = (30, 60, 120, 240, 480, 960)


def pilot_sampler(table: PairTable, options: ProfileOptions) -> tuple[Sampler, list[str]]:
    """Base items of a pilot with every judge that has an operating point, at that point.

    Returns:
        The sampler, and the judges in it.

    Raises:
        InputError: No judge has an operating point, or the taxonomy has not two construct axes.
    """
    design, kept = table.design()
    if len(design.axes) < 2:
        raise InputError("a plan for a gap needs two construct axes")
    readings = [
        reading
        for reading in read_judges(table, design, kept, options)
        if reading.status == "frontier"
        and reading.control is None
        and reading.name not in table.remedies
    ]
    if not readings:
        raise InputError("no judge of the pilot has a frontier", remedy="state the rates instead")
    parts = [
        edit_shares(design, design.groups[:4], reading.changed, reading.graded)
        for reading in readings
    ]
    shares = Shares(np.hstack([p.share for p in parts]), np.hstack([p.has for p in parts]))
    return from_pilot(shares), [reading.name for reading in readings]


def plan_study(
    sampler: Sampler,
    *,
    sizes: Sequence[int],
    simulations: int,
    resamples: int,
    level: float,
    half_width: float | None,
    power: float | None,
    seed: int,
) -> dict[str, Any]:
    """Simulate every size and name the smallest that is enough.

    Args:
        sampler: Where base items come from.
        sizes: Numbers of base items.
        simulations: Studies simulated at each size.
        resamples: Bootstrap resamples of each.
        level: Nominal coverage.
        half_width: Largest half-width wanted, of S and of R; None where it does not matter.
        power: Smallest power wanted for the gap; None where it does not matter.
        seed: Seed of every draw.
    """
    rows: list[PlannedStudy] = []
    for n, rng in zip(sizes, np.random.default_rng(seed).spawn(len(sizes)), strict=True):
        rows.append(
            simulate_study(
                sampler, n, simulations=simulations, resamples=resamples, level=level, rng=rng
            )
        )
    enough = [row.n for row in rows if _enough(row, half_width, power)]
    return {
        "sizes": [
            {k: number(v) if isinstance(v, float) else v for k, v in asdict(row).items()}
            for row in rows
        ],
        "wanted": {"half_width": half_width, "power": power},
        "n": min(enough) if enough else None,
        "reason": None if enough else "no size of the grid is enough",
        "level": level,
        "resamples": resamples,
        "seed": seed,
    }


def _enough(row: PlannedStudy, half_width: float | None, power: float | None) -> bool:
    narrow = half_width is None or max(row.half_width_s, row.half_width_r) <= half_width
    return narrow and (power is None or row.power >= power)
