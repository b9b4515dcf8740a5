"""The runner against a judge whose failures are scripted, call by call."""

import asyncio
import hashlib
from collections import Counter
from contextlib import contextmanager

import pytest

from judgeprobe.errors import CallError, PermanentCallError, RetryableCallError, StorageError
from judgeprobe.llm import retry
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.limits import Budget
from judgeprobe.records import Reply, Requested, Scale, Served, content_hash
from judgeprobe.sweep.claims import Claims
from judgeprobe.sweep.judges import Judge
from judgeprobe.sweep.plan import Text
from judgeprobe.sweep.progress import Silent
from judgeprobe.sweep.run import Runner, pending_calls

TEXTS = [Text(f"t{n:03d}", f"b{n}", "evidence", f"claim {n}") for n in range(60)]


class Scripted(Judge):
    """Answers "Score: 3", or raises what the script gives for (text, try)."""

    elicitation = "written"

    def __init__(self, name, script=lambda text, tries: None, *, repetitions=1, cost=0.01):
        self.name = name
        self.script = script
        self.repetitions = repetitions
        self.group = name
        self.scale = Scale()
        self.asked = Counter()
        self.answered = Counter()
        self.unit_cost = cost
        self.peak = self.open = 0

    def key(self, text, repetition):
        return content_hash([self.name, text.id, repetition])

    async def ask(self, text, repetition):
        self.asked[text.id, repetition] += 1
        self.open += 1
        self.peak = max(self.peak, self.open)
        try:
            await asyncio.sleep(0.001)
            error = self.script(text.id, self.asked[text.id, repetition])
            if isinstance(error, Exception):
                raise error
        finally:
            self.open -= 1
        self.answered[text.id, repetition] += 1
        return Reply(
            key="",
            requested=Requested(model="m"),
            served=Served(model="m"),
            text=error or "Score: 3",
            usage={"prompt_tokens": 10, "completion_tokens": 2},
            cost=self.unit_cost,
        )

    def price(self, prompt_tokens, reply_tokens):
        return None


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch):
    monkeypatch.setitem(retry.retrying.__kwdefaults__, "first_wait", 0.001)
    monkeypatch.setitem(retry.retrying.__kwdefaults__, "longest_wait", 0.002)


@contextmanager
def opened(folder):
    with ReplyCache(folder) as cache, Claims(folder) as claims:
        yield cache, claims


def run(folder, judges, *, budget=None, concurrency=8, texts=TEXTS, failed=None):
    with opened(folder) as (cache, claims):
        calls, outcome = pending_calls(judges, texts, cache, failed=failed or {})
        runner = Runner(calls, outcome, cache, claims, budget or Budget(), concurrency=concurrency)
        asyncio.run(runner.run(Silent()))
        cache.flush()
        return outcome, len(cache)


def test_every_text_is_answered_once(tmp_path):
    judges = [Scripted("a"), Scripted("b", repetitions=2)]
    outcome, stored = run(tmp_path, judges)
    assert stored == 180
    assert set(judges[0].asked.values()) == set(judges[1].asked.values()) == {1}
    assert outcome.states["b"].done == 120
    assert judges[0].peak <= 8
    again, _ = run(tmp_path, judges)
    assert again.states["b"].cached == 120
    assert again.states["b"].calls == 0


def drawn(text, tries, share):
    return int(hashlib.sha256(f"{text}:{tries}".encode()).hexdigest(), 16) % 100 < share


def test_mixed_faults_end_with_every_text_answered_once(tmp_path):
    def script(text, tries):
        if drawn(text, tries, 20):
            return RetryableCallError("429 slow down", retry_after=0.0)
        return None

    judge = Scripted("a", script)
    outcome, stored = run(tmp_path, [judge])
    state = outcome.states["a"]
    assert stored == 60
    assert outcome.failures == {}
    assert set(judge.answered.values()) == {1}
    assert judge.asked.total() == state.calls == 60 + state.retries
    assert state.retries > 0


