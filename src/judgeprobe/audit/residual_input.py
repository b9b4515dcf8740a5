"""How does a table become the arrays of a residualization audit, the score left out till asked?

The label, the groups and the features are read first; the score is another call, so that the
eligibility decision can be written down before it. Rows without a label or a feature are left out
and counted. Nothing is guessed: a label that is not plainly 0 and 1 needs --positive.
"""

import difflib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgeprobe.audit.label_columns import label_text
from judgeprobe.audit.residual_features import READY, ready_features
from judgeprobe.errors import InputError
from judgeprobe.files import read_rows
from judgeprobe.records import content_hash
from judgeprobe.stats.residual_operator import Features

__all__ = ["ResidualColumns", "ResidualTable", "read_scores", "read_table"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
POSITIVE = {"1", "true", "yes", "correct", "pass"}
NEGATIVE = {"0", "false", "no", "incorrect", "fail"}


@dataclass(frozen=True)
class ResidualColumns:
    """Which column holds what.

    Attributes:
        score: The score under audit.
        label: The provenance-separated label; None in the designed branch only.
        features: Columns and ready features (with a leading @).
        group: Query, problem or base item; None makes each row its own.
        artifact: The part of the features the surface predictor sees; all of them where None.
        text: Text for the ready features.
        against: The other text, for @overlap.
        second_label: A disjoint annotator's label.
        positive: The label value that means 1.
    """

    score: str
    label: str | None
    features: tuple[str, ...]
    group: str | None = None
    artifact: tuple[str, ...] | None = None
    text: str | None = None
    against: str | None = None
    second_label: str | None = None
    positive: str | None = None


@dataclass(frozen=True)
class ResidualTable:
    """What an audit knows before the score.

    Attributes:
        file: Name of the file, without its folder.
        kept: Row numbers in the file (from 0) that are audited.
        labels: 0 or 1.
        second: Second label, -1 where missing; None without the column.
        groups: Group codes.
        features: All of phi.
        artifact: The artifact block.
        lengths: Characters of the text, or None without a text.
        excluded: Rows left out, by reason.
        data_hash: Of label, group and features as read.
        row_keys: Other columns of the kept rows, for the designed branch.
    """

    file: str
    kept: IntArray
    labels: IntArray
    second: IntArray | None
    groups: IntArray
    features: Features
    artifact: Features
    lengths: FloatArray | None
    excluded: dict[str, int]
    data_hash: str
    row_keys: dict[str, tuple[str, ...]]


def read_table(path: Path, columns: ResidualColumns, extra: Sequence[str] = ()) -> ResidualTable:
    """Everything but the score.

    Args:
        path: CSV, TSV, JSONL or Parquet.
        columns: What holds what.
        extra: Other columns to keep as text (units, edits, constructs).

    Raises:
        InputError: A column is missing, a cell is no number, the label is not binary, or no row is
            left.
    """
    # The score is taken out of every row before anything is computed from it.
    rows = [{k: v for k, v in row.items() if k != columns.score} for row in read_rows(path)]
    name = path.name
    if not rows:
        raise InputError("holds no rows", file=name)
    own = [each for each in columns.features if not each.startswith("@")]
    if columns.score in own:
        raise InputError("the score is among the features", file=name)
    wanted = [columns.label, columns.group, columns.text, columns.against, columns.second_label]
    for column in [*own, *extra, *(each for each in wanted if each)]:
        _require(column, rows[0], name)
    excluded: Counter[str] = Counter()
    kept = _kept(rows, columns, own, excluded)
    if not kept:
        raise InputError("has no row with a label and every feature", file=name)
    chosen = [rows[row] for row in kept]
    given = [label_text(row[columns.label]) if columns.label else None for row in chosen]
    positive = _positive(given, columns, name) if columns.label else None
    groups = _groups(chosen, columns.group)
    values = {
        each: np.array(
            [_number(row[each], each, name, k) for row, k in zip(chosen, kept, strict=True)]
        )
        for each in own
    }
    texts = _texts(chosen, columns.text)
    features = ready_features(
        columns.features,
        values,
        texts=texts,
        against=_texts(chosen, columns.against),
        groups=groups,
    )
    labels = np.array([value is not None and value == positive for value in given], dtype=np.int64)
    return ResidualTable(
        file=name,
        kept=np.array(kept, dtype=np.int64),
        labels=labels,
        second=_second(chosen, columns, positive),
        groups=groups,
        features=features,
        artifact=_artifact(features, columns, values, name),
        lengths=None if texts is None else np.array([float(len(text)) for text in texts]),
        excluded=dict(excluded),
        data_hash=content_hash(
            {
                "rows": kept,
                "labels": labels.tolist(),
                "groups": groups.tolist(),
                "features": {each: values[each].tolist() for each in own},
                "texts": None if texts is None else content_hash(list(texts)),
            }
        ),
        row_keys={each: tuple(label_text(row[each]) or "" for row in chosen) for each in extra},
    )


def read_scores(path: Path, column: str, table: ResidualTable) -> FloatArray:
    """The score of the kept rows.

    Raises:
        InputError: The column is missing, or a kept row has no finite number in it.
    """
    rows = read_rows(path)
    _require(column, rows[0], path.name)
    return np.array([_number(rows[row][column], column, path.name, int(row)) for row in table.kept])


def _require(column: str, row: Mapping[str, Any], name: str) -> None:
    if column not in row:
        near = difflib.get_close_matches(column, list(row), n=1, cutoff=0.0)
        remedy = f"did you mean {near[0]!r}? it has {', '.join(row)}" if near else None
        raise InputError(f"has no column {column!r}", file=name, remedy=remedy)


def _kept(
    rows: Sequence[Mapping[str, Any]],
    columns: ResidualColumns,
    own: Sequence[str],
    excluded: Counter[str],
) -> list[int]:
    kept = []
    for index, row in enumerate(rows):
        if columns.label is not None and label_text(row[columns.label]) is None:
            excluded["no label"] += 1
        elif any(label_text(row[each]) is None for each in own):
            excluded["a feature is empty"] += 1
        else:
            kept.append(index)
    return kept


def _number(value: Any, column: str, name: str, row: int) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            f"{column!r} holds {value!r}, not a finite number",
            file=name,
            row=row + 1,
            remedy="mend the cell or leave the row out",
        )
    return number


