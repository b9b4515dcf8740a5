"""Where do an audit's grades come from, and people's labels?

From a plain table or from what an evaluation tool wrote; labels from the same file, or from a
second one joined by an id. Every audit of grades reads its input here, so that each refuses alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgeprobe.audit.eval_files import read_eval
from judgeprobe.audit.grades_table import Table, joined, read_grades, table_of
from judgeprobe.errors import InputError
from judgeprobe.files import file_hash

__all__ = ["GradesSource", "read_source"]


@dataclass(frozen=True)
class GradesSource:
    """The files of one audit.

    Attributes:
        path: The grades.
        reader: Tool that wrote them ("inspect", ...); None for a plain table.
        gold_file: Second table, with people's labels; None where `path` holds them.
        swapped_file: A second run of the same tool, with the other order of each comparison.
        key: Column with the id that joins them, of that name in each.

    Raises:
        InputError: A second file without an id to join it, or an id without a second file.
    """

    path: Path
    reader: str | None = None
    gold_file: Path | None = None
    swapped_file: Path | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        others = {"--gold-file": self.gold_file, "--swapped-file": self.swapped_file}
        given = [option for option, path in others.items() if path is not None]
        if given and self.key is None:
            raise InputError(f"{given[0]} needs the id that joins it", remedy="give --id COLUMN")
        if self.key is not None and not given:
            raise InputError("--id joins a second file, and none is given")

    @property
    def keys(self) -> list[str]:
        """The id's column, where there is one."""
        return [] if self.key is None else [self.key]

    def named(self) -> dict[str, str | None]:
        """Every file that was read, by name and SHA-256."""
        told: dict[str, str | None] = {
            "file": self.path.name,
            "sha256": file_hash(self.path),
            "reader": self.reader,
        }
        for name, path in (("gold", self.gold_file), ("swapped", self.swapped_file)):
            if path is not None:
                told |= {f"{name}_file": path.name, f"{name}_sha256": file_hash(path)}
        return told

    def read(self, path: Path, columns: Sequence[str]) -> Table:
        """Columns of a file of grades; of a tool's file, every column."""
        if self.reader is None:
            return read_grades(path, columns)
        return table_of(path, read_eval(path, self.reader))


def read_source(source: GradesSource, own: Sequence[str], labels: Sequence[str] = ()) -> Table:
    """The grades, with people's labels beside.

    Args:
        source: The files.
        own: Columns of the grades.
        labels: Columns that people filled in: of the gold file where there is one.

    Raises:
        InputError: A file cannot be used, no label's column is named for a gold file, or an id is
            missing, empty, doubled or unmatched.
    """
    if source.gold_file is None:
        return source.read(source.path, [*own, *source.keys, *labels])
    if not labels:
        raise InputError("--gold-file holds people's labels", remedy="name their column: --gold")
    table = source.read(source.path, [*own, *source.keys])
    gold = read_grades(source.gold_file, [*source.keys, *labels])
    return joined(table, str(source.key), gold, {name: name for name in labels})
