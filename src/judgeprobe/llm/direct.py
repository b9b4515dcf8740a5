"""How is an OpenAI-compatible endpoint asked at full speed?

`transport = "direct"`: the same request bytes as through litellm, the same errors, the same
replies, over one pool of connections, for a tenth of the processor time.
"""

import json
from typing import Any, Self

import aiohttp

from judgeprobe.errors import CallError, RetryableCallError
from judgeprobe.llm.faults import NO_TEMPERATURE, error_in_reply, fault, refuses_temperature
from judgeprobe.llm.replies import reply_of
from judgeprobe.llm.request import Request
from judgeprobe.llm.secrets import one_line
from judgeprobe.llm.wire import key_of, wire_of
from judgeprobe.records import Reply

__all__ = ["DirectClient"]


class DirectClient:
    """A pool of connections to OpenAI-compatible endpoints; used inside one event loop.

    Args:
        connections: Most connections at once.
    """

    def __init__(self, *, connections: int = 64) -> None:
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None
        self._without_temperature: set[str] = set()

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def call(self, request: Request, *, api_key: str | None = None) -> Reply:
        """Make one call.

        Args:
            request: What to ask; its model is `openai/...`, `text-completion-openai/...` or
                `openrouter/...`.
            api_key: Sent in place of the key in the environment.

        Raises:
            InputError: The model's name tells no OpenAI-compatible endpoint.
            RetryableCallError: The same call may succeed later.
            PermanentCallError: No such call will succeed.
            CallError: This text cannot be answered.
        """
        sampling = request.sampling()
        note = ""
        if (
            request.model in self._without_temperature
            and sampling.pop("temperature", None) is not None
        ):
            note = NO_TEMPERATURE
        status, headers, body = await self._post(request, sampling, api_key)
        if "temperature" in sampling and refuses_temperature(status, body.decode(errors="replace")):
            sampling.pop("temperature")
            note = NO_TEMPERATURE
            status, headers, body = await self._post(request, sampling, api_key)
            if status == 200:
                self._without_temperature.add(request.model)
        if status != 200:
            raise fault(request.model, status, _message(body), headers)
        return reply_of(request, _parsed(request.model, body), note=note)

    async def _post(
        self, request: Request, sampling: dict[str, Any], api_key: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        wire = wire_of(request, sampling=sampling)
        headers = {"Content-Type": "application/json"}
        if key := api_key or key_of(wire.variable):
            headers["Authorization"] = f"Bearer {key}"
        timeout = aiohttp.ClientTimeout(total=request.timeout)
        try:
            async with self._open().post(
                wire.url, data=wire.body, headers=headers, timeout=timeout
            ) as response:
                return response.status, dict(response.headers), await response.read()
        except TimeoutError:
            raise RetryableCallError(
                f"{request.model}: no reply within {request.timeout:g} s"
            ) from None
        except aiohttp.InvalidURL:
            raise fault(request.model, 400, "the base URL is no URL") from None
        except (aiohttp.ClientError, OSError) as error:
            line = one_line(str(error) or type(error).__name__)
            raise RetryableCallError(f"{request.model}: no reply: {line}") from None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            # One limit only: the caller says how many calls run at once.
            connector = aiohttp.TCPConnector(limit=self._connections, limit_per_host=0)
            self._session = aiohttp.ClientSession(connector=connector)
        return self._session


def _parsed(model: str, body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except ValueError:
        start = one_line(body[:80].decode(errors="replace"))
        raise RetryableCallError(f"{model}: the reply is not JSON: {start}") from None
    if not isinstance(content, dict):
        raise RetryableCallError(f"{model}: the reply is no object")
    broken: CallError | None = error_in_reply(model, content)
    if broken is not None:
        raise broken
    return content


def _message(body: bytes) -> str:
    """What an error body says: OpenAI's message and code where it has them, else its text."""
    text = body.decode(errors="replace")
    try:
        content = json.loads(text)
    except ValueError:
        return text
    found = content.get("error", content) if isinstance(content, dict) else content
    if not isinstance(found, dict):
        return str(found)
    parts = [str(found[name]) for name in ("message", "code", "metadata") if found.get(name)]
    return " ".join(parts) or text
