"""A reply read by the user's own function: what it gives is checked, what it raises is told."""

import pytest

from judgeprobe.errors import InputError
from judgeprobe.records import Reply, Requested, Scale, Served
from judgeprobe.settings import JudgeSettings
from judgeprobe.sweep.parsers import parsed
from judgeprobe.user_function import UserFunction

SCALE = Scale(1, 10, 1, {"pass": 10, "fail": 1})


def reply(text, **message):
    return Reply(
        key="0" * 64, requested=Requested(model="m"), served=Served(), text=text, message=message
    )


@pytest.mark.parametrize(
    ("value", "status", "grade"),
    [
        (7, "graded", 7.0),
        (7.5, "graded", 7.5),
        ("pass", "graded", 10.0),
        ("8", "graded", 8.0),
        ("8/10", "graded", 8.0),
        (11, "off_scale", None),
        ("maybe", "unparseable", None),
        (True, "unparseable", None),
        (float("nan"), "unparseable", None),
        ([7], "unparseable", None),
        (None, "unparseable", None),
    ],
)
def test_what_a_parser_gives(value, status, grade):
    found = parsed(reply("x"), lambda text: value, SCALE)
    assert (found.status, found.value) == (status, grade)
    assert found.detail or status == "graded"


def test_the_parser_sees_the_answer_without_its_reasoning():
    seen = []
    parsed(reply("<think>score 3</think>Score: 9"), lambda text: seen.append(text) or 9, SCALE)
    assert seen == ["Score: 9"]


def test_what_a_parser_raises_is_the_reason():
    found = parsed(reply("no json"), lambda text: {}["score"], SCALE)
    assert (found.status, found.detail) == ("unparseable", "the parser raised KeyError: 'score'")


def test_a_cut_or_refused_reply_is_told_apart():
    cut = {"choices": [{"message": {"content": "thinking"}, "finish_reason": "length"}]}
    assert parsed(reply("thinking", **cut), lambda text: None, SCALE).status == "truncated"
    refused = {"content": "", "refusal": "I will not."}
    assert parsed(reply("", **refused), lambda text: 9, SCALE).status == "refused"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("nothing", "write module:function"),
        ("no_such_module_here:grade", "there is no module `no_such_module_here`"),
        ("json:no_such", "`json` has no function `no_such`"),
    ],
)
def test_a_function_that_is_not_there_is_one_line(spec, said, tmp_path):
    with pytest.raises(InputError, match=said):
        UserFunction(spec, setting="parser", owner="the judge `ours`", folder=tmp_path).load()


@pytest.mark.parametrize("other", [{"reply_pattern": "(x)"}, {"elicitation": "expected"}])
def test_a_judge_is_read_in_one_way(other):
    with pytest.raises(ValueError, match="has a `parser`; take"):
        JudgeSettings(name="x", model="openai/y", parser="json:loads", **other)
