"""`judgeprobe audit errors` and `audit position` as a user runs them."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from judgeprobe.cli.app import app

run = CliRunner().invoke


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def made(n: int = 120) -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    rows = []
    for i in range(n):
        length, gold = int(rng.integers(50, 400)), round(float(rng.normal(3, 1)), 3)
        rows.append(
            {
                "id": f"r{i}",
                "judge": round(gold + 0.004 * length + float(rng.normal(0, 0.3)), 3),
                "gold": gold if i % 2 else "",
                "length": length,
                "kind": "abc"[i % 3],
                "question": f"q{i // 4}",
                "answer": "**x** " * (i % 7) + "word " * (length // 5),
                "author": ("gpt-4o", "claude-haiku-4.5")[int(rng.integers(2))],
                "same": "true",
            }
        )
    return rows


def audit(*arguments: str) -> dict[str, Any]:
    result = run(app, ["audit", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def refused(*arguments: str) -> str:
    result = run(app, ["audit", *arguments])
    assert result.exit_code == 1, result.output
    return result.stderr


BASE = ["--judge", "judge", "--gold", "gold"]


def test_the_named_fields(tmp_path: Path) -> None:
    file = table(tmp_path / "g.csv", made())
    found = audit("errors", str(file), *BASE, "--covariate", "length", "--by", "kind")
    assert found["n"] == 60
    assert 0 < found["mean_error_low"] < found["mean_error"] < found["mean_error_high"]
    assert set(found["effects"][0]) == {
        "name", "effect", "std_error", "low", "high", "p", "p_adjusted",
    }  # fmt: skip
    assert found["effects"][0]["low"] < 0.004 < found["effects"][0]["high"]
    assert [s["segment"] for s in found["segments"]] == ["a", "b", "c"]
    wanted = {
        "segment", "n", "n_gold", "judge", "corrected", "low", "high", "p_adjusted", "status",
        "reason",
    }  # fmt: skip
    assert wanted <= set(found["segments"][0])
    assert found["global"]["n"] == 120
    assert found["counts"]["not_labelled"] == 60


def test_every_ready_covariate_and_a_category(tmp_path: Path) -> None:
    file = table(tmp_path / "g.csv", made())
    asked = ["@length", "@formatting", "@position", "@same-family", "kind"]
    found = audit(
        "errors", str(file), *BASE, *(part for name in asked for part in ("--covariate", name)),
        "--text", "answer", "--group", "question", "--author", "author", "--judge-model", "gpt-5",
        "--cluster", "question",
    )  # fmt: skip
    names = [effect["name"] for effect in found["effects"]]
    assert names == ["length", "formatting", "position", "same-family", "kind=b", "kind=c"]
    assert found["references"] == {"kind": "a"}
    assert (found["covariance"], found["n_clusters"]) == ("cluster-robust", 30)
    assert found["effects"][0]["effect"] == pytest.approx(0.4, abs=0.15)


def test_segments_without_a_label_are_reported_with_the_judges_number(tmp_path: Path) -> None:
    rows = [{**row, "gold": ""} for row in made()]
    found = audit("errors", str(table(tmp_path / "g.csv", rows)), *BASE, "--by", "kind")
    assert (found["n"], found["mean_error"]) == (0, None)
    assert found["reason"] == "0 labelled rows: no mean error"
    for each in found["segments"]:
        assert (each["corrected"], each["status"]) == (None, "not corrected")
        assert each["reason"] == "0 human labels, fewer than 20"
        assert each["judge"] > 3


def test_parquet_and_jsonl_give_what_csv_gives(tmp_path: Path) -> None:
    rows = made()
    frame = pd.DataFrame(rows).assign(gold=[row["gold"] or None for row in rows])
    frame["gold"] = frame["gold"].astype(float)
    frame.to_parquet(tmp_path / "g.parquet")
    frame.to_json(tmp_path / "g.jsonl", orient="records", lines=True)
    ask = [*BASE, "--covariate", "length", "--by", "kind"]
    told = [
        audit("errors", str(path), *ask)
        for path in (table(tmp_path / "g.csv", rows), tmp_path / "g.parquet", tmp_path / "g.jsonl")
    ]
    for each in told:
        del each["file"], each["sha256"]
    assert told[0] == told[1] == told[2]


def test_labels_from_a_second_file(tmp_path: Path) -> None:
    rows = made()
    file = table(tmp_path / "g.csv", rows)
    people = [{"id": row["id"], "gold": row["gold"]} for row in rows if row["gold"] != ""]
    bare = table(
        tmp_path / "j.csv", [{k: v for k, v in row.items() if k != "gold"} for row in rows]
    )
    gold = table(tmp_path / "people.csv", people[::-1])
    ask = [*BASE, "--covariate", "length"]
    one = audit("errors", str(file), *ask)
    two = audit("errors", str(bare), *ask, "--gold-file", str(gold), "--id", "id")
    assert one["effects"] == two["effects"]
    twice = table(tmp_path / "twice.csv", [*people, people[0]])
    told = refused("errors", str(bare), *ask, "--gold-file", str(twice), "--id", "id")
    assert "twice.csv, row 61" in told
    assert "'r1' stands in row 1 too" in told
    unknown = table(tmp_path / "unknown.csv", [*people, {"id": "zz", "gold": 1}])
    told = refused("errors", str(bare), *ask, "--gold-file", str(unknown), "--id", "id")
    assert "'zz' is not in j.csv" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--covariate", "same"], "`same` is constant"),
        (["--covariate", "nothing"], "lacks the column `nothing`"),
        (["--covariate", "@length"], "@length needs --text"),
        (["--covariate", "@tone"], "there is no covariate '@tone'"),
        ([], "nothing is asked"),
        (["--by", "kind", "--baseline-judge", "judge"], "together"),
        (["--covariate", "answer"], "different words"),
        (["--covariate", "length", "--reader", "other"], "there is no reader 'other'"),
        (["--covariate", "length", "--id", "id"], "--id joins a second file, and none is given"),
        (["--covariate", "length", "--gold-file", "x.csv"], "--gold-file needs the id"),
    ],
)
def test_what_is_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    file = table(tmp_path / "g.csv", made())
    assert message in refused("errors", str(file), *BASE, *arguments)


def test_a_cell_that_is_no_number_is_named(tmp_path: Path) -> None:
    rows = made()
    rows[6]["judge"] = "good"
    file = table(tmp_path / "g.csv", rows)
    told = refused("errors", str(file), *BASE, "--covariate", "length")
    assert "g.csv, row 7: `judge` is no number" in told


def test_the_published_sign_inversion(shared_data: Path) -> None:
    """truescore_synthetic: the planted change on the technical segment is -0.1663."""
    found = audit(
        "errors", str(shared_data / "truescore_synthetic/support_segments.csv"),
        "--judge", "v4_judge_passed", "--gold", "v4_human_passed",
        "--baseline-judge", "v3_judge_passed", "--baseline-gold", "v3_human_passed",
        "--by", "segment",
    )  # fmt: skip
    last = next(each for each in found["segments"] if each["segment"] == "technical")
    assert last["corrected"] == pytest.approx(-0.1659, abs=1e-4)
    assert last["judge"] > 0.15
    assert last["low"] < -0.1663 < last["high"] < 0 < last["by_global"]


def test_position_fields_and_probes(tmp_path: Path) -> None:
    rows = [{"p": 1, "s": 2, "long": 1 + i % 2, "own": ""} for i in range(20)]
    rows.append({"p": "", "s": 1, "long": 1, "own": 1})
    file = table(tmp_path / "p.csv", rows)
    found = audit(
        "position", str(file), "--plain", "p", "--swapped", "s", "--longer", "long", "--own", "own"
    )
    assert (found["n"], found["n_unread"]) == (20, 1)
    assert (found["first_rate"], found["consistent"]) == (1.0, 0.0)
    assert found["p"] == pytest.approx(2 * 0.5**40)
    longer, own = found["probes"]
    assert (longer["rate"], longer["trials"]) == (0.5, 40)
    assert (own["rate"], own["reason"]) == (None, "nothing to count")
    shown = run(app, ["audit", "position", str(file), "--plain", "p", "--swapped", "s"])
    assert "names the first shown" in shown.stdout
    assert "without a winner in both orders, left out: 1." in shown.stderr


def test_position_refuses_another_name_of_a_winner(tmp_path: Path) -> None:
    file = table(tmp_path / "p.csv", [{"p": 1, "s": 2}, {"p": "A", "s": 2}])
    told = refused("position", str(file), "--plain", "p", "--swapped", "s")
    assert "row 2: `p` is 'A'; write 1, 2, or leave it empty" in told


def test_too_many_segments_are_refused_with_the_remedy(tmp_path: Path) -> None:
    rows = [{**row, "part": i} for i, row in enumerate(made(501))]
    told = refused("errors", str(table(tmp_path / "g.csv", rows)), *BASE, "--by", "part")
    assert "`part` has 501 values; at most 500 make segments" in told


def test_the_page_of_errors(tmp_path: Path) -> None:
    rows = [{**row, "kind": f"<b>{row['kind']}</b>"} for row in made()]
    file = table(tmp_path / "g.csv", rows)
    ask = ["errors", str(file), *BASE, "--covariate", "length", "--by", "kind"]
    told = audit(*ask, "--out", str(tmp_path / "out"))
    assert json.loads((tmp_path / "out/errors.json").read_text("utf-8")) == told
    html = (tmp_path / "out/errors.html").read_text("utf-8")
    assert "<b>a" not in html
    assert html.count("<circle") == 8
    assert f"SHA-256 {told['sha256'][:12]}" in html
    assert "What this does not show" in (tmp_path / "out/errors.md").read_text("utf-8")
    alone = audit("errors", str(file), *BASE, "--covariate", "length", "--out", str(tmp_path / "o"))
    assert alone["segments"] == []
    assert "effect in its own standard errors" in (tmp_path / "o/errors.html").read_text("utf-8")


def two_runs(folder: Path) -> tuple[Path, Path, Path]:
    """Two runs of one judge, which writes the place as a letter, and people's choices."""
    plain = [("A", 1), ("A", 1), ("B", 2), ("tie", 1), ("A", 2), ("A", 1)]
    swapped = ["A", "B", "A", "A", "A"]
    first = [{"key": f"q{i}", "verdict": word, "long": n} for i, (word, n) in enumerate(plain)]
    second = [{"key": f"q{i}", "verdict": word} for i, word in enumerate(swapped)]
    people = [{"key": f"q{i}", "people": n} for i, n in ((0, 2), (1, 1), (2, 2))]
    return (
        table(folder / "plain.csv", first),
        table(folder / "swapped.csv", second[::-1]),
        table(folder / "people.csv", people),
    )


