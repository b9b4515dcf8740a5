"""Which files does each step after the export read and write?

import_set    returned files -> labels.jsonl, majority.jsonl, agreement.json
read_set      all of that, for the score
"""

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgeprobe.blind.importing import import_labels
from judgeprobe.blind.keys import BlindKey, read_key, read_units
from judgeprobe.blind.majority import agreement_report, label_codes, majorities
from judgeprobe.blind.numbers import rounded
from judgeprobe.blind.paths import BlindPaths, paths_of
from judgeprobe.errors import InputError
from judgeprobe.files import file_hash, read_jsonl, write_json, write_jsonl
from judgeprobe.forms.desk import Imported
from judgeprobe.records import BlindLabel, BlindMajority, BlindUnit
from judgeprobe.settings import BlindSettings
from judgeprobe.study import Study

__all__ = ["BlindSet", "import_set", "read_set", "report_of"]


@dataclass(frozen=True)
class BlindSet:
    """An exported set with the labels there are.

    Attributes:
        codes: Class codes, units x annotators; -1 where there is no label.
    """

    paths: BlindPaths
    settings: BlindSettings
    key: BlindKey
    units: tuple[BlindUnit, ...]
    labels: tuple[BlindLabel, ...]
    codes: NDArray[np.int64]

    def majorities(self) -> list[BlindMajority]:
        """What the labels say of each unit."""
        return majorities(self.codes, self.units, self.key.classes)


def read_set(study: Study) -> BlindSet:
    """The set as it stands.

    Raises:
        InputError: Nothing was exported, a file is damaged, or the classes were changed since.
    """
    paths = paths_of(study)
    key = read_key(paths)
    settings = study.settings.blind
    if key.classes != settings.classes:
        raise InputError(
            f"was exported with the classes {', '.join(key.classes)}",
            file=paths.key,
            remedy="put them back into `[blind] classes`, or export again with --replace",
        )
    units = read_units(paths, key)
    labels = read_jsonl(paths.labels, BlindLabel) if paths.labels.exists() else []
    codes = label_codes(key, labels, units)
    return BlindSet(paths, settings, key, tuple(units), tuple(labels), codes)


def import_set(
    study: Study, files: Sequence[Path], *, replace: bool = False
) -> tuple[Imported[BlindLabel], dict[str, Any]]:
    """Import returned files and say what all labels come to; without files, only the latter.

    Raises:
        InputError: Nothing was exported, a file is none of the forms, or nothing has been imported
            yet and no file is given.
    """
    before = read_set(study)
    if not files and not before.labels:
        raise InputError(
            "holds no label yet", file=before.paths.labels, remedy="name the files that came back"
        )
    found = import_labels(
        files, before.key, before.units, before.settings, before.labels, replace_existing=replace
    )
    codes = label_codes(before.key, found.labels, before.units)
    after = replace_fields(before, labels=found.labels, codes=codes)
    report = report_of(study, after)
    paths = before.paths
    write_jsonl(paths.labels, found.labels)
    write_jsonl(paths.majority, after.majorities())
    write_json(paths.agreement, report)
    study.record(
        "blind import",
        {
            "key": file_hash(paths.key),
            "labels": file_hash(paths.labels),
            "majority": file_hash(paths.majority),
            "agreement": file_hash(paths.agreement),
        },
    )
    return found, report


def report_of(study: Study, found: BlindSet) -> dict[str, Any]:
    """How far the annotators agree, as `blind/agreement.json` holds it."""
    report = agreement_report(
        found.codes,
        found.units,
        found.key,
        found.labels,
        resamples=found.settings.resamples,
        level=study.settings.profile.level,
        seed=study.settings.study.seed,
    )
    content: dict[str, Any] = rounded(report)
    return content
