"""How is a large table read in pieces, with every row's number kept?

Each piece holds the wanted columns as Arrow arrays and the numbers of its rows (1 is the first data
row). Rows that are no rows (ragged lines, lines that are not JSON objects) are named and skipped.
Parsing is vectorised and strict: a cell is a number as a whole or it is not one.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from judgeprobe.errors import InputError
from judgeprobe.stats.arrays import Bools, Floats, Ints

__all__ = ["ENDINGS", "Parsed", "Piece", "column_of", "numbers", "pieces", "truths", "words"]

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
_TRUE, _FALSE = ("true", "1", "1.0", "yes"), ("false", "0", "0.0", "no")
_JSON_ROWS = 100_000
_CSV_BYTES = 1 << 24
_PARQUET_ROWS = 1 << 19


@dataclass(frozen=True)
class Piece:
    """Some rows of a table.

    Attributes:
        rows: Number of each row; shape (n,).
        columns: The columns that the table has.
        skipped: Rows that are no rows, by reason: their numbers.
    """

    rows: Ints
    columns: Mapping[str, Any]
    skipped: Mapping[str, Ints]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def column(self, name: str) -> Any:
        """A column, or one of nulls where the table has none of that name."""
        found = self.columns.get(name)
        return pa.nulls(self.n, pa.string()) if found is None else found

    def after(self, rows: int) -> "Piece":
        """The same piece, its rows counted on from that many others."""
        if rows == 0:
            return self
        skipped = {reason: numbers + rows for reason, numbers in self.skipped.items()}
        return Piece(self.rows + rows, self.columns, skipped)


@dataclass(frozen=True)
class Parsed:
    """Numbers of a column: NaN where empty or wrong, and where it is wrong."""

    values: Floats
    wrong: Bools


def pieces(path: Path, required: Sequence[str], optional: Sequence[str]) -> Iterator[Piece]:
    """The table piece by piece; the ending of its name tells the format.

    Raises:
        InputError: It is missing, unreadable, has an unknown ending, or lacks a required column.
    """
    ending = path.suffix.lower()
    wanted = (*required, *optional)
    if not path.is_file():
        raise InputError("is not there", file=path, remedy="check the name")
    try:
        if ending in (".csv", ".tsv"):
            yield from _delimited(path, "\t" if ending == ".tsv" else ",", required, wanted)
        elif ending in (".jsonl", ".ndjson"):
            yield from _json_lines(path, required, wanted)
        elif ending == ".parquet":
            yield from _parquet(path, required, wanted)
        else:
            raise InputError(
                f"has the ending {ending or '(none)'}",
                file=path,
                remedy="give .csv, .tsv, .jsonl or .parquet",
            )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        reason = str(error).splitlines()[0]
        if "UTF8" in reason:
            reason = "it is not UTF-8"
        raise InputError(f"cannot be read ({reason})", file=path) from None


def _need(path: Path, columns: Sequence[str], required: Sequence[str]) -> None:
    for name in columns:
        if list(columns).count(name) > 1:
            raise InputError(f"has the column `{name}` twice", file=path)
    lacking = [name for name in required if name not in columns]
    if lacking:
        raise InputError(
            f"lacks the column `{lacking[0]}`; it has {', '.join(columns[:12]) or 'none'}",
            file=path,
            remedy="give the columns " + ", ".join(required),
        )


def _delimited(
    path: Path, delimiter: str, required: Sequence[str], wanted: Sequence[str]
) -> Iterator[Piece]:
    with path.open("rb") as file:
        head = file.readline().decode("utf-8-sig", errors="replace")
    header = next(csv.reader(io.StringIO(head), delimiter=delimiter), [])
    _need(path, header, required)
    kept = [name for name in wanted if name in header]
    ragged: list[int] = []

    def skip(row: Any) -> str:
        # The header is row 1 to Arrow, and blank lines are none.
        ragged.append(row.number - 1)
        return "skip"

    reader = pacsv.open_csv(
        path,
        read_options=pacsv.ReadOptions(use_threads=False, block_size=_CSV_BYTES),
        parse_options=pacsv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, invalid_row_handler=skip
        ),
        convert_options=pacsv.ConvertOptions(
            column_types={name: pa.string() for name in kept},
            include_columns=kept,
            strings_can_be_null=False,
        ),
    )
    told = 0
    start = 1
    for batch in reader:
        # Arrow may have read ahead: a ragged row beyond this batch is among the candidates too.
        candidates = np.arange(start, start + batch.num_rows + len(ragged))
        rows = candidates[~np.isin(candidates, ragged)][: batch.num_rows]
        start = int(rows[-1]) + 1 if len(rows) else start
        new = np.array(ragged[told:], dtype=np.int64)
        told = len(ragged)
        columns = {name: batch.column(i) for i, name in enumerate(batch.schema.names)}
        yield Piece(rows, columns, {"has more or fewer cells than the header": new})


def _json_lines(path: Path, required: Sequence[str], wanted: Sequence[str]) -> Iterator[Piece]:
    row, seen = 0, False
    rows: list[int] = []
    cells: dict[str, list[Any]] = {name: [] for name in wanted}
    broken: list[int] = []
    with path.open("rb") as file:
        for line in file:
            if not line.strip():
                continue
            row += 1
            value = _object(line)
            if value is None:
                broken.append(row)
                continue
            if not seen:
                _need(path, list(value), required)
                seen = True
            rows.append(row)
            for name, column in cells.items():
                column.append(value.get(name))
            if len(rows) == _JSON_ROWS:
                yield _json_piece(rows, cells, broken)
                rows, broken, cells = [], [], {name: [] for name in wanted}
    if rows or broken:
        yield _json_piece(rows, cells, broken)


def _object(line: bytes) -> dict[str, Any] | None:
    def refuse(name: str) -> Any:
        raise ValueError(name)

    try:
        value = json.loads(line.decode("utf-8-sig"), parse_constant=refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _json_piece(rows: list[int], cells: Mapping[str, list[Any]], broken: list[int]) -> Piece:
    return Piece(
        np.array(rows, dtype=np.int64),
        {name: column_of(values) for name, values in cells.items()},
        {"is not a JSON object": np.array(broken, dtype=np.int64)},
    )


def column_of(values: list[Any]) -> Any:
    """JSON values as an Arrow column: of numbers where all are (or null), else of text."""
    if all(type(value) in (float, int, type(None)) for value in values):
        try:
            return pa.array(values, type=pa.float64())
        except (pa.ArrowInvalid, OverflowError):
            pass
    return pa.array([_cell(value) for value in values], type=pa.string())


def _cell(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        # A lone surrogate is no text that Arrow can hold.
        return None if value is None else value.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(value)


def _parquet(path: Path, required: Sequence[str], wanted: Sequence[str]) -> Iterator[Piece]:
    with pq.ParquetFile(path) as plain:
        schema = plain.schema_arrow
    names = schema.names
    _need(path, names, required)
    # A word that many rows share is then one word of a dictionary, not a text in every row.
    worded = [f.name for f in schema if f.name in wanted and _is_words(f.type)]
    start = 1
    with pq.ParquetFile(path, read_dictionary=worded) as file:
        wanted_here = [name for name in wanted if name in names]
        for batch in file.iter_batches(_PARQUET_ROWS, columns=wanted_here):
            columns = {name: batch.column(i) for i, name in enumerate(batch.schema.names)}
            yield Piece(np.arange(start, start + batch.num_rows), columns, {})
            start += batch.num_rows


def _text(column: Any) -> Any:
    """The column as trimmed text; "" where null."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type) and column.null_count < len(column):
        values = column.drop_null().to_numpy(zero_copy_only=False)
        if (values == np.floor(values)).all() and (np.abs(values) < 2**53).all():
            # A column of whole numbers that holds a null is floats to pandas: 7, not 7.0.
            column = column.cast(pa.int64())
    return pc.utf8_trim_whitespace(pc.fill_null(column.cast(pa.string()), ""))


