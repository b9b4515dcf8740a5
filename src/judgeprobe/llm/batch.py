"""How are many calls handed to a vendor at once and their replies fetched later, at a lower price?

OpenAI's batch interface is reached through litellm. litellm cannot create an Anthropic batch (its
own code says so), so Anthropic's is asked over HTTP here. Both give the same `Reply` as a call
does; an item that failed gives the same `CallError`.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import aiohttp

from judgeprobe.errors import CallError, InputError, PermanentCallError, RetryableCallError
from judgeprobe.llm.faults import error_in_reply, fault
from judgeprobe.llm.replies import reply_of
from judgeprobe.llm.request import Request
from judgeprobe.llm.wire import key_of, key_variable, wire_of
from judgeprobe.records import Reply

__all__ = ["MOST_ITEMS", "PRICE_SHARE", "BatchState", "BatchVendor", "batch_vendor"]

# Under both vendors' own limits, and small enough that a lost batch costs little.
MOST_ITEMS = 10_000
# Both charge half for a call in a batch.
PRICE_SHARE = 0.5
_TIMEOUT = 600.0
_MARK = "judgeprobe"
_ANTHROPIC = "https://api.anthropic.com"
# Anthropic wants a limit; a judge's reply is short.
_ANTHROPIC_TOKENS = 1024
_FINISH = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}

Result = Reply | CallError


@dataclass(frozen=True)
class BatchState:
    """How far a batch is.

    Attributes:
        state: "open" while the vendor works on it, "ended" when results can be fetched, "failed"
            when there will be none.
        detail: What the vendor says about it.
    """

    state: Literal["open", "ended", "failed"]
    detail: str


class BatchVendor(ABC):
    """One vendor's batch interface.

    Args:
        model: litellm name of the model.
        base_url: The endpoint, where it is not the vendor's own.
    """

    def __init__(self, model: str, base_url: str | None) -> None:
        self.model = model
        self.base_url = base_url

    @abstractmethod
    async def submit(self, requests: Mapping[str, Request], mark: str = "") -> str:
        """Hand over requests, by a name of at most 64 letters, digits and hyphens each.

        Args:
            requests: All of them for this model.
            mark: Sent with the batch where the vendor takes such a thing, so that `find` finds it.

        Returns:
            The batch's id at the vendor.

        Raises:
            CallError: The vendor did not take them.
        """

    async def find(self, mark: str) -> str | None:  # noqa: ARG002
        """The id of the batch that carries a mark; None where there is none, or marks are not kept.

        Raises:
            CallError: The vendor does not say.
        """
        return None

    @abstractmethod
    async def state(self, batch: str) -> BatchState:
        """How far a batch is.

        Raises:
            CallError: The vendor does not say.
        """

    @abstractmethod
    async def results(self, batch: str, requests: Mapping[str, Request]) -> dict[str, Result]:
        """The replies of an ended batch, or why there is none, by the requests' names.

        Raises:
            CallError: They cannot be fetched now.
        """


def batch_vendor(model: str, base_url: str | None = None) -> BatchVendor:
    """The batch interface behind a model's name.

    Raises:
        InputError: It has none that is known here.
    """
    vendor = model.split("/", 1)[0]
    if vendor in ("openai", "text-completion-openai"):
        return OpenAIBatches(model, base_url)
    if vendor == "anthropic":
        return AnthropicBatches(model, base_url)
    raise InputError(
        f"`{model}` has no batch interface here",
        remedy="name it openai/... or anthropic/..., or run without --batch",
    )


class OpenAIBatches(BatchVendor):
    """OpenAI's batch interface, through litellm."""

    async def submit(self, requests: Mapping[str, Request], mark: str = "") -> str:
        """See `BatchVendor.submit`."""
        lines, path = [], "/chat/completions"
        for name, request in requests.items():
            wire = wire_of(request)
            path = "/completions" if request.prompt is not None else "/chat/completions"
            body = json.loads(wire.body)
            line = {"custom_id": name, "method": "POST", "url": f"/v1{path}", "body": body}
            lines.append(json.dumps(line, ensure_ascii=False))
        content = "\n".join(lines).encode()
        uploaded = await self._ask(
            "acreate_file", file=("judgeprobe.jsonl", content), purpose="batch"
        )
        made = await self._ask(
            "acreate_batch",
            completion_window="24h",
            endpoint=f"/v1{path}",
            input_file_id=uploaded.id,
            metadata={_MARK: mark} if mark else None,
        )
        return str(made.id)

    async def find(self, mark: str) -> str | None:
        """See `BatchVendor.find`."""
        found = await self._ask("alist_batches", limit=100)
        for batch in getattr(found, "data", None) or []:
            if (getattr(batch, "metadata", None) or {}).get(_MARK) == mark:
                return str(batch.id)
        return None

    async def state(self, batch: str) -> BatchState:
        """See `BatchVendor.state`."""
        found = await self._ask("aretrieve_batch", batch_id=batch)
        said = str(found.status)
        if said in ("completed", "expired", "cancelled") and (
            found.output_file_id or found.error_file_id
        ):
            return BatchState("ended", said)
        if said in ("failed", "expired", "cancelled", "completed"):
            errors = getattr(found.errors, "data", None) or []
            why = "; ".join(str(getattr(error, "message", error)) for error in errors[:3])
            return BatchState("failed", f"{said}: {why}" if why else said)
        return BatchState("open", said)

    async def results(self, batch: str, requests: Mapping[str, Request]) -> dict[str, Result]:
        """See `BatchVendor.results`."""
        found = await self._ask("aretrieve_batch", batch_id=batch)
        results: dict[str, Result] = {}
        for file in (found.output_file_id, found.error_file_id):
            if file:
                content = await self._ask("afile_content", file_id=file)
                results |= self._read(content.content, requests)
        return results

    def _read(self, content: bytes, requests: Mapping[str, Request]) -> dict[str, Result]:
        results: dict[str, Result] = {}
        for item in _json_lines(self.model, content):
            name = str(item.get("custom_id"))
            if name not in requests:
                continue
            response = item.get("response") or {}
            body = response.get("body") or {}
            if response.get("status_code") == 200:
                results[name] = _answer(requests[name], body)
            else:
                said = body.get("error") or item.get("error") or {}
                status = int(response.get("status_code") or 500)
                results[name] = fault(self.model, status, json.dumps(said))
        return results

    async def _ask(self, function: str, **settings: Any) -> Any:
        from judgeprobe.llm.client import call_error, load_litellm, unlogged

        litellm = load_litellm()
        settings |= {"custom_llm_provider": "openai", "timeout": _TIMEOUT, "max_retries": 0}
        if self.base_url:
            settings["api_base"] = self.base_url
            settings["api_key"] = key_of("OPENAI_API_KEY") or "none"
        try:
            # Logged, a finished batch would be downloaded once more to reckon its price.
            with unlogged()():
                return await getattr(litellm, function)(**settings)
        except Exception as error:
            raise call_error(self.model, error) from None


