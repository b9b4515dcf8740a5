"""Simulated studies with known truth, and what the profile's statistics make of them.

    python -m tests.statistical.simulate        prints the figures of docs/methods/intervals.md

Each base item has its own chance of a change in each arm and axis (beta distributed, correlation
0.2 between edits of one base item), one to three invariance edits and one or two edits on each
axis. Judges give two grades, so there is one cut and (s, r) is known.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from judgeprobe.stats.arrays import Design, make_design
from judgeprobe.stats.bootstrap import Resamples, bca, jackknife_rates, percentile, rate_draws
from judgeprobe.stats.frontier import crossings
from judgeprobe.stats.permutation import axis_permutation
from judgeprobe.stats.profile import edit_shares

GRID = (0.1, 0.3, 0.5, 0.7, 0.9)
N_BASE = 200
CORRELATION = 0.2
AXES = ("scope", "strength")
# R on the strength axis, as a share of R on the scope axis.
STRENGTH = 0.8


@dataclass(frozen=True)
class Simulated:
    """One study: its design, and every judge's changes."""

    design: Design
    before: np.ndarray
    after: np.ndarray


def beta(mean: float, n: int, rng: np.random.Generator) -> np.ndarray:
    size = (1 - CORRELATION) / CORRELATION
    return rng.beta(mean * size, (1 - mean) * size, n)


def simulate(
    s: float,
    scope: float,
    strength: float,
    rng: np.random.Generator,
    *,
    judges: int = 1,
    unequal: bool = False,
) -> Simulated:
    """One study. `unequal`: none to three edits on each axis, drawn apart, at least one in all.

    With equally many edits on both axes the contrast moves in steps of 1/800 and one p-value in
    twenty-five is the same as the next: too coarse to be compared with a uniform distribution.
    """
    per_axis = rng.integers(1, 3, N_BASE)
    edits = np.stack([per_axis, per_axis, rng.integers(1, 4, N_BASE)], axis=1)
    if unequal:
        edits[:, :2] = rng.integers(0, 4, (N_BASE, 2))
        edits[edits[:, :2].sum(axis=1) == 0, 0] = 1
    base = np.repeat(np.arange(N_BASE), edits.sum(axis=1))
    kind = np.concatenate([np.repeat([0, 1, 2], row) for row in edits])
    # Base items differ, and all judges feel it.
    chance = np.stack([beta(mean, N_BASE, rng) for mean in (scope, strength, 1 - s)], axis=1)
    if scope == strength:
        chance[:, 1] = chance[:, 0]
    changed = rng.random((judges, len(base))) < chance[base, kind]
    before = np.broadcast_to(np.where(base % 2 == 0, 4.0, 1.0), changed.shape)
    after = np.where(changed, 5.0 - before, before)
    names = np.array([*AXES, "control"])[kind]
    return Simulated(make_design(base, list(names), AXES), before, after)


def covered(s: float, r: float, seed: int, resamples: int = 1000) -> dict[str, bool]:
    """Whether the 95 percent intervals of one simulated study hold the truth."""
    rng = np.random.default_rng([int(1000 * s), int(1000 * r), seed])
    strength = STRENGTH * r
    study = simulate(s, r, strength, rng)
    crossed = crossings(study.before[0], study.after[0])
    assert len(crossed.taus) == 1
    shares = edit_shares(study.design, study.design.groups, crossed.changed(0), crossed.graded)
    draws = rate_draws(Resamples.draw(N_BASE, resamples, rng), shares)
    rates, left = shares.rates(), jackknife_rates(shares)
    gap, gap_left = draws[:, 2] - draws[:, 3], left[:, 2] - left[:, 3]
    estimate = float(rates[2] - rates[3])
    intervals = {
        "S": (1 - s, percentile(float(rates[0]), draws[:, 0], 0.95, n=N_BASE)),
        "R": ((r + strength) / 2, percentile(float(rates[1]), draws[:, 1], 0.95, n=N_BASE)),
        "gap": (r - strength, percentile(estimate, gap, 0.95, n=N_BASE)),
        "gap, BCa": (r - strength, bca(estimate, gap, gap_left, 0.95, n=N_BASE)),
    }
    return {name: one.low <= truth <= one.high for name, (truth, one) in intervals.items()}


def coverage(s: float, r: float, studies: int) -> dict[str, float]:
    rows = [covered(s, r, seed) for seed in range(studies)]
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def under_no_difference(seed: int, permutations: int = 499) -> tuple[float, bool]:
    """Permutation p-value, and whether the interval excludes zero, without an axis difference."""
    rng = np.random.default_rng([77, seed])
    study = simulate(0.9, 0.4, 0.4, rng, judges=2, unequal=True)
    design = study.design
    crossed = [crossings(*row) for row in zip(study.before, study.after, strict=True)]
    changed = np.array([one.changed(0) for one in crossed])
    both = np.flatnonzero(design.construct)
    test, _ = axis_permutation(
        design.base[both],
        design.axes[0][both],
        changed[:, both],
        np.ones((2, len(both)), dtype=bool),
        permutations,
        rng,
    )
    drawn = Resamples.draw(N_BASE, 1000, rng)
    gaps = []
    for one in crossed:
        shares = edit_shares(design, design.axes, one.changed(0), one.graded)
        draws = rate_draws(drawn, shares)
        gaps.append(draws[:, 0] - draws[:, 1])
    interval = percentile(test.estimate, np.mean(gaps, axis=0), 0.95, n=N_BASE)
    return test.p, bool(interval.low > 0 or interval.high < 0)


def main() -> None:
    print("| s | r | S | R | gap | gap, BCa |\n|---|---|---|---|---|---|")
    cells = []
    for s in GRID:
        for r in GRID:
            cells.append(coverage(s, r, 400))
            told = " | ".join(f"{value:.3f}" for value in cells[-1].values())
            print(f"| {s} | {r} | {told} |", flush=True)
    mean = {name: float(np.mean([cell[name] for cell in cells])) for name in cells[0]}
    print("| all | all | " + " | ".join(f"{value:.4f}" for value in mean.values()) + " |")
    p, excluded = zip(*(under_no_difference(seed) for seed in range(1000)), strict=True)
    print(f"KS against uniform: p = {stats.kstest(p, 'uniform').pvalue:.3f}")
    print(f"permutation p <= 0.05: {np.mean(np.array(p) <= 0.05):.3f}")
    print(f"interval excludes zero: {np.mean(excluded):.3f}")


if __name__ == "__main__":
    main()
