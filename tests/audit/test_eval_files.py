"""What did another tool's run write?

The files in fixtures/ were written by the tools themselves, run against tests/helpers/loopback.py
(fixtures/README.md says how; test_eval_tools.py runs them again where they are installed). Shapes
of other versions, and damaged ones, are made here by hand.
"""

import copy
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from judgeprobe.audit.eval_files import read_eval
from judgeprobe.audit.grades_table import scores, table_of
from judgeprobe.cli.app import app
from judgeprobe.errors import InputError

NAN = float("nan")
FIXTURES = Path(__file__).parent / "fixtures"


def written(path: Path, value: Any, *, lines: bool = False) -> Path:
    text = "\n".join(json.dumps(each) for each in value) if lines else json.dumps(value)
    path.write_text(text, encoding="utf-8")
    return path


def test_inspects_own_eval_archive_whose_members_are_zstandard():
    path = FIXTURES / "inspect-colours.eval"
    assert {member.compress_type for member in zipfile.ZipFile(path).infolist()} == {93}
    rows = read_eval(path, "inspect")
    assert [row["id"] for row in rows] == ["s0", "s1", "s2", "s3", "s4"]
    assert [row["score.includes"] for row in rows] == [1.0] * 5
    # The grader's reply on s2 held no grade.
    assert [row["score.model_graded_qa"] for row in rows] == [1.0, 0.0, None, 1.0, 1.0]
    assert rows[1]["metadata.topic"] == "nature"
    assert (rows[1]["unit"], rows[1]["target"], rows[1]["output"]) == (
        "s1/1",
        "blue",
        "It is blue.",
    )
    table = table_of(path, rows)
    assert scores(table, "metadata.length").tolist() == [3.0, 5.0, 3.0, 3.0, 4.0]


def test_inspects_own_json_log_gives_the_same_rows():
    archive = read_eval(FIXTURES / "inspect-colours.eval", "inspect")
    assert read_eval(FIXTURES / "inspect-colours.json", "inspect") == archive[:3]


def test_the_command_line_reads_a_log_and_joins_labels_by_id(tmp_path: Path):
    log = str(FIXTURES / "inspect-colours.eval")
    gold = tmp_path / "people.csv"
    gold.write_text("id,people\ns0,1\ns1,1\ns2,1\ns3,0\ns4,0\n", encoding="utf-8")
    ask = ["audit", "errors", log, "--reader", "inspect", "--judge", "score.model_graded_qa",
           "--gold", "people", "--gold-file", str(gold), "--id", "id",
           "--covariate", "metadata.topic", "--json"]  # fmt: skip
    result = CliRunner().invoke(app, ask)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    # People said 1, 1, 1, 0, 0; the grader 1, 0, nothing, 1, 1.
    assert (found["n"], found["mean_error"]) == (4, 0.25)
    assert found["counts"]["not_graded"] == 1
    assert (found["reader"], found["gold_file"]) == ("inspect", "people.csv")
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


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_promptfoos_own_results(ending):
    rows = read_eval(FIXTURES / f"promptfoo-colours.{ending}", "promptfoo")
    assert len({row["id"] for row in rows}) == len(rows) == 8
    first = [row for row in rows if row["id"].split("/")[1] == "0"]
    assert [row["vars.word"] for row in first] == ["sky", "river", "car", "moon"]
    assert [row["output"] for row in first] == [
        "It is blue.",
        "Green, I think.",
        "It is blue.",
        None,
    ]
    assert [row["metadata.topic"] for row in first] == ["things", "nature", "things", "nature"]
    assert [row["metadata.length"] for row in first] == [3, 5, 3, 4]
    assert [row.get("assert.icontains.0") for row in first] == [1, 0, 1, None]


def test_promptfoos_scores_of_nothing_are_no_grades():
    """It writes 0 where the grader's reply could not be read, and where the model refused."""
    path = FIXTURES / "promptfoo-colours.json"
    raw = json.loads(path.read_text("utf-8"))["results"]["results"]
    unread, refused = raw[4], raw[6]
    assert unread["gradingResult"]["componentResults"][1]["score"] == 0
    assert (unread["score"], refused["score"], refused["failureReason"]) == (0.5, 0, 2)
    rows = read_eval(path, "promptfoo")
    for row in (rows[4], rows[6]):
        assert (row["score"], row["success"]) == (None, None)
        assert row.get("assert.colour") is row.get("named.colour") is None
    assert rows[4]["error"] == "Could not extract JSON from llm-rubric response"
    assert rows[6]["error"].startswith("API error: 400")
    values = scores(table_of(path, rows), "assert.colour")
    assert values.tolist()[:4] == [1.0, 1.0, 0.25, 0.25]
    assert all(value != value for value in values[4:])


def test_a_file_with_another_ending_is_refused_with_the_remedy():
    """promptfoo's CSV has a column twice for each prompt."""
    with pytest.raises(InputError, match=r"\.csv: has the ending .csv; give what promptfoo writes"):
        read_eval(FIXTURES / "promptfoo-colours.csv", "promptfoo")


def test_promptfoo_assertions_that_share_a_metric_are_all_kept(tmp_path: Path):
    parts = [{"score": score, "assertion": {"type": "contains", "metric": "m"}} for score in (1, 0)]
    result = {**promptfoo(), "gradingResult": {"componentResults": parts}}
    row = read_eval(written(tmp_path / "p.json", {"results": [result]}), "promptfoo")[0]
    assert (row["assert.m"], row["assert.m.1"]) == (1, 0)


