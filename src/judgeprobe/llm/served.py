"""Did the pinned provider and model answer, as far as the reply says?

Names are compared loosely, because vendors rewrite them: "anthropic/claude-haiku-4.5" comes back as
"claude-4.5-haiku-20251001". The served name must hold every word of the requested one, and may add
only a date, a build number or a word that names a serving of the same model ("latest",
"instruct"). "gpt-4o-mini" is therefore not "gpt-4o". What is not disclosed is not held against a
reply; it is a column of its own.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from judgeprobe.records import Served
from judgeprobe.records.calls import NOT_DISCLOSED

__all__ = ["pinned_providers", "same_model", "wrong_server"]

# Words that a provider adds to the name of the same model.
_ADDED = {
    *("latest", "preview", "instruct", "it", "chat", "hf", "free", "beta", "gguf", "v1", "version"),
    *("bf16", "fp16", "fp8", "int8", "int4", "fp4", "q4", "q8", "awq", "gptq", "versions", "maas"),
}


def wrong_server(served: Served, *, model: str, providers: Sequence[str]) -> str:
    """Why a reply does not come from what was pinned; "" where it does, or does not say.

    Args:
        served: What answered.
        model: The model asked for, or the name it is served under.
        providers: The only providers that may answer; empty where any may.
    """
    if providers and served.provider != NOT_DISCLOSED:
        names = {_plain(provider.split("/")[0]) for provider in providers}
        if _plain(served.provider.split("/")[0]) not in names:
            wanted = " or ".join(providers)
            return f"served by the provider {served.provider!r} where {wanted} was pinned"
    if served.model != NOT_DISCLOSED and not same_model(model, served.model):
        return f"served by the model {served.model!r} where {model!r} was asked for"
    return ""


def pinned_providers(provider: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The providers that a router may use, where it may use no other."""
    pin = provider or {}
    only = pin.get("only")
    if isinstance(only, list) and only:
        return tuple(str(name) for name in only)
    order = pin.get("order")
    if isinstance(order, list) and pin.get("allow_fallbacks") is False:
        return tuple(str(name) for name in order)
    return ()


@functools.lru_cache(maxsize=1024)
def same_model(requested: str, served: str) -> bool:
    """Whether a served model's name is a name of the requested model."""
    wanted, found = _words(requested), _words(served)
    if not wanted <= found:
        return False
    # Three digits and more are a build or a date; "3.5" is not a build of "3".
    return all((word.isdigit() and len(word) > 2) or word in _ADDED for word in found - wanted)


def _words(name: str) -> set[str]:
    # The last part of a path names the model; a variant after a colon ("model:free") the serving.
    last = name.replace("\\", "/").rstrip("/").split("/")[-1].lower()
    last = last.removesuffix(".gguf").split(":")[0].split("@")[0]
    last = re.sub(r"\d{4}-\d{2}-\d{2}", "", last)
    return set(re.findall(r"[a-z]+\d*[a-z]*|\d+[a-z]+|\d+", last))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
