"""A study is swept through a batch interface, over several runs of one command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.helpers.loopback import Loopback
from tests.helpers.vendors import Vendors

from judgeprobe.errors import InputError
from judgeprobe.study import Study
from judgeprobe.sweep import stage
from judgeprobe.sweep.stage import sweep


def grade(body: dict[str, Any]) -> str:
    return json.dumps({"grade": len(body["messages"][-1]["content"]) % 21 / 4})


def judges(vendors: Vendors) -> str:
    return (
        f'[[judges]]\nname = "a"\nmodel = "openai/m"\nbase_url = "{vendors.openai_url}"\n'
        f'[[judges]]\nname = "b"\nmodel = "anthropic/c"\nbase_url = "{vendors.anthropic_url}"\n'
    )


def statuses(study: Study) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for row in pq.read_table(study.grades_path).to_pylist():
        if row["judge"] in ("a", "b"):
            counts[row["judge"], row["status"]] = counts.get((row["judge"], row["status"]), 0) + 1
    return counts


def test_handed_over_then_fetched(make_study: Callable[..., Study]) -> None:
    with Vendors(grade) as vendors:
        study = make_study(judges(vendors))
        first = sweep(study, batch=True)
        texts = first.judges[0].unasked
        assert texts > 0
        assert "wait in 2 batches" in first.stopped
        assert not first.complete
        second = sweep(study, batch=True)
        assert len(vendors.batches) == 2
        assert "wait in 2 batches" in second.stopped
        vendors.finish()
        third = sweep(study, batch=True)
    assert third.complete
    assert len(vendors.batches) == 2
    assert statuses(study) == {("a", "graded"): texts, ("b", "graded"): texts}
    assert json.loads((study.cache_dir / "batches.json").read_text()) == {"open": []}


def test_same_grades_as_call_by_call(make_study: Callable[..., Study]) -> None:
    with Vendors(grade) as vendors, Loopback(grade) as server:
        batched = make_study(judges(vendors).split('[[judges]]\nname = "b"')[0], name="batched")
        sweep(batched, batch=True)
        vendors.finish()
        sweep(batched, batch=True)
        url = server.url
        live = make_study(
            f'[[judges]]\nname = "a"\nmodel = "openai/m"\nbase_url = "{url}"\n'
            'transport = "direct"\n',
            name="live",
        )
        sweep(live)

    def values(study: Study) -> list[tuple[str, float]]:
        rows = pq.read_table(study.grades_path).to_pylist()
        return [(row["text_id"], row["value"]) for row in rows if row["judge"] == "a"]

    assert values(batched) == values(live)


def test_lost_items_are_handed_over_again_and_bad_ones_fail(
    make_study: Callable[..., Study],
) -> None:
    with Vendors(grade, lose={0: 500, 1: 400}) as vendors:
        study = make_study(judges(vendors))
        texts = sweep(study, batch=True).judges[0].unasked
        vendors.finish()
        second = sweep(study, batch=True)
        assert "wait in 2 batches" in second.stopped
        assert any("1 calls of the batch" in note for note in second.notes)
        vendors.lose = {}
        third = sweep(study, batch=True)
    assert [len(items) for items in vendors.batches.values()] == [texts, texts, 1, 1]
    assert third.judges[0].statuses == {"graded": texts - 1, "failed": 1}


def test_the_budget_holds(make_study: Callable[..., Study]) -> None:
    with Vendors(grade) as vendors:
        study = make_study(judges(vendors) + "[budget]\nmax_calls = 5\n")
        result = sweep(study, batch=True)
        assert sum(map(len, vendors.batches.values())) == 5
        assert any("the budget lets 5 of" in note for note in result.notes)
        sweep(study, batch=True)
        assert sum(map(len, vendors.batches.values())) == 5


def test_a_judge_without_batches_is_asked_call_by_call(make_study: Callable[..., Study]) -> None:
    with Vendors(grade) as vendors, Loopback(grade) as server:
        other = (
            f'[[judges]]\nname = "o"\nmodel = "openrouter/x/m"\nbase_url = "{server.url}"\n'
            'transport = "direct"\n'
        )
        study = make_study(judges(vendors) + other)
        result = sweep(study, batch=True)
    assert any(note.startswith("o: its vendor has no batch") for note in result.notes)
    assert server.counts["answered"] == result.judges[0].unasked
    assert "wait in 2 batches" in result.stopped


def test_a_damaged_ledger_is_named(make_study: Callable[..., Study], tmp_path: Path) -> None:
    with Vendors(grade) as vendors:
        study = make_study(judges(vendors))
        sweep(study, batch=True)
        (study.cache_dir / "batches.json").write_text("[]")
        with pytest.raises(InputError, match=r"batches\.json: is damaged; delete it"):
            stage.sweep(study, batch=True)