LETTERS = ["--plain", "verdict", "--swapped", "verdict", "--names", "A,B", "--as-shown",
           "--tie", "tie", "--id", "key"]  # fmt: skip


def test_position_from_two_runs_that_name_the_place(tmp_path: Path) -> None:
    plain, swapped, people = two_runs(tmp_path)
    found = audit(
        "position", str(plain), *LETTERS, "--swapped-file", str(swapped), "--gold", "people",
        "--gold-file", str(people), "--longer", "long", "--out", str(tmp_path / "out"),
    )  # fmt: skip
    # Unswapped numbering: plain 1 1 2 - 1 1, swapped 2 1 2 2 2 (no sixth); A names the first shown.
    assert (found["n"], found["n_unread"]) == (4, 2)
    assert found["first_rate"] == pytest.approx(6 / 8)
    assert found["consistent"] == 0.5
    assert (found["changed"]["n"], found["changed"]["rate"]) == (2, 1.0)
    longer, gold = found["probes"]
    assert (longer["name"], longer["rate"]) == ("longer", 6 / 8)
    assert (gold["name"], gold["n"], gold["rate"]) == ("gold", 3, 5 / 6)
    assert (found["swapped_file"], found["gold_file"]) == ("swapped.csv", "people.csv")
    page = (tmp_path / "out/position.html").read_text("utf-8")
    assert "swapped.csv (SHA-256" in page
    assert "names what people prefer" in page


