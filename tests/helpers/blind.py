"""A study with made-up pairs, and SCRIPTED annotators: no person gave these labels."""

import csv
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import openpyxl
from tests.helpers.annotation import intervention, make_study

from judgeprobe.blind.keys import read_key, read_units
from judgeprobe.blind.paths import paths_of
from judgeprobe.forms.cells import encode_cell, guard
from judgeprobe.records import BlindUnit
from judgeprobe.study import Study

SECRET = "5a" * 32
CONSTRUCT_SLOTS = range(7)
Script = Callable[[BlindUnit, str], str]


def blind_study(folder: Path, n_base: int = 12, extra: str = "", edits: int = 2) -> Study:
    """Base items with so many construct edits each, and one edit that keeps the construct."""
    rows = []
    for base in range(n_base):
        original = f"The original of base {base} may hold."
        for edit in range(edits + 1):
            number = base * (edits + 1) + edit
            slot = (base + edit) % 7 if edit < edits else 8
            rows.append(
                intervention(
                    number,
                    slot=slot,
                    base=base,
                    evidence=f"Evidence of base {base} was seen once.",
                    original=original,
                    edited=f"Edit {number} of it holds.",
                )
            )
    study = make_study(folder, rows, extra)
    secret = folder / "blind" / "keys" / "secret"
    secret.parent.mkdir(parents=True, exist_ok=True)
    secret.write_text(SECRET, encoding="utf-8")
    return study


def scripted(unit: BlindUnit, annotator: str) -> str:
    """A fixed made-up reading: 30 percent of the roles are wrong, each annotator slips on 10."""
    truth = unit.inherited
    if random.Random(unit.unit_id).random() < 0.3:
        truth = {"clean": "unsupported", "over-scoped": "anchored"}[truth]
    slip = random.Random(f"{annotator} {unit.unit_id}")
    if slip.random() < 0.1:
        truth = slip.choice(("clean", "anchored", "over-scoped", "unsupported"))
    return truth


def shown_units(study: Study, annotator: str) -> list[tuple[str, BlindUnit]]:
    """What an annotator sees, in order, with what it really is."""
    paths = paths_of(study)
    key = read_key(paths)
    by_id = {unit.unit_id: unit for unit in read_units(paths, key)}
    return [(row.shown_id, by_id[row.unit_id]) for row in key.sheets[annotator]]


def answers(study: Study, annotator: str, script: Script = scripted) -> dict[str, dict[str, str]]:
    """Cells by shown id."""
    found = {}
    for shown, unit in shown_units(study, annotator):
        label = script(unit, annotator)
        quoted = "" if label == "clean" else unit.sentence.split(" ")[0]
        found[shown] = {"label": label, "span_1": quoted, "note": ""}
    return found


def fill_blind_csv(study: Study, annotator: str, target: Path, script: Script = scripted) -> Path:
    """The exported CSV with scripted answers."""
    source = paths_of(study).sheets / annotator / f"sentences-{annotator}.csv"
    reader = csv.DictReader(io.StringIO(source.read_bytes().decode("utf-8-sig"), newline=""))
    given = answers(study, annotator, script)
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(reader.fieldnames or []))
    writer.writeheader()
    for row in reader:
        cells = given.get(row["unit_id"], {})
        writer.writerow(row | {name: guard(cell) for name, cell in cells.items()})
    target.write_bytes(("\ufeff" + buffer.getvalue()).encode("utf-8"))
    return target


def fill_blind_xlsx(study: Study, annotator: str, target: Path, script: Script = scripted) -> Path:
    """The exported workbook with scripted answers."""
    source = paths_of(study).sheets / annotator / f"sentences-{annotator}.xlsx"
    book = openpyxl.load_workbook(source)
    page = book.active
    header = [cell.value for cell in page[1]]
    given = answers(study, annotator, script)
    for row in page.iter_rows(min_row=2):
        for name, text in given.get(row[0].value, {}).items():
            cell = row[header.index(name)]
            cell.value = encode_cell(text) or None
            cell.data_type = "s"
    book.save(target)
    return target


def write_blind_copy(study: Study, annotator: str, target: Path, script: Script = scripted) -> Path:
    """What the page's "Save a copy" saves."""
    key = read_key(paths_of(study))
    labels = [
        {
            "unit_id": shown,
            "label": cells["label"],
            "spans": [{"sentence": "s", "text": cells["span_1"]}] if cells["span_1"] else [],
            "note": "",
            "seconds": 2.5,
        }
        for shown, cells in answers(study, annotator, script).items()
    ]
    copy = {
        "format": "judgeprobe-labels",
        "version": 1,
        "sheet": key.tokens[annotator],
        "batch": "sentences",
        "annotator": annotator,
        "labels": labels,
    }
    target.write_text(json.dumps(copy), encoding="utf-8")
    return target


def blind_label_studio(
    study: Study, annotator: str, target: Path, script: Script = scripted, *, minimal: bool = False
) -> Path:
    """What Label Studio exports as JSON, or as JSON-MIN."""
    folder = paths_of(study).sheets / annotator
    tasks = json.loads((folder / f"sentences-{annotator}-label-studio-tasks.json").read_text())
    given = answers(study, annotator, script)
    found = [_task(number, task["data"], given, minimal) for number, task in enumerate(tasks)]
    target.write_text(json.dumps(found), encoding="utf-8")
    return target


def _task(
    number: int, data: Mapping[str, str], given: Mapping[str, Mapping[str, str]], minimal: bool
) -> dict[str, object]:
    cells = given[data["unit_id"]]
    regions: Sequence[dict[str, object]] = []
    if cells["span_1"]:
        regions = [{"start": 0, "end": len(cells["span_1"]), "text": cells["span_1"]}]
    if minimal:
        flat = {"id": number, **data, "label": cells["label"], "note": cells["note"]}
        return {**flat, "span_s": list(regions), "lead_time": 2.5}
    result = [{"from_name": "span_s", "value": region} for region in regions]
    result.append({"from_name": "label", "value": {"choices": [cells["label"]]}})
    return {"id": number, "data": dict(data), "annotations": [{"lead_time": 2.5, "result": result}]}
