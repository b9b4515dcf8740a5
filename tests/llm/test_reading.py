"""Reading a grade: tolerant about dress, strict about meaning, and nothing invented."""

# ruff: noqa: E501 - tables of cases
import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeprobe.errors import InputError
from judgeprobe.llm import read_grade
from judgeprobe.records import Scale

SCALE = Scale(0, 5, 0.25)


def status_and_value(reply, scale=SCALE, **options):
    found = read_grade(reply, scale, **options)
    return found.status, found.value


GRADED = {
    # bare
    "4": 4, "4.25": 4.25, " 4.25\n": 4.25, "+4": 4, ".5": 0.5, "0.8": 0.8, "4,25": 4.25, "4.": 4,
    "**4**": 4, "`4`": 4, '"4"': 4, "(4)": 4, "[[4]]": 4, "$4$": 4, "４．２５": 4.25, "٤": 4, "4½": 4.5,
    "4 1/2": 4.5, "½": 0.5, "four": 4, "Four.": 4, "four and a half": 4.5, "three point two five": 3.25,
    "4 points": 4, "5 stars": 5,
    # out of the maximum
    "4/5": 4, "4 / 5": 4, "4.25/5.00": 4.25, "4 out of 5": 4, "Four out of five": 4, "４／５": 4,
    "4/5 because it overreaches": 4, "**4**/5": 4,
    # labelled
    "Score: 4.25": 4.25, "**Score:** 4.25": 4.25, "**Score**: 4/5": 4, "Score: **4**": 4,
    "score=4": 4, "Score - 4": 4, "Score – 4": 4, "Score 4": 4, "Score 4/5": 4, "Score -> 4": 4,
    "Grade (0-5): 4": 4, "Score out of 5: 4": 4, "Score on a scale of 0 to 5: 4": 4,
    "Rating: [[4]]": 4, "Final Answer: 4": 4, "Verdict: 4. Hedged.": 4, "| Score | 4 |": 4,
    "## Score\n4": 4, "Grade:\n4": 4, "Grade: \n\n**4**": 4, "评分：4": 4, "得分：4分": 4,
    "Bewertung: 4,25": 4.25, "Score: 4 (out of 5)": 4, "Score: 5/5 stars": 5, "Score: four": 4,
    "Score: 4 because it holds": 4, "Score: 4 - it holds": 4, "Score: 4 The claim is fine.": 4,
    "1. Score: 4": 4, "- Grade: 3.5": 3.5, "Faithfulness score: 4": 4, "Score: ４．２５": 4.25,
    # sentences
    "I'd give it a 4 out of 5.": 4, "I would rate this claim 4.": 4, "I assign a score of 4.25.": 4.25,
    "My grade for this claim is 4.": 4, "The score is **4**.": 4, "Thus, the final grade is 3.": 3,
    # tags and boxes
    "<score>4</score>": 4, "<grade> 4/5 </grade>": 4, "So \\boxed{4}": 4,
    # first or last line
    "4\n\nThe claim overreaches.": 4, "The claim overreaches.\n\n4": 4, "4 - the claim holds": 4,
    "4: well supported": 4,
    # the same grade twice
    "Score: 4\nFinal score: 4": 4, "4/5\n\nScore: 4": 4,
    # parts and the whole
    "Scope score: 3\nStrength score: 4\nOverall score: 3.5": 3.5,
    # JSON
    '{"grade": 4}': 4, '```json\n{"grade": 4}\n```': 4, '```\n{"grade": 4}\n```': 4,
    'Here you are:\n```json\n{"grade": 4}\n```\nDone.': 4, 'Sure! {"grade": 4.25, "reason": "x"}': 4.25,
    '{"reason": "the set {a, b} and ``` and `x`", "grade": 4}': 4,
    '```json\n{"reason": "a fence:\\n```py\\nx = {1: 2}\\n```\\nends", "grade": 3}\n```': 3,
    '{"reason": "I first said grade: 3, score: 2", "grade": 4}': 4, '{"grade": "4/5"}': 4,
    '{"grade": "4,5"}': 4.5, '{"grade": "four"}': 4, '{"result": {"grade": 4}}': 4,
    '{"scope_score": 3, "strength_score": 4, "final_score": 3.5}': 3.5, '{"Final Grade": 4}': 4,
    '{"finalScore": 4, "maxScore": 5}': 4, '{"grade": 4, "confidence": 5, "max": 5}': 4,
    "{'grade': 4, 'reason': 'x'}": 4, '{"grade": 4, "reason": "ends here': 4, '[{"grade": 4}]': 4,
    '{"grade": 4, "reason": "line\nbreak"}': 4, '{"grade": 4,}': 4, '{“grade”: 4}': 4,
    '{"reason": "the <think> tag", "grade": 4}': 4, '{"grade": 0, "reason": "I cannot verify it"}': 0,
    # after thinking
    "<think>Score: 2</think>\n4": 4, "<think>\nmaybe 2\n</think>\n\n{\"grade\": 4}": 4,
    "so 2 it is</think>Score: 3": 3, "<thinking>2</thinking>Score: 3": 3, "[THINK]2[/THINK]3": 3,
    "◁think▷2◁/think▷3": 3, "<|think|>2</|think|>3": 3, "<THINK>Score: 1</THINK>Score: 3": 3,
    "<think>a <think>b</think> 2</think>Score: 4": 4, "<seed:think>2</seed:think>3": 3,
    "<|channel|>analysis<|message|>score: 3<|end|><|start|>assistant<|channel|>final<|message|>4": 4,
    # end-of-turn tokens
    "4<|im_end|>": 4, "4</s>": 4, "Score: 4<end_of_turn>": 4,
    # numbers of other things beside it
    "Score: 3\n\nThe claim in 2019 covers 4 of 5 sites.": 3, "Mean age 4.5 years.\nScore: 3": 3,
    "I cannot rate this higher than 3. Score: 3": 3,
}  # fmt: skip

