"""The canonical content of a request changes with what can change the answer, and only with it."""

import dataclasses
import json
import subprocess
import sys

import pytest

from judgeprobe.llm.request import Request, chat

BASE = Request(model="openai/m", messages=chat("s", "u"), base_url="http://a:1/v1", temperature=0.0)

CHANGES = {
    "model": "openai/n",
    "messages": chat("s", "v"),
    "temperature": 0.5,
    "max_tokens": 9,
    "seed": 1,
    "reasoning_effort": "low",
    "provider": {"order": ["x"]},
    "response_format": {"type": "json_object"},
    "top_logprobs": 5,
    "extra_body": {"k": 1},
    "identity": "sha256:0",
}


@pytest.mark.parametrize("field", CHANGES)
def test_body_changes_with(field: str) -> None:
    changed = dataclasses.replace(BASE, **{field: CHANGES[field]})
    assert changed.body() != BASE.body()
    json.dumps(changed.body())


@pytest.mark.parametrize(("field", "value"), [("timeout", 1.0), ("base_url", "https://b:2/v1/")])
def test_body_holds_with(field: str, value: object) -> None:
    assert dataclasses.replace(BASE, **{field: value}).body() == BASE.body()


def test_every_field_is_judged() -> None:
    named = {field.name for field in dataclasses.fields(Request)}
    assert named == set(CHANGES) | {"prompt", "timeout", "base_url"}


def test_path_of_the_endpoint_counts() -> None:
    other = dataclasses.replace(BASE, base_url="http://a:1/deployments/x")
    assert other.body() != BASE.body()


def test_prompt_or_messages() -> None:
    with pytest.raises(ValueError, match="either"):
        Request(model="m")
    with pytest.raises(ValueError, match="either"):
        Request(model="m", prompt="p", messages=chat("", "u"))


def test_reading_a_grade_imports_no_model_library() -> None:
    code = (
        "import sys, judgeprobe.llm.request, judgeprobe.llm as m; m.Request; "
        "print([n for n in ('litellm', 'diskcache', 'tenacity', 'aiohttp') if n in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
