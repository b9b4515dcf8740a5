"""A response becomes a reply that says who served it."""

from judgeprobe.llm.replies import reply_of, requested_of
from judgeprobe.llm.request import Request, chat
from judgeprobe.records import content_hash

ASKED = Request(model="openrouter/a/m", messages=chat("", "u"), provider={"order": ["x", "y"]})


def test_what_was_asked() -> None:
    asked = requested_of(ASKED)
    assert (asked.model, asked.provider) == ("openrouter/a/m", "x,y")
    assert asked.params_hash == content_hash(ASKED.body())


def test_content_as_blocks_and_reasoning_stay_as_they_came() -> None:
    blocks = [{"type": "text", "text": "gra"}, {"type": "image"}, {"type": "text", "text": "de: 3"}]
    message = {"content": blocks, "reasoning": "hm", "role": "assistant"}
    reply = reply_of(ASKED, {"choices": [{"index": 0, "message": message}]})
    assert reply.text == "grade: 3"
    assert reply.message == {"message": message}
    assert reply.finish == ""
    assert reply.cost is None


def test_empty_content_is_empty_text() -> None:
    choice = {"message": {"content": None, "reasoning": "..."}, "finish_reason": "length"}
    reply = reply_of(ASKED, {"choices": [choice]})
    assert reply.text == ""
    assert reply.finish == "length"


def test_served_by_a_provider_object() -> None:
    response = {
        "choices": [{"text": "3"}],
        "model": "a/m-2",
        "provider": {"name": "X", "quantization": "bf16"},
        "usage": {"prompt_tokens": 3, "completion_tokens_details": {"a": 1}, "cost": 0.5},
    }
    reply = reply_of(ASKED, response, cost=9.0)
    assert (reply.served.provider, reply.served.quantization) == ("X", "bf16")
    assert reply.served.fingerprint == "not disclosed"
    assert reply.usage == {"prompt_tokens": 3}
    assert reply.cost == 0.5
