"""Can the same call succeed later, for this text only not, or never?

One rule for every transport, from the HTTP status and the words of the error body.
"""

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from judgeprobe.errors import CallError, PermanentCallError, RetryableCallError
from judgeprobe.llm.secrets import one_line
from judgeprobe.llm.wire import key_variable

__all__ = ["NO_TEMPERATURE", "error_in_reply", "fault", "refuses_temperature", "retry_after"]

NO_TEMPERATURE = "the model refuses a temperature; it was run without"

_RETRYABLE = frozenset({408, 409, 425, 429, 499})
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|credits?|funds|balance)|exceeded your current quota"
    r"|billing[_ ](?:hard[_ ]limit|not[_ ]active)|out of credits|payment required",
    re.IGNORECASE,
)
# What client libraries say before they send anything; some of them call it a server's error.
_NO_KEY = re.compile(
    r"missing credentials|(?:missing|no) (?:\w+ )?api[_ ]key"
    r"|api[_ ]key\W.{0,60}must be (?:set|provided)",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|too many (?:input )?tokens"
    r"|prompt is too long|exceed_context_size",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content[_ ](?:policy|filter|management)|responsible ?ai ?policy|flagged", re.IGNORECASE
)


def fault(
    where: str, status: int | None, message: str, headers: Mapping[str, str] | None = None
) -> CallError:
    """The error of a failed call.

    Args:
        where: The model's name.
        status: HTTP status, or None where no reply came (the connection broke, or took too long).
        message: What the server said; secrets are taken out and it is cut to one line.
        headers: Reply headers; Retry-After is read.
    """
    shown = "no reply" if status is None else str(status)
    line = f"{where}: {shown}: {one_line(message)}"
    if _NO_KEY.search(message):
        return PermanentCallError(
            f"{where}: there is no key for it; set {key_variable(where)} in the environment"
        )
    if _QUOTA.search(message) or status == 402:
        return PermanentCallError(line)
    if status is None or status in _RETRYABLE or status >= 500:
        return RetryableCallError(line, retry_after=retry_after(headers or {}))
    if status in (400, 413, 422) and (_TOO_LONG.search(message) or _FILTERED.search(message)):
        return CallError(line)
    return PermanentCallError(line)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a provider asks to wait (Retry-After, as seconds or a date); None where not."""
    lower = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    try:
        if "retry-after-ms" in lower:
            return max(0.0, float(lower["retry-after-ms"]) / 1000)
        value = lower.get("retry-after", "")
        if re.fullmatch(r"\d+(?:\.\d+)?", value):
            return float(value)
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time()) if value else None
    except (TypeError, ValueError):
        return None


def error_in_reply(where: str, reply: Mapping[str, Any]) -> CallError | None:
    """The error that a reply with status 200 carries, or None where it is an answer.

    Routers answer 200 and put the provider's error beside an empty choice, or in it.
    """
    choices = reply.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    found = reply.get("error") or (first.get("error") if isinstance(first, dict) else None)
    if not found:
        return None if isinstance(first, dict) else _malformed(where, "the reply has no choice")
    if not isinstance(found, dict):
        return fault(where, 502, str(found))
    code = str(found.get("code", found.get("status")))
    status = int(code) if code.isdigit() and 400 <= int(code) < 600 else 502
    return fault(where, status, f"inside a reply: {found.get('message', found)}")


def _malformed(where: str, why: str) -> RetryableCallError:
    return RetryableCallError(f"{where}: {why}")


def refuses_temperature(status: int | None, message: str) -> bool:
    """Whether a model refuses to be given a temperature."""
    if status not in (None, 400, 422) or "temperature" not in message.lower():
        return False
    words = r"support|unsupported|not allowed|deprecated|only .*default|does not accept|must be 1"
    return re.search(words, message, re.IGNORECASE) is not None
