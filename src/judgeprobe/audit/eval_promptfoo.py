"""What did a promptfoo run write? Its results as .json or .jsonl.

One row a test case and prompt: `id`, `test`, `provider`, `prompt`, `output`, `score`, `success`,
`error`, `vars.NAME`, `metadata.KEY` of the test case, `assert.METRIC` for each assertion
(TYPE.PLACE where it has no metric) and `named.METRIC`.

promptfoo writes a score of 0 where the model could not be asked, and where a grader's reply could
not be read. Neither is a grade: both are empty here, and with them what is averaged over them.
"""

from pathlib import Path
from typing import Any

from judgeprobe.audit.eval_flat import flat, objects, written
from judgeprobe.errors import InputError
from judgeprobe.files import read_json, read_rows

__all__ = ["read_promptfoo"]

_COULD_NOT_ASK = 2


def read_promptfoo(path: Path) -> list[dict[str, Any]]:
    """The results of a run, in its order.

    Raises:
        InputError: It holds no results of promptfoo.
    """
    if path.suffix == ".jsonl":
        found = read_rows(path)
    else:
        value = read_json(path)
        results = value.get("results") if isinstance(value, dict) else None
        # Version 2 and later nest the table of results once more.
        inner = results.get("results") if isinstance(results, dict) else results
        found = objects(inner, "promptfoo results", path.name)
    return [_row(each, path, number) for number, each in enumerate(found, start=1)]


def _row(each: dict[str, Any], path: Path, number: int) -> dict[str, Any]:
    if "score" not in each or "success" not in each:
        raise InputError("is no promptfoo result", file=path, row=number, remedy="check --reader")
    response = each.get("response")
    provider = _part(each.get("provider"), "id")
    test, prompt = each.get("testIdx"), each.get("promptIdx")
    asserted, unread = _asserted(each)
    graded = not unread and each.get("failureReason") != _COULD_NOT_ASK
    row: dict[str, Any] = {
        "id": f"{test}/{prompt}/{provider}" if test is not None else each.get("id"),
        "test": test,
        "provider": provider,
        "prompt": _part(each.get("prompt"), "label"),
        "output": written(_part(response, "output")),
        "score": each["score"] if graded else None,
        "success": each["success"] if graded else None,
        "error": each.get("error"),
    }
    row |= flat("vars", each.get("vars") or {})
    row |= flat("metadata", (each.get("testCase") or {}).get("metadata") or {})
    for metric, score in (each.get("namedScores") or {}).items():
        row[f"named.{metric}"] = None if metric in unread else score
    return row | asserted


def _part(value: Any, name: str) -> Any:
    """Older versions write the bare value where newer ones write an object."""
    return value.get(name) if isinstance(value, dict) else value


def _asserted(each: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The score of every assertion, and the metrics whose grader could not be read."""
    row: dict[str, Any] = {}
    unread: set[str] = set()
    for place, part in enumerate((each.get("gradingResult") or {}).get("componentResults") or []):
        claim = part.get("assertion") or {}
        metric = claim.get("metric") or f"{claim.get('type', 'assertion')}.{place}"
        # Several assertions may share a metric: promptfoo averages them, here each is kept.
        label = f"{metric}.{place}" if f"assert.{metric}" in row else metric
        failed = bool((part.get("metadata") or {}).get("graderError"))
        row[f"assert.{label}"] = None if failed else part.get("score")
        if failed:
            unread.add(metric)
    return row, unread
