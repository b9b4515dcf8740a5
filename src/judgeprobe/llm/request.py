"""What is asked of a model, and which part of it can change the answer?

`Request.body` is the canonical content: equal bodies may share a cached reply. What cannot change
an answer (the host that serves the model, the key, the time limit) is not in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

__all__ = ["Message", "Request", "chat"]

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One model call.

    Exactly one of `messages` (chat models) and `prompt` (completion models) is given.

    Attributes:
        model: litellm model name, for example "openrouter/anthropic/claude-haiku-4.5";
            `local/NAME` names a GGUF file served by `judgeprobe.llm.local`.
        messages: Chat messages, each a mapping with "role" and "content".
        prompt: Text that a completion model continues.
        temperature: Sampling temperature, or None to send none.
        max_tokens: Most tokens in the reply, or None for the provider's default.
        seed: Sampling seed, or None.
        reasoning_effort: As the provider names it, or None.
        provider: OpenRouter's provider object (order, allow_fallbacks, quantizations), or None.
        response_format: Structured output, as OpenAI names it, or None.
        top_logprobs: How many token log-probabilities to return a position; None for none.
        extra_body: Sent as it is in the request body.
        base_url: OpenAI-compatible endpoint; its host is not part of the body, its path is.
        identity: What tells the model apart where its name does not: the hash of local weights,
            or a base URL whose host selects the model.
        timeout: Seconds until one attempt is given up.

    Raises:
        ValueError: Both or neither of `messages` and `prompt` are given.
    """

    model: str
    messages: tuple[Message, ...] = ()
    prompt: str | None = None
    temperature: float | None = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    provider: Mapping[str, Any] | None = None
    response_format: Mapping[str, Any] | None = None
    top_logprobs: int | None = None
    extra_body: Mapping[str, Any] | None = None
    base_url: str | None = None
    identity: str = ""
    timeout: float = 60.0

    def __post_init__(self) -> None:
        if bool(self.messages) == (self.prompt is not None):
            raise ValueError("a request needs either `messages` or `prompt`")

    def body(self) -> dict[str, Any]:
        """The canonical content: everything that can change the answer, and no secret.

        A field that is not sent is absent. The mapping is plain JSON.
        """
        content: dict[str, Any] = {
            "model": self.model,
            "messages": [dict(message) for message in self.messages] or None,
            "prompt": self.prompt,
            **self.sampling(),
            "provider": None if self.provider is None else dict(self.provider),
            "extra_body": dict(self.extra_body) if self.extra_body else None,
            "path": urlsplit(self.base_url).path.rstrip("/") if self.base_url else None,
            "identity": self.identity,
        }
        return {name: value for name, value in content.items() if value not in (None, "")}

    def sampling(self) -> dict[str, Any]:
        """The parameters that steer the answer, by their OpenAI names, where set.

        A completion endpoint takes the number of log-probabilities as `logprobs`; a chat endpoint
        a flag of that name and the number as `top_logprobs`.
        """
        chosen: dict[str, Any] = {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "reasoning_effort": self.reasoning_effort,
            "response_format": None if self.response_format is None else dict(self.response_format),
        }
        if self.top_logprobs is not None:
            if self.prompt is None:
                chosen["logprobs"] = True
                chosen["top_logprobs"] = self.top_logprobs
            else:
                chosen["logprobs"] = self.top_logprobs
        return {name: value for name, value in chosen.items() if value is not None}


def chat(system: str, user: str) -> tuple[Message, ...]:
    """The messages of a one-turn chat; no system message where it is empty."""
    messages: list[Message] = [{"role": "system", "content": system}] if system.strip() else []
    messages.append({"role": "user", "content": user})
    return tuple(messages)
