"""No key leaves the process in a message."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.llm.secrets import (
    find_secret,
    is_secret_name,
    one_line,
    redact,
    redact_values,
)


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "HF_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "GITHUB_TOKEN",
        "APIKEY",
    ],
)
def test_secret_names(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["PATH", "KEYBOARD", "MONKEY", "TOKENIZERS_PARALLELISM", "HOME"])
def test_other_names(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    "secret",
    [
        "sk-abcdef123456",
        "sk-or-v1-0123456789abcdef",
        "sk-ant-api03-abc_DEF-123",
        "AIzaSyA1234567890abcdef",
        "gsk_abcdefgh12345678",
        "hf_abcdefgh12345678",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
    ],
)
def test_shapes_of_keys(secret: str) -> None:
    for text in (secret, f"Incorrect API key provided: {secret}.", f'{{"key":"{secret}"}}'):
        assert secret not in redact(text)


def test_credentials_in_an_address_and_in_a_header() -> None:
    assert redact("http://user:pa55word@host/v1") == "http://[redacted]@host/v1"
    assert redact("Authorization: Bearer abc.def-123") == "Authorization: Bearer [redacted]"


def test_plain_words_stay() -> None:
    text = "task-oriented risk-taking; disk-based, the sk-8 board; model gpt-4o-mini: no such model"
    assert redact(text) == text


@given(st.text(min_size=6, max_size=40).filter(lambda text: len(text.strip()) >= 6))
def test_a_planted_value_never_stays(value: str) -> None:
    if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLANTED_API_KEY", value)
        for text in (f"before {value} after", json.dumps({"error": f"key {value}"})):
            clean = redact_values(text)
            assert (
                value.strip() not in clean or value.strip() in "[redacted] before after error key"
            )


def test_a_short_value_is_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    assert redact("none of it") == "none of it"


def test_one_line() -> None:
    assert one_line("a\n\n b\tc") == "a b c"
    assert len(one_line("x" * 1000)) == 300


@pytest.mark.parametrize("shape", ["sk-a1B2c3D4e5F6g7H8i9J0", "AKIAABCDEFGHIJKL1234"])
def test_a_key_is_found_by_its_shape_and_never_repeated(shape):
    told = find_secret(f"before {shape} after")
    assert told is not None
    assert shape not in told
    assert find_secret(f"before {shape} after", allowed=[shape]) is None


def test_a_key_is_found_by_the_name_of_its_variable(monkeypatch):
    monkeypatch.setenv("SOME_SERVICE_TOKEN", 'x9 "quoted" value')
    assert find_secret(json.dumps({"said": 'x9 "quoted" value'})) == (
        "the value of SOME_SERVICE_TOKEN"
    )
    monkeypatch.setenv("SOME_SERVICE_TOKEN", "short")
    assert find_secret("short words") is None


@pytest.mark.parametrize("words", ["sk-learning", "hf_tokenizers", "a fw-something", "no secret"])
def test_plain_words_are_no_key(words):
    assert find_secret(words) is None
