"""Replies as real models give them: each is one record or is refused with its reason."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from judgeprobe.llm.structured import plain_key, read_structured, refuses, response_format


class Verdict(BaseModel):
    facts_identical: bool
    slot_changed: str
    note: str | None = None


GOOD = {"facts_identical": True, "slot_changed": "hedging_removal"}
PLAIN = json.dumps(GOOD)


def read(reply):
    return read_structured(reply, Verdict)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```",
        f"Here is my comparison of the two texts:\n\n{PLAIN}",
        f"{PLAIN}\n\nI hope that this helps.",
        f'<think>It could be {{"facts_identical": false}} or not.</think>{PLAIN}',
        f"<thinking>\nshort\n</thinking>\n```json\n{PLAIN}\n```",
        '{"facts_identical": true, "slot_changed": "hedging_removal",}',
        "{'facts_identical': True, 'slot_changed': 'hedging_removal'}",
        "{'facts_identical': True, 'slot_changed': 'hedging_removal',}",
        "{“facts_identical”: true, “slot_changed”: “hedging_removal”}",
        "{‘facts_identical’: true, ‘slot_changed’: ‘hedging_removal’}",
        '{facts_identical: true, slot_changed: "hedging_removal"}',
        '{"facts_identical": true, // they agree\n "slot_changed": "hedging_removal"}',
        '{"facts_identical": "true", "slot_changed": "hedging_removal"}',
        '{"facts_identical": "Yes", "slot_changed": "hedging_removal"}',
        '{"facts_identical": 1, "slot_changed": "hedging_removal"}',
        '{"Facts_Identical": true, "slot-changed": "hedging_removal"}',
        '{"factsIdentical": true, "slotChanged": "hedging_removal"}',
        '{"facts_identical": true, "slot_changed": "hedging_removal", "note": null}',
        '{"facts_identical": true, "slot_changed": "hedging_removal", "confidence": 0.9}',
        f'{{"result": {PLAIN}}}',
        f"[{PLAIN}]",
        f"{PLAIN}\n{PLAIN}",
        f"The form {{claim}} was followed. {PLAIN}",
        f"\ufeff{PLAIN}<|im_end|>",
    ],
)
def test_dress_is_taken_off(text):
    found = read(text)
    assert (found.problem, found.detail if found.problem else "") == ("", "")
    assert found.value.model_dump(exclude={"note"}) == GOOD


@pytest.mark.parametrize(
    ("text", "problem", "words"),
    [
        ("", "empty", "empty"),
        ("   \n", "empty", "empty"),
        ("<think>so it is hedging", "empty", "reasoning"),
        ("I'm sorry, but I can't help with comparing these.", "refused", "declines"),
        ("As an AI model, I do not compare medical claims.", "refused", "declines"),
        ("The facts are identical and a hedge was removed.", "unreadable", "no JSON object"),
        ('{"facts_identical": true, "slot_changed": "hedging', "unreadable", "breaks off"),
        ('{"facts_identical": true, "slot_changed": "hedging_removal"', "unreadable", "breaks off"),
        ('{"facts_identical": tr', "unreadable", "misses a value"),
        ('{"facts_identical": true "slot_changed": "x"}', "unreadable", "comma"),
        ('{"facts_identical": true}', "keys", "`slot_changed` is missing"),
        ('{"edited": "text"}', "keys", "no object with the keys"),
        ('{"facts_identical": "perhaps", "slot_changed": "x"}', "keys", "`facts_identical`"),
        ('{"facts_identical": null, "slot_changed": "x"}', "keys", "`facts_identical`"),
        ('{"facts_identical": true, "slot_changed": ["x", "y"]}', "keys", "`slot_changed`"),
        ('{"facts_identical": 2, "slot_changed": "x"}', "keys", "`facts_identical`"),
        (PLAIN + PLAIN.replace("true", "false"), "ambiguous", "2 different objects"),
        ('{"facts_identical": true, "facts_identical": false, "slot_changed": "x"}', "ambiguous",
         "twice"),
        ('{"facts_identical": true, "slot_changed": "\\ud83d"}', "unreadable", "surrogate"),
        # A broken object is not replaced by a whole one inside it or after it.
        ('{"result": {"facts_identical": true, "slot_changed": "x"}, "and": "so', "unreadable",
         "breaks off"),
        ('{"facts_identical": true, "slot_changed": "hedg\n' + PLAIN, "unreadable",
         "begins anew"),
    ],
)  # fmt: skip
def test_what_is_no_record_is_refused_with_its_reason(text, problem, words):
    found = read(text)
    assert found.value is None
    assert found.problem == problem
    assert words in found.detail


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"message": {"content": PLAIN}, "finish_reason": "length"}, "truncated"),
        ({"message": {"content": PLAIN}, "finish_reason": "content_filter"}, "refused"),
        ({"message": {"content": None, "refusal": "I cannot do that."}}, "refused"),
        ({"message": {"content": None, "reasoning_content": "long"}}, "empty"),
        ({"error": {"code": 502, "message": "bad gateway"}}, "failed"),
        ({"message": {"content": PLAIN}, "finish_reason": "stop"}, ""),
        ({"message": {"content": [{"type": "thinking", "thinking": "{"},
                                  {"type": "text", "text": PLAIN}]}}, ""),
    ],
)  # fmt: skip
def test_messages_are_read_with_how_they_ended(message, problem):
    assert read(message).problem == problem


def test_what_stands_beside_the_keys_is_noted():
    assert read('{"facts_identical": true, "slot_changed": "x", "mood": 1}').detail.endswith("mood")


def test_an_apostrophe_inside_single_quotes_stays_one():
    found = read("{'facts_identical': False, 'slot_changed': 'the model doesn't say so'}")
    assert found.value.slot_changed == "the model doesn't say so"


def test_quotation_marks_inside_a_text_stay_in_it():
    found = read('{"facts_identical": true, "slot_changed": "a "clear" case, as they say"}')
    assert found.value.slot_changed == 'a "clear" case, as they say'
    curly = '{"facts_identical": true, "slot_changed": "a \u201cclear\u201d, odd case",}'
    assert read(curly).value.slot_changed == "a \u201cclear\u201d, odd case"


def test_escapes_are_read_in_broken_dress_too():
    found = read("{'facts_identical': true, 'slot_changed': 'a\\u00e4\\n\\'b\\''}")
    assert found.value.slot_changed == "aä\n'b'"


def test_the_schema_is_strict_and_closed():
    described = response_format(Verdict)["json_schema"]
    assert described["strict"] is True
    assert described["schema"]["required"] == ["facts_identical", "slot_changed", "note"]
    assert described["schema"]["additionalProperties"] is False
    assert all("default" not in field for field in described["schema"]["properties"].values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I cannot rewrite this claim.", True),
        ("I\u2019m unable to assist with that.", True),
        ("Sorry, no.", True),
        ("The drug cannot reduce pain in adults.", False),
        ("It is unable to bind.", False),
    ],
)
def test_refusals_are_told_from_claims(text, expected):
    assert refuses(text) is expected


def test_names_are_compared_in_one_form():
    assert plain_key(" Hedging Removal ") == plain_key("hedgingRemoval") == "hedging_removal"


@given(st.booleans(), st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_every_record_comes_back_from_its_json(facts, slot):
    text = json.dumps({"facts_identical": facts, "slot_changed": slot})
    if slot.strip().lower() in ("null", "none"):
        return
    found = read(text)
    assert found.value == Verdict(facts_identical=facts, slot_changed=slot)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\\'"), max_size=40))
def test_pythons_own_dress_comes_back_too(slot):
    text = f"{{'facts_identical': False, 'slot_changed': '{slot}',}}"
    assert read(text).value.slot_changed == slot


@given(st.integers(1, len(PLAIN) - 1))
def test_no_beginning_of_a_record_is_a_record(cut):
    assert read(PLAIN[:cut]).value is None


@given(st.text(max_size=80))
def test_no_text_makes_it_crash(text):
    read(text)
    read("{" + text)
    read(PLAIN[:-1] + text)
