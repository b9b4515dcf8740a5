"""How often does a comparison of two gradings err? Seeded runs, tolerances from chance alone.

A judge grades every base item and four edits of it: two construct edits, each noticed with chance
0.5 and then moved by a gamma-distributed amount, and two invariance edits. Its grades carry normal
noise that is drawn anew in each grading.
"""

import math

import numpy as np
import pytest

from judgeprobe.stats.arrays import make_design
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.stats.two_readings import compare_readings
from judgeprobe.variants.status import of_remedy, of_variant

pytestmark = pytest.mark.statistical

FLOOR = 0.8
AXIS = ["scope", "strength", "control", "control"]


def design(n):
    return make_design(np.repeat(np.arange(n), len(AXIS)), AXIS * n, ("scope", "strength"))


def items(rng, n):
    """Quality, how far a noticed edit moves, and how easily each edit is noticed (0 to 1)."""
    quality = np.repeat(rng.normal(3.5, 0.7, n), len(AXIS))
    hardness = np.where(design(n).construct, rng.random(len(quality)), 2.0)
    return quality, rng.gamma(2, 0.8, len(quality)), hardness


def graded(rng, drawn, noise, step, share=0.5):
    quality, reach, hardness = drawn
    moved = np.where(hardness < share, reach, 0.0)
    n = len(quality) // len(AXIS)
    original = quality + np.repeat(rng.normal(0, noise, n), len(AXIS))
    edited = quality - moved + rng.normal(0, noise, len(quality))
    return tuple(np.clip(np.round(column / step) * step, 0, 5) for column in (original, edited))


def compared(rng, n, steps=(0.25, 0.25), shares=(0.5, 0.5), count=300):
    drawn = items(rng, n)
    sides = [
        graded(rng, drawn, 0.2, step, share) for step, share in zip(steps, shares, strict=True)
    ]
    return compare_readings(
        design(n),
        *sides,
        floor=FLOOR,
        levels=(),
        resamples=Resamples.draw(n, count, rng),
        level=0.95,
    )


def holds(change, truth, *, fixed=False):
    low, high = change.fixed if fixed else (change.low, change.high)
    return low <= truth <= high


def at_most(rate, nominal, n):
    """Whether a rate is above nominal by no more than chance in n runs allows (3 errors)."""
    return rate <= nominal + 3 * math.sqrt(nominal * (1 - nominal) / n)


@pytest.mark.parametrize("n", [40, 120])
def test_two_gradings_of_one_judge_are_seldom_said_to_differ(n):
    rng = np.random.default_rng(n)
    runs, missed, fixed, moved, contradicted = 0, {"S": 0, "R": 0}, 0, 0, 0
    while runs < 200:
        got = compared(rng, n).operating
        if got is None:
            continue
        runs += 1
        for name in missed:
            missed[name] += not holds(getattr(got, name), 0.0)
        fixed += not holds(got.S, 0.0, fixed=True)
        moved += of_variant(got, 0.05).name == "moved"
        contradicted += of_remedy(got, 0.05).name == "contradicted"
    print(
        f"n {n}: missed {missed} of {runs}; S at fixed cuts {fixed}; moved {moved}, {contradicted}"
    )
    for count in (*missed.values(), contradicted):
        assert at_most(count / runs, 0.05, runs)
    assert at_most(moved / runs, 0.10, runs)
    # Why the cuts are chosen anew: at fixed cuts S would be said to differ far too often.
    assert fixed > missed["S"]


def test_a_planted_difference_is_covered():
    n, shares = 100, (0.4, 0.8)
    rng = np.random.default_rng(11)
    truth = compared(np.random.default_rng(1), 40_000, shares=shares, count=2).operating
    runs = covered = 0
    estimates = []
    while runs < 200:
        got = compared(rng, n, shares=shares).operating
        if got is None:
            continue
        runs += 1
        estimates.append(got.R.difference)
        covered += holds(got.R, truth.R.difference)
    print(
        f"truth {truth.R.difference:.3f}, mean {np.mean(estimates):.3f}, covered {covered}/{runs}"
    )
    assert truth.R.difference > 0.1
    assert at_most(1 - covered / runs, 0.05, runs)


def test_a_finer_scale_of_the_same_judge_gains_little_by_choice_of_the_cut():
    rng = np.random.default_rng(21)
    differences = []
    while len(differences) < 150:
        got = compared(rng, 80, steps=(0.25, 0.05)).operating
        if got is not None:
            differences.append(got.R.difference)
    mean = float(np.mean(differences))
    print(f"mean difference of R on a scale five times finer: {mean:+.4f}")
    assert abs(mean) < 0.03
