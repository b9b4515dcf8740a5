"""Whose answers are these, for which units, and which of them can be taken?

Every row of every returned file is held against the key. What fits becomes a label; what is odd is
named with its file and row; what cannot be attributed to a unit, or was given for another text, is
refused and the rest imported. A label already imported stays unless `replace` is asked for.

What an answer means is said by a `Reader`, one for each kind of sheet.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from judgeprobe.errors import InputError
from judgeprobe.forms.problems import Problem
from judgeprobe.forms.reading import read_file
from judgeprobe.forms.rows import Layout, Row

__all__ = ["FileReport", "Imported", "Owner", "Reader", "import_rows"]


class _Label(Protocol):
    @property
    def unit_id(self) -> str: ...
    @property
    def annotator(self) -> str: ...


L = TypeVar("L", bound=_Label)


@dataclass(frozen=True, order=True)
class Owner:
    """Whose sheet a unit stands on."""

    batch: str
    annotator: str


class Reader(Protocol[L]):
    """What one kind of sheet asks, and what its answers mean.

    Attributes:
        layout: Its columns.
        owners: Whose sheet each unit stands on, by unit id.
        whole: What a unit that nobody knows is not in: "batch".
    """

    layout: Layout
    owners: Mapping[str, Owner]
    whole: str

    def gone(self, unit_id: str) -> str:
        """Why a unit of the key can no longer be labelled; "" where it can."""

    def label(self, row: Row, unit_id: str, annotator: str, problems: list[Problem]) -> L | None:
        """The label that an answered row gives, or None and a problem that says why not."""

    def same(self, one: L, other: L) -> bool:
        """Whether two labels say the same; form, time and flags aside."""

    def told(self, label: L) -> str:
        """The label's answer in a word."""


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
class Imported(Generic[L]):
    """What came out of one import: all labels, old and new, and everything that was odd."""

    labels: tuple[L, ...]
    files: tuple[FileReport, ...]
    problems: tuple[Problem, ...]


def import_rows(
    files: Sequence[Path],
    reader: Reader[L],
    existing: Sequence[L],
    *,
    batch: str | None = None,
    replace_existing: bool = False,
) -> Imported[L]:
    """Read returned files and add their labels to those there are.

    Args:
        files: In any mix of forms.
        reader: What their answers mean.
        existing: Labels imported before.
        batch: Take labels of this batch alone.
        replace_existing: Whether a new answer replaces an earlier one.

    Raises:
        InputError: A file is none of the forms. Nothing is imported then.
    """
    desk = _Desk(reader, batch)
    for path in files:
        rows, problems = read_file(path, reader.layout)
        desk.take(path, rows, problems)
    return desk.settle(existing, replace_existing=replace_existing)


