"""Which failures a retry can mend."""

import time
from email.utils import formatdate

import pytest

from judgeprobe.errors import CallError, PermanentCallError, RetryableCallError
from judgeprobe.llm.faults import error_in_reply, fault, refuses_temperature, retry_after


@pytest.mark.parametrize("status", [None, 408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_retryable(status: int | None) -> None:
    assert isinstance(fault("m", status, "no"), RetryableCallError)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 422])
def test_permanent(status: int) -> None:
    assert isinstance(fault("m", status, "no"), PermanentCallError)


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 8192 tokens",
        "request (6002 tokens) exceeds the available context size (2048 tokens)",
        "prompt is too long: 300000 tokens",
        "The response was filtered due to Azure OpenAI's content management policy",
    ],
)
def test_of_this_text_only(message: str) -> None:
    assert type(fault("m", 400, message)) is CallError


def test_names_the_model_and_the_status() -> None:
    assert str(fault("openai/m", 503, "try\nlater")) == "openai/m: 503: try later"
    assert str(fault("openai/m", None, "reset")) == "openai/m: no reply: reset"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "0.05"}, 0.05),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": ""}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_a_date() -> None:
    found = retry_after({"Retry-After": formatdate(time.time() + 30, usegmt=True)})
    assert found is not None
    assert 28 < found <= 30


def test_an_error_beside_an_empty_choice() -> None:
    empty = {"choices": [{"message": {"content": None}}]}
    found = error_in_reply("m", {**empty, "error": {"code": 429, "message": "slow down"}})
    assert isinstance(found, RetryableCallError)
    assert "429" in str(found)
    inside = {"choices": [{"error": {"code": 502, "message": "upstream"}, "message": {}}]}
    assert isinstance(error_in_reply("m", inside), RetryableCallError)
    refused = {**empty, "error": {"code": 401, "message": "who"}}
    assert isinstance(error_in_reply("m", refused), PermanentCallError)


def test_a_reply_without_a_choice_may_come_right() -> None:
    for reply in ({}, {"choices": []}, {"choices": None}):
        assert isinstance(error_in_reply("m", reply), RetryableCallError)
    assert error_in_reply("m", {"choices": [{"text": "3"}], "error": None}) is None


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (400, "Unsupported value: 'temperature' does not support 0.0 with this model.", True),
        (400, "temperature is not supported by this model", True),
        (400, "`temperature` is deprecated for this model.", True),
        (400, "temperature must be between 0 and 2", False),
        (400, "no such model", False),
        (500, "temperature is not supported", False),
    ],
)
def test_refused_temperature(status: int, message: str, *, expected: bool) -> None:
    assert refuses_temperature(status, message) is expected


@pytest.mark.parametrize(
    "message",
    [
        "litellm.InternalServerError: OpenAIException - Missing credentials. Please pass a key",
        "AuthenticationError: Missing Anthropic API Key - A call is being made",
        "The api_key client option must be set either by passing api_key",
    ],
)
def test_a_missing_key_is_named_and_not_tried_again(message: str) -> None:
    found = fault("anthropic/claude", 500, message)
    assert isinstance(found, PermanentCallError)
    assert str(found) == (
        "anthropic/claude: there is no key for it; set ANTHROPIC_API_KEY in the environment"
    )
