"""What could agreement with each label set show? Validation power on identical terms.

The same sentences, groups, folds and family for both sets, and the same two values (holds,
overreaches); beside them the blinded set with all its classes. The ceiling of the blinded set is
what two annotators agree on. The inherited set has no human ceiling: nobody read its single
sentences twice, so only what the construct-blind family reaches can be said of it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.validation_power import ValidationPower, validation_power

__all__ = ["NO_CEILING", "power_of_sets"]

IntArray = NDArray[np.int64]

NO_CEILING = "inherited labels were not read off single sentences by two people: no human ceiling"
RESAMPLES = 2000


def power_of_sets(
    texts: Sequence[str],
    *,
    inherited: IntArray,
    blinded: IntArray,
    blinded_classes: IntArray,
    rater_sides: IntArray,
    rater_classes: IntArray,
    groups: IntArray,
    permutations: int,
    level: float,
    seed: int,
) -> dict[str, Any]:
    """Validation power of the inherited and of the blinded set.

    Args:
        texts: The sentences, without their evidence.
        inherited: Side codes, shape (n,).
        blinded: Side codes of the majority, -1 where there is none.
        blinded_classes: Class codes of the majority, -1 where there is none.
        rater_sides: Side codes of the annotators, shape (n, annotators), -1 where missing.
        rater_classes: Class codes of the annotators, likewise.
        groups: Group codes, shape (n,).
        permutations: Label vectors in the null.
        level: Nominal coverage.
        seed: Of folds, permutations and draws; the same for every set.
    """
    kept = np.flatnonzero(blinded >= 0)
    shown = [texts[row] for row in kept.tolist()]
    group = np.unique(groups[kept], return_inverse=True)[1].astype(np.int64)

    def audit(labels: IntArray, raters: IntArray | None, no_ceiling: str | None) -> dict[str, Any]:
        try:
            found = validation_power(
                shown,
                _dense(labels[kept], raters, kept)[0],
                np.random.default_rng(seed),
                groups=group,
                raters=_dense(labels[kept], raters, kept)[1],
                permutations=permutations,
                resamples=RESAMPLES,
                level=level,
                fold_seed=seed,
            )
        except StatisticsError as error:
            return {"n": len(kept), "a_imp": None, "power": None, "reason": str(error)}
        return _facts(found, no_ceiling)

    return {
        "mode": "item",
        "inherited": audit(inherited, None, NO_CEILING),
        "blinded": audit(blinded, rater_sides, None),
        "blinded_classes": audit(blinded_classes, rater_classes, None),
        "permutations": permutations,
        "resamples": RESAMPLES,
    }


def _dense(
    labels: IntArray, raters: IntArray | None, kept: IntArray
) -> tuple[IntArray, IntArray | None]:
    """Codes without gaps: a class that nobody used is no class of the audit."""
    given = labels if raters is None else np.concatenate([labels, raters[kept].ravel()])
    present = np.unique(given[given >= 0])
    recode = np.full(int(present.max(initial=-1)) + 2, -1, dtype=np.int64)
    recode[present] = np.arange(len(present))
    # Code -1 reads the last place, which no class has.
    return recode[labels], None if raters is None else recode[raters[kept]]


def _facts(found: ValidationPower, no_ceiling: str | None) -> dict[str, Any]:
    power = found.power
    return {
        "n": found.n,
        "n_classes": found.n_classes,
        "folds": {"kind": found.folds.kind, "n": found.folds.n},
        "permutation": found.scheme.kind,
        "members": [
            {"name": m.name, "kappa": m.kappa, "accuracy": m.accuracy, "p": m.p}
            for m in found.members
        ],
        "a_imp": _ends(found.a_imp),
        "a_imp_member": found.best,
        "a_imp_p": found.a_imp_p,
        "a_hum": _ends(found.a_hum),
        "power": _ends(power.interval),
        "status": power.status,
        "reason": no_ceiling or (None if power.interval else "fewer than two sentences shared"),
    }


def _ends(interval: Interval | None) -> dict[str, float] | None:
    if interval is None:
        return None
    return {"estimate": interval.estimate, "low": interval.low, "high": interval.high}
