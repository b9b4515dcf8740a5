import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.folds import make_folds
from judgeprobe.stats.residual_operator import (
    Features,
    fitted_component,
    represent,
    surface_predictor,
)


def drawn(seed: int) -> tuple[Features, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n, p = 40 + seed, 2 + seed % 5
    dense = rng.normal(size=(n, p)) * rng.uniform(0.1, 20, p) + rng.normal(size=p)
    labels = (dense[:, 0] + rng.normal(size=n) > dense[:, 0].mean()).astype(int)
    groups = rng.integers(0, 10, n)
    groups[:10] = np.arange(10)
    features = Features(dense, tuple(f"f{i}" for i in range(p)))
    return features, rng.normal(size=n) + dense[:, 0], labels, groups


@pytest.mark.parametrize("seed", range(50))
def test_equals_scikit_learn_pieces_and_a_loop_from_the_formula(seed: int) -> None:
    features, scores, labels, groups = drawn(seed)
    folds = make_folds(len(scores), groups, shuffle_groups=True)
    splitter = GroupKFold(5, shuffle=True, random_state=0)
    ridge = make_pipeline(StandardScaler(), Ridge(alpha=1))
    expected = cross_val_predict(ridge, features.dense, scores, groups=groups, cv=splitter)
    fitted = fitted_component(scores, features, folds)
    assert fitted == pytest.approx(expected)
    for train, held in folds:
        mean, sd = features.dense[train].mean(0), features.dense[train].std(0)
        x, asked = (features.dense[train] - mean) / sd, (features.dense[held] - mean) / sd
        centre = scores[train].mean()
        weights = np.linalg.solve(x.T @ x + np.eye(x.shape[1]), x.T @ (scores[train] - centre))
        assert fitted[held] == pytest.approx(asked @ weights + centre)
    logistic = make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=2000, class_weight="balanced")
    )
    found = surface_predictor(features, labels, folds)
    decision = cross_val_predict(
        logistic, features.dense, labels, groups=groups, cv=splitter, method="decision_function"
    )
    assert found.decision == pytest.approx(decision, abs=1e-6)
    assert np.array_equal(found.flagged, decision > 0)


def test_a_sparse_block_gives_what_the_dense_matrix_gives() -> None:
    rng = np.random.default_rng(0)
    block = sparse.random(80, 30, density=0.2, random_state=0, format="csr")
    dense = rng.normal(size=(80, 2))
    scores = block @ rng.normal(size=30) + dense[:, 0]
    folds = make_folds(80, np.arange(80) // 4, shuffle_groups=True)
    joined = fitted_component(scores, Features(dense, ("a", "b"), block), folds)
    for train, held in folds:
        scaler = StandardScaler().fit(dense[train])
        x = np.hstack([scaler.transform(dense), block.toarray()])
        assert joined[held] == pytest.approx(
            Ridge(alpha=1).fit(x[train], scores[train]).predict(x[held]), abs=1e-5
        )


def test_a_planted_leak_inside_groups_inflates_r2_row_wise_and_not_grouped() -> None:
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(60), 5)
    marks = rng.normal(size=(60, 40))[groups]
    scores = rng.normal(size=60)[groups] + 0.3 * rng.normal(size=300)
    features = Features(marks, tuple(f"m{i}" for i in range(40)))

    def r2(folds_groups: np.ndarray | None) -> float:
        folds = make_folds(300, folds_groups, shuffle_groups=folds_groups is not None)
        rest = scores - fitted_component(scores, features, folds)
        return float(1 - (rest**2).sum() / ((scores - scores.mean()) ** 2).sum())

    assert r2(None) > 0.4
    assert r2(groups) < 0.05


def test_representations_by_definition() -> None:
    scores = np.array([3.0, -1.0, 3.0, 10.0])
    assert represent(scores, "native") is scores
    assert represent(scores, "probability") == pytest.approx(1 / (1 + np.exp(-scores)))
    assert represent(scores, "rank_gauss") == pytest.approx(
        norm.ppf((np.array([2.5, 1, 2.5, 4]) - 0.5) / 4)
    )
    wide = np.r_[np.arange(300.0), 1e9]
    z = represent(wide, "winsorised_z")
    assert (z.mean(), z.std()) == pytest.approx((0, 1))
    assert z.max() < 3


def test_refusals() -> None:
    with pytest.raises(StatisticsError, match="constant"):
        represent(np.ones(5), "rank_gauss")
    with pytest.raises(StatisticsError, match="outer 1 percent"):
        represent(np.r_[np.zeros(400), 1.0], "winsorised_z")
    with pytest.raises(StatisticsError, match="one column a name"):
        Features(np.zeros((3, 2)), ("a",))
    with pytest.raises(StatisticsError, match="finite"):
        Features(np.array([[np.nan]]), ("a",))
    with pytest.raises(StatisticsError, match="at least one feature"):
        Features(np.zeros((3, 0)), ())
    with pytest.raises(StatisticsError, match="one label class"):
        surface_predictor(
            Features(np.zeros((10, 1)), ("a",)), np.zeros(10, int), make_folds(10, None)
        )
