"""How do interventions become batches that can be handed out?

    annotation/batch-001/annotator-1/   one annotator's files, nothing that unblinds
    annotation/keys/batch-001.json      what unblinds the batch
    annotation/keys/secret              what ids and orders are drawn from

Every file of a batch carries one and the same date. What goes around the texts (codebook, consent,
page) is searched for the names of slots, axes, arms and models before anything is written.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from judgeprobe import resources
from judgeprobe.annotate import label_studio, page, workbook
from judgeprobe.annotate.blinding import deal, make_key, most_of_one_base, split_training
from judgeprobe.annotate.keys import Key, keys_dir, read_keys, study_secret, write_key
from judgeprobe.annotate.sheet import Sheet, make_sheet
from judgeprobe.errors import InputError
from judgeprobe.files import dump_json, read_jsonl, read_text, write_bytes
from judgeprobe.forms.folder import constant_dates, refuse_names, telling_names
from judgeprobe.forms.names import FORMS
from judgeprobe.forms.page import render_codebook
from judgeprobe.records import Intervention, Label
from judgeprobe.study import Study
from judgeprobe.taxonomy import AnnotatorWords

__all__ = ["Exported", "export"]

CODEBOOK_OF_OWN = (
    "the taxonomy {name} has no codebook for annotators; give one with --codebook FILE, "
    "or `codebook` texts of its slots"
)


@dataclass(frozen=True)
class Exported:
    """What an export made.

    Attributes:
        batch: "batch-001" and so on.
        training: Whether it is the training round.
        units: Pairs in it, repeats not counted.
        repeats: Pairs shown a second time.
        shared_base: Largest number of its pairs that share one base item.
        folder: Where it lies.
    """

    batch: str
    training: bool
    units: int
    repeats: int
    shared_base: int
    folder: Path


def export(
    study: Study,
    *,
    annotators: int,
    size: int,
    training: int = 0,
    repeats: int = 0,
    forms: Sequence[str] = FORMS,
    codebook: Path | None = None,
    consent: Path | None = None,
    replace: bool = False,
) -> list[Exported]:
    """Write every intervention that is in no batch yet into blind batches.

    Args:
        study: Its interventions are exported.
        annotators: How many people label each pair.
        size: Most pairs in a batch, repeats not counted.
        training: Items of the training round; made once, before the first batch.
        repeats: Units of each batch that each annotator sees twice.
        forms: Which of `FORMS` to write.
        codebook: A codebook in place of the shipped one, Markdown.
        consent: A consent text in place of the shipped one, Markdown.
        replace: Discard earlier batches and their keys first.

    Raises:
        InputError: There is nothing to export, earlier batches have labels, a text does not fit,
            or codebook or consent name a slot, axis, arm or model.
    """
    interventions = read_jsonl(study.interventions_path, Intervention)
    wording = _wording(study, interventions, codebook, consent)
    old = _clear(study) if replace else read_keys(study)
    taken = {row.intervention_id for key in old for row in key.rows}
    fresh = [item for item in interventions if item.id not in taken]
    if not fresh:
        raise InputError(
            "every intervention is in a batch already",
            file=study.interventions_path,
            remedy="use --replace to discard the batches and export again",
        )
    secret = study_secret(study)
    names = [f"annotator-{number}" for number in range(1, annotators + 1)]
    plan: list[tuple[list[Intervention], bool]] = []
    if training and not any(row.role == "training" for key in old for row in key.rows):
        chosen, fresh = split_training(secret, fresh, training)
        plan.append((chosen, True))
    plan += [(items, False) for items in deal(secret, fresh, size)]
    first = 1 + max((int(key.batch.removeprefix("batch-")) for key in old), default=0)
    by_id = {item.id: item for item in interventions}
    made = []
    # All is drawn and rendered before anything is written: one text that does not fit stops it.
    for number, (items, is_training) in enumerate(plan, start=first):
        key = make_key(
            secret,
            f"batch-{number:03d}",
            items,
            names,
            taxonomy=study.taxonomy.hash,
            repeats=0 if is_training else repeats,
            training=is_training,
        )
        sheets = [make_sheet(key, name, by_id) for name in names]
        made.append((key, items, is_training, [_render(s, forms, wording) for s in sheets]))
    return [_write(study, key, items, flag, files) for key, items, flag, files in made]


def _write(
    study: Study,
    key: Key,
    items: Sequence[Intervention],
    training: bool,  # noqa: FBT001
    files: Sequence[dict[str, bytes]],
) -> Exported:
    folder = study.annotation_dir / key.batch
    # The key first: a folder without a key could never be read back.
    write_key(study, key)
    for annotator, content in zip(key.annotators, files, strict=True):
        for name, data in content.items():
            write_bytes(folder / annotator / name, data)
    constant_dates(folder)
    repeated = sum(row.role == "repeat" for row in key.rows) // len(key.annotators)
    return Exported(
        batch=key.batch,
        training=training,
        units=len(items),
        repeats=repeated,
        shared_base=most_of_one_base(items),
        folder=folder,
    )


@dataclass(frozen=True)
class _Wording:
    codebook: str
    consent: str
    words: AnnotatorWords


def _render(sheet: Sheet, forms: Sequence[str], wording: _Wording) -> dict[str, bytes]:
    """One annotator's files, by name."""
    stem = sheet.stem
    makers: dict[str, Callable[[], dict[str, bytes]]] = {
        "html": lambda: {
            f"{stem}.html": page.render_page(
                sheet, codebook=wording.codebook, consent=wording.consent, words=wording.words
            ).encode()
        },
        "csv": lambda: {f"{stem}.csv": workbook.csv_text(sheet).encode()},
        "xlsx": lambda: {f"{stem}.xlsx": workbook.xlsx_bytes(sheet)},
        "label-studio": lambda: {
            f"{stem}-label-studio-tasks.json": dump_json(label_studio.tasks(sheet)).encode(),
            "label-studio-project.xml": label_studio.project_xml(wording.words).encode(),
        },
    }
    files = {
        "codebook.html": render_codebook(wording.codebook, wording.consent).encode(),
    }
    for form in forms:
        files |= makers[form]()
    return files


