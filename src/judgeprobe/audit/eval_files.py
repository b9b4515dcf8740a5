"""What did another tool's run write, one flat row a sample?

Every reader gives rows whose columns have dotted names of what the file itself calls them. Nothing
is guessed: the tool is named, and a file of another shape is refused.

| reader | file | grade columns |
|---|---|---|
| inspect | Inspect AI log, .eval or .json | score.NAME |
| promptfoo | results, .json or .jsonl | score, success, assert.METRIC, named.NAME |
| deepeval | a test run, .json | metric.NAME, success |
| lm-eval | samples_*.jsonl of --log_samples | METRIC, or METRIC,FILTER where there are several |
| openai-evals | event log, .jsonl | TYPE.KEY of each event, such as match.correct |
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from judgeprobe.audit.eval_deepeval import read_deepeval
from judgeprobe.audit.eval_inspect import read_inspect
from judgeprobe.audit.eval_lm import read_lm_eval
from judgeprobe.audit.eval_openai import read_openai_evals
from judgeprobe.audit.eval_promptfoo import read_promptfoo
from judgeprobe.errors import InputError

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
    endings, read = READERS[reader]
    if path.suffix.lower() not in endings:
        raise InputError(
            f"has the ending {path.suffix or '(none)'}",
            file=path,
            remedy=f"give what {reader} writes as {' or '.join(endings)}",
        )
    try:
        return read(path)
    except (AttributeError, TypeError):
        # A text or a list stands where the tool writes an object: there is no row to go on from.
        raise InputError(
            f"is not built as {reader} builds it", file=path, remedy="check --reader"
        ) from None


READERS: dict[str, tuple[tuple[str, ...], Callable[[Path], Rows]]] = {
    "inspect": ((".eval", ".json"), read_inspect),
    "promptfoo": ((".json", ".jsonl"), read_promptfoo),
    "deepeval": ((".json",), read_deepeval),
    "lm-eval": ((".jsonl",), read_lm_eval),
    "openai-evals": ((".jsonl",), read_openai_evals),
}
