import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from judgeprobe.cli.app import app

run = CliRunner().invoke

STUDY = '[study]\nname = "x"\nbase_items = "items.jsonl"\ndirection = "construction"\n'
GOOD = {
    "id": "a",
    "evidence": "Pain fell in 12 of 20 patients who walked daily. Others were not asked.",
    "claim": "Daily walking may reduce pain in some patients when it is kept up.",
}
PAIRS = """[study]
name = "p"
pairs = "pairs.jsonl"
direction_source = "two coders"
labels = { more = "construct:strength", same = "invariance" }
"""


def study(folder: Path, rows: list[dict[str, object]], settings: str = STUDY) -> Path:
    (folder / "study.toml").write_text(settings)
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_json_is_one_object_whose_counts_add_up(tmp_path: Path) -> None:
    result = run(app, ["build", str(study(tmp_path, [GOOD])), "--json"])
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["generated"] == found["accepted"] + found["rejected"]
    for row in (*found["slots"], *found["axes"]):
        assert row["generated"] == row["accepted"] + sum(row["rejected"].values())
    assert len(found["slots"]) == 12


def test_the_table_goes_to_standard_output_and_the_notes_do_not(tmp_path: Path) -> None:
    folder = study(tmp_path, [GOOD])
    result = run(app, ["build", str(folder)])
    assert "hedging_removal" in result.stdout
    assert "interventions in" in result.stderr
    assert "interventions in" not in result.stdout
    assert run(app, ["build", str(folder), "--quiet"]).stderr == ""


def test_pairs_say_who_set_the_direction(tmp_path: Path) -> None:
    rows = [
        {"base_id": "b", "evidence": "E.", "original": "A.", "edited": e, "direction": d}
        for e, d in (("B.", "more"), ("C.", "same"), ("A.", "same"))
    ]
    (tmp_path / "study.toml").write_text(PAIRS)
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = run(app, ["build", str(tmp_path)])
    assert result.exit_code == 0
    assert "direction set by two coders: 1 more, 2 same" in result.stderr
    assert "noop 1" in result.stdout


@pytest.mark.parametrize(
    ("rows", "settings", "message"),
    [
        ([{**GOOD, "evidence": ""}], STUDY, "items.jsonl, row 1: `evidence` is missing"),
        ([GOOD, GOOD], STUDY, "items.jsonl, row 2: the id 'a' is there already (row 1)"),
        ([{**GOOD, "claim": "x" * 50_000}], STUDY, "row 1: `claim` has 50,000 characters"),
        ([{**GOOD, "claim": "a \u202e b"}], STUDY, "row 1: `claim` holds a right-to-left override"),
        ([{**GOOD, "claim": "a \0 b"}], STUDY, "row 1: `claim` holds a null byte"),
        (
            [GOOD],
            STUDY + "sead = 1\n",
            "study.toml: unknown key `study.sead`; did you mean `seed`?",
        ),
        (
            [GOOD],
            STUDY.replace("items.jsonl", "itmes.jsonl"),
            "itmes.jsonl: is not there; check the name",
        ),
    ],
)
def test_bad_input_is_one_line_exit_status_one_and_nothing_written(
    tmp_path: Path, rows: list[dict[str, object]], settings: str, message: str
) -> None:
    folder = study(tmp_path, rows, settings)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    result = run(app, ["build", str(folder)])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    error = json.loads(run(app, ["build", str(folder), "--json"]).stdout)["error"]
    assert message in error["message"]


def test_a_claim_that_is_not_utf8(tmp_path: Path) -> None:
    folder = study(tmp_path, [GOOD])
    (folder / "items.jsonl").write_bytes(b'{"id": "a", "evidence": "E.", "claim": "caf\xe9"}\n')
    result = run(app, ["build", str(folder)])
    assert result.exit_code == 1
    assert "items.jsonl: is not UTF-8 (line 1); save it as UTF-8" in result.stderr


def test_a_missing_study(tmp_path: Path) -> None:
    result = run(app, ["build", str(tmp_path)])
    assert result.exit_code == 1
    assert "there is no study.toml; make one with: judgeprobe new" in result.stderr