def numbers(column: Any) -> Parsed:
    """A column as numbers; NaN of a numeric column counts as empty, as pandas writes it."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        values = np.array(values, dtype=np.float64)
        wrong = np.isinf(values)
        values[wrong] = np.nan
        return Parsed(values, wrong)
    text = _text(column)
    good = pc.match_substring_regex(text, _NUMBER)
    plain = pc.if_else(good, text, pa.scalar(None, pa.string()))
    # Arrow reads no leading plus sign.
    plain = pc.utf8_ltrim(plain, characters="+")
    values = np.array(plain.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    wrong = ~good.to_numpy(zero_copy_only=False).astype(np.bool_)
    wrong &= pc.not_equal(text, "").to_numpy(zero_copy_only=False).astype(np.bool_)
    wrong |= np.isinf(values)
    return Parsed(np.where(np.isinf(values), np.nan, values), wrong)


def words(column: Any, index: dict[str, int]) -> Ints:
    """A column as codes; new words are numbered on in `index`; -1 where empty."""
    dictionary, places = _coded(column)
    known = np.array(
        [-1 if word == "" else index.setdefault(word, len(index)) for word in dictionary] + [-1],
        dtype=np.int64,
    )
    found: Ints = known[places]
    return found


def _coded(column: Any) -> tuple[list[str], Ints]:
    """Trimmed words in the order of their first rows, and the word of each row; -1 where null."""
    if not pa.types.is_dictionary(column.type) or not _is_words(column.type.value_type):
        coded = pc.dictionary_encode(_text(column))
        return coded.dictionary.to_pylist(), coded.indices.to_numpy(zero_copy_only=False)
    size, n = len(column.dictionary), len(column)
    places = pc.fill_null(column.indices, size).to_numpy(zero_copy_only=False).astype(np.int64)
    # A dictionary may hold words of other pieces: only those of these rows are numbered.
    first = np.full(size + 1, n)
    first[places[::-1]] = np.arange(n)[::-1]
    used = np.flatnonzero(first[:size] < n)
    used = used[np.argsort(first[used])]
    rank = np.full(size + 1, -1, dtype=np.int64)
    rank[used] = np.arange(len(used))
    return _text(column.dictionary.take(pa.array(used))).to_pylist(), rank[places]


def _is_words(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def truths(column: Any) -> tuple[Ints, Bools]:
    """A column as 1, 0 or -1 (empty or wrong), and where it is wrong."""
    text = pc.utf8_lower(_text(column))
    found = np.full(len(text), -1, dtype=np.int64)
    for code, names in ((1, _TRUE), (0, _FALSE)):
        found[pc.is_in(text, value_set=pa.array(names)).to_numpy(zero_copy_only=False)] = code
    empty = pc.equal(text, "").to_numpy(zero_copy_only=False).astype(np.bool_)
    return found, (found < 0) & ~empty
