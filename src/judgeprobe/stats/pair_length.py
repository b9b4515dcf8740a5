"""Is the preferred side of a pair the longer one, and how well does a rule on length alone do?

Source: judge-construct-validity, section 5.4 ("the chosen response is the longer one in ... of
pairs, so the content-free rule prefer the shorter response is correct on ...").
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

from judgeprobe.stats.checks import same_length
from judgeprobe.stats.interval import Interval

__all__ = ["LengthFacts", "length_facts"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class LengthFacts:
    """How length and preference go together in pairs of unequal length.

    Attributes:
        n_pairs: All pairs.
        n_equal: Pairs whose sides have the same number of characters; they decide nothing.
        preferred_longer: Share of the other pairs whose preferred side is longer, which is the
            accuracy of "prefer the longer"; None where there are no other pairs.
        preferred_shorter: The accuracy of "prefer the shorter"; None as above.
    """

    n_pairs: int
    n_equal: int
    preferred_longer: Interval | None
    preferred_shorter: Interval | None


def length_facts(
    texts_a: Sequence[str],
    texts_b: Sequence[str],
    labels: IntArray,
    groups: IntArray | None,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = 2000,
) -> LengthFacts:
    """Accuracy of "prefer the longer" and of "prefer the shorter", in characters.

    Args:
        texts_a: First sides, length n.
        texts_b: Second sides.
        labels: 0 where the first side is preferred, 1 where the second is.
        groups: Group codes 0 to g - 1, or None where pairs are independent.
        rng: Source of the resamples of groups.
        level: Nominal coverage, 0 to 1.
        resamples: Bootstrap draws, where groups hold more than one pair.
    """
    same_length(texts_a=texts_a, texts_b=texts_b, labels=labels)
    longer = np.array([len(a) - len(b) for a, b in zip(texts_a, texts_b, strict=True)])
    unequal = longer != 0
    n_equal = int((~unequal).sum())
    if not unequal.any():
        return LengthFacts(len(labels), n_equal, None, None)
    hits = ((longer[unequal] > 0) == (labels[unequal] == 0)).astype(np.float64)
    kept = None if groups is None else np.unique(groups[unequal], return_inverse=True)[1]
    if kept is None or kept.max() + 1 == len(kept):
        found = _wilson(hits, level)
    else:
        found = _clustered(hits, kept, rng, level, resamples)
    return LengthFacts(len(labels), n_equal, found, _complement(found))


def _wilson(hits: NDArray[np.float64], level: float) -> Interval:
    low, high = proportion_confint(hits.sum(), len(hits), alpha=1 - level, method="wilson")
    return Interval(float(hits.mean()), float(low), float(high), "Wilson", level, len(hits), "pair")


def _clustered(
    hits: NDArray[np.float64],
    groups: IntArray,
    rng: np.random.Generator,
    level: float,
    resamples: int,
) -> Interval:
    n_groups = int(groups.max()) + 1
    draws = rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=resamples)
    share = (draws @ np.bincount(groups, hits)) / (draws @ np.bincount(groups))
    low, high = np.quantile(share, [(1 - level) / 2, (1 + level) / 2])
    method = f"percentile bootstrap over groups, {resamples} draws"
    return Interval(float(hits.mean()), float(low), float(high), method, level, len(hits), "pair")


def _complement(found: Interval) -> Interval:
    return Interval(
        1 - found.estimate,
        1 - found.high,
        1 - found.low,
        found.method,
        found.level,
        found.n,
        found.unit,
    )
