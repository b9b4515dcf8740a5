from itertools import combinations

import krippendorff
import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa

from judgeprobe.errors import StatisticsError
from judgeprobe.stats import agreement as agr


def loop_figures(codes, categories):
    """Raw agreement, Fleiss' kappa and AC1 from their definitions, one label at a time."""
    shares_equal, shares = [], [0.0] * categories
    for row in codes:
        labels = [int(code) for code in row if code >= 0]
        if len(labels) < 2:
            continue
        pairs = list(combinations(labels, 2))
        shares_equal.append(sum(x == y for x, y in pairs) / len(pairs))
        for category in range(categories):
            shares[category] += labels.count(category) / len(labels)
    n = len(shares_equal)
    observed = sum(shares_equal) / n
    p = [share / n for share in shares]
    chance = sum(share**2 for share in p)
    chance_ac1 = sum(share * (1 - share) for share in p) / (categories - 1)
    return observed, (observed - chance) / (1 - chance), (observed - chance_ac1) / (1 - chance_ac1)


def random_tables(missing):
    rng = np.random.default_rng(20240611)
    for _ in range(200):
        units, raters, categories = rng.integers([3, 2, 2], [60, 6, 5])
        weights = rng.dirichlet(np.ones(categories))
        codes = rng.choice(categories, p=weights, size=(units, raters))
        if missing:
            codes[rng.random(codes.shape) < 0.3] = -1
        counts = agr.count_labels(codes, int(categories))
        paired = counts[counts.sum(axis=1) >= 2]
        if len(paired) and (paired.sum(axis=0) > 0).sum() > 1:
            yield codes, int(categories), counts


def test_the_cell_of_the_reference_that_a_kappa_bar_would_have_lost():
    codes = np.zeros((55, 3), dtype=int)
    codes[53] = [0, 1, 1]
    codes[54] = [0, 0, 2]
    found = agr.agreement(agr.count_labels(codes, 3), np.arange(55), rng=np.random.default_rng(1))
    assert round(found.pairwise, 4) == 0.9758
    assert round(found.fleiss_kappa.value, 4) == 0.3238
    assert found.degenerate
    assert found.dominant == 0
    assert found.dominant_share == pytest.approx(162 / 165)


@pytest.mark.parametrize(("dominant", "kappa"), [(0, 0.3238), (1, 0.4900), (2, 0.5906)])
def test_that_kappa_needs_the_label_that_both_odd_units_share_to_dominate(dominant, kappa):
    codes = np.full((55, 3), dominant)
    codes[53] = [0, 1, 1]
    codes[54] = [0, 0, 2]
    counts = agr.count_labels(codes, 3)
    assert round(agr.pairwise_agreement(counts), 4) == 0.9758
    assert round(agr.fleiss_kappa(counts).value, 4) == kappa


@pytest.mark.parametrize("missing", [False, True])
def test_agreement_kappa_and_ac1_equal_an_explicit_loop(missing):
    seen = 0
    for codes, categories, counts in random_tables(missing):
        observed, kappa, ac1 = loop_figures(codes, categories)
        assert agr.pairwise_agreement(counts) == pytest.approx(observed, abs=1e-12)
        assert agr.fleiss_kappa(counts).value == pytest.approx(kappa, abs=1e-10)
        assert agr.gwet_ac1(counts).value == pytest.approx(ac1, abs=1e-10)
        seen += 1
    assert seen >= 190


def test_kappa_equals_statsmodels_on_complete_tables():
    seen = 0
    for _, _, counts in random_tables(missing=False):
        expected = statsmodels_kappa(counts)
        assert agr.fleiss_kappa(counts).value == pytest.approx(expected, abs=1e-10)
        seen += 1
    assert seen >= 190


