"""How are the judge's errors regressed on a table that does not fit into memory?

The file is read once, piece by piece; the error, the covariates and the cluster of each usable row
are set aside on disk as numbers, and the regression makes its passes over those. What needs all
rows at once is refused by name: a category (its levels are those of the whole column), the place in
a group, the segments, another tool's file, labels in a second file.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Literal

import numpy as np

from judgeprobe.audit.covariates import covariates
from judgeprobe.audit.error_columns import ErrorColumns, ErrorSettings
from judgeprobe.audit.grades_input import GradesSource
from judgeprobe.audit.grades_table import Table, grade_pieces, scores
from judgeprobe.errors import InputError, StorageError
from judgeprobe.stats.arrays import Floats
from judgeprobe.stats.judge_error import ErrorRegression
from judgeprobe.stats.judge_error_chunks import Chunk, error_regression_of_chunks
from judgeprobe.tables import way_of
from judgeprobe.tables.columns import words

__all__ = ["errors_way", "refuse_nothing", "streamed_errors"]

_CHUNK_CELLS = 1 << 20
_TELLS = "needs rows: not computed from a streamed table"


def errors_way(
    source: GradesSource, columns: ErrorColumns, settings: ErrorSettings
) -> Literal["memory", "stream"]:
    """How the table is read.

    Raises:
        InputError: A stream is asked for, and something that needs all rows too.
    """
    needing = {
        "the segments (--by)": columns.by is not None,
        "@position": "@position" in columns.covariates,
        "--gold-file": source.gold_file is not None,
        "--reader": source.reader is not None,
    }
    asked = [name for name, given in needing.items() if given]
    if settings.way == "stream" and asked:
        raise InputError(f"{asked[0]} {_TELLS}", file=source.path, remedy="give --no-stream")
    return "memory" if asked else way_of(source.path, settings.way)


def refuse_nothing(path: Path, columns: ErrorColumns, *, used: int, graded: int) -> None:
    """Refuse a table without a row to use.

    Raises:
        InputError: There is none.
    """
    if columns.covariates and not used:
        raise InputError(
            f"no row has `{columns.judge}`, `{columns.gold}` and every covariate", file=path
        )
    if not graded:
        raise InputError(f"no row has `{columns.judge}`", file=path)


def streamed_errors(
    path: Path, columns: ErrorColumns, settings: ErrorSettings
) -> tuple[ErrorRegression, int, dict[str, int]]:
    """The regression, the rows that it is over, and the rows by what they lack.

    Raises:
        InputError: The file, a column or a cell cannot be used, or a covariate is a category.
        StatisticsError: A covariate has no effect of its own, or rows are too few.
        StorageError: The folder for temporary files is full.
    """
    with TemporaryDirectory(prefix="judgeprobe-") as name:
        kept = _Kept(Path(name), columns)
        kept.read(path)
        refuse_nothing(path, columns, used=kept.n, graded=kept.graded)
        found = error_regression_of_chunks(
            kept.chunks, kept.names, level=settings.level, correction=settings.correction
        )
    return found, kept.n, kept.counts


@dataclass
class _Kept:
    """The usable rows as numbers on disk: error, covariates, cluster.

    Attributes:
        folder: Where they are.
        columns: What is read.
        names: Of the covariates.
        n: Usable rows.
        graded: Rows with a grade, and a cluster where one is asked for.
        counts: Rows by what they lack.
    """

    folder: Path
    columns: ErrorColumns
    names: tuple[str, ...] = ()
    n: int = 0
    graded: int = 0
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("rows", "not_graded", "without_cluster", "not_labelled", "without_covariate"), 0
        )
    )
    _clusters: dict[str, int] = field(default_factory=dict, repr=False)

    def read(self, path: Path) -> None:
        """Read the file once and set its usable rows aside."""
        wanted = [*self.columns.others, *self.columns.labels]
        try:
            with (self.folder / "rows.bin").open("wb") as file:
                for table in grade_pieces(path, wanted):
                    self._take(table, file)
        except OSError as error:
            raise StorageError(
                f"{self.folder}: rows cannot be set aside ({error.strerror or error}); set TMPDIR "
                "to a folder on a disk with more room"
            ) from None

    def _take(self, table: Table, file: BinaryIO) -> None:
        columns, counts = self.columns, self.counts
        judge, gold = scores(table, columns.judge), scores(table, columns.gold)
        if columns.baseline_judge is not None and columns.baseline_gold is not None:
            judge = judge - scores(table, columns.baseline_judge)
            gold = gold - scores(table, columns.baseline_gold)
        design = covariates(table, columns.covariates, columns.ready)
        if design.references:
            category = next(iter(design.references))
            raise InputError(
                f"the category `{category}` {_TELLS}",
                file=table.path,
                remedy="give --no-stream, or columns of 0 and 1",
            )
        self.names = design.names
        graded = ~np.isnan(judge)
        counts["rows"] += table.n
        counts["not_graded"] += int((~graded).sum())
        cluster = np.zeros(table.n, dtype=np.int64)
        if columns.cluster is not None:
            cluster = words(table.column(columns.cluster), self._clusters)
            counts["without_cluster"] += int((graded & (cluster < 0)).sum())
            graded &= cluster >= 0
        labelled = graded & ~np.isnan(gold)
        used = labelled & ~np.isnan(design.values).any(axis=1)
        counts["not_labelled"] += int((graded & np.isnan(gold)).sum())
        counts["without_covariate"] += int((labelled & ~used).sum())
        self.graded += int(graded.sum())
        self.n += int(used.sum())
        rows = np.column_stack([judge - gold, design.values, cluster])[used]
        file.write(rows.astype(np.float64).tobytes())

    def chunks(self) -> Iterator[Chunk]:
        """One pass over the rows that were set aside."""
        width = len(self.names) + 2
        with (self.folder / "rows.bin").open("rb") as file:
            while True:
                flat: Floats = np.fromfile(file, np.float64, _CHUNK_CELLS // width * width)
                if not len(flat):
                    return
                rows = flat.reshape(-1, width)
                cluster = None if self.columns.cluster is None else rows[:, -1].astype(np.int64)
                yield Chunk(rows[:, 0], rows[:, 1:-1], cluster)
