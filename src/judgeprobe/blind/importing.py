"""What does an answered row say of a sentence?

Files are read and rows attributed by `forms.desk`, as strictly as for pairs: a row that cannot be
attributed, or was given for another text, is refused by name and the rest imported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from judgeprobe.blind.keys import BlindKey
from judgeprobe.blind.sheet import LAYOUT, WHOLE
from judgeprobe.forms.checks import odd_cells, text_damages
from judgeprobe.forms.damage import same_lines
from judgeprobe.forms.desk import Imported, Owner, import_rows
from judgeprobe.forms.problems import Problem
from judgeprobe.forms.rows import Row
from judgeprobe.forms.spans import find_span
from judgeprobe.records import BlindLabel, BlindUnit
from judgeprobe.settings import BlindSettings
from judgeprobe.typography import normalise

__all__ = ["import_labels"]


def import_labels(
    files: Sequence[Path],
    key: BlindKey,
    units: Sequence[BlindUnit],
    settings: BlindSettings,
    existing: Sequence[BlindLabel],
    *,
    replace_existing: bool = False,
) -> Imported[BlindLabel]:
    """Read returned files and add their labels to those there are.

    Raises:
        InputError: A file is none of the forms. Nothing is imported then.
    """
    reader = _Sentences(key, units, settings)
    return import_rows(files, reader, existing, replace_existing=replace_existing)


@dataclass(frozen=True)
class _Place:
    annotator: str
    unit: BlindUnit


class _Sentences:
    """What a sheet of single sentences asks."""

    layout = LAYOUT
    whole = "sheet"

    def __init__(self, key: BlindKey, units: Sequence[BlindUnit], settings: BlindSettings) -> None:
        by_id = {unit.unit_id: unit for unit in units}
        self.settings = settings
        self.index = {
            row.shown_id: _Place(name, by_id[row.unit_id])
            for name, rows in key.sheets.items()
            for row in rows
        }
        self.owners: Mapping[str, Owner] = {
            shown: Owner(WHOLE, place.annotator) for shown, place in self.index.items()
        }

    def gone(self, unit_id: str) -> str:  # noqa: ARG002 - the key holds its own units
        return ""

    def label(
        self, row: Row, unit_id: str, annotator: str, problems: list[Problem]
    ) -> BlindLabel | None:
        found = self.settings.read_class(row.text("label"))
        if found is None:
            message = f"the label `{row.text('label')[:40]}` is none of " + ", ".join(
                self.settings.classes
            )
            if row.odd.get("label"):
                message += f" (the cell is a {row.odd['label']})"
            problems.append(Problem.refused(row.file, row.row, "bad_label", message, unit_id))
            return None
        unit = self.index[unit_id].unit
        texts = {"evidence": unit.evidence, "sentence": unit.sentence}
        damages = text_damages(row, unit_id, texts, problems)
        if damages is None:
            return None
        spans = tuple(same_lines(span) for span in row.spans)
        flags = self._flags(row, found, spans, unit)
        for flag in flags:
            problems.append(Problem.kept(row.file, row.row, "flag", flag, unit_id))
        return BlindLabel(
            unit_id=unit_id,
            annotator=annotator,
            label=found,
            spans=spans,
            note=same_lines(row.text("note")),
            seconds=row.seconds,
            form=row.form,
            flags=tuple(dict.fromkeys([*damages, *flags])),
        )

    def _flags(self, row: Row, label: str, spans: Sequence[str], unit: BlindUnit) -> list[str]:
        quoted = [span for span in spans if normalise(span)]
        lost = any(find_span(span, [unit.sentence], []) == "missing" for span in quoted)
        flags = []
        if not quoted and label != self.settings.classes[0]:
            flags.append("no quotation")
        if lost:
            flags.append("quotation not found")
        return flags + odd_cells(row, "note", lost=lost)

    def same(self, one: BlindLabel, other: BlindLabel) -> bool:
        fields = ("label", "spans", "note")
        return all(getattr(one, name) == getattr(other, name) for name in fields)

    def told(self, label: BlindLabel) -> str:
        return label.label
