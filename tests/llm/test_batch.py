"""Requests handed over at once come back as the replies that calls would have given."""

import asyncio
from collections.abc import Callable

import pytest
from tests.helpers.vendors import Vendors

from judgeprobe.errors import CallError, InputError, PermanentCallError, RetryableCallError
from judgeprobe.llm.batch import BatchVendor, batch_vendor
from judgeprobe.llm.request import Request, chat
from judgeprobe.records import Reply

MODELS = {"openai/m": "openai_url", "anthropic/c": "anthropic_url"}


def content(body: dict[str, object]) -> str:
    messages = body["messages"]
    assert isinstance(messages, list)
    return f"grade {messages[-1]['content']}"


def requests(model: str, count: int = 3) -> dict[str, Request]:
    return {
        f"{n:064x}": Request(model=model, messages=chat("s", str(n)), max_tokens=9)
        for n in range(count)
    }


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-anthropic")
    return str(request.param)


@pytest.fixture
def vendor_at(model: str) -> Callable[[Vendors], BatchVendor]:
    return lambda vendors: batch_vendor(model, getattr(vendors, MODELS[model]))


def test_there_and_back(model: str, vendor_at: Callable[[Vendors], BatchVendor]) -> None:
    asked = requests(model)

    async def all_of_it(vendors: Vendors) -> dict[str, Reply | CallError]:
        vendor = vendor_at(vendors)
        batch = await vendor.submit(asked)
        assert (await vendor.state(batch)).state == "open"
        vendors.finish()
        assert (await vendor.state(batch)).state == "ended"
        return await vendor.results(batch, asked)

    with Vendors(content) as vendors:
        results = asyncio.run(all_of_it(vendors))
    assert set(results) == set(asked)
    for number, name in enumerate(asked):
        reply = results[name]
        assert isinstance(reply, Reply)
        assert reply.text == f"grade {number}"
        assert reply.finish == "stop"
        assert reply.usage == {"prompt_tokens": 3, "completion_tokens": 1}
        assert reply.served.model == model.partition("/")[2]
    assert any("key-of-" in key for key in vendors.keys)
    sent = next(iter(vendors.batches.values()))
    assert [item["custom_id"] for item in sent] == list(asked)


def test_lost_items_say_whether_to_ask_again(
    model: str, vendor_at: Callable[[Vendors], BatchVendor]
) -> None:
    asked = requests(model)

    async def all_of_it(vendors: Vendors) -> dict[str, Reply | CallError]:
        vendor = vendor_at(vendors)
        batch = await vendor.submit(asked)
        vendors.finish()
        return await vendor.results(batch, asked)

    with Vendors(content, lose={0: 500, 2: 400}) as vendors:
        found = asyncio.run(all_of_it(vendors))
    results = [found[name] for name in asked]
    assert isinstance(results[0], RetryableCallError)
    assert isinstance(results[1], Reply)
    assert isinstance(results[2], PermanentCallError)


def test_openai_says_why_a_batch_failed() -> None:
    async def state(vendors: Vendors) -> tuple[str, str]:
        vendor = batch_vendor("openai/m", vendors.openai_url)
        batch = await vendor.submit(requests("openai/m"))
        vendors.fail = True
        found = await vendor.state(batch)
        return found.state, found.detail

    with Vendors(content) as vendors:
        state_and_detail = asyncio.run(state(vendors))
    assert state_and_detail == ("failed", "failed: the token limit is reached")


def test_models_without_a_batch_interface() -> None:
    with pytest.raises(InputError, match="no batch interface"):
        batch_vendor("openrouter/a/m")


def test_anthropic_has_no_completion_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    vendor = batch_vendor("anthropic/c", "http://127.0.0.1:9")
    with pytest.raises(InputError, match="completion prompts"):
        asyncio.run(vendor.submit({"a": Request(model="anthropic/c", prompt="p")}))


def test_anthropic_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(PermanentCallError, match="ANTHROPIC_API_KEY"):
        asyncio.run(batch_vendor("anthropic/c").submit(requests("anthropic/c")))
