"""What did another tool's run write?

The files in fixtures/ were written by the tools themselves, run against tests/helpers/loopback.py
(fixtures/README.md says how). Where a tool could not run, its shape is made here by hand.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from judgeprobe.audit.eval_files import read_eval
from judgeprobe.audit.grades_table import scores, table_of
from judgeprobe.cli.app import app
from judgeprobe.errors import InputError

FIXTURES = Path(__file__).parent / "fixtures"


def written(path: Path, value: Any, *, lines: bool = False) -> Path:
    text = "\n".join(json.dumps(each) for each in value) if lines else json.dumps(value)
    path.write_text(text, encoding="utf-8")
    return path


def test_inspects_own_eval_archive_whose_members_are_zstandard():
    path = FIXTURES / "inspect-colours.eval"
    assert {member.compress_type for member in zipfile.ZipFile(path).infolist()} == {93}
    rows = read_eval(path, "inspect")
    assert [row["id"] for row in rows] == ["s0", "s1", "s2", "s3"]
    assert [row["score.includes"] for row in rows] == [1.0] * 4
    assert [row["score.model_graded_qa"] for row in rows] == [1.0, 0.0, 1.0, 1.0]
    assert rows[1]["metadata.topic"] == "nature"
    assert (rows[1]["unit"], rows[1]["target"], rows[1]["output"]) == (
        "s1/1",
        "blue",
        "It is blue.",
    )
    table = table_of(path, rows)
    assert scores(table, "metadata.length").tolist() == [3.0, 5.0, 3.0, 3.0]


def test_inspects_own_json_log_gives_the_same_rows():
    archive = read_eval(FIXTURES / "inspect-colours.eval", "inspect")
    assert read_eval(FIXTURES / "inspect-colours.json", "inspect") == archive[:2]


def test_the_command_line_reads_a_log_and_joins_labels_by_id(tmp_path: Path):
    log = str(FIXTURES / "inspect-colours.eval")
    gold = tmp_path / "people.csv"
    gold.write_text("id,people\ns0,1\ns1,1\ns2,1\ns3,0\n", encoding="utf-8")
    ask = ["audit", "errors", log, "--reader", "inspect", "--judge", "score.model_graded_qa",
           "--gold", "people", "--gold-file", str(gold), "--id", "id",
           "--covariate", "metadata.topic", "--json"]  # fmt: skip
    result = CliRunner().invoke(app, ask)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    # People said 1, 1, 1, 0; the grader 1, 0, 1, 1.
    assert (found["n"], found["mean_error"]) == (4, 0.0)
    assert found["effects"][0]["name"] == "metadata.topic=things"


def test_a_damaged_archive_is_refused(tmp_path: Path):
    data = bytearray((FIXTURES / "inspect-colours.eval").read_bytes())
    with zipfile.ZipFile(FIXTURES / "inspect-colours.eval") as archive:
        member = next(m for m in archive.infolist() if m.filename.startswith("samples/"))
    data[member.header_offset + 400] ^= 0xFF
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(bytes(data))
    with pytest.raises(InputError, match=r"damaged.eval: is no Inspect log"):
        read_eval(damaged, "inspect")
    cut = tmp_path / "cut.eval"
    cut.write_bytes(bytes(data[:2000]))
    with pytest.raises(InputError, match="is no Inspect log"):
        read_eval(cut, "inspect")
    with pytest.raises(InputError, match="is not there"):
        read_eval(tmp_path / "none.eval", "inspect")


def test_an_archive_of_deflated_members_is_read_too(tmp_path: Path):
    path = tmp_path / "old.eval"
    sample = {"id": 1, "epoch": 2, "input": [{"role": "user"}], "target": ["a", "b"],
              "scores": {"s": {"value": {"x": "P", "y": 2}}, "t": {"value": True}}}  # fmt: skip
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/1_epoch_2.json", json.dumps(sample))
        archive.writestr("header.json", "{}")
    row = read_eval(path, "inspect")[0]
    assert (row["unit"], row["target"]) == ("1/2", '["a", "b"]')
    assert (row["score.s.x"], row["score.s.y"], row["score.t"]) == (0.5, 2, True)


def promptfoo(score: float = 0.5) -> dict[str, Any]:
    return {
        "id": "x", "testIdx": 3, "promptIdx": 0, "provider": {"id": "echo"}, "score": score,
        "success": False, "vars": {"word": "sky"}, "namedScores": {"tone": 0.2},
        "response": {"output": "It is blue."},
        "gradingResult": {"componentResults": [
            {"score": 1, "assertion": {"type": "contains"}},
            {"score": 0, "assertion": {"type": "llm-rubric", "metric": "polite"}},
        ]},
    }  # fmt: skip


def test_promptfoo_by_its_documented_shape(tmp_path: Path):
    nested = written(tmp_path / "p.json", {"results": {"version": 3, "results": [promptfoo()]}})
    lines = written(tmp_path / "p.jsonl", [promptfoo()], lines=True)
    rows = read_eval(nested, "promptfoo")
    assert rows == read_eval(lines, "promptfoo")
    row = rows[0]
    assert (row["id"], row["score"], row["success"]) == ("3/0/echo", 0.5, False)
    assert (row["assert.contains.0"], row["assert.polite"], row["named.tone"]) == (1, 0, 0.2)
    assert (row["vars.word"], row["output"]) == ("sky", "It is blue.")


def test_deepevals_own_test_run():
    path = FIXTURES / "deepeval-colours.json"
    rows = read_eval(path, "deepeval")
    assert [row["id"] for row in rows] == ["t0", "t1", "t2"]
    table = table_of(path, rows)
    assert scores(table, "metric.Contains").tolist() == [1.0, 0.25, 1.0]
    assert scores(table, "success").tolist() == [1.0, 0.0, 1.0]
    assert scores(table, "metadata.length").tolist() == [3.0, 5.0, 3.0]


def test_deepeval_by_its_documented_shape(tmp_path: Path):
    case = {"name": "t1", "input": "q", "actualOutput": "a", "success": True,
            "metricsData": [{"name": "Toxicity", "score": 0.1, "reason": "calm"}]}  # fmt: skip
    rows = read_eval(written(tmp_path / "d.json", {"testCases": [case]}), "deepeval")
    assert (rows[0]["id"], rows[0]["metric.Toxicity"]) == ("t1", 0.1)
    inner = read_eval(
        written(tmp_path / "e.json", {"testRunData": {"testCases": [case]}}), "deepeval"
    )
    assert inner == rows


def test_lm_eval_by_its_documented_shape(tmp_path: Path):
    sample = {"doc_id": 7, "doc": {"question": "q", "n": 2}, "target": "4", "arguments": [],
              "resps": [["4"]], "filtered_resps": ["4"], "filter": "none",
              "metrics": ["exact_match"], "exact_match": 1.0}  # fmt: skip
    rows = read_eval(written(tmp_path / "s.jsonl", [sample], lines=True), "lm-eval")
    assert (rows[0]["id"], rows[0]["exact_match"], rows[0]["doc.n"]) == ("7", 1.0, 2)


def test_openai_evals_by_its_documented_shape(tmp_path: Path):
    events = [
        {"spec": {"eval_name": "e"}},
        {"event_id": 0, "sample_id": "s.0", "type": "sampling", "data": {"sampled": ["4"]}},
        {"event_id": 1, "sample_id": "s.0", "type": "match", "data": {"correct": True}},
        {"event_id": 2, "sample_id": "s.1", "type": "match", "data": {"correct": False}},
        {"final_report": {"accuracy": 0.5}},
    ]
    rows = read_eval(written(tmp_path / "o.jsonl", events, lines=True), "openai-evals")
    assert [(row["id"], row["match.correct"]) for row in rows] == [("s.0", True), ("s.1", False)]


@pytest.mark.parametrize(
    ("reader", "name", "value", "lines"),
    [
        ("inspect", "a.json", {"samples": []}, False),
        ("inspect", "a.json", {"eval": {}}, False),
        ("promptfoo", "a.json", {"results": 3}, False),
        ("promptfoo", "a.jsonl", [{"x": 1}], True),
        ("deepeval", "a.json", [1], False),
        ("lm-eval", "a.jsonl", [{"x": 1}], True),
        ("openai-evals", "a.jsonl", [{"x": 1}], True),
    ],
)
def test_a_file_of_another_shape_is_refused_by_name(tmp_path, reader, name, value, lines):
    with pytest.raises(InputError, match=r"a\.jsonl?"):
        read_eval(written(tmp_path / name, value, lines=lines), reader)