class AnthropicBatches(BatchVendor):
    """Anthropic's message batches, over HTTP."""

    async def submit(self, requests: Mapping[str, Request], mark: str = "") -> str:  # noqa: ARG002
        """See `BatchVendor.submit`; Anthropic keeps no mark."""
        items = [
            {"custom_id": name, "params": _anthropic_params(request)}
            for name, request in requests.items()
        ]
        made = await self._ask("POST", "/v1/messages/batches", {"requests": items})
        return str(json.loads(made)["id"])

    async def state(self, batch: str) -> BatchState:
        """See `BatchVendor.state`."""
        found = json.loads(await self._ask("GET", f"/v1/messages/batches/{batch}"))
        said = str(found.get("processing_status"))
        counts = " ".join(f"{n} {name}" for name, n in (found.get("request_counts") or {}).items())
        return BatchState("ended" if said == "ended" else "open", f"{said} ({counts})")

    async def results(self, batch: str, requests: Mapping[str, Request]) -> dict[str, Result]:
        """See `BatchVendor.results`."""
        content = await self._ask("GET", f"/v1/messages/batches/{batch}/results")
        results: dict[str, Result] = {}
        for item in _json_lines(self.model, content):
            name, result = str(item.get("custom_id")), item.get("result") or {}
            if name not in requests:
                continue
            if result.get("type") == "succeeded":
                results[name] = _answer(requests[name], _as_openai(result["message"]))
            elif result.get("type") == "errored":
                error = (result.get("error") or {}).get("error") or result.get("error") or {}
                bad = error.get("type") in ("invalid_request_error", "not_found_error")
                results[name] = fault(self.model, 400 if bad else 500, json.dumps(error))
            else:
                results[name] = RetryableCallError(f"{self.model}: {result.get('type')}")
        return results

    async def _ask(self, method: str, path: str, body: Any = None) -> bytes:
        key = key_of(key_variable(self.model))
        if key is None and self.base_url is None:
            raise PermanentCallError(f"{self.model}: there is no ANTHROPIC_API_KEY")
        headers = {"x-api-key": key or "none", "anthropic-version": "2023-06-01"}
        url = (self.base_url or _ANTHROPIC).rstrip("/").removesuffix("/v1") + path
        timeout = aiohttp.ClientTimeout(total=_TIMEOUT)
        try:
            async with (
                aiohttp.ClientSession(headers=headers, timeout=timeout) as session,
                session.request(method, url, json=body) as response,
            ):
                content = await response.read()
                if response.status != 200:
                    said = content.decode(errors="replace")
                    raise fault(self.model, response.status, said, dict(response.headers))
                return content
        except (aiohttp.ClientError, OSError) as error:
            raise fault(self.model, None, str(error) or type(error).__name__) from None


