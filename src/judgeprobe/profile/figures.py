"""What is counted of one judge at its operating cut, beside the rates and their draws?

Facts only, no JSON: `entries` tells them, whichever way the table was read.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import NO_CUT, Reading
from judgeprobe.stats.arrays import Bools, Design, Ints
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.stats.direction import MemberAgreement, member_agreement, right_way
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.profile import Bounds, bounds, pooled_rate, rate
from judgeprobe.stats.quality import regrade_agreement
from judgeprobe.tables import PairTable

__all__ = ["AtCut", "Figures", "at_cut", "figures_of", "named_groups"]


@dataclass(frozen=True)
class AtCut:
    """What needs an operating point.

    Attributes:
        pooled: Change rate of each of S, R, R_AXIS with every pair equal; None without a pair.
        bounds: What each could be if the ungraded pairs were known; None without a pair.
        direction: Share of the changed construct edits whose grade fell, or why there is none.
        agreement: Judge against people on which member claims more.
        apart: Graded pairs in neither arm, and their change rate.
    """

    pooled: Mapping[str, float | None]
    bounds: Mapping[str, Bounds | None]
    direction: Interval | str
    agreement: MemberAgreement
    apart: tuple[int, float | None]


@dataclass(frozen=True)
class Figures:
    """Counts of one judge.

    Attributes:
        graded: Graded pairs of the construct and of the invariance arm.
        ungraded: Pairs put to the judge with a member ungraded.
        regrade: Share of the texts graded twice with one grade; None where there are none.
        regrade_n: Texts graded twice.
        at_cut: What needs an operating point; None for a judge without one.
    """

    graded: tuple[int, int]
    ungraded: int
    regrade: float | None
    regrade_n: int
    at_cut: AtCut | None


def figures_of(
    table: PairTable,
    design: Design,
    kept: Ints,
    reading: Reading,
    resamples: Resamples,
    options: ProfileOptions,
) -> Figures:
    """The figures of a judge, from all pairs at once.

    Args:
        table: All pairs.
        design: The pairs of the two arms.
        kept: Their numbers in the table.
        reading: The judge as read.
        resamples: Of the base items.
        options: Settings.
    """
    first, second = table.regrades[reading.row]
    asked = table.asked[reading.row][kept]
    graded = reading.graded
    return Figures(
        graded=(int((design.construct & graded).sum()), int((design.invariance & graded).sum())),
        ungraded=int((asked & ~graded).sum()),
        regrade=regrade_agreement(first, second) if len(first) else None,
        regrade_n=len(first),
        at_cut=None
        if reading.cut is None
        else at_cut(table, design, kept, reading, resamples, options),
    )


def at_cut(
    table: PairTable,
    design: Design,
    kept: Ints,
    reading: Reading,
    resamples: Resamples,
    options: ProfileOptions,
) -> AtCut:
    """The figures at the operating cut; arguments as of `figures_of`."""
    asked = table.asked[reading.row][kept]
    changed, graded = reading.changed, reading.graded
    fell = table.edited[reading.row][kept] < table.original[reading.row][kept]
    groups = named_groups(table, design)
    direction: Interval | str
    try:
        direction = right_way(design, changed, fell, resamples, options.level)
    except StatisticsError as error:
        direction = str(error)
    return AtCut(
        pooled={name: pooled_rate(m, changed, graded) for name, m in groups.items()},
        bounds={name: bounds(design, m & asked, changed, graded) for name, m in groups.items()},
        direction=direction,
        agreement=member_agreement(design, changed, fell, graded, resamples, options.level),
        apart=_apart(table, reading),
    )


def named_groups(table: PairTable, design: Design) -> dict[str, Bools]:
    """S, R and R_AXIS by the pairs they are over."""
    names = ("S", "R", *(f"R_{axis}" for axis in table.axes))
    return dict(zip(names, design.groups, strict=True))


def _apart(table: PairTable, reading: Reading) -> tuple[int, float | None]:
    graded = reading.crossed_all.graded & table.apart
    if not graded.any():
        return 0, None
    cut = NO_CUT if reading.cut is None else reading.cut
    _, base = np.unique(table.base[graded], return_inverse=True)
    changed = reading.crossed_all.changed(cut)[graded]
    everything = np.ones(len(base), dtype=np.bool_)
    whole = Design(base, int(base.max()) + 1, ~everything, everything, everything[None, :])
    return int(graded.sum()), rate(whole, everything, changed, everything)
