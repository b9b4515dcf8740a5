"""Model judges against a scripted provider on loopback: faults, kills, pins, secrets, keys."""

import hashlib
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from judgeprobe.errors import InputError
from judgeprobe.llm import retry
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.settings import JudgeSettings
from judgeprobe.study import load_study
from judgeprobe.sweep.models import ModelJudge
from judgeprobe.sweep.plan import Text, load_plan
from judgeprobe.sweep.stage import dry_run, sweep

from ..helpers.loopback import Answer, Loopback

SOURCE = Path(__file__).parents[2] / "src"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
PROMPT = "=== system\nGrade {{low}} to {{high}}.\n=== user\n{{evidence}}\nClaim: {{claim}}\n"


def grade_of(body):
    """A grade that depends on the claim alone."""
    claim = body["messages"][-1]["content"].split("Claim: ")[-1]
    return int(hashlib.sha256(claim.encode()).hexdigest(), 16) % 21 / 4


def script(body):
    return json.dumps({"reason": "a {brace} and ```", "grade": grade_of(body)})


def model(server, name="m1", **settings):
    """One judge as TOML."""
    url = None if server is None else server.url
    rows = {"name": name, "model": "openai/m1", "base_url": url, "transport": "direct"}
    rows |= {"prompt": "mine.txt", **settings}
    lines = [f"{key} = {_toml(value)}" for key, value in rows.items() if value is not None]
    return "\n".join(["[[judges]]", *lines, ""])


def _toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)


@pytest.fixture
def make(make_study):
    def build(judges, *, budget="", bases=8, name="study"):
        study = make_study(f"{judges}\n[budget]\n{budget}\n", bases=bases, name=name)
        (study.folder / "mine.txt").write_text(PROMPT)
        return study

    return build


@pytest.fixture
def quick_retries(monkeypatch):
    monkeypatch.setitem(retry.retrying.__kwdefaults__, "first_wait", 0.01)
    monkeypatch.setitem(retry.retrying.__kwdefaults__, "longest_wait", 0.05)


def rows(study, judge="m1"):
    return [row for row in pq.read_table(study.grades_path).to_pylist() if row["judge"] == judge]


def claims(bodies):
    return [json.loads(body)["messages"][-1]["content"].split("Claim: ")[-1] for body in bodies]


def test_each_text_is_asked_once_and_what_served_it_is_kept(make):
    with Loopback(script) as server:
        study = make(model(server), bases=10)
        texts = {text.id: text for text in load_plan(study).texts}
        result = sweep(study)
        assert server.requests == result.calls == len(texts)
        assert max(Counter(claims(server.bodies)).values()) == 1
        for row in rows(study):
            body = {"messages": [{"content": f"Claim: {texts[row['text_id']].text}"}]}
            assert (row["status"], row["value"]) == ("graded", grade_of(body))
            assert row["served_model"] == "m1"
            assert row["served_fingerprint"] == "fp_loopback"
            assert row["served_quantization"] == "not disclosed"
            assert row["elicitation"] == "written"
        data = study.grades_path.read_bytes()
        assert sweep(study).calls == 0
        assert server.requests == len(texts)
        assert study.grades_path.read_bytes() == data


def test_the_prompt_is_what_was_written_and_the_parameters_what_was_set(make):
    with Loopback(script) as server:
        study = make(model(server, max_tokens=9, seed=3, temperature=0.5), bases=1)
        sweep(study)
        body = server.parsed()[0]
        text = next(text for text in load_plan(study).texts if text.text in str(body))
        assert body["messages"] == [
            {"role": "system", "content": "Grade 0 to 5."},
            {"role": "user", "content": f"{text.evidence}\nClaim: {text.text}"},
        ]
        sampling = {name: body[name] for name in ("max_tokens", "seed", "temperature", "model")}
        assert sampling == {"max_tokens": 9, "seed": 3, "temperature": 0.5, "model": "m1"}


FAULTS = {"429": 0.05, "500": 0.05, "drop": 0.04, "slow": 0.03, "malformed": 0.03}