def test_with_missing_raters_kappa_equals_statsmodels_on_each_size_alone():
    """statsmodels wants equally many labels a unit: its own figures, weighted, give ours."""
    for _, categories, counts in random_tables(missing=True):
        sizes = counts.sum(axis=1)
        observed, chance, total = 0.0, np.zeros(categories), 0
        for size in np.unique(sizes[sizes >= 2]):
            group = counts[sizes == size]
            shares = group.sum(axis=0) / group.sum()
            same = float((shares**2).sum())
            # kappa = (po - pe) / (1 - pe), solved for po
            po = 1.0 if same == 1.0 else statsmodels_kappa(group) * (1 - same) + same
            observed += po * len(group)
            chance += shares * len(group)
            total += len(group)
        observed, chance = observed / total, float(((chance / total) ** 2).sum())
        expected = (observed - chance) / (1 - chance)
        assert agr.fleiss_kappa(counts).value == pytest.approx(expected, abs=1e-9)


def test_alpha_equals_the_krippendorff_package_with_missing_raters():
    for codes, categories, counts in random_tables(missing=True):
        data = np.where(codes < 0, np.nan, codes).T.astype(float)
        expected = krippendorff.alpha(
            reliability_data=data,
            level_of_measurement="nominal",
            value_domain=list(range(categories)),
        )
        assert agr.krippendorff_alpha(counts).value == pytest.approx(expected, abs=1e-10)


def test_alpha_of_krippendorffs_own_worked_example():
    # Krippendorff 2011, part C: four observers, twelve units, alpha 0.743.
    rows = [
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    ]
    codes = np.array([[-1 if c == "." else int(c) - 1 for c in row.split()] for row in rows]).T
    assert agr.krippendorff_alpha(agr.count_labels(codes, 5)).value == pytest.approx(
        0.743, abs=5e-4
    )


def test_fleiss_of_his_own_worked_example():
    # Fleiss 1971, table 1: fourteen raters, ten subjects as in the usual textbook table: 0.210.
    counts = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    assert agr.fleiss_kappa(counts).value == pytest.approx(0.210, abs=5e-4)


def test_cohen_equals_scikit_learn():
    rng = np.random.default_rng(5)
    for _ in range(200):
        a, b = rng.integers(0, 3, size=(2, 30))
        a[rng.random(30) < 0.2] = -1
        both = a >= 0
        assert agr.cohen_kappa(a, b).value == pytest.approx(cohen_kappa_score(a[both], b[both]))


def test_pairs_of_annotators():
    codes = np.array([[0, 0, -1], [1, 0, -1], [0, 0, -1]])
    first, second, third = agr.annotator_pairs(codes)
    assert (first.a, first.b, first.n) == (0, 1, 3)
    assert first.agreement == pytest.approx(2 / 3)
    assert second.n == third.n == 0
    assert second.agreement is None
    assert "share no unit" in second.kappa.reason


def test_a_constant_table_is_named():
    counts = agr.count_labels(np.zeros((10, 3), dtype=int), 4)
    assert agr.fleiss_kappa(counts) == agr.Coefficient(0.0, agr.CONSTANT_RULE)
    assert agr.krippendorff_alpha(counts).value is None
    assert "undefined" in agr.krippendorff_alpha(counts).reason
    assert agr.gwet_ac1(counts).value == 1.0
    assert agr.gwet_ac1(counts[:, :1]).value is None
    assert agr.cohen_kappa([0, 0], [0, 0]) == agr.Coefficient(0.0, agr.CONSTANT_RULE)


def test_degenerate_from_nine_labels_in_ten():
    codes = np.zeros((10, 2), dtype=int)
    codes[0] = 1
    found = agr.agreement(agr.count_labels(codes, 2), range(10), rng=np.random.default_rng(0))
    assert found.dominant_share == 0.9
    assert found.degenerate
    codes[1, 0] = 1
    found = agr.agreement(agr.count_labels(codes, 2), range(10), rng=np.random.default_rng(0))
    assert not found.degenerate


