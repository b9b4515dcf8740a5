"""The pilot: a coarse judge, an unsteady one, one without a scale, and what it costs."""

import json
import subprocess
import sys

import pytest

from judgeprobe.sweep.pilot import pilot
from judgeprobe.sweep.stage import sweep

from .test_stage import ENVIRONMENT, calls, judge

STEADY = "def grade(e, c):\n    seen(c)\n    return sum(c.encode()) % 21 / 4\n"
COARSE = "def grade(e, c):\n    return 5\n"
UNSTEADY = (
    "import itertools\nN = itertools.count()\ndef grade(e, c):\n    return next(N) * 7 % 21 / 4\n"
)
WORDY = "def grade(e, c):\n    return 'It is fine.' if len(c) % 2 else 4\n"


@pytest.fixture
def study(make_study):
    found = make_study(bases=40)
    for name, body in {
        "steady": STEADY,
        "coarse": COARSE,
        "unsteady": UNSTEADY,
        "wordy": WORDY,
    }.items():
        found, _ = judge(found, body, name=name)
    return found


def test_it_says_which_judges_will_give_a_frontier(study):
    rows, _, stopped = pilot(study, sample=60)
    found = {row.judge: row for row in rows}
    assert stopped == ""
    assert {name: row.verdict for name, row in found.items()} == {
        "steady": "frontier",
        "coarse": "no cut",
        "unsteady": "frontier",
        "wordy": "no cut",
    }
    steady, coarse, unsteady, wordy = (found[n] for n in ("steady", "coarse", "unsteady", "wordy"))
    assert steady.agreement == 1.0
    assert steady.points == steady.usable - 1 > 5
    assert steady.warnings == ()
    assert (coarse.distinct, coarse.usable, coarse.points) == (1, 1, 0)
    assert "nothing to cut" in coarse.warnings[0]
    assert unsteady.agreement < 0.3
    assert "repeats its own grade" in unsteady.warnings[0]
    assert wordy.failures["unparseable"] == wordy.texts - wordy.graded > 0
    assert any("look at the prompt" in line for line in wordy.warnings)


def test_whole_base_items_are_sampled_and_the_sweep_pays_once(study):
    log = study.folder / "steady.log"
    rows, _, _ = pilot(study, sample=30)
    asked = calls(log)
    assert 30 <= rows[0].texts <= 37
    assert len(asked) == 2 * rows[0].texts
    result = sweep(study)
    texts = result.judges[0].statuses["graded"]
    assert len(calls(log)) == len(asked) + texts - rows[0].texts
    assert rows[0].usd == 0.0


def test_a_second_pilot_makes_no_call_and_the_same_file(study):
    pilot(study, sample=20)
    data = (study.folder / "pilot.json").read_bytes()
    before = len(calls(study.folder / "steady.log"))
    pilot(study, sample=20)
    assert len(calls(study.folder / "steady.log")) == before
    assert (study.folder / "pilot.json").read_bytes() == data


def test_the_command_prints_one_json_object(study):
    done = subprocess.run(
        [sys.executable, "-m", "judgeprobe", "pilot", str(study.folder), "--json", "--quiet"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["judges"][0]["judge"] == "steady"
