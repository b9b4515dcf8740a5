import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from judgeprobe.stats.pair_length import length_facts

RNG = np.random.default_rng(0)


def test_shares_by_hand_with_the_wilson_interval() -> None:
    facts = length_facts(
        ["aaa", "a", "aa", "a"], ["b", "bb", "b", "b"], np.array([0, 0, 1, 1]), None, RNG
    )
    assert facts.n_equal == 1
    assert facts.preferred_longer is not None
    assert facts.preferred_shorter is not None
    assert facts.preferred_longer.estimate == pytest.approx(1 / 3)
    assert facts.preferred_shorter.estimate == pytest.approx(2 / 3)
    low, high = proportion_confint(1, 3, method="wilson")
    assert (facts.preferred_longer.low, facts.preferred_longer.high) == pytest.approx((low, high))
    assert facts.preferred_shorter.low == pytest.approx(1 - high)


def test_the_published_share_of_rewardbench() -> None:
    # Longer in 40.3% of 2,985 pairs, so "prefer the shorter" is right on 59.7%.
    labels = (np.arange(2985) >= 1203).astype(int)
    facts = length_facts(["aa"] * 2985, ["b"] * 2985, labels, None, RNG)
    assert facts.preferred_longer is not None
    assert facts.preferred_shorter is not None
    assert round(facts.preferred_longer.estimate, 3) == 0.403
    assert round(facts.preferred_shorter.estimate, 3) == 0.597


def test_groups_of_several_pairs_widen_the_interval() -> None:
    labels = np.repeat(np.tile([0, 1], 10), 8)
    texts = (["aa"] * 160, ["b"] * 160)
    alone = length_facts(*texts, labels, None, RNG).preferred_longer
    clustered = length_facts(*texts, labels, np.repeat(np.arange(20), 8), RNG).preferred_longer
    assert alone is not None
    assert clustered is not None
    assert clustered.high - clustered.low > 2 * (alone.high - alone.low)


def test_equal_lengths_decide_nothing() -> None:
    facts = length_facts(["aa"] * 5, ["bb"] * 5, np.zeros(5, int), None, RNG)
    assert facts.preferred_longer is None
    assert facts.n_equal == 5