@pytest.mark.usefixtures("quick_retries")
def test_a_fifth_of_mixed_faults_loses_nothing_and_doubles_nothing(make):
    with Loopback(script, faults=FAULTS, seed=5, slow=1.0, retry_after=0.01) as server:
        study = make(model(server, timeout=0.5), bases=40, budget="concurrency = 16")
        result = sweep(study)
        mine = rows(study)
        assert result.complete
        assert {row["status"] for row in mine} == {"graded"}
        assert len(mine) == len(load_plan(study).texts)
        assert server.requests == result.calls
        assert result.retries == result.calls - len(mine) > 0
        assert sum(server.counts[fault] for fault in FAULTS) == result.retries
        assert set(server.answered.values()) == {1}


@pytest.mark.usefixtures("quick_retries")
def test_a_429_inside_a_200_is_tried_again_and_never_stored(make):
    with Loopback(script, faults={"429-in-200": 0.3}, seed=1) as server:
        study = make(model(server), bases=6)
        sweep(study)
        assert {row["status"] for row in rows(study)} == {"graded"}
        assert server.counts["429-in-200"] > 0


def test_a_wrong_key_stops_that_judge_with_one_line_and_the_other_goes_on(make):
    def answer(body):
        error = {"error": {"message": "no such key", "code": "invalid_api_key"}}
        return Answer(status=401, top=error) if body["model"] == "m1" else script(body)

    with Loopback(answer) as server:
        two = model(server, name="m2", model="openai/m2")
        study = make(model(server) + two, budget="concurrency = 4", bases=20)
        result = sweep(study)
        first, second = result.judges[:2]
        assert "401" in first.stopped
        assert "no such key" in first.stopped
        assert "\n" not in first.stopped
        assert first.statuses == {}
        assert second.statuses == {"graded": len(load_plan(study).texts)}
        assert not result.complete
        # One limit holds both judges of this endpoint; the stopped one had at most its share.
        assert server.counts["401"] <= 4


def test_a_reply_from_another_provider_is_kept_marked_and_never_a_grade(make):
    def answer(body):
        served = "Elsewhere" if grade_of(body) > 2 else "Right Place"
        return Answer(script(body), top={"provider": served})

    pin = {"order": ["right-place"], "allow_fallbacks": False}
    with Loopback(answer) as server:
        study = make(model(server, provider=pin), bases=10)
        result = sweep(study)
        wrong = [row for row in rows(study) if row["status"] == "wrong_provider"]
        assert wrong
        assert all(row["value"] is None and "Elsewhere" in row["detail"] for row in wrong)
        assert {row["served_provider"] for row in wrong} == {"Elsewhere"}
        assert {row["served_provider"] for row in rows(study)} == {"Elsewhere", "Right Place"}
        assert f"{len(wrong)} replies from another provider" in result.findings[0]
        assert sweep(study).calls == 0


def test_a_served_model_that_changes_is_a_finding(make):
    count = iter(range(10_000))

    def answer(body):
        return Answer(script(body), top={"model": f"m1-2024080{1 + (next(count) > 9)}"})

    with Loopback(answer) as server:
        study = make(model(server), bases=10)
        found = subprocess.run(
            [sys.executable, "-m", "judgeprobe", "sweep", str(study.folder), "--json"],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
        )
        assert found.returncode == 3
        line = json.loads(found.stdout)["findings"][0]
        assert "served by 2 models: m1-20240801 (10), m1-20240802" in line
        assert {row["status"] for row in rows(study)} == {"graded"}


def test_another_model_than_the_one_asked_for_is_no_grade(make):
    with Loopback(lambda body: Answer(script(body), top={"model": "m1-mini"})) as server:
        study = make(model(server), bases=2)
        assert sweep(study).findings
        assert {row["status"] for row in rows(study)} == {"wrong_provider"}
        named = make(model(server, served_model="m1-mini"), bases=2, name="named")
        assert not sweep(named).findings
        assert {row["status"] for row in rows(named)} == {"graded"}


def test_half_a_surrogate_pair_and_a_null_byte_in_a_reply(make):
    with Loopback(lambda body: '\ud83d\u0000 {"grade": 3}') as server:
        study = make(model(server), bases=2)
        sweep(study)
        assert {row["value"] for row in rows(study)} == {3.0}
        assert sweep(study).calls == 0