UNREADABLE = [
    "", "   \n", "The claim is well supported.", "grade: CI", "Grade: A", "Grade: B+", "downgrade: 2",
    "upgrade: 2", "regrade: 2", "pre-score: 2", "Score: n/a", "Score: NaN", "nan", "inf", "Score: -",
    "In 2024, 4 patients improved.", "2024-04-05", "4/5/2024", "04.05.2024", "May 4", "10:30", "v4.2.1",
    "4.2.1", "1. The claim is broad.\n2. The evidence is thin.", "1) broad\n2) thin", "4. The claim holds",
    "out of 5", "a scale of 0 to 5", "0-5", "3-4", "3 to 4", "3–4", "3 or 4", "between 3 and 4",
    "Score: 3-4", "Score: 3 to 4", "Score: between 3 and 4", "Score: 3 or 4", "Score: 3, 4", "3, 4", "3 4",
    "3/4/5", "Score: 4+", "Score: ~4", "Score: <4", "Score: 4 ± 1", "Score: 4%", "80%", "Score: 4 percent",
    "Score: 4th", "Score: 4x", "Score: 4 patients", "Score: 0 = unsupported", "Score: 4 is too high",
    "0 = unsupported, 5 = supported", "Score: 1,000", "Score: 4,250", "4,250", "Score: 1e0",
    "Score: 3\nScore: 4", "Score: 3. On reflection, grade: 4.", '{"grade": 3} {"grade": 4}',
    '{"grade": 3, "score": 4}', 'Score: 3\n{"grade": 4}', "3\n\nBecause.\n\n4", "4/5\n3/5",
    "patients with a score of 4.", "a mean score of 3.", "Mean score: 3", "p = 0.05", "P-value: 0.03",
    "Grade 3 adverse events were rare", "4 out of 5 dentists agree", "4/5 of patients", "I rate it 3 times",
    '{"grade": NaN}', '{"grade": Infinity}', '{"grade": true}', '{"grade": null}', '{"grade": "CI"}',
    '{"grade": "3-4"}', '{"grade": [3, 4]}', '{"confidence": 4}', '{"reason": "I said grade: 3 but',
    '{"reason": "the \\"grade\\": 3 is', '{"max_grade": 5}', "[4, 5]", '{"grade": {"low": 3, "high": 4}}',
    "<think>Score: 2", "<think>Score: 2</think>", "Score: 2</think>", "<thinking>4", "[THINK]4",
    "<think>a <think>b</think> Score: 3", "<|channel|>analysis<|message|>score: 3",
    "The answer, 4", "Section 4", "n=4",
]  # fmt: skip

