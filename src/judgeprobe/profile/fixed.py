"""What does every judge measure at its own operating cut, in the data and in each resample?

All rates of a study (arms, axes, slots, domains) are columns over one set of groups and one set of
resamples, so that every difference between them is paired.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from judgeprobe.profile.reading import Reading
from judgeprobe.stats.arrays import Bools, Design, Floats, Ints
from judgeprobe.stats.bootstrap import Resamples, rate_draws
from judgeprobe.stats.profile import Shares, edit_shares
from judgeprobe.tables import PairTable

__all__ = ["Fixed", "Groups", "groups_of", "make_fixed", "make_groups"]

_BATCH_CELLS = 1 << 25
INVARIANCE, CONSTRUCT, FIRST_AXIS = 0, 1, 2


@dataclass(frozen=True)
class Groups:
    """What each rate is over.

    Attributes:
        size: Number of groups.
        axes: Group of each construct axis.
        slots: Group of each slot that occurs, by its number in the table.
        slot_axis: Axis of each such slot.
        domains: For each domain the groups of its invariance and construct pairs, by its number.
    """

    size: int
    axes: tuple[int, ...]
    slots: dict[int, int]
    slot_axis: dict[int, str]
    domains: dict[int, tuple[int, int]]

    def members(self, design: Design, slot: Ints, domain: Ints) -> Bools:
        """Membership of some pairs of the two arms; shape (groups, pairs)."""
        rows = [*design.groups, *(slot == s for s in self.slots)]
        for d in self.domains:
            rows += [design.invariance & (domain == d), design.construct & (domain == d)]
        return np.array(rows)


def make_groups(slot_axis: Mapping[int, str], domains: Iterable[int], axes: int) -> Groups:
    """The groups of a study: invariance, construct, axes, then slots, then domains.

    Args:
        slot_axis: The slots that occur in an arm, ascending by number, and the axis of each.
        domains: The domains that occur there, ascending.
        axes: Number of construct axes.
    """
    first = FIRST_AXIS + axes
    slots = {s: first + i for i, s in enumerate(slot_axis)}
    first += len(slots)
    paired = {d: (first + 2 * i, first + 2 * i + 1) for i, d in enumerate(domains)}
    size = first + 2 * len(paired)
    return Groups(size, tuple(range(FIRST_AXIS, FIRST_AXIS + axes)), slots, dict(slot_axis), paired)


def groups_of(table: PairTable, design: Design, kept: Ints) -> tuple[Groups, Bools]:
    """The groups of a table, and which of the pairs of the two arms are in them."""
    slot, domain = table.slot[kept], table.domain[kept]
    numbers, first = np.unique(slot, return_index=True)
    slot_axis = {int(s): str(table.axis[kept[i]]) for s, i in zip(numbers, first, strict=True)}
    domains = np.unique(domain[domain >= 0]).tolist()
    groups = make_groups(slot_axis, domains, len(design.axes))
    return groups, groups.members(design, slot, domain)


@dataclass(frozen=True)
class Fixed:
    """One judge's change rates at its operating cut.

    Attributes:
        reading: The judge.
        rates: Change rate of each group, NaN where it has no graded pair; shape (groups,).
        n_pairs: Graded pairs of each group.
        n_base: Base items with a graded pair of each group.
        draws: The rates in each resample; shape (resamples, groups).
        groups: The groups.
    """

    reading: Reading
    rates: Floats
    n_pairs: Ints
    n_base: Ints
    draws: Floats
    groups: Groups

    def gap(self) -> tuple[float, Floats] | None:
        """R(first axis) - R(second axis): estimate and draws; None without both axes."""
        if len(self.groups.axes) < 2:
            return None
        a, b = self.groups.axes[:2]
        estimate = float(self.rates[a] - self.rates[b])
        if np.isnan(estimate):
            return None
        return estimate, self.draws[:, a] - self.draws[:, b]


def make_fixed(
    design: Design,
    groups: Groups,
    members: Bools,
    readings: Sequence[Reading],
    resamples: Resamples,
) -> list[Fixed]:
    """Rates and draws of judges that have an operating point.

    Several judges share one pass over the resamples, as many as fit into `_BATCH_CELLS`.
    """
    width = groups.size
    batch = max(1, _BATCH_CELLS // (design.n_base * width))
    found = []
    for start in range(0, len(readings), batch):
        some = readings[start : start + batch]
        parts = [edit_shares(design, members, reading.changed, reading.graded) for reading in some]
        joined = Shares(np.hstack([p.share for p in parts]), np.hstack([p.has for p in parts]))
        draws = rate_draws(resamples, joined)
        for i, (reading, shares) in enumerate(zip(some, parts, strict=True)):
            found.append(
                Fixed(
                    reading=reading,
                    rates=shares.rates(),
                    n_pairs=(members & reading.graded).sum(axis=1),
                    n_base=shares.has.sum(axis=0),
                    draws=draws[:, i * width : (i + 1) * width],
                    groups=groups,
                )
            )
    return found
