"""Does this judge name an answer for its place, its length or its family?

One row is one comparison, judged in both orders. Both columns name the winner in the unswapped
numbering: the plain order shows 1 first, the swapped order shows 2 first. What evaluation tools
write is often otherwise: the other order is a run of its own (`swapped_file`), winners are letters
(`names`), and the letter is that of the place (`as_shown`).
"""

from dataclasses import asdict, dataclass
from typing import Any

from judgeprobe.audit.grades_input import GradesSource, read_source
from judgeprobe.audit.grades_table import Table, joined, winners
from judgeprobe.errors import InputError
from judgeprobe.stats.position import position_bias, preference

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
    table, swapped_column = _table(source, columns, turned)
    plain = winners(table, columns.plain, words)
    swapped = winners(table, swapped_column, turned)
    found = position_bias(plain, swapped, level=level)
    reason = "" if found.first.n else "no comparison names a winner in both orders"
    named = {"longer": columns.longer, "own": columns.own, "gold": columns.gold}
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
            {
                "name": name,
                **_share(
                    asdict(preference(plain, swapped, winners(table, column, _PLAIN), level=level))
                ),
            }
            for name, column in named.items()
            if column is not None
        ],
        "level": level,
        "reason": reason,
    }


def _table(
    source: GradesSource, columns: PositionColumns, words: dict[str, int]
) -> tuple[Table, str]:
    """The comparisons, and the name of the column of the swapped order."""
    marks = [name for name in (columns.longer, columns.own) if name is not None]
    gold = [] if columns.gold is None else [columns.gold]
    if source.swapped_file is None:
        return read_source(source, [columns.plain, columns.swapped, *marks], gold), columns.swapped
    table = read_source(source, [columns.plain, *marks], gold)
    other = source.read(source.swapped_file, [*source.keys, columns.swapped])
    # A wrong cell is named here in its own file and row; after the join it is in neither.
    winners(other, columns.swapped, words)
    # Two runs of a tool have the same columns; the second's gets a name that no file has.
    return joined(table, str(source.key), other, {_SWAPPED: columns.swapped}), _SWAPPED


def _share(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "reason": "" if found["trials"] else "nothing to count"}
