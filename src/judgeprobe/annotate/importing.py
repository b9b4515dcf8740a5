"""Whose answers are these, for which pairs, and which of them can be taken?

Every row of every returned file is held against the keys. What fits becomes a label; what is odd
is named with its file and row; what cannot be attributed to a unit, or was given for another text,
is refused and the rest imported. A label already imported stays unless `replace` is asked for.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from judgeprobe.annotate.answers import Given, Problem
from judgeprobe.annotate.columns import (
    FACTS_WORDS,
    SPAN_COLUMN,
    TEXT_COLUMNS,
    read_direction,
    read_same_facts,
)
from judgeprobe.annotate.damage import FORMULA_ERRORS, explain, looks_like_date, same_lines
from judgeprobe.annotate.keys import Key, Place, places
from judgeprobe.annotate.reading import read_file
from judgeprobe.annotate.sheet import shown_texts
from judgeprobe.annotate.spans import span_flags
from judgeprobe.errors import InputError
from judgeprobe.records import Intervention, Label

__all__ = ["FileReport", "Imported", "import_files"]


@dataclass(frozen=True)
class FileReport:
    """What came out of one file.

    Attributes:
        rows: Rows in it.
        imported: Labels that are new, or that replaced an earlier one.
        unchanged: Labels that were imported before.
        unanswered: Rows without an answer.
        refused: Rows that were answered and could not be taken.
    """

    file: str
    form: str
    batch: str
    annotator: str
    rows: int
    imported: int
    unchanged: int
    unanswered: int
    refused: int


@dataclass(frozen=True)
class Imported:
    """What came out of one import: all labels, old and new, and everything that was odd."""

    labels: tuple[Label, ...]
    files: tuple[FileReport, ...]
    problems: tuple[Problem, ...]


def import_files(
    files: Sequence[Path],
    keys: Sequence[Key],
    interventions: Mapping[str, Intervention],
    existing: Sequence[Label],
    *,
    batch: str | None = None,
    replace_existing: bool = False,
) -> Imported:
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
    index = {place.row.unit_id: place for place in places(tuple(keys))}
    desk = _Desk(index, interventions, batch)
    for path in files:
        given, problems = read_file(path)
        desk.take(path, given, problems)
    return desk.settle(existing, replace_existing=replace_existing)


class _Desk:
    """Rows as they pass from files to labels."""

    def __init__(
        self,
        index: Mapping[str, Place],
        interventions: Mapping[str, Intervention],
        batch: str | None,
    ) -> None:
        self.index = index
        self.interventions = interventions
        self.batch = batch
        self.problems: list[Problem] = []
        self.candidates: list[tuple[Given, Label]] = []
        self.seen: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.reports: dict[Path, FileReport] = {}
        self.owners: dict[tuple[str, str], Path] = {}

    def take(self, path: Path, given: Sequence[Given], problems: Sequence[Problem]) -> None:
        """Check the rows of one file."""
        if path in self.reports:
            raise InputError("is named twice", file=path, remedy="name each file once")
        self.problems += problems
        owner = self._owner(given)
        if owner is not None:
            self._second_file(path, owner)
        refused, unanswered = sum(one.effect == "refused" for one in problems), []
        for one in given:
            place = self._place(one, owner)
            if place is None:
                refused += 1
                continue
            self.seen[place.batch, place.row.annotator].add(place.row.unit_id)
            if not one.direction.strip():
                unanswered.append(one)
                continue
            label = self._label(one, place)
            if label is None:
                refused += 1
            else:
                self.candidates.append((one, label))
        if unanswered:
            self._tell_unanswered(path, unanswered)
        batch, annotator = owner or ("", "")
        form = given[0].form if given else ""
        self.reports[path] = FileReport(
            path.name, form, batch, annotator, len(given), 0, 0, len(unanswered), refused
        )

    def settle(self, existing: Sequence[Label], *, replace_existing: bool) -> Imported:
        """Drop what was answered twice, and add the rest to what there is."""
        kept = {label.unit_id: label for label in existing}
        counts: dict[Path, Counter[str]] = defaultdict(Counter)
        for one, label in self._without_doubles(counts):
            before = kept.get(label.unit_id)
            if before is not None and _same_answer(before, label):
                counts[one.file]["unchanged"] += 1
            elif before is not None and not replace_existing:
                counts[one.file]["refused"] += 1
                message = (
                    f"`{before.direction}` was imported before and this file has "
                    f"`{label.direction}` or another basis; the earlier label stays "
                    "(--replace takes the new one)"
                )
                self.problems.append(
                    Problem.refused(one.file, one.row, "already_imported", message, label.unit_id)
                )
            else:
                kept[label.unit_id] = label
                counts[one.file]["imported"] += 1
        self._tell_missing()
        reports = [
            replace(
                report,
                imported=counts[path]["imported"],
                unchanged=counts[path]["unchanged"],
                refused=report.refused + counts[path]["refused"],
            )
            for path, report in self.reports.items()
        ]
        labels = sorted(kept.values(), key=lambda label: (label.annotator, label.unit_id))
        return Imported(tuple(labels), tuple(reports), tuple(self.problems))

    # ---- whose row is it ------------------------------------------------------------------------

    def _owner(self, given: Sequence[Given]) -> tuple[str, str] | None:
        """The batch and annotator that most rows of a file belong to."""
        found = Counter(
            (place.batch, place.row.annotator)
            for one in given
            if (place := self.index.get(_unit_id(one))) is not None
        )
        return found.most_common(1)[0][0] if found else None

    def _second_file(self, path: Path, owner: tuple[str, str]) -> None:
        first = self.owners.setdefault(owner, path)
        if first != path:
            batch, annotator = owner
            message = f"is a second file of {annotator} for {batch}, beside {first.name}"
            self.problems.append(Problem.note(path, None, "second_file", message))

    def _place(self, one: Given, owner: tuple[str, str] | None) -> Place | None:
        unit_id = _unit_id(one)
        place = self.index.get(unit_id)
        kind = message = ""
        if place is None:
            kind, message = (
                "unknown_unit",
                f"the unit `{unit_id[:40]}` is in no batch of this study",
            )
        elif owner is not None and place.row.annotator != owner[1]:
            kind = "other_annotator"
            message = f"the unit belongs to {place.row.annotator}, the file to {owner[1]}"
        elif self.batch is not None and place.batch != self.batch:
            kind, message = "other_batch", f"the unit belongs to {place.batch}, not {self.batch}"
        elif place.row.intervention_id not in self.interventions:
            kind = "gone"
            message = f"the intervention {place.row.intervention_id} is no longer in the study"
        if kind:
            self.problems.append(Problem.refused(one.file, one.row, kind, message, unit_id))
            return None
        if place is not None and owner is not None and place.batch != owner[0]:
            message = f"the unit belongs to {place.batch}, most of the file to {owner[0]}"
            self.problems.append(Problem.kept(one.file, one.row, "mixed_batches", message, unit_id))
        return place

    # ---- what does it say -----------------------------------------------------------------------

    def _label(self, one: Given, place: Place) -> Label | None:
        unit_id = place.row.unit_id
        direction = read_direction(one.direction)
        if direction is None:
            message = f"the direction `{one.direction[:40]}` is none of A, B, neither, cannot tell"
            if one.odd.get("direction"):
                message += f" (the cell is a {one.odd['direction']})"
            self.problems.append(
                Problem.refused(one.file, one.row, "bad_direction", message, unit_id)
            )
            return None
        item = self.interventions[place.row.intervention_id]
        texts = dict(zip(TEXT_COLUMNS, shown_texts(item, place.row.first), strict=True))
        damages = self._damages(one, unit_id, texts)
        if damages is None:
            return None
        spans = tuple(same_lines(span) for span in one.spans)
        flags = [*damages, *span_flags(direction, spans, texts["sentence_a"], texts["sentence_b"])]
        flags += self._odd_cells(one, lost="quotation not found" in flags)
        if direction != "cannot_tell" and not one.supported.strip():
            flags.append("not said what the evidence supports")
        same_facts = read_same_facts(one.same_facts)
        if same_facts is None:
            given = one.same_facts.strip()
            flags.append(f"same facts unreadable: {given[:40]}" if given else "same facts not said")
        for flag in flags:
            if flag not in damages:
                self.problems.append(
                    Problem.kept(one.file, one.row, "flag", _flag_text(flag, spans), unit_id)
                )
        return Label(
            unit_id=unit_id,
            annotator=place.row.annotator,
            direction=direction,
            spans=spans,
            supported=same_lines(one.supported),
            same_facts=same_facts,
            seconds=one.seconds,
            form=one.form,
            flags=tuple(dict.fromkeys(flags)),
        )

    def _damages(self, one: Given, unit_id: str, texts: Mapping[str, str]) -> list[str] | None:
        """What happened to the texts on their way; None where one was edited."""
        damages = []
        for name, expected in texts.items():
            if name not in one.shown:
                continue
            damage = explain(one.shown[name], expected, kind=one.odd.get(name, ""))
            if damage is None:
                message = (
                    f"the {name.replace('_', ' ')} was edited, so the label is for another text"
                )
                self.problems.append(
                    Problem.refused(one.file, one.row, "edited_text", message, unit_id)
                )
                return None
            if damage:
                damages.append(f"{name}: {damage}")
                self.problems.append(
                    Problem.kept(one.file, one.row, "damaged_text", f"{name}: {damage}", unit_id)
                )
        return damages

    def _odd_cells(self, one: Given, *, lost: bool) -> list[str]:
        flags = [
            f"{name}: the spreadsheet made it a {kind}"
            for name, kind in one.odd.items()
            if name == "supported" or SPAN_COLUMN.fullmatch(name)
        ]
        if one.form not in ("csv", "xlsx"):
            return flags
        # A sentence may hold such words; then the quotation is right.
        suspects = (*(one.spans if lost else ()), one.supported)
        if any(text.strip().casefold().startswith(FORMULA_ERRORS) for text in suspects):
            flags.append("an answer was read as a formula by the spreadsheet")
        if lost and any(looks_like_date(span) for span in one.spans):
            flags.append("a quotation was turned into a date by the spreadsheet")
        return flags

    # ---- what is told at the end ----------------------------------------------------------------

    def _without_doubles(self, counts: dict[Path, Counter[str]]) -> list[tuple[Given, Label]]:
        by_unit: dict[str, list[tuple[Given, Label]]] = defaultdict(list)
        for one, label in self.candidates:
            by_unit[label.unit_id].append((one, label))
        kept = []
        for unit_id, found in by_unit.items():
            first, label = found[0]
            if all(_same_answer(label, other) for _, other in found[1:]):
                kept.append(found[0])
                for one, _ in found[1:]:
                    counts[one.file]["unchanged"] += 1
                    self.problems.append(
                        Problem.note(
                            one.file,
                            one.row,
                            "repeated_row",
                            f"the same answer stands in {first.file.name}, row {first.row}",
                            unit_id,
                        )
                    )
                continue
            where = " and ".join(f"{one.file.name} row {one.row}" for one, _ in found)
            for one, _ in found:
                counts[one.file]["refused"] += 1
                self.problems.append(
                    Problem.refused(
                        one.file,
                        one.row,
                        "two_answers",
                        f"the unit has two different answers ({where}); none was taken",
                        unit_id,
                    )
                )
        return kept

    def _tell_unanswered(self, path: Path, unanswered: Sequence[Given]) -> None:
        self.problems.append(
            Problem(
                path.name,
                tuple(one.row for one in unanswered),
                "unanswered",
                f"{len(unanswered)} units have no answer",
                "note",
                tuple(_unit_id(one) for one in unanswered),
            )
        )

    def _tell_missing(self) -> None:
        wanted: dict[tuple[str, str], list[str]] = defaultdict(list)
        for place in self.index.values():
            wanted[place.batch, place.row.annotator].append(place.row.unit_id)
        for owner, path in self.owners.items():
            absent = [unit for unit in wanted[owner] if unit not in self.seen[owner]]
            if absent:
                batch, annotator = owner
                shown = ", ".join(absent[:5]) + (" ..." if len(absent) > 5 else "")
                message = (
                    f"{len(absent)} of {len(wanted[owner])} units of {annotator} in {batch} are "
                    f"missing ({shown})"
                )
                self.problems.append(
                    Problem(path.name, (), "missing_units", message, "note", tuple(absent))
                )


def _unit_id(one: Given) -> str:
    return one.unit_id.strip().casefold()


def _same_answer(one: Label, other: Label) -> bool:
    """Whether two labels say the same; form, time and flags aside."""
    fields = ("direction", "spans", "supported", "same_facts")
    return all(getattr(one, name) == getattr(other, name) for name in fields)


def _flag_text(flag: str, spans: Sequence[str]) -> str:
    if flag == "quotation not found":
        quoted = " | ".join(span[:60] for span in spans)
        return f"the quotation is in neither sentence: {quoted}"
    if flag.startswith("same facts unreadable"):
        return f"{flag}; it is none of {' and '.join(FACTS_WORDS)}"
    return flag
