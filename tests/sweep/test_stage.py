"""A sweep of Python functions: resumed, reparsed, stopped, and the same bytes every time."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from judgeprobe.errors import InputError, StudyError
from judgeprobe.files import parquet_metadata
from judgeprobe.records import CONTROLS
from judgeprobe.study import load_study
from judgeprobe.sweep.grades import write_grades
from judgeprobe.sweep.stage import dry_run, sweep

SOURCE = Path(__file__).parents[2] / "src"


def judge(study, body, name="ours", extra=""):
    """Put a judge function into a study; it logs its calls."""
    module = f"judge_{study.folder.parent.name.replace('-', '_')}_{name}"
    log = study.folder / f"{name}.log"
    (study.folder / f"{module}.py").write_text(
        "import asyncio, time\n"
        f"LOG = {str(log)!r}\n"
        "def seen(claim):\n"
        "    with open(LOG, 'a') as file:\n"
        "        file.write(claim + '\\n')\n" + body
    )
    with (study.folder / "study.toml").open("a") as file:
        file.write(f'\n[[judges]]\nname = "{name}"\ncall = "{module}:grade"\n{extra}\n')
    return load_study(study.folder), log


def calls(log):
    return log.read_text().splitlines() if log.exists() else []


def rows(study):
    return pq.read_table(study.grades_path).to_pylist()


SYNC = "def grade(evidence, claim):\n    seen(claim)\n    return len(claim) % 6\n"
ASYNC = (
    "async def grade(evidence, claim):\n    seen(claim)\n    await asyncio.sleep(0.001)\n"
    "    return f'Score: {len(claim) % 6}/5'\n"
)


def test_every_text_is_graded_once_by_every_judge_and_control(make_study):
    study, log = judge(make_study(), SYNC)
    study, other = judge(study, ASYNC, name="theirs", extra="repetitions = 2")
    result = sweep(study)
    table = rows(study)
    texts = {row["text_id"] for row in table}
    assert result.complete
    assert len(calls(log)) == len(texts)
    assert len(calls(other)) == 2 * len(texts)
    names = {"ours", "theirs", *(control.name for control in CONTROLS)}
    assert {row["judge"] for row in table} == names
    assert len(table) == (3 + len(CONTROLS)) * len(texts) == result.rows
    assert {row["status"] for row in table} == {"graded"}
    assert {row["elicitation"] for row in table} == {"computed"}
    assert table == sorted(table, key=lambda r: (r["judge"], r["text_id"], r["repetition"]))


def test_a_second_run_makes_no_call_and_the_same_bytes(make_study):
    study, log = judge(make_study(), SYNC)
    sweep(study)
    files = {path: path.read_bytes() for path in study.folder.iterdir() if path.is_file()}
    before = len(calls(log))
    again = sweep(study)
    assert again.calls == 0
    assert len(calls(log)) == before
    assert {path: path.read_bytes() for path in files} == files


def test_the_bytes_do_not_depend_on_the_order_of_completion(make_study):
    body = (
        "import random\nasync def grade(evidence, claim):\n"
        "    await asyncio.sleep(random.random() / 100)\n    return len(claim) % 6\n"
    )
    bytes_ = set()
    for number in range(3):
        study, _ = judge(make_study(name=f"s{number}"), body)
        # The function's module differs by folder only; its name is in the grades.
        text = (study.folder / "study.toml").read_text()
        assert "call" in text
        sweep(study)
        table = pq.read_table(study.grades_path).drop_columns(["reply_key", "served_model"])
        write_grades_bytes = json.dumps(table.to_pylist())
        bytes_.add(write_grades_bytes)
    assert len(bytes_) == 1


def test_statuses_of_a_functions_answers(make_study):
    body = (
        "ANSWERS = [4, 4.1, 9, float('nan'), True, None, 'Score: 3', 'I cannot rate this.', 'x']\n"
        "N = iter(ANSWERS * 100)\n"
        "async def grade(evidence, claim):\n    return next(N)\n"
    )
    study, _ = judge(make_study(), body)
    result = sweep(study)
    mine = [row for row in rows(study) if row["judge"] == "ours"]
    found = {(row["status"], row["value"]) for row in mine}
    assert found == {
        ("graded", 4.0),
        ("graded", 4.1),
        ("off_scale", None),
        ("unparseable", None),
        ("graded", 3.0),
        ("refused", None),
    }
    assert all(row["value"] is None or row["status"] == "graded" for row in mine)
    assert result.judges[0].off_lattice == sum(row["value"] == 4.1 for row in mine) > 0


def test_a_text_that_fails_is_kept_apart_and_asked_again_only_on_request(make_study):
    body = (
        "import os\n"
        "def grade(evidence, claim):\n    seen(claim)\n"
        "    if 'Claim 3 ' in claim and not os.environ.get('MENDED'):\n"
        "        raise ValueError('no luck')\n    return 3\n"
    )
    study, log = judge(make_study(bases=30), body)
    sweep(study)
    failed = [row for row in rows(study) if row["status"] == "failed"]
    assert failed
    assert all("no luck" in row["detail"] and row["value"] is None for row in failed)
    before = len(calls(log))
    data = study.grades_path.read_bytes()
    sweep(study)
    assert len(calls(log)) == before
    assert study.grades_path.read_bytes() == data
    os.environ["MENDED"] = "1"
    try:
        sweep(study, retry_failed=True)
    finally:
        del os.environ["MENDED"]
    assert len(calls(log)) == before + len(failed)
    assert {row["status"] for row in rows(study)} == {"graded"}


def test_a_judge_that_keeps_failing_is_paused_and_the_others_go_on(make_study):
    study, log = judge(
        make_study(bases=60), "def grade(e, c):\n    seen(c)\n    raise OSError('x')\n"
    )
    study, other = judge(study, ASYNC, name="theirs")
    result = sweep(study)
    paused, fine = result.judges[:2]
    assert "paused" in paused.stopped
    assert "--retry-failed" in paused.stopped
    assert not result.complete
    texts = len(set(calls(other)))
    assert fine.statuses == {"graded": texts}
    assert len(calls(log)) < texts
    assert paused.statuses["failed"] + paused.unasked == texts


def test_max_calls_is_a_hard_stop_and_the_run_resumes(make_study):
    study, log = judge(make_study("[budget]\nmax_calls = 10\nconcurrency = 4\n"), SYNC)
    result = sweep(study)
    assert result.calls == 10 == len(calls(log))
    assert "max_calls" in result.stopped
    assert not result.complete
    mine = [row for row in rows(study) if row["judge"] == "ours"]
    assert len(mine) == 10
    while not result.complete:
        result = sweep(study)
    assert len(calls(log)) == len(set(calls(log)))


def test_max_minutes_is_a_hard_stop(make_study):
    body = "async def grade(e, c):\n    await asyncio.sleep(0.05)\n    return 3\n"
    study, _ = judge(make_study("[budget]\nmax_minutes = 0.005\nconcurrency = 1\n"), body)
    began = time.monotonic()
    result = sweep(study)
    assert "max_minutes" in result.stopped
    assert 0 < result.calls < 12
    assert time.monotonic() - began < 3


def test_a_function_that_hangs_is_given_up(make_study):
    body = "def grade(e, c):\n    time.sleep(0.6)\n    return 3\n"
    study, _ = judge(make_study(bases=1), body, extra="timeout = 0.05")
    sweep(study)
    mine = [row for row in rows(study) if row["judge"] == "ours"]
    assert {row["status"] for row in mine} == {"failed"}
    assert "longer than 0.05 s" in mine[0]["detail"]


def test_a_changed_function_is_asked_anew(make_study):
    study, log = judge(make_study(), SYNC)
    sweep(study)
    before = len(calls(log))
    (path,) = study.folder.glob("judge_*.py")
    path.write_text(path.read_text() + "# changed\n")
    assert sweep(study).calls == before


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("nothing_here_at_all:grade", "no module"),
        ("json:no_such_function", "no function"),
        ("json", "module:function"),
    ],
)
def test_a_function_that_is_not_there_is_refused_before_any_call(make_study, call, words):
    study = make_study(f'[[judges]]\nname = "ours"\ncall = "{call}"\n')
    with pytest.raises(InputError, match=words):
        sweep(study)
    assert not study.grades_path.exists()


def test_dry_run_makes_no_call_and_writes_no_grades(make_study):
    study, log = judge(make_study(), SYNC)
    plan = dry_run(study)
    assert calls(log) == []
    assert not study.grades_path.exists()
    assert plan.judges[0]["calls"] == plan.judges[0]["planned"] > 0
    sweep(study)
    assert dry_run(study).judges[0]["calls"] == 0


def test_reparse_makes_no_call(make_study):
    study, log = judge(make_study("[budget]\nmax_calls = 5\n"), SYNC)
    sweep(study)
    result = sweep(study, reparse=True)
    assert result.calls == 0
    assert len(calls(log)) == 5
    assert result.judges[0].statuses == {"graded": 5}


def test_the_footer_names_the_hashes(make_study):
    study, _ = judge(make_study(), SYNC)
    sweep(study)
    found = parquet_metadata(study.grades_path)
    assert found["taxonomy"] == study.taxonomy.hash
    assert found["interventions"] == study.output_hash(study.interventions_path)
    assert set(found) == {"schema", "taxonomy", "scale", "prompts", "interventions"}
    entry = study.manifest()["stages"]["sweep"]
    assert entry["made_under"] == found
    assert entry["grades"] == study.output_hash(study.grades_path)


def test_a_judge_of_the_generators_family_is_refused(make_study):
    settings = (
        '[generator]\nmodel = "openrouter/google/gemini-2.5-pro"\n'
        '[[judges]]\nname = "g"\nmodel = "openrouter/google/gemma-3"\n'
    )
    with pytest.raises(StudyError, match=r"`g` .* and the generator .* are of one family"):
        sweep(make_study(settings))
    settings = (
        '[generator]\nmodel = "openrouter/google/x"\n[[judges]]\nname = "f"\ncall = "json:loads"\n'
    )
    with pytest.raises(StudyError, match=r"family of the judge `f` .* cannot be told"):
        sweep(make_study(settings, name="other"))
    settings = '[generator]\nmodel = "claude-x"\n[verifier]\nmodel = "anthropic/y"\n'
    with pytest.raises(StudyError, match="are of one family"):
        sweep(make_study(settings, name="third"))


def test_an_unpinned_router_model_is_named_or_refused(make_study):
    judges = '[[judges]]\nname = "h"\nmodel = "openrouter/anthropic/claude-haiku-4.5"\n'
    with pytest.raises(StudyError, match=r"`h` .* is not pinned"):
        sweep(make_study(judges + "[budget]\nrequire_pin = true\n"))


def command(study, *options):
    return [sys.executable, "-m", "judgeprobe", "sweep", str(study.folder), *options]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
SLOW = (
    "async def grade(evidence, claim):\n    await asyncio.sleep(0.02)\n    seen(claim)\n"
    "    return len(claim) % 6\n"
)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_loses_nothing_that_has_arrived(make_study, number):
    study, log = judge(make_study("[budget]\nconcurrency = 2\n", bases=60), SLOW)
    process = subprocess.Popen(
        command(study), env=ENVIRONMENT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    while len(calls(log)) < 20:
        time.sleep(0.01)
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "what has arrived is kept" in errors
    assert "Traceback" not in errors
    assert not study.grades_path.exists()
    arrived = len(calls(log))
    result = sweep(study)
    assert result.complete
    # Not more than the two on their way were asked again.
    assert len(calls(log)) - len(set(calls(log))) <= 2
    assert result.judges[0].cached >= arrived - 2


def test_an_interrupt_does_not_wait_for_a_function_that_hangs(make_study):
    study, log = judge(make_study(), "def grade(e, c):\n    seen(c)\n    time.sleep(60)\n")
    process = subprocess.Popen(
        command(study, "--quiet"), env=ENVIRONMENT, stderr=subprocess.DEVNULL
    )
    while not calls(log):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 1


def test_a_killed_sweep_resumes_to_the_same_bytes(make_study):
    whole, _ = judge(make_study("[budget]\nconcurrency = 4\n", bases=40), SLOW)
    sweep(whole)
    wanted = whole.grades_path.read_bytes()
    shutil.rmtree(whole.cache_dir)
    whole.grades_path.unlink()
    log = whole.folder / "ours.log"
    log.unlink()
    process = subprocess.Popen(command(whole, "--quiet"), env=ENVIRONMENT)
    while len(calls(log)) < 30:
        time.sleep(0.005)
    process.kill()
    process.wait()
    sweep(whole)
    assert whole.grades_path.read_bytes() == wanted


def test_the_command_prints_one_json_object(make_study):
    study, _ = judge(make_study(), SYNC)
    done = subprocess.run(command(study, "--json"), env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["complete"] is True
    assert found["judges"][0]["judge"] == "ours"
    for line in done.stderr.splitlines():
        assert json.loads(line)["event"] == "finished"
    done = subprocess.run(
        command(study, "--json", "--quiet"), env=ENVIRONMENT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_error_is_one_line_and_status_1(make_study):
    study = make_study()
    study.interventions_path.unlink()
    done = subprocess.run(command(study), env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "judgeprobe build" in done.stderr


def test_grades_are_written_whole_or_not_at_all(make_study, monkeypatch):
    study, _ = judge(make_study(), SYNC)
    sweep(study)
    data = study.grades_path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Exception, match="no space left on device"):
        write_grades(study.grades_path, [], {})
    assert study.grades_path.read_bytes() == data
    assert not list(study.folder.glob(".grades*"))
