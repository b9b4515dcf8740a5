"""What did another tool's run write, one flat row a sample?

Every reader gives rows whose columns have dotted names of what the file itself calls them. Nothing
is guessed: the tool is named, and a file of another shape is refused.

| reader | file | grade columns |
|---|---|---|
| inspect | Inspect AI log, .eval or .json | score.NAME |
| promptfoo | results, .json or .jsonl | score, success, assert.METRIC, named.NAME |
| deepeval | a test run, .json | metric.NAME, success |
| lm-eval | samples_*.jsonl of --log_samples | each metric by its name |
| openai-evals | event log, .jsonl | TYPE.KEY of each event, such as match.correct |
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from judgeprobe.audit.eval_flat import flat, objects
from judgeprobe.audit.eval_inspect import read_inspect
from judgeprobe.errors import InputError
from judgeprobe.files import read_json, read_rows

__all__ = ["READERS", "read_eval"]

Rows = Sequence[dict[str, Any]]


def read_eval(path: Path, reader: str) -> Rows:
    """The samples of a run.

    Args:
        path: What the tool wrote.
        reader: Name of the tool: a key of `READERS`.

    Raises:
        InputError: There is no such reader, or the file is not of that shape.
    """
    if reader not in READERS:
        raise InputError(f"there is no reader {reader!r}", remedy=f"use {', '.join(READERS)}")
    return READERS[reader](path)


def _promptfoo(path: Path) -> Rows:
    if path.suffix == ".jsonl":
        found = read_rows(path)
    else:
        value = read_json(path)
        results = value.get("results") if isinstance(value, dict) else None
        # Version 2 and later nest the table of results once more.
        inner = results.get("results") if isinstance(results, dict) else results
        found = objects(inner, "promptfoo results", path.name)
    return [_promptfoo_row(each, path, row) for row, each in enumerate(found, start=1)]


def _promptfoo_row(each: dict[str, Any], path: Path, number: int) -> dict[str, Any]:
    if "score" not in each or "success" not in each:
        raise InputError("is no promptfoo result", file=path, row=number, remedy="check --reader")
    provider = each.get("provider")
    name = provider.get("id") if isinstance(provider, dict) else provider
    test, prompt = each.get("testIdx"), each.get("promptIdx")
    response = each.get("response")
    graded = each.get("gradingResult") or {}
    row: dict[str, Any] = {
        "id": f"{test}/{prompt}/{name}" if test is not None else each.get("id"),
        "test": test,
        "provider": name,
        "output": _written(response.get("output") if isinstance(response, dict) else response),
        "score": each["score"],
        "success": each["success"],
        "error": each.get("error"),
    }
    row |= flat("vars", each.get("vars") or {})
    row |= flat("named", each.get("namedScores") or {})
    for place, part in enumerate(graded.get("componentResults") or []):
        claim = part.get("assertion") or {}
        label = claim.get("metric") or f"{claim.get('type', 'assertion')}.{place}"
        row[f"assert.{label}"] = part.get("score")
    return row


def _written(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _deepeval(path: Path) -> Rows:
    value = read_json(path)
    run = value.get("testRunData", value) if isinstance(value, dict) else {}
    found = objects(run.get("testCases"), "DeepEval test cases", path.name)
    return [_deepeval_row(each, place) for place, each in enumerate(found)]


def _deepeval_row(each: dict[str, Any], place: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": each.get("name") or f"test_case_{place}",
        "order": each.get("order", place),
        "input": each.get("input"),
        "output": each.get("actualOutput"),
        "target": each.get("expectedOutput"),
        "success": each.get("success"),
    }
    extra = each.get("additionalMetadata") or each.get("metadata") or {}
    row |= flat("metadata", extra)
    for metric in each.get("metricsData") or []:
        row[f"metric.{metric.get('name')}"] = metric.get("score")
        row[f"reason.{metric.get('name')}"] = metric.get("reason")
    return row


def _lm_eval(path: Path) -> Rows:
    rows = []
    for number, each in enumerate(read_rows(path), start=1):
        if "doc_id" not in each or "doc" not in each:
            raise InputError(
                "is no lm-evaluation-harness sample", file=path, row=number, remedy="check --reader"
            )
        known = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter"}
        kept = {name: value for name, value in each.items() if name not in known}
        row = {
            "id": str(each["doc_id"]),
            "filter": each.get("filter"),
            "target": _written(each.get("target")),
            "output": _written(each.get("filtered_resps")),
        }
        rows.append(row | flat("", kept) | flat("doc", each["doc"]))
    return rows


def _openai_evals(path: Path) -> Rows:
    found: dict[str, dict[str, Any]] = {}
    specified = False
    for each in read_rows(path):
        specified = specified or "spec" in each
        sample = each.get("sample_id")
        if sample is None or not isinstance(each.get("data"), dict):
            continue
        row = found.setdefault(str(sample), {"id": str(sample)})
        for name, value in flat(str(each.get("type")), each["data"]).items():
            # A sample may be asked several times: the last answer is the one that was graded.
            row[name] = value
    if not specified or not found:
        raise InputError("is no OpenAI evals log with samples", file=path, remedy="check --reader")
    return list(found.values())


READERS: dict[str, Callable[[Path], Rows]] = {
    "inspect": read_inspect,
    "promptfoo": _promptfoo,
    "deepeval": _deepeval,
    "lm-eval": _lm_eval,
    "openai-evals": _openai_evals,
}
