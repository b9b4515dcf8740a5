"""How does a user's own table become a label set? By the columns they name, with nothing guessed.

Labels are compared as text: 1, "1", 1.0 and "1.0" are the same label. Rows without a label are left
out and counted. In paired mode a label names a side by one of the known words, by the name of a
text column, or by one of the column's own two values, the first of which in sorted order is then
the first text (and the result says so).
"""

import difflib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgeprobe.audit.label_sets import ItemRow, LabelSource, PairRow
from judgeprobe.errors import InputError

__all__ = ["Columns", "label_text", "source_from_rows"]

SIDES = {
    "a": "a", "1": "a", "a>b": "a", "model_a": "a", "response_a": "a", "first": "a", "left": "a",
    "b": "b", "2": "b", "b>a": "b", "model_b": "b", "response_b": "b", "second": "b", "right": "b",
}  # fmt: skip


@dataclass(frozen=True)
class Columns:
    """Which column holds what; None where the table has no such column.

    Attributes:
        text: Text, or first side.
        text_b: Second side.
        label: Label; in paired mode None says that the first text is the preferred one.
        group: Source document or prompt.
        second: A second annotator's label.
        provenance: How the (first) text was made.
        provenance_b: How the second text was made.
        by: Axis, slot or subset.
        order: Labels from lowest to highest, or ("numeric",) for their numeric order.
        drop: Label values whose rows are left out.
    """

    text: str
    text_b: str | None = None
    label: str | None = None
    group: str | None = None
    second: str | None = None
    provenance: str | None = None
    provenance_b: str | None = None
    by: str | None = None
    order: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()


def label_text(value: Any) -> str | None:
    """A label as text, or None where there is none (null, NaN, blank).

    Whole floats lose their ".0", in numbers and in text, so that a column that went through a
    spreadsheet keeps its classes.
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() else repr(value)
    text = str(value).strip()
    whole, dot, zeros = text.partition(".")
    if dot and zeros.strip("0") == "" and whole.lstrip("-").isdigit():
        return whole
    return text or None


def source_from_rows(
    name: str, rows: Sequence[Mapping[str, Any]], columns: Columns, *, origin: str = ""
) -> LabelSource:
    """A label set from a table.

    Args:
        name: File name, for messages and results.
        rows: One mapping a row.
        columns: What holds what.
        origin: How labels were obtained, in the user's words.

    Raises:
        InputError: The table is empty, a column is missing, a cell is no text, or a label names no
            side.
    """
    if not rows:
        raise InputError("holds no rows", file=name, remedy="give at least one data row")
    for option, column in vars(columns).items():
        if option not in ("order", "drop") and column is not None:
            _require(column, rows[0], name)
    excluded: Counter[str] = Counter()
    if columns.text_b is None:
        items = tuple(_items(name, rows, columns, excluded))
        order = _order(items, columns.order, name)
        return LabelSource(name, items=items, order=order, origin=origin, excluded=dict(excluded))
    if columns.order is not None:
        raise InputError("an order of labels means nothing in pairs", remedy="leave out --order")
    notes: list[str] = []
    pairs = tuple(_pairs(name, rows, columns, excluded, notes))
    return LabelSource(
        name, pairs=pairs, origin=origin, excluded=dict(excluded), notes=tuple(notes)
    )


def _require(column: str, row: Mapping[str, Any], name: str) -> None:
    if column in row:
        return
    near = difflib.get_close_matches(column, list(row), n=1, cutoff=0.0)
    remedy = f"did you mean {near[0]!r}? it has {', '.join(row)}" if near else None
    raise InputError(f"has no column {column!r}", file=name, remedy=remedy)


def _text(row: Mapping[str, Any], column: str, name: str, number: int) -> str:
    value = row.get(column)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(
            f"{column!r} holds {type(value).__name__}, not text",
            file=name,
            row=number,
            remedy="name the column that holds the response's text",
        )
    return value


def _optional(row: Mapping[str, Any], column: str | None) -> str | None:
    return None if column is None else label_text(row.get(column))


def _part(row: Mapping[str, Any], column: str | None) -> tuple[str, ...]:
    part = _optional(row, column)
    return () if part is None else (part,)


def _items(
    name: str, rows: Sequence[Mapping[str, Any]], columns: Columns, excluded: Counter[str]
) -> list[ItemRow]:
    if columns.label is None:
        raise InputError("no label column is named", file=name, remedy="give --label COLUMN")
    items = []
    for number, row in enumerate(rows, start=1):
        label = label_text(row.get(columns.label))
        if label is None or label in columns.drop:
            excluded["no label" if label is None else f"label {label}"] += 1
            continue
        second = _optional(row, columns.second)
        items.append(
            ItemRow(
                text=_text(row, columns.text, name, number),
                label=label,
                second=None if second in columns.drop else second,
                group=_optional(row, columns.group),
                condition=_optional(row, columns.provenance),
                parts=_part(row, columns.by),
            )
        )
    return items


def _order(
    items: Sequence[ItemRow], order: tuple[str, ...] | None, name: str
) -> tuple[str, ...] | None:
    if order != ("numeric",):
        return order
    found = {item.label for item in items}
    try:
        return tuple(sorted(found, key=float))
    except ValueError:
        raise InputError(
            "the labels are not all numbers",
            file=name,
            remedy="give --order as a list, lowest first",
        ) from None


def _pairs(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    columns: Columns,
    excluded: Counter[str],
    notes: list[str],
) -> list[PairRow]:
    sides = _side_names(name, rows, columns, notes)
    pairs = []
    for number, row in enumerate(rows, start=1):
        label = "a"
        if columns.label is not None:
            given = label_text(row.get(columns.label))
            if given is None or given in columns.drop:
                excluded["no label" if given is None else f"label {given}"] += 1
                continue
            label = sides[given.lower()]
        second = _optional(row, columns.second)
        side = None if second is None else sides.get(second.lower())
        if second is not None and side is None:
            excluded["second label names no side"] += 1
        pairs.append(
            PairRow(
                a=_text(row, columns.text, name, number),
                b=_text(row, columns.text_b or "", name, number),
                label=label,
                second=side,
                group=_optional(row, columns.group),
                condition_a=_optional(row, columns.provenance),
                condition_b=_optional(row, columns.provenance_b),
                parts=_part(row, columns.by),
            )
        )
    return pairs


def _side_names(
    name: str, rows: Sequence[Mapping[str, Any]], columns: Columns, notes: list[str]
) -> dict[str, str]:
    """Which side each label value names."""
    if columns.label is None:
        notes.append("No label column: the first text of every row is taken as the preferred one.")
        return dict(SIDES)
    given = {label_text(row.get(columns.label)) for row in rows} - {None, *columns.drop}
    values = sorted(value for value in given if value is not None)
    known = {**SIDES, columns.text.lower(): "a", (columns.text_b or "").lower(): "b"}
    if all(value.lower() in known for value in values):
        return known
    if len(values) != 2:
        told = ", ".join(repr(value) for value in values[:6])
        raise InputError(
            f"{columns.label!r} holds {told}, which do not name two sides",
            file=name,
            remedy="use a and b (or 1 and 2), and leave other values out with --drop VALUE",
        )
    notes.append(
        f"The label {values[0]!r} is taken to name the first text ({columns.text}) and "
        f"{values[1]!r} the second ({columns.text_b}), in sorted order."
    )
    return {values[0].lower(): "a", values[1].lower(): "b"}