def test_deepevals_own_test_run():
    path = FIXTURES / "deepeval-colours.json"
    rows = read_eval(path, "deepeval")
    assert [row["id"] for row in rows] == ["t0", "t1", "t2"]
    table = table_of(path, rows)
    # The metric failed on t2: DeepEval writes no score, and success false.
    assert scores(table, "metric.Contains").tolist() == pytest.approx([1, 0.25, NAN], nan_ok=True)
    assert scores(table, "success").tolist() == pytest.approx([1, 0, NAN], nan_ok=True)
    assert rows[2]["error.Contains"] == "ValueError: scripted: no grade"
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


def test_lm_evals_own_samples_are_one_row_each_whatever_the_filters():
    path = FIXTURES / "lm-eval-colours.jsonl"
    assert len(path.read_text("utf-8").splitlines()) == 8
    rows = read_eval(path, "lm-eval")
    assert [row["id"] for row in rows] == ["0", "1", "2", "3"]
    assert [row["exact_match,plain"] for row in rows] == [0.0] * 4
    assert [row["exact_match,colour"] for row in rows] == [1.0, 0.0, 1.0, 1.0]
    assert [row["output,colour"] for row in rows] == ["blue", "[invalid]", "blue", "blue"]
    assert rows[1]["output,plain"] == "Green, I think."
    assert (rows[1]["doc.key"], rows[1]["doc.topic"], rows[1]["target"]) == ("s1", "nature", "blue")
    assert "arguments" not in " ".join(rows[0])


def test_lm_eval_samples_of_two_runs_in_one_file_are_refused(tmp_path: Path):
    path = tmp_path / "twice.jsonl"
    path.write_text((FIXTURES / "lm-eval-colours.jsonl").read_text("utf-8") * 2, "utf-8")
    with pytest.raises(
        InputError, match=r"row 9: holds the sample 0 with the filter 'plain' twice"
    ):
        read_eval(path, "lm-eval")


def test_openai_evals_own_log_of_a_rule():
    rows = read_eval(FIXTURES / "openai-evals-colours.jsonl", "openai-evals")
    assert [row["id"] for row in rows] == [f"colours.dev.{i}" for i in range(4)]
    assert [row["match.correct"] for row in rows] == [True, False, True, True]
    assert [row["output"] for row in rows][:2] == ["It is blue.", "Green, I think."]
    assert rows[0]["match.expected"] == "blue"


def test_openai_evals_own_log_of_a_grader_keeps_both_replies_and_imputes_no_grade():
    path = FIXTURES / "openai-evals-graded.jsonl"
    events = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    invalid = next(e for e in events if (e.get("data") or {}).get("choice") == "__invalid__")
    assert invalid["data"]["score"] == 0.25
    rows = read_eval(path, "openai-evals")
    assert [row["metrics.score"] for row in rows] == [1.0, 0.25, None, 1.0]
    assert [row["metrics.choice"] for row in rows] == ["Y", "N", "__invalid__", "Y"]
    assert [row["output"] for row in rows][:2] == ["It is blue.", "Green, I think."]
    assert [row["sampling.2.sampled"] for row in rows] == ["Y", "N", "I would rather not say.", "Y"]


def test_openai_evals_samples_are_in_the_order_of_their_numbers(tmp_path: Path):
    events = [{"spec": {}}] + [
        {"sample_id": f"e.dev.{i}", "type": "match", "data": {"correct": True}} for i in (10, 9, 2)
    ]
    rows = read_eval(written(tmp_path / "o.jsonl", events, lines=True), "openai-evals")
    assert [row["id"] for row in rows] == ["e.dev.2", "e.dev.9", "e.dev.10"]


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


REAL = {
    "inspect": "inspect-colours.json",
    "promptfoo": "promptfoo-colours.json",
    "deepeval": "deepeval-colours.json",
    "lm-eval": "lm-eval-colours.jsonl",
    "openai-evals": "openai-evals-graded.jsonl",
}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in inner:
        found += places(each, (*path, key)) if isinstance(each, (dict, list)) else [(*path, key)]
    return found


def documents(reader: str) -> tuple[Any, list[tuple[Any, ...]]]:
    text = (FIXTURES / REAL[reader]).read_text("utf-8")
    lines = REAL[reader].endswith("l")
    value = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    return value, places(value)


DOCUMENTS = {reader: documents(reader) for reader in REAL}
OTHER = st.sampled_from([None, True, 7, -1.5, "text", "", [], [1], ["a", {}], {}, {"a": {"b": 1}}])


@pytest.mark.parametrize("reader", list(REAL))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_real_file_with_one_value_replaced_is_read_or_refused(tmp_path, reader, data):
    value, found = DOCUMENTS[reader]
    place = data.draw(st.sampled_from(found))
    changed = copy.deepcopy(value)
    *way, last = place
    inner = changed
    for key in way:
        inner = inner[key]
    inner[last] = data.draw(OTHER)
    path = written(tmp_path / REAL[reader], changed, lines=REAL[reader].endswith("l"))
    refusal, rows = "", []
    try:
        rows = list(read_eval(path, reader))
    except InputError as error:
        refusal = str(error)
    # One or the other: no traceback, and no row that is none.
    assert bool(rows) != (path.name in refusal)
    if rows:
        table_of(path, rows)
