"""Does this judge name an answer for its place, its length or its family?

One row is one comparison, judged in both orders. Both columns name the winner in the unswapped
numbering: the plain order shows 1 first, the swapped order shows 2 first. What evaluation tools
write is often otherwise: the other order is a run of its own (`swapped_file`), winners are letters
(`names`), and the letter is that of the place (`as_shown`).

One plain table is read in a stream: only counts are kept, so it may have any number of rows.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from judgeprobe.audit.grades_input import GradesSource, read_source
from judgeprobe.audit.grades_table import Table, grade_pieces, joined, winners
from judgeprobe.errors import InputError
from judgeprobe.stats.position import position_of_counts, preference_of_counts, verdict_counts

__all__ = ["PositionColumns", "audit_position"]

_SWAPPED = "swapped order\0"


@dataclass(frozen=True)
class PositionColumns:
    """Which column holds what; each names an answer: 1, 2 or empty.

    Attributes:
        plain: Winner where 1 is shown first.
        swapped: Winner where 2 is shown first, in the same numbering.
        longer: The longer answer.
        own: The answer by the judge's own family.
        gold: The answer that people prefer.
        names: What `plain` and `swapped` write for answers 1 and 2.
        ties: What they write for neither, beside an empty cell.
        as_shown: Whether `swapped` names the place instead: its 1 is the answer shown first, 2.
    """

    plain: str
    swapped: str
    longer: str | None = None
    own: str | None = None
    gold: str | None = None
    names: tuple[str, ...] = ("1", "2")
    ties: tuple[str, ...] = ()
    as_shown: bool = False

    @property
    def words(self) -> dict[str, int]:
        """What each word of a verdict stands for: 1, 2, or 0 for neither.

        Raises:
            InputError: The names are not two different words, or one is a tie too.
        """
        two = len(self.names) == len(set(self.names)) == 2
        if not two or "" in self.names or set(self.names) & set(self.ties):
            raise InputError("the names of the answers must be two words, neither of them a tie")
        known = dict(zip(self.names, (1, 2), strict=True)) | dict.fromkeys(self.ties, 0)
        return _PLAIN | known if self.names == ("1", "2") else known


# Software writes whole numbers as 1.0 where a column has empty cells.
_PLAIN = {"1": 1, "2": 2, "1.0": 1, "2.0": 2}
_FLIPPED = {0: 0, 1: 2, 2: 1}


def audit_position(
    source: GradesSource, columns: PositionColumns, *, level: float = 0.95
) -> dict[str, Any]:
    """The audit as one JSON object; a figure without a comparison is null with a reason.

    Raises:
        InputError: A file, a column or a cell cannot be used.
    """
    words = columns.words
    turned = {word: _FLIPPED[code] for word, code in words.items()} if columns.as_shown else words
    named = {"longer": columns.longer, "own": columns.own, "gold": columns.gold}
    probes = {name: column for name, column in named.items() if column is not None}
    swapped_column = columns.swapped if source.swapped_file is None else _SWAPPED
    counts = np.zeros((3, 3), dtype=np.int64)
    marked = {name: np.zeros((3, 3, 3), dtype=np.int64) for name in probes}
    for table in _tables(source, columns, turned):
        both = winners(table, columns.plain, words), winners(table, swapped_column, turned)
        counts += verdict_counts(*both)
        for name, column in probes.items():
            marked[name] += verdict_counts(*both, winners(table, column, _PLAIN))
    found = position_of_counts(counts, level=level)
    reason = "" if found.first.n else "no comparison names a winner in both orders"
    return {
        **source.named(),
        "n": found.first.n,
        "n_unread": found.n_unread,
        "first_rate": found.first.rate,
        "low": found.first.low,
        "high": found.first.high,
        "p": found.first.p,
        "consistent": found.consistent,
        "changed": _share(asdict(found.changed)),
        "probes": [
            {"name": name, **_share(asdict(preference_of_counts(each, level=level)))}
            for name, each in marked.items()
        ],
        "level": level,
        "reason": reason,
    }


def _tables(
    source: GradesSource, columns: PositionColumns, words: dict[str, int]
) -> Iterator[Table]:
    """The comparisons: piece by piece, or all at once where files must be joined."""
    marks = [name for name in (columns.longer, columns.own) if name is not None]
    gold = [] if columns.gold is None else [columns.gold]
    if source.swapped_file is not None:
        table = read_source(source, [columns.plain, *marks], gold)
        other = source.read(source.swapped_file, [*source.keys, columns.swapped])
        # A wrong cell is named here in its own file and row; after the join it is in neither.
        winners(other, columns.swapped, words)
        # Two runs of a tool have the same columns; the second's gets a name that no file has.
        yield joined(table, str(source.key), other, {_SWAPPED: columns.swapped})
    elif source.reader is not None or source.gold_file is not None:
        yield read_source(source, [columns.plain, columns.swapped, *marks], gold)
    else:
        yield from grade_pieces(source.path, [columns.plain, columns.swapped, *marks, *gold])


def _share(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "reason": "" if found["trials"] else "nothing to count"}