OFF_SCALE = [
    "65", "Score: 65", '{"grade": 65}', "-1", "−1", "－１", "Score: -1", "5.01", "2024", "7/10", "Score: 7/10",
    "4/10", "0.65/1", "65/100", "4 out of 10", '{"grade": 8, "out_of": 10}', '{"grade": "7/10"}', "Score: six",
    "<score>9</score>",
]  # fmt: skip

REFUSED = [
    "I'm sorry, but I can't help with that.", "I cannot rate this claim.", "I can't assign a score.",
    "I am unable to provide a rating between 0 and 5.", "As an AI language model, I cannot do this.",
    "I refuse.", "I won't evaluate this.", "I’m sorry, but I cannot assist with that request.",
    "I must decline to grade this.", "We are not able to give a numeric grade.", "Sorry, I can't.",
    "I cannot provide a grade. The minimum is 0.",
]  # fmt: skip


@pytest.mark.parametrize("text", GRADED)
def test_a_grade_in_any_dress(text):
    assert status_and_value(text) == ("graded", GRADED[text])


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_is_no_grade(text):
    assert status_and_value(text) == ("unparseable", None)


@pytest.mark.parametrize("text", OFF_SCALE)
def test_a_grade_off_the_scale_is_never_clipped(text):
    assert status_and_value(text) == ("off_scale", None)


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal_is_no_minimum(text):
    assert status_and_value(text) == ("refused", None)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"content": "4"}, ("graded", 4)),
        ({"role": "assistant", "content": [{"type": "text", "text": "Score: 4"}]}, ("graded", 4)),
        ({"content": [{"type": "thinking", "thinking": "2"}, {"type": "text", "text": "4"}]}, ("graded", 4)),
        ({"content": [{"type": "reasoning", "text": "2"}, {"type": "output_text", "text": "4"}]}, ("graded", 4)),
        ({"content": [{"type": "text", "text": "4"}, {"type": "text", "text": ".25"}]}, ("unparseable", None)),
        ({"content": [{"type": "text", "text": {"value": "4"}}]}, ("graded", 4)),
        ({"content": ["4"]}, ("graded", 4)),
        ({"content": {"parts": [{"text": "2", "thought": True}, {"text": "4"}]}}, ("graded", 4)),
        ({"content": [{"type": "refusal", "refusal": "no"}]}, ("refused", None)),
        ({"content": None, "refusal": "I can't"}, ("refused", None)),
        ({"content": "0", "finish_reason": "content_filter"}, ("refused", None)),
        ({"candidates": [{"content": {"parts": [{"text": "4"}]}, "finishReason": "SAFETY"}]}, ("refused", None)),
        ({"content": None}, ("unparseable", None)),
        ({"content": "", "reasoning_content": "Score: 4"}, ("unparseable", None)),
        ({"content": "", "finish_reason": "length", "reasoning_content": "Score: 4"}, ("truncated", None)),
        ({"message": {"content": "", "reasoning": "Score: 4"}, "finish_reason": "length"}, ("truncated", None)),
        ({"content": "<think>Score: 4", "finish_reason": "length"}, ("truncated", None)),
        ({"content": "Score: 4", "finish_reason": "length"}, ("truncated", None)),
        ({"content": "Score: 4.", "finish_reason": "length"}, ("truncated", None)),
        ({"content": "4\n", "finish_reason": "length"}, ("graded", 4)),
        ({"content": "4\nBecause the", "stop_reason": "max_tokens"}, ("graded", 4)),
        ({"content": '{"grade": 4', "finish_reason": "length"}, ("truncated", None)),
        ({"content": '{"grade": 4}', "finish_reason": "length"}, ("graded", 4)),
        ({"content": '{"grade": 4, "reason": "cut', "finish_reason": "length"}, ("graded", 4)),
        ({"content": '{"reason": "grade: 4, cut', "finish_reason": "length"}, ("truncated", None)),
        ({"text": " 4\n", "finish_reason": "stop"}, ("graded", 4)),
        ({"choices": [{"text": "4", "index": 0}]}, ("graded", 4)),
        ({"choices": [{"message": {"content": "4"}}], "model": "m"}, ("graded", 4)),
        (
            {"choices": [{"message": {"content": None}}], "error": {"code": 429, "message": "slow down"}},
            ("failed", None),
        ),
        ({"choices": [{"message": {"content": None}, "error": {"code": 429}}]}, ("failed", None)),
        ({"content": None, "tool_calls": [{"function": {"arguments": '{"grade": 3}'}}]}, ("graded", 3)),
        ({"content": [{"type": "tool_use", "input": {"grade": 3}}]}, ("graded", 3)),
        ({"content": None, "parsed": {"grade": 3}}, ("graded", 3)),
        ({"grade": 4.25}, ("graded", 4.25)),
        ({"grade": float("nan")}, ("unparseable", None)),
    ],
)  # fmt: skip
def test_messages_choices_and_responses(reply, expected):
    assert status_and_value(reply) == expected


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("So: **Score:** ４．２５ (good)", "Score:** ４．２５"),
        ("4", "4"),
        ('x {"grade": 4} y', '{"grade": 4}'),
        ("Score: 3-4", "Score: 3"),
        ("The end.\n\n 4.5 ", "4.5"),
    ],
)
def test_the_span_is_what_stands_in_the_reply(text, span):
    assert read_grade(text, SCALE).span == span
    assert span in text


