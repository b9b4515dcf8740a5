"""The verbs profile, check and plan as a user runs them, in this process."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.pair_tables import write_pairs
from tests.helpers.profile_study import grades, interventions, write_study
from typer.testing import CliRunner, Result

from judgeprobe.cli.app import app
from judgeprobe.tables import part_files

ROWS: list[tuple[Any, ...]] = [
    ("a", "b1", "domain_extension", 4, 1),
    ("a", "b1", "format_shift", 4, 4),
    ("a", "b2", "hedging_removal", 4, 4),
    ("a", "b2", "reordering", 4, 4),
    ("a", "b3", "hedging_removal", 3, None),
    ("constant", "b1", "domain_extension", 4, 4),
    ("constant", "b1", "format_shift", 4, 4),
]
FAST = ("--resamples", "100", "--permutations", "100")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_table_shows_r_with_its_s_and_the_controls(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", ROWS)
    result = run("profile", "--pairs", pairs, *FAST)
    assert result.exit_code == 0, result.output
    row = next(line for line in result.stdout.splitlines() if line.startswith("│ a "))
    assert "1.000 [" in row
    assert "0.500 [" in row
    assert "│ constant │" in result.stdout
    assert "who set the direction is not stated" in result.stdout
    assert "a: 1 x pair: a member is ungraded" in result.stderr


def test_json_is_one_object_and_nothing_else_on_standard_output(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", ROWS)
    out = tmp_path / "profile.json"
    source = "three readers"
    result = run(
        "profile", "--pairs", pairs, "--json", "--out", out, "--direction-source", source, *FAST
    )
    found = json.loads(result.stdout)
    assert found == json.loads(out.read_text())
    assert (found["direction"], found["direction_source"], found["watermark"]) == (
        "human",
        "three readers",
        None,
    )
    wanted = {
        *("direction", "floor", "rule", "n_base", "judges", "mean", "gap", "slots", "controls"),
        *("excluded", "schema", "controls_ok", "made_under"),
    }
    assert wanted <= set(found)
    assert "NaN" not in result.stdout


def test_the_shift_rule_is_said_and_read(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", ROWS)
    result = run("profile", "--pairs", pairs, "--rule", "shift", "--json", *FAST)
    found = json.loads(result.stdout)
    assert found["rule"] == "shift"
    # The only move is 4 -> 1, so the only cut lies between 0 and 3.
    assert [cut["tau"] for cut in found["judges"][0]["frontier"]] == [1.5]


def test_a_control_that_misses_is_said_first_and_ends_in_status_3(tmp_path: Path) -> None:
    rows = [*ROWS[:5], ("constant", "b1", "domain_extension", 4, 1), ROWS[6]]
    pairs = write_pairs(tmp_path / "pairs.csv", rows)
    result = run("profile", "--pairs", pairs, *FAST)
    assert result.exit_code == 3
    assert result.stdout.startswith("BROKEN INSTRUMENT: constant")


def test_bad_rows_are_named_on_standard_error_and_the_rest_is_profiled(tmp_path: Path) -> None:
    rows = [*ROWS, ("a", "b9", "nonsense", 4, 1), ("a", "b9", "reordering", 4, "x")]
    pairs = write_pairs(tmp_path / "pairs.csv", rows)
    result = run("profile", "--pairs", pairs, *FAST)
    assert result.exit_code == 0
    assert "1 x row: unknown slot `nonsense` (row 8)" in result.stderr
    assert "1 x row: `grade_edited` is not a number (row 9)" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        ((), 2, "give either STUDY or --pairs"),
        (("--pairs", "none.csv"), 1, "none.csv: is not there"),
        (("--pairs", "PAIRS", "--rule", "both"), 2, "cut or shift"),
        (("--pairs", "PAIRS", "--scale", "5"), 2, "LOW:HIGH:STEP"),
        (("--pairs", "PAIRS", "--scale", "0:5:0.3"), 2, "LOW:HIGH:STEP"),
        (("--pairs", "PAIRS", "--adjust", "fdr"), 2, "bh or holm"),
        (("--pairs", "PAIRS", "--taxonomy", "nonsense"), 1, "no taxonomy `nonsense`"),
        (("--pairs", "PAIRS", "--scale", "0:2:1"), 1, "no row can be used"),
        (("nowhere",), 1, "there is no study.toml"),
    ],
)
def test_wrong_usage_is_one_clear_line(
    tmp_path: Path, arguments: tuple[str, ...], status: int, told: str
) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", [("a", "b1", "format_shift", 4, 4)])
    given = [str(pairs) if argument == "PAIRS" else argument for argument in arguments]
    result = run("profile", *given)
    assert result.exit_code == status
    assert told in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


def test_a_study_is_profiled_and_checked(tmp_path: Path) -> None:
    rows = interventions()
    values = (1, 1, 4, 1, 4, 4, 1, 4, 4)
    write_study(tmp_path / "one", rows, grades(rows, {"a": values}))
    first = run("profile", tmp_path / "one")
    assert first.exit_code == 0
    assert first.stdout.startswith("Note: direction by construction.")
    assert (tmp_path / "one" / "profile.json").exists()

    ok = run("check", tmp_path / "one", "--min-s", "0.9", "--min-r", "0.6")
    assert (ok.exit_code, ok.stdout.split()[0]) == (0, "ok")
    report = tmp_path / "junit.xml"
    short = run("check", tmp_path / "one", "--min-r", "0.7", "--junit", report, "--json")
    assert short.exit_code == 3
    assert not json.loads(short.stdout)["passed"]
    assert 'failures="1"' in report.read_text()


def test_a_plan_from_stated_rates_and_from_a_pilot(tmp_path: Path) -> None:
    fast = ("--simulations", "20", "--resamples", "100", "--sizes", "40,80")
    result = run("plan", "--half-width", "0.2", "--power", "0", *fast, "--json")
    found = json.loads(result.stdout)
    assert [row["n"] for row in found["sizes"]] == [40, 80]
    assert found["n"] == 40
    assert found["sizes"][1]["half_width_r"] < found["sizes"][0]["half_width_r"]
    pilot: list[tuple[Any, ...]] = []
    for i in range(30):
        pilot.append(("a", f"b{i}", "domain_extension", 4, 1 if i % 2 else 4))
        pilot.append(("a", f"b{i}", "hedging_removal", 4, 1 if i % 5 == 0 else 4))
        pilot.append(("a", f"b{i}", "format_shift", 4, 1 if i % 20 == 0 else 4))
    pairs = write_pairs(tmp_path / "pilot.csv", pilot)
    shown = run("plan", "--pilot", pairs, "--power", "0.999", *fast)
    assert shown.exit_code == 0, shown.output
    assert "Wanted: half-width None, power 0.999" in shown.stdout
    wrong = run("plan", "--sizes", "a,b")
    assert wrong.exit_code == 2


def test_a_streamed_table_says_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", [row for row in ROWS if row[0] == "a"] * 3)
    out = tmp_path / "profile.json"
    result = run("profile", "--pairs", pairs, "--stream", "--out", out, *FAST)
    assert result.exit_code == 0, result.output
    told = "gap.permutation_p: needs rows: not computed from a streamed table"
    assert told in result.stderr
    assert "permutation p needs rows" in result.stdout
    assert "more than 5 million rows" not in result.stderr
    found = json.loads(out.read_text())
    assert found["gap"]["permutation_p"] is None
    assert {row["field"] for row in found["needs_rows"]} >= {"gap.permutation_p"}
    monkeypatch.setattr(part_files, "STREAM_ROWS", 1)
    result = run("profile", "--pairs", pairs, *FAST)
    assert "more than 5 million rows" in result.stderr
    assert told in result.stderr
    result = run("profile", "--pairs", pairs, "--no-stream", *FAST)
    assert "needs rows" not in result.stderr + result.stdout