def _positive(values: Sequence[str | None], columns: ResidualColumns, name: str) -> str:
    found = sorted({value for value in values if value is not None})
    if len(found) > 2:
        raise InputError(
            f"{columns.label!r} holds {len(found)} values; the label must be binary", file=name
        )
    if columns.positive is not None:
        if columns.positive not in found:
            raise InputError(f"{columns.label!r} never holds {columns.positive!r}", file=name)
        return columns.positive
    known = [value for value in found if value.lower() in POSITIVE]
    if len(known) == 1 and all(v.lower() in POSITIVE | NEGATIVE for v in found):
        return known[0]
    if len(found) == 1:
        raise InputError(f"{columns.label!r} holds one value, {found[0]!r}", file=name)
    raise InputError(
        f"{columns.label!r} holds {' and '.join(map(repr, found))}; which means 1 is not plain",
        file=name,
        remedy="say it with --positive VALUE",
    )


def _groups(rows: Sequence[Mapping[str, Any]], column: str | None) -> IntArray:
    if column is None:
        return np.arange(len(rows))
    seen: dict[str, int] = {}
    # A row without a group is one of its own.
    keys = [label_text(row[column]) or f"\0row {index}" for index, row in enumerate(rows)]
    return np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int64)


def _texts(rows: Sequence[Mapping[str, Any]], column: str | None) -> tuple[str, ...] | None:
    if column is None:
        return None
    return tuple("" if row[column] is None else str(row[column]) for row in rows)


def _second(
    rows: Sequence[Mapping[str, Any]], columns: ResidualColumns, positive: str | None
) -> IntArray | None:
    if columns.second_label is None:
        return None
    values = [label_text(row[columns.second_label]) for row in rows]
    return np.array([-1 if v is None else int(v == positive) for v in values], dtype=np.int64)


def _artifact(
    features: Features, columns: ResidualColumns, values: Mapping[str, FloatArray], name: str
) -> Features:
    if columns.artifact is None:
        return features
    for each in columns.artifact:
        if each not in columns.features:
            raise InputError(
                f"the artifact {each!r} is not among the features",
                file=name,
                remedy=f"features are {', '.join(columns.features)}",
            )
    wanted = set(columns.artifact)
    dense = tuple(
        each
        for each in features.names
        if each in wanted or (each not in values and _ready_of(each) in wanted)
    )
    block = features.block if "@tfidf" in wanted else None
    return Features(features.only(dense).dense if dense else features.dense[:, :0], dense, block)


def _ready_of(column: str) -> str:
    """Which ready feature made a column."""
    made = {"characters": READY[0], "tokens": READY[0], "position": READY[1]}
    if column.startswith("overlap_"):
        return READY[2]
    return made.get(column, READY[3])
