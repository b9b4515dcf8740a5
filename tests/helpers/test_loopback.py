"""The scripted provider does what its script says."""

import asyncio
import json
import time

import aiohttp
import pytest
from tests.helpers.loopback import Answer, Loopback


async def _post(url: str, *bodies: dict[str, object]) -> list[tuple[int, bytes]]:
    found = []
    async with aiohttp.ClientSession() as session:
        for body in bodies:
            async with session.post(f"{url}/chat/completions", json=body) as reply:
                found.append((reply.status, await reply.read()))
    return found


def test_chat_and_text_completions() -> None:
    with Loopback(lambda body: Answer(body.get("prompt", "chat"))) as server:
        chat, text = asyncio.run(_post(server.url, {"messages": []}, {"prompt": "p"}))
    assert json.loads(chat[1])["choices"][0]["message"]["content"] == "chat"
    assert json.loads(text[1])["choices"][0]["text"] == "p"
    assert server.counts == {"answered": 2}


def test_faults_do_not_depend_on_order() -> None:
    bodies: list[dict[str, object]] = [{"messages": [], "n": n} for n in range(200)]

    def statuses(order: list[dict[str, object]]) -> dict[object, int]:
        with Loopback(faults={"429": 0.2, "500": 0.1}, seed=4) as server:
            found = asyncio.run(_post(server.url, *order))
        return {body["n"]: status for body, (status, _) in zip(order, found, strict=True)}

    forward = statuses(bodies)
    assert forward == statuses(bodies[::-1])
    # 200 draws at 0.2: four standard deviations are 23.
    assert 17 <= sum(status == 429 for status in forward.values()) <= 63


def test_a_drop_closes_the_connection() -> None:
    with Loopback(faults={"drop": 1.0}) as server, pytest.raises(aiohttp.ClientError):
        asyncio.run(_post(server.url, {"messages": []}))


def test_latency_and_the_peak() -> None:
    async def many(url: str) -> None:
        await asyncio.gather(*(_post(url, {"messages": [], "n": n}) for n in range(8)))

    with Loopback(latency=0.1) as server:
        started = time.perf_counter()
        asyncio.run(many(server.url))
    assert time.perf_counter() - started >= 0.1
    assert server.peak == 8
