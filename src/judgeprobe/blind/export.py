"""How does the set become sheets that can be handed out?

All is drawn and rendered before anything is written, so one text that does not fit stops it. What
goes around the texts is searched for the names of slots, axes, arms and models first.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgeprobe import resources
from judgeprobe.blind.keys import make_key, secret_of, write_key
from judgeprobe.blind.paths import BlindPaths, paths_of
from judgeprobe.blind.sheet import BlindSheet, ShownUnit, render_sheet
from judgeprobe.blind.units import UnitSet, units_from_file, units_from_pairs
from judgeprobe.errors import InputError, StudyError
from judgeprobe.files import file_hash, read_jsonl, read_text, write_bytes, write_jsonl
from judgeprobe.forms.folder import constant_dates, refuse_names, telling_names
from judgeprobe.forms.names import FORMS
from judgeprobe.forms.page import render_codebook
from judgeprobe.records import BlindItem, BlindLabel, BlindUnit, Intervention
from judgeprobe.settings import BlindSettings
from judgeprobe.study import Study

__all__ = ["ExportedSet", "export_set"]


@dataclass(frozen=True)
class ExportedSet:
    """What an export made.

    Attributes:
        units: Sentences.
        inherited: Sentences by the class that they inherit.
        groups: Pairs or base items they come from.
        shared_evidence: Largest number of sentences with one and the same evidence.
        left_out: What gave no sentence, by reason.
        source: Where they came from.
        folders: Each annotator's folder.
    """

    units: int
    inherited: dict[str, int]
    groups: int
    shared_evidence: int
    left_out: dict[str, int]
    source: str
    folders: dict[str, Path]


def export_set(
    study: Study,
    *,
    annotators: Sequence[str] = (),
    units: Path | None = None,
    forms: Sequence[str] = FORMS,
    consent: Path | None = None,
    replace: bool = False,
) -> ExportedSet:
    """Write the sheets of every annotator, and the key apart from them.

    Args:
        study: Its pairs are taken, unless `units` names a file.
        annotators: Names; those of `[blind]` where none is given.
        units: A file of the user's own.
        forms: Which of `FORMS` to write.
        consent: A consent text in place of the shipped one, Markdown.
        replace: Discard an earlier export first.

    Raises:
        InputError: There is an earlier export, or it has labels; a text does not fit; there is no
            sentence; or codebook or consent name a slot, axis, arm or model.
    """
    paths, settings = paths_of(study), _settings(study, annotators)
    _refuse_earlier(paths, replace=replace)
    interventions = _interventions(study, needed=units is None)
    codebook, terms = _texts(study, settings, interventions, consent)
    secret = secret_of(paths)
    found = (
        units_from_pairs(interventions, settings, secret)
        if units is None
        else units_from_file(units, settings)
    )
    key = make_key(secret, found, settings.annotators, settings.classes)
    by_id = {unit.unit_id: unit for unit in found.units}
    folders: dict[str, dict[str, bytes]] = {}
    for name, rows in key.sheets.items():
        shown = [
            ShownUnit(row.shown_id, by_id[row.unit_id].evidence, by_id[row.unit_id].sentence)
            for row in rows
        ]
        sheet = BlindSheet(name, key.tokens[name], shown)
        folders[name] = {"codebook.html": render_codebook(codebook, terms).encode()}
        for form in forms:
            folders[name] |= render_sheet(sheet, form, settings, codebook=codebook, consent=terms)
    if replace:
        shutil.rmtree(paths.sheets, ignore_errors=True)
        for path in (paths.labels, paths.majority, paths.agreement, paths.scores):
            path.unlink(missing_ok=True)
    key = write_key(paths, key, found.units)
    write_jsonl(paths.items, _items(found.units))
    for name, files in folders.items():
        for file, data in files.items():
            write_bytes(paths.sheets / name / file, data)
    constant_dates(paths.sheets)
    study.record("blind export", {"units": key.units, "key": file_hash(paths.key)})
    return _exported(found, paths, key.annotators)


def _settings(study: Study, annotators: Sequence[str]) -> BlindSettings:
    settings = study.settings.blind
    if not annotators:
        return settings
    try:
        return BlindSettings.model_validate({**settings.model_dump(), "annotators": annotators})
    except ValueError as error:
        told = str(error).splitlines()[2].strip().removeprefix("Value error, ")
        raise StudyError(f"--annotators: {told.split(' [type=')[0]}") from None


def _interventions(study: Study, *, needed: bool) -> list[Intervention]:
    if not needed and not study.interventions_path.exists():
        return []
    return read_jsonl(study.interventions_path, Intervention)


def _refuse_earlier(paths: BlindPaths, *, replace: bool) -> None:
    labels = len(read_jsonl(paths.labels, BlindLabel)) if paths.labels.exists() else 0
    if labels:
        raise InputError(
            f"holds {labels} labels of the sheets that would be discarded",
            file=paths.labels,
            remedy="move it away first if you mean to discard them",
        )
    if paths.key.exists() and not replace:
        raise InputError(
            "a blinded set was exported already",
            file=paths.key,
            remedy="use --replace to discard its sheets and export again",
        )


def _texts(
    study: Study,
    settings: BlindSettings,
    interventions: Sequence[Intervention],
    consent: Path | None,
) -> tuple[str, str]:
    own = None if settings.codebook is None else study.input_path(settings.codebook)
    codebook = read_text(own) if own else _shipped_codebook(settings)
    terms = read_text(consent) if consent else resources.read_text("annotation", "blind_consent.md")
    names = telling_names(study, interventions)
    refuse_names(names, "codebook", codebook, own)
    refuse_names(names, "consent text", terms, consent)
    return codebook, terms


def _shipped_codebook(settings: BlindSettings) -> str:
    if settings.classes != BlindSettings().classes:
        raise InputError(
            "the shipped codebook explains the shipped classes, and `[blind] classes` are others",
            remedy="name a codebook of your own in `[blind] codebook`",
        )
    return resources.read_text("annotation", "blind_codebook.md")


def _items(units: Sequence[BlindUnit]) -> list[BlindItem]:
    return [
        BlindItem(unit_id=unit.unit_id, evidence=unit.evidence, sentence=unit.sentence)
        for unit in units
    ]


def _exported(found: UnitSet, paths: BlindPaths, annotators: Sequence[str]) -> ExportedSet:
    classes = sorted({unit.inherited for unit in found.units})
    evidence: dict[str, int] = {}
    for unit in found.units:
        evidence[unit.evidence] = evidence.get(unit.evidence, 0) + 1
    return ExportedSet(
        units=len(found.units),
        inherited={name: sum(unit.inherited == name for unit in found.units) for name in classes},
        groups=len({unit.group for unit in found.units}),
        shared_evidence=max(evidence.values()),
        left_out=dict(found.left_out),
        source=found.source,
        folders={name: paths.sheets / name for name in annotators},
    )
