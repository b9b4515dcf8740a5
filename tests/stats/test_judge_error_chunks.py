"""The regression over chunks is the regression over all rows."""

from collections.abc import Iterator

import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.judge_error import Effect, ErrorRegression, error_regression
from judgeprobe.stats.judge_error_chunks import Chunk, Chunks, error_regression_of_chunks

RELATIVE = 1e-9


def chunked(y: np.ndarray, x: np.ndarray, cluster: np.ndarray | None, size: int) -> Chunks:
    def chunks() -> Iterator[Chunk]:
        for start in range(0, len(y), size):
            rows = slice(start, start + size)
            yield Chunk(y[rows], x[rows], None if cluster is None else cluster[rows])

    return chunks


def compare(one: ErrorRegression, two: ErrorRegression) -> None:
    for name in ("n", "covariance", "n_clusters", "level", "correction"):
        assert getattr(one, name) == getattr(two, name)
    for name in ("mean_error", "low", "high"):
        assert getattr(two, name) == pytest.approx(getattr(one, name), rel=RELATIVE)
    effects = zip((one.intercept, *one.effects), (two.intercept, *two.effects), strict=True)
    for a, b in effects:
        assert a.name == b.name
        for name in ("effect", "std_error", "low", "high", "p", "p_adjusted"):
            assert getattr(b, name) == pytest.approx(getattr(a, name), rel=1e-7, abs=1e-12)
        assert isinstance(b, Effect)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [3, 50, 10**6])
@pytest.mark.parametrize("clustered", [False, True])
def test_chunks_of_any_size_give_the_same(seed: int, size: int, clustered: bool) -> None:
    rng = np.random.default_rng([31, seed])
    n, k = int(rng.integers(30, 300)), int(rng.integers(0, 5))
    # Covariates on very different scales and away from zero, as lengths and dates are.
    scale = 10.0 ** rng.integers(-3, 4, k)
    x = scale * (rng.normal(size=(n, k)) + 10.0 ** rng.integers(0, 6, k))
    y = rng.integers(-8, 9, n) / 4 + (x / scale).sum(axis=1) * 0.1
    cluster = rng.integers(0, 15, n) if clustered else None
    names = [f"c{j}" for j in range(k)]
    chunks = chunked(y, x, cluster, size)
    compare(
        error_regression(y, x, names, clusters=cluster, level=0.9, correction="bh"),
        error_regression_of_chunks(chunks, names, level=0.9, correction="bh"),
    )


def told(y: np.ndarray, x: np.ndarray, names: list[str], cluster: np.ndarray | None = None):
    messages = []
    with pytest.raises(StatisticsError) as caught:
        error_regression(y, x, names, clusters=cluster)
    messages.append(str(caught.value))
    with pytest.raises(StatisticsError) as caught:
        error_regression_of_chunks(chunked(y, x, cluster, 7), names)
    messages.append(str(caught.value))
    assert messages[0] == messages[1]
    return messages[0]


def test_what_cannot_be_estimated_is_refused_in_the_same_words() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 40))
    y = rng.normal(size=40)
    lone = np.zeros(40)
    lone[11] = 1.0
    assert "constant (2 in every row)" in told(
        y, np.column_stack([a, np.full(40, 2.0)]), ["a", "b"]
    )
    assert "`c` is collinear with `a`, `b`" in told(
        y, np.column_stack([a, b, a - 2 * b]), ["a", "b", "c"]
    )
    assert "a single row decides the effect of `b`" in told(
        y, np.column_stack([a, lone]), ["a", "b"]
    )
    assert "more than 2 rows" in told(y[:2], a[:2, None], ["a"])
    few = np.repeat([0, 1], 20)
    assert "more than 2 clusters" in told(y, a[:, None], ["a"], few)
    with pytest.raises(StatisticsError, match="needs rows"):
        error_regression_of_chunks(chunked(y[:0], a[:0, None], None, 7), ["a"])
