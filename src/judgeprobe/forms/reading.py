"""What does a returned file say, whichever program saved it last?

The ending and the content tell the form: a saved copy of the page (JSON), a Label Studio export
(JSON), CSV or XLSX. CSV is read as spreadsheets of all countries write it: comma, semicolon or
tab; UTF-8 with or without a mark, UTF-16, or an old Windows code page; any line end. What cannot
be read is named with its row, and the rest is read.
"""

import csv
import datetime
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.forms import label_studio
from judgeprobe.forms.cells import decode_cell, reads_as_missing, unguard
from judgeprobe.forms.problems import Problem
from judgeprobe.forms.rows import SPAN_COLUMN, Layout, Row, seconds

__all__ = ["read_file"]

Cells = list[tuple[str, str]]  # text, and what the cell was if it was no text

PAGE_FORMAT = "judgeprobe-labels"


def read_file(path: Path, layout: Layout) -> tuple[list[Row], list[Problem]]:
    """Every row of a returned file, and what was odd about the file.

    Raises:
        InputError: The file as a whole is none of the forms.
    """
    rows, problems = _read(path, layout)
    return [_well_formed(one) for one in rows], problems


def _read(path: Path, layout: Layout) -> tuple[list[Row], list[Problem]]:
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv", ".txt"):
        return _read_csv(path, layout)
    if ending in (".xlsx", ".xlsm"):
        return _read_xlsx(path, layout)
    if ending == ".json":
        return _read_json(path, layout)
    remedy = "give .csv, .xlsx or .json"
    if ending in (".html", ".htm"):
        remedy = "open it, choose `Save a copy`, and give the .json file that it saves"
    raise InputError("is not a form that labels come back in", file=path, remedy=remedy)


def _well_formed(one: Row) -> Row:
    """The row without halves of characters, which a selection cut short can leave behind."""
    if all(map(_is_well_formed, (one.unit_id, *one.spans, *one.cells.values()))):
        return one
    return replace(
        one,
        unit_id=_mended(one.unit_id),
        spans=tuple(map(_mended, one.spans)),
        cells={name: _mended(text) for name, text in one.cells.items()},
    )


def _is_well_formed(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= mark <= "\udfff" for mark in text)


def _mended(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError("is not there", file=path, remedy="check the name") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path) from None


# ---- the page and Label Studio ------------------------------------------------------------------


