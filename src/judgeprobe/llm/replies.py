"""What did a provider answer, and who served it?

Turns an OpenAI-shaped response (a plain mapping) into a `Reply`. The choice is kept as it came:
text, content blocks, reasoning, token log-probabilities.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from judgeprobe.llm.request import Request
from judgeprobe.llm.secrets import known_secrets, redact_values
from judgeprobe.records import Reply, Requested, Served, content_hash

__all__ = ["reply_of", "requested_of"]

_NOTED = "not disclosed"


def requested_of(request: Request) -> Requested:
    """What was asked for: model, pinned provider, and the hash of everything else."""
    order = (request.provider or {}).get("order") or (request.provider or {}).get("only") or ()
    return Requested(
        model=request.model,
        provider=",".join(str(name) for name in order),
        params_hash=content_hash(request.body()),
    )


def reply_of(
    request: Request,
    response: Mapping[str, Any],
    *,
    cost: float | None = None,
    note: str = "",
) -> Reply:
    """The reply that a response carries.

    Args:
        request: What was sent.
        response: The response's JSON; its first choice is read.
        cost: US dollars, where the response itself does not say.
        note: What was changed to get the reply, for example that no temperature was sent.
    """
    choice = dict(response["choices"][0])
    choice.pop("index", None)
    choice = _clean(choice)
    usage = response.get("usage") or {}
    told = usage.get("cost")
    return Reply(
        key="",
        requested=requested_of(request),
        served=_served(response),
        text=_text(choice),
        message=choice,
        finish=str(choice.get("finish_reason") or ""),
        usage={name: value for name, value in usage.items() if type(value) is int},
        cost=float(told) if isinstance(told, int | float) else cost,
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        note=note,
    )


def _served(response: Mapping[str, Any]) -> Served:
    provider = response.get("provider")
    quantization = response.get("quantization")
    if isinstance(provider, Mapping):
        quantization = provider.get("quantization", quantization)
        provider = provider.get("name")
    return Served(
        model=str(response.get("model") or _NOTED),
        provider=str(provider or _NOTED),
        fingerprint=str(response.get("system_fingerprint") or _NOTED),
        quantization=str(quantization or _NOTED),
    )


def _text(choice: Mapping[str, Any]) -> str:
    if "text" in choice:
        return str(choice["text"] or "")
    content = (choice.get("message") or {}).get("content")
    if isinstance(content, list):
        parts = [block.get("text", "") for block in content if isinstance(block, Mapping)]
        return "".join(str(part) for part in parts)
    return str(content or "")


def _clean(choice: dict[str, Any]) -> dict[str, Any]:
    """The choice without a key that a server echoed."""
    text = json.dumps(choice, ensure_ascii=False)
    clean = redact_values(text, known_secrets())
    return choice if clean is text else dict(json.loads(clean))
