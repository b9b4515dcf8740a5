"""A study with made-up interventions, and people who label its sheets."""

import csv
import io
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl

from judgeprobe.annotate.columns import COLUMNS
from judgeprobe.annotate.keys import Key, keys_dir, read_keys
from judgeprobe.annotate.sheet import Sheet, Unit, make_sheet
from judgeprobe.files import read_jsonl, write_jsonl, write_text
from judgeprobe.forms.cells import encode_cell, guard
from judgeprobe.records import Intervention
from judgeprobe.study import Study, load_study
from judgeprobe.taxonomy import load_taxonomy
from judgeprobe.typography import normalise

Answer = dict[str, Any]

MODEL = "vendor/writer-9000"
STUDY_TOML = f"""
[study]
name = "annotation test"
seed = 7
base_items = "items.csv"

[generator]
model = "{MODEL}"

[verifier]
model = "other/checker-77"

[[judges]]
name = "grader"
model = "third/grader-5"

[profile]
resamples = 1000
"""
WORDS = (
    *("basin", "layer", "signal", "river", "trial", "sample", "yield", "patient", "sensor"),
    *("forest", "glacier", "soil", "protein", "method", "noise", "rate", "season", "field"),
)
SLOTS = [(slot.name, slot.axis, slot.arm) for slot in load_taxonomy("claim-calibration").slots]


def intervention(
    number: int, *, slot: int = 0, base: int | None = None, **texts: str
) -> Intervention:
    """One made-up edit; `texts` may give evidence, original and edited."""
    rng = random.Random(f"{number}")
    name, axis, arm = SLOTS[slot % len(SLOTS)]
    words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(5, 14)))
    original = f"The {words} may change, case {number}."
    edited = f"The {words} changes, case {number}."
    if rng.random() < 0.5:
        edited = f"In all the {words} may change, case {number}."
    values = {
        "evidence": f"We saw in trial {number} that the {words} changed twice.",
        "original": original,
        "edited": edited,
        **texts,
    }
    return Intervention(
        id=f"{number:016x}",
        base_id=f"base-{number if base is None else base}",
        slot=name,
        axis=axis,
        arm=arm,
        generator=MODEL,
        family="vendor",
        length_change=len(values["edited"]) / max(len(values["original"]), 1) - 1,
        direction_source="construction",
        **values,
    )


def make_study(
    folder: Path,
    interventions: Iterable[Intervention],
    extra: str = "",
    secret: str | None = None,
) -> Study:
    """A study folder that has these interventions; a secret given makes its batches repeatable."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(STUDY_TOML + extra, encoding="utf-8")
    study = load_study(folder)
    write_jsonl(study.interventions_path, interventions)
    if secret is not None:
        write_text(keys_dir(study) / "secret", secret)
    return study


def sheets(study: Study, key: Key | None = None) -> list[Sheet]:
    """What the annotators of the last batch (or another) see."""
    key = key or read_keys(study)[-1]
    by_id = {item.id: item for item in read_jsonl(study.interventions_path, Intervention)}
    return [make_sheet(key, name, by_id) for name in key.annotators]


def random_answer(rng: random.Random, unit: Unit) -> Answer:
    """A complete answer of the page: quotations are whole words of the sentence it names."""
    direction = rng.choice(("a", "b", "neither", "cannot_tell"))
    spans = []
    if direction in ("a", "b"):
        sentence = unit.a if direction == "a" else unit.b
        words = sentence.split(" ")
        for _ in range(rng.randint(1, 3)):
            start = rng.randrange(len(words))
            text = " ".join(words[start : start + rng.randint(1, 4)])
            if normalise(text) and text not in spans:
                spans.append(text)
        spans = spans or [words[-1]]
    return {
        "unit_id": unit.unit_id,
        "direction": direction,
        "spans": spans,
        "supported": f"It changed {rng.randint(1, 99)} times.",
        "same_facts": rng.random() < 0.9,
    }


def write_html_copy(path: Path, sheet: Sheet, answers: Sequence[Answer]) -> Path:
    """What the page's "Save a copy" saves."""
    labels = [
        {**one, "spans": [{"sentence": "a", "text": text} for text in one["spans"]], "seconds": 3.5}
        for one in answers
    ]
    copy = {
        "format": "judgeprobe-labels",
        "version": 1,
        "sheet": sheet.token,
        "batch": sheet.batch,
        "annotator": sheet.annotator,
        "total": len(sheet.units),
        "done": len(labels),
        "labels": labels,
    }
    path.write_text(json.dumps(copy, indent=1), encoding="utf-8")
    return path


