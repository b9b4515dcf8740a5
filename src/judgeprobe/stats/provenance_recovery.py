"""Can the label be reached through how an item was made, without reading what it says?

A label that is a function of the generative condition, y = g(C), is reachable wherever C can be
recovered from the text. The condition is predicted out of fold from single texts by the
`surface_ngram` member; g is the majority label of each condition (of each pair of conditions, in
paired mode) among the training rows. The kappa of g(predicted C) bounds what a surface reader can
take from the condition; the kappa of g(C) says how far the label follows the condition at all.

Source: judge-construct-validity, definition 5 and section 4.4 ("Provenance-recoverable").
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.checks import same_length
from judgeprobe.stats.folds import Folds
from judgeprobe.stats.impoverished import out_of_fold
from judgeprobe.stats.kappa import Kappa, cohen_kappa, confusions, kappas

__all__ = ["ProvenanceRecovery", "provenance_recovery"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class ProvenanceRecovery:
    """What the generative condition gives away.

    Attributes:
        n_conditions: Number of distinct conditions of a text.
        is_function: Whether every condition (or pair of conditions) carries one label only.
        condition: Agreement of the predicted with the true condition of a text.
        label: Agreement of g(predicted condition) with the label.
        label_given_condition: Agreement of g(true condition) with the label, out of fold.
        null: Kappas of `label` under permuted labels, shape (permutations,).
        p: (1 + number of null kappas at or above it) / (1 + permutations).
    """

    n_conditions: int
    is_function: bool
    condition: Kappa
    label: Kappa
    label_given_condition: Kappa
    null: NDArray[np.float64]
    p: float


def provenance_recovery(
    texts: Sequence[str],
    labels: IntArray,
    conditions: IntArray,
    folds: Folds,
    permuted: IntArray,
    *,
    texts_b: Sequence[str] | None = None,
    conditions_b: IntArray | None = None,
) -> ProvenanceRecovery:
    """Recover the condition from the text, and the label from the condition.

    Args:
        texts: Texts, or first sides; length n.
        labels: Class codes 0 to k - 1, shape (n,).
        conditions: Condition code of each text, 0 to c - 1, shape (n,).
        folds: The folds of the audit.
        permuted: Permuted labels, shape (permutations, n).
        texts_b: Second sides, or None.
        conditions_b: Their condition codes; needed with `texts_b`.

    Raises:
        StatisticsError: Second sides come without conditions, or only one condition occurs.
    """
    same_length(texts=texts, labels=labels, conditions=conditions)
    if (texts_b is None) != (conditions_b is None):
        raise StatisticsError("second sides and their conditions must be given together")
    sides = [conditions] if conditions_b is None else [conditions, conditions_b]
    n_conditions = int(max(side.max() for side in sides)) + 1
    if n_conditions < 2:
        raise StatisticsError("provenance needs at least two conditions; got one")
    all_texts = [*texts, *(texts_b or [])]
    truth = np.concatenate(sides)
    n = len(labels)
    shifts = np.arange(len(sides))[:, None] * n
    splits = [((train + shifts).ravel(), (held + shifts).ravel()) for train, held in folds]
    found = out_of_fold("surface_ngram", all_texts, None, truth[None, :], splits)
    predicted = found.classes[0]
    keys = _keys(truth, n, n_conditions)
    guessed = _keys(predicted, n, n_conditions)
    vectors = np.vstack([labels[None, :], permuted])
    n_classes = int(vectors.max()) + 1
    through_text = _majority(keys, guessed, vectors, folds, n_classes)
    through_truth = _majority(keys, keys, labels[None, :], folds, n_classes)[0]
    values, _ = kappas(confusions(vectors, through_text, n_classes))
    return ProvenanceRecovery(
        n_conditions=n_conditions,
        is_function=len(np.unique(np.stack([keys, labels]), axis=1).T) == len(np.unique(keys)),
        condition=cohen_kappa(truth, predicted, n_conditions),
        label=cohen_kappa(labels, through_text[0], n_classes),
        label_given_condition=cohen_kappa(labels, through_truth, n_classes),
        null=values[1:],
        p=float((1 + np.sum(values[1:] >= values[0] - 1e-12)) / len(values)),
    )


def _keys(codes: IntArray, n: int, n_conditions: int) -> IntArray:
    """One code an item: its condition, or the ordered pair of its sides' conditions."""
    if len(codes) == n:
        return codes
    return codes[:n] * n_conditions + codes[n:]


def _majority(
    keys: IntArray, asked: IntArray, vectors: IntArray, folds: Folds, n_classes: int
) -> IntArray:
    """Majority label, among the training rows, of the key each held-out row is asked for.

    A key that no training row has takes the majority label of all training rows.
    """
    n_keys = int(max(keys.max(), asked.max())) + 1
    classes = np.empty_like(vectors)
    for train, held_out in folds:
        for row, labels in enumerate(vectors):
            cells = keys[train] * n_classes + labels[train]
            counts = np.bincount(cells, minlength=n_keys * n_classes).reshape(n_keys, n_classes)
            overall = counts.sum(axis=0)
            counts[counts.sum(axis=1) == 0] = overall
            classes[row, held_out] = counts.argmax(axis=1)[asked[held_out]]
    return classes
