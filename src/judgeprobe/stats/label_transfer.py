"""Does what a surface predictor learnt on one label set carry to another?

Recovery inside a set can rest on an idiom of that set; recovery of another set rests on a surface
correlate that both share. Each member is fitted on one whole set and evaluated on another. Where
two sets share fewer than two label classes the cell is not defined.

Source: judge-construct-validity, appendix E, last paragraph ("Each member is also fit on one set
and evaluated on the others").
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.impoverished import MEMBERS, out_of_fold
from judgeprobe.stats.kappa import cohen_kappa

__all__ = ["TransferCell", "TransferSet", "transfer_matrix"]


@dataclass(frozen=True)
class TransferSet:
    """One label set as transfer needs it.

    Attributes:
        name: Unique among the sets.
        texts: Texts, or first sides.
        labels: Label of each, as text.
        texts_b: Second sides, or None.
    """

    name: str
    texts: Sequence[str]
    labels: Sequence[str]
    texts_b: Sequence[str] | None = None


@dataclass(frozen=True)
class TransferCell:
    """One member, trained on one set, evaluated on another.

    Attributes:
        train: Name of the training set.
        test: Name of the evaluated set.
        member: The member.
        classes: Label classes that both sets have.
        n_train: Training items with one of them.
        n_test: Evaluated items with one of them.
        kappa: Or None where not defined.
        accuracy: Or None where not defined.
        status: "defined" or "not defined".
    """

    train: str
    test: str
    member: str
    classes: tuple[str, ...]
    n_train: int
    n_test: int
    kappa: float | None
    accuracy: float | None
    status: str


def transfer_matrix(sets: Sequence[TransferSet]) -> tuple[TransferCell, ...]:
    """Every member, fitted on each set and evaluated on each other one.

    Raises:
        StatisticsError: Two sets share a name, or pairs meet single texts.
    """
    if len({each.name for each in sets}) != len(sets):
        raise StatisticsError("sets of a transfer matrix need different names")
    if len({each.texts_b is None for each in sets}) > 1:
        raise StatisticsError("sets of a transfer matrix must be in one input mode")
    return tuple(
        cell
        for train in sets
        for test in sets
        if train.name != test.name
        for cell in _cells(train, test)
    )


def _cells(train: TransferSet, test: TransferSet) -> list[TransferCell]:
    shared = tuple(sorted(set(train.labels) & set(test.labels)))
    code = {label: index for index, label in enumerate(shared)}
    rows = [
        (a, b, code[label])
        for each in (train, test)
        for a, b, label in zip(each.texts, each.texts_b or each.texts, each.labels, strict=True)
        if label in code
    ]
    n_train = sum(label in code for label in train.labels)
    n_test = len(rows) - n_train
    if len(shared) < 2:
        return [
            TransferCell(
                train.name, test.name, member, shared, n_train, n_test, None, None, "not defined"
            )
            for member in MEMBERS
        ]
    labels = np.array([row[2] for row in rows], dtype=np.int64)
    texts = [row[0] for row in rows]
    texts_b = None if train.texts_b is None else [row[1] for row in rows]
    cells = []
    for member in MEMBERS:
        predicted = _predict(member, texts, texts_b, labels, n_train)
        kappa = cohen_kappa(labels[n_train:], predicted, len(shared))
        cells.append(
            TransferCell(
                train.name,
                test.name,
                member,
                shared,
                n_train,
                n_test,
                kappa.value,
                kappa.accuracy,
                "defined",
            )
        )
    return cells


def _predict(
    member: str,
    texts: Sequence[str],
    texts_b: Sequence[str] | None,
    labels: NDArray[np.int64],
    n_train: int,
) -> NDArray[np.int64]:
    rows = np.arange(len(labels))
    found = out_of_fold(member, texts, texts_b, labels[None, :], [(rows[:n_train], rows[n_train:])])
    return found.classes[0, n_train:]
