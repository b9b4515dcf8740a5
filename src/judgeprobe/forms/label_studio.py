"""What do Label Studio's exports hold, whatever was asked in the project?

Both JSON exports are read: the full one (a list of tasks with `annotations`) and JSON-MIN (one flat
object a task). A region's label is named `span_X` where it marks words of a text.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from judgeprobe.forms.problems import Problem
from judgeprobe.forms.rows import Layout, Row, seconds

__all__ = ["read_export"]


def read_export(file: Path, content: list[Any], layout: Layout) -> tuple[list[Row], list[Problem]]:
    """The answers in a JSON or JSON-MIN export; a row is a task, from 1.

    Args:
        file: Names the export in problems.
        content: Its tasks.
        layout: Columns of the sheet that the tasks were made from.
    """
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, task in enumerate(content, start=1):
        if not isinstance(task, dict):
            problems.append(Problem.refused(file, number, "not_a_task", "is not a task"))
            continue
        data = task.get("data", task)
        if not isinstance(data, dict) or not isinstance(data.get("unit_id"), str):
            message = "has no `unit_id`; was it exported here?"
            problems.append(Problem.refused(file, number, "no_unit_id", message))
            continue
        shown = {name: data[name] for name in layout.texts if isinstance(data.get(name), str)}
        for answer in _answers(task, layout.regions):
            given = {name: _one(answer.get(name)) for name in (layout.answer, *layout.choices)}
            given |= {name: "\n".join(_texts(answer.get(name))) for name in layout.free}
            rows.append(
                Row(
                    file=file,
                    row=number,
                    unit_id=data["unit_id"],
                    form="label_studio",
                    cells={**given, **shown},
                    spans=tuple(_spans(answer, shown, layout.regions)),
                    seconds=seconds(answer.get("lead_time")),
                )
            )
    return rows, problems


def _answers(task: dict[str, Any], regions: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """One flat answer an annotation; an empty one for a task that nobody answered."""
    if "annotations" not in task:
        yield task
        return
    found = [one for one in _list(task["annotations"]) if isinstance(one, dict)]
    kept = [one for one in found if not one.get("was_cancelled")]
    if not kept:
        yield {}
    for annotation in kept:
        answer: dict[str, Any] = {"lead_time": annotation.get("lead_time")}
        for region in _list(annotation.get("result")):
            value = region.get("value") if isinstance(region, dict) else None
            if not isinstance(value, dict):
                continue
            name = str(region.get("from_name"))
            if name in regions:
                answer.setdefault(name, []).append(value)
            else:
                texts = _texts(value.get("choices")) or _texts(value.get("text"))
                answer[name] = [*_list(answer.get(name)), *texts]
        yield answer


def _spans(
    answer: dict[str, Any], shown: Mapping[str, str], regions: Mapping[str, str]
) -> Iterator[str]:
    for name, sentence in regions.items():
        for region in _list(answer.get(name)):
            if not isinstance(region, dict):
                continue
            text = region.get("text")
            if not isinstance(text, str):
                text = _cut(shown.get(sentence, ""), region.get("start"), region.get("end"))
            if text:
                yield text


def _cut(sentence: str, start: Any, end: Any) -> str:
    """A part of a sentence by Label Studio's offsets, which count UTF-16 units."""
    if not isinstance(start, int) or not isinstance(end, int):
        return ""
    units = sentence.encode("utf-16-le")
    return units[2 * start : 2 * end].decode("utf-16-le", "replace")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _one(value: Any) -> str:
    texts = _texts(value)
    return texts[0] if len(texts) == 1 else " and ".join(texts)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return _texts(value.get("choices"))
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return []
