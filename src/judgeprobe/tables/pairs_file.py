"""What is in a file of pairs that somebody else graded? Every row in memory, as one table.

Columns: judge, base_id, slot, grade_original, grade_edited; optionally unanimous, length_original,
length_edited, regrade_original, domain. An empty grade is an ungraded response. The file is read in
pieces, so memory grows with the compact columns and not with the text; `pair_blocks` reads tables
whose columns do not fit either.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.records import Scale
from judgeprobe.stats.arrays import Floats, Ints
from judgeprobe.tables.pair_reader import OPTIONAL, REQUIRED, PairReader
from judgeprobe.tables.pair_rows import PairRows, table_of_rows
from judgeprobe.tables.pairs import PairTable
from judgeprobe.tables.part_files import Faults, Parts
from judgeprobe.taxonomy import Taxonomy

__all__ = ["nothing_usable", "pairs_from_file"]


def pairs_from_file(path: Path, taxonomy: Taxonomy, scale: Scale) -> PairTable:
    """Read a file of graded pairs, or a folder of such files.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson or .parquet, or a folder with such files.
        taxonomy: Names the slots that may occur, and their axes.
        scale: A grade outside it is a fault.

    Returns:
        The table. Its exclusions name the rows left out (`what` "row"), cells read as empty
        ("cell"), and base items with one arm only ("base item").

    Raises:
        InputError: A file cannot be read, a needed column is missing, or no row can be used.
    """
    parts = Parts.of(path)
    reader = PairReader(taxonomy, scale, Faults(parts))
    kept: dict[str, list[Ints | Floats]] = {}
    for piece in parts.pieces(REQUIRED, OPTIONAL):
        for name, values in reader.take(piece).items():
            kept.setdefault(name, []).append(values)
    if not reader.n_rows:
        raise nothing_usable(reader, path)
    joined: Mapping[str, np.ndarray] = {name: np.concatenate(kept[name]) for name in kept}
    rows = PairRows(
        **joined,
        judges=tuple(reader.judges),
        bases=tuple(reader.bases),
        domains=tuple(reader.domains),
    )
    return table_of_rows(rows, taxonomy, file=path, faults=reader.faults)


def nothing_usable(reader: PairReader, path: Path) -> InputError:
    """The error of a table without a usable row."""
    faults = reader.faults.exclusions()
    why = f"{faults[0].reason} (row {faults[0].rows[0]})" if faults else "it has none"
    return InputError(f"no row can be used: {why}", file=path, remedy="mend the rows named")