def _wording(
    study: Study,
    interventions: Sequence[Intervention],
    codebook: Path | None,
    consent: Path | None,
) -> _Wording:
    book = read_text(codebook) if codebook else _own_codebook(study)
    terms = read_text(consent) if consent else resources.read_text("annotation", "consent.md")
    names = telling_names(study, interventions)
    refuse_names(names, "codebook", book, codebook)
    refuse_names(names, "consent text", terms, consent)
    return _Wording(book, terms, study.taxonomy.annotators)


def _own_codebook(study: Study) -> str:
    shipped = resources.read_text("annotation", "codebook.md")
    taxonomy = study.taxonomy
    if taxonomy.name == "claim-calibration":
        return shipped
    texts = sorted(slot.codebook for slot in taxonomy.slots if slot.codebook)
    if not texts:
        raise InputError(CODEBOOK_OF_OWN.format(name=taxonomy.name))
    # In alphabetical order, so that their sequence does not follow the slots.
    return (
        f"# How to label a pair\n\nThe question: {taxonomy.annotators.question}\n\n"
        + "\n\n".join(texts)
    )


def _clear(study: Study) -> tuple[Key, ...]:
    """Discard earlier batches and keys, unless somebody has labelled them."""
    labelled = set()
    if study.labels_path.exists():
        labelled = {label.unit_id for label in read_jsonl(study.labels_path, Label)}
    if labelled:
        raise InputError(
            f"holds {len(labelled)} labels of the batches that would be discarded",
            file=study.labels_path,
            remedy="move it away first if you mean to discard them",
        )
    for path in keys_dir(study).glob("batch-*.json"):
        path.unlink()
    for folder in study.annotation_dir.glob("batch-*"):
        shutil.rmtree(folder)
    return ()
