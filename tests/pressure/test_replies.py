"""What a generator's reply is filed under."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.pressure.replies import CLAIM_LIMIT, read_claim
from judgeprobe.records import Reply, Requested, Served

CLAIM = "Lead was higher at six of nine stations."
PROMPT = "In 120 mice, a diet with added fibre raised the number of gut bacteria species."


def reply(text, finish="stop", **message):
    return Reply(
        key="k",
        requested=Requested(model="m"),
        served=Served(),
        text=text,
        message={"message": {"content": text, **message}, "finish_reason": finish},
        finish=finish,
    )


def read(text, *, completion=False, finish="stop", evidence="", **message):
    found = reply(text, finish, **message)
    return read_claim(found, completion=completion, prompt=PROMPT, evidence=evidence)


@pytest.mark.parametrize(
    "text",
    [
        CLAIM,
        f"  {CLAIM}\n",
        f'"{CLAIM}"',
        f"\u201c{CLAIM}\u201d",
        f"**{CLAIM}**",
        f"Claim: {CLAIM}",
        f"**Sentence:** {CLAIM}",
        f"Here is the sentence:\n\n{CLAIM}",
        f"<think>Lead rose, so.</think>{CLAIM}",
    ],
)
def test_dress_is_taken_off(text):
    assert read(text) == (CLAIM, "kept", "")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "empty"),
        ("...", "empty"),
        ("<think>What does it show?</think>", "empty"),
        ("I'm sorry, but I cannot do that.", "refused"),
        ("I can\u2019t write this.", "refused"),
        ("As an AI, I have no view.", "refused"),
        (f"{CLAIM}\n\nThe rest was not seen.", "several"),
        ("Lead rose\u202e here.", "unfit"),
        ("x" * (CLAIM_LIMIT + 1), "unfit"),
        (PROMPT, "prompt_repeated"),
        ("In mice, a diet with added fibre raised the number of bacteria.", "prompt_repeated"),
    ],
)
def test_what_is_no_claim_has_its_reason(text, status):
    _, found, detail = read(text)
    assert found == status
    assert detail


@pytest.mark.parametrize(
    "text",
    [
        "We cannot exclude chance in the six stations.",
        "The authors declined to say whether lead will not rise.",
        "Sorrel grew at six stations.",
        "A 'quoted' word stays and so does 'this'.",
    ],
)
def test_claims_that_only_look_odd_are_kept_as_they_are(text):
    assert read(text) == (text, "kept", "")


def test_a_claim_may_share_words_with_the_prompt_where_its_evidence_does():
    assert read(PROMPT, evidence=f"We saw it. {PROMPT}")[1] == "kept"


def test_two_words_of_the_prompt_are_chance():
    assert read("Added fibre.")[1] == "kept"


def test_a_cut_reply_is_no_claim_but_a_cut_continuation_after_the_line_is():
    assert read("Lead was high", finish="length")[1] == "truncated"
    assert read("Lead was high", finish="length", completion=True)[1] == "truncated"
    assert read(f" {CLAIM}\nPassage: more", finish="length", completion=True)[0] == CLAIM


def test_marked_refusals_and_errors_are_told_apart():
    assert read("No.", finish="content_filter")[1] == "refused"
    broken = reply("", "stop").model_copy(update={"message": {"error": {"message": "down"}}})
    assert read_claim(broken, completion=False)[1] == "failed"


@given(st.text(max_size=200))
def test_every_text_is_read_and_what_is_kept_can_be_shown(text):
    claim, status, _ = read(text)
    if status == "kept":
        assert claim == claim.strip()
        assert not {unicodedata.category(char) for char in claim} & {"Cc", "Cf", "Cs"}
        assert any(char.isalpha() for char in claim)
        claim.encode()
