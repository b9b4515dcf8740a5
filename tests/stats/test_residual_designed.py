import json
from pathlib import Path

import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.residual_assignment import assignment_probe
from judgeprobe.stats.residual_designed import (
    Contrast,
    designed_contrasts,
    equivalence,
    unit_effects,
)
from judgeprobe.stats.residual_operator import Features
from judgeprobe.stats.residual_types import Gates


def two_by_two(
    n: int = 80, format_effect: float = 0.5, margin: float = 1.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Scores, units, formats (1 edited), constructs (1 bad) of n units with four cells each."""
    rng = np.random.default_rng(seed)
    units = np.repeat(np.arange(n), 4)
    formats, constructs = np.tile([0, 1, 0, 1], n), np.tile([0, 0, 1, 1], n)
    scores = (
        rng.normal(size=n)[units]
        + format_effect * formats
        - margin * constructs
        + 0.2 * rng.normal(size=4 * n)
    )
    return scores, units, formats, constructs


def contrasts(scores: np.ndarray, adjusted: np.ndarray, *codes: np.ndarray) -> dict[str, Contrast]:
    found = designed_contrasts(
        scores,
        adjusted,
        *codes,
        np.random.default_rng(0),
        format_names=("terse", "verbose"),
        construct_names=("correct", "buggy"),
        resamples=300,
    )
    return {each.name: each for each in found}


def test_planted_effects_equal_a_loop_over_units() -> None:
    scores, units, formats, constructs = two_by_two()
    adjusted = scores - 0.5 * formats
    found = contrasts(scores, adjusted, units, formats, constructs)
    assert len(found) == 6
    cell = {(u, f, c): s for s, u, f, c in zip(scores, units, formats, constructs, strict=True)}
    effect = [cell[u, 1, 0] - cell[u, 0, 0] for u in range(80)]
    margin = [cell[u, 0, 0] - cell[u, 0, 1] for u in range(80)]
    wins = [cell[u, 0, 0] > cell[u, 1, 1] for u in range(80)]
    one = found["verbose against terse, given correct"]
    assert one.raw == pytest.approx(np.mean(effect))
    assert one.change == pytest.approx(-0.5)
    assert one.attenuated is True
    assert one.raw_ends.low < one.raw < one.raw_ends.high
    kept = found["correct against buggy, given terse"]
    assert kept.raw == pytest.approx(np.mean(margin))
    assert kept.change == pytest.approx(0, abs=1e-12)
    assert kept.attenuated is None
    assert found["terse correct over verbose buggy"].raw == pytest.approx(np.mean(wins))
    assert found["verbose correct over terse buggy"].raw >= np.mean(wins)


def test_an_adjustment_that_adds_the_effect_is_no_attenuation() -> None:
    scores, units, formats, constructs = two_by_two(format_effect=0.0)
    found = contrasts(scores, scores + 0.4 * formats, units, formats, constructs)
    assert found["verbose against terse, given correct"].attenuated is False


def test_missing_cells_leave_their_unit_out_of_that_contrast_only() -> None:
    scores, units, formats, constructs = two_by_two(20)
    keep = ~((units < 5) & (formats == 1) & (constructs == 0))
    codes = [each[keep] for each in (units, formats, constructs)]
    found = contrasts(scores[keep], scores[keep], *codes)
    assert found["verbose against terse, given correct"].units == 15
    assert found["verbose against terse, given buggy"].units == 20


def test_equivalence_needs_the_interval_inside_the_margin() -> None:
    rng = np.random.default_rng(1)
    effects = 0.02 + 0.1 * rng.normal(size=200)
    assert equivalence(effects, "e", 0.05, rng).equivalent
    assert not equivalence(effects, "e", 0.02, rng).equivalent
    # Too few units to say so, whatever the mean.
    assert not equivalence(effects[:6], "e", 0.05, rng).equivalent
    with pytest.raises(StatisticsError, match="`margin` must be above 0"):
        equivalence(effects, "e", 0.0, rng)


def test_changes_are_residualized_minus_raw_as_published(shared_data: Path) -> None:
    """Table 1's change rows: change = res - raw, with an interval narrower than either."""
    path = shared_data / "residualization_audit" / "rm_code_paired_change.json"
    published = json.loads(path.read_text(encoding="utf-8"))["mbpp_base"]
    row = published["format_given_correct"]
    assert row["change"] == pytest.approx(row["res"] - row["raw"])
    scores, units, formats, constructs = two_by_two(353, format_effect=0.083, seed=2)
    adjusted = scores - 0.124 * formats
    found = contrasts(scores, adjusted, units, formats, constructs)
    ours = found["verbose against terse, given correct"]
    assert ours.change == pytest.approx(ours.adjusted - ours.raw)
    width = ours.change_ends.high - ours.change_ends.low
    assert width < ours.raw_ends.high - ours.raw_ends.low


def test_refusals() -> None:
    scores, units, formats, constructs = two_by_two(4)
    with pytest.raises(StatisticsError, match="two levels"):
        designed_contrasts(
            scores, scores, units, formats, constructs, np.random.default_rng(0),
            format_names=("a", "b"), construct_names=("x", "y", "z"),
        )  # fmt: skip
    with pytest.raises(StatisticsError, match="both formats"):
        contrasts(scores, scores, units, formats * 0, constructs)
    assert len(unit_effects(scores, units, formats, constructs, edited=1, construct=1)) == 4


def test_assignment_induces_collinearity_and_damage_while_raw_stays_flat() -> None:
    """Section 6.1: neutral at rho near 0, a loss at perfect collinearity, loading rising."""
    scores, units, formats, constructs = two_by_two(120, format_effect=0.0, seed=3)
    shown = formats + 0.05 * np.random.default_rng(4).normal(size=480)
    points = assignment_probe(
        scores, Features(shown[:, None], ("length",)), units, formats, constructs == 0,
        Gates(resamples=50), np.random.default_rng(0), probabilities=(0.5, 0.8, 1.0),
    )  # fmt: skip
    assert abs(points[0].rho) < 0.25
    assert points[2].rho == pytest.approx(1)
    assert points[0].win_adjusted == pytest.approx(points[0].win_raw, abs=0.05)
    assert points[2].win_adjusted < points[2].win_raw - 0.2
    assert points[2].loading > points[0].loading + 0.1
    raw = [point.win_raw for point in points]
    assert max(raw) - min(raw) < 0.05
    with pytest.raises(StatisticsError, match="needs 20 units"):
        assignment_probe(
            scores[:40], Features(shown[:40, None], ("length",)), units[:40], formats[:40],
            constructs[:40] == 0, Gates(), np.random.default_rng(0),
        )  # fmt: skip
