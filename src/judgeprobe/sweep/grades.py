"""What is in grades.parquet, and under which hashes was it made?

One row for each judge, unique text and repetition that was asked for, in a fixed order, so that the
bytes do not depend on the order in which replies arrived. A text that was never put to a judge (the
run was stopped) has no row. The footer names the hashes of the taxonomy, the scale, the prompts and
the interventions.
"""

import json
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

    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, list[Any]] = {name: [] for name in Grade.model_fields}
    for row in rows:
        for name, values in columns.items():
            value = getattr(row, name)
            if isinstance(value, str) and not value.isascii():
                # A provider may send half of a surrogate pair; Parquet holds UTF-8.
                value = value.encode("utf-8", "replace").decode("utf-8")
            values.append(value)
    kinds = {"value": pa.float64(), "repetition": pa.int32()}
    schema = pa.schema(
        [(name, kinds.get(name, pa.string())) for name in columns],
        metadata={"judgeprobe": json.dumps(metadata, sort_keys=True)},
    )
    table = pa.table(columns, schema=schema)
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    write_bytes(path, buffer.getvalue())
    return int(table.num_rows)


def earlier_failures(path: Path, metadata: dict[str, str]) -> dict[tuple[str, str, int], str]:
    """Texts that a judge failed on in an earlier run: (judge, text id, repetition) to the reason.

    Empty where there was no run, or it was made under other hashes.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    if not path.is_file() or parquet_metadata(path) != metadata:
        return {}
    table = pq.read_table(path, columns=["judge", "text_id", "repetition", "status", "detail"])
    rows = table.filter(pc.equal(table["status"], "failed")).to_pylist()
    return {(row["judge"], row["text_id"], row["repetition"]): row["detail"] for row in rows}
