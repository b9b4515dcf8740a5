"""Batches: submitted once, collected later, resumed after anything, the same cache and columns."""

import hashlib
import json

import pyarrow.parquet as pq
import pytest

from judgeprobe.errors import InputError
from judgeprobe.llm import retry
from judgeprobe.sweep.plan import load_plan
from judgeprobe.sweep.stage import sweep

from ..helpers.batch_provider import BatchProvider
from ..helpers.loopback import Loopback

PROMPT = "=== system\nGrade {{low}} to {{high}}.\n=== user\n{{evidence}}\nClaim: {{claim}}\n"


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch):
    monkeypatch.setitem(retry.retrying.__kwdefaults__, "first_wait", 0.01)
    monkeypatch.setitem(retry.retrying.__kwdefaults__, "longest_wait", 0.02)
    monkeypatch.setitem(retry.retrying.__kwdefaults__, "tries", 2)


def script(body):
    claim = json.dumps(body["messages"][-1])
    return json.dumps({"grade": int(hashlib.sha256(claim.encode()).hexdigest(), 16) % 21 / 4})


@pytest.fixture
def make(make_study):
    def build(provider, model="openai/m1", extra="", *, bases=6, budget="", name="study"):
        url = provider.url.removesuffix("/v1") if model.startswith("anthropic") else provider.url
        study = make_study(
            f'[[judges]]\nname = "m"\nmodel = "{model}"\nbase_url = "{url}"\nprompt = "mine.txt"\n'
            f"price = {{ input = 100.0, output = 1000.0 }}\n{extra}\n[budget]\n{budget}\n",
            bases=bases,
            name=name,
        )
        (study.folder / "mine.txt").write_text(PROMPT)
        return study

    return build


def rows(study):
    return [row for row in pq.read_table(study.grades_path).to_pylist() if row["judge"] == "m"]


@pytest.mark.parametrize("model", ["openai/m1", "anthropic/m1"])
def test_a_batch_is_submitted_once_and_collected_when_it_has_ended(make, model):
    with BatchProvider(script) as provider:
        study = make(provider, model)
        total = len(load_plan(study).texts)
        first = sweep(study, batch=True)
        assert (first.calls, len(provider.batches)) == (total, 1)
        assert not first.complete
        assert f"{total} calls wait in 1 batches" in first.stopped
        assert rows(study) == []
        waiting = sweep(study, batch=True)
        assert (waiting.calls, len(provider.batches)) == (0, 1)
        provider.finish()
        last = sweep(study, batch=True)
        assert last.complete
        assert last.calls == 0
        assert {row["status"] for row in rows(study)} == {"graded"}
        assert len(rows(study)) == total
        assert {row["served_model"] for row in rows(study)} == {"m1"}
        # 100 and 10 tokens a call, at half the price.
        assert last.usd == pytest.approx(total * (100 * 100 + 10 * 1000) / 1e6 / 2)
        assert json.loads((study.cache_dir / "batches.json").read_text())["batches"] == []
        assert sweep(study).calls == 0


def test_the_calls_are_the_ones_that_a_plain_sweep_makes(make):
    with BatchProvider(script) as provider:
        study = make(provider, extra="max_tokens = 9\nseed = 2", bases=2)
        sweep(study, batch=True)
        body = provider.calls[0]
        assert body["model"] == "m1"
        assert (body["max_tokens"], body["seed"], body["temperature"]) == (9, 2, 0.0)
        assert body["messages"][0] == {"role": "system", "content": "Grade 0 to 5."}
    with BatchProvider(script) as provider:
        study = make(provider, "anthropic/m1", "max_tokens = 9", bases=2, name="other")
        sweep(study, batch=True)
        body = provider.calls[0]
        assert (body["model"], body["max_tokens"], body["temperature"]) == ("m1", 9, 0.0)
        assert body["system"] == "Grade 0 to 5."
        assert body["messages"][0]["role"] == "user"


def test_the_grades_are_those_of_a_plain_sweep(make):
    with BatchProvider(script) as provider, Loopback(script) as server:
        study = make(provider)
        sweep(study, batch=True)
        provider.finish()
        sweep(study, batch=True)
        provider.port = server.port
        plain = make(provider, extra='transport = "direct"', name="plain")
        sweep(plain)
        keys = [{row["text_id"]: row["reply_key"] for row in rows(s)} for s in (study, plain)]
        assert keys[0] == keys[1]
        values = [{row["text_id"]: row["value"] for row in rows(s)} for s in (study, plain)]
        assert values[0] == values[1]


