"""How are calls sent as a batch that a provider answers within a day, at half the price?

OpenAI's and Anthropic's batch interfaces, through litellm where it has them (uploading, creating,
retrieving and reading at OpenAI; retrieving and reading at Anthropic); creating a batch at
Anthropic, which litellm lacks, is one request of our own whose content litellm shapes. Each call
carries its cache key as its id, so a result finds its place whenever it comes.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

from judgeprobe.errors import CallError, InputError, RetryableCallError
from judgeprobe.llm.client import load_litellm, translate, unlogged
from judgeprobe.llm.faults import fault
from judgeprobe.llm.replies import reply_of
from judgeprobe.llm.request import Request
from judgeprobe.llm.secrets import one_line
from judgeprobe.llm.wire import key_of, key_variable, wire_of
from judgeprobe.records import Reply

__all__ = [
    "BATCH_PRICE_SHARE",
    "MOST_BYTES",
    "MOST_CALLS",
    "BatchState",
    "batch_results",
    "batch_state",
    "batch_vendor",
    "find_batch",
    "submit_batch",
]

# Both vendors charge half for a call in a batch.
BATCH_PRICE_SHARE = 0.5
# Below what either vendor takes in one batch (50,000 calls and 200 MB at OpenAI).
MOST_CALLS = 20_000
MOST_BYTES = 80_000_000
_CHAT = "/v1/chat/completions"
_ANTHROPIC = "https://api.anthropic.com"
_ANTHROPIC_VERSION = "2023-06-01"
_FAILED = {"failed", "expired", "cancelled"}
_MARK = "judgeprobe"


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is.

    Attributes:
        ended: Whether its results can be read, or it came to nothing.
        files: Ids of the files of results.
        problem: Why it came to nothing, or "".
        done: Calls answered so far, of `total`.
    """

    ended: bool
    files: tuple[str, ...] = ()
    problem: str = ""
    done: int = 0
    total: int = 0


def batch_vendor(model: str) -> str:
    """The vendor of a model that can be asked by batch (openai, anthropic); else ""."""
    vendor = model.split("/", 1)[0]
    return vendor if vendor in ("openai", "anthropic") and "/" in model else ""


async def submit_batch(requests: Mapping[str, Request], mark: str) -> str:
    """Send calls as one batch; its id.

    Args:
        requests: Calls of one model, by cache key.
        mark: Sent as metadata where the vendor takes any, so that `find_batch` can find it.

    Raises:
        InputError: The model has no batch interface.
        CallError: The provider refused.
    """
    first = next(iter(requests.values()))
    vendor = batch_vendor(first.model)
    if vendor == "anthropic":
        return await _submit_anthropic(requests, first)
    if vendor != "openai" or first.prompt is not None:
        raise InputError(f"`{first.model}` cannot be asked by batch")
    lines = []
    for key, request in requests.items():
        body = json.loads(wire_of(request).body)
        lines.append(_line({"custom_id": key, "method": "POST", "url": _CHAT, "body": body}))
    litellm = load_litellm()
    settings = _settings(first)
    try:
        with unlogged()():
            file = await litellm.acreate_file(
                file=("judgeprobe.jsonl", "".join(lines).encode()), purpose="batch", **settings
            )
            batch = await litellm.acreate_batch(
                completion_window="24h",
                endpoint=_CHAT,
                input_file_id=file.id,
                metadata={_MARK: mark},
                **settings,
            )
    except Exception as error:
        raise translate(first.model, error) from None
    return str(batch.id)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _settings(request: Request) -> dict[str, Any]:
    vendor = batch_vendor(request.model)
    # Not retried by the client library: a submission whose answer was lost would be paid twice.
    settings: dict[str, Any] = {"custom_llm_provider": vendor, "max_retries": 0}
    settings["timeout"] = request.timeout
    if request.base_url:
        settings["api_base"] = request.base_url
        settings["api_key"] = key_of(key_variable(request.model)) or "none"
    return settings


async def _submit_anthropic(requests: Mapping[str, Request], first: Request) -> str:
    content = {
        "requests": [
            {"custom_id": key, "params": _anthropic_params(request)}
            for key, request in requests.items()
        ]
    }
    base = (first.base_url or _ANTHROPIC).rstrip("/").removesuffix("/v1")
    headers = {
        "x-api-key": key_of(key_variable(first.model)) or "none",
        "anthropic-version": _ANTHROPIC_VERSION,
    }
    timeout = aiohttp.ClientTimeout(total=max(first.timeout, 300.0))
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(f"{base}/v1/messages/batches", json=content, headers=headers) as reply,
        ):
            text = await reply.text()
            if reply.status != 200:
                raise fault(first.model, reply.status, text, reply.headers)
            return str(json.loads(text)["id"])
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        raise RetryableCallError(f"{first.model}: no reply: {one_line(str(error))}") from None
    except (ValueError, KeyError, TypeError):
        raise CallError(f"{first.model}: the provider gave no batch id") from None


