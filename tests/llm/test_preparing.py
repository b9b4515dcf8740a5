"""What runs in the event loop's own thread, and what still goes to a thread of the pool."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from tests.helpers.loopback import Answer, Loopback

from judgeprobe.llm import preparing
from judgeprobe.llm.client import call
from judgeprobe.llm.request import Request, chat


def completion(**_: Any) -> int:
    return threading.get_ident()


def somewhere(function: Callable[..., Any], **settings: Any) -> Any:
    async def run() -> Any:
        preparing.prepare_in_loop()
        preparing.prepare_in_loop()
        wrapped = partial(contextvars.copy_context().run, partial(function, **settings))
        return await asyncio.get_running_loop().run_in_executor(None, wrapped)

    return asyncio.run(run())


def test_the_preparation_of_a_named_endpoint_stays_in_the_thread() -> None:
    here = threading.get_ident()
    assert somewhere(completion, acompletion=True, api_base="http://127.0.0.1:1") == here


@pytest.mark.parametrize(
    "settings", [{"acompletion": True}, {"api_base": "http://127.0.0.1:1"}, {}]
)
def test_everything_else_goes_to_another(settings: dict[str, Any]) -> None:
    assert somewhere(completion, **settings) != threading.get_ident()
    assert somewhere(lambda **_: threading.get_ident(), **settings) != threading.get_ident()


def test_what_it_raises_reaches_the_caller() -> None:
    def completion(**_: Any) -> None:
        raise LookupError("no such provider")

    with pytest.raises(LookupError, match="no such provider"):
        somewhere(completion, acompletion=True, api_base="http://127.0.0.1:1")


def test_litellm_is_still_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    known = preparing._is_preparation
    seen: list[bool] = []

    def told(function: Callable[..., Any]) -> bool:
        seen.append(known(function))
        return seen[-1]

    monkeypatch.setattr(preparing, "_is_preparation", told)
    with Loopback(lambda _: Answer("3")) as server:
        request = Request(model="openai/m", messages=chat("s", "u"), base_url=server.url)
        assert asyncio.run(call(request)).text == "3"
    assert any(seen)
