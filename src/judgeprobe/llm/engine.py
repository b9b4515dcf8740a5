"""How does a small model give the same grade whatever was asked before?

This module is the child process that `judgeprobe.llm.local` starts: `python -m
judgeprobe.llm.engine`. It holds one llama.cpp server per processor, each with one slot and one
thread (two servers need no barrier between threads, which is what makes llama.cpp slow on a busy
machine), and in front of them an OpenAI-compatible endpoint on a loopback port.

Reusing the part of a prompt that a slot has seen saves most of the time, and it cuts a prompt at a
place that depends on the call before. Two things make the result independent of that place:

- No repacked weights, no flash attention, and keys and values in 32 bits. Every row of a batch is
  then computed alone, in the same order of additions, if the batch has at least eight rows
  (measured; below that llama.cpp takes other kernels).
- A reply whose last batch had fewer than `MIN_ROWS` rows is thrown away and computed from scratch.

Before the first call this is tested on the machine at hand. Where it fails, nothing is reused.
"""

import asyncio
import json
import os
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

__all__ = ["MIN_ROWS", "main"]

MIN_ROWS = 16
_SETTLE = 1.0


@dataclass
class Engine:
    """One llama.cpp server.

    Attributes:
        url: Its address on loopback.
        server: Kept alive here; it stops when it is let go.
    """

    url: str
    server: Any = field(repr=False)


def start_engine(path: str, context: int) -> Engine:
    """Load the model into one server with one slot and one thread.

    Raises:
        RuntimeError: llama.cpp cannot load the file.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = 1
    params.n_ctx = params.n_batch = params.n_ubatch = context
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_gpu_layers = 0
    params.no_extra_bufts = True
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    params.swa_full = True
    params.cache_ram_mib = 0
    params.ctx_shift = False
    params.warmup = False
    server = xllamacpp.Server(params)
    return Engine(server.listening_address, server)


class Front:
    """The endpoint: hands each request to a free engine, and says which file answered."""

    def __init__(self, engines: list[Engine], served_name: str, fingerprint: str) -> None:
        self._served = served_name
        self._fingerprint = fingerprint
        self._free: asyncio.LifoQueue[Engine] = asyncio.LifoQueue()
        for engine in engines:
            self._free.put_nowait(engine)
        self._first = engines[0]
        self._session: aiohttp.ClientSession | None = None
        self.reuse = False

    async def start(self) -> None:
        """Open the connections and find out whether prompts may be reused here."""
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        self.reuse = await self._reuse_is_exact()

    async def stop(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    async def handle(self, request: web.Request) -> web.Response:
        """One completion."""
        body = await request.json()
        engine = await self._free.get()
        try:
            status, reply = await self._answer(engine, request.path, body)
        finally:
            self._free.put_nowait(engine)
        if status == 200:
            reply["model"] = self._served
            reply["system_fingerprint"] = self._fingerprint
            reply.pop("timings", None)
        return web.json_response(reply, status=status)

    async def _answer(
        self, engine: Engine, path: str, body: dict[str, Any]
    ) -> tuple[int, dict[str, Any]]:
        # A text of several tokens leaves keys and values behind that were computed one by one.
        reuse = self.reuse and body.get("max_tokens") == 1 and "prompt" in body
        status, reply = await self._post(engine, path, {**body, "cache_prompt": reuse})
        if reuse and status == 200 and reply["timings"]["prompt_n"] < MIN_ROWS:
            return await self._post(engine, path, {**body, "cache_prompt": False})
        return status, reply

    async def _post(
        self, engine: Engine, path: str, body: dict[str, Any]
    ) -> tuple[int, dict[str, Any]]:
        assert self._session is not None
        async with self._session.post(engine.url + path, json=body) as response:
            return response.status, await response.json()

    async def _reuse_is_exact(self) -> bool:
        """Whether a probe gets the same probabilities cold and after two texts that share a part.

        The probe's reused parts leave tails of about 20 and 40 tokens.
        """
        head = "the ice on three lakes broke up earlier in most years of the record and"
        tail = " ".join(reversed(head.split()))
        probe = f"{head} {tail} {head}"

        async def ask(prompt: str, *, reuse: bool) -> Any:
            body = {"prompt": prompt, "max_tokens": 1, "temperature": 0, "logprobs": 20}
            body["cache_prompt"] = reuse
            status, reply = await self._post(self._first, "/v1/completions", body)
            if status != 200:
                raise RuntimeError(f"the model does not answer: {json.dumps(reply)[:200]}")
            return reply["choices"][0]["logprobs"]

        cold = await ask(probe, reuse=False)
        for shared in (f"{head} {tail}", head):
            await ask(f"{shared} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", reuse=False)
            if await ask(probe, reuse=True) != cold:
                return False
        return True


def _end_with_parent() -> None:
    """End this process when the parent's pipe closes or another process becomes the parent."""
    parent = os.getppid()

    def read() -> None:
        sys.stdin.buffer.read()
        os._exit(0)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_SETTLE)
        os._exit(0)

    for task in (read, watch):
        threading.Thread(target=task, daemon=True).start()


async def _serve(config: dict[str, Any]) -> None:
    loop = asyncio.get_running_loop()
    engines = await asyncio.gather(
        *(
            loop.run_in_executor(None, start_engine, config["path"], config["context"])
            for _ in range(config["engines"])
        )
    )
    front = Front(engines, config["served_name"], config["fingerprint"])
    await front.start()
    app = web.Application(client_max_size=1 << 24)
    app.router.add_post("/v1/completions", front.handle)
    app.router.add_post("/v1/chat/completions", front.handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    _say({"url": f"http://127.0.0.1:{port}/v1", "reuse": front.reuse})
    await asyncio.Event().wait()


def _say(message: dict[str, Any]) -> None:
    # Not sys.stdout: the model library writes there, and it points elsewhere by now.
    os.write(_REPORT, (json.dumps(message) + "\n").encode())


_REPORT = 1


def main() -> None:
    """Read one line of settings, serve until the parent is gone."""
    global _REPORT
    _REPORT = os.dup(1)
    os.dup2(2, 1)
    config = json.loads(sys.stdin.buffer.readline())
    _end_with_parent()
    try:
        asyncio.run(_serve(config))
    except Exception as error:
        _say({"error": " ".join(str(error).split()) or type(error).__name__})
        os._exit(1)


if __name__ == "__main__":
    main()
