"""Which part of a reply is its answer, and how did it end?

A reply comes as plain text, as a message, as a choice, or as a whole response, from several
vendors. Reasoning is never part of the answer: neither a reasoning field or block nor a think
block inside the text, closed or not.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Visible", "visible"]

_LENGTH = {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window"}
_REFUSED = {
    "content_filter",
    "refusal",
    "safety",
    "blocked",
    "blocklist",
    "prohibited_content",
    "recitation",
    "spii",
}
_HIDDEN_BLOCKS = {"thinking", "redacted_thinking", "reasoning", "thought", "reasoning_content"}
_REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking", "thinking_blocks")
_KNOWN = {"choices", "message", "content", "text", "error", "refusal", "candidates", "parsed"}
_KNOWN |= {"tool_calls", "finish_reason", "stop_reason", "role", *_REASONING_FIELDS}

_NAMES = "think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|inner_monologue"
_THINK_TAG = re.compile(
    rf"<\s*(?P<a>/?)\s*\|?\s*(?:\w+:)?(?:{_NAMES})\s*\|?(?:\s[^<>]*)?>"
    r"|\[(?P<b>/?)THINK\]"
    r"|◁(?P<c>/?)think▷",
    re.IGNORECASE,
)
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(?:analysis|commentary)\b.*?(?:<\|channel\|>\s*final\s*<\|message\|>|\Z)",
    re.DOTALL,
)
_BARE_CHANNEL = re.compile(r"\A\s*analysis.*?(?:assistantfinal|\Z)", re.DOTALL)
_SPECIAL_TOKEN = re.compile(r"<\|[^<>|\n]{1,40}\|>|</?s>|<eos>|<end_of_turn>|<start_of_turn>model")


@dataclass(frozen=True, slots=True)
class Visible:
    """The answer of a reply.

    Attributes:
        text: What may be read: no reasoning, no end-of-turn tokens.
        structured: A value given outside the text (parsed output, arguments of a tool call).
        cut: The reply ended because it reached its token limit.
        refused: The provider or the model marks the reply as refused.
        error: An error that the reply carries in place of an answer, or "".
        hidden: Reasoning was there and was left out.
    """

    text: str = ""
    structured: Any = None
    cut: bool = False
    refused: bool = False
    error: str = ""
    hidden: bool = False


def visible(reply: str | Mapping[str, Any]) -> Visible:
    """The answer of a reply given as text, message, choice or whole response.

    A mapping that is none of these is taken as structured output.
    """
    if isinstance(reply, str):
        text, hidden = without_thinking(reply)
        return Visible(text=text, hidden=hidden)
    if not _KNOWN & set(reply):
        return Visible(structured=dict(reply))
    message, finish, error = _message(reply)
    text, hidden, blocked, structured = _content(message)
    text, thinking = without_thinking(text)
    hidden = hidden or thinking or any(message.get(field) for field in _REASONING_FIELDS)
    refusal = message.get("refusal")
    return Visible(
        text=text,
        structured=structured,
        cut=finish in _LENGTH,
        refused=blocked or bool(refusal) or finish in _REFUSED,
        error=error,
        hidden=hidden,
    )


def _message(reply: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, str]:
    """The innermost message with the finish reason and the error found on the way to it."""
    finish = error = ""
    message: Mapping[str, Any] = reply
    while True:
        finish = finish or _finish(message)
        error = error or _error(message.get("error"))
        inner = message.get("message")
        for name in ("choices", "candidates"):
            several = message.get(name)
            if isinstance(several, list) and several and isinstance(several[0], Mapping):
                inner = several[0]
        if not isinstance(inner, Mapping):
            return message, finish, error
        message = inner


def _finish(message: Mapping[str, Any]) -> str:
    for name in ("finish_reason", "stop_reason", "finishReason"):
        value = message.get(name)
        if isinstance(value, str) and value:
            return value.lower()
    return ""


def _error(value: Any) -> str:
    if not value:
        return ""
    if isinstance(value, Mapping):
        code, words = value.get("code"), value.get("message") or value.get("type")
        return " ".join(str(part) for part in (code, words) if part) or "error"
    return str(value)


def _content(message: Mapping[str, Any]) -> tuple[str, bool, bool, Any]:
    """Text, whether reasoning was left out, whether it is a refusal, and structured output."""
    content = message.get("content")
    if content is None:
        content = message.get("text")
    if isinstance(content, Mapping):
        content = content.get("parts", [content])
    structured = message.get("parsed")
    hidden = blocked = False
    if isinstance(content, list):
        parts: list[str] = []
        for block in content:
            if isinstance(block, str):
                parts.append(block)
                continue
            if not isinstance(block, Mapping):
                continue
            kind = str(block.get("type", "text"))
            if kind in _HIDDEN_BLOCKS or block.get("thought"):
                hidden = True
            elif kind == "refusal":
                blocked = True
            elif kind == "tool_use":
                structured = block.get("input")
            else:
                parts.append(_block_text(block))
        content = "\n".join(part for part in parts if part)
    text = content if isinstance(content, str) else "" if content is None else json.dumps(content)
    if structured is None and not text.strip():
        structured = _arguments(message)
    return text, hidden, blocked, structured


def _block_text(block: Mapping[str, Any]) -> str:
    text = block.get("text", "")
    if isinstance(text, Mapping):
        text = text.get("value", "")
    return text if isinstance(text, str) else ""


def _arguments(message: Mapping[str, Any]) -> Any:
    """The arguments of the only tool call, where the answer was asked for as one."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or len(calls) != 1 or not isinstance(calls[0], Mapping):
        return None
    function = calls[0].get("function")
    arguments = function.get("arguments") if isinstance(function, Mapping) else None
    if isinstance(arguments, str):
        try:
            return json.loads(arguments)
        except ValueError:
            return None
    return arguments


def without_thinking(text: str) -> tuple[str, bool]:
    """The text outside think blocks, and whether there were any.

    A block that is never closed reaches to the end; an end tag without a beginning closes a block
    that began with the reply. A text that is one JSON value is left alone: a tag inside its
    strings begins nothing.
    """
    if "<" not in text and "[" not in text and "◁" not in text and "analysis" not in text[:20]:
        return text, False
    if text.lstrip()[:1] == "{" and _is_json(text):
        return text, False
    kept = _CHANNEL.sub("\n", text)
    if "assistantfinal" in kept:
        kept = _BARE_CHANNEL.sub("\n", kept)
    pieces: list[str] = []
    depth = position = 0
    for tag in _THINK_TAG.finditer(kept):
        if depth == 0:
            pieces.append(kept[position : tag.start()])
        if tag["a"] or tag["b"] or tag["c"]:
            if depth == 0:
                pieces.clear()
            depth = max(0, depth - 1)
        else:
            depth += 1
        position = tag.end()
    if depth == 0:
        pieces.append(kept[position:])
    shown = "\n".join(piece for piece in pieces if piece)
    hidden = shown != text
    return _SPECIAL_TOKEN.sub(" ", shown), hidden


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
