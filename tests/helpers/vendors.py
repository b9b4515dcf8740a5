"""How do batch interfaces behave over days? OpenAI's and Anthropic's, played on a loopback port.

    with Vendors(lambda body: "3") as vendors:
        ...  # vendors.openai_url, vendors.anthropic_url, vendors.finish()

A batch stays open until `finish` is called. `lose` names items (by their number in a batch) that
end in an error, and the error's status.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, Self

from aiohttp import web

__all__ = ["Vendors"]


class Vendors:
    """Both vendors.

    Attributes:
        batches: Items of each batch, by its id.
        keys: Values of the headers that carry a key.
    """

    def __init__(
        self, script: Callable[[dict[str, Any]], str], *, lose: Mapping[int, int] | None = None
    ) -> None:
        self.script = script
        self.lose = dict(lose or {})
        self.batches: dict[str, list[dict[str, Any]]] = {}
        self.keys: set[str] = set()
        self.fail = False
        self._files: dict[str, bytes] = {}
        self._done = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True, name="vendors")
        self._ready = threading.Event()
        self._port = 0

    @property
    def openai_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/openai/v1"

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/anthropic"

    def finish(self) -> None:
        """The vendors have worked through every batch."""
        self._done = True

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        app = web.Application(client_max_size=1 << 26)
        app.add_routes(
            [
                web.post("/openai/v1/files", self._upload),
                web.get("/openai/v1/files/{id}/content", self._content),
                web.post("/openai/v1/batches", self._create),
                web.get("/openai/v1/batches/{id}", self._retrieve),
                web.post("/anthropic/v1/messages/batches", self._messages),
                web.get("/anthropic/v1/messages/batches/{id}", self._message_state),
                web.get("/anthropic/v1/messages/batches/{id}/results", self._message_results),
            ]
        )
        runner = web.AppRunner(app)

        async def start() -> None:
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            self._port = runner.addresses[0][1]

        self._loop.run_until_complete(start())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    async def _upload(self, request: web.Request) -> web.Response:
        self.keys.add(request.headers.get("Authorization", ""))
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        name = f"file-{len(self._files)}"
        self._files[name] = file.file.read()
        return web.json_response(self._file(name))

    def _file(self, name: str) -> dict[str, Any]:
        return {
            "id": name,
            "object": "file",
            "bytes": len(self._files[name]),
            "created_at": 1,
            "filename": "x.jsonl",
            "purpose": "batch",
            "status": "processed",
        }

    async def _content(self, request: web.Request) -> web.Response:
        return web.Response(body=self._files[request.match_info["id"]])

    async def _create(self, request: web.Request) -> web.Response:
        body = await request.json()
        lines = self._files[body["input_file_id"]].decode().splitlines()
        name = f"batch-{len(self.batches)}"
        self.batches[name] = [json.loads(line) for line in lines]
        assert all(item["url"] == body["endpoint"] for item in self.batches[name])
        return web.json_response(self._openai_batch(name))

    async def _retrieve(self, request: web.Request) -> web.Response:
        return web.json_response(self._openai_batch(request.match_info["id"]))

    def _openai_batch(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {
            "id": name,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": "file-0",
            "completion_window": "24h",
            "created_at": 1,
            "status": "in_progress",
        }
        if self.fail:
            errors = {"object": "list", "data": [{"message": "the token limit is reached"}]}
            return {**found, "status": "failed", "errors": errors}
        if self._done:
            good, bad = [], []
            for number, item in enumerate(self.batches[name]):
                if number in self.lose:
                    error = {"error": {"message": "lost", "code": "x"}}
                    response = {"status_code": self.lose[number], "body": error}
                    bad.append({"custom_id": item["custom_id"], "response": response})
                else:
                    choice = {"index": 0, "finish_reason": "stop"}
                    message = {"role": "assistant", "content": self.script(item["body"])}
                    reply = {"model": "m", "choices": [{**choice, "message": message}]}
                    reply["usage"] = {"prompt_tokens": 3, "completion_tokens": 1}
                    response = {"status_code": 200, "body": reply}
                    good.append({"custom_id": item["custom_id"], "response": response})
            # Vendors return results in any order.
            for ending, rows in (("out", good[::-1]), ("err", bad)):
                text = "\n".join(json.dumps(row) for row in rows)
                self._files[f"{name}-{ending}"] = text.encode()
            found |= {"status": "completed", "output_file_id": f"{name}-out"}
            found |= {"error_file_id": f"{name}-err"} if bad else {}
        return found

    async def _messages(self, request: web.Request) -> web.Response:
        self.keys.add(request.headers.get("x-api-key", ""))
        name = f"msgbatch-{len(self.batches)}"
        self.batches[name] = (await request.json())["requests"]
        return web.json_response({"id": name, "processing_status": "in_progress"})

    async def _message_state(self, request: web.Request) -> web.Response:
        status = "ended" if self._done else "in_progress"
        counts = {"succeeded": 1} if self._done else {"processing": 1}
        return web.json_response({"processing_status": status, "request_counts": counts})

    async def _message_results(self, request: web.Request) -> web.Response:
        rows = []
        for number, item in enumerate(self.batches[request.match_info["id"]]):
            if number in self.lose:
                kind = "invalid_request_error" if self.lose[number] == 400 else "api_error"
                error = {"type": "error", "error": {"type": kind, "message": "lost"}}
                result: dict[str, Any] = {"type": "errored", "error": error}
            else:
                content = [{"type": "text", "text": self.script(item["params"])}]
                usage = {"input_tokens": 3, "output_tokens": 1}
                message = {"model": "c", "content": content, "stop_reason": "end_turn"}
                result = {"type": "succeeded", "message": {**message, "usage": usage}}
            rows.append(json.dumps({"custom_id": item["custom_id"], "result": result}))
        return web.Response(text="\n".join(rows[::-1]))
