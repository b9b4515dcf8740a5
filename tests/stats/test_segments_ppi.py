"""Is the corrected mean that of ppi-python, by the people who wrote the method?"""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from judgeprobe.stats.segments import Corrected, corrected_mean

SCRIPT = Path(__file__).resolve().parents[1] / "helpers/ppi_run.py"
Draw = tuple[np.ndarray, np.ndarray]


def python_with_ppi() -> str:
    named = os.environ.get("JUDGEPROBE_PPI_PYTHON")
    if named is not None:
        return named
    if importlib.util.find_spec("ppi_py") is None:
        pytest.skip("ppi-python is not installed; set JUDGEPROBE_PPI_PYTHON to a Python with it")
    return sys.executable


def draws() -> Iterator[Draw]:
    """Judges from useless to exact, also inverted ones; grades and 0/1 labels; 20 to 400 labels."""
    rng = np.random.default_rng(20261130)
    for labels in (20, 60, 400):
        for rest in (100, 2000):
            for slope in (-1.0, 0.0, 0.3, 1.0, 3.0):
                for binary in (False, True):
                    n = labels + rest
                    truth = rng.normal(0, 1, n)
                    judge = slope * truth + rng.normal(0, 0.5, n) + 0.4
                    if binary:
                        truth, judge = (truth > 0).astype(float), (judge > 0).astype(float)
                    gold = np.full(n, np.nan)
                    chosen = rng.permutation(n)[:labels]
                    gold[chosen] = truth[chosen]
                    yield judge, gold


def both(tmp_path: Path) -> Iterator[tuple[Draw, Corrected, list[float]]]:
    python = python_with_ppi()
    made = list(draws())
    named = {f"f{i}": judge for i, (judge, _) in enumerate(made)}
    named |= {f"y{i}": gold for i, (_, gold) in enumerate(made)}
    np.savez(tmp_path / "draws.npz", **named)
    command = [python, str(SCRIPT), str(tmp_path / "draws.npz")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=240)
    for draw, theirs in zip(made, json.loads(done.stdout), strict=True):
        yield draw, corrected_mean(*draw), theirs


def test_the_estimate_is_theirs_and_the_interval_differs_by_what_is_said(tmp_path: Path):
    estimate, width, compared, alone = 0.0, 0.0, 0, 0
    for (judge, gold), ours, (theirs, low, high) in both(tmp_path):
        if ours.reason:
            # Labels alone: one of the two fall-backs, which ppi-python does not have.
            alone += 1
            continue
        compared += 1
        estimate = max(estimate, abs(ours.corrected - theirs))
        # Theirs divides by n where ours divides by n - 1, and is normal where ours is Student's t.
        known = ~np.isnan(gold)
        n, rest = known.sum(), (~known).sum()
        rectified = (gold - ours.tuning * judge)[known]
        error = np.sqrt(ours.tuning**2 * judge[~known].var() / rest + rectified.var() / n)
        width = max(width, abs((high - low) / 2 - 1.959963984540054 * error))
        assert ours.high - ours.low > high - low
    assert (compared, alone) == (54, 6)
    assert estimate < 1e-12
    assert width < 1e-12
