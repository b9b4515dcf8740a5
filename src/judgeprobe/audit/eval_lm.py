"""What did a run of lm-evaluation-harness write? The samples of --log_samples, as .jsonl.

One row a sample: `id` (its doc_id), `target`, `output`, each metric by its name, `doc.KEY`. Where
several filters read the replies, the harness writes a line for each; here they stand in one row, as
METRIC,FILTER and output,FILTER, which are the names in the harness's own results. A reply that a
filter cannot read is `[invalid]` and gets whatever the metric says of that: look at the output.
"""

from pathlib import Path
from typing import Any

from judgeprobe.audit.eval_flat import flat, written
from judgeprobe.errors import InputError
from judgeprobe.files import read_rows

__all__ = ["read_lm_eval"]

_OWN = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip


def read_lm_eval(path: Path) -> list[dict[str, Any]]:
    """The samples of a task, in the file's order.

    Raises:
        InputError: A line is no sample, or a sample stands there twice.
    """
    samples: dict[str, dict[str, dict[str, Any]]] = {}
    for number, each in enumerate(read_rows(path), start=1):
        if "doc_id" not in each or "doc" not in each:
            raise InputError(
                "is no lm-evaluation-harness sample", file=path, row=number, remedy="check --reader"
            )
        read = samples.setdefault(str(each["doc_id"]), {})
        name = str(each.get("filter", "none"))
        if name in read:
            raise InputError(
                f"holds the sample {each['doc_id']} with the filter {name!r} twice",
                file=path,
                row=number,
                remedy="give one run's file",
            )
        read[name] = each
    several = any(len(read) > 1 for read in samples.values())
    return [_row(identity, read, several=several) for identity, read in samples.items()]


def _row(identity: str, read: dict[str, dict[str, Any]], *, several: bool) -> dict[str, Any]:
    first = next(iter(read.values()))
    row: dict[str, Any] = {"id": identity, "target": written(first.get("target"))}
    for name, each in read.items():
        # As lm-evaluation-harness names them in its own results: METRIC,FILTER.
        ending = f",{name}" if several else ""
        replies = each.get("filtered_resps")
        if isinstance(replies, list) and len(replies) == 1:
            replies = replies[0]
        row[f"output{ending}"] = written(replies)
        for key, value in each.items():
            if key not in _OWN:
                row |= {f"{part}{ending}": inner for part, inner in flat(key, value).items()}
    return row | flat("doc", first["doc"])
