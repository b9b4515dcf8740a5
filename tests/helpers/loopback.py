"""How does our client behave against a provider that we can script?

An OpenAI-compatible server (chat and text completions) on a loopback port, written on a raw asyncio
protocol so that it is never the bottleneck. It runs in a thread of the test's process:

    with Loopback(lambda body: '{"grade": 3}', faults={"429": 0.1, "drop": 0.1}) as server:
        ...  # server.url, server.bodies, server.counts

or in a process of its own, for benchmarks: `python tests/helpers/loopback.py --latency 0.05`, which
prints its address on the first line and ends with its standard input.

Faults are drawn from (seed, request body, how often that body was seen), so that they do not depend
on the order in which requests arrive.
"""

import argparse
import asyncio
import hashlib
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

__all__ = ["FAULTS", "Answer", "Loopback"]

FAULTS = ("429", "500", "503", "401", "400", "drop", "slow", "malformed", "429-in-200")
_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found"}


@dataclass(frozen=True)
class Answer:
    """What the played model says, where a string is not enough.

    Attributes:
        text: Content of the message (or text of the completion).
        message: Fields that replace or join those of the message.
        logprobs: The choice's log-probabilities object.
        top: Fields that replace or join those at the top of the reply, such as provider.
        status: HTTP status; with another than 200, `top` is the whole reply.
        delay: Seconds on top of the server's latency.
    """

    text: str = ""
    finish: str = "stop"
    message: Mapping[str, Any] = field(default_factory=dict)
    logprobs: Mapping[str, Any] | None = None
    top: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0


Script = Callable[[dict[str, Any]], "str | Answer"]


