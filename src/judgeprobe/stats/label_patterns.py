"""What do exchanged labels give, without touching every edit of every judge?

Base items are gathered into families by their number of edits m. In a family the labels of a base
item are a code of m bits, and what the base item adds to each judge's sums is a table of 2 ** m
rows, looked up by multiplying "which base items have this code" with the table. Families with more
than `_TABLE_EDITS` edits a base item, or too large for a table, are summed directly.

Permuting is sorting: random 64-bit keys that carry the code in their lowest bits, sorted, leave the
codes in random order.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from judgeprobe.stats.arrays import Bools, Floats, Ints

__all__ = ["Family", "exchanged_freely", "families"]

_TABLE_EDITS = 7
_CODE_BITS = 7
_TABLE_CELLS = 1 << 23


@dataclass(frozen=True)
class Family:
    """Base items with the same number of edits.

    Attributes:
        cells: Position of each edit; shape (base items, edits).
        labels: The labels as they are: 1.0 for the first axis; (base items, edits).
        changed: Changes by judge; (judges, base items, edits).
        counted: Graded edits by judge; (judges, base items, edits).
        table: Additions to (share 1, n 1, share 0, n 0) of every judge, by base item and code;
            (base items, 2 ** edits, 4 * judges). None where a code would be too long.
    """

    cells: Ints
    labels: Floats
    changed: Floats
    counted: Floats
    table: Floats | None

    @property
    def edits(self) -> int:
        """Edits of each base item."""
        return int(self.cells.shape[1])

    def observed(self) -> Floats:
        """The sums under the labels as they are: (1, 4, judges)."""
        return self._of(self.labels[None])

    def of_labels(self, labels: Floats) -> Floats:
        """The sums under rows of labels for all edits, (rows, edits): (rows, 4, judges)."""
        return self._of(labels[:, self.cells])

    def exchanged(self, rows: int, rng: np.random.Generator) -> Floats:
        """The sums under labels exchanged between and within base items: (rows, 4, judges)."""
        if self.table is None:
            order = rng.permuted(np.tile(np.arange(len(self.cells)), (rows, 1)), axis=1)
            return self._of(rng.permuted(self.labels[order], axis=2))
        codes = (self.labels @ 2.0 ** np.arange(self.edits)).astype(np.int64)
        drawn = _shuffled(codes, rows, rng)
        if self.edits > 1:
            drawn = _same_count(drawn, self.edits, rng)
        return self._of_codes(drawn)

    def _of(self, labels: Floats) -> Floats:
        """The sums under labels (rows, base items, edits)."""
        if self.table is not None:
            codes = (labels @ 2.0 ** np.arange(self.edits)).astype(np.int64)
            return self._of_codes(codes)
        rows, judges = len(labels), len(self.changed)
        found = np.zeros((rows, 4, judges))
        for j in range(judges):
            for place, ones in ((0, labels), (2, 1.0 - labels)):
                edits = np.einsum("bnm,nm->bn", ones, self.counted[j])
                hits = np.einsum("bnm,nm->bn", ones, self.changed[j])
                found[:, place, j] = (hits / np.maximum(edits, 1)).sum(axis=1)
                found[:, place + 1, j] = (edits > 0).sum(axis=1)
        return found

    def _of_codes(self, codes: Ints) -> Floats:
        table = self.table
        assert table is not None
        base = table[:, 0].sum(axis=0)
        found = np.tile(base, (len(codes), 1))
        for code in range(1, table.shape[1]):
            found += (codes == code).astype(np.float64) @ (table[:, code] - table[:, 0])
        return found.reshape(len(codes), 4, -1)


def families(base: Ints, first: Bools, changed: Bools, counted: Bools) -> list[Family]:
    """The families of some edits.

    Args:
        base: Base item of each edit, ascending; shape (edits,).
        first: Edits with label 1; shape (edits,).
        changed: Changes, False where not graded; (judges, edits).
        counted: Graded edits; (judges, edits).
    """
    starts = np.flatnonzero(np.r_[True, np.diff(base) > 0])
    sizes = np.diff(np.r_[starts, len(base)])
    found = []
    for size in np.unique(sizes):
        cells = starts[sizes == size][:, None] + np.arange(size)[None, :]
        moved = changed[:, cells].astype(np.float64)
        graded = counted[:, cells].astype(np.float64)
        small = size <= _TABLE_EDITS and len(cells) * 2**size * len(changed) <= _TABLE_CELLS
        table = _table(moved, graded) if small else None
        found.append(Family(cells, first[cells].astype(np.float64), moved, graded, table))
    return found


def _table(changed: Floats, counted: Floats) -> Floats:
    judges, items, edits = changed.shape
    bits = (np.arange(2**edits)[:, None] >> np.arange(edits)[None, :] & 1).astype(np.float64)
    parts = []
    for ones in (bits, 1.0 - bits):
        n = np.einsum("cm,jnm->ncj", ones, counted)
        hits = np.einsum("cm,jnm->ncj", ones, changed)
        parts += [hits / np.maximum(n, 1.0), (n > 0).astype(np.float64)]
    return np.stack(parts, axis=2).reshape(items, 2**edits, 4 * judges)


def _shuffled(codes: Ints, rows: int, rng: np.random.Generator) -> Ints:
    """Each row the codes in random order; shape (rows, codes)."""
    keys = rng.integers(0, 2**64, size=(rows, len(codes)), dtype=np.uint64)
    mask = np.uint64(2**_CODE_BITS - 1)
    keys &= ~mask
    keys |= codes.astype(np.uint64)
    keys.sort(axis=1)
    keys &= mask
    return keys.astype(np.int64)


def exchanged_freely(first: Bools, rows: int, rng: np.random.Generator) -> Floats:
    """Rows of the labels in random order over all edits; shape (rows, edits)."""
    return _shuffled(first.astype(np.int64), rows, rng).astype(np.float64)


def _same_count(codes: Ints, edits: int, rng: np.random.Generator) -> Ints:
    """Each code replaced by a random one with as many bits set."""
    by_count = [
        [sum(1 << bit for bit in chosen) for chosen in combinations(range(edits), count)]
        for count in range(edits + 1)
    ]
    listed = np.array([code for group in by_count for code in group], dtype=np.int64)
    sizes = np.array([len(group) for group in by_count], dtype=np.int64)
    offsets = np.r_[0, np.cumsum(sizes)[:-1]]
    bits = np.array([code.bit_count() for code in range(2**edits)], dtype=np.int64)
    count = bits[codes]
    place = (rng.random(codes.shape) * sizes[count]).astype(np.int64)
    found: Ints = listed[offsets[count] + place]
    return found
