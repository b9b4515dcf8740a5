import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.slots import eta_squared

# Table 6 of the construct-validity reference.
PUBLISHED = {
    "quantifier_strengthening": ("scope", 0.445),
    "domain_extension": ("scope", 0.445),
    "tense_modality_shift": ("scope", 0.358),
    "population_widening": ("scope", 0.299),
    "condition_removal": ("strength", 0.379),
    "intensifier_addition": ("strength", 0.235),
    "hedging_removal": ("strength", 0.210),
}


def test_the_published_slot_table_gives_the_published_eta_squared() -> None:
    groups, rates = zip(*PUBLISHED.values(), strict=True)
    assert round(eta_squared(rates, groups), 2) == 0.40


def test_it_is_the_r_squared_of_a_regression_on_the_groups() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        groups = [str(g) for g in rng.permutation([0, 0, 0, 1, 1, 2, 2, 2])]
        rates = rng.random(8)
        dummies = np.array([[float(g == k) for k in "012"] for g in groups])
        fitted = dummies @ np.linalg.lstsq(dummies, rates, rcond=None)[0]
        expected = 1 - ((rates - fitted) ** 2).sum() / ((rates - rates.mean()) ** 2).sum()
        assert eta_squared(rates, groups) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("rates", "groups", "told"),
    [
        ([0.1, 0.2], ["a", "a"], "two groups"),
        ([0.1, 0.2], ["a", "b"], "group of its own"),
        ([0.2, 0.2, 0.2], ["a", "a", "b"], "same rate"),
        ([0.2, 0.2, 0.2], ["a", "b"], "one length"),
    ],
)
def test_what_has_no_eta_squared_is_refused(rates, groups, told) -> None:
    with pytest.raises(StatisticsError, match=told):
        eta_squared(rates, groups)
