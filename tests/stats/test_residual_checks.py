"""Sweeps, controls on the slice, triage."""

import dataclasses

import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.residual_audit import eligibility_stage
from judgeprobe.stats.residual_controls import (
    disjoint_label,
    nested_split_half,
    placebo,
    sub_blocks,
)
from judgeprobe.stats.residual_models import controlled_model
from judgeprobe.stats.residual_operator import Features, fitted_component
from judgeprobe.stats.residual_sensitivity import (
    LENGTH_FORMS,
    alpha_sweep,
    conditional_quantile,
    fold_seeds,
    gate_sweep,
    label_noise,
    length_only,
    representations,
    residualizers,
    row_level_folds,
)
from judgeprobe.stats.residual_triage import triage
from judgeprobe.stats.residual_types import AuditData, Eligibility, Gates

GATES = Gates(resamples=60)


@pytest.fixture(scope="module")
def case() -> tuple[AuditData, np.ndarray, Eligibility, np.ndarray]:
    model = controlled_model(np.random.default_rng(0), rho=0.5, n=800)
    features = Features(model.features, tuple(f"phi_{i}" for i in range(8)))
    groups = np.arange(800) // 4
    data = AuditData(model.labels, features, features, groups)
    found = eligibility_stage(data, GATES, np.random.default_rng(0))
    fitted = fitted_component(model.scores, features, found.folds)
    return data, model.scores, found, fitted


Case = tuple[AuditData, np.ndarray, Eligibility, np.ndarray]


def test_every_sweep_gives_the_gain_beside_the_full_change(case: Case) -> None:
    data, scores, found, _ = case
    rng = np.random.default_rng(0)
    swept = [
        *alpha_sweep(data, scores, found),
        *fold_seeds(data, scores, GATES, (0, 1)),
        *row_level_folds(data, scores, GATES, found),
        *representations(data, scores, GATES, found),
        *label_noise(data, scores, GATES, rng),
        *length_only(data, scores, found, data.features.dense[:, 0]),
    ]
    assert len(swept) == 4 + 2 + 2 + 4 + 6 + len(LENGTH_FORMS)
    for variant in swept:
        assert np.isfinite(variant.full_change)
        assert variant.gain is not None
    alphas = {v.name: v for v in swept[:4]}
    assert alphas["alpha 100"].decorrelation > alphas["alpha 1"].decorrelation
    # The committed run is one of them.
    assert swept[4].gain == pytest.approx(alphas["alpha 1"].gain)


def test_residualizers_all_close_a_linear_channel(case: Case) -> None:
    data, scores, found, _ = case
    for variant in residualizers(data, scores, found):
        assert variant.gain is not None
        assert variant.gain > 0.1, variant.name


def test_conditional_quantile_is_a_rank_inside_bins() -> None:
    rng = np.random.default_rng(1)
    fitted = rng.normal(size=400)
    erased = conditional_quantile(5 * fitted + rng.normal(size=400), fitted)
    assert erased.min() > 0
    assert erased.max() < 1
    assert abs(np.corrcoef(erased, fitted)[0, 1]) < 0.2


def test_gates_only_move_the_verdict(case: Case) -> None:
    data, scores, found, _ = case
    told = {
        (row["gate"], row["value"]): row["outcome"]
        for row in gate_sweep(data, scores, GATES, found)
    }
    assert told["eligibility", 0.65] == "measured slice gain"
    high = dataclasses.replace(GATES, eligibility=0.99)
    moved = gate_sweep(data, scores, high, found)
    assert {row["outcome"] for row in moved if row["gate"] == "loading"} == {"no usable slice"}
    strict = dataclasses.replace(GATES, degradation=0.99)
    assert {
        row["outcome"]
        for row in gate_sweep(data, scores, strict, found)
        if row["gate"] == "loading"
    } == {"screen refuses"}


def test_controls(case: Case) -> None:
    data, scores, found, fitted = case
    rng, adjusted = np.random.default_rng(0), scores - fitted
    half = nested_split_half(data, scores, GATES, found, rng)
    assert half.gain is not None
    assert half.gain > 0.1
    assert half.ends is not None
    assert half.ends.low < half.gain < half.ends.high
    fake = placebo(data, scores, adjusted, GATES, found, rng)
    assert fake.remark.startswith("placebo AUC 0.7")
    # A slice that knows nothing of the features shows what the whole population shows.
    assert fake.gain is not None
    assert fake.gain == pytest.approx(fake.full_change, abs=0.1)
    parts = sub_blocks(
        data, scores, adjusted, GATES, found, [("one", data.features.only(("phi_0",)))]
    )
    assert parts[0].n_slice > 0
    second = np.where(np.random.default_rng(2).random(800) < 0.03, 1 - data.labels, data.labels)
    other = disjoint_label(data, scores, adjusted, GATES, found, second)
    same = disjoint_label(data, scores, adjusted, GATES, found, data.labels)
    assert same.gain is not None
    assert other.gain is not None
    assert 0 < other.gain < same.gain
    with pytest.raises(StatisticsError, match="second label holds one class"):
        disjoint_label(data, scores, adjusted, GATES, found, np.ones(800, int))


def test_triage_ranks_the_slice_first_and_changes_no_score(case: Case) -> None:
    _, scores, found, fitted = case
    before = scores.copy()
    ranked = triage(scores, fitted, found)
    assert np.array_equal(scores, before)
    assert sorted(ranked.order) == list(range(800))
    assert ranked.auc > 0.6
    assert ranked.caught > 0.15
    assert (np.diff(ranked.risk[ranked.order]) <= 0).all()
    empty = dataclasses.replace(found, slice_rows=np.zeros(800, bool))
    with pytest.raises(StatisticsError, match="empty or everything"):
        triage(scores, fitted, empty)


def test_a_constant_length_corrects_nothing(case: Case) -> None:
    data, scores, found, _ = case
    with pytest.raises(StatisticsError, match="constant"):
        length_only(data, scores, found, np.ones(800))
