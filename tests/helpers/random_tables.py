"""Random small studies with everything that goes wrong in real ones."""

import numpy as np
from tests.helpers.explicit import Pair

from judgeprobe.stats.arrays import Ints
from judgeprobe.tables import PairTable
from judgeprobe.taxonomy import load_taxonomy

AXES = ("scope", "strength")
TAXONOMY = load_taxonomy("claim-calibration")
SLOTS = tuple(slot.name for slot in TAXONOMY.slots)
AXIS_OF = np.array(
    ["control" if slot.arm == "invariance" else slot.axis for slot in TAXONOMY.slots], dtype=object
)


def random_table(rng: np.random.Generator, judges: int = 2) -> PairTable:
    """Ties, unequal edits per base item, missing grades, off-lattice grades, constant judges."""
    n_base = int(rng.integers(2, 9))
    edits = rng.integers(1, 6, n_base)
    base = np.repeat(np.arange(n_base), edits)
    slot = np.sort(rng.integers(0, len(SLOTS), len(base)))
    rng.shuffle(slot)
    shape = (judges, len(base))
    levels = np.sort(rng.choice(np.arange(0, 5.25, 0.25), int(rng.integers(1, 6)), replace=False))
    original = rng.choice(levels, (judges, n_base))[:, base]
    drop = rng.choice(levels, shape)
    moved = np.where(AXIS_OF[slot] == "control", rng.random(shape) < 0.2, rng.random(shape) < 0.6)
    edited = np.where(moved, drop, original)
    if rng.random() < 0.3:
        edited = np.where(moved, edited + rng.normal(0, 0.01, shape), edited)
    missing = rng.choice([0.0, 0.2])
    original = np.where(rng.random(shape) < missing, np.nan, original)
    edited = np.where(rng.random(shape) < missing, np.nan, edited)
    nothing = np.zeros(0)
    return PairTable(
        judges=tuple(f"judge {j}" for j in range(judges)),
        elicitation=(None,) * judges,
        axes=AXES,
        base_ids=tuple(f"b{i}" for i in range(n_base)),
        base=base,
        slots=SLOTS,
        slot=slot,
        axis=AXIS_OF[slot],
        domains=(),
        domain=np.full(len(base), -1),
        original=original,
        edited=edited,
        asked=np.ones(shape, dtype=bool),
        original_text=base,
        edited_text=n_base + np.arange(len(base)),
        unanimous=np.full(len(base), -1, dtype=np.int8),
        length_original=np.full(len(base), np.nan),
        length_edited=np.full(len(base), np.nan),
        regrades=((nothing, nothing),) * judges,
    )


def pairs_of(table: PairTable, judge: int, kept: Ints, base: Ints) -> list[Pair]:
    """One judge's pairs of the two arms, for the explicit loops."""

    def grade(value: float) -> float | None:
        return None if np.isnan(value) else float(value)

    return [
        Pair(
            int(i),
            str(table.axis[p]),
            grade(table.original[judge, p]),
            grade(table.edited[judge, p]),
        )
        for i, p in zip(base, kept, strict=True)
    ]