class Loopback:
    """A scripted provider.

    Args:
        script: Request body to answer.
        latency: Seconds before every answer.
        faults: Share of requests that meet each fault of `FAULTS`.
        seed: Seed of the faults.
        retry_after: Seconds in the Retry-After header of a 429.
        slow: Seconds that a "slow" answer takes.
        pages: What GET answers, by path; an empty list of models elsewhere.
        fixed: Always this content, with no reading of the request: the fastest form.

    Attributes:
        bodies: Request bodies as received, in order of arrival (not kept in fixed form).
        heads: Request heads (method, path, headers), in the same order.
        counts: Requests by what they met: "answered" or the fault's name.
        answered: How often each body (SHA-256 of its bytes) got a good answer.
        peak: Most requests that were open at once.
        connected: Connections accepted.
    """

    def __init__(
        self,
        script: Script = lambda body: "ok",
        *,
        latency: float = 0.0,
        faults: Mapping[str, float] | None = None,
        seed: int = 0,
        retry_after: float = 0.05,
        slow: float = 5.0,
        pages: Mapping[str, Mapping[str, Any]] | None = None,
        fixed: str | None = None,
        port: int = 0,
    ) -> None:
        unknown = set(faults or {}) - set(FAULTS)
        if unknown:
            raise ValueError(f"unknown faults: {sorted(unknown)}")
        self.script = script
        self.latency = latency
        self.faults = dict(faults or {})
        self.seed = seed
        self.retry_after = retry_after
        self.slow = slow
        self.pages = dict(pages or {})
        self.bodies: list[bytes] = []
        self.heads: list[bytes] = []
        self.counts: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.peak = 0
        self.connected = 0
        self.port = port
        self._open = 0
        self._seen: Counter[str] = Counter()
        self._fixed = None if fixed is None else _http(200, _reply({}, Answer(fixed)))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Transport] = set()

    @property
    def url(self) -> str:
        """Base URL for an OpenAI client."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> int:
        """Requests received, but for those that ask nothing of a model."""
        return sum(self.counts.values()) - self.counts["listed"]

    def parsed(self) -> list[dict[str, Any]]:
        """The bodies as JSON, in order of arrival."""
        return [json.loads(body) for body in self.bodies]

    async def start(self) -> None:
        """Listen, in the running loop."""
        self._loop = asyncio.get_running_loop()
        self._server = await self._loop.create_server(
            lambda: _Connection(self), "127.0.0.1", self.port, backlog=1024
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close every connection."""
        if self._server is not None:
            self._server.close()
        for transport in list(self._connections):
            transport.abort()
        await asyncio.sleep(0)

    def __enter__(self) -> Self:
        ready = threading.Event()
        loop = asyncio.new_event_loop()

        def run() -> None:
            loop.run_until_complete(self.start())
            ready.set()
            loop.run_forever()
            loop.run_until_complete(self.stop())
            loop.close()

        self._thread = threading.Thread(target=run, daemon=True, name="loopback")
        self._thread.start()
        if not ready.wait(10):
            raise RuntimeError("the loopback server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def meet(self, head: bytes, body: bytes) -> tuple[bytes | None, float, str]:
        """The bytes to send (None: drop the connection), the delay, and what to count it as."""
        if self._fixed is not None:
            return self._fixed, self.latency, "answered"
        if head.startswith(b"GET"):
            path = head.split(b" ", 2)[1].decode()
            page = self.pages.get(path, {"object": "list", "data": []})
            return _http(200, page), 0.0, "listed"
        self.bodies.append(body)
        self.heads.append(head)
        digest = hashlib.sha256(body).hexdigest()
        self._seen[digest] += 1
        fault = self._draw(f"{self.seed}:{self._seen[digest]}:{digest}")
        request = json.loads(body)
        if fault is not None and fault != "slow":
            return self._fault(fault, request), self.latency, fault
        answer = self.script(request)
        if isinstance(answer, str):
            answer = Answer(answer)
        delay = self.latency + answer.delay + (self.slow if fault == "slow" else 0.0)
        if answer.status != 200:
            return _http(answer.status, answer.top, answer.headers), delay, str(answer.status)
        if fault is None:
            self.answered[digest] += 1
        return _http(200, _reply(request, answer), answer.headers), delay, fault or "answered"

    def _draw(self, source: str) -> str | None:
        point = int.from_bytes(hashlib.sha256(source.encode()).digest()[:7], "big") / (1 << 56)
        for name, share in self.faults.items():
            if point < share:
                return name
            point -= share
        return None

    def _fault(self, name: str, request: dict[str, Any]) -> bytes | None:
        if name == "drop":
            return None
        if name == "malformed":
            return _http(200, _reply(request, Answer("cut")), cut=40)
        if name == "429-in-200":
            empty: dict[str, Any] = _reply(request, Answer(message={"content": None}))
            error = {"code": 429, "message": "rate limited upstream"}
            return _http(200, {**empty, "error": error})
        headers = {"Retry-After": str(self.retry_after)} if name == "429" else {}
        error = {"message": f"scripted {name}", "type": "scripted", "code": name}
        return _http(int(name), {"error": error}, headers)


class _Connection(asyncio.Protocol):
    def __init__(self, server: Loopback) -> None:
        self.server = server
        self.buffer = b""
        self.transport: asyncio.Transport | None = None
        self.waiting: set[asyncio.TimerHandle] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server._connections.add(transport)
        self.server.connected += 1

    def connection_lost(self, error: Exception | None) -> None:
        assert self.transport is not None
        self.server._connections.discard(self.transport)
        # A client that has gone waits for nothing, and its requests are open no more.
        for later in self.waiting:
            later.cancel()
            self.server._open -= 1
        self.waiting.clear()

    def data_received(self, data: bytes) -> None:
        self.buffer = self.buffer + data if self.buffer else data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end]
            at = head.lower().find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.buffer) < end + 4 + length:
                return
            body = self.buffer[end + 4 : end + 4 + length]
            self.buffer = self.buffer[end + 4 + length :]
            self._answer(head, body)

    def _answer(self, head: bytes, body: bytes) -> None:
        server = self.server
        reply, delay, met = server.meet(head, body)
        server.counts[met] += 1
        if delay <= 0:
            self._send(reply)
            return
        server._open += 1
        server.peak = max(server.peak, server._open)

        def later() -> None:
            self.waiting.discard(handle)
            server._open -= 1
            self._send(reply)

        handle = asyncio.get_running_loop().call_later(delay, later)
        self.waiting.add(handle)

    def _send(self, reply: bytes | None) -> None:
        assert self.transport is not None
        if reply is None:
            self.transport.abort()
        elif not self.transport.is_closing():
            self.transport.write(reply)


def _reply(request: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    usage = {"prompt_tokens": 300, "completion_tokens": 5, "total_tokens": 305}
    choice: dict[str, Any] = {"index": 0, "finish_reason": answer.finish}
    if "prompt" in request:
        kind = "text_completion"
        choice["text"] = answer.text
    else:
        kind = "chat.completion"
        choice["message"] = {"role": "assistant", "content": answer.text, **answer.message}
    if answer.logprobs is not None:
        choice["logprobs"] = dict(answer.logprobs)
    return {
        "id": "loopback-1",
        "object": kind,
        "created": 1700000000,
        "model": request.get("model", "loopback"),
        "system_fingerprint": "fp_loopback",
        "choices": [choice],
        "usage": usage,
        **answer.top,
    }


def _http(
    status: int,
    content: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
    cut: int | None = None,
) -> bytes:
    body = json.dumps(content).encode()[:cut]
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}"]
    lines.append("Content-Type: application/json")
    lines.append(f"Content-Length: {len(body)}")
    lines.extend(f"{name}: {value}" for name, value in (headers or {}).items())
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def _main() -> None:
    parser = argparse.ArgumentParser(description="A loopback provider in its own process.")
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--content", default='{"grade": 3}')
    options = parser.parse_args()

    async def serve() -> None:
        server = Loopback(fixed=options.content, latency=options.latency)
        await server.start()
        print(server.url, flush=True)
        # The parent's death closes this pipe, and the server goes with it.
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

    asyncio.run(serve())


if __name__ == "__main__":
    _main()
