"""Which bytes does an OpenAI-compatible endpoint get?

The same that litellm sends for the same request (tests/llm/test_direct.py compares them), so that a
judge's grades do not depend on the transport.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.llm.request import Request

__all__ = ["Wire", "extra_of", "key_variable", "wire_of"]

_OPENAI = "https://api.openai.com/v1"
_OPENROUTER = "https://openrouter.ai/api/v1"
_HOSTS = {
    "openai": _OPENAI,
    "text-completion-openai": _OPENAI,
    "openrouter": _OPENROUTER,
}
# litellm orders the parameters so; a server may not care, a comparison of bytes does.
_CHAT_ORDER = (
    "temperature",
    "max_tokens",
    "response_format",
    "seed",
    "logprobs",
    "top_logprobs",
    "reasoning_effort",
)
_TEXT_ORDER = ("logprobs", "max_tokens", "seed", "temperature")


@dataclass(frozen=True, slots=True)
class Wire:
    """One HTTP request.

    Attributes:
        url: Where it goes.
        body: What is sent.
        variable: Environment variable that holds the key.
    """

    url: str
    body: bytes
    variable: str


def extra_of(request: Request) -> dict[str, Any]:
    """What is sent beside OpenAI's own parameters."""
    extra = dict(request.extra_body or {})
    if request.provider is not None:
        extra["provider"] = dict(request.provider)
    return extra


def key_variable(model: str) -> str:
    """The environment variable that holds the key of a model's vendor."""
    vendor = model.split("/", 1)[0].removeprefix("text-completion-")
    return f"{vendor.upper().replace('-', '_')}_API_KEY"


def wire_of(request: Request, *, sampling: Mapping[str, Any] | None = None) -> Wire:
    """The HTTP request for a model call.

    Args:
        request: What to ask.
        sampling: Parameters in place of the request's own, where a model has refused one of them.

    Raises:
        InputError: The model's name tells no OpenAI-compatible endpoint.
    """
    vendor, _, name = request.model.partition("/")
    if vendor not in _HOSTS or not name:
        raise InputError(
            f'`{request.model}` cannot be reached with transport = "direct"',
            remedy="name it openai/..., text-completion-openai/... or openrouter/..., "
            'or use transport = "litellm"',
        )
    chosen = dict(request.sampling() if sampling is None else sampling)
    content: dict[str, Any]
    base = (request.base_url or _HOSTS[vendor]).rstrip("/")
    if request.prompt is not None:
        content = {"model": name, "prompt": request.prompt}
        content |= _in_order(chosen, _TEXT_ORDER)
        url = f"{base}/completions"
    else:
        content = {"model": name, "messages": [dict(message) for message in request.messages]}
        content |= _in_order(chosen, _CHAT_ORDER)
        url = f"{base}/chat/completions"
    if vendor == "openrouter":
        content |= {"usage": {"include": True}, **extra_of(request)}
        body = json.dumps(content)
    else:
        content |= extra_of(request)
        body = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Wire(url, body.encode(), key_variable(request.model))


def _in_order(chosen: Mapping[str, Any], order: tuple[str, ...]) -> dict[str, Any]:
    known = {name: chosen[name] for name in order if name in chosen}
    return known | {name: value for name, value in chosen.items() if name not in known}


def key_of(variable: str) -> str | None:
    """The key in the environment, or None."""
    return os.environ.get(variable) or None
