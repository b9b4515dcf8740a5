"""The pytest plugin, in a test suite of a team's own that runs in another process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.pair_tables import write_pairs
from tests.helpers.profile_study import grades, interventions, write_study

from judgeprobe.profile import profile_study

SUITE = """
def test_it_still_notices(judge_profile, assert_profile):
    assert_profile(judge_profile(), judge="a", min_s=0.9, min_r={wanted})

def test_pairs_can_be_named(judge_profile):
    from judgeprobe.pytest_plugin import assert_profile
    assert_profile(judge_profile("pairs.csv", resamples=100, permutations=100), min_r=0.4)
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    rows = interventions()
    study = write_study(tmp_path / "study", rows, grades(rows, {"a": (1, 1, 4, 1, 4, 4, 1, 4, 4)}))
    profile_study(study)
    write_pairs(
        tmp_path / "pairs.csv",
        [("a", "b1", "domain_extension", 4, 1), ("a", "b1", "format_shift", 4, 4)],
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\njudgeprobe_study = study\n")
    return tmp_path


def run(suite: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    source = Path(__file__).resolve().parents[1] / "src"
    environment = {
        **os.environ,
        "PYTHONPATH": str(source),
        # The plugin may be installed already; it is named once, here.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "judgeprobe.pytest_plugin", *arguments]
    return subprocess.run(
        command, cwd=suite, env=environment, capture_output=True, text=True, check=False
    )


def test_a_judge_that_notices_passes_and_one_that_does_not_fails(suite: Path) -> None:
    (suite / "test_judge.py").write_text(
        SUITE.format(wanted=0.6) + SUITE.format(wanted=0.8).replace("def test_", "def test_high_")
    )
    done = run(suite)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 3 passed" in done.stdout
    assert "a: R 0.667 at S 1.000 (at cut 2.5); R >= 0.8 at S >= 0.9 wanted" in done.stdout


def test_a_study_that_is_not_named_or_not_there_is_told(suite: Path) -> None:
    (suite / "test_judge.py").write_text(SUITE.format(wanted=0.6))
    (suite / "pytest.ini").write_text("[pytest]\n")
    done = run(suite, "-k", "notices")
    assert "name a study: judgeprobe_study" in done.stdout
    done = run(suite, "-k", "notices", "--judgeprobe-study", "elsewhere")
    assert "elsewhere" in done.stdout
    assert done.returncode == 1


def test_the_wheel_registers_it() -> None:
    import tomllib

    text = (Path(__file__).resolve().parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    entry = tomllib.loads(text)["project"]["entry-points"]["pytest11"]
    assert entry == {"judgeprobe": "judgeprobe.pytest_plugin"}
