"""Which part of a score do surface features predict, and what is left when it is subtracted?

The operator is a cross-fitted ridge regression of the score on the features: each row's fitted part
comes from a model that saw none of its group. The surface predictor is a cross-fitted logistic
regression of the label on the artifact block. Dense columns are standardised on the training rows;
a sparse block (TF-IDF) enters as it is.

Source: residualization-audit, section 2.2 and equation 1 (s_adj = s - g_hat(phi)); ridge with
alpha 1, five grouped folds, seed 0.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, ndtri
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.convergence import counted
from judgeprobe.stats.folds import Folds

__all__ = [
    "REPRESENTATIONS",
    "Features",
    "Representation",
    "SurfacePredictor",
    "correlation",
    "fitted_component",
    "represent",
    "surface_predictor",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Matrix = Any
Representation = Literal["native", "probability", "rank_gauss", "winsorised_z"]

REPRESENTATIONS: tuple[Representation, ...] = (
    "native",
    "probability",
    "rank_gauss",
    "winsorised_z",
)
WINSOR_TAIL = 0.01


@dataclass(frozen=True)
class Features:
    """Surface features of rows.

    Attributes:
        dense: Shape (n, p), finite; p may be 0.
        names: One a dense column.
        block: Sparse block with n rows, or None.
    """

    dense: FloatArray
    names: tuple[str, ...]
    block: Matrix | None = None

    def __post_init__(self) -> None:
        """Check the shapes.

        Raises:
            StatisticsError: Rows or names do not match, a value is not finite, or nothing is there.
        """
        if self.dense.ndim != 2 or self.dense.shape[1] != len(self.names):
            raise StatisticsError("`dense` must have one column a name")
        if not np.isfinite(self.dense).all():
            raise StatisticsError("`dense` must be finite")
        if self.block is not None and self.block.shape[0] != self.dense.shape[0]:
            raise StatisticsError("`block` must have one row a row of `dense`")
        if not self.width:
            raise StatisticsError("there must be at least one feature")

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.dense.shape[0])

    @property
    def width(self) -> int:
        """Number of columns, dense and sparse."""
        return int(self.dense.shape[1] + (0 if self.block is None else self.block.shape[1]))

    def only(self, names: tuple[str, ...]) -> "Features":
        """The named dense columns, without the sparse block."""
        columns = [self.names.index(name) for name in names]
        return Features(self.dense[:, columns], names)

    def rows(self, rows: IntArray) -> "Features":
        """Some rows."""
        block = None if self.block is None else self.block[rows]
        return Features(self.dense[rows], self.names, block)

    def split(self, train: IntArray, held_out: IntArray) -> tuple[Matrix, Matrix]:
        """Matrices of training and held-out rows, dense columns standardised on the former."""
        if not self.dense.shape[1]:
            return self.block[train], self.block[held_out]  # type: ignore[index]
        scaler = StandardScaler().fit(self.dense[train])
        parts = [scaler.transform(self.dense[rows]) for rows in (train, held_out)]
        if self.block is None:
            return parts[0], parts[1]
        joined = [
            sparse.hstack([sparse.csr_matrix(part), self.block[rows]], format="csr")
            for part, rows in zip(parts, (train, held_out), strict=True)
        ]
        return joined[0], joined[1]


@dataclass(frozen=True)
class SurfacePredictor:
    """The surface-only view of the label, out of fold.

    Attributes:
        decision: c_hat, the logit, shape (n,).
        flagged: a_hat > 1/2, shape (n,).
        not_converged: Folds whose solver stopped early.
    """

    decision: FloatArray
    flagged: NDArray[np.bool_]
    not_converged: int


def surface_predictor(features: Features, labels: IntArray, folds: Folds) -> SurfacePredictor:
    """Predict the label from the artifact block, out of fold; NaN where no fold holds a row out.

    Balanced logistic regression (2,000 iterations), so that a rare class can be flagged at all.

    Args:
        features: The artifact block.
        labels: 0 or 1, shape (n,).
        folds: The partition.

    Raises:
        StatisticsError: A fold's training rows hold one class.
    """
    decision = np.full(len(labels), np.nan)
    not_converged = 0
    with threadpool_limits(limits=1, user_api="blas"):
        for train, held_out in folds:
            if len(np.unique(labels[train])) < 2:
                raise StatisticsError("a fold's training rows hold one label class")
            x_train, x_held = features.split(train, held_out)
            model = LogisticRegression(max_iter=2000, class_weight="balanced")
            with counted() as stopped:
                model.fit(x_train, labels[train])
            not_converged += stopped.count > 0
            decision[held_out] = model.decision_function(x_held)
    return SurfacePredictor(decision, decision > 0, not_converged)


def fitted_component(
    scores: FloatArray, features: Features, folds: Folds, *, alpha: float = 1.0
) -> FloatArray:
    """g_hat: the out-of-fold ridge prediction of the score, shape (n,).

    NaN where no fold holds a row out.

    Args:
        scores: Shape (n,), in the declared representation.
        features: All of phi.
        folds: The partition.
        alpha: Ridge strength.
    """
    fitted = np.full(len(scores), np.nan)
    with threadpool_limits(limits=1, user_api="blas"):
        for train, held_out in folds:
            x_train, x_held = features.split(train, held_out)
            model = _ridge(alpha, sparse.issparse(x_train)).fit(x_train, scores[train])
            fitted[held_out] = model.predict(x_held)
    return fitted


def _ridge(alpha: float, is_sparse: Any) -> Ridge:
    # Conjugate gradients stop at 1e-4 by default, which would move the residual's third decimal.
    return Ridge(alpha=alpha, solver="sparse_cg", tol=1e-8) if is_sparse else Ridge(alpha=alpha)


def correlation(x: FloatArray, y: FloatArray) -> float:
    """Pearson's correlation; 0 where one side is constant (nothing is shared then)."""
    if x.std() < 1e-12 or y.std() < 1e-12:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def represent(scores: FloatArray, kind: Representation) -> FloatArray:
    """A score in the declared representation, shape (n,).

    "native" as it is; "probability" the logistic function of a logit; "rank_gauss" normal quantiles
    of mid-ranks; "winsorised_z" standardised after the outer 1 percent at each end is pulled in.
    Residualization is not invariant to these, so one is declared and none is searched for.

    Source: residualization-audit, "Score representation".

    Raises:
        StatisticsError: The kind is unknown or the scores are constant.
    """
    if np.ptp(scores) == 0:
        raise StatisticsError("the score is constant; there is nothing to adjust")
    if kind == "native":
        return scores
    if kind == "probability":
        return np.asarray(expit(scores))
    if kind == "rank_gauss":
        return np.asarray(ndtri((rankdata(scores) - 0.5) / len(scores)))
    if kind == "winsorised_z":
        low, high = np.quantile(scores, [WINSOR_TAIL, 1 - WINSOR_TAIL])
        pulled = np.clip(scores, low, high)
        if np.ptp(pulled) == 0:
            raise StatisticsError("the score is constant once its outer 1 percent is pulled in")
        return np.asarray((pulled - pulled.mean()) / pulled.std())
    raise StatisticsError(f"`kind` must be one of {', '.join(REPRESENTATIONS)}; got {kind!r}")
