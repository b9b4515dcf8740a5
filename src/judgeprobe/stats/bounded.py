"""Does a condition move the judge's preference between two responses, read off a bounded scale?

The endpoint of an item is the treated-minus-control shift of the positive response less that of the
other: a difference in differences. Items of one cluster are not independent, so the test and the
interval run on means taken first within each cluster. On a bounded scale the endpoint is not the
preference: a common fall that two responses hide differently gives one too (see
`bounded_censoring`).

Source: bounded-scale-audit; the audit is Fan et al., arXiv:2608.27309.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.stats.bootstrap import Resamples, bca, ratio_draws
from judgeprobe.stats.bounded_cells import OTHER, POSITIVE, Cells, shifts
from judgeprobe.stats.checks import finite_vector, same_length
from judgeprobe.stats.signed_rank import signed_rank

__all__ = [
    "Endpoint",
    "Gradient",
    "cluster_means",
    "endpoint",
    "gradient",
    "item_endpoints",
    "part",
]


@dataclass(frozen=True)
class Endpoint:
    """A mean of cluster means with its exact test and its interval.

    Attributes:
        estimate: In rating points; None where there is no item.
        low: Lower end of the BCa interval; None where there is none.
        high: Upper end; None as above.
        p: Exact signed-rank p over the clusters; None where there is no item.
        smallest_p: The smallest p that the nonzero clusters can give; None as above.
        n_items: Items.
        n_clusters: Clusters.
        nonzero: Clusters whose mean is not zero.
        level: Nominal coverage of the interval, 0 to 1.
        reason: Why something is missing; "" where nothing is.
    """

    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    smallest_p: float | None
    n_items: int
    n_clusters: int
    nonzero: int
    level: float
    reason: str


@dataclass(frozen=True)
class Gradient:
    """Spearman's correlation over clusters.

    Attributes:
        rho: From -1 to 1; None where a side does not vary.
        p: Two-sided p-value by the t approximation; None as above.
        n: Clusters.
        reason: Why it is missing; "" where it is not.
    """

    rho: float | None
    p: float | None
    n: int
    reason: str


def item_endpoints(cells: Cells) -> Floats:
    """The difference in differences of every item; shape (items,)."""
    moved = shifts(cells)
    return np.asarray(moved[:, POSITIVE] - moved[:, OTHER])


def cluster_means(values: Floats, cluster: Ints) -> Floats:
    """Mean of each cluster, in the order of the cluster codes."""
    codes = np.unique(cluster, return_inverse=True)[1]
    return np.asarray(np.bincount(codes, values) / np.bincount(codes))


def endpoint(
    values: Floats,
    cluster: Ints,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
) -> Endpoint:
    """The mean of cluster means, its exact signed-rank p and its BCa interval over clusters.

    Args:
        values: One value an item.
        cluster: Cluster of each item.
        rng: Source of the resamples.
        level: Nominal coverage, 0 to 1.
        resamples: Bootstrap draws of clusters.

    Raises:
        StatisticsError: A value is not finite, or the vectors differ in length.
    """
    found = finite_vector("values", values)
    same_length(values=found, cluster=cluster)
    means = cluster_means(found, cluster)
    test = signed_rank(means)
    estimate = _mean(means)
    low, high, reason = _interval(estimate, means, rng, level, resamples)
    return Endpoint(
        estimate, low, high, test.p, test.smallest_p, len(found), len(means), test.nonzero, level,
        reason,
    )  # fmt: skip


def _mean(values: Floats) -> float:
    # Thirds leave 1e-17 behind; -0.0 is no number to print.
    return float(np.round(values.mean(), 12)) + 0.0


def _interval(
    estimate: float, means: Floats, rng: np.random.Generator, level: float, resamples: int
) -> tuple[float | None, float | None, str]:
    n = len(means)
    if n < 2:
        return None, None, "one cluster: no interval"
    if np.ptp(means) < 1e-9:
        return None, None, "every cluster has the same mean: no interval"
    drawn = Resamples.draw(n, resamples, rng)
    draws = ratio_draws(drawn, means[:, None], np.ones((n, 1)))[:, 0]
    left = (means.sum() - means) / (n - 1)
    try:
        made = bca(estimate, draws, left, level, n=n, unit="cluster")
    except StatisticsError as error:
        return None, None, str(error)
    return made.low, made.high, ""


def part(values: Floats, cluster: Ints, kept: Bools, level: float = 0.95) -> Endpoint:
    """The endpoint of some items: estimate and exact test, without an interval."""
    if not kept.any():
        return Endpoint(None, None, None, None, None, 0, 0, 0, level, "no item is of this kind")
    means = cluster_means(values[kept], cluster[kept])
    test = signed_rank(means)
    return Endpoint(
        _mean(means), None, None, test.p, test.smallest_p, int(kept.sum()), len(means),
        test.nonzero, level, "",
    )  # fmt: skip


def gradient(evidence: Floats, effect: Floats, cluster: Ints) -> Gradient:
    """Does the effect change with the evidence? Spearman's rho of the cluster means.

    Args:
        evidence: How clear each item's evidence is, in any unit.
        effect: The effect on each item.
        cluster: Cluster of each item.

    Raises:
        StatisticsError: A value is not finite, or the vectors differ in length.
    """
    same_length(evidence=evidence, effect=effect, cluster=cluster)
    one = cluster_means(finite_vector("evidence", evidence), cluster)
    two = np.round(cluster_means(finite_vector("effect", effect), cluster), 9)
    if len(one) < 3:
        return Gradient(None, None, len(one), "fewer than three clusters")
    if np.ptp(one) == 0 or np.ptp(two) == 0:
        return Gradient(None, None, len(one), "evidence or effect does not vary over clusters")
    found = spearmanr(one, two)
    return Gradient(float(found.statistic), float(found.pvalue), len(one), "")
