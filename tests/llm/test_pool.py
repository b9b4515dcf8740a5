"""Calls that lead to each other: once each, within the limits, from the model that was asked."""

import asyncio
import functools
import json
from collections import Counter

import pytest
from tests.helpers.loopback import Answer, Loopback

from judgeprobe.errors import JudgeprobeError, PermanentCallError, WrongServerError
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.llm.endpoint import Endpoint
from judgeprobe.llm.limits import Budget
from judgeprobe.llm.pool import Pool, StoppedError
from judgeprobe.llm.prices import supports_schema, token_prices
from judgeprobe.llm.structured import response_format
from judgeprobe.settings import ModelSettings


def settings(url, **more):
    return ModelSettings(model="openai/mistral-small", base_url=url, transport="direct", **more)


def run(tmp_path, server, work, *, budget=None, concurrency=8, **more):
    """Do some work with an endpoint and a pool; the work's result and the pool's counts."""

    async def inside():
        endpoint = Endpoint(settings(server.url, **more), "verifier")
        try:
            return await work(pool, endpoint)
        finally:
            await endpoint.close()

    with ReplyCache(tmp_path / "cache") as cache:
        pool = Pool(cache, budget or Budget(), concurrency=concurrency)
        return asyncio.run(inside()), pool.counts["verifier"]


def ask(pool, endpoint, text, repetition=0):
    request = endpoint.request([{"role": "user", "content": text}])
    return pool.ask(endpoint, request, template_hash="t", repetition=repetition)


def test_a_question_on_its_way_is_not_asked_again(tmp_path):
    async def work(pool, endpoint):
        return await asyncio.gather(*(ask(pool, endpoint, "same") for _ in range(5)))

    with Loopback(lambda body: "yes", latency=0.02) as server:
        replies, counts = run(tmp_path, server, work)
        assert server.requests == 1
    assert {reply.text for reply in replies} == {"yes"}
    assert counts.calls == counts.done == 1


def test_a_further_repetition_asks_anew_and_the_cache_answers_the_rest(tmp_path):
    async def work(pool, endpoint):
        return [(await ask(pool, endpoint, "q", turn)).text for turn in (0, 1, 0, 1)]

    numbers = iter("abcdef")
    with Loopback(lambda body: next(numbers)) as server:
        texts, counts = run(tmp_path, server, work)
    assert texts == ["a", "b", "a", "b"]
    assert (counts.done, counts.cached) == (2, 2)


def test_one_question_that_cannot_be_answered_fails_for_all_who_wait_for_it(tmp_path):
    async def work(pool, endpoint):
        return await asyncio.gather(
            *(ask(pool, endpoint, "same") for _ in range(3)), return_exceptions=True
        )

    refusal = Answer(status=400, top={"error": {"message": "maximum context length exceeded"}})
    with Loopback(lambda body: refusal, latency=0.02) as server:
        found, counts = run(tmp_path, server, work)
        assert server.requests == 1
    assert [type(error).__name__ for error in found] == ["CallError"] * 3
    assert counts.failed == 1


@pytest.mark.parametrize(
    ("top", "words"),
    [
        ({"model": "gpt-4o"}, "the model 'gpt-4o' where 'openai/mistral-small'"),
        ({"provider": "elsewhere"}, "the provider 'elsewhere' where mistral was pinned"),
    ],
)
def test_another_server_is_named_and_its_reply_is_kept_but_not_used(tmp_path, top, words):
    async def work(pool, endpoint):
        for _ in range(2):
            with pytest.raises(WrongServerError, match="verifier") as error:
                await ask(pool, endpoint, "q")
            assert words in str(error.value)

    pin = {"order": ["mistral"], "allow_fallbacks": False}
    with Loopback(lambda body: Answer("x", top=top)) as server:
        _, counts = run(tmp_path, server, work, provider=pin)
        assert server.requests == 1
    assert counts.wrong == 2


def test_the_name_that_an_endpoint_serves_under_can_be_given(tmp_path):
    async def work(pool, endpoint):
        return await ask(pool, endpoint, "q")

    with Loopback(lambda body: Answer("x", top={"model": "ours-v2"})) as server:
        reply, counts = run(tmp_path, server, work, served_model="ours-v2")
    assert (reply.text, counts.wrong) == ("x", 0)


