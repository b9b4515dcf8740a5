"""Do the clustered intervals cover, and how often does a null adjustment pass the slice-gain test?

The figures are in docs/methods/residualization.md.
"""

import numpy as np
import pytest

from judgeprobe.stats.auc import auc, auc_draws
from judgeprobe.stats.group_bootstrap import group_draws, percentile_ends
from judgeprobe.stats.residual_audit import dual_report, eligibility_stage
from judgeprobe.stats.residual_operator import Features, fitted_component
from judgeprobe.stats.residual_types import AuditData, Gates

pytestmark = pytest.mark.statistical

RUNS = 400
# Three binomial deviations of a 95% interval over 400 runs are 0.033.
SLACK = 3 * np.sqrt(0.95 * 0.05 / RUNS)


def clustered(rng: np.random.Generator, n_groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, scores and groups; scores of a group share half of their noise."""
    groups = np.repeat(np.arange(n_groups), 5)
    labels = rng.integers(0, 2, len(groups))
    noise = (rng.normal(size=n_groups)[groups] + rng.normal(size=len(groups))) / np.sqrt(2)
    return labels, labels + noise, groups


def test_clustered_auc_intervals_cover() -> None:
    rng = np.random.default_rng(0)
    labels, scores, _ = clustered(rng, 40_000)
    truth = auc(labels, scores)
    covered = 0
    for seed in range(RUNS):
        rng = np.random.default_rng(1000 + seed)
        labels, scores, groups = clustered(rng, 80)
        ends = percentile_ends(auc_draws(labels, scores, group_draws(80, 300, rng), groups))
        covered += ends.low <= truth <= ends.high
    print(f"coverage of the clustered 95% AUC interval: {covered / RUNS:.3f} of {RUNS}")
    assert abs(covered / RUNS - 0.95) < SLACK + 0.01


def test_a_null_adjustment_passes_at_the_nominal_rate() -> None:
    """Two exchangeable noisy views of the construct: neither is better on any population."""
    passed = 0
    for seed in range(RUNS):
        rng = np.random.default_rng(2000 + seed)
        groups = np.repeat(np.arange(80), 5)
        construct = rng.normal(size=400)
        labels = (construct > 0).astype(int)
        cues = Features((construct + 1.2 * rng.normal(size=400))[:, None], ("cue",))
        data = AuditData(labels, cues, cues, groups)
        gates = Gates(resamples=200)
        found = eligibility_stage(data, gates, rng)
        one, other = (construct + rng.normal(size=400) for _ in range(2))
        passed += dual_report(data, one, other, gates, found).gain_shown
    print(f"false passes of the slice-gain test: {passed / RUNS:.3f} of {RUNS} (nominal 0.025)")
    assert passed / RUNS <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / RUNS)


def test_subtracting_what_carries_nothing_passes_no_more_often() -> None:
    """The operator itself on features that have nothing to do with score or label."""
    passed = 0
    for seed in range(RUNS):
        rng = np.random.default_rng(3000 + seed)
        groups = np.repeat(np.arange(80), 5)
        construct = rng.normal(size=400)
        labels = (construct > 0).astype(int)
        cue = Features((construct + 1.2 * rng.normal(size=400))[:, None], ("cue",))
        noise = Features(rng.normal(size=(400, 5)), tuple("abcde"))
        gates = Gates(resamples=200)
        found = eligibility_stage(AuditData(labels, noise, cue, groups), gates, rng)
        scores = construct + rng.normal(size=400)
        after = scores - fitted_component(scores, noise, found.folds)
        data = AuditData(labels, noise, cue, groups)
        passed += dual_report(data, scores, after, gates, found).gain_shown
    print(f"false passes when the features carry nothing: {passed / RUNS:.3f} of {RUNS}")
    assert passed / RUNS <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / RUNS)