def test_a_text_that_never_succeeds_fails_and_the_rest_go_on(tmp_path):
    def script(text, tries):
        return RetryableCallError("500 broken") if text == "t007" else None

    judge = Scripted("a", script)
    outcome, stored = run(tmp_path, [judge])
    assert stored == 59
    assert outcome.failures == {("a", "t007", 0): "500 broken"}
    assert judge.asked["t007", 0] == 8
    kept, _ = run(tmp_path, [judge], failed=outcome.failures)
    assert judge.asked["t007", 0] == 8
    assert kept.failures == outcome.failures
    assert kept.states["a"].failed == 1


def test_an_error_that_no_retry_mends_stops_that_judge_alone(tmp_path):
    bad = Scripted("bad", lambda text, tries: PermanentCallError("401 wrong key"))
    good = Scripted("good")
    outcome, stored = run(tmp_path, [bad, good])
    assert stored == 60
    assert outcome.states["bad"].stopped == "401 wrong key"
    assert bad.asked.total() <= 8
    # None of its texts counts as failed: they can be asked once the key is right.
    assert outcome.failures == {}
    assert outcome.states["good"].stopped == ""


def test_a_judge_that_keeps_failing_is_paused(tmp_path):
    bad = Scripted("bad", lambda text, tries: CallError("no"))
    outcome, _ = run(tmp_path, [bad, Scripted("good")])
    assert "paused" in outcome.states["bad"].stopped
    assert 10 <= bad.asked.total() <= 18
    assert outcome.states["good"].done == 60


def test_now_and_then_a_failure_pauses_nobody(tmp_path):
    judge = Scripted("a", lambda text, tries: CallError("no") if int(text[1:]) % 3 == 0 else None)
    outcome, stored = run(tmp_path, [judge])
    assert outcome.states["a"].stopped == ""
    assert (stored, len(outcome.failures)) == (40, 20)


def test_ungraded_replies_are_counted_by_status(tmp_path):
    judge = Scripted(
        "a", lambda text, tries: "I cannot rate this." if text == "t001" else "Score: 9"
    )
    outcome, stored = run(tmp_path, [judge])
    assert stored == 60
    assert outcome.states["a"].ungraded == {"refused": 1, "off_scale": 59}


def test_dollars_are_a_hard_stop(tmp_path):
    judge = Scripted("a", cost=0.01)
    outcome, stored = run(tmp_path, [judge], budget=Budget(max_usd=0.2), concurrency=4)
    assert "max_usd" in outcome.stopped
    assert 15 <= stored <= 20
    assert outcome.states["a"].usd == pytest.approx(0.01 * stored)


def test_retries_count_as_calls(tmp_path):
    judge = Scripted("a", lambda text, tries: RetryableCallError("503") if tries < 3 else None)
    outcome, stored = run(tmp_path, [judge], budget=Budget(max_calls=30), concurrency=4)
    assert judge.asked.total() == 30
    assert stored <= 10
    assert "max_calls" in outcome.stopped


def test_a_failed_call_that_bills_is_spent(tmp_path):
    def script(text, tries):
        error = RetryableCallError("malformed")
        error.cost = 0.05
        return error if tries == 1 else None

    outcome, _ = run(tmp_path, [Scripted("a", script)], texts=TEXTS[:10])
    assert outcome.states["a"].usd == pytest.approx(10 * 0.06)


def test_a_price_that_is_not_known_is_counted(tmp_path):
    outcome, _ = run(tmp_path, [Scripted("a", cost=None)], texts=TEXTS[:5])
    assert outcome.states["a"].unpriced == 5


def test_a_cache_that_cannot_be_written_stops_the_run(tmp_path, monkeypatch):
    judge = Scripted("a")

    def full(self, batch):
        raise StorageError("cache.db: cannot be written (database or disk is full)")

    monkeypatch.setattr(ReplyCache, "_store", full)
    many = [Text(f"t{n}", "b", "e", f"{n}") for n in range(5000)]
    with pytest.raises(StorageError, match="disk is full"):
        run(tmp_path, [judge], texts=many)
    assert judge.asked.total() < 5000
