"""What is kept of one judge while blocks of pairs are added up?

Sums over base items: of the data, and of each resample in the block of resamples at hand. A judge's
rates in the resamples are known once its sums have seen every block.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from judgeprobe.profile.fixed import FIRST_AXIS, Groups
from judgeprobe.profile.reading import Reading
from judgeprobe.stats.arrays import Floats, Ints
from judgeprobe.stats.bootstrap import ratio_sums, ratios
from judgeprobe.stats.profile import CurveSteps

__all__ = ["AnewSums", "JudgeSums", "Ratio"]


@dataclass
class Ratio:
    """Ratios of sums over base items: on the data, and in each resample.

    Attributes:
        above: Numerators of the data; shape (columns,).
        below: Denominators.
        draws: The ratios in each resample; shape (resamples, columns).
    """

    above: Floats
    below: Floats
    draws: Floats
    _above: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    _below: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    @classmethod
    def of(cls, columns: int, resamples: int) -> "Ratio":
        """Nothing added up yet."""
        return cls(np.zeros(columns), np.zeros(columns), np.empty((resamples, columns)))

    def begin(self, rows: int) -> None:
        """Start a block of so many resamples."""
        self._above = np.zeros((rows, len(self.above)))
        self._below = np.zeros((rows, len(self.above)))

    def add(self, weights: Floats, above: Floats, below: Floats, *, count: int) -> None:
        """One block; it is added to the sums of the data `count` times: 1 or 0."""
        one, two = ratio_sums(weights, above, below)
        self._above += one
        self._below += two
        self.above += count * above.sum(axis=0)
        self.below += count * below.sum(axis=0)

    def end(self, start: int) -> None:
        """Every block of pairs was added: the resamples at hand are draws `start` and on."""
        self.draws[start : start + len(self._above)] = ratios(self._above, self._below)

    @property
    def values(self) -> Floats:
        """The ratios of the data; NaN where the denominator is zero."""
        return ratios(self.above, self.below)


@dataclass
class JudgeSums:
    """What is added up of one judge with an operating point.

    Attributes:
        reading: The judge.
        rates: Of every group.
        pairs: Graded pairs of every group.
        hits: Changed pairs of invariance, construct and each axis.
        low: Bounds of those rates with the ungraded pairs unchanged.
        high: The same with the ungraded pairs changed.
        asked: Base items with a pair of those groups that was put to the judge.
        lacking: Ungraded pairs of those groups.
        way: Of the changed construct edits those whose grade fell.
        members: Tables of which member claims more; (1 + resamples, 9), the data's first.
        agreed: Rates of both axes on the pairs that were set unanimously.
    """

    reading: Reading
    rates: Ratio
    pairs: Ints
    hits: Ints
    low: Floats
    high: Floats
    asked: Ints
    lacking: Ints
    way: Ratio
    members: Floats
    agreed: Ratio

    @classmethod
    def of(cls, reading: Reading, groups: Groups, resamples: int) -> "JudgeSums":
        """Nothing added up yet."""
        named = FIRST_AXIS + len(groups.axes)
        zeros = [np.zeros(named, dtype=np.int64) for _ in range(3)]
        return cls(
            reading=reading,
            rates=Ratio.of(groups.size, resamples),
            pairs=np.zeros(groups.size, dtype=np.int64),
            hits=zeros[0],
            low=np.zeros(named),
            high=np.zeros(named),
            asked=zeros[1],
            lacking=zeros[2],
            way=Ratio.of(1, resamples),
            members=np.zeros((1 + resamples, 9)),
            agreed=Ratio.of(2, resamples),
        )

    @property
    def ratios(self) -> tuple[Ratio, ...]:
        """Everything that has draws."""
        return self.rates, self.way, self.agreed


@dataclass
class AnewSums:
    """The cut chosen anew of one judge.

    Attributes:
        totals: Sums of shares at every cut; shape (1, groups * cuts).
        n: Base items of each group; shape (1, groups).
        at_cut: Sums of shares at the operating cut; shape (groups,).
        draws: Rates at the cut chosen in each resample; (resamples, groups).
        sums: Of the block of resamples at hand: shares, and base items.
    """

    totals: Floats
    n: Floats
    at_cut: Floats
    draws: Floats
    sums: tuple[Any, Any] = (0.0, 0.0)

    @classmethod
    def of(cls, reading: Reading, steps: CurveSteps, resamples: int) -> "AnewSums":
        """Nothing added up yet, but the totals that leaving one out starts from."""
        totals = steps.totals()
        n = steps.n.astype(np.float64)
        assert reading.cut is not None
        return cls(
            totals=totals.reshape(1, -1),
            n=n[None, :],
            at_cut=totals[:, reading.cut],
            draws=np.empty((resamples, len(n))),
        )