def _anthropic_params(request: Request) -> dict[str, Any]:
    """A request as Anthropic's message interface takes it.

    Raises:
        InputError: It is a completion prompt, or wants what the interface has not.
    """
    if request.prompt is not None or request.top_logprobs is not None:
        raise InputError(
            f"`{request.model}` has neither completion prompts nor log-probabilities",
            remedy='use a chat prompt and elicitation = "written"',
        )
    system = [str(part["content"]) for part in request.messages if part["role"] == "system"]
    messages = [dict(part) for part in request.messages if part["role"] != "system"]
    params: dict[str, Any] = {
        "model": request.model.partition("/")[2],
        "max_tokens": request.max_tokens or _ANTHROPIC_TOKENS,
        "messages": messages,
    }
    if system:
        params["system"] = "\n\n".join(system)
    if request.temperature is not None:
        params["temperature"] = request.temperature
    return params | dict(request.extra_body or {})


def _as_openai(message: Mapping[str, Any]) -> dict[str, Any]:
    """An Anthropic message in the form that every other reply has; its content stays as blocks."""
    usage = message.get("usage") or {}
    reason = str(message.get("stop_reason") or "")
    choice = {
        "finish_reason": _FINISH.get(reason, reason),
        "message": {"role": "assistant", "content": message.get("content")},
    }
    return {
        "model": message.get("model"),
        "choices": [choice],
        "usage": {
            "prompt_tokens": int(usage.get("input_tokens") or 0),
            "completion_tokens": int(usage.get("output_tokens") or 0),
        },
    }


def _answer(request: Request, response: Mapping[str, Any]) -> Result:
    broken = error_in_reply(request.model, response)
    return broken if broken is not None else reply_of(request, response)


def _json_lines(model: str, content: bytes) -> Iterable[dict[str, Any]]:
    for line in content.split(b"\n"):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except ValueError:
            raise RetryableCallError(f"{model}: the batch's results are damaged") from None
