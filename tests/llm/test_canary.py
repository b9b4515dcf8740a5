"""What makes two endpoints two instruments, and what does not."""

import dataclasses
import math

import pytest

from judgeprobe.llm.canary import canary_request, difference, signature_of
from judgeprobe.llm.request import Request, chat
from judgeprobe.llm.sender import Disclosed
from judgeprobe.records import Reply, Requested, Served


def logprobs(*positions):
    """OpenAI's chat form; each position is {token: probability}, the first token was chosen."""
    content = []
    for listed in positions:
        tops = [{"token": name, "logprob": math.log(p)} for name, p in listed.items()]
        content.append({**tops[0], "top_logprobs": tops})
    return {"content": content}


def answer(*positions, text="3", tokens=300, facts=None, **served):
    message = {"message": {"content": text}}
    if positions:
        message["logprobs"] = logprobs(*positions)
    reply = Reply(
        key="",
        requested=Requested(model="m"),
        served=Served(model="m", **served),
        text=text,
        message=message,
        usage={} if tokens is None else {"prompt_tokens": tokens},
    )
    return signature_of(reply, Disclosed(facts=facts or {}))


BASE = answer({"3": 0.6, "4": 0.3, "2": 0.05}, {".": 0.9, "!": 0.1})


@pytest.mark.parametrize(
    "other",
    [
        answer({"3": 0.57, "4": 0.32, "2": 0.052}, {".": 0.9, "!": 0.1}),
        # What is less probable than one percent is noise.
        answer({"3": 0.6, "4": 0.3, "2": 0.05, "x": 0.004}, {".": 0.9, "!": 0.1}),
        # Not listed here, and there no more probable than what was listed last.
        answer({"3": 0.6, "4": 0.3, "2": 0.05, "1": 0.05}, {".": 0.9, "!": 0.1}),
        answer({"3": 0.6, "4": 0.3, "2": 0.05}, {".": 0.9, "!": 0.1}, tokens=None),
        answer({"3": 0.6, "4": 0.3, "2": 0.05}, {".": 0.9, "!": 0.1}, quantization="fp8"),
        answer({"3": 0.6, "4": 0.3, "2": 0.05}, {".": 0.9, "!": 0.1}, facts={"size": "1"}),
    ],
)
def test_the_same_instrument(other):
    assert difference(other, BASE, tolerance=0.1) == ""
    assert difference(BASE, other, tolerance=0.1) == ""


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (answer({"3": 0.5, "4": 0.4, "2": 0.05}, {".": 0.9, "!": 0.1}), "token '3' at position 1"),
        (answer({"3": 0.6, "4": 0.3, "2": 0.05}, {".": 0.7, "!": 0.3}), "token '!' at position 2"),
        (answer({"4": 0.6, "3": 0.3, "2": 0.05}), "token '3'"),
        (answer({"3": 0.6, "9": 0.3, "2": 0.05}, {".": 0.9}), "at most"),
        (answer({"3": 0.6, "4": 0.3, "2": 0.05}), "ends its answer"),
        (answer({"3": 0.6, "4": 0.3, "2": 0.05}, tokens=301), "as 301 tokens"),
        (answer(text="4"), "answers the canary '4'"),
    ],
)
def test_another_instrument(other, words):
    assert words in difference(other, BASE, tolerance=0.1)
    assert difference(BASE, other, tolerance=0.1)


def test_what_both_disclose_must_be_equal():
    one = answer(quantization="fp8", facts={"size": "1"})
    assert "quantization" in difference(one, answer(quantization="bf16"), tolerance=0.1)
    assert "another size (1)" in difference(one, answer(facts={"size": "2"}), tolerance=0.1)


def test_two_tokens_that_are_nearly_tied_part_the_texts_and_not_the_instruments():
    one = answer({"3": 0.48, "4": 0.47}, {".": 0.9})
    other = answer({"4": 0.48, "3": 0.47}, {"!": 0.9}, text="4!")
    assert difference(one, other, tolerance=0.1) == ""


def test_a_form_of_log_probabilities_that_is_not_known_is_none():
    reply = Reply(
        key="",
        requested=Requested(model="m"),
        served=Served(),
        text="3",
        message={"logprobs": {"content": [{"token": "3", "logprob": None}]}},
    )
    assert signature_of(reply, Disclosed()).positions == []


def test_the_canary_is_asked_greedily_through_the_judges_own_request():
    request = Request(model="m", messages=chat("s", "u"), temperature=0.7, seed=3, max_tokens=900)
    found = canary_request(request)
    assert (found.temperature, found.seed, found.messages) == (0.0, 3, request.messages)
    assert found.top_logprobs == 20
    assert canary_request(request, logprobs=False).top_logprobs is None
    # A model that refuses a temperature is given none here either.
    assert canary_request(dataclasses.replace(request, temperature=None)).temperature is None