def test_units_with_one_label_change_nothing():
    codes = np.array([[0, 0, 1], [1, 1, 1], [0, 1, -1]])
    alone = np.array([[0, -1, -1], [-1, -1, -1]])
    counts = agr.count_labels(codes, 2)
    more = agr.count_labels(np.vstack([codes, alone]), 2)
    first = agr.agreement(counts, [1, 2, 3], rng=np.random.default_rng(3))
    second = agr.agreement(more, [1, 2, 3, 4, 5], rng=np.random.default_rng(3))
    assert first == second


def test_the_exact_interval_equals_scipy():
    for k, n in [(0, 7), (7, 7), (3, 7), (120, 478), (1, 1)]:
        found = agr.binomial_interval(k, n, unit="label")
        expected = binomtest(k, n).proportion_ci(0.95, method="exact")
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-10)
        assert found.estimate == k / n


def test_the_bootstrap_draws_base_items_and_not_units():
    rng = np.random.default_rng(9)
    # Ten units of each base item agree or disagree together.
    per_base = rng.random(40) < 0.7
    codes = np.zeros((400, 2), dtype=int)
    codes[:, 1] = np.where(np.repeat(per_base, 10), 0, 1)
    counts = agr.count_labels(codes, 2)
    bases = np.repeat(np.arange(40), 10)
    by_base = agr.bootstrap_pairwise(counts, bases, rng=np.random.default_rng(1))
    by_unit = agr.bootstrap_pairwise(counts, np.arange(400), rng=np.random.default_rng(1), unit="u")
    assert by_base.n == 40
    assert by_base.high - by_base.low > 2.5 * (by_unit.high - by_unit.low)
    p = per_base.mean()
    expected = 2 * 1.96 * np.sqrt(p * (1 - p) / 40)
    assert by_base.high - by_base.low == pytest.approx(expected, rel=0.1)


def test_the_bootstrap_equals_a_loop_over_the_same_draws():
    codes = np.array([[0, 0, 1], [1, 1, 1], [0, 1, -1], [0, 0, 0], [1, 0, 0]])
    counts = agr.count_labels(codes, 2)
    bases = np.array(["x", "x", "y", "z", "z"])
    found = agr.bootstrap_pairwise(counts, bases, rng=np.random.default_rng(4), resamples=500)
    draws = np.random.default_rng(4).integers(0, 3, size=(500, 3))
    values = []
    for draw in draws:
        rows = [row for base in draw for row in np.flatnonzero(bases == "xyz"[base])]
        values.append(agr.pairwise_agreement(counts[rows]))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_what_can_still_be_reached():
    codes = np.array([[0, 1, -1], [0, -1, -1], [-1, -1, -1], [0, 1, 2]])
    counts = agr.count_labels(codes, 3)
    assert agr.reachable_agreement(counts, 3) == pytest.approx((1 / 3 + 1 + 1 + 0) / 4)
    # No filling of the gaps does better.
    best = 0.0
    for fill in np.ndindex(3, 3, 3, 3, 3, 3):
        full = codes.copy()
        full[full < 0] = fill
        best = max(best, agr.pairwise_agreement(agr.count_labels(full, 3)))
    assert agr.reachable_agreement(counts, 3) == pytest.approx(best)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agr.count_labels([0, 1], 2), "units x annotators"),
        (lambda: agr.count_labels([[0, 2]], 2), "from -1 to 1"),
        (lambda: agr.count_labels([[0.5]], 2), "whole numbers"),
        (lambda: agr.pairwise_agreement([[1, 0], [0, 1]]), "two or more labels"),
        (lambda: agr.pairwise_agreement([1, 0]), "units x categories"),
        (lambda: agr.cohen_kappa([0], [0, 1]), "one length"),
        (lambda: agr.binomial_interval(1, 0, unit="x"), "at least 1"),
        (lambda: agr.reachable_agreement([[3, 1]], 3), "at most 3"),
        (
            lambda: agr.bootstrap_pairwise([[2, 0]], ["x"], rng=np.random.default_rng(0)),
            "two or more clusters",
        ),
    ],
)
def test_what_the_definitions_do_not_cover_is_refused(call, message):
    with pytest.raises(StatisticsError, match=message):
        call()
