"""What did a DeepEval run write? Its test run as .json.

One row a test case: `id`, `order`, `input`, `output`, `target`, `success`, `metadata.KEY`, and
`metric.NAME` with `reason.NAME` and `error.NAME` for each metric. A metric that failed has no
score; the case's `success` is empty there too, where DeepEval writes false.
"""

from pathlib import Path
from typing import Any

from judgeprobe.audit.eval_flat import flat, objects
from judgeprobe.files import read_json

__all__ = ["read_deepeval"]


def read_deepeval(path: Path) -> list[dict[str, Any]]:
    """The test cases of a run, in its order.

    Raises:
        InputError: It holds no test cases.
    """
    value = read_json(path)
    run = value.get("testRunData", value) if isinstance(value, dict) else {}
    found = objects(run.get("testCases"), "DeepEval test cases", path.name)
    return [_row(each, place) for place, each in enumerate(found)]


def _row(each: dict[str, Any], place: int) -> dict[str, Any]:
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
    metrics = each.get("metricsData") or []
    if any(metric.get("error") for metric in metrics):
        row["success"] = None
    for metric in metrics:
        row[f"metric.{metric.get('name')}"] = metric.get("score")
        row[f"reason.{metric.get('name')}"] = metric.get("reason")
        row[f"error.{metric.get('name')}"] = metric.get("error")
    return row