def test_a_judge_that_answers_on_another_scale_is_named(make):
    with Loopback(lambda body: f"{grade_of(body) / 5:.3f}") as server:
        result = sweep(make(model(server), bases=10))
        assert "between 0 and 1" in "\n".join(result.notes)
    with Loopback(lambda body: f"{6 + grade_of(body) * 20:g}") as server:
        result = sweep(make(model(server), bases=10, name="hundred"))
        assert "answered outside 0 to 5" in "\n".join(result.notes)


def test_a_pattern_of_the_judges_own_can_be_changed_without_a_call(make):
    with Loopback(lambda body: "A=3; B=4;") as server:
        study = make(model(server, reply_pattern="A=(.);"), bases=3)
        sweep(study)
        assert {row["value"] for row in rows(study)} == {3.0}
        path = study.folder / "study.toml"
        path.write_text(path.read_text().replace("A=(.);", "B=(.);"))
        calls = server.requests
        sweep(load_study(study.folder), reparse=True)
        assert {row["value"] for row in rows(study)} == {4.0}
        assert server.requests == calls


def test_a_model_that_refuses_a_temperature_is_run_without_and_said_so(make):
    def answer(body):
        if "temperature" in body:
            words = "Unsupported parameter: 'temperature' is not supported with this model."
            return Answer(status=400, top={"error": {"message": words}})
        return script(body)

    with Loopback(answer) as server:
        result = sweep(make(model(server), bases=5))
        graded = result.judges[0].statuses["graded"]
        assert f"{graded} texts were graded without one" in "\n".join(result.notes)


def test_dry_run_tells_tokens_and_cost(make):
    with Loopback(script) as server:
        price = {"input": 1.0, "output": 10.0}
        study = make(model(server, price=price, max_tokens=20), bases=5)
        plan = dry_run(study).judges[0]
        assert server.requests == 0
        assert plan["reply_tokens"] == 20 * plan["calls"]
        wanted = (plan["prompt_tokens"] * 1.0 + plan["reply_tokens"] * 10.0) / 1e6
        assert plan["usd"] == pytest.approx(wanted)
        result = sweep(study)
        # The server says 300 and 5 tokens a call.
        assert result.usd == pytest.approx(result.calls * (300 * 1.0 + 5 * 10.0) / 1e6)


def test_dollars_stop_the_sweep(make):
    with Loopback(script) as server:
        judge = model(server, price={"input": 1000.0, "output": 0.0})
        study = make(judge, bases=20, budget="max_usd = 3.0\nconcurrency = 2")
        result = sweep(study)
        # 0.30 dollars a call.
        assert 9 <= server.requests <= 10
        assert result.usd <= 3.0 + 1e-9
        assert "max_usd" in result.stopped


SECRET = "planted-5e3f9a1c77"


def test_a_secret_appears_in_no_file_and_no_output(make):
    def answer(body):
        if grade_of(body) < 1:
            return Answer(status=413, top={"error": {"message": f"flagged: your key {SECRET}"}})
        if grade_of(body) < 2:
            return Answer(status=500, top={"error": {"message": f"broken for {SECRET}"}})
        return f'{{"grade": 3, "reason": "key {SECRET}"}}'

    with Loopback(answer) as server:
        study = make(model(server), bases=20)
        done = subprocess.run(
            [sys.executable, "-c", RETRY_FAST, str(study.folder)],
            env={**ENVIRONMENT, "OPENAI_API_KEY": SECRET},
            capture_output=True,
            text=True,
        )
        assert any(SECRET.encode() in head for head in server.heads)
        assert "Traceback" not in done.stderr
        assert server.counts["500"]
        assert server.counts["413"]
    assert SECRET not in done.stdout + done.stderr
    files = [path for path in study.folder.rglob("*") if path.is_file()]
    assert len(files) > 5
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), path
    with ReplyCache(study.cache_dir) as cache:
        assert all(SECRET not in text for _, text in cache.texts())
    for row in rows(study):
        assert SECRET not in json.dumps(row)


