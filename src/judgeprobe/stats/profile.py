"""How often does a verdict hold, and how often does it change, with base items weighing equally?

Equation 6 of the construct-validity reference: the mean over base items of the mean over a base
item's edits. A base item that admits many edits weighs no more than one that admits a single edit.
A base item counts for a group (an arm, an axis, a slot) where it has at least one graded edit in
it. The pooled estimator beside it weighs every edit equally.

Assumes: pairs in the order of their base items. Guarantees: no group without a graded edit gets a
number; it is None or NaN as the return says.
"""

from dataclasses import dataclass

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Design, Floats, Ints
from judgeprobe.stats.frontier import Crossings

__all__ = [
    "Bounds",
    "CurveSteps",
    "Shares",
    "bounds",
    "curve_steps",
    "curves",
    "edit_shares",
    "pooled_rate",
    "rate",
    "share_tensor",
]


@dataclass(frozen=True)
class Shares:
    """The share of changed edits per base item and group.

    Attributes:
        share: Changed edits over edits; 0 where there is none; shape (base items, groups).
        has: Whether the base item has an edit in the group; same shape.
    """

    share: Floats
    has: Bools

    def rates(self) -> Floats:
        """Equation 6 per group; NaN for a group without any edit; shape (groups,)."""
        n = self.has.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.share.sum(axis=0) / n, dtype=np.float64)


def edit_shares(design: Design, groups: Bools, changed: Bools, counted: Bools) -> Shares:
    """Share of changed edits per base item and group.

    Args:
        design: The pairs.
        groups: Membership of each pair; shape (groups, pairs). A pair may be in several.
        changed: Whether the pair's verdict changed; shape (pairs,).
        counted: Whether the pair counts (both members graded); shape (pairs,).

    Returns:
        Shares of shape (base items, groups).
    """
    share = np.zeros((design.n_base, len(groups)))
    has = np.zeros((design.n_base, len(groups)), dtype=np.bool_)
    for g, members in enumerate(groups):
        kept = members & counted
        base = design.base[kept]
        edits = np.bincount(base, minlength=design.n_base)
        hits = np.bincount(base[changed[kept]], minlength=design.n_base)
        has[:, g] = edits > 0
        share[:, g] = hits / np.maximum(edits, 1)
    return Shares(share, has)


def rate(design: Design, members: Bools, changed: Bools, counted: Bools) -> float:
    """Equation 6 of one group.

    Raises:
        StatisticsError: No pair of the group counts.
    """
    value = edit_shares(design, members[None, :], changed, counted).rates()[0]
    if np.isnan(value):
        raise StatisticsError("a rate needs at least one graded pair")
    return float(value)


def pooled_rate(members: Bools, changed: Bools, counted: Bools) -> float | None:
    """Changed pairs over pairs, every pair equal; None where the group has none."""
    kept = members & counted
    return float(changed[kept].mean()) if kept.any() else None


def curves(design: Design, groups: Bools, crossed: Crossings) -> Floats:
    """Share of changed edits (equation 6) of every group at every cut.

    One pass over the pairs and one over the cuts: a pair adds its weight at the first cut that
    changes it and takes it back at the first that does not.

    Returns:
        Shape (groups, cuts); NaN for a group without a graded edit.
    """
    return curve_steps(design, groups, crossed).curves()


@dataclass(frozen=True)
class CurveSteps:
    """Where the sums behind the curves rise and fall. Steps of parts of a table add up.

    Attributes:
        steps: Weight of the pairs that begin to change at each cut, less that of those that cease
            to; shape (groups, cuts + 1).
        n: Base items with a graded edit in the group; shape (groups,).
    """

    steps: Floats
    n: Ints

    def totals(self) -> Floats:
        """Sum over base items of the share of changed edits at every cut; (groups, cuts)."""
        return np.asarray(np.cumsum(self.steps, axis=1)[:, :-1], dtype=np.float64)

    def curves(self) -> Floats:
        """Equation 6 at every cut; (groups, cuts), NaN for a group without a graded edit."""
        n = np.where(self.n > 0, self.n, np.nan)
        return np.clip(self.totals() / n[:, None], 0.0, 1.0)


def curve_steps(design: Design, groups: Bools, crossed: Crossings) -> CurveSteps:
    """The steps of some pairs, whole base items of them."""
    n_cuts = len(crossed.taus)
    steps = np.zeros((len(groups), n_cuts + 1))
    n = np.zeros(len(groups), dtype=np.int64)
    for g, members in enumerate(groups):
        kept = members & crossed.graded
        base = design.base[kept]
        edits = np.bincount(base, minlength=design.n_base)
        weight = 1.0 / edits[base]
        steps[g] = np.bincount(crossed.low[kept], weight, n_cuts + 1)
        steps[g] -= np.bincount(crossed.high[kept], weight, n_cuts + 1)
        n[g] = (edits > 0).sum()
    return CurveSteps(steps, n)


def share_tensor(
    design: Design, members: Bools, crossed: Crossings, first: int, last: int
) -> tuple[Floats, Bools]:
    """Share of changed edits per base item at every cut, for base items first <= i < last.

    Returns:
        Shares (last - first, cuts), and whether each base item has a graded edit (last - first,).
    """
    n_cuts = len(crossed.taus)
    start, stop = np.searchsorted(design.base, (first, last))
    kept = members[start:stop] & crossed.graded[start:stop]
    base: Ints = design.base[start:stop][kept] - first
    size = (last - first) * (n_cuts + 1)
    steps = np.bincount(base * (n_cuts + 1) + crossed.low[start:stop][kept], minlength=size)
    steps -= np.bincount(base * (n_cuts + 1) + crossed.high[start:stop][kept], minlength=size)
    counts = np.cumsum(steps.reshape(last - first, n_cuts + 1), axis=1)[:, :n_cuts]
    edits = np.bincount(base, minlength=last - first)
    return counts / np.maximum(edits, 1)[:, None], edits > 0


@dataclass(frozen=True)
class Bounds:
    """What a rate could be if the ungraded pairs were known: none changed, all changed."""

    low: float
    high: float
    n_ungraded: int


def bounds(design: Design, members: Bools, changed: Bools, graded: Bools) -> Bounds | None:
    """Bounds of a group's change rate over its ungraded pairs; None for a group without pairs.

    Args:
        design: The pairs.
        members: Pairs of the group that were put to the judge; shape (pairs,).
        changed: Whether the verdict changed; read where graded.
        graded: Whether both members are graded.
    """
    if not members.any():
        return None
    everything = np.ones_like(graded)
    missing = members & ~graded
    return Bounds(
        low=rate(design, members, changed & graded, everything),
        high=rate(design, members, (changed & graded) | missing, everything),
        n_ungraded=int(missing.sum()),
    )
