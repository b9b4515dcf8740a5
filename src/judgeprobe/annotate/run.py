"""Which files does each step of the annotation read and write?

import_labels   returned files -> labels.jsonl, directions.jsonl, annotation.json,
                annotation/keys/item_labels.csv (the labels unblinded, as a plain table)
study_status    reads all of that, writes nothing
"""

from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from judgeprobe.annotate.agreement import LabelRow
from judgeprobe.annotate.importing import import_files
from judgeprobe.annotate.keys import Key, keys_dir, read_keys
from judgeprobe.annotate.report import StudyReport, study_report
from judgeprobe.annotate.status import progress, reachable
from judgeprobe.errors import InputError
from judgeprobe.files import file_hash, read_jsonl, write_csv, write_json, write_jsonl
from judgeprobe.forms.desk import Imported
from judgeprobe.records import Intervention, Label
from judgeprobe.study import Study

__all__ = ["import_labels", "study_status"]


def import_labels(
    study: Study,
    files: Sequence[Path],
    *,
    batch: str | None = None,
    replace: bool = False,
) -> tuple[Imported[Label], StudyReport]:
    """Import returned files and aggregate all labels; without files, only aggregate.

    Raises:
        InputError: There is no batch, a file is none of the forms, or nothing has been imported
            yet and no file is given.
    """
    interventions, keys, existing = _read(study)
    if batch is not None and batch not in {key.batch for key in keys}:
        raise InputError(
            f"there is no {batch}",
            remedy="name one of " + ", ".join(key.batch for key in keys),
        )
    if not files and not existing:
        raise InputError(
            "holds no label yet", file=study.labels_path, remedy="name the files that came back"
        )
    found = import_files(
        files,
        keys,
        {item.id: item for item in interventions},
        existing,
        batch=batch,
        replace_existing=replace,
    )
    report = study_report(study, interventions, keys, found.labels)
    write_jsonl(study.labels_path, found.labels)
    write_jsonl(study.directions_path, report.directions)
    write_json(study.annotation_path, report.content)
    table = keys_dir(study) / "item_labels.csv"
    write_csv(table, [one.name for one in fields(LabelRow)], (astuple(row) for row in report.rows))
    study.record("annotate", _hashes(study, keys))
    return found, report


def study_status(study: Study) -> dict[str, Any]:
    """Progress, agreement so far, and the slots that can no longer reach the bar.

    Raises:
        InputError: There is no batch.
    """
    interventions, keys, labels = _read(study)
    report = study_report(study, interventions, keys, labels)
    slots = reachable(keys, labels, interventions, bar=study.bar)
    return {
        "bar": study.bar,
        "progress": progress(keys, labels),
        "reachable": slots,
        "lost": [one["slot"] for one in slots if one["lost"]],
        **report.content,
    }


def _read(study: Study) -> tuple[list[Intervention], tuple[Key, ...], list[Label]]:
    keys = read_keys(study)
    if not keys:
        raise InputError(
            "there is no batch", file=study.annotation_dir, remedy="run: judgeprobe annotate export"
        )
    interventions = read_jsonl(study.interventions_path, Intervention)
    labels = read_jsonl(study.labels_path, Label) if study.labels_path.exists() else []
    return interventions, keys, labels


def _hashes(study: Study, keys: Sequence[Key]) -> dict[str, Any]:
    """What the aggregated files were made from."""
    return {
        "taxonomy": study.taxonomy.hash,
        "inputs": {
            "interventions.jsonl": file_hash(study.interventions_path),
            "labels.jsonl": file_hash(study.labels_path),
            **{
                f"annotation/keys/{key.batch}.json": file_hash(
                    keys_dir(study) / f"{key.batch}.json"
                )
                for key in keys
            },
        },
        "outputs": {
            "directions.jsonl": file_hash(study.directions_path),
            "annotation.json": file_hash(study.annotation_path),
        },
    }