def _anthropic_params(request: Request) -> dict[str, Any]:
    """The request as Anthropic's own interface takes it, shaped by litellm."""
    litellm = load_litellm()
    from litellm.utils import get_optional_params

    name = request.model.split("/", 1)[1]
    sampling = {
        key: value
        for key, value in request.sampling().items()
        if key in ("temperature", "max_tokens", "reasoning_effort", "response_format")
    }
    optional = get_optional_params(
        model=name, custom_llm_provider="anthropic", drop_params=True, **sampling
    )
    params: dict[str, Any] = litellm.AnthropicConfig().transform_request(
        model=name,
        messages=[dict(message) for message in request.messages],
        optional_params=optional,
        litellm_params={},
        headers={},
    )
    return {**params, **(request.extra_body or {})}


async def find_batch(request: Request, mark: str) -> str | None:
    """The id of the batch that was submitted with a mark; None where none is found.

    Anthropic's batches carry no mark; None there.

    Raises:
        CallError: The provider refused.
    """
    if batch_vendor(request.model) != "openai":
        return None
    try:
        with unlogged()():
            found = await load_litellm().alist_batches(limit=100, **_settings(request))
    except Exception as error:
        raise translate(request.model, error) from None
    for batch in getattr(found, "data", None) or []:
        if (getattr(batch, "metadata", None) or {}).get(_MARK) == mark:
            return str(batch.id)
    return None


async def batch_state(request: Request, batch: str) -> BatchState:
    """How far a batch is.

    Raises:
        CallError: The provider refused.
    """
    try:
        # litellm's log of a batch that has ended would download its results.
        with unlogged()():
            found = await load_litellm().aretrieve_batch(batch_id=batch, **_settings(request))
    except Exception as error:
        raise translate(request.model, error) from None
    status = str(found.status)
    counts = getattr(found, "request_counts", None)
    done, total = getattr(counts, "completed", 0) or 0, getattr(counts, "total", 0) or 0
    if batch_vendor(request.model) == "anthropic":
        files: tuple[str, ...] = (batch,)
    else:
        names = (getattr(found, "output_file_id", None), getattr(found, "error_file_id", None))
        files = tuple(str(name) for name in names if name)
    if status == "completed" or (status in _FAILED and files):
        return BatchState(ended=True, files=files, done=done, total=total)
    if status in _FAILED:
        errors = getattr(getattr(found, "errors", None), "data", None) or []
        words = "; ".join(str(getattr(error, "message", error)) for error in errors)
        return BatchState(ended=True, problem=one_line(f"{status}: {words}" if words else status))
    return BatchState(ended=False, done=done, total=total)


async def batch_results(
    request: Request, state: BatchState, requests: Mapping[str, Request]
) -> list[tuple[str, Reply | CallError]]:
    """The result of every call of a batch that the provider gave one for, by cache key.

    Raises:
        CallError: The provider refused.
    """
    found: list[tuple[str, Reply | CallError]] = []
    for file in state.files:
        try:
            with unlogged()():
                content = await load_litellm().afile_content(file_id=file, **_settings(request))
        except Exception as error:
            raise translate(request.model, error) from None
        found.extend(_read(content.content, requests))
    return found


def _read(
    content: bytes, requests: Mapping[str, Request]
) -> Iterator[tuple[str, Reply | CallError]]:
    for line in content.decode("utf-8", "replace").split("\n"):
        try:
            row = json.loads(line)
            key = str(row["custom_id"])
            response = row.get("response") or _of_anthropic(row.get("result") or {})
        except (ValueError, KeyError, TypeError, AttributeError):
            # The call has no result then, and is asked again.
            continue
        if key not in requests:
            continue
        request = requests[key]
        body, status = response.get("body"), response.get("status_code")
        error = row.get("error") or (body or {}).get("error")
        if status == 200 and isinstance(body, dict) and body.get("choices") and not error:
            yield key, reply_of(request, body)
        else:
            words = error.get("message", error) if isinstance(error, dict) else error
            yield key, fault(request.model, status or 500, str(words or "no result"))


def _of_anthropic(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result of Anthropic's in OpenAI's form, for where litellm leaves it as it came."""
    message = result.get("message")
    if result.get("type") != "succeeded" or not isinstance(message, dict):
        # Errored, cancelled and expired calls alike may succeed in another batch, unless the
        # request itself is wrong.
        error = (result.get("error") or {}).get("error") or {}
        wrong = error.get("type") in ("invalid_request_error", "authentication_error")
        words = error.get("message") or result.get("type") or "no result"
        return {"status_code": 400 if wrong else 500, "body": {"error": {"message": words}}}
    usage = message.get("usage") or {}
    answer = {"role": "assistant", "content": message.get("content")}
    return {
        "status_code": 200,
        "body": {
            "model": message.get("model"),
            "choices": [{"message": answer, "finish_reason": message.get("stop_reason")}],
            "usage": {
                "prompt_tokens": usage.get("input_tokens", 0),
                "completion_tokens": usage.get("output_tokens", 0),
            },
        },
    }