class _Desk(Generic[L]):
    """Rows as they pass from files to labels."""

    def __init__(self, reader: Reader[L], batch: str | None) -> None:
        self.reader = reader
        self.batch = batch
        self.problems: list[Problem] = []
        self.candidates: list[tuple[Row, L]] = []
        self.seen: dict[Owner, set[str]] = defaultdict(set)
        self.reports: dict[Path, FileReport] = {}
        self.owners: dict[Owner, Path] = {}

    def take(self, path: Path, rows: Sequence[Row], problems: Sequence[Problem]) -> None:
        """Check the rows of one file."""
        if path in self.reports:
            raise InputError("is named twice", file=path, remedy="name each file once")
        self.problems += problems
        owner = self._owner(rows)
        if owner is not None:
            self._second_file(path, owner)
        refused, unanswered = sum(one.effect == "refused" for one in problems), []
        for one in rows:
            place = self._place(one, owner)
            if place is None:
                refused += 1
                continue
            unit_id = _unit_id(one)
            self.seen[place].add(unit_id)
            if not one.text(self.reader.layout.answer).strip():
                unanswered.append(one)
                continue
            label = self.reader.label(one, unit_id, place.annotator, self.problems)
            if label is None:
                refused += 1
            else:
                self.candidates.append((one, label))
        if unanswered:
            self._tell_unanswered(path, unanswered)
        whose = owner or Owner("", "")
        form = rows[0].form if rows else ""
        self.reports[path] = FileReport(
            *(path.name, form, whose.batch, whose.annotator, len(rows)),
            *(0, 0, len(unanswered), refused),
        )

    def settle(self, existing: Sequence[L], *, replace_existing: bool) -> Imported[L]:
        """Drop what was answered twice, and add the rest to what there is."""
        kept = {label.unit_id: label for label in existing}
        counts: dict[Path, Counter[str]] = defaultdict(Counter)
        for one, label in self._without_doubles(counts):
            before = kept.get(label.unit_id)
            if before is not None and self.reader.same(before, label):
                counts[one.file]["unchanged"] += 1
            elif before is not None and not replace_existing:
                counts[one.file]["refused"] += 1
                message = (
                    f"`{self.reader.told(before)}` was imported before and this file has "
                    f"`{self.reader.told(label)}` or another basis; the earlier label stays "
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

    def _owner(self, rows: Sequence[Row]) -> Owner | None:
        """The batch and annotator that most rows of a file belong to."""
        found = Counter(
            place for one in rows if (place := self.reader.owners.get(_unit_id(one))) is not None
        )
        return found.most_common(1)[0][0] if found else None

    def _second_file(self, path: Path, owner: Owner) -> None:
        first = self.owners.setdefault(owner, path)
        if first != path:
            message = (
                f"is a second file of {owner.annotator} for {owner.batch}, beside {first.name}"
            )
            self.problems.append(Problem.note(path, None, "second_file", message))

    def _place(self, one: Row, owner: Owner | None) -> Owner | None:
        unit_id = _unit_id(one)
        place = self.reader.owners.get(unit_id)
        kind = message = ""
        if place is None:
            kind = "unknown_unit"
            message = f"the unit `{unit_id[:40]}` is in no {self.reader.whole} of this study"
        elif owner is not None and place.annotator != owner.annotator:
            kind = "other_annotator"
            message = f"the unit belongs to {place.annotator}, the file to {owner.annotator}"
        elif self.batch is not None and place.batch != self.batch:
            kind, message = "other_batch", f"the unit belongs to {place.batch}, not {self.batch}"
        elif gone := self.reader.gone(unit_id):
            kind, message = "gone", gone
        if kind:
            self.problems.append(Problem.refused(one.file, one.row, kind, message, unit_id))
            return None
        if place is not None and owner is not None and place.batch != owner.batch:
            message = f"the unit belongs to {place.batch}, most of the file to {owner.batch}"
            self.problems.append(Problem.kept(one.file, one.row, "mixed_batches", message, unit_id))
        return place

    # ---- what is told at the end ----------------------------------------------------------------

    def _without_doubles(self, counts: dict[Path, Counter[str]]) -> list[tuple[Row, L]]:
        by_unit: dict[str, list[tuple[Row, L]]] = defaultdict(list)
        for one, label in self.candidates:
            by_unit[label.unit_id].append((one, label))
        kept = []
        for unit_id, found in by_unit.items():
            first, label = found[0]
            if all(self.reader.same(label, other) for _, other in found[1:]):
                kept.append(found[0])
                for one, _ in found[1:]:
                    counts[one.file]["unchanged"] += 1
                    message = f"the same answer stands in {first.file.name}, row {first.row}"
                    self.problems.append(
                        Problem.note(one.file, one.row, "repeated_row", message, unit_id)
                    )
                continue
            where = " and ".join(f"{one.file.name} row {one.row}" for one, _ in found)
            message = f"the unit has two different answers ({where}); none was taken"
            for one, _ in found:
                counts[one.file]["refused"] += 1
                self.problems.append(
                    Problem.refused(one.file, one.row, "two_answers", message, unit_id)
                )
        return kept

    def _tell_unanswered(self, path: Path, unanswered: Sequence[Row]) -> None:
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
        wanted: dict[Owner, list[str]] = defaultdict(list)
        for unit_id, owner in self.reader.owners.items():
            wanted[owner].append(unit_id)
        for owner, path in self.owners.items():
            absent = [unit for unit in wanted[owner] if unit not in self.seen[owner]]
            if absent:
                shown = ", ".join(absent[:5]) + (" ..." if len(absent) > 5 else "")
                message = (
                    f"{len(absent)} of {len(wanted[owner])} units of {owner.annotator} in "
                    f"{owner.batch} are missing ({shown})"
                )
                self.problems.append(
                    Problem(path.name, (), "missing_units", message, "note", tuple(absent))
                )


def _unit_id(one: Row) -> str:
    return one.unit_id.strip().casefold()