def test_position_refuses_keys_and_verdicts_in_their_own_file(tmp_path: Path) -> None:
    plain, swapped, people = two_runs(tmp_path)
    ask = ["position", str(plain), *LETTERS, "--swapped-file"]
    rows = [{"key": "q0", "verdict": "A"}, {"key": "q0", "verdict": "A"}]
    assert "twice.csv, row 2: `key` 'q0'" in refused(*ask, str(table(tmp_path / "twice.csv", rows)))
    rows = [{"key": "zz", "verdict": "A"}]
    assert "'zz' is not in plain.csv" in refused(*ask, str(table(tmp_path / "zz.csv", rows)))
    rows = [{"key": "q0", "verdict": "A"}, {"key": "q1", "verdict": "C"}]
    told = refused(*ask, str(table(tmp_path / "c.csv", rows)))
    assert "c.csv, row 2: `verdict` is 'C'; write A, B, or leave it empty" in told
    told = refused(*ask, str(swapped), "--gold-file", str(people))
    assert "name their column: --gold" in told
    told = refused("position", str(plain), "--plain", "verdict", "--swapped", "verdict",
                   "--names", "A,A")  # fmt: skip
    assert "the names of the answers must be two words" in told


def test_position_reads_what_a_tool_wrote(tmp_path: Path) -> None:
    runs = []
    for name, marks in (("plain", "112"), ("swapped", "212")):
        events = [{"spec": {}}] + [
            {"sample_id": f"e.{i}", "type": "match", "data": {"picked": mark}}
            for i, mark in enumerate(marks)
        ]
        runs.append(tmp_path / f"{name}.jsonl")
        runs[-1].write_text("\n".join(json.dumps(each) for each in events), "utf-8")
    found = audit(
        "position", str(runs[0]), "--reader", "openai-evals", "--plain", "match.picked",
        "--swapped", "match.picked", "--swapped-file", str(runs[1]), "--id", "id",
    )  # fmt: skip
    assert (found["n"], found["consistent"], found["reader"]) == (3, 2 / 3, "openai-evals")
    assert found["changed"]["rate"] == 1.0