def _read_json(path: Path, layout: Layout) -> tuple[list[Row], list[Problem]]:
    try:
        content = json.loads(_bytes(path).decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise InputError("is not JSON", file=path, remedy="ask for the file again") from None
    if isinstance(content, list):
        return label_studio.read_export(path, content, layout)
    if isinstance(content, dict) and content.get("format") == PAGE_FORMAT:
        return _read_page(path, content, layout)
    raise InputError(
        "is neither a saved copy of the page nor a Label Studio export",
        file=path,
        remedy="in Label Studio, export as JSON or JSON-MIN",
    )


def _read_page(
    path: Path, content: dict[str, Any], layout: Layout
) -> tuple[list[Row], list[Problem]]:
    if content.get("version") != 1 or not isinstance(content.get("labels"), list):
        raise InputError(
            f"is a saved copy of version {content.get('version')}; this judgeprobe reads 1",
            file=path,
            remedy="use the judgeprobe that made the page",
        )
    rows: list[Row] = []
    problems: list[Problem] = []
    names = (layout.answer, *layout.free, *layout.choices)
    for number, label in enumerate(content["labels"], start=1):
        if not isinstance(label, dict) or not isinstance(label.get("unit_id"), str):
            problems.append(Problem.refused(path, number, "no_unit_id", "has no `unit_id`"))
            continue
        rows.append(
            Row(
                file=path,
                row=number,
                unit_id=label["unit_id"],
                form="html",
                cells={name: _text(label.get(name)) for name in names},
                spans=tuple(span for one in _list(label.get("spans")) if (span := _span(one))),
                seconds=seconds(label.get("seconds")),
            )
        )
    return rows, problems


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else ""


def _span(value: Any) -> str:
    return _text(value.get("text")) if isinstance(value, dict) else _text(value)


# ---- spreadsheets ------------------------------------------------------------------------------


def _read_csv(path: Path, layout: Layout) -> tuple[list[Row], list[Problem]]:
    text, problems = _decode(path, _bytes(path))
    csv.field_size_limit(2**31 - 1)
    first_line = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max(",;\t", key=first_line.count)
    if delimiter != ",":
        name = {";": "semicolons", "\t": "tabs"}[delimiter]
        problems.append(Problem.note(path, None, "delimiter", f"its columns are cut by {name}"))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    lines: list[Cells] = []
    try:
        for cells in reader:
            if any(cells):
                lines.append([(unguard(cell), "") for cell in cells])
    except csv.Error as error:
        problems.append(
            Problem.refused(path, len(lines), "not_a_table", f"cannot be read on ({error})")
        )
    return _rows(path, "csv", lines, problems, layout)


def _decode(path: Path, data: bytes) -> tuple[str, list[Problem]]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        note = Problem.note(path, None, "encoding", "it was saved as UTF-16")
        return data.decode("utf-16", "replace"), [note]
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        row = data[: error.start].count(b"\n")
        text = data.decode("cp1252", "replace")
        message = "it is not UTF-8; it was read as Windows-1252 (Excel: save as `CSV UTF-8`)"
        return text, [Problem.note(path, max(row, 1), "encoding", message)]


def _read_xlsx(path: Path, layout: Layout) -> tuple[list[Row], list[Problem]]:
    from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(_bytes(path)), read_only=True)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
        raise InputError(
            f"is not an Excel workbook ({type(error).__name__})",
            file=path,
            remedy="save it again as .xlsx",
        ) from None
    problems: list[Problem] = []
    for page in book.worksheets:
        lines = [[_cell(cell) for cell in row] for row in page.iter_rows()]
        lines = [line for line in lines if any(text for text, _ in line)]
        if lines and all(name in [text for text, _ in lines[0]] for name in layout.needed):
            return _rows(path, "xlsx", lines, problems, layout)
    raise InputError(
        f"has no sheet with the columns {' and '.join(layout.needed)}",
        file=path,
        remedy="keep the header line as it was exported",
    )


def _cell(cell: Any) -> tuple[str, str]:
    """A cell's text, and its kind where a spreadsheet has made something else of it."""
    value = cell.value
    if value is None:
        return "", ""
    if isinstance(value, str):
        kind = {"f": "formula", "e": "error"}.get(cell.data_type, "")
        return decode_cell(value), kind
    if isinstance(value, bool):
        return str(value).lower(), "truth value"
    if isinstance(value, datetime.datetime | datetime.date | datetime.time | datetime.timedelta):
        return str(value), "date"
    return str(value), "number"


def _rows(
    path: Path, form: str, lines: Sequence[Cells], problems: list[Problem], layout: Layout
) -> tuple[list[Row], list[Problem]]:
    if not lines:
        raise InputError("is empty", file=path, remedy="ask for the file again")
    header = [text.strip().casefold() for text, _ in lines[0]]
    for name in layout.needed:
        if name not in header:
            raise InputError(
                f"has no column `{name}`",
                file=path,
                remedy="keep the header line as it was exported",
            )
        if header.count(name) > 1:
            raise InputError(f"has the column `{name}` twice", file=path)
    rows = []
    for number, cells in enumerate(lines[1:], start=1):
        if any(text for text, _ in cells[len(header) :]):
            message = f"has {len(cells)} cells where the header has {len(header)}"
            problems.append(Problem.refused(path, number, "ragged", message))
            continue
        rows.append(_row(path, form, number, dict(zip(header, cells, strict=False)), layout))
    return rows, problems


def _row(
    path: Path, form: str, number: int, cells: dict[str, tuple[str, str]], layout: Layout
) -> Row:
    spans = sorted((int(hit[1]), name) for name in cells if (hit := SPAN_COLUMN.fullmatch(name)))
    texts = {name: text for name, (text, _) in cells.items()}
    for name in (layout.answer, *layout.choices):
        if reads_as_missing(texts.get(name, "")):
            texts[name] = ""
    return Row(
        file=path,
        row=number,
        unit_id=texts.get("unit_id", ""),
        form=form,
        cells=texts,
        spans=tuple(texts[name] for _, name in spans if texts[name].strip()),
        odd={name: kind for name, (_, kind) in cells.items() if kind},
    )
