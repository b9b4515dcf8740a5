"""How does a request leave, and what does an endpoint say of itself?

A judge hands its requests to a sender. The one here makes the call in this process, through litellm
or straight to an OpenAI-compatible endpoint; `judgeprobe.sweep.cluster` has one whose calls are
made by workers elsewhere. Limits, retries, money and the cache are the caller's part.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from judgeprobe.llm.request import Request
from judgeprobe.records import Reply

__all__ = ["Disclosed", "InProcess", "Sender", "Transport"]

Transport = Literal["litellm", "direct"]

_PATIENCE = 10.0
# What llama.cpp says of a model's weights; another quantization has another size.
_WEIGHTS = ("n_params", "n_vocab", "n_embd", "size")


@dataclass(frozen=True)
class Disclosed:
    """What an endpoint says of itself beside its replies; empty where it says nothing.

    Attributes:
        models: Names of the models that it lists.
        facts: What must be equal at every endpoint of one judge, by name.
    """

    models: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)


class Sender(Protocol):
    """Makes single calls, without retrying."""

    async def call(self, request: Request) -> Reply:
        """Make one call.

        Raises:
            CallError: It gave no reply.
        """

    async def disclosed(self, base_url: str, model: str) -> Disclosed:
        """What an endpoint says of itself."""

    async def close(self) -> None:
        """Let go of connections; in the loop that the calls were made in."""


class InProcess:
    """Calls made by this process.

    Args:
        transport: "litellm", or "direct" for an OpenAI-compatible endpoint.
        connections: Most connections at once, for "direct"; 0 for any number.
    """

    def __init__(self, transport: Transport, *, connections: int = 0) -> None:
        self._transport = transport
        self._connections = connections
        self._direct: Any = None

    async def call(self, request: Request) -> Reply:
        """Make one call.

        Raises:
            CallError: It gave no reply.
        """
        if self._transport == "litellm":
            from judgeprobe.llm.client import call

            return await call(request)
        if self._direct is None:
            from judgeprobe.llm.direct import DirectClient

            self._direct = DirectClient(connections=self._connections)
        found: Reply = await self._direct.call(request)
        return found

    async def disclosed(self, base_url: str, model: str) -> Disclosed:
        """What an endpoint says of itself at `/models` and, as llama.cpp does, at `/props`.

        Args:
            base_url: The endpoint.
            model: litellm's name of the model; tells which key is sent.
        """
        import aiohttp

        from judgeprobe.llm.wire import key_of, key_variable

        key = key_of(key_variable(model))
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        base = base_url.rstrip("/")
        timeout = aiohttp.ClientTimeout(total=_PATIENCE)
        async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
            listed = await _read(session, f"{base}/models")
            props = await _read(session, f"{base.removesuffix('/v1')}/props")
        return _disclosed(listed, props)

    async def close(self) -> None:
        """Close the connections."""
        direct, self._direct = self._direct, None
        if direct is not None:
            await direct.close()
        if self._transport == "litellm":
            from judgeprobe.llm.client import close_clients

            await close_clients()


async def _read(session: Any, url: str) -> dict[str, Any]:
    """The JSON object at an address; empty where there is none, for whatever reason."""
    import aiohttp

    try:
        async with session.get(url) as response:
            found = await response.json(content_type=None) if response.status == 200 else None
    except (TimeoutError, aiohttp.ClientError, OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _disclosed(listed: Mapping[str, Any], props: Mapping[str, Any]) -> Disclosed:
    data = listed.get("data")
    entries = [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
    models = tuple(str(entry["id"]) for entry in entries if entry.get("id"))
    facts: dict[str, str] = {}
    if len(entries) == 1 and isinstance(entries[0].get("meta"), dict):
        meta = entries[0]["meta"]
        facts = {name: str(meta[name]) for name in _WEIGHTS if name in meta}
    template = props.get("chat_template")
    if isinstance(template, str) and template:
        facts["chat template"] = hashlib.sha256(template.encode()).hexdigest()[:12]
    return Disclosed(models, facts)
