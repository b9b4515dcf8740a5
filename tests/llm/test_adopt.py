"""A production prompt becomes one of ours, letter for letter but for its places."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from judgeprobe.errors import InputError
from judgeprobe.llm.adopt import adopt_prompt, find_places

VALUES = {"evidence": "EV {claim} {{x}}", "claim": "CL %(context)s"}


def sent(adopted):
    return adopted.template.messages(VALUES)[-1]["content"]


def adopt(text, evidence="context", claim="answer", **more):
    return adopt_prompt(
        text, file="judge.txt", fields={"evidence": evidence, "claim": claim}, **more
    )


@pytest.mark.parametrize(
    "written",
    ["{{{{{}}}}}", "{{{{ {} }}}}", "{{{}}}", "${{{}}}", "%({})s"],
    ids=["mustache", "jinja", "format", "dollar", "percent"],
)
def test_each_way_of_writing_a_place_is_found_and_filled(written):
    text = f"Judge this.\n{written.format('context')}\n--\n{written.format('answer')}\nGrade: 1-10"
    names = {place.name for place in find_places(text)}
    assert names == {"context", "answer"}
    assert sent(adopt(text)) == (
        f"Judge this.\n{VALUES['evidence']}\n--\n{VALUES['claim']}\nGrade: 1-10"
    )


def test_two_ways_in_one_prompt_are_both_filled():
    assert (
        sent(adopt("{context} then {{answer}}")) == f"{VALUES['evidence']} then {VALUES['claim']}"
    )


def test_our_own_names_need_no_mapping():
    adopted = adopt("{evidence}\n{claim}", None, None)
    assert adopted.mapped == (("{evidence}", "evidence"), ("{claim}", "claim"))


def test_doubled_braces_become_single_ones_as_str_format_sends_them():
    text = 'Context: {context}\nAnswer: {answer}\nReply with {{"verdict": "pass"}}'
    assert sent(adopt(text)) == text.format(context=VALUES["evidence"], answer=VALUES["claim"])


def test_a_prompt_with_plain_json_keeps_its_braces():
    text = 'Context: {context}\nAnswer: {answer}\nReply with {"verdict": "pass"}'
    adopted = adopt(text)
    assert sent(adopted).endswith('Reply with {"verdict": "pass"}')
    assert adopted.notes == ()


def test_a_single_brace_is_text_where_the_places_have_two():
    assert sent(adopt("{{context}} {{answer}} {score}")).endswith(" {score}")


LETTERS = st.text(
    st.characters(exclude_characters="{}\r$%", exclude_categories=["Cs"]), max_size=40
)


@given(LETTERS, LETTERS, LETTERS)
def test_every_other_letter_stays(before, between, after):
    text = f"{before}{{context}}{between}{{answer}}{after}"
    assume(not re.search(r"^===[ \t]*\w+[ \t]*$", text, re.MULTILINE))
    expected = text.format(context=VALUES["evidence"], answer=VALUES["claim"])
    # A prompt file has no line ends around it.
    assert sent(adopt(text)) == expected.strip("\n")


def test_sections_and_chat_messages_keep_their_roles():
    ours = adopt("=== system\nBe strict.\n=== user\n{context} / {answer}")
    assert [role for role, _ in ours.template.sections] == ["system", "user"]
    messages = (
        '[{"role": "system", "content": "Be strict."},'
        ' {"role": "user", "content": "{context} / {answer}"}]'
    )
    theirs = adopt_prompt(
        messages, file="p.json", fields={"evidence": "context", "claim": "answer"}
    )
    assert theirs.template.sections == ours.template.sections


def test_other_places_are_filled_with_the_text_given():
    adopted = adopt("{context} {answer} {tone}", fill={"tone": "politely"})
    assert sent(adopted).endswith(" politely")


def test_an_exact_text_can_stand_for_a_place():
    adopted = adopt("<<CTX>> and [[ANSWER HERE]]", "<<CTX>>", "[[ANSWER HERE]]")
    assert sent(adopted) == f"{VALUES['evidence']} and {VALUES['claim']}"


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        ('Reply {"score": 3, "verdict": "pass"}', '{"score": '),
        ("Reply with a number", "Score: "),
    ],
)
def test_a_model_without_a_chat_format_begins_where_the_grade_stands(asked, begins):
    adopted = adopt(f"{{context}} {{answer}} {asked}", continues=True)
    assert adopted.template.completion(VALUES).endswith(f"\n{begins}")
    words = adopt(f"{{context}} {{answer}} {asked}", continues=True, begins="Grade:")
    assert words.template.completion(VALUES).endswith("\nGrade:")


@pytest.mark.parametrize(
    ("text", "fields", "said"),
    [
        (
            "{context} {answer}",
            (None, None),
            "does not say where the evidence stands; places found: {context}, {answer}; needed: "
            "one for the evidence and one for the claim; "
            "add --evidence-field context --claim-field answer",
        ),
        ("{a} {b}", (None, None), "add --evidence-field NAME --claim-field NAME"),
        ("no place", (None, None), "places found: none"),
        ("please reply {context} {answer}", ("context", "reply"), "has no place `reply`"),
        ("{context} {answer}", ("context", "context"), "cannot be the evidence and the claim"),
        ("{context} {answer} {tone}", ("context", "answer"), "has the place {tone}, which nothing"),
        ("{context} {{context}} {answer}", ("context", "answer"), "in 2 ways"),
        ("{% if x %}{{context}}{{answer}}{% endif %}", ("context", "answer"), "Jinja statement"),
        ("  \n", (None, None), "is empty"),
    ],
)
def test_what_cannot_be_mapped_is_one_line_with_a_remedy(text, fields, said):
    with pytest.raises(InputError) as error:
        adopt(text, *fields)
    assert said in str(error.value)
    assert error.value.remedy
    assert "\n" not in str(error.value)


def test_a_fill_without_a_place_is_named():
    with pytest.raises(InputError, match="has no place `tone` for --fill"):
        adopt("{context} {answer}", fill={"tone": "x"})
