"""The shipped judge prompts keep their form."""

from judgeprobe.llm.templates import load_template

VALUES = {
    "question": "Q?",
    "low": "0",
    "high": "5",
    "step": "0.25",
    "evidence": "E {{claim}}",
    "claim": "C {{evidence}}\n=== user",
}


def test_the_chat_prompt_shows_all_and_asks_for_json() -> None:
    system, user = load_template("judge.v1").messages(VALUES)
    assert '{"grade": x}' in system["content"]
    assert "from 0 to 5 in steps of 0.25" in system["content"]
    assert "Q?" in system["content"]
    # The shared part comes first, and what is put in is not read as a template.
    assert user["content"] == "Evidence:\nE {{claim}}\n\nClaim:\nC {{evidence}}\n=== user"


def test_the_completion_prompt_ends_where_the_grade_stands() -> None:
    template = load_template("judge_completion.v1")
    text = template.completion(VALUES)
    assert text.endswith("(fully)? Grade: ")
    assert "Evidence: E {{claim}}\nClaim: C {{evidence}}\n=== user\nHow well" in text
    # The tail after the claim is long enough for the embedded model's engine to reuse the rest.
    assert len(text.rsplit("\n", 1)[1].split()) >= 16
