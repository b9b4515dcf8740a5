"""`judgeprobe audit labels` as a user runs it."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from judgeprobe.cli.app import app

run = CliRunner().invoke
FAST = ["--permutations", "19", "--resamples", "100"]


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def leaky(tmp_path: Path) -> Path:
    """Pairs whose preferred side is the longer one; a second annotator who mostly agrees."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(60):
        short, long = " ".join(["w"] * int(rng.integers(3, 6))), " ".join(["w"] * 12)
        winner = "ab"[int(rng.integers(2))]
        rows.append(
            {
                "x": long if winner == "a" else short,
                "y": short if winner == "a" else long,
                "won": winner,
                "again": winner if rng.random() < 0.8 else {"a": "b", "b": "a"}[winner],
                "q": f"<b>q{i // 2}</b>",
                "made_x": "m1",
                "made_y": "m2",
                "kind": ("one", "<script>two</script>")[i >= 50],
            }
        )
    return table(tmp_path / "pairs.csv", rows)


PAIRED = ["--mode", "paired", "--text", "x", "--text-b", "y", "--label", "won", "--group", "q"]


def test_the_named_fields(leaky: Path, tmp_path: Path) -> None:
    arguments = [
        "audit", "labels", str(leaky), *PAIRED, "--second-label", "again", "--provenance", "made_x",
        "--provenance-b", "made_y", "--by", "kind", *FAST, "--json", "--out", str(tmp_path / "out"),
    ]  # fmt: skip
    result = run(app, arguments)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["mode"] == "paired"
    assert found["n"] == 60
    assert found["folds"] == {"kind": "grouped", "n": 5}
    assert [m["name"] for m in found["members"]] == [
        "length_only", "numeric_surface", "surface_ngram",
    ]  # fmt: skip
    assert {"name", "kappa", "accuracy", "null_mean", "null_q95", "p"} <= set(found["members"][0])
    assert found["a_imp"] > 0.9
    assert found["a_imp_member"] == "length_only"
    assert set(found["a_hum"]) == {"estimate", "low", "high"}
    assert found["power"]["status"] == "ceiling exceeded"
    assert found["shorter"]["n"] == 60
    assert found["shorter"]["rate"] == 0.0
    assert found["longer"]["rate"] == 1.0
    assert found["provenance"]["conditions"] == 2
    assert [part["value"] for part in found["by"]] == ["one", "<script>two</script>"]
    assert found["by"][0]["a_imp"] > 0.9
    assert found["by"][1]["reason"] == "fewer than 20 rows"
    assert [line["line"] for line in found["checklist"]] == [1, 2, 3, 4, 5, 6]
    page = (tmp_path / "out" / "labels.html").read_text(encoding="utf-8")
    assert "<script>" not in page
    assert "&lt;script&gt;two" in page
    markdown = (tmp_path / "out" / "labels.md").read_text(encoding="utf-8")
    assert "<script>" not in markdown
    first = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    run(app, arguments)  # the same bytes again
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == first


def test_both_modes_of_one_file_and_the_printed_tables(leaky: Path) -> None:
    item = [*PAIRED[2:], *FAST]
    result = run(app, ["audit", "labels", str(leaky), *item, "--mode", "item"])
    assert result.exit_code == 0, result.output
    assert "item mode, n = 120" in result.stdout
    assert "Length alone recovers the labels." in result.stdout
    assert "The six lines" in result.stdout


def test_a_blind_set_and_a_transfer(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    words = ["ban", "lor", "mik", "tas", "ver"]

    def rows(labels: tuple[str, ...]) -> list[dict[str, Any]]:
        return [
            {"t": " ".join(rng.choice(words, 6)), "l": labels[int(rng.integers(len(labels)))]}
            for _ in range(40)
        ]

    first = table(tmp_path / "one.csv", rows(("yes", "no")))
    second = table(tmp_path / "two.csv", rows(("good", "no")))
    result = run(
        app,
        ["audit", "labels", str(first), "--text", "t", "--label", "l", *FAST, "--json",
         "--transfer", str(second)],
    )  # fmt: skip
    found = json.loads(result.stdout)
    assert {cell["status"] for cell in found["transfer"]} == {"not defined"}
    assert found["shorter"] is None
    assert found["length_reason"] == "single texts have no shorter side"
    assert found["power"]["estimate"] is None
    assert "second annotator" in found["power"]["reason"]
    assert any("No group is known" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"t": "a", "l": "x"}] * 9, [], "hold one class"),
        ([{"t": "", "l": str(i % 2)} for i in range(9)], [], "every text is empty"),
        ([{"t": "a", "l": str(i % 2)} for i in range(4)], [], "at least 5 rows"),
        ([{"t": "a", "l": str(i / 7)} for i in range(60)], [], "more than the 20"),
        ([{"t": "a", "l": "x"}], ["--mode", "paired"], "has no pairs"),
    ],
)
def test_refusals_are_one_line_with_status_1(
    tmp_path: Path, rows: list[dict[str, Any]], options: list[str], message: str
) -> None:
    path = table(tmp_path / "bad.csv", rows)
    result = run(
        app, ["audit", "labels", str(path), "--text", "t", "--label", "l", *FAST, *options]
    )
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert "bad.csv" in result.stderr


def test_very_long_responses(tmp_path: Path) -> None:
    rows = [{"t": "word " * (40_000 if i == 3 else 5) + str(i), "l": i % 2} for i in range(20)]
    path = table(tmp_path / "long.csv", rows)
    result = run(
        app, ["audit", "labels", str(path), "--text", "t", "--label", "l", *FAST, "--json"]
    )
    assert result.exit_code == 0
    assert json.loads(result.stdout)["n"] == 20
    assert "Warning" not in result.stderr
