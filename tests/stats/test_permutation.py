from itertools import permutations as every_order

import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats import label_patterns
from judgeprobe.stats.permutation import axis_permutation


def loop_contrast(base, labels, changed, counted) -> float:
    """R(label 1) - R(label 0) of one judge, from the definition."""
    rates = []
    for label in (True, False):
        shares = []
        for item in sorted(set(base)):
            mine = [
                bool(changed[p])
                for p in range(len(base))
                if base[p] == item and labels[p] == label and counted[p]
            ]
            if mine:
                shares.append(sum(mine) / len(mine))
        rates.append(sum(shares) / len(shares))
    return rates[0] - rates[1]


def random_edits(rng: np.random.Generator, sizes, judges: int = 3, missing: float = 0.0):
    base = np.repeat(np.arange(len(sizes)), sizes)
    first = rng.random(len(base)) < 0.5
    first[:2] = (True, False)
    changed = rng.random((judges, len(base))) < 0.4
    counted = rng.random((judges, len(base))) >= missing
    return base, first, changed, counted


@pytest.mark.parametrize("table_edits", [0, 7])
@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_the_contrast_equals_the_loop(
    monkeypatch: pytest.MonkeyPatch, table_edits: int, missing: float
) -> None:
    """By tables of patterns and by direct sums alike, with grades missing by judge."""
    monkeypatch.setattr(label_patterns, "_TABLE_EDITS", table_edits)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 6, 12)
        base, first, changed, counted = random_edits(rng, sizes, missing=missing)
        mean, each = axis_permutation(base, first, changed, counted, 5, rng)
        expected = [loop_contrast(base, first, changed[j], counted[j]) for j in range(3)]
        for test, value in zip(each, expected, strict=True):
            assert test.estimate == pytest.approx(value, abs=1e-12)
        assert mean.estimate == pytest.approx(np.mean(expected), abs=1e-12)


@pytest.mark.parametrize("table_edits", [0, 7])
def test_nulls_are_contrasts_of_exchanged_labels(
    monkeypatch: pytest.MonkeyPatch, table_edits: int
) -> None:
    """On a tiny table every exchange can be listed: the nulls are those values, evenly often."""
    monkeypatch.setattr(label_patterns, "_TABLE_EDITS", table_edits)
    base = np.array([0, 0, 1, 1, 2])
    first = np.array([True, False, True, True, False])
    changed = np.array([[True, False, False, True, False]])
    counted = np.ones((1, 5), dtype=bool)
    # Two base items of two edits trade their labels, and labels trade within each; the third stays.
    possible = []
    for rows in every_order([first[:2], first[2:4]]):
        for one in every_order(rows[0]):
            for two in every_order(rows[1]):
                labels = np.array([*one, *two, False])
                possible.append(loop_contrast(base, labels, changed[0], counted[0]))
    parts = label_patterns.families(base, first, changed, counted)
    rng = np.random.default_rng(0)
    sums = sum(part.exchanged(8000, rng) for part in parts)[:, :, 0]
    drawn = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
    for value in set(np.round(possible, 9)):
        expected = np.mean(np.abs(np.array(possible) - value) < 1e-9)
        found = np.mean(np.abs(drawn - value) < 1e-9)
        assert abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / 8000) + 1e-9
    assert np.isin(np.round(drawn, 9), np.round(possible, 9)).all()


def test_the_number_of_labels_is_kept_in_every_exchange() -> None:
    rng = np.random.default_rng(1)
    codes = np.array([0b0011, 0b0001, 0b1111, 0b0000])
    drawn = label_patterns._same_count(np.tile(codes, (500, 1)), 4, rng)
    bits = np.vectorize(lambda code: int(code).bit_count())(drawn)
    assert (bits == [2, 1, 4, 0]).all()
    # All six patterns of two bits turn up about equally often.
    found, counts = np.unique(drawn[:, 0], return_counts=True)
    assert len(found) == 6
    assert counts.min() > 50


def test_a_planted_difference_is_found_and_p_is_never_zero() -> None:
    rng = np.random.default_rng(5)
    base = np.repeat(np.arange(80), 2)
    first = np.tile([True, False], 80)
    changed = (rng.random((2, 160)) < np.where(first, 0.7, 0.2)).astype(bool)
    mean, _ = axis_permutation(base, first, changed, np.ones((2, 160), dtype=bool), 999, rng)
    assert mean.p == 1 / 1000
    assert mean.estimate > mean.largest_null > 0


def test_whole_base_items_that_move_together_do_not_pass_for_an_axis_effect() -> None:
    """One axis a base item, and base items that flip whole: labels exchanged freely would lie."""
    rejected = {"base_items": 0, "free": 0}
    for seed in range(120):
        rng = np.random.default_rng([3, seed])
        base = np.repeat(np.arange(24), 6)
        first = np.repeat(rng.permutation([True, False] * 12), 6)
        changed = np.repeat(rng.random((1, 24)) < 0.5, 6, axis=1)
        for scheme in rejected:
            test, _ = axis_permutation(
                base, first, changed, np.ones_like(changed), 199, rng, scheme=scheme
            )
            rejected[scheme] += test.p <= 0.05
    assert rejected["base_items"] <= 0.05 * 120 + 3 * np.sqrt(120 * 0.05 * 0.95)
    assert rejected["free"] > 0.3 * 120


def test_degenerate_input_is_refused() -> None:
    rng = np.random.default_rng(0)
    base, first, changed, counted = random_edits(rng, [2, 2])
    with pytest.raises(StatisticsError, match="graded edit of each axis"):
        axis_permutation(base, np.ones_like(first), changed, counted, 10, rng)
    with pytest.raises(StatisticsError, match="of shape"):
        axis_permutation(base, first, changed[0], counted[0], 10, rng)
    with pytest.raises(StatisticsError, match="of one length"):
        axis_permutation(base[:-1], first, changed, counted, 10, rng)
    with pytest.raises(StatisticsError, match="at least 1"):
        axis_permutation(base, first, changed, counted, 0, rng)
