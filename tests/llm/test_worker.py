"""A worker by itself: batches in and out, errors that survive the way, keys from its own place."""

import asyncio
import json
import os
import pickle

import pytest

from judgeprobe import __version__
from judgeprobe.errors import (
    CallError,
    InputError,
    PermanentCallError,
    RetryableCallError,
)
from judgeprobe.llm.request import Request, chat
from judgeprobe.llm.worker import Done, Job, Worker
from judgeprobe.records import Reply

from ..helpers.loopback import Answer, Loopback


def job(server, number, words="x", **changes):
    request = Request(model="openai/m", messages=chat("s", words), base_url=server.url, **changes)
    # As it travels between processes.
    return pickle.loads(pickle.dumps(Job(number, "direct", request)))


async def finished(worker, count):
    """The first `count` results, as they arrive on the other side."""
    found = []
    while len(found) < count:
        process, done = pickle.loads(pickle.dumps(await worker.take()))
        assert process == os.getpid()
        found += done
    return {done.number: done for done in found}


def run(work):
    async def whole():
        worker = Worker()
        try:
            return await work(worker)
        finally:
            await worker.close()

    return asyncio.run(whole())


def test_calls_run_side_by_side_and_come_back_together():
    def answer(body):
        return json.dumps({"said": body["messages"][-1]["content"]})

    with Loopback(answer, latency=0.1) as server:

        async def work(worker):
            await worker.give([job(server, n, f"text {n}") for n in range(20)])
            return await finished(worker, 20)

        found = run(work)
        assert server.peak == 20
        for number, done in found.items():
            reply = done.result()
            assert isinstance(reply, Reply)
            assert reply.text == json.dumps({"said": f"text {number}"})


def test_half_a_surrogate_pair_survives_the_way():
    with Loopback(lambda body: "\ud83d 4") as server:

        async def work(worker):
            await worker.give([job(server, 1)])
            return await finished(worker, 1)

        assert run(work)[1].result().text == "\ud83d 4"


@pytest.mark.parametrize(
    ("status", "headers", "kind"),
    [
        (429, {"Retry-After": "7"}, RetryableCallError),
        (503, {}, RetryableCallError),
        (401, {}, PermanentCallError),
    ],
)
def test_an_error_is_the_same_error_on_the_other_side(status, headers, kind):
    def answer(body):
        return Answer(status=status, top={"error": {"message": "no"}}, headers=headers)

    with Loopback(answer) as server:

        async def work(worker):
            await worker.give([job(server, 1)])
            return await finished(worker, 1)

        with pytest.raises(kind) as caught:
            run(work)[1].result()
        assert type(caught.value) is kind
        assert str(status) in str(caught.value)
        if headers:
            assert caught.value.retry_after == 7.0


def test_every_error_class_of_a_call_keeps_its_name():
    for kind in (RetryableCallError, PermanentCallError, CallError):
        with pytest.raises(kind, match="words") as caught:
            Done(1, kind=kind.__name__, message="words", cost=0.5).result()
        assert type(caught.value) is kind
    with pytest.raises(InputError, match="words"):
        Done(1, kind="InputError", message="words").result()
    with pytest.raises(PermanentCallError, match="a worker failed: ZeroDivisionError"):
        Done(1, kind="ZeroDivisionError", message="words").result()


def test_an_error_that_nobody_foresaw_answers_its_call(monkeypatch):
    async def broken(self, request):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("judgeprobe.llm.sender.InProcess.call", broken)
    with Loopback() as server:

        async def work(worker):
            await worker.give([job(server, 1)])
            return await finished(worker, 1)

        assert run(work)[1].kind == "ZeroDivisionError"


def test_hello_drops_what_is_on_its_way_and_names_the_keys_that_are_there(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    with Loopback(latency=0.3) as server:

        async def work(worker):
            await worker.give([job(server, 1)])
            await asyncio.sleep(0.05)
            hello = await worker.hello(["OPENAI_API_KEY", "OPENROUTER_API_KEY"], ["direct"])
            await worker.give([job(server, 2)])
            return hello, await finished(worker, 1)

        hello, found = run(work)
        assert hello.version == __version__
        assert hello.keys == {"OPENAI_API_KEY"}
        assert list(found) == [2]
