"""Whole studies with a judge written in Python: fast, and counted by the judge itself."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest
from tests.end_to_end.commands import command, files_of, judgeprobe

pytestmark = pytest.mark.end_to_end

STUDY = """
[study]
name = "words"
seed = 7
base_items = "shipped"
direction = "construction"
limit = 12

[[judges]]
name = "words"
call = "counting_judge:grade"

[profile]
resamples = 200
permutations = 200
"""

# Appends one line a call, so that a text asked twice is seen; the first words decide the grade.
JUDGE = """
import os, time
from pathlib import Path

LOG = Path(os.environ["COUNTING_JUDGE_LOG"])
PAUSE = float(os.environ.get("COUNTING_JUDGE_PAUSE", "0"))

def grade(evidence, claim):
    with LOG.open("a") as log:
        log.write(str(abs(hash((evidence, claim)))) + "\\n")
    time.sleep(PAUSE)
    return (len(claim) % 21) * 0.25
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY)
    (tmp_path / "counting_judge.py").write_text(JUDGE)
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    )
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    monkeypatch.setenv("COUNTING_JUDGE_LOG", str(tmp_path / "calls.log"))
    return folder


def calls(study: Path) -> list[str]:
    log = study.parent / "calls.log"
    return log.read_text().split() if log.exists() else []


def test_a_second_run_calls_nothing_and_changes_no_byte(study: Path) -> None:
    first = judgeprobe("run", str(study))
    assert first.status == 0, first.err
    made, asked = files_of(study), calls(study)
    assert len(asked) == len(set(asked)) > 0
    again = judgeprobe("run", str(study), "--json")
    assert again.status == 0, again.err
    assert again.json["sweep"]["calls"] == 0
    assert calls(study) == asked
    assert files_of(study) == made


def test_the_controls_measure_what_they_must_and_stand_in_the_printed_table(study: Path) -> None:
    ran = judgeprobe("run", str(study), "--json")
    assert ran.status == 0, ran.err
    controls = {row["judge"]: row for row in ran.json["profile"]["controls"]}
    assert (controls["constant"]["S"], controls["constant"]["R"]) == (1.0, 0.0)
    assert (controls["flip"]["S"], controls["flip"]["R"]) == (0.0, 1.0)
    planted = controls["planted(0.9, 0.4)"]
    for name, value in (("S", 0.9), ("R", 0.4)):
        low, high = planted[f"{name}_interval"]
        assert low <= value <= high
        assert low < high
    printed = judgeprobe("profile", str(study)).out
    for name in controls:
        assert name in printed


def test_a_control_that_misses_is_said_first_and_is_exit_status_3(study: Path) -> None:
    assert judgeprobe("run", str(study), "--quiet").status == 0
    from judgeprobe.files import parquet_metadata, write_parquet

    path = study / "grades.parquet"
    grades, hashes = pd.read_parquet(path), parquet_metadata(path)
    flip = grades.index[grades["judge"] == "flip"]
    grades.loc[flip, "value"] = grades.loc[flip[0], "value"]
    write_parquet(path, grades, hashes)
    ran = judgeprobe("profile", str(study))
    assert ran.status == 3
    assert ran.out.startswith("BROKEN INSTRUMENT: flip")
    page = judgeprobe("report", str(study))
    assert page.status == 3
    assert "flip" in (study / "report.html").read_text().split("<table")[0]


def test_killed_at_random_points_it_ends_in_the_same_bytes(
    study: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # All items: a sweep of twelve would be over within the time in which replies wait in memory.
    everything = STUDY.replace("limit = 12\n", "")
    (study / "study.toml").write_text(everything)
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "study.toml").write_text(everything)
    assert judgeprobe("run", str(whole), "--quiet").status == 0
    asked = set(calls(whole))
    (tmp_path / "calls.log").unlink()

    assert judgeprobe("build", str(study), "--quiet").status == 0
    monkeypatch.setenv("COUNTING_JUDGE_PAUSE", "0.5")
    rng = random.Random(3)
    for _ in range(4):
        process = subprocess.Popen(command("sweep", str(study), "--quiet"))
        time.sleep(rng.uniform(1.0, 3.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
    # A kill may lose the 32 calls on their way and the replies of the last second, 64 at this pace.
    lost = 4 * (32 + 64)
    assert judgeprobe("run", str(study), "--quiet").status == 0
    assert set(calls(study)) == asked
    assert len(calls(study)) <= len(asked) + lost
    assert files_of(study) == files_of(whole)


@pytest.mark.parametrize("verb", ["build", "sweep", "profile", "report"])
def test_each_stage_alone_prints_one_json_object(study: Path, verb: str) -> None:
    for stage in ("build", "sweep", "profile", "report"):
        ran = judgeprobe(stage, str(study), "--json")
        assert ran.status == 0, ran.err
        assert isinstance(ran.json, dict)
        if stage == verb:
            break
