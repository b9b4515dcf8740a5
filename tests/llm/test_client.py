"""One call, through either transport: the reply, what served it, and what its failures are."""

import asyncio
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from tests.helpers.loopback import Answer, Loopback

from judgeprobe.errors import CallError, PermanentCallError, RetryableCallError
from judgeprobe.llm.client import call as litellm_call
from judgeprobe.llm.direct import DirectClient
from judgeprobe.llm.faults import NO_TEMPERATURE
from judgeprobe.llm.prices import token_prices
from judgeprobe.llm.request import Request, chat
from judgeprobe.llm.secrets import known_secrets
from judgeprobe.records import Reply

PLANTED = "planted-s3cret-value-77"
Call = Callable[[Request], Reply]


async def _direct(request: Request) -> Reply:
    async with DirectClient() as client:
        return await client.call(request)


@pytest.fixture(params=["litellm", "direct"])
def call(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("OPENAI_API_KEY", PLANTED)
    monkeypatch.setenv("OPENROUTER_API_KEY", PLANTED)
    known_secrets.cache_clear()
    send = litellm_call if request.param == "litellm" else _direct
    return lambda asked: asyncio.run(send(asked))


def ask(url: str, **changes: Any) -> Request:
    base = Request(model="openai/m-1", messages=chat("s", "u"), base_url=url, timeout=20.0)
    return dataclasses.replace(base, **changes)


def test_a_reply_tells_what_served_it(call: Call) -> None:
    top = {
        "model": "m-1-2025",
        "provider": "Acme",
        "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9, "cost": 0.25},
    }
    with Loopback(lambda body: Answer('{"grade": 3}', top=top)) as server:
        reply = call(ask(server.url, provider={"order": ["acme"], "allow_fallbacks": False}))
    assert reply.text == '{"grade": 3}'
    assert reply.message["message"]["content"] == '{"grade": 3}'
    assert (reply.served.model, reply.served.provider) == ("m-1-2025", "Acme")
    assert reply.served.fingerprint == "fp_loopback"
    assert reply.served.quantization == "not disclosed"
    assert (reply.requested.model, reply.requested.provider) == ("openai/m-1", "acme")
    assert reply.finish == "stop"
    assert reply.usage["prompt_tokens"] == 7
    assert reply.cost == 0.25
    assert reply.at.endswith("+00:00")
    assert server.parsed()[0]["provider"] == {"order": ["acme"], "allow_fallbacks": False}


def test_a_known_price_is_reckoned_and_an_unknown_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from litellm import cost_calculator

    top = {"usage": {"prompt_tokens": 700, "completion_tokens": 20, "total_tokens": 720}}
    with Loopback(lambda body: Answer("3", top={**top, "model": body["model"]})) as server:
        known = asyncio.run(litellm_call(ask(server.url, model="openai/gpt-4o-mini")))
        asked: list[str] = []
        monkeypatch.setattr(
            cost_calculator, "completion_cost", lambda *_, model, **__: asked.append(model)
        )
        unknown = [
            asyncio.run(litellm_call(request))
            for request in (ask(server.url), ask(server.url, messages=(), prompt="Grade:"))
        ]
    prompt, reply = token_prices("openai/gpt-4o-mini") or (0.0, 0.0)
    assert prompt > 0
    assert known.cost == pytest.approx(700 * prompt + 20 * reply)
    assert [found.cost for found in unknown] == [None, None]
    assert [found.text for found in unknown] == ["3", "3"]
    assert asked == []


def test_log_probabilities_come_back(call: Call) -> None:
    entry = {"token": "3", "logprob": -0.5, "bytes": [51]}
    logprobs = {"content": [{**entry, "top_logprobs": [entry]}]}
    with Loopback(lambda body: Answer("3", logprobs=logprobs)) as server:
        asked = ask(server.url, model="text-completion-openai/m", messages=(), prompt="p")
        reply = call(dataclasses.replace(asked, top_logprobs=5, max_tokens=1))
    assert reply.message["logprobs"]["content"][0]["top_logprobs"][0]["logprob"] == -0.5
    assert server.parsed()[0]["logprobs"] == 5
    assert reply.text == "3"


@pytest.mark.parametrize("name", ["500", "503", "drop", "malformed", "429-in-200"])
def test_a_retry_may_mend(call: Call, name: str) -> None:
    with Loopback(faults={name: 1.0}) as server, pytest.raises(RetryableCallError) as caught:
        call(ask(server.url))
    assert server.requests == 1
    assert "\n" not in str(caught.value)


def test_an_error_inside_a_completion_is_an_error(call: Call) -> None:
    with Loopback(faults={"429-in-200": 1.0}) as server, pytest.raises(RetryableCallError):
        call(ask(server.url, model="text-completion-openai/m", messages=(), prompt="p"))


def test_the_wait_that_was_asked_for(call: Call) -> None:
    throttling = Loopback(faults={"429": 1.0}, retry_after=7)
    with throttling as server, pytest.raises(RetryableCallError) as caught:
        call(ask(server.url))
    assert caught.value.retry_after == 7.0
    assert "429" in str(caught.value)


def test_a_time_limit(call: Call) -> None:
    with Loopback(faults={"slow": 1.0}, slow=10.0) as server, pytest.raises(RetryableCallError):
        call(ask(server.url, timeout=0.3))


@pytest.mark.parametrize("name", ["401", "400"])
def test_no_retry_mends(call: Call, name: str) -> None:
    with Loopback(faults={name: 1.0}) as server, pytest.raises(PermanentCallError):
        call(ask(server.url))
    assert server.requests == 1


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"message": "You exceeded your current quota", "code": "x"}, PermanentCallError),
        (429, {"message": "no", "code": "insufficient_quota"}, PermanentCallError),
        (402, {"message": "Insufficient credits"}, PermanentCallError),
        (403, {"message": "not for you"}, PermanentCallError),
        (404, {"message": "no such model"}, PermanentCallError),
        (408, {"message": "slow"}, RetryableCallError),
        (502, {"message": "bad gateway"}, RetryableCallError),
        (400, {"message": "maximum context length is 10", "code": "x"}, CallError),
        (400, {"message": "no", "code": "context_length_exceeded"}, CallError),
    ],
)
def test_kinds_of_failure(
    call: Call, status: int, error: dict[str, str], kind: type[CallError]
) -> None:
    answer = Answer(status=status, top={"error": error})
    with Loopback(lambda body: answer) as server, pytest.raises(CallError) as caught:
        call(ask(server.url))
    assert type(caught.value) is kind


