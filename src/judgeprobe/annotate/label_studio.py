"""How does a sheet go into Label Studio, and how do its exports come back?

The project's XML lies in annotation/label_studio.xml. One project an annotator, because each has
its own sequence and orders. Both JSON exports are read: the full one (a list of tasks with
`annotations`) and JSON-MIN (one flat object a task).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judgeprobe.annotate.answers import Given, Problem
from judgeprobe.annotate.page import template
from judgeprobe.annotate.sheet import Sheet
from judgeprobe.taxonomy import AnnotatorWords

__all__ = ["project_xml", "read_export", "tasks"]

SENTENCES = {"span_a": "sentence_a", "span_b": "sentence_b"}


def project_xml(words: AnnotatorWords | None = None) -> str:
    """The labelling interface; what is asked is that of claim calibration where `words` is None."""
    return template("label_studio.xml").render(words=words or AnnotatorWords())


def tasks(sheet: Sheet) -> list[dict[str, Any]]:
    """Tasks to import into a project."""
    return [
        {
            "data": {
                "unit_id": unit.unit_id,
                "evidence": unit.evidence,
                "sentence_a": unit.a,
                "sentence_b": unit.b,
            }
        }
        for unit in sheet.units
    ]


def read_export(file: Path, content: list[Any]) -> tuple[list[Given], list[Problem]]:
    """The answers in a JSON or JSON-MIN export; a row is a task, from 1."""
    given: list[Given] = []
    problems: list[Problem] = []
    for row, task in enumerate(content, start=1):
        if not isinstance(task, dict):
            problems.append(Problem.refused(file, row, "not_a_task", "is not a task"))
            continue
        data = task.get("data", task)
        if not isinstance(data, dict) or not isinstance(data.get("unit_id"), str):
            problems.append(
                Problem.refused(file, row, "no_unit_id", "has no `unit_id`; was it exported here?")
            )
            continue
        shown = {
            name: data[name]
            for name in ("evidence", "sentence_a", "sentence_b")
            if isinstance(data.get(name), str)
        }
        for answer in _answers(task):
            given.append(
                Given(
                    file=file,
                    row=row,
                    unit_id=data["unit_id"],
                    form="label_studio",
                    shown=shown,
                    direction=_one(answer.get("direction")),
                    spans=tuple(_spans(answer, shown)),
                    supported="\n".join(_texts(answer.get("supported"))),
                    same_facts=_one(answer.get("same_facts")),
                    seconds=_seconds(answer.get("lead_time")),
                )
            )
    return given, problems


def _answers(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
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
            if name in SENTENCES:
                answer.setdefault(name, []).append(value)
            else:
                texts = _texts(value.get("choices")) or _texts(value.get("text"))
                answer[name] = [*_list(answer.get(name)), *texts]
        yield answer


def _spans(answer: dict[str, Any], shown: dict[str, str]) -> Iterator[str]:
    for name, sentence in SENTENCES.items():
        regions = answer.get(name)
        for region in _list(regions):
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


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        return None
    return float(value)