def answer_cells(one: Answer) -> dict[str, str]:
    """An answer as a person fills it into a row."""
    words = {"a": "A", "b": "B", "neither": "neither", "cannot_tell": "cannot tell"}
    facts = {True: "yes", False: "no", None: ""}
    return {
        "direction": words.get(one["direction"], one["direction"]),
        **{f"span_{i}": text for i, text in enumerate(one["spans"], start=1)},
        "supported": one["supported"],
        "same_facts": facts[one["same_facts"]],
    }


def fill_csv(source: Path, target: Path, answers: Sequence[Answer]) -> Path:
    """The exported CSV with answers filled in, as a program that guards formulas saves it."""
    text = source.read_bytes().decode("utf-8-sig")
    reader = csv.DictReader(io.StringIO(text, newline=""))
    by_unit = {one["unit_id"]: one for one in answers}
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS)
    writer.writeheader()
    for row in reader:
        if row["unit_id"] in by_unit:
            cells = answer_cells(by_unit[row["unit_id"]])
            row |= {name: guard(cell) for name, cell in cells.items()}
        writer.writerow(row)
    target.write_bytes(("\ufeff" + buffer.getvalue()).encode("utf-8"))
    return target


def edit_csv(path: Path, change: Callable[[int, dict[str, str]], Mapping[str, str] | None]) -> Path:
    """Pass every row of a CSV (row number, cells) through a function; None drops the row."""
    reader = csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(reader.fieldnames or []), lineterminator="\r\n")
    writer.writeheader()
    for number, row in enumerate(reader, start=1):
        changed = change(number, row)
        if changed is not None:
            writer.writerow(changed)
    path.write_bytes(("\ufeff" + buffer.getvalue()).encode("utf-8"))
    return path


def fill_xlsx(source: Path, target: Path, answers: Sequence[Answer]) -> Path:
    """The exported workbook with answers filled in, every cell as text."""
    book = openpyxl.load_workbook(source)
    page = book.active
    by_unit = {one["unit_id"]: one for one in answers}
    for row in page.iter_rows(min_row=2):
        one = by_unit.get(row[0].value)
        if one is None:
            continue
        for name, text in answer_cells(one).items():
            cell = row[COLUMNS.index(name)]
            cell.value = encode_cell(text)
            cell.data_type = "s"
        for cell in row:
            if isinstance(cell.value, str):
                cell.data_type = "s"
    book.save(target)
    return target


def label_studio_export(
    tasks: Sequence[Mapping[str, Any]], answers: Sequence[Answer], *, minimal: bool = False
) -> list[dict[str, Any]]:
    """What Label Studio exports as JSON, or as JSON-MIN."""
    choices = {"a": "A claims more", "b": "B claims more", "neither": "Neither"}
    facts = {True: "The same facts", False: "The facts differ"}
    by_unit = {one["unit_id"]: one for one in answers}
    found = []
    for number, task in enumerate(tasks, start=1):
        one = by_unit.get(task["data"]["unit_id"])
        result: list[dict[str, Any]] = []
        flat: dict[str, Any] = {"id": number, **task["data"], "annotator": 1, "lead_time": 4.5}
        if one is not None:
            side = "b" if one["direction"] == "b" else "a"
            regions = [
                _region(task["data"][f"sentence_{side}"], text, side) for text in one["spans"]
            ]
            choice = choices.get(one["direction"], "Cannot tell")
            result = [
                {
                    "from_name": f"span_{side}",
                    "to_name": f"sentence_{side}",
                    "type": "labels",
                    "value": region,
                }
                for region in regions
            ] + [
                {
                    "from_name": "direction",
                    "to_name": "evidence",
                    "type": "choices",
                    "value": {"choices": [choice]},
                },
                {
                    "from_name": "supported",
                    "to_name": "evidence",
                    "type": "textarea",
                    "value": {"text": [one["supported"]]},
                },
                {
                    "from_name": "same_facts",
                    "to_name": "evidence",
                    "type": "choices",
                    "value": {"choices": [facts[one["same_facts"]]]},
                },
            ]
            flat |= {
                "direction": choice,
                "supported": one["supported"],
                "same_facts": facts[one["same_facts"]],
                f"span_{side}": regions,
            }
        annotations = (
            [
                {
                    "id": number,
                    "completed_by": 1,
                    "was_cancelled": False,
                    "lead_time": 4.5,
                    "result": result,
                }
            ]
            if one
            else []
        )
        full = {
            "id": number,
            "data": dict(task["data"]),
            "annotations": annotations,
            "predictions": [],
            "meta": {},
        }
        found.append(flat if minimal else full)
    return found


def _region(sentence: str, text: str, side: str) -> dict[str, Any]:
    start = len(sentence[: sentence.index(text)].encode("utf-16-le")) // 2
    end = start + len(text.encode("utf-16-le")) // 2
    label = f"goes beyond the evidence in {side.upper()}"
    return {"start": start, "end": end, "text": text, "labels": [label]}
