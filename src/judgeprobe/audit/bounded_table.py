"""How does a long table of ratings become the cells of a bounded audit?

One row is one rating of one response to one item in one arm. Rows without a rating and items that
lack a cell in the control or the treated arm are left out and counted; a rating off the scale, a
third response, or an item in two clusters is refused.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from judgeprobe.audit.grades_input import GradesSource, read_source
from judgeprobe.audit.grades_table import Table, codes, scores
from judgeprobe.errors import InputError
from judgeprobe.stats.arrays import Bools, Floats, Ints
from judgeprobe.stats.bounded_cells import Bounds, Cells, make_cells

__all__ = ["BoundedColumns", "BoundedTable", "Field", "field", "item_values", "read_bounded"]


@dataclass(frozen=True)
class BoundedColumns:
    """Which column holds what, and which values mean what.

    Attributes:
        item: Item.
        response: One of two responses to the item.
        arm: Condition arm.
        rating: The rating of the endpoint.
        treated: Arm whose shift is read.
        control: Arm it is read against.
        positive: Response whose shift counts up.
        cluster: Items that are not independent; None makes each its own.
        fields: Further columns of ratings on the same scale.
        evidence: How clear the item's evidence is, one number an item.
        gold: People's rating of the same row; a field that is set beside the judge's.
    """

    item: str
    response: str
    arm: str
    rating: str
    treated: str
    control: str
    positive: str
    cluster: str | None = None
    fields: tuple[str, ...] = ()
    evidence: str | None = None
    gold: str | None = None


@dataclass(frozen=True)
class BoundedTable:
    """The table as codes.

    Attributes:
        table: The columns.
        item: Item of each row.
        response: 0 (positive) or 1 (other).
        arm: 0 (control), 1 (treated), 2, ...
        cluster: Cluster of each item.
        responses: Names of the responses, the positive first.
        arms: Names of the arms, control and treated first.
        items: Names of the items.
    """

    table: Table
    item: Ints
    response: Ints
    arm: Ints
    cluster: Ints
    responses: tuple[str, str]
    arms: tuple[str, ...]
    items: tuple[str, ...]


@dataclass(frozen=True)
class Field:
    """One column of ratings.

    Attributes:
        name: The column.
        cells: Complete items.
        kept: Which items of the table they are; shape (items of the table,).
        empty: Rows without a rating.
        incomplete: Items left out: a response has no rating in the control or the treated arm.
    """

    name: str
    cells: Cells
    kept: Bools
    empty: int
    incomplete: int


def read_bounded(source: GradesSource, columns: BoundedColumns) -> BoundedTable:
    """The table's codes.

    Raises:
        InputError: The file, a column or a named value cannot be used.
    """
    named = [columns.item, columns.response, columns.arm, columns.rating, *columns.fields]
    named += [name for name in (columns.cluster, columns.evidence) if name is not None]
    table = read_source(source, named, [] if columns.gold is None else [columns.gold])
    path = source.path
    item, items = _full(table, columns.item)
    response, responses = _full(table, columns.response)
    arm, arms = _full(table, columns.arm)
    if len(responses) != 2:
        raise InputError(
            f"`{columns.response}` has {len(responses)} values ({', '.join(responses[:5])})",
            file=path,
            remedy="a difference in differences compares two responses",
        )
    _known(path, columns.response, columns.positive, responses)
    _known(path, columns.arm, columns.control, arms)
    _known(path, columns.arm, columns.treated, arms)
    if columns.control == columns.treated:
        raise InputError("--treated and --control are the same arm", file=path)
    positive = responses.index(columns.positive)
    first = [arms.index(columns.control), arms.index(columns.treated)]
    order = [*first, *(code for code in range(len(arms)) if code not in first)]
    place = np.empty(len(arms), dtype=np.int64)
    place[order] = np.arange(len(arms))
    cluster = item if columns.cluster is None else _full(table, columns.cluster)[0]
    return BoundedTable(
        table,
        item,
        (response != positive).astype(np.int64),
        place[arm],
        _one_each(table, item, cluster, items, columns.cluster or columns.item).astype(np.int64),
        (responses[positive], responses[1 - positive]),
        tuple(arms[code] for code in order),
        tuple(items),
    )


def _full(table: Table, name: str) -> tuple[Ints, list[str]]:
    found, names = codes(table, name)
    if (found < 0).any():
        row = int(table.rows[np.argmax(found < 0)])
        raise InputError(f"`{name}` is empty", file=table.path, row=row, remedy="fill it in")
    return found, names


def _known(path: Path, column: str, value: str, names: list[str]) -> None:
    if value not in names:
        raise InputError(
            f"`{column}` never is {value!r}", file=path, remedy=f"it is {', '.join(names[:8])}"
        )


def _one_each(
    table: Table, item: Ints, values: Ints | Floats, items: list[str], name: str
) -> Floats:
    """The one value of each item."""
    order = np.argsort(item, kind="stable")
    starts = np.searchsorted(item[order], np.arange(len(items)))
    found = np.asarray(values, dtype=np.float64)[order[starts]]
    apart = np.asarray(values, dtype=np.float64) != found[item]
    if apart.any():
        row = int(np.argmax(apart))
        raise InputError(
            f"`{name}` of item {items[int(item[row])]!r} differs from an earlier row",
            file=table.path,
            row=int(table.rows[row]),
            remedy="give an item one value",
        )
    return found


def field(found: BoundedTable, name: str, scale: Bounds) -> Field:
    """The cells of one column of ratings.

    Raises:
        InputError: A rating is off the scale, or no item is complete.
    """
    table = found.table
    ratings = scores(table, name)
    there = ~np.isnan(ratings)
    off = there & (np.abs(scale.lattice(np.nan_to_num(ratings)) - ratings) > 1e-9)
    if off.any():
        row = int(np.argmax(off))
        raise InputError(
            f"`{name}` is {ratings[row]:g}, which is not on the scale {scale.low:g} to "
            f"{scale.high:g} in steps of {scale.step:g}",
            file=table.path,
            row=int(table.rows[row]),
            remedy="give --low, --high and --step, or leave the cell empty",
        )
    n_items, n_arms = len(found.items), len(found.arms)
    flat = (found.item * 2 + found.response) * n_arms + found.arm
    count = np.bincount(flat[there], minlength=n_items * 2 * n_arms).reshape(n_items, 2, n_arms)
    complete: Bools = np.asarray((count[:, :, :2] > 0).all(axis=(1, 2)), dtype=np.bool_)
    if not complete.any():
        raise InputError(f"no item has `{name}` for both responses in both arms", file=table.path)
    used = there & complete[found.item]
    renumbered = np.cumsum(complete) - 1
    cells = make_cells(
        renumbered[found.item[used]],
        found.response[used],
        found.arm[used],
        ratings[used],
        found.cluster[complete],
        scale,
        n_arms=n_arms,
    )
    return Field(name, cells, complete, int((~there).sum()), int((~complete).sum()))


def item_values(found: BoundedTable, name: str) -> Floats:
    """One number an item.

    Raises:
        InputError: A cell is empty or no number, or an item has two values.
    """
    values = scores(found.table, name)
    if np.isnan(values).any():
        row = int(found.table.rows[np.argmax(np.isnan(values))])
        raise InputError(f"`{name}` is empty", file=found.table.path, row=row, remedy="fill it in")
    return _one_each(found.table, found.item, values, list(found.items), name)
