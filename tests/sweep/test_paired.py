"""Two sentences in one call: which grade belongs to which, and what is no grade."""

import pandas as pd
import pytest
from tests.helpers.loopback import Loopback
from tests.helpers.variant_study import make_study

from judgeprobe.records import Reply, Requested, Served
from judgeprobe.study import load_study
from judgeprobe.sweep.paired import (
    ORDERS,
    PairText,
    paired_dry_run,
    paired_judges,
    paired_sweep,
    pairs_path,
)
from judgeprobe.sweep.stage import budget_of

MODEL = (
    '[[judges]]\nname = "api"\nmodel = "openai/api"\nfamily = "test"\nprompt = "judge_paired.v1"\n'
)
SMALL = (
    '[[judges]]\nname = "small"\nmodel = "local/gemma-3-270m"\n'
    'prompt = "judge_paired_completion.v1"\nelicitation = "written"\n'
)
CALL = '[[judges]]\nname = "ours"\ncall = "MODULE:one"\npaired_call = "MODULE:both"\n'

FOUR = (
    "def one(evidence, claim):\n    return 4\n\n"
    "def both(evidence, first, second):\n    return 4, 4\n"
)


def reply(text, finish="stop"):
    return Reply(key="k", requested=Requested(model="m"), served=Served(), text=text, finish=finish)


def judge(tmp_path, toml):
    return paired_judges(make_study(tmp_path / "s", toml, n_base=1))[0]


def read(one, text, finish="stop"):
    return [(found.status, found.value) for found in one.read_both(reply(text, finish))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 4, "b": 2.5}', [4.0, 2.5]),
        ('```json\n{"b": 1, "a": 3}\n```', [3.0, 1.0]),
        ("**A:** 4,25\n**B:** 0", [4.25, 0.0]),
        ("A = 5, B = 5", [5.0, 5.0]),
        ('<think>"a": 1, "b": 1</think>{"a": 4, "b": 2}', [4.0, 2.0]),
        ('{"a": 4}', [4.0, "unparseable"]),
        ('{"a": 7, "b": 2}', ["off_scale", 2.0]),
        ("A: 4, on reflection A: 3, B: 2", ["unparseable", 2.0]),
        ("Both are fine.", ["unparseable", "unparseable"]),
        ("I cannot rate these claims.", ["refused", "refused"]),
        ('{"data": 4, "b": 2}', ["unparseable", 2.0]),
    ],
)
def test_each_letter_has_its_grade(tmp_path, text, expected):
    one = judge(tmp_path, MODEL)
    found = [value if status == "graded" else status for status, value in read(one, text)]
    assert found == expected
    statuses = {entry for entry in expected if isinstance(entry, str)}
    assert one.read(reply(text)).status in (statuses or {"graded"})


def test_a_completion_goes_on_where_the_prompt_ends(tmp_path):
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    one = judge(tmp_path, SMALL)
    assert one.request(_pair()).prompt.endswith("Claim B: Second.\nGrades: A = ")
    assert read(one, "4, B = 0\n\nEvidence: A = 1") == [("graded", 4.0), ("graded", 0.0)]
    assert read(one, "4, B = 2", "length") == [("graded", 4.0), ("truncated", None)]
    assert read(one, "4\n\nEvidence: B = 2") == [("graded", 4.0), ("unparseable", None)]


def _pair():
    return PairText("t", "b", "The evidence.", "First.", "Second.", "edit", ORDERS[0])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("[4, 2.5]", [("graded", 4.0), ("graded", 2.5)]),
        ("[4, NaN]", [("graded", 4.0), ("unparseable", None)]),
        ("[9, true]", [("off_scale", None), ("unparseable", None)]),
        ("[4]", [("unparseable", None)] * 2),
        ('"A: 4, B: 1"', [("graded", 4.0), ("graded", 1.0)]),
    ],
)
def test_a_function_gives_two_numbers_or_a_text(tmp_path, given, expected):
    one = paired_judges(make_study(tmp_path / "s", CALL, FOUR, n_base=1))[0]
    assert read(one, given) == expected


def test_the_order_is_in_the_key_of_a_function(tmp_path):
    one = paired_judges(make_study(tmp_path / "s", CALL, FOUR, n_base=1))[0]
    first, second = _pair(), PairText("u", "b", "The evidence.", "First.", "Other.", "e", ORDERS[0])
    swapped = PairText("v", "b", "The evidence.", "Second.", "First.", "edit", ORDERS[1])
    assert len({one.key(text, 0) for text in (first, second, swapped)}) == 3


def test_both_orders_are_asked_once_and_the_sides_are_kept_apart(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def script(body):
        # The judge gives 5 to what stands first and 1 to the other, whatever they say.
        return '{"a": 5, "b": 1}'

    with Loopback(script) as server:
        toml = MODEL + f'base_url = "{server.url}"\ntransport = "direct"\n'
        slots = ("domain_extension", "format_shift")
        study = make_study(tmp_path / "s", toml, n_base=3, slots=slots)
        (told,) = paired_dry_run(study)
        assert (told["planned"], told["calls"], server.requests) == (12, 12, 0)
        result = paired_sweep(study, spent=budget_of(study))
        assert (result.calls, result.rows, result.complete) == (12, 12, True)
        frame = pd.read_parquet(pairs_path(study))
        before = pairs_path(study).read_bytes()
        assert paired_sweep(load_study(study.folder), spent=budget_of(study)).calls == 0
        assert pairs_path(study).read_bytes() == before
        assert server.requests == 12
    assert len(frame.groupby(["edit", "order"])) == 12
    by_order = frame.groupby("order")[["grade_original", "grade_edited"]].agg(["min", "max"])
    assert by_order.loc["original first"].tolist() == [5.0, 5.0, 1.0, 1.0]
    assert by_order.loc["edit first"].tolist() == [1.0, 1.0, 5.0, 5.0]


def test_a_pair_whose_call_failed_has_a_row_that_says_why(tmp_path):
    body = (
        "def one(evidence, claim):\n    return 4\n\n"
        "def both(evidence, first, second):\n"
        "    if 'reordering' in first + second:\n        raise ValueError('no words')\n"
        "    return 4, 3\n"
    )
    study = make_study(tmp_path / "s", CALL, body, n_base=2)
    result = paired_sweep(study, spent=budget_of(study))
    frame = pd.read_parquet(pairs_path(study))
    failed = frame[frame["status_original"] == "failed"]
    assert len(failed) == 2 * 2
    assert set(failed["detail"]) == {"ValueError: no words"}
    assert failed["grade_edited"].isna().all()
    assert result.complete
