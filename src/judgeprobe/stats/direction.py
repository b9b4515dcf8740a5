"""Did a changed verdict change the way people set it?

Sensitivity R counts a change of verdict whichever way it goes. Two figures stand beside it. Of the
construct edits whose verdict changed, the share whose grade fell: the edit claims more, so the
grade of how well the evidence licenses it should fall. And the agreement of judge and people on
which member claims more (edited, neither, original), corrected for chance and linearly weighted,
because naming the wrong member is worse than naming neither (appendix A.3 of the construct-validity
reference).
"""

from dataclasses import dataclass

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Design, Floats
from judgeprobe.stats.bootstrap import Resamples, percentile, ratio_draws
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.kappa import group_confusions, kappas

__all__ = [
    "UNMOVED",
    "MemberAgreement",
    "agreement_of",
    "member_agreement",
    "member_counts",
    "right_way",
    "way_counts",
]

UNMOVED = "no construct edit changed the verdict"

_ORIGINAL, _NEITHER, _EDITED = 0, 1, 2


def right_way(
    design: Design, changed: Bools, fell: Bools, resamples: Resamples, level: float
) -> Interval:
    """Share of the changed construct edits whose grade fell, every edit equal.

    Args:
        design: The pairs.
        changed: Pairs whose verdict changed; shape (pairs,).
        fell: Pairs whose edit is graded below the original; read where changed.
        resamples: Of the base items.
        level: Nominal coverage.

    Returns:
        The share with its interval over base items; n counts the changed construct edits.

    Raises:
        StatisticsError: No construct edit changed.
    """
    hits, flips = way_counts(design, changed, fell)
    if not flips.any():
        raise StatisticsError(UNMOVED)
    draws = ratio_draws(resamples, hits[:, None], flips[:, None])[:, 0]
    return percentile(float(hits.sum() / flips.sum()), draws, level, n=int(flips.sum()))


def way_counts(design: Design, changed: Bools, fell: Bools) -> tuple[Floats, Floats]:
    """Changed construct edits of each base item: those whose grade fell, and all."""
    moved = changed & design.construct
    flips = np.bincount(design.base[moved], minlength=design.n_base).astype(np.float64)
    hits = np.bincount(design.base[moved & fell], minlength=design.n_base).astype(np.float64)
    return hits, flips


@dataclass(frozen=True)
class MemberAgreement:
    """Judge against people on which member claims more.

    Attributes:
        n: Pairs compared.
        raw: Share of pairs on which they agree.
        kappa: Cohen's kappa, 0 by rule where degenerate.
        weighted: The same with linear weights (edited, neither, original in order).
        degenerate: Whether expected disagreement is zero (kappa is 0/0).
        table: Counts, people down and judge across: original, neither, edited; shape (3, 3).
    """

    n: int
    raw: float
    kappa: Interval
    weighted: Interval
    degenerate: bool
    table: Floats


def member_agreement(
    design: Design,
    changed: Bools,
    fell: Bools,
    graded: Bools,
    resamples: Resamples,
    level: float,
) -> MemberAgreement:
    """Agreement on which member claims more, at one cut.

    People say "edited" of every construct edit and "neither" of every invariance edit: that is how
    an edit came into its arm. The judge says "edited" where the verdict changed and the grade fell,
    "original" where it changed and the grade rose, else "neither".

    Raises:
        StatisticsError: No pair is graded.
    """
    flat = member_counts(design, changed, fell, graded)
    if not flat.any():
        raise StatisticsError("no graded pair to compare")
    drawn = np.concatenate(
        [block.astype(np.float64, copy=False) @ flat for block in resamples.blocks()]
    )
    return agreement_of(flat.sum(axis=0), drawn, level)


def member_counts(design: Design, changed: Bools, fell: Bools, graded: Bools) -> Floats:
    """The table of each base item, people down and judge across; shape (base items, 9)."""
    kept = graded & (design.construct | design.invariance)
    people = np.where(design.construct, _EDITED, _NEITHER)[kept]
    judge = np.where(changed, np.where(fell, _EDITED, _ORIGINAL), _NEITHER)[kept]
    by_base = group_confusions(people, judge, design.base[kept], design.n_base, 3)
    return by_base.reshape(design.n_base, 9)


def agreement_of(counts: Floats, drawn: Floats, level: float) -> MemberAgreement:
    """Agreement from the table of the data (9,) and those of the resamples (resamples, 9).

    Raises:
        StatisticsError: The table is empty, or every resample's is.
    """
    whole = counts.reshape(3, 3)
    n = int(whole.sum())
    drawn = drawn[drawn.sum(axis=1) > 0].reshape(-1, 3, 3)
    intervals = []
    for linear in (False, True):
        value, degenerate = kappas(whole[None], linear=linear)
        draws = kappas(drawn, linear=linear)[0]
        intervals.append(percentile(float(value[0]), draws, level, n=n))
    return MemberAgreement(
        n=n,
        raw=float(np.trace(whole) / n),
        kappa=intervals[0],
        weighted=intervals[1],
        degenerate=bool(degenerate[0]),
        table=whole,
    )
