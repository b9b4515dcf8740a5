"""What is in grades.parquet, and under which hashes was it made?

One row for each judge, unique text and repetition that was asked for, in a fixed order, so that the
bytes do not depend on the order in which replies arrived. A text that was never put to a judge (the
run was stopped) has no row. The footer names the hashes of the taxonomy, the scale, the prompts and
the interventions.
"""

import json
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from judgeprobe.files import parquet_metadata, write_bytes
from judgeprobe.records import SCHEMA_VERSION, Grade, Scale, content_hash
from judgeprobe.study import Study
from judgeprobe.sweep.judges import Judge
from judgeprobe.sweep.plan import Plan

__all__ = ["earlier_failures", "grades_metadata", "write_grades"]


def grades_metadata(study: Study, plan: Plan, judges: Iterable[Judge]) -> dict[str, str]:
    """The hashes that a sweep's grades are made under."""
    prompts = {judge.name: judge.prompt_hash for judge in judges if judge.prompt_hash}
    return {
        "schema": str(SCHEMA_VERSION),
        "taxonomy": study.taxonomy.hash,
        "scale": scale_hash(study.settings.elicitation.scale),
        "prompts": content_hash(prompts),
        "interventions": plan.interventions_hash,
    }


def scale_hash(scale: Scale) -> str:
    """SHA-256 of a scale."""
    return content_hash(scale.model_dump(mode="json"))


def write_grades(path: Path, rows: Iterable[Grade], metadata: dict[str, str]) -> int:
    """Write grades.parquet whole or not at all; the number of rows.

    Raises:
        StorageError: The disk refused.
    """
    import io

    import pyarrow.parquet as pq

    columns = _Columns()
    for row in rows:
        columns.add(row)
    metadata_ = {"judgeprobe": json.dumps(metadata, sort_keys=True)}
    table = columns.table().replace_schema_metadata(metadata_)
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    write_bytes(path, buffer.getvalue())
    return int(table.num_rows)


class _Columns:
    """Rows as Arrow columns, built row by row.

    `pyarrow.array` of a list would look whether it is a pandas object, and import pandas for that:
    half a second of a sweep that finds every reply in its cache.
    """

    def __init__(self) -> None:
        import pyarrow as pa

        self._text = {
            name: pa.lib.StringBuilder()
            for name in Grade.model_fields
            if name not in ("value", "repetition")
        }
        self._value = array("d")
        self._graded = bytearray()
        self._repetition = array("i")

    def add(self, row: Grade) -> None:
        """Append one row."""
        for name, builder in self._text.items():
            value = getattr(row, name)
            if not value.isascii():
                # A provider may send half of a surrogate pair; Parquet holds UTF-8.
                value = value.encode("utf-8", "replace").decode("utf-8")
            builder.append(value)
        self._graded.append(row.value is not None)
        self._value.append(0.0 if row.value is None else row.value)
        self._repetition.append(row.repetition)

    def table(self) -> Any:
        """All rows; the columns in the order of `records.Grade`."""
        import numpy as np
        import pyarrow as pa

        count = len(self._value)
        valid = np.packbits(np.frombuffer(self._graded, np.uint8), bitorder="little").tobytes()
        found = {name: builder.finish() for name, builder in self._text.items()}
        found["value"] = pa.Array.from_buffers(
            pa.float64(), count, [pa.py_buffer(valid), pa.py_buffer(self._value)]
        )
        found["repetition"] = pa.Array.from_buffers(
            pa.int32(), count, [None, pa.py_buffer(self._repetition)]
        )
        names = list(Grade.model_fields)
        return pa.table([found[name] for name in names], names=names)


def earlier_failures(path: Path, metadata: dict[str, str]) -> dict[tuple[str, str, int], str]:
    """Texts that a judge failed on in an earlier run: (judge, text id, repetition) to the reason.

    Empty where there was no run, or it was made under other hashes.
    """
    import pyarrow.parquet as pq

    if not path.is_file() or parquet_metadata(path) != metadata:
        return {}
    # Not `read_table`, which imports pandas.
    columns = ["judge", "text_id", "repetition", "status", "detail"]
    rows = pq.ParquetFile(path).read(columns).to_pylist()
    return {
        (row["judge"], row["text_id"], row["repetition"]): row["detail"]
        for row in rows
        if row["status"] == "failed"
    }