def test_a_call_that_failed_in_a_batch_is_sent_in_the_next(make):
    seen = set()

    def once(body):
        key = json.dumps(body["messages"])
        if len(seen) % 3 == 0 and key not in seen:
            seen.add(key)
            return 503, "overloaded"
        seen.add(key)
        return script(body)

    with BatchProvider(once) as provider:
        study = make(provider)
        total = len(load_plan(study).texts)
        sweep(study, batch=True)
        provider.finish()
        second = sweep(study, batch=True)
        assert 0 < second.calls < total
        assert len(rows(study)) == total - second.calls
        provider.finish()
        last = sweep(study, batch=True)
        assert last.complete
        assert len(rows(study)) == total


def test_a_submission_whose_answer_was_lost_is_found_and_not_paid_twice(make):
    with BatchProvider(script) as provider:
        study = make(provider)
        provider.lose = True
        first = sweep(study, batch=True)
        assert "may or may not have arrived" in first.judges[0].stopped
        assert len(provider.batches) == 1
        second = sweep(study, batch=True)
        assert (second.calls, len(provider.batches)) == (0, 1)
        provider.finish()
        assert sweep(study, batch=True).complete


def test_a_kill_between_writing_and_sending_sends_it_again(make, monkeypatch):
    with BatchProvider(script) as provider:
        study = make(provider)

        async def die(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("judgeprobe.llm.batch.OpenAIBatches.submit", die)
        with pytest.raises(KeyboardInterrupt):
            sweep(study, batch=True)
        monkeypatch.undo()
        assert provider.batches == {}
        found = sweep(study, batch=True)
        assert "not known to the provider" in "\n".join(found.notes)
        assert len(provider.batches) == 1


def test_a_refused_submission_stops_the_judge_and_leaves_nothing_open(make):
    with BatchProvider(script) as provider:
        study = make(provider)
        provider.refuse = (401, "no such key")
        result = sweep(study, batch=True)
        assert "no such key" in result.judges[0].stopped
        assert result.calls == 0
        provider.refuse = None
        assert sweep(study, batch=True).calls == len(load_plan(study).texts)


def test_a_batch_that_came_to_nothing_is_said_and_not_sent_again_at_once(make):
    with BatchProvider(script) as provider:
        study = make(provider)
        sweep(study, batch=True)
        provider.invalid = "the file is invalid"
        result = sweep(study, batch=True)
        assert "came to nothing: failed: the file is invalid" in result.judges[0].stopped
        assert len(provider.batches) == 1


def test_no_more_calls_are_submitted_than_allowed(make):
    with BatchProvider(script) as provider:
        study = make(provider, budget="max_calls = 3")
        result = sweep(study, batch=True)
        assert result.calls == 3 == len(provider.calls)
        assert "max_calls" in result.stopped
        assert sweep(study, batch=True).calls == 0
        assert len(provider.batches) == 1


def test_the_budget_is_asked_before_a_batch_is_sent(make):
    with BatchProvider(script) as provider:
        study = make(provider, budget="max_usd = 0.1")
        result = sweep(study, batch=True)
        assert 0 < result.calls < len(load_plan(study).texts)
        assert "max_usd" in result.stopped


def test_a_damaged_list_of_batches_is_named(make):
    with BatchProvider(script) as provider:
        study = make(provider)
        study.cache_dir.mkdir()
        (study.cache_dir / "batches.json").write_text('{"batches": [{"id": 1}]}')
        with pytest.raises(InputError, match="is not a list of open batches"):
            sweep(study, batch=True)
        assert provider.batches == {}


def test_a_judge_without_a_batch_interface_is_asked_as_usual(make):
    with BatchProvider(script) as provider:
        study = make(provider, extra='[[judges]]\nname = "f"\ncall = "batch_other:grade"')
        (study.folder / "batch_other.py").write_text("def grade(e, c):\n    return 3\n")
        result = sweep(study, batch=True)
        assert result.judges[1].statuses == {"graded": len(load_plan(study).texts)}