def test_a_stopped_run_lets_the_waiting_go_and_awaits_what_is_on_its_way(tmp_path):
    async def work(pool, endpoint):
        async def job(number):
            try:
                return (await ask(pool, endpoint, f"q{number}")).text
            except StoppedError:
                return "stopped"

        jobs = [functools.partial(job, number) for number in range(20)]
        asyncio.get_running_loop().call_later(0.1, pool.stop, StoppedError("enough"))
        with pytest.raises(StoppedError, match=r"enough.* kept"):
            await pool.all(jobs)

    with Loopback(lambda body: "x", latency=0.3) as server:
        _, counts = run(tmp_path, server, work, concurrency=3)
        assert server.requests == 3
    assert counts.done == 3
    with ReplyCache(tmp_path / "cache") as cache:
        assert len(cache) == 3


def test_an_error_of_one_job_stops_the_others_before_they_pay(tmp_path):
    async def work(pool, endpoint):
        async def job(number):
            if number == 0:
                await asyncio.sleep(0.05)
                raise ZeroDivisionError
            for turn in range(50):
                await ask(pool, endpoint, f"{number} {turn}")

        with pytest.raises(ZeroDivisionError):
            await pool.all([functools.partial(job, number) for number in range(4)])

    with Loopback(lambda body: "x", latency=0.02) as server:
        run(tmp_path, server, work)
        assert server.requests < 60


def test_dollars_are_a_hard_stop(tmp_path):
    async def work(pool, endpoint):
        for number in range(3):
            await ask(pool, endpoint, str(number))
        with pytest.raises(JudgeprobeError, match="max_usd"):
            await ask(pool, endpoint, "one more")

    # 300 prompt tokens a call at 10 dollars a million.
    with Loopback(lambda body: "x") as server:
        _, counts = run(tmp_path, server, work, budget=Budget(max_usd=0.01), price={"input": 10.0})
    assert counts.usd == pytest.approx(0.009)
    assert counts.calls == 3


@pytest.mark.parametrize("wanted", [True, False])
def test_a_schema_is_requested_where_it_is_wanted(tmp_path, wanted):
    async def work(pool, endpoint):
        form = response_format(ModelSettings)
        request = endpoint.request([{"role": "user", "content": "q"}], form)
        await pool.ask(endpoint, request, template_hash="t")

    with Loopback(lambda body: "x") as server:
        run(tmp_path, server, work, structured=wanted)
        (body,) = server.parsed()
    assert ("response_format" in body) is wanted


def test_a_provider_that_takes_no_schema_is_told_with_the_remedy(tmp_path):
    async def work(pool, endpoint):
        form = response_format(ModelSettings)
        request = endpoint.request([{"role": "user", "content": "q"}], form)
        with pytest.raises(PermanentCallError, match=r"\[verifier\] structured = false"):
            await pool.ask(endpoint, request, template_hash="t")

    refusal = Answer(status=400, top={"error": {"message": "response_format is not supported"}})
    with Loopback(lambda body: refusal) as server:
        run(tmp_path, server, work, structured=True)


def test_the_price_table_tells_who_takes_a_schema():
    assert supports_schema("openai/gpt-4o-mini")
    assert supports_schema("openrouter/openai/gpt-4o-mini")
    assert not supports_schema("openai/something-unheard-of")
    assert token_prices("openai/something-unheard-of") is None
    prompt, reply = token_prices("openai/gpt-4o-mini")
    assert 0 < prompt < reply


def test_endpoints_of_one_provider_share_a_group_and_a_pin_sets_them_apart():
    def endpoint(model, **more):
        return Endpoint(ModelSettings(model=model, **more), "generator")

    assert endpoint("openrouter/a/b").group == endpoint("openrouter/c/d").group
    pin = {"order": ["x"], "allow_fallbacks": False}
    assert endpoint("openrouter/a/b", provider=pin).group != endpoint("openrouter/a/b").group
    assert endpoint("openai/a", base_url="http://h/v1").group == "http://h/v1"


def test_the_host_and_the_key_are_not_in_the_question(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret")
    one = Endpoint(settings("http://one/v1"), "generator").request(
        [{"role": "user", "content": "q"}]
    )
    two = Endpoint(settings("http://two/v1"), "generator").request(
        [{"role": "user", "content": "q"}]
    )
    assert one.body() == two.body()
    assert "secret" not in json.dumps(one.body())


def test_bad_calls_are_told_from_good_ones_by_the_last_forty():
    from judgeprobe.llm.pool import Counts

    counts = Counts()
    for _ in range(100):
        counts.note(good=True)
    for _ in range(19):
        counts.note(good=False)
    assert counts.bad() == 0
    counts.note(good=False)
    assert counts.bad() == 20
    assert Counter(counts.as_dict())["failed"] == 0
