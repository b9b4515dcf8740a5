"""What is a judge's error associated with, when the rows come chunk by chunk?

The same regression as `judge_error.error_regression`, in three passes over the rows: means and
spreads; a QR decomposition of the standardised covariates, one chunk stacked under the triangle of
those before; residuals, leverages and scores, which HC3 and cluster-robust errors are made of. In
memory are one chunk, and with clusters one score a cluster.

Source: as there; Golub and Van Loan 2013, section 5.3 (least squares by QR); the stacked QR is
Demmel, Grigori, Hoemmen and Langou 2012.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.stats import t as student

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import Floats, Ints
from judgeprobe.stats.checks import probability
from judgeprobe.stats.judge_error import (
    ErrorRegression,
    freedom,
    from_standard,
    refuse_collinear,
    refuse_constant,
    refuse_lone_row,
    refuse_too_few,
    regression_of,
)

__all__ = ["Chunk", "Chunks", "error_regression_of_chunks"]


@dataclass(frozen=True)
class Chunk:
    """Some rows.

    Attributes:
        error: f - Y of each row, in units of the grade; shape (n,).
        covariates: Shape (n, k).
        cluster: Group code of each row, 0 and up; None where rows are independent.
    """

    error: Floats
    covariates: Floats
    cluster: Ints | None = None


Chunks = Callable[[], Iterator[Chunk]]
"""Makes one pass over the rows, the same ones each time."""


def error_regression_of_chunks(
    chunks: Chunks,
    names: Sequence[str],
    *,
    level: float = 0.95,
    correction: str = "holm",
) -> ErrorRegression:
    """Least squares of the judge's error on covariates, with robust standard errors.

    Args:
        chunks: A pass over the rows; every value finite.
        names: k names of the covariates.
        level: Nominal coverage, 0 to 1.
        correction: Over the covariates: "holm", "bh" or "none".

    Raises:
        StatisticsError: As `judge_error.error_regression`. Where one row decides a covariate, the
            one named lies furthest from its mean, not from its median.
    """
    probability("level", level)
    moments = _moments(chunks, len(names))
    n, k = moments.n, 1 + len(names)
    if n == 0:
        raise StatisticsError("a regression needs rows; got none")
    centre, spread = moments.centre, moments.spread
    refuse_constant(names, centre[1:], spread[1:], moments.first)
    if n < k:
        raise StatisticsError(f"{len(names)} covariates need more rows; got {n}")
    n_clusters = moments.n_clusters
    triangle = _triangle(chunks, centre[1:], spread[1:])
    root = triangle[:k, :k]
    refuse_collinear(names, root / np.sqrt(n))
    refuse_too_few(n, k, n_clusters)
    slopes = solve_triangular(root, triangle[:k, k])
    fits = _Fits(names, root, slopes, centre, spread, n_clusters)
    for chunk in chunks():
        fits.add(chunk)
    if n_clusters is None:
        refuse_lone_row(names, fits.leverage, fits.away)
    covariance, of_mean = fits.covariances(n)
    back = from_standard(centre[1:], spread[1:])
    effects = back @ slopes
    errors = np.sqrt(np.diagonal(back @ covariance @ back.T))
    return regression_of(
        _ends(effects, errors, level, freedom(n, k, n_clusters)),
        _ends(centre[:1], np.sqrt([of_mean]), level, freedom(n, 1, n_clusters))[:, 0],
        names,
        n=n,
        n_clusters=n_clusters,
        level=level,
        correction=correction,
    )


@dataclass(frozen=True)
class _Moments:
    """Means and standard deviations of the error and the covariates, error first."""

    n: int
    centre: Floats
    spread: Floats
    first: Floats
    n_clusters: int | None


def _moments(chunks: Chunks, k: int) -> _Moments:
    n, centre, squares = 0, np.zeros(1 + k), np.zeros(1 + k)
    first = np.zeros(k)
    clusters: Ints | None = None
    for chunk in chunks():
        values = np.column_stack([chunk.error, chunk.covariates])
        some = len(values)
        if some == 0:
            continue
        if n == 0:
            first = chunk.covariates[0]
        # Chan, Golub and LeVeque 1983: no difference of large sums.
        here = values.mean(axis=0)
        moved = here - centre
        squares += ((values - here) ** 2).sum(axis=0) + moved**2 * (n * some / (n + some))
        centre = centre + moved * (some / (n + some))
        n += some
        if chunk.cluster is not None:
            seen = np.zeros(0, dtype=np.int64) if clusters is None else clusters
            clusters = np.union1d(seen, chunk.cluster)
    spread = np.sqrt(squares / max(n, 1))
    return _Moments(n, centre, spread, first, None if clusters is None else len(clusters))


def _standard(chunk: Chunk, centre: Floats, spread: Floats) -> Floats:
    return np.column_stack([np.ones(len(chunk.error)), (chunk.covariates - centre) / spread])


def _triangle(chunks: Chunks, centre: Floats, spread: Floats) -> Floats:
    """R of a leading one, the standardised covariates and the error, side by side."""
    width = len(centre) + 2
    triangle = np.zeros((0, width))
    for chunk in chunks():
        rows = np.column_stack([_standard(chunk, centre, spread), chunk.error])
        stacked: Floats = np.vstack([triangle, rows])
        triangle = np.asarray(np.linalg.qr(stacked, mode="r"), dtype=np.float64)
    return np.vstack([triangle, np.zeros((max(0, width - len(triangle)), width))])


class _Fits:
    """Adds up what the robust covariances of both fits are made of: all covariates, and none."""

    def __init__(
        self,
        names: Sequence[str],
        root: Floats,
        slopes: Floats,
        centre: Floats,
        spread: Floats,
        n_clusters: int | None,
    ) -> None:
        self.root, self.slopes, self.n_clusters = root, slopes, n_clusters
        self.mean, self.centre, self.spread = centre[0], centre[1:], spread[1:]
        self.meat = np.zeros((len(slopes), len(slopes)))
        self.squares = 0.0
        self.scores = np.zeros((0, len(slopes) + 1))
        self.leverage = 0.0
        self.away = np.zeros(len(names))

    def add(self, chunk: Chunk) -> None:
        x = _standard(chunk, self.centre, self.spread)
        residual = chunk.error - x @ self.slopes
        alone = chunk.error - self.mean
        if chunk.cluster is not None:
            scores = np.column_stack([x * residual[:, None], alone])
            self._by_cluster(scores, chunk.cluster)
            return
        leverage = (solve_triangular(self.root, x.T, trans="T") ** 2).sum(axis=0)
        top = int(np.argmax(leverage)) if len(leverage) else -1
        if top >= 0 and leverage[top] > self.leverage:
            self.leverage, self.away = float(leverage[top]), np.abs(x[top, 1:])
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = x * (residual / (1 - leverage))[:, None]
        self.meat += scaled.T @ scaled
        self.squares += float((alone**2).sum())

    def _by_cluster(self, scores: Floats, cluster: Ints) -> None:
        size = max(len(self.scores), int(cluster.max(initial=-1)) + 1)
        total = np.zeros((size, scores.shape[1]))
        total[: len(self.scores)] = self.scores
        for j in range(scores.shape[1]):
            total[:, j] += np.bincount(cluster, scores[:, j], size)
        self.scores = total

    def covariances(self, n: int) -> tuple[Floats, float]:
        """Of the standardised coefficients, and of the mean error."""
        inverse = solve_triangular(self.root, np.eye(len(self.root)))
        bread = inverse @ inverse.T
        if self.n_clusters is None:
            # Each row of a mean has leverage 1 / n.
            return bread @ self.meat @ bread, self.squares / (1 - 1 / n) ** 2 / n**2
        groups, k = self.n_clusters, len(self.slopes)
        factor = groups / (groups - 1) * (n - 1)
        scores, alone = self.scores[:, :k], self.scores[:, k]
        meat = scores.T @ scores * (factor / (n - k))
        return bread @ meat @ bread, float((alone**2).sum()) * factor / (n - 1) / n**2


def _ends(effects: Floats, errors: Floats, level: float, degrees: int) -> Floats:
    reach = student.ppf((1 + level) / 2, degrees) * errors
    return np.vstack([effects, errors, effects - reach, effects + reach])
