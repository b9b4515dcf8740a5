"""What does an answered row say of a pair?

Files are read and rows attributed by `forms.desk`. Here the direction, the quotations and the other
answers of a row become a `Label`; what is odd about them is flagged and the label kept.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from judgeprobe.annotate.columns import (
    FACTS_WORDS,
    LAYOUT,
    TEXT_COLUMNS,
    read_direction,
    read_same_facts,
)
from judgeprobe.annotate.keys import Key, places
from judgeprobe.annotate.sheet import shown_texts
from judgeprobe.annotate.spans import span_flags
from judgeprobe.forms.checks import odd_cells, text_damages
from judgeprobe.forms.damage import same_lines
from judgeprobe.forms.desk import Imported, Owner, import_rows
from judgeprobe.forms.problems import Problem
from judgeprobe.forms.rows import Row
from judgeprobe.records import Intervention, Label

__all__ = ["import_files"]


def import_files(
    files: Sequence[Path],
    keys: Sequence[Key],
    interventions: Mapping[str, Intervention],
    existing: Sequence[Label],
    *,
    batch: str | None = None,
    replace_existing: bool = False,
) -> Imported[Label]:
    """Read returned files and add their labels to those there are.

    Args:
        files: In any mix of forms.
        keys: Keys of all batches.
        interventions: By id.
        existing: Labels imported before.
        batch: Take labels of this batch alone, for example "batch-002".
        replace_existing: Whether a new answer replaces an earlier one.

    Raises:
        InputError: A file is none of the forms. Nothing is imported then.
    """
    return import_rows(
        files,
        _Pairs(keys, interventions),
        existing,
        batch=batch,
        replace_existing=replace_existing,
    )


class _Pairs:
    """What a sheet of pairs asks."""

    layout = LAYOUT
    whole = "batch"

    def __init__(self, keys: Sequence[Key], interventions: Mapping[str, Intervention]) -> None:
        self.index = {place.row.unit_id: place for place in places(tuple(keys))}
        self.interventions = interventions
        self.owners: Mapping[str, Owner] = {
            unit_id: Owner(place.batch, place.row.annotator)
            for unit_id, place in self.index.items()
        }

    def gone(self, unit_id: str) -> str:
        name = self.index[unit_id].row.intervention_id
        if name in self.interventions:
            return ""
        return f"the intervention {name} is no longer in the study"

    def label(
        self, row: Row, unit_id: str, annotator: str, problems: list[Problem]
    ) -> Label | None:
        direction = read_direction(row.text("direction"))
        if direction is None:
            message = (
                f"the direction `{row.text('direction')[:40]}` is none of A, B, neither, "
                "cannot tell"
            )
            if row.odd.get("direction"):
                message += f" (the cell is a {row.odd['direction']})"
            problems.append(Problem.refused(row.file, row.row, "bad_direction", message, unit_id))
            return None
        place = self.index[unit_id].row
        item = self.interventions[place.intervention_id]
        texts = dict(zip(TEXT_COLUMNS, shown_texts(item, place.first), strict=True))
        damages = text_damages(row, unit_id, texts, problems)
        if damages is None:
            return None
        spans = tuple(same_lines(span) for span in row.spans)
        flags = [*damages, *span_flags(direction, spans, texts["sentence_a"], texts["sentence_b"])]
        flags += odd_cells(row, "supported", lost="quotation not found" in flags)
        if direction != "cannot_tell" and not row.text("supported").strip():
            flags.append("not said what the evidence supports")
        same_facts = read_same_facts(row.text("same_facts"))
        if same_facts is None:
            given = row.text("same_facts").strip()
            flags.append(f"same facts unreadable: {given[:40]}" if given else "same facts not said")
        for flag in flags:
            if flag not in damages:
                told = _flag_text(flag, spans)
                problems.append(Problem.kept(row.file, row.row, "flag", told, unit_id))
        return Label(
            unit_id=unit_id,
            annotator=annotator,
            direction=direction,
            spans=spans,
            supported=same_lines(row.text("supported")),
            same_facts=same_facts,
            seconds=row.seconds,
            form=row.form,
            flags=tuple(dict.fromkeys(flags)),
        )

    def same(self, one: Label, other: Label) -> bool:
        fields = ("direction", "spans", "supported", "same_facts")
        return all(getattr(one, name) == getattr(other, name) for name in fields)

    def told(self, label: Label) -> str:
        return label.direction


def _flag_text(flag: str, spans: Sequence[str]) -> str:
    if flag == "quotation not found":
        quoted = " | ".join(span[:60] for span in spans)
        return f"the quotation is in neither sentence: {quoted}"
    if flag.startswith("same facts unreadable"):
        return f"{flag}; it is none of {' and '.join(FACTS_WORDS)}"
    return flag
