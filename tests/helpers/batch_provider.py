"""A provider's batch interface on loopback: OpenAI's files and batches, Anthropic's batches.

    with BatchProvider(script) as provider:
        ...  # provider.url, provider.batches, provider.finish()

A batch stays open until `finish` is called. `script` takes the body of one call and gives the text
of the reply, or a status and a message.
"""

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any, Self

from aiohttp import web

Script = Callable[[dict[str, Any]], "str | tuple[int, str]"]


class BatchProvider:
    """Keeps what was uploaded and answers it when told to.

    Attributes:
        batches: By id: vendor, calls by custom id, metadata, and whether it has ended.
        refuse: Status and message of the next submission, or None.
        lose: Whether the answer to the next submission is lost (the batch is kept).
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.refuse: tuple[int, str] | None = None
        self.lose = False
        self.invalid = ""
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Every call of every batch."""
        return [call for batch in self.batches.values() for call in batch["calls"].values()]

    def finish(self) -> None:
        """Every batch that is open ends."""
        for batch in self.batches.values():
            batch["ended"] = True

    async def upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        name = f"file-{len(self.files)}"
        self.files[name] = form["file"].file.read()
        return web.json_response(
            {
                "id": name,
                "object": "file",
                "bytes": len(self.files[name]),
                "created_at": 1,
                "filename": "x.jsonl",
                "purpose": "batch",
                "status": "processed",
            }
        )

    async def create(self, request: web.Request) -> web.Response:
        content = await request.json()
        if self.refuse:
            status, words = self.refuse
            return web.json_response({"error": {"message": words}}, status=status)
        name = f"batch_{len(self.batches)}"
        rows = [json.loads(line) for line in self.files[content["input_file_id"]].splitlines()]
        assert all(row["url"] == content["endpoint"] for row in rows)
        self.batches[name] = {
            "calls": {row["custom_id"]: row["body"] for row in rows},
            "metadata": content.get("metadata"),
            "ended": False,
        }
        if self.lose:
            self.lose = False
            assert request.transport is not None
            request.transport.abort()
        return web.json_response(self.state(name))

    def state(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        ended = batch["ended"]
        status = "failed" if self.invalid else "completed" if ended else "in_progress"
        errors = {"data": [{"message": self.invalid, "code": "x"}]} if self.invalid else None
        return {
            "id": name,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": "file-0",
            "completion_window": "24h",
            "status": status,
            "errors": errors,
            "output_file_id": f"out-{name}" if status == "completed" else None,
            "created_at": 1,
            "metadata": batch["metadata"],
            "request_counts": {
                "total": len(batch["calls"]),
                "completed": len(batch["calls"]) if ended else 1,
                "failed": 0,
            },
        }

    async def retrieve(self, request: web.Request) -> web.Response:
        return web.json_response(self.state(request.match_info["id"]))

    async def list_all(self, request: web.Request) -> web.Response:
        data = [self.state(name) for name in self.batches]
        return web.json_response({"object": "list", "data": data, "has_more": False})

    async def content(self, request: web.Request) -> web.Response:
        batch = self.batches[request.match_info["id"].removeprefix("out-")]
        lines = [json.dumps(self.result(key, body)) for key, body in batch["calls"].items()]
        return web.Response(body="\n".join(lines).encode())

    def result(self, key: str, body: dict[str, Any]) -> dict[str, Any]:
        said = self.script(body)
        if isinstance(said, tuple):
            status, words = said
            response = {"status_code": status, "body": {"error": {"message": words}}}
            return {"custom_id": key, "response": response, "error": None}
        choice = {"index": 0, "finish_reason": "stop"}
        choice["message"] = {"role": "assistant", "content": said}  # type: ignore[assignment]
        reply = {"id": "x", "object": "chat.completion", "created": 1, "model": body["model"]}
        reply |= {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}
        return {"custom_id": key, "response": {"status_code": 200, "body": reply}, "error": None}

    async def create_anthropic(self, request: web.Request) -> web.Response:
        if self.refuse:
            status, words = self.refuse
            return web.json_response({"error": {"message": words}}, status=status)
        assert request.headers["anthropic-version"]
        content = await request.json()
        name = f"msgbatch_{len(self.batches)}"
        calls = {row["custom_id"]: row["params"] for row in content["requests"]}
        self.batches[name] = {"calls": calls, "metadata": None, "ended": False}
        return web.json_response(self.anthropic_state(name))

    def anthropic_state(self, name: str) -> dict[str, Any]:
        ended = self.batches[name]["ended"]
        count = len(self.batches[name]["calls"])
        counts = {"processing": 0 if ended else count, "succeeded": count if ended else 0}
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {**counts, "errored": 0, "canceled": 0, "expired": 0},
            "created_at": "2026-01-01T00:00:00Z",
            "expires_at": "2026-01-02T00:00:00Z",
            "results_url": None,
        }

    async def retrieve_anthropic(self, request: web.Request) -> web.Response:
        return web.json_response(self.anthropic_state(request.match_info["id"]))

    async def results_anthropic(self, request: web.Request) -> web.Response:
        lines = []
        for key, body in self.batches[request.match_info["id"]]["calls"].items():
            said = self.script(body)
            if isinstance(said, tuple):
                inner = {"type": "overloaded_error", "message": said[1]}
                result: dict[str, Any] = {"type": "errored", "error": {"error": inner}}
            else:
                message = {
                    "id": "msg",
                    "type": "message",
                    "role": "assistant",
                    "model": body["model"],
                    "content": [{"type": "text", "text": said}],
                    "stop_reason": "end_turn",
                    "usage": {"input_tokens": 100, "output_tokens": 10},
                }
                result = {"type": "succeeded", "message": message}
            lines.append(json.dumps({"custom_id": key, "result": result}))
        return web.Response(body="\n".join(lines).encode())

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._loop = asyncio.new_event_loop()

        async def start() -> None:
            app = web.Application(client_max_size=1 << 28)
            app.router.add_post("/v1/files", self.upload)
            app.router.add_get("/v1/files/{id}/content", self.content)
            app.router.add_post("/v1/batches", self.create)
            app.router.add_get("/v1/batches", self.list_all)
            app.router.add_get("/v1/batches/{id}", self.retrieve)
            app.router.add_post("/v1/messages/batches", self.create_anthropic)
            app.router.add_get("/v1/messages/batches/{id}", self.retrieve_anthropic)
            app.router.add_get("/v1/messages/batches/{id}/results", self.results_anthropic)
            self._runner = web.AppRunner(app)
            await self._runner.setup()
            site = web.TCPSite(self._runner, "127.0.0.1", 0)
            await site.start()
            self.port = self._runner.addresses[0][1]
            ready.set()

        def run() -> None:
            self._loop.run_until_complete(start())
            self._loop.run_forever()
            self._loop.run_until_complete(self._runner.cleanup())

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        assert ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