def test_a_refused_temperature(call: Call) -> None:
    def script(body: dict[str, Any]) -> Answer:
        if "temperature" in body:
            error = {"message": "Unsupported value: 'temperature' does not support 0.0"}
            return Answer(status=400, top={"error": error})
        return Answer("3")

    with Loopback(script) as server:
        reply = call(ask(server.url, model="openai/no-temperature"))
    assert reply.text == "3"
    assert reply.note == NO_TEMPERATURE
    assert ["temperature" in body for body in server.parsed()] == [True, False]


def test_no_secret_in_an_error(call: Call) -> None:
    def script(body: dict[str, Any]) -> Answer:
        return Answer(status=401, top={"error": {"message": f"bad key {PLANTED} sk-abcdefgh1234"}})

    with Loopback(script) as server, pytest.raises(PermanentCallError) as caught:
        call(ask(server.url))
    assert PLANTED.encode() in server.heads[0]
    assert PLANTED not in str(caught.value)
    assert "sk-abcdefgh1234" not in str(caught.value)
    assert "[redacted]" in str(caught.value)
    assert caught.value.__cause__ is None


def test_no_secret_in_a_reply(call: Call) -> None:
    with Loopback(lambda body: f"your key is {PLANTED}, grade: 3") as server:
        reply = call(ask(server.url))
    assert PLANTED not in reply.model_dump_json()
    assert "grade: 3" in reply.text


def test_an_endpoint_that_is_not_there(call: Call) -> None:
    with Loopback() as server:
        url = server.url
    with pytest.raises(RetryableCallError):
        call(ask(url))
