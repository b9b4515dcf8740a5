"""Templates: sections, places, hashes, and text that looks like a template."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.errors import InputError
from judgeprobe.llm.templates import load_template, parse_template

CHAT = "# a comment\n=== system\nYou grade.\n\n=== user\nEvidence: {{evidence}}\nClaim: {{claim}}\n"


def test_sections_become_messages():
    template = parse_template(CHAT, name="t")
    assert template.messages({"evidence": "E", "claim": "C"}) == (
        {"role": "system", "content": "You grade."},
        {"role": "user", "content": "Evidence: E\nClaim: C"},
    )
    assert template.places == {"evidence", "claim"}
    assert not template.is_completion


def test_a_completion_prompt_is_one_text():
    template = parse_template("=== completion\nClaim: {{claim}}\nGrade:", name="t")
    assert template.completion({"claim": "C"}) == "Claim: C\nGrade:"
    with pytest.raises(InputError, match="completion prompt"):
        template.messages({"claim": "C"})


@given(st.text())
def test_inserted_text_is_never_read_as_template(text):
    template = parse_template(CHAT, name="t")
    claim = text + "{{evidence}}\n=== system\n{{nothing}}"
    _, user = template.messages({"evidence": "E", "claim": claim})
    assert user["content"] == f"Evidence: E\nClaim: {claim}"


def test_the_hash_covers_sections_only():
    hash_ = parse_template(CHAT, name="t").hash
    assert parse_template(CHAT.replace("a comment", "other"), name="u").hash == hash_
    assert parse_template(CHAT.replace("\n", "\r\n"), name="t").hash == hash_
    assert parse_template(CHAT.replace("You grade", "You rate"), name="t").hash != hash_
    assert parse_template(CHAT.replace("system", "assistant"), name="t").hash != hash_


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Grade this.", "no section"),
        ("hello\n=== user\nx", "text before its first section"),
        ("=== users\nx", "section `users`"),
        ("=== user\n\n", "empty section"),
        ("=== user\nx\n=== completion\ny", "beside others"),
        ("=== system\nx", "no user section"),
    ],
)
def test_a_wrong_file_is_named(text, words):
    with pytest.raises(InputError, match=words) as caught:
        parse_template(text, name="t", file="my.txt")
    assert str(caught.value).startswith("my.txt: ")


def test_places_are_checked_before_any_call():
    template = parse_template(CHAT, name="t")
    template.check({"evidence", "claim", "low"}, {"evidence", "claim"})
    with pytest.raises(InputError, match=r"\{\{claim\}\}, which nothing fills"):
        template.check({"evidence"}, set())
    with pytest.raises(InputError, match=r"never shows \{\{question\}\}"):
        template.check({"evidence", "claim", "question"}, {"question"})
    with pytest.raises(InputError, match="no value"):
        template.messages({"evidence": "E"})


def test_a_path_is_relative_to_the_study(tmp_path):
    (tmp_path / "mine.txt").write_text(CHAT, encoding="utf-8")
    assert (
        load_template("mine.txt", relative_to=tmp_path).hash == parse_template(CHAT, name="x").hash
    )
    with pytest.raises(InputError, match="no prompt `nothing"):
        load_template("nothing.v9")
