"""Does this judge name an answer for its place, its length or its family?

One row is one comparison, judged in both orders. Both columns name the winner in the unswapped
numbering: the plain order shows 1 first, the swapped order shows 2 first. The file is read in a
stream: only counts are kept, so it may have any number of rows.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from judgeprobe.audit.grades_table import grade_pieces, winners
from judgeprobe.files import file_hash
from judgeprobe.stats.position import position_of_counts, preference_of_counts, verdict_counts

__all__ = ["PositionColumns", "audit_position"]


@dataclass(frozen=True)
class PositionColumns:
    """Which column holds what; each names an answer: 1, 2 or empty.

    Attributes:
        plain: Winner where 1 is shown first.
        swapped: Winner where 2 is shown first, in the same numbering.
        longer: The longer answer.
        own: The answer by the judge's own family.
    """

    plain: str
    swapped: str
    longer: str | None = None
    own: str | None = None


def audit_position(path: Path, columns: PositionColumns, *, level: float = 0.95) -> dict[str, Any]:
    """The audit as one JSON object; a figure without a comparison is null with a reason.

    Raises:
        InputError: The file, a column or a cell cannot be used.
    """
    named = {"longer": columns.longer, "own": columns.own}
    probes = {name: column for name, column in named.items() if column is not None}
    counts = np.zeros((3, 3), dtype=np.int64)
    marked = {name: np.zeros((3, 3, 3), dtype=np.int64) for name in probes}
    for table in grade_pieces(path, [columns.plain, columns.swapped, *probes.values()]):
        both = winners(table, columns.plain), winners(table, columns.swapped)
        counts += verdict_counts(*both)
        for name, column in probes.items():
            marked[name] += verdict_counts(*both, winners(table, column))
    found = position_of_counts(counts, level=level)
    reason = "" if found.first.n else "no comparison names a winner in both orders"
    return {
        "file": path.name,
        "sha256": file_hash(path),
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


def _share(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "reason": "" if found["trials"] else "nothing to count"}
