"""What does every judge measure at its cut, when the pairs come block by block?

One pass over the blocks for each block of resamples (one block where they fit into memory); every
figure is a sum over base items, so a block adds its part. In the first pass the counts and the
leave-one-out values are taken too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgeprobe.profile.block_accumulators import AnewSums, JudgeSums
from judgeprobe.profile.block_reading import BlockReadings, Tables, crossed_at
from judgeprobe.profile.contrast import Spread, mean_draws, subset_entry
from judgeprobe.profile.figures import AtCut, Figures, named_groups
from judgeprobe.profile.fixed import Fixed, Groups
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.stats.arrays import Bools, Design, Floats, Ints
from judgeprobe.stats.bootstrap import (
    Resamples,
    left_out_rates,
    percentile,
)
from judgeprobe.stats.direction import UNMOVED, agreement_of, member_counts, way_counts
from judgeprobe.stats.frontier import Crossings
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.profile import Bounds, Shares, edit_shares
from judgeprobe.stats.reselection import rates_at_chosen, share_chunks, weighted_sums
from judgeprobe.tables import PairBlocks, PairTable, Regrades

__all__ = ["BlockSums", "sum_blocks"]

_SUM_CELLS = 1 << 25
_WEIGHT_CELLS = 1 << 24


@dataclass
class BlockSums:
    """Everything that is added up over the blocks.

    Attributes:
        groups: What the rates are over.
        options: Settings.
        n_pairs: Pairs of each group.
        n_construct: Base items with a construct pair.
        agreed_pairs: Pairs of either axis that were set unanimously.
        agreed_base: Base items with such a pair.
        graded: For each judge the graded pairs of the construct and of the invariance arm.
        judges: The judges with an operating point, by row.
        contrasted: Those with a gap, by row.
        left: The contrast with each base item left out.
        new_left: The same with the cut chosen anew.
        regrades: For each judge the texts graded twice.
        ungraded: Pairs put to each judge with a member ungraded.
    """

    groups: Groups
    options: ProfileOptions
    n_pairs: Ints
    graded: Ints
    judges: dict[int, JudgeSums]
    contrasted: dict[int, AnewSums]
    left: Floats
    new_left: Floats
    n_construct: int = 0
    agreed_pairs: int = 0
    agreed_base: int = 0
    regrades: Sequence[Regrades] = ()
    ungraded: Sequence[int] = ()

    def fixed(self) -> dict[str, Fixed]:
        """Rates and draws of the judges with an operating point, by name."""
        return {
            judge.reading.name: Fixed(
                reading=judge.reading,
                rates=judge.rates.values,
                n_pairs=judge.pairs,
                n_base=judge.rates.below.astype(np.int64),
                draws=judge.rates.draws,
                groups=self.groups,
            )
            for judge in self.judges.values()
        }

    def figures(self, row: int, axes: Sequence[str]) -> Figures:
        """The counts of one judge."""
        construct, invariance = self.graded[row].tolist()
        twice = self.regrades[row] if row < len(self.regrades) else Regrades(0, 0)
        judge = self.judges.get(row)
        return Figures(
            graded=(construct, invariance),
            ungraded=self.ungraded[row],
            regrade=twice.equal / twice.n if twice.n else None,
            regrade_n=twice.n,
            at_cut=None if judge is None else self._at_cut(judge, axes),
        )

    def _at_cut(self, judge: JudgeSums, axes: Sequence[str]) -> AtCut:
        names = ("S", "R", *(f"R_{axis}" for axis in axes))
        pooled: dict[str, float | None] = {}
        bounds: dict[str, Bounds | None] = {}
        for g, name in enumerate(names):
            n, asked = int(judge.pairs[g]), int(judge.asked[g])
            pooled[name] = float(judge.hits[g] / n) if n else None
            bounds[name] = None
            if asked:
                low, high = float(judge.low[g] / asked), float(judge.high[g] / asked)
                bounds[name] = Bounds(low, high, int(judge.lacking[g]))
        level = self.options.level
        direction: Interval | str = UNMOVED
        flips = int(judge.way.below[0])
        if flips:
            share = float(judge.way.values[0])
            direction = percentile(share, judge.way.draws[:, 0], level, n=flips)
        agreement = agreement_of(judge.members[0], judge.members[1:], level)
        return AtCut(pooled, bounds, direction, agreement, (0, None))

    def spread(self) -> Spread | None:
        """What the contrast needs beside; no permutation, which needs the rows."""
        if not self.contrasted:
            return None
        a, b = self.groups.axes[:2]
        again = [judge.draws for judge in self.contrasted.values()]
        return Spread(
            n_base=self.n_construct,
            left=self.left,
            new_draws=mean_draws([draws[:, a] - draws[:, b] for draws in again]),
            new_left=self.new_left,
            test=None,
            tests=[None] * len(again),
        )

    def unanimous(self, compared: Sequence[Fixed]) -> dict[str, Any]:
        """The contrast on the pairs that all annotators set alike."""
        judges = [self.judges[fixed.reading.row].agreed for fixed in compared]
        return subset_entry(
            [ratio.values for ratio in judges],
            [ratio.draws for ratio in judges],
            n_pairs=self.agreed_pairs,
            n_base=self.agreed_base,
            level=self.options.level,
        )


def sum_blocks(
    tables: Tables,
    blocks: PairBlocks,
    read: BlockReadings,
    groups: Groups,
    remedies: Mapping[str, Any],
    resamples: Resamples,
    options: ProfileOptions,
) -> BlockSums:
    """Add up every figure at the operating cuts.

    Args:
        tables: A pass over the blocks, computed judges included.
        blocks: The table.
        read: The judges as read.
        groups: What the rates are over.
        remedies: Judges that were computed from others, by name.
        resamples: Of the base items.
        options: Settings.
    """
    pointed = [reading for reading in read.readings if reading.cut is not None]
    contrasted = [
        reading
        for reading in pointed
        if reading.control is None
        and reading.status == "frontier"
        and reading.name not in remedies
        and len(groups.axes) >= 2
        and (read.steps[reading.row].n[list(groups.axes[:2])] > 0).all()
    ]
    sums = BlockSums(
        groups=groups,
        options=options,
        n_pairs=np.zeros(groups.size, dtype=np.int64),
        graded=np.zeros((len(read.readings), 2), dtype=np.int64),
        judges={r.row: JudgeSums.of(r, groups, resamples.count) for r in pointed},
        contrasted={r.row: AnewSums.of(r, read.steps[r.row], resamples.count) for r in contrasted},
        left=np.full(blocks.n_base, np.nan),
        new_left=np.full(blocks.n_base, np.nan),
        regrades=blocks.regrades,
        ungraded=read.ungraded,
    )
    start = 0
    width = sum(anew.totals.size for anew in sums.contrasted.values())
    width += sum(2 * len(ratio.above) for j in sums.judges.values() for ratio in j.ratios)
    for counts in resamples.tall_blocks(most=max(1, _SUM_CELLS // max(1, width))):
        for judge in sums.judges.values():
            for ratio in judge.ratios:
                ratio.begin(len(counts))
        for anew in sums.contrasted.values():
            anew.sums = (0.0, 0.0)
        for table, places in tables(most=max(1, _WEIGHT_CELLS // len(counts))):
            weights = counts[:, places].astype(np.float64)
            _Block(sums, table, places, weights, start).add()
        for judge in sums.judges.values():
            for ratio in judge.ratios:
                ratio.end(start)
        for anew in sums.contrasted.values():
            anew.draws[start : start + len(counts)] = rates_at_chosen(*anew.sums, options.floor)
        start += len(counts)
    return sums


class _Block:
    """Adds one block to the sums, under one block of resamples."""

    def __init__(
        self, sums: BlockSums, table: PairTable, places: Ints, weights: Floats, start: int
    ) -> None:
        self.sums, self.table, self.places = sums, table, places
        self.weights, self.start = weights, start
        self.first = int(start == 0)
        self.design, _ = table.design()
        self.members = sums.groups.members(self.design, table.slot, table.domain)
        self.agreed = self.design.axes[:2] & (table.unanimous == 1)

    def add(self) -> None:
        sums, design = self.sums, self.design
        graded = self.table.graded()
        if self.first:
            sums.n_pairs += self.members.sum(axis=1)
            sums.n_construct += len(np.unique(design.base[design.construct]))
            some = self.agreed.any(axis=0)
            sums.agreed_pairs += int(some.sum())
            sums.agreed_base += len(np.unique(design.base[some]))
            sums.graded[:, 0] += (graded & design.construct).sum(axis=1)
            sums.graded[:, 1] += (graded & design.invariance).sum(axis=1)
        left, new_left = [], []
        for row, judge in sums.judges.items():
            crossed = crossed_at(self.table, row, judge.reading.crossed, sums.options)
            shares = self._judge(row, judge, crossed)
            anew = sums.contrasted.get(row)
            if anew is not None:
                lone, new_lone = self._contrasted(anew, crossed, shares)
                left.append(lone)
                new_left.append(new_lone)
        if self.first and left:
            sums.left[self.places] = mean_draws(left)
            sums.new_left[self.places] = mean_draws(new_left)

    def _judge(self, row: int, judge: JudgeSums, crossed: Crossings) -> Shares:
        design, count = self.design, self.first
        cut = judge.reading.cut
        assert cut is not None
        changed, graded = crossed.changed(cut), crossed.graded
        fell = self.table.edited[row] < self.table.original[row]
        shares = edit_shares(design, self.members, changed, graded)
        judge.rates.add(self.weights, shares.share, shares.has.astype(np.float64), count=count)
        hits, flips = way_counts(design, changed, fell)
        judge.way.add(self.weights, hits[:, None], flips[:, None], count=count)
        tables = member_counts(design, changed, fell, graded)
        rows = slice(1 + self.start, 1 + self.start + len(self.weights))
        judge.members[rows] += self.weights @ tables
        agreed = edit_shares(design, self.agreed, changed, graded)
        if len(self.agreed) == 2 and agreed.has.any():
            judge.agreed.add(self.weights, agreed.share, agreed.has.astype(float), count=count)
        if self.first:
            judge.pairs += (self.members & graded).sum(axis=1)
            judge.members[0] += tables.sum(axis=0)
            self._bounds(judge, self.table.asked[row], changed, graded)
        return shares

    def _bounds(self, judge: JudgeSums, asked: Bools, changed: Bools, graded: Bools) -> None:
        design: Design = self.design
        groups = np.array(list(named_groups(self.table, design).values()))
        lacking = asked & ~graded
        low = edit_shares(design, groups, changed & graded, asked)
        high = edit_shares(design, groups, (changed & graded) | lacking, asked)
        judge.hits += (groups & changed & graded).sum(axis=1)
        judge.lacking += (groups & lacking).sum(axis=1)
        judge.asked += low.has.sum(axis=0)
        judge.low += low.share.sum(axis=0)
        judge.high += high.share.sum(axis=0)

    def _contrasted(
        self, anew: AnewSums, crossed: Crossings, shares: Shares
    ) -> tuple[Floats, Floats]:
        """Adds a judge's sums at every cut; its contrast with each base item left out."""
        floor = self.sums.options.floor
        chosen = []
        for chunk in share_chunks(self.design, crossed):
            more = weighted_sums(self.weights, [chunk])
            anew.sums = (anew.sums[0] + more[0], anew.sums[1] + more[1])
            if self.first:
                left = anew.totals - chunk.shares, anew.n - chunk.has
                chosen.append(rates_at_chosen(*left, floor))
        if not self.first:
            return np.zeros(0), np.zeros(0)
        a, b = self.sums.groups.axes[:2]
        width = len(anew.at_cut)
        kept = Shares(shares.share[:, :width], shares.has[:, :width])
        lone = left_out_rates(kept, anew.at_cut, anew.n[0].astype(np.int64))
        again = np.concatenate(chosen)
        return lone[:, a] - lone[:, b], again[:, a] - again[:, b]
