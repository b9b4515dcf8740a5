"""Each reader on rows of its publisher's shape, written for the test, and on real data."""

import json
from pathlib import Path
from typing import Any

import pytest

from judgeprobe.audit.label_files import load_source
from judgeprobe.audit.label_public import READERS, read_public
from judgeprobe.errors import InputError

Rows = list[dict[str, Any]]


def test_rewardbench() -> None:
    rows: Rows = [
        {
            "prompt": "p", "chosen": "yes", "chosen_model": "m1", "rejected": "no",
            "rejected_model": "m2", "subset": "refusals-dangerous", "id": 30,
        }
    ]  # fmt: skip
    pair = read_public("rewardbench", "f", rows).pairs[0]
    assert (pair.a, pair.b, pair.label, pair.group) == ("yes", "no", "a", "p")
    assert (pair.condition_a, pair.condition_b) == ("m1", "m2")
    assert pair.parts == ("refusals-dangerous",)


def test_rewardbench2_has_every_text_as_an_item_and_one_pair_a_rejected_text() -> None:
    rows: Rows = [
        {"id": "0", "prompt": "p", "chosen": ["c"], "rejected": ["r1", "r2", "r3"],
         "subset": "Focus"},
        {"id": "1", "prompt": "q", "chosen": ["c1", "c2"], "rejected": ["r"], "subset": "Ties"},
    ]  # fmt: skip
    source = read_public("rewardbench2", "f", rows)
    assert len(source.items) == 7
    assert [(pair.a, pair.b) for pair in source.pairs] == [
        ("c", "r1"), ("c", "r2"), ("c", "r3"), ("c1", "r"),
    ]  # fmt: skip


def test_rm_bench_pairs_texts_of_one_style() -> None:
    rows: Rows = [
        {
            "id": 1,
            "prompt": "p",
            "chosen": ["c0", "c1", "c2"],
            "rejected": ["r0", "r1", "r2"],
            "domain": "chat",
        }
    ]
    source = read_public("rm-bench", "f", rows)
    assert [(pair.a, pair.b) for pair in source.pairs] == [("c0", "r0"), ("c1", "r1"), ("c2", "r2")]
    rows[0]["rejected"].pop()
    with pytest.raises(InputError, match="f, row 1: has 3 chosen and 2 rejected"):
        read_public("rm-bench", "f", rows)


def test_helpsteer2_is_ordered() -> None:
    rows: Rows = [
        {
            "prompt": "p", "response": "r", "helpfulness": 3, "correctness": 4, "coherence": 4,
            "complexity": 2, "verbosity": 2,
        }
    ]  # fmt: skip
    source = read_public("helpsteer2", "f", rows)
    assert source.items[0].label == "3"
    assert source.order == ("0", "1", "2", "3", "4")
    assert source.pairs == ()


def vote(judge: str, a: str, b: str, winner: str) -> dict[str, Any]:
    def talk(text: str) -> list[dict[str, str]]:
        return [{"content": "q", "role": "user"}, {"content": text, "role": "assistant"}]

    return {
        "question_id": 81, "model_a": a, "model_b": b, "winner": winner, "judge": judge,
        "conversation_a": talk(f"by {a}"), "conversation_b": talk(f"by {b}"), "turn": 1,
    }  # fmt: skip


def test_mt_bench_takes_the_second_vote_in_whichever_order_it_was_shown() -> None:
    rows = [
        vote("expert_1", "m1", "m2", "model_a"),
        vote("expert_2", "m2", "m1", "model_b"),
        vote("expert_3", "m3", "m2", "tie"),
    ]
    source = read_public("mt-bench", "f", rows)
    assert [pair.label for pair in source.pairs] == ["a", "b", "tie"]
    assert [pair.second for pair in source.pairs] == ["a", "b", None]
    assert source.pairs[0].a == "by m1"
    assert source.pairs[0].group == "81"


def test_two_votes_of_one_judge_are_no_second_annotator() -> None:
    rows = [vote("expert_1", "m1", "m2", "model_a"), vote("expert_1", "m1", "m2", "model_b")]
    assert [pair.second for pair in read_public("mt-bench", "f", rows).pairs] == [None, None]


def test_chatbot_arena_in_both_releases() -> None:
    rows = [vote("arena_user_1", "m1", "m2", "tie (bothbad)")]
    assert read_public("chatbot-arena", "f", rows).pairs[0].label == "tie"
    later: Rows = [
        {
            "id": 1, "model_a": "m1", "model_b": "m2", "prompt": '["p"]',
            "response_a": '["one","two"]', "response_b": '["three",null]',
            "winner_model_a": 0, "winner_model_b": 1, "winner_tie": 0,
        },
        {
            "id": 2, "model_a": "m1", "model_b": "m2", "prompt": "p", "response_a": "x",
            "response_b": "y", "winner_model_a": 0, "winner_model_b": 0, "winner_tie": 0,
        },
    ]  # fmt: skip
    source = read_public("chatbot-arena", "f", later)
    assert source.pairs[0].a == "one\n\ntwo"
    assert source.pairs[0].b == "three"
    assert source.pairs[0].label == "b"
    assert source.excluded == {"no single winner": 1}


def test_our_own_interventions_by_axis_and_slot() -> None:
    base = {"base_id": "b1", "document": "", "original": "o", "edited": "e"}
    rows: Rows = [
        {**base, "arm": "construct", "axis": "scope", "slot": "domain_extension"},
        {**base, "arm": "invariance", "axis": "control", "slot": "reordering"},
    ]
    source = read_public("interventions", "f", rows)
    assert source.pairs[0].parts == ("scope", "domain_extension")
    assert source.pairs[0].group == "b1"
    assert source.both_directions is True
    assert source.excluded == {"arm invariance: neither member is preferred": 1}
    assert read_public("interventions", "f", rows[:1]).both_directions is False


@pytest.mark.parametrize("reader", sorted(READERS))
def test_rows_of_another_shape_are_refused_with_file_and_row(reader: str) -> None:
    with pytest.raises(InputError, match=r"f, row 1: .*publisher"):
        read_public(reader, "f", [{"something": "else", "conversation_b": []}])


def test_unknown_reader_and_no_rows() -> None:
    with pytest.raises(InputError, match="no reader is called 'x'; use one of rewardbench"):
        read_public("x", "f", [{}])
    with pytest.raises(InputError, match="holds no rows"):
        read_public("judgebench", "f", [])


def test_judgebench_as_shipped(shared_data: Path) -> None:
    path = shared_data / "judgebench" / "pairs_gpt-4o-2024-05-13.jsonl"
    source, located = load_source(str(path), "judgebench", None)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(source.pairs) == len(rows) == 350
    assert located.name == path.name
    for pair, row in zip(source.pairs, rows, strict=True):
        better = row["response_A"] if row["label"] == "A>B" else row["response_B"]
        assert (pair.a, pair.b)["ab".index(pair.label)] == better


def test_votes_without_texts_are_refused(shared_data: Path) -> None:
    path = shared_data / "mtbench" / "human.jsonl"
    with pytest.raises(InputError, match=r"human.jsonl, row 1: .*votes without the texts"):
        load_source(str(path), "mt-bench", None)
