import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from judgeprobe.stats.residual_ranking import group_ranking


def test_equals_a_loop_over_groups() -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 15, 120)
    labels, scores = rng.integers(0, 2, 120), rng.normal(size=120)
    touched = rng.random(120) < 0.2
    reciprocal, inside = [], []
    for group in range(15):
        rows = np.flatnonzero(groups == group)
        if not touched[rows].any() or len(set(labels[rows])) < 2:
            continue
        order = rows[np.argsort(-scores[rows])]
        reciprocal.append(1 / (1 + int(np.argmax(labels[order] == 1))))
        inside.append(roc_auc_score(labels[rows], scores[rows]))
    found = group_ranking(labels, scores, groups, touched)
    assert found.groups == len(inside)
    assert found.mrr == pytest.approx(np.mean(reciprocal))
    assert found.auc == pytest.approx(np.mean(inside))


def test_ties_share_their_mean_rank() -> None:
    found = group_ranking(np.array([1, 0, 0]), np.zeros(3), np.zeros(3, int), np.ones(3, bool))
    assert found.mrr == pytest.approx(1 / 2)
    assert found.auc == pytest.approx(1 / 2)


def test_no_group_counts() -> None:
    found = group_ranking(np.ones(4, int), np.arange(4.0), np.arange(4), np.ones(4, bool))
    assert (found.mrr, found.auc, found.groups) == (None, None, 0)