RETRY_FAST = """
import sys
from judgeprobe.llm import retry
retry.retrying.__kwdefaults__.update(first_wait=0.001, longest_wait=0.002)
from judgeprobe.cli.app import app
app(["sweep", sys.argv[1], "--json"])
"""


def start(study, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "judgeprobe", "sweep", str(study.folder), "--quiet"],
        env=ENVIRONMENT,
        **options,
    )


def stored_claims(study):
    """Claims whose reply is in the cache."""
    (judge,) = (ModelJudge(s, study, repetitions=1) for s in study.settings.judges)
    with ReplyCache(study.cache_dir) as cache:
        assert cache.notes == []
        keys = set(cache.keys())
    return {text.text for text in load_plan(study).texts if judge.key(text, 0) in keys}


@pytest.mark.end_to_end
def test_ten_kills_give_the_bytes_of_an_uninterrupted_run(make):
    rng = random.Random(3)
    history: list[tuple[set[str], int]] = []
    with Loopback(script, latency=0.03) as server:
        study = make(model(server), budget="concurrency = 4", bases=60)
        total = len(load_plan(study).texts)
        for _ in range(10):
            before = server.requests
            process = start(study)
            goal = before + rng.randint(5, total // 13)
            while server.requests < goal and process.poll() is None:
                time.sleep(0.002)
            time.sleep(rng.random() * 0.05)
            process.kill()
            process.wait()
            stored, seen = stored_claims(study), len(server.bodies)
            # Nothing that was written is asked again, in this or any later run.
            history.append((stored, seen))
        assert start(study).wait() == 0
        for stored, seen in history:
            assert not stored & set(claims(server.bodies[seen:]))
        data = study.grades_path.read_bytes()
        shutil.rmtree(study.cache_dir)
        study.grades_path.unlink()
        assert start(study).wait() == 0
        assert study.grades_path.read_bytes() == data


@pytest.mark.end_to_end
def test_two_sweeps_at_once_ask_nothing_twice(make):
    with Loopback(script, latency=0.02) as server:
        study = make(model(server), budget="concurrency = 4", bases=60)
        processes = [start(study), start(study)]
        assert [process.wait() for process in processes] == [0, 0]
        assert server.requests == len(load_plan(study).texts)
        assert max(Counter(claims(server.bodies)).values()) == 1


@pytest.mark.end_to_end
def test_a_full_disk_is_a_clear_stop_and_nothing_is_torn(make):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    def answer(body):
        # Text that does not compress, so that few replies fill the disk.
        return script(body) + hashlib.shake_256(str(body).encode()).hexdigest(1500)

    with Loopback(answer, latency=0.02) as server:
        study = make(model(server), budget="concurrency = 4", bases=80)
        process = start(study, preexec_fn=limit, stderr=subprocess.PIPE, text=True)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 1
        lines = [line for line in errors.splitlines() if line.startswith("judgeprobe: ")]
        assert len(lines) == 1
        assert "cache.db" in lines[0]
        assert "Traceback" not in errors
        assert not study.grades_path.exists()
        stored, seen = stored_claims(study), len(server.bodies)
        assert 0 < len(stored) < len(load_plan(study).texts)
        assert start(study).wait() == 0
        assert not stored & set(claims(server.bodies[seen:]))


def test_a_read_only_cache_is_a_clear_stop(make, monkeypatch):
    with Loopback(script) as server:
        study = make(model(server), bases=2)

        def refuse(*_, **__):
            raise OSError(30, "Read-only file system")

        monkeypatch.setattr("judgeprobe.llm.cache.diskcache.Cache", refuse)
        with pytest.raises(Exception, match=r"cannot be written \(read-only file system\)"):
            sweep(study)
        assert server.requests == 0
        assert not study.grades_path.exists()


def test_a_warm_rerun_imports_no_model_library(make):
    with Loopback(script) as server:
        study = make(model(server) + model(server, name="m2", transport="litellm"), bases=3)
        # The second judge's replies are the first one's: the transport is not in the key.
        sweep(study)
        calls = server.requests
        code = (
            "import sys\nfrom judgeprobe.cli.app import app\n"
            "try:\n    app(['sweep', sys.argv[1], '--quiet', '--json'])\n"
            "except SystemExit as end:\n    assert not end.code, end.code\n"
            "loaded = {'litellm', 'openai', 'xllamacpp'} & set(sys.modules)\n"
            "assert not loaded, loaded\n"
        )
        subprocess.run(
            [sys.executable, "-c", code, str(study.folder)],
            env=ENVIRONMENT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        assert server.requests == calls == len(load_plan(study).texts)


def test_a_model_that_has_no_direct_endpoint_is_refused_before_any_call(make):
    with Loopback(script) as server:
        study = make(model(server, model="anthropic/m1", base_url=None))
        with pytest.raises(InputError, match="transport"):
            sweep(study)


TEXT = Text("t", "b", "evidence", "claim")
BASE = {"name": "j", "model": "openai/m1", "prompt": "mine.txt", "base_url": "http://a:1/v1"}


def key_of(study, repetition=0, text=TEXT, **changes):
    settings = JudgeSettings.model_validate({**BASE, **changes})
    return ModelJudge(settings, study, repetitions=1).key(text, repetition)


IN_THE_KEY = [
    {"model": "openai/m2"},
    {"provider": {"order": ["a"], "allow_fallbacks": False}},
    {"temperature": 0.5},
    {"temperature": None},
    {"max_tokens": 10},
    {"seed": 1},
    {"reasoning_effort": "low"},
    {"extra_body": {"x": 1}},
    {"elicitation": "expected"},
    {"base_url": "http://a:1/other/v1"},
    {"endpoint_selects_model": True},
    {"repetition": 1},
    {"text": Text("t", "b", "evidence", "another claim")},
    {"text": Text("t", "b", "other evidence", "claim")},
]
NOT_IN_THE_KEY = [
    {"name": "other"},
    {"base_url": "http://b:2/v1"},
    {"base_url": None, "base_urls": ("http://a:1/v1", "http://b:2/v1")},
    {"base_url": None, "base_urls": ("http://b:2/v1", "http://a:1/v1")},
    {"canary_tolerance": 0.2},
    {"timeout": 5.0},
    {"transport": "direct"},
    {"price": {"input": 1.0, "output": 1.0}},
    {"family": "x"},
    {"reply_pattern": "(.)"},
    {"served_model": "y"},
    {"repetitions": 3},
    {"text": Text("another id", "another base", "evidence", "claim")},
]


def test_the_key_holds_what_can_change_the_answer_and_nothing_else(make, monkeypatch):
    study = make("")
    base = key_of(study)
    keys = [key_of(study, **change) for change in IN_THE_KEY]
    assert len({base, *keys}) == len(keys) + 1
    monkeypatch.setenv("OPENAI_API_KEY", "another key")
    for change in NOT_IN_THE_KEY:
        assert key_of(study, **change) == base, change
    pins = [{"order": ["a"], "only": ["a"]}, {"only": ["a"], "order": ["a"]}]
    assert key_of(study, provider=pins[0]) == key_of(study, provider=pins[1])
    hosts = [{"endpoint_selects_model": True, "base_url": f"http://{host}/v1"} for host in "ab"]
    assert key_of(study, **hosts[0]) != key_of(study, **hosts[1])
    (study.folder / "mine.txt").write_text(PROMPT.replace("Grade", "Rate"))
    assert key_of(study) != base
    (study.folder / "mine.txt").write_text("# a comment\n" + PROMPT)
    assert key_of(study) == base


@pytest.mark.parametrize("change", ["mode = 4", "value = 'x'", "value = x'00ff'", "filename = 'a'"])
def test_a_damaged_or_tampered_entry_is_asked_for_again(make, change):
    with Loopback(script) as server:
        study = make(model(server), bases=5)
        sweep(study)
        data, calls = study.grades_path.read_bytes(), server.requests
        with sqlite3.connect(study.cache_dir / "cache.db") as other:
            other.execute(f"UPDATE Cache SET {change} WHERE rowid IN (2, 5)")
        result = sweep(study)
        assert result.calls == 2
        assert server.requests == calls + 2
        assert result.complete
        assert study.grades_path.read_bytes() == data
        assert sweep(study).calls == 0
