"""Reading and writing files so that nothing is torn, guessed or lost.

Every file is written to a temporary name beside its target, flushed to the disk and renamed, so a
reader sees the old bytes or the new ones and never a part. Rows are counted from 1 (the first data
row), and a bad row is named with its file, its row and what to do.
"""

import contextlib
import csv
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from judgeprobe.errors import InputError, StorageError

if TYPE_CHECKING:
    import pandas as pd

    from judgeprobe.records import Record

__all__ = [
    "dump_json",
    "file_hash",
    "read_json",
    "read_jsonl",
    "read_rows",
    "read_table",
    "read_text",
    "write_csv",
    "write_json",
    "write_jsonl",
    "write_parquet",
    "write_text",
]

R = TypeVar("R", bound="Record")


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        StorageError: The folder is missing or read-only, or the disk is full.
    """
    with replacing(path) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write into, which takes the place of `path` when the block ends without an error.

    Raises:
        StorageError: The folder is missing or read-only, or the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise _refused(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)  # noqa: PTH101 - mkstemp gives a name, and 0600
        os.replace(name, path)  # noqa: PTH105
    except OSError as error:
        raise _refused(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108


def _refused(path: Path, error: OSError) -> StorageError:
    reason = (error.strerror or str(error)).lower()
    return StorageError(
        f"{path}: cannot be written ({reason}); nothing was changed; "
        "free space or choose a folder that you may write to"
    )


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def dump_json(value: Any) -> str:
    """JSON as every artifact writes it: two spaces, keys as given, UTF-8, no NaN.

    Raises:
        ValueError: The value holds NaN or an infinity.
    """
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_json(path: Path, value: Any) -> None:
    """Write one JSON value whole or not at all."""
    write_text(path, dump_json(value))


def write_jsonl(path: Path, records: "Iterable[Record]") -> None:
    """Write one record a line, in the order given."""
    write_text(path, "".join(f"{record.model_dump_json()}\n" for record in records))


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table that people open in a spreadsheet.

    UTF-8, one header line, LF line ends. A cell of text that a spreadsheet would run as a
    formula gets a leading apostrophe; numbers stay numbers; None is an empty cell.
    """
    with replacing(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([neutral_cell(cell) for cell in row])
        text.detach()


def neutral_cell(cell: Any) -> Any:
    """A cell that no spreadsheet runs: text led by = + - @ tab or return gets an apostrophe."""
    if cell is None:
        return ""
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{cell}"
    return cell


def write_parquet(path: Path, frame: "pd.DataFrame", metadata: Mapping[str, str]) -> None:
    """Write a table with the hashes it was made under in its footer.

    The same frame and metadata give the same bytes.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = table.replace_schema_metadata({"judgeprobe": json.dumps(metadata, sort_keys=True)})
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    write_bytes(path, buffer.getvalue())


def parquet_metadata(path: Path) -> dict[str, str]:
    """The hashes that `write_parquet` put in a file's footer; empty for any other Parquet file."""
    import pyarrow.parquet as pq

    found = (pq.read_schema(path).metadata or {}).get(b"judgeprobe", b"{}")
    return dict(json.loads(found))


def read_text(path: Path) -> str:
    """A file's text, without a byte-order mark.

    Raises:
        InputError: The file is missing, is a folder, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError("is not there", file=path, remedy="check the name") from None
    except UnicodeDecodeError as error:
        row = path.read_bytes()[: error.start].count(b"\n") + 1
        raise InputError(
            f"is not UTF-8 (line {row})", file=path, remedy="save it as UTF-8"
        ) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"cannot be read ({reason})", file=path) from None


def read_json(path: Path) -> Any:
    """One JSON value from a file.

    Raises:
        InputError: The file is missing or is not JSON.
    """
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON (line {error.lineno})", file=path) from None


def read_jsonl(path: Path, kind: type[R]) -> list[R]:
    """Every record of a JSONL file.

    Raises:
        InputError: Names the first row that is not a record of this kind.
    """
    from judgeprobe.records.upgrade import lift

    records = []
    for row, value in _json_lines(path):
        records.append(parse_record(kind, lift(kind, value), file=path, row=row))
    return records


def parse_record(kind: type[R], value: Any, *, file: Path, row: int) -> R:
    """One record, or an error that names the file, the row, the field and what is wrong."""
    from pydantic import ValidationError

    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or kind.__name__
        raise InputError(
            f"`{field}`: {first['msg'].lower()}",
            file=file,
            row=row,
            remedy=f"a row needs the fields of {kind.__name__}",
        ) from None


def _json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    # Not str.splitlines: it also cuts at U+2028 and the like, which may stand inside a JSON string.
    for row, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield row, json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"is not JSON ({error.msg})", file=path, row=row, remedy="give one object a line"
            ) from None


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a CSV, TSV, JSONL or Parquet file, as dictionaries; the ending tells which.

    Text cells stay text (an empty cell is ""); nothing is guessed from how a cell looks.

    Raises:
        InputError: The file is missing, has an unknown ending, a ragged row, or a doubled column.
    """
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        return _delimited(path, "\t" if ending == ".tsv" else ",")
    if ending in (".jsonl", ".ndjson"):
        rows = []
        for row, value in _json_lines(path):
            if not isinstance(value, dict):
                raise InputError("is not an object", file=path, row=row)
            rows.append(value)
        return rows
    if ending == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return list(pq.read_table(path).to_pylist())
        except FileNotFoundError:
            raise InputError("is not there", file=path, remedy="check the name") from None
        except (pa.ArrowInvalid, OSError) as error:
            raise InputError(f"is not Parquet ({error})", file=path) from None
    raise InputError(
        f"has the ending {ending or '(none)'}",
        file=path,
        remedy="give .csv, .tsv, .jsonl or .parquet",
    )


def _delimited(path: Path, delimiter: str) -> list[dict[str, Any]]:
    # A cell may hold line ends; csv needs them untranslated.
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter=delimiter, strict=True)
    rows: list[dict[str, Any]] = []
    try:
        header = next(reader, None)
        if header is None:
            raise InputError("is empty", file=path, remedy="give a header line and rows")
        if len(set(header)) != len(header):
            twice = sorted({name for name in header if header.count(name) > 1})
            raise InputError(f"has the column {twice[0]!r} twice", file=path)
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise InputError(
                    f"has {len(cells)} cells where the header has {len(header)}",
                    file=path,
                    row=len(rows) + 1,
                    remedy="quote a cell that holds the separator",
                )
            rows.append(dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise InputError(f"is not a table ({error})", file=path, row=len(rows) + 1) from None
    return rows


def read_table(path: Path) -> "pd.DataFrame":
    """A CSV, TSV, JSONL or Parquet file as a frame; CSV cells stay text, "" where empty.

    For tables too large for `read_rows`.

    Raises:
        InputError: The file is missing, unreadable or has an unknown ending.
    """
    import pandas as pd

    ending = path.suffix.lower()
    try:
        if ending in (".csv", ".tsv"):
            return pd.read_csv(
                path,
                sep="\t" if ending == ".tsv" else ",",
                dtype=str,
                keep_default_na=False,
                encoding="utf-8-sig",
            )
        if ending in (".jsonl", ".ndjson"):
            return pd.DataFrame(read_rows(path))
        if ending == ".parquet":
            return pd.read_parquet(path)
    except FileNotFoundError:
        raise InputError("is not there", file=path, remedy="check the name") from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", file=path, remedy="save it as UTF-8") from None
    except (ValueError, OSError) as error:
        raise InputError(f"cannot be read ({error})", file=path) from None
    raise InputError(
        f"has the ending {ending or '(none)'}",
        file=path,
        remedy="give .csv, .tsv, .jsonl or .parquet",
    )


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes, 64 hex digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