def test_a_grade_between_the_lattice_points_is_kept_as_given():
    found = read_grade("0.65", SCALE)
    assert (found.status, found.value, found.detail) == ("graded", 0.65, "off lattice")
    assert read_grade("0.75", SCALE).detail == ""


def test_words_count_where_the_scale_has_them():
    scale = Scale(0, 2, 1, words={"poor": 0, "well supported": 2})
    assert status_and_value("Poor.", scale) == ("graded", 0)
    assert status_and_value("**Verdict:** well supported", scale) == ("graded", 2)
    assert status_and_value('{"grade": "Well supported"}', scale) == ("graded", 2)
    assert status_and_value("Verdict: poor\nVerdict: well supported", scale) == (
        "unparseable",
        None,
    )
    assert status_and_value("the poor claim", scale) == ("unparseable", None)
    assert status_and_value("Poor.", SCALE) == ("unparseable", None)


def test_a_pattern_of_the_judges_own_is_all_that_is_read():
    pattern = r"SUPPORT=(\S+);"
    assert status_and_value("Score: 2 SUPPORT=4.25;", reply_pattern=pattern) == ("graded", 4.25)
    assert status_and_value("Score: 2", reply_pattern=pattern) == ("unparseable", None)
    assert status_and_value("SUPPORT=high;", reply_pattern=pattern) == ("unparseable", None)
    assert status_and_value("SUPPORT=9;", reply_pattern=pattern) == ("off_scale", None)
    assert status_and_value("SUPPORT=3; SUPPORT=4;", reply_pattern=pattern) == ("unparseable", None)
    assert status_and_value("<think>SUPPORT=3;</think>", reply_pattern=pattern) == (
        "unparseable",
        None,
    )
    for wrong in ("(", "Score"):
        with pytest.raises(InputError, match="reply_pattern"):
            read_grade("4", SCALE, reply_pattern=wrong)


