"""The direct transport sends the bytes that litellm sends, over few connections."""

import asyncio
import dataclasses
from typing import Any

import pytest
from tests.helpers.loopback import Loopback

from judgeprobe.errors import InputError
from judgeprobe.llm.client import call as litellm_call
from judgeprobe.llm.direct import DirectClient
from judgeprobe.llm.request import Request, chat

CHAT = Request(model="openai/m-1", messages=chat("Grade é “x”.", "u\n\t1"), max_tokens=9)
TEXT = Request(model="text-completion-openai/m-1", prompt="Grade é: ", max_tokens=1)
ROUTED = dataclasses.replace(CHAT, model="openrouter/acme/m-1")
EVERYTHING: dict[str, Any] = {
    "temperature": 0.5,
    "seed": 7,
    "reasoning_effort": "low",
    "response_format": {"type": "json_object"},
    "top_logprobs": 5,
    "provider": {"order": ["acme"], "allow_fallbacks": False},
    "extra_body": {"zeta": 1, "alpha": {"b": [1, 2]}},
}

REQUESTS = {
    "chat": CHAT,
    "chat, nothing set": dataclasses.replace(CHAT, temperature=None, max_tokens=None),
    "chat, all set": dataclasses.replace(CHAT, **EVERYTHING),
    "text": TEXT,
    "text, log-probabilities": dataclasses.replace(
        TEXT, top_logprobs=20, seed=3, extra_body={"k": 1}
    ),
    "router": ROUTED,
    "router, pinned": dataclasses.replace(ROUTED, provider=EVERYTHING["provider"], seed=3),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_same_bytes_as_litellm(name: str) -> None:
    async def both(request: Request) -> None:
        await litellm_call(request, api_key="k")
        async with DirectClient() as client:
            await client.call(request, api_key="k")

    with Loopback() as server:
        asyncio.run(both(dataclasses.replace(REQUESTS[name], base_url=server.url)))
    through_litellm, direct = server.bodies
    assert direct == through_litellm
    paths = [head.split(b" ", 2)[1] for head in server.heads]
    assert paths[0] == paths[1]


def test_connections_are_kept() -> None:
    async def many(url: str) -> None:
        async with DirectClient(connections=4) as client:
            request = dataclasses.replace(CHAT, base_url=url)
            await asyncio.gather(*(client.call(request) for _ in range(40)))

    with Loopback(latency=0.005) as server:
        asyncio.run(many(server.url))
    assert server.requests == 40
    assert server.peak <= 4
    assert server.connected == 4


@pytest.mark.parametrize("model", ["anthropic/claude", "gpt-4o", "openai/"])
def test_other_interfaces_are_refused(model: str) -> None:
    with pytest.raises(InputError, match='transport = "direct"'):
        asyncio.run(DirectClient().call(dataclasses.replace(CHAT, model=model)))
