"""What did a run of OpenAI evals write? Its event log, as .jsonl.

One row a sample, in the order of the samples' numbers (the log has that in which they were done):
`id`, `output` (the first answer sampled), and TYPE.KEY for what each event holds, such as
`match.correct` or `metrics.score`. A second event of a type is TYPE.2.KEY: in a model-graded eval
`sampling` is the answer and `sampling.2` what the grader replied.

A grader's reply that names no choice is `__invalid__`, for which evals writes the lowest score.
That is no grade: `metrics.score` is empty there.
"""

from collections import Counter
from pathlib import Path
from typing import Any

from judgeprobe.audit.eval_flat import flat, natural, written
from judgeprobe.errors import InputError
from judgeprobe.files import read_rows

__all__ = ["read_openai_evals"]

_INVALID = "__invalid__"


def read_openai_evals(path: Path) -> list[dict[str, Any]]:
    """The samples of a run.

    Raises:
        InputError: It is no event log with samples.
    """
    found: dict[str, dict[str, Any]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    specified = False
    for each in read_rows(path):
        specified = specified or "spec" in each
        sample, data = each.get("sample_id"), each.get("data")
        if sample is None or not isinstance(data, dict):
            continue
        row = found.setdefault(str(sample), {"id": str(sample), "output": None})
        kind = str(each.get("type"))
        seen[str(sample), kind] += 1
        times = seen[str(sample), kind]
        if kind == "sampling" and times == 1:
            row["output"] = written(_alone(data.get("sampled")))
        row |= flat(kind if times == 1 else f"{kind}.{times}", _event(kind, data))
    if not specified or not found:
        raise InputError("is no OpenAI evals log with samples", file=path, remedy="check --reader")
    return sorted(found.values(), key=lambda row: natural(row["id"]))


def _event(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    told = {name: _alone(value) for name, value in data.items()}
    if kind == "metrics" and told.get("choice") == _INVALID and "score" in told:
        told["score"] = None
    return told


def _alone(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value
