"""What does every judge measure at its own operating cut, in the data and in each resample?

All rates of a study (arms, axes, slots, domains) are columns over one set of groups and one set of
resamples, so that every difference between them is paired.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from judgeprobe.profile.reading import Reading
from judgeprobe.stats.arrays import Bools, Design, Floats, Ints
from judgeprobe.stats.bootstrap import Resamples, jackknife_rates, rate_draws
from judgeprobe.stats.profile import Shares, edit_shares
from judgeprobe.tables import PairTable

__all__ = ["Fixed", "Groups", "make_fixed", "make_groups"]

_BATCH_CELLS = 1 << 25
INVARIANCE, CONSTRUCT, FIRST_AXIS = 0, 1, 2


@dataclass(frozen=True)
class Groups:
    """Which pairs each rate is over.

    Attributes:
        members: Shape (groups, pairs of the two arms).
        axes: Group of each construct axis.
        slots: Group of each slot that occurs, by its number in the table.
        slot_axis: Axis of each such slot.
        domains: For each domain the groups of its invariance and construct pairs, by its number.
    """

    members: Bools
    axes: tuple[int, ...]
    slots: dict[int, int]
    slot_axis: dict[int, str]
    domains: dict[int, tuple[int, int]]


def make_groups(table: PairTable, design: Design, kept: Ints) -> Groups:
    """The groups of a study: invariance, construct, axes, then slots, then domains."""
    rows = [*design.groups]
    slots: dict[int, int] = {}
    slot = table.slot[kept]
    slot_axis: dict[int, str] = {}
    for s, first in zip(*np.unique(slot, return_index=True), strict=True):
        slots[int(s)] = len(rows)
        slot_axis[int(s)] = str(table.axis[kept[first]])
        rows.append(slot == s)
    domains: dict[int, tuple[int, int]] = {}
    domain = table.domain[kept]
    for d in np.unique(domain[domain >= 0]).tolist():
        domains[d] = (len(rows), len(rows) + 1)
        rows += [design.invariance & (domain == d), design.construct & (domain == d)]
    axes = tuple(range(FIRST_AXIS, FIRST_AXIS + len(design.axes)))
    return Groups(np.array(rows), axes, slots, slot_axis, domains)


@dataclass(frozen=True)
class Fixed:
    """One judge's change rates at its operating cut.

    Attributes:
        reading: The judge.
        rates: Change rate of each group, NaN where it has no graded pair; shape (groups,).
        n_pairs: Graded pairs of each group.
        n_base: Base items with a graded pair of each group.
        draws: The rates in each resample; shape (resamples, groups).
        design: The pairs, for what is computed on demand.
        groups: The groups.
    """

    reading: Reading
    rates: Floats
    n_pairs: Ints
    n_base: Ints
    draws: Floats
    design: Design
    groups: Groups

    @cached_property
    def jackknife(self) -> Floats:
        """Rates of the arms and axes with one base item left out; (base items, 2 + axes)."""
        return jackknife_rates(_shares(self.design, self.reading, self.design.groups))

    def gap(self) -> tuple[float, Floats, Floats] | None:
        """R(first axis) - R(second axis): estimate, draws, jackknife; None without both axes."""
        if len(self.groups.axes) < 2:
            return None
        a, b = self.groups.axes[:2]
        estimate = float(self.rates[a] - self.rates[b])
        if np.isnan(estimate):
            return None
        left = self.jackknife[:, a] - self.jackknife[:, b]
        return estimate, self.draws[:, a] - self.draws[:, b], left


def make_fixed(
    design: Design, groups: Groups, readings: Sequence[Reading], resamples: Resamples
) -> list[Fixed]:
    """Rates and draws of judges that have an operating point.

    Several judges share one pass over the resamples, as many as fit into `_BATCH_CELLS`.
    """
    width = len(groups.members)
    batch = max(1, _BATCH_CELLS // (design.n_base * width))
    found = []
    for start in range(0, len(readings), batch):
        some = readings[start : start + batch]
        parts = [_shares(design, reading, groups.members) for reading in some]
        joined = Shares(np.hstack([p.share for p in parts]), np.hstack([p.has for p in parts]))
        draws = rate_draws(resamples, joined)
        for i, (reading, shares) in enumerate(zip(some, parts, strict=True)):
            found.append(
                Fixed(
                    reading=reading,
                    rates=shares.rates(),
                    n_pairs=(groups.members & reading.graded).sum(axis=1),
                    n_base=shares.has.sum(axis=0),
                    draws=draws[:, i * width : (i + 1) * width],
                    design=design,
                    groups=groups,
                )
            )
    return found


def _shares(design: Design, reading: Reading, members: Bools) -> Shares:
    return edit_shares(design, members, reading.changed, reading.graded)
