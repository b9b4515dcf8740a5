import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.arrays import make_design
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.stats.direction import member_agreement, right_way


def test_a_verdict_can_change_the_wrong_way() -> None:
    axis = ["scope", "strength", "scope", "control"]
    design = make_design([0, 0, 1, 1], axis, ["scope", "strength"])
    changed = np.array([True, True, True, True])
    fell = np.array([True, False, True, True])
    drawn = Resamples.draw(2, 500, np.random.default_rng(0))
    found = right_way(design, changed, fell, drawn, 0.95)
    # The control pair does not count.
    assert (found.n, found.estimate) == (3, pytest.approx(2 / 3))
    # Resamples: both items (2/3), the first twice (1/2), the second twice (1).
    assert (found.low, found.high) == (0.5, 1.0)
    with pytest.raises(StatisticsError, match="no construct edit changed"):
        right_way(design, ~changed, fell, drawn, 0.95)


@pytest.mark.parametrize("seed", range(10))
def test_agreement_with_people_equals_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base = np.repeat(np.arange(30), 3)
    axis = rng.choice(["scope", "strength", "control"], 90)
    design = make_design(base, list(axis), ["scope", "strength"])
    changed, fell = rng.random(90) < 0.5, rng.random(90) < 0.7
    graded = rng.random(90) < 0.9
    drawn = Resamples.draw(30, 200, rng)
    found = member_agreement(design, changed, fell, graded, drawn, 0.95)
    people = np.where(axis == "control", 1, 2)[graded]
    judge = np.where(changed, np.where(fell, 2, 0), 1)[graded]
    assert found.n == graded.sum()
    assert found.raw == pytest.approx(np.mean(people == judge))
    plain = cohen_kappa_score(people, judge, labels=[0, 1, 2])
    weighted = cohen_kappa_score(people, judge, labels=[0, 1, 2], weights="linear")
    assert found.kappa.estimate == pytest.approx(plain, abs=1e-12)
    assert found.weighted.estimate == pytest.approx(weighted, abs=1e-12)
    assert found.weighted.low <= found.weighted.estimate <= found.weighted.high


def test_a_judge_that_never_moves_on_one_arm_is_degenerate_and_zero() -> None:
    design = make_design([0, 1], ["control", "control"], ["scope", "strength"])
    nothing = np.zeros(2, dtype=bool)
    drawn = Resamples.draw(2, 100, np.random.default_rng(0))
    found = member_agreement(design, nothing, nothing, ~nothing, drawn, 0.95)
    assert (found.kappa.estimate, found.degenerate, found.raw) == (0.0, True, 1.0)
