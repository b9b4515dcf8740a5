"""How is one call made through litellm, and what did it give?

One attempt a call: retrying is `judgeprobe.llm.retry`'s part. litellm's own retries, its telemetry
and its network look-up of prices are off. It is imported at the first call (several seconds).
"""

import asyncio
import contextlib
import functools
import gc
import logging
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, cast
from weakref import WeakKeyDictionary

from judgeprobe.errors import CallError, PermanentCallError, RetryableCallError
from judgeprobe.llm.faults import NO_TEMPERATURE, error_in_reply, fault, refuses_temperature
from judgeprobe.llm.preparing import prepare_in_loop
from judgeprobe.llm.replies import reply_of
from judgeprobe.llm.request import Request
from judgeprobe.llm.secrets import one_line
from judgeprobe.llm.wire import extra_of, key_of, key_variable
from judgeprobe.records import Reply

__all__ = ["call", "call_error", "close_clients", "load_litellm", "unlogged"]

# Models that have refused one, so that each later call is one request and not two.
_without_temperature: set[str] = set()


@functools.cache
def load_litellm() -> Any:
    """litellm, quiet and offline: prices from its own file, no callbacks, no log lines."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_LOG", "ERROR")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.callbacks = []
    litellm.success_callback = []
    litellm.failure_callback = []
    for name in ("LiteLLM", "httpx", "openai"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Its objects (370,000) stay for good; the collector need not walk them in every run.
    gc.freeze()
    return litellm


async def call(request: Request, *, api_key: str | None = None) -> Reply:
    """Make one call.

    Args:
        request: What to ask.
        api_key: Sent in place of the provider's key in the environment.

    Raises:
        RetryableCallError: The same call may succeed later (429, 408, 5xx, a dropped connection,
            a timeout, a reply that is no JSON, a provider's error inside a reply).
        PermanentCallError: No such call will succeed (authentication, quota, a bad request).
        CallError: This text cannot be answered (too long, or filtered).
    """
    litellm = load_litellm()
    cheapen_price_lookup(request.model)
    sampling = request.sampling()
    note = ""
    if request.model in _without_temperature and sampling.pop("temperature", None) is not None:
        note = NO_TEMPERATURE
    try:
        response = await _send(litellm, request, sampling, api_key)
    except Exception as error:
        if "temperature" not in sampling or not _refuses_temperature(error):
            raise call_error(request.model, error) from None
        sampling.pop("temperature")
        note = NO_TEMPERATURE
        try:
            response = await _send(litellm, request, sampling, api_key)
        except Exception as again:
            raise call_error(request.model, again) from None
        _without_temperature.add(request.model)
    content = response.model_dump()
    if (broken := error_in_reply(request.model, content)) is not None:
        raise broken
    return reply_of(request, content, cost=_cost(response, request.model), note=note)


async def _send(
    litellm: Any, request: Request, sampling: Mapping[str, Any], api_key: str | None
) -> Any:
    settings: dict[str, Any] = {
        **sampling,
        "model": request.model,
        "timeout": request.timeout,
        "max_retries": 0,
        # The provider decides what it takes, not litellm's table of models.
        "allowed_openai_params": [name for name in sampling if name != "temperature"],
    }
    if request.base_url:
        prepare_in_loop()
        settings["api_base"] = request.base_url
        # An endpoint of the user's own often wants no key, but the client library wants one.
        settings["api_key"] = api_key or key_of(key_variable(request.model)) or "none"
    elif api_key:
        settings["api_key"] = api_key
    if body := extra_of(request):
        settings["extra_body"] = body
    if not _priced.get(request.model) and (record := _unpriced_record()) is not None:
        settings["litellm_logging_obj"] = record(request)
        settings["litellm_call_id"] = "judgeprobe"
    with unlogged()():
        if request.prompt is not None:
            if request.base_url:
                settings["client"] = _completion_client(request, settings["api_key"])
            return await litellm.atext_completion(prompt=request.prompt, **settings)
        messages = [dict(message) for message in request.messages]
        return await litellm.acompletion(messages=messages, **settings)


# litellm keeps its clients for chat, and makes a new one, with a connection pool and TLS settings
# of its own, for every completion. A client belongs to the event loop that it was made in.
_completion_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, Any]] = (
    WeakKeyDictionary()
)


def _completion_client(request: Request, api_key: str) -> Any:
    import openai

    clients = _completion_clients.setdefault(asyncio.get_running_loop(), {})
    key = (request.base_url, api_key, request.timeout)
    if key not in clients:
        clients[key] = openai.AsyncOpenAI(
            base_url=request.base_url, api_key=api_key, timeout=request.timeout, max_retries=0
        )
    return clients[key]


async def close_clients() -> None:
    """Close the connections that litellm holds for the running event loop.

    litellm keeps its clients beyond the loop that they were made in, where they are of no use.
    """
    for client in _completion_clients.pop(asyncio.get_running_loop(), {}).values():
        await client.close()
    litellm = sys.modules.get("litellm")
    if litellm is None:
        return
    with contextlib.suppress(ImportError, AttributeError):
        from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

        await close_litellm_async_clients()  # type: ignore[no-untyped-call]
        litellm.in_memory_llm_clients_cache.flush_cache()


@functools.cache
def unlogged() -> Callable[[], AbstractContextManager[object]]:
    """Keeps litellm from preparing log records that nobody reads: a good part of a call's time.

    litellm has no public switch for it; where a version has none at all, calls are only slower.
    """
    try:
        from litellm._internal_context import internal_sub_call
    except ImportError:
        return contextlib.nullcontext
    return cast("Callable[[], AbstractContextManager[object]]", internal_sub_call)


@functools.cache
def _unpriced_record() -> Callable[[Request], object] | None:
    """Makes litellm's own record of a call, without the cost that it would reckon from no price.

    That reckoning is a fifth of the processor time of a call. Where a version of litellm has no
    such record to be handed, it makes its own, and calls are only slower.
    """
    try:
        from litellm.litellm_core_utils.litellm_logging import Logging
    except ImportError:
        return None

    class Unpriced(Logging):
        def response_cost_calculator(self, *_: object, **__: object) -> None:
            return None

    def record(request: Request) -> object:
        chat = request.prompt is None
        return Unpriced(
            model=request.model,
            messages=list(request.messages) if chat else request.prompt,
            stream=False,
            call_type="acompletion" if chat else "atext_completion",
            start_time=datetime.now(),
            # Names that only litellm's logs would use; a random one costs a system call.
            litellm_call_id="judgeprobe",
            litellm_trace_id="judgeprobe",
            function_id="",
        )

    return record


_priced: dict[str, bool] = {}


def cheapen_price_lookup(model: str) -> bool:
    """Whether litellm knows the model's price; where not, tell it so that it stops searching.

    litellm searches its whole table on every call of a model that it does not know, which takes a
    third of the processor time of a call.
    """
    if model not in _priced:
        litellm = load_litellm()
        try:
            litellm.get_model_info(model)
            _priced[model] = True
        except Exception:  # litellm raises a bare Exception for an unknown model
            _priced[model] = False
            vendor, _, name = model.partition("/")
            entry: dict[str, Any] = {"litellm_provider": vendor, "mode": "chat"}
            # Not zero: a price of zero makes litellm look for its reason on every call.
            entry |= {"input_cost_per_token": 1e-12, "output_cost_per_token": 1e-12}
            litellm.register_model({model: entry, name or model: entry})
    return _priced[model]


def _cost(response: Any, model: str) -> float | None:
    """US dollars as litellm reckons them; None for a model whose price it does not know."""
    if not _priced.get(model):
        return None
    hidden = getattr(response, "_hidden_params", None) or {}
    found = hidden.get("response_cost") if hasattr(hidden, "get") else None
    return float(found) if isinstance(found, int | float) else None


def _said(error: Exception) -> str:
    """All that an error says, its code too (a quota is told by the code alone)."""
    parts = [str(error)]
    for name in ("code", "body", "type"):
        value = getattr(error, name, None)
        if value and str(value) not in parts[0]:
            parts.append(str(value))
    return " ".join(parts)


def _refuses_temperature(error: Exception) -> bool:
    return refuses_temperature(getattr(error, "status_code", None), _said(error))


def call_error(model: str, error: Exception) -> CallError:
    """What litellm raised, as one of our own errors: one line, without secrets."""
    if isinstance(error, CallError):
        return error
    code = str(getattr(error, "status_code", ""))
    status = int(code) if code.isdigit() else None
    name = type(error).__name__
    if status == 200:
        return RetryableCallError(f"{model}: the reply is not JSON: {one_line(str(error), 120)}")
    if status is None:
        if name in ("APIConnectionError", "TimeoutError", "Timeout") or isinstance(error, OSError):
            return RetryableCallError(f"{model}: no reply: {one_line(str(error))}")
        return PermanentCallError(f"{model}: {name}: {one_line(str(error))}")
    found = fault(model, status, _said(error), _headers(error))
    # litellm has told these by each vendor's own words.
    if name in ("ContextWindowExceededError", "ContentPolicyViolationError"):
        return CallError(str(found))
    return found


def _headers(error: Exception) -> Mapping[str, str]:
    response = getattr(error, "response", None)
    found = getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None)
    return dict(found) if found else {}
