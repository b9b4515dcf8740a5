"""How well can a predictor that is denied the construct reproduce the labels?

Three members, frozen: `length_only`, `numeric_surface`, `surface_ngram`. Each ends in a balanced
logistic regression of at most 2,000 iterations; nothing is searched. The features of a fold are
made once and shared by the true labels and every permuted vector: they are functions of the texts
and of the fold alone, never of a label, so sharing them leaves every fit what it would have been.

In paired mode the features of the two sides enter as their difference, the first side and the
second side, in that order. Scalars are standardised on the training rows after that; n-grams are
weighted by a vectoriser fitted on the training rows' texts of both sides, each as one document.

Source: judge-construct-validity, appendix E.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.convergence import counted
from judgeprobe.stats.surface_features import length_features, ngram_vectoriser, numeric_matrix

__all__ = ["MEMBERS", "Predictions", "classifier", "fold_features", "out_of_fold"]

IntArray = NDArray[np.int64]
Matrix = Any  # a NumPy array or a SciPy sparse matrix; scikit-learn takes both

MEMBERS = ("length_only", "numeric_surface", "surface_ngram")


@dataclass(frozen=True)
class Predictions:
    """Held-out predictions of one member.

    Attributes:
        member: Its name.
        classes: Predicted class codes, shape (m, n): one row a label vector.
        features: Number of features in the largest fold; 0 where no n-gram was frequent enough.
        not_converged: Fits that stopped before the solver's own criterion.
        constant: Fits whose training labels held one class (it was predicted throughout).
        fits: Fits in all.
    """

    member: str
    classes: IntArray
    features: int
    not_converged: int
    constant: int
    fits: int


def classifier() -> LogisticRegression:
    """The classifier that ends every member: balanced, 2,000 iterations, nothing searched."""
    return LogisticRegression(max_iter=2000, class_weight="balanced")


def fold_features(
    member: str,
    texts: Sequence[str],
    texts_b: Sequence[str] | None,
    train: IntArray,
    held_out: IntArray,
    dtype: type[np.floating[Any]] = np.float64,
) -> tuple[Matrix, Matrix]:
    """Features of the training rows and of the held-out rows; no label enters.

    Args:
        member: One of `MEMBERS`.
        texts: Texts, or first sides of pairs; length n.
        texts_b: Second sides, or None.
        train: Row numbers.
        held_out: Row numbers.
        dtype: Of the n-gram matrices (numpy.float32 halves their traffic).

    Returns:
        Two matrices with one row a text or pair. In paired mode columns are difference, first
        side, second side.

    Raises:
        StatisticsError: The member is not of the family.
    """
    if member not in MEMBERS:
        raise StatisticsError(f"`member` must be one of {', '.join(MEMBERS)}; got {member!r}")
    if member == "surface_ngram":
        return _ngram_features(texts, texts_b, train, held_out, dtype)
    extract = length_features if member == "length_only" else numeric_matrix
    features = extract(texts)
    if texts_b is not None:
        features_b = extract(texts_b)
        features = np.hstack([features - features_b, features, features_b])
    scaler = StandardScaler().fit(features[train])
    return scaler.transform(features[train]), scaler.transform(features[held_out])


def _ngram_features(
    texts: Sequence[str],
    texts_b: Sequence[str] | None,
    train: IntArray,
    held_out: IntArray,
    dtype: type[np.floating[Any]],
) -> tuple[Matrix, Matrix]:
    sides = [texts] if texts_b is None else [texts, texts_b]
    vectoriser = ngram_vectoriser(dtype)
    try:
        fitted = vectoriser.fit_transform([side[row] for side in sides for row in train])
    except ValueError:
        # No n-gram stands in three training texts: the member sees nothing.
        return sparse.csr_matrix((len(train), 0)), sparse.csr_matrix((len(held_out), 0))
    parts_train = [fitted[i * len(train) : (i + 1) * len(train)] for i in range(len(sides))]
    parts_held = [vectoriser.transform([side[row] for row in held_out]) for side in sides]
    return _joined(parts_train), _joined(parts_held)


def _joined(parts: list[Matrix]) -> Matrix:
    if len(parts) == 1:
        return parts[0]
    first, second = parts
    return sparse.hstack([first - second, first, second], format="csr")


def out_of_fold(
    member: str,
    texts: Sequence[str],
    texts_b: Sequence[str] | None,
    labels: IntArray,
    splits: Iterable[tuple[IntArray, IntArray]],
    dtype: type[np.floating[Any]] = np.float64,
) -> Predictions:
    """Held-out predictions of every label vector, under the same splits and features.

    Args:
        member: One of `MEMBERS`.
        texts: Texts, or first sides of pairs; length n.
        texts_b: Second sides, or None.
        labels: Class codes, shape (m, n): the true labels first, then permuted ones.
        splits: (training rows, held-out rows), for example `Folds`.
        dtype: Of the n-gram matrices.

    Returns:
        The predictions; -1 for a row that no split holds out.
    """
    classes = np.full_like(labels, -1)
    features = not_converged = constant = fits = 0
    for train, held_out in splits:
        fits += len(labels)
        x_train, x_held = fold_features(member, texts, texts_b, train, held_out, dtype)
        features = max(features, x_train.shape[1])
        if not x_train.shape[1]:
            x_train, x_held = np.zeros((len(train), 1)), np.zeros((len(held_out), 1))
        for row, (predicted, status) in enumerate(_fits(x_train, x_held, labels[:, train])):
            classes[row, held_out] = predicted
            not_converged += status == "not converged"
            constant += status == "constant"
    return Predictions(member, classes, features, not_converged, constant, fits)


def _fits(x_train: Matrix, x_held: Matrix, labels: IntArray) -> Iterator[tuple[Any, str]]:
    # One BLAS thread: vectors of 20,000 gain nothing from more, and the sums keep their order.
    # The matrices are ours and finite: scikit-learn need not look at them again for every vector.
    model = classifier()
    with (
        threadpool_limits(limits=1, user_api="blas"),
        config_context(assume_finite=True, skip_parameter_validation=True),
    ):
        for y in labels:
            if (y == y[0]).all():
                yield y[0], "constant"
                continue
            with counted() as stopped:
                model.fit(x_train, y)
            yield model.predict(x_held), "not converged" if stopped.count else "converged"