def dressed(grade: float, style: int, frame: int) -> str:
    """One of 35 x 8 ways to write a grade."""
    point, comma = f"{grade:g}", f"{grade:g}".replace(".", ",")
    wide = point.translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789"})
    core = [
        point, comma, wide, f"{grade:.2f}", f"{point}/5", f"{point} / 5", f"{point} out of 5", f"+{point}",
        f"**{point}**", f"`{point}`", f"({point})", f"[[{point}]]",
    ]  # fmt: skip
    labels = [
        f"Score: {point}", f"**Score:** {comma}", f"Grade = {point}", f"Final grade: **{point}**",
        f"Rating: [[{point}]]", f"Score (0-5): {point}", f"Grade: {wide}", f"Score: {point}/5",
        f"I would give this claim a {point}.", f"My grade is {point}.", f"<score>{point}</score>",
        f"\\boxed{{{point}}}", f"Score: {point} out of 5", f"评分：{point}", f"Score\n{point}",
        f"Verdict - {point}", f"| grade | {point} |",
    ]  # fmt: skip
    reason = "Set {a} in 2019, 4 of 7 `x` ``` {"
    objects = [
        json.dumps({"grade": grade}), json.dumps({"reason": reason, "grade": grade}),
        json.dumps({"grade": str(point)}), json.dumps({"score": f"{point}/5", "confidence": 2}),
        json.dumps({"result": {"final_score": grade}}, indent=2), f"{{'grade': {point}}}",
    ]  # fmt: skip
    styles = core + labels + objects
    text = styles[style % len(styles)]
    if style % len(styles) < len(core):
        frames = ["{}", " {}\n", "<think>Score: 1.5, no 2</think>{}", "{}<|im_end|>", "\n\n{}", "{}\n\nIt fits.",
                  "It fits.\n\n{}", "2 then?</think>\n{}"]  # fmt: skip
    else:
        frames = ["{}", "{}\n\nBecause the 2019 data cover 3 of 7 lakes.", "Here it is.\n{}", "<think>1</think>{}",
                  "<think>\nScore: 2\n</think>\n\n{}", "{}\n\nThank you.", "The claim is broad.\n\n{}", "\n{}\n"]  # fmt: skip
    return frames[frame % len(frames)].replace("{}", text)


def test_a_thousand_dressed_grades_come_back():
    cases = itertools.islice(
        ((grade, style, frame) for frame in range(8) for style in range(35) for grade in SCALE.grades[::4]),
        1680,
    )  # fmt: skip
    count = 0
    for grade, style, frame in cases:
        text = dressed(grade, style, frame)
        assert status_and_value(text) == ("graded", grade), text
        count += 1
    assert count >= 1000


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SCALE.grades), st.integers(0, 34), st.integers(0, 7))
def test_any_dressed_grade_comes_back(grade, style, frame):
    assert status_and_value(dressed(grade, style, frame)) == ("graded", grade)


def near_misses():
    """Texts with numbers on the scale that are no grade."""
    for n in range(5):
        yield from (
            f"In 200{n}, {n} of the sites were seen.", f"{n + 1}. The claim is broad.", f"out of {n + 1}",
            f"200{n}-0{n + 1}-1{n}", f"{n + 1}/{n + 2}/2020", f"{n} to {n + 1}", f"{n}-{n + 1}", f"{n} or {n + 1}",
            f"Score: {n}-{n + 1}", f"Score: {n} or {n + 1}", f"Score: {n}\nScore: {n + 1}", "grade: CI",
            f"downgrade: {n}", f"upgraded: {n}", f"Score: {n}%", f"{n}%", f"Score: about {n}", f"Score: >{n}",
            f"{n} patients improved", f"Table {n}", f"[{n}] Smith 2004", f"p = 0.0{n}", f"{n} years", f"{n} mg",
            f"Mean score: {n}", f"patients with a score of {n}.", f"grade {n} tumours", f"CI {n} to {n + 1}",
            f"{n}th", f"v{n}.{n}.{n}", f"{n}:30", f'{{"confidence": {n}}}', f'{{"page": {n}}}', f"<think>Score: {n}",
            f"Score: {n}</think>", f'{{"grade": [{n}, {n + 1}]}}', f'{{"grade": {n}}} {{"grade": {n + 1}}}',
            f"Score: {n} ± 1", f"between {n} and {n + 1}", f"Score: {n} = none", f"Score: {n + 1},{n}00",
            f"Score: {n}x", f"{n}, {n + 1}",
        )  # fmt: skip


def test_two_hundred_near_misses_give_no_grade():
    texts = list(near_misses())
    assert len(texts) >= 200
    invented = {
        text: read_grade(text, SCALE) for text in texts if read_grade(text, SCALE).value is not None
    }
    assert invented == {}


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text):
    found = read_grade(text, SCALE)
    assert (found.value is None) == (found.status != "graded")
    assert found.value is None or found.value in SCALE


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["content", "grade", "text", "choices", "message", "x"]), inner, max_size=3),
        max_leaves=8,
    ).filter(lambda value: isinstance(value, dict))
)  # fmt: skip
def test_any_mapping_is_read_without_an_error(reply):
    assert read_grade(reply, SCALE).status
