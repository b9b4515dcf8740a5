import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.label_permutation import PermutationScheme, choose_scheme, permuted_labels


def test_within_groups_keeps_each_groups_counts_and_moves_labels() -> None:
    rng = np.random.default_rng(0)
    groups = rng.permutation(np.repeat(np.arange(10), 6))
    labels = rng.integers(0, 3, 60)
    scheme = choose_scheme(labels, groups, paired=False)
    assert scheme.kind == "within groups"
    drawn = permuted_labels(labels, groups, scheme, 40, rng)
    for group in range(10):
        inside = groups == group
        assert (np.sort(drawn[:, inside]) == np.sort(labels[inside])).all()
    assert (drawn != labels).mean() > 0.3


def test_each_position_of_a_group_is_equally_likely() -> None:
    groups = np.zeros(4, int)
    labels = np.array([1, 0, 0, 0])
    drawn = permuted_labels(
        labels, groups, PermutationScheme("within groups", 1.0), 8000, np.random.default_rng(0)
    )
    assert drawn.mean(axis=0) == pytest.approx([0.25] * 4, abs=4 * np.sqrt(0.25 * 0.75 / 8000))


def test_groups_of_one_trade_across_groups() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 30)
    scheme = choose_scheme(labels, np.arange(30), paired=False)
    assert scheme.kind == "across groups of equal size"
    drawn = permuted_labels(labels, np.arange(30), scheme, 20, rng)
    assert (drawn.sum(axis=1) == labels.sum()).all()
    assert (drawn != labels).any()


def test_constant_groups_trade_whole_and_only_with_their_size() -> None:
    sizes = np.array([2] * 10 + [3] * 10)
    groups = np.repeat(np.arange(20), sizes)
    labels = np.repeat(np.arange(20) % 2, sizes)
    scheme = choose_scheme(labels, groups, paired=False)
    assert scheme.kind == "across groups of equal size"
    for row in permuted_labels(labels, groups, scheme, 20, np.random.default_rng(1)):
        per_group = [set(row[groups == group]) for group in range(20)]
        assert all(len(found) == 1 for found in per_group)
        assert row[groups < 10].sum() == labels[groups < 10].sum()


def test_pairs_alone_in_their_group_flip_sides() -> None:
    labels = np.random.default_rng(0).integers(0, 2, 50)
    scheme = choose_scheme(labels, np.arange(50), paired=True)
    assert scheme.kind == "sides flipped"
    drawn = permuted_labels(labels, None, scheme, 2000, np.random.default_rng(1))
    assert drawn.mean() == pytest.approx(0.5, abs=0.01)


def test_no_group_and_groups_of_unequal_size() -> None:
    labels = np.array([0, 1, 0, 1, 1, 1])
    assert choose_scheme(labels, None, paired=False).kind == "over all items"
    groups = np.array([0, 1, 1, 2, 2, 2])
    constant = np.array([0, 1, 1, 0, 0, 0])
    assert choose_scheme(constant, groups, paired=False).kind == "over all items"


def test_a_scheme_of_groups_needs_groups() -> None:
    with pytest.raises(StatisticsError, match="needs `groups`"):
        permuted_labels(
            np.array([0, 1]),
            None,
            PermutationScheme("within groups", 1.0),
            3,
            np.random.default_rng(0),
        )
