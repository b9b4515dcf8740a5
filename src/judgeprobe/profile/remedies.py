"""Do the usual reliability remedies move R, or only S?

Self-consistency (one judge's k grades of a text) and ensembles (the grades of several judges) are
rows of their own, computed from cached grades: their mean, and their majority. The verdict of the
majority at a cut is "at least tau" where more than half of the grades reach tau; the lower median
has that verdict at every cut at once. A remedy needs every one of its grades; where one is missing
the remedy is ungraded. Remedies stand in no mean over judges: they hold the same grades again.
"""

from collections.abc import Mapping

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.stats.arrays import Bools, Floats
from judgeprobe.tables import PairTable

__all__ = ["with_remedies"]

_MAJORITY_NEEDS = 3


def with_remedies(
    table: PairTable,
    ensembles: Mapping[str, tuple[str, ...]],
    repetitions: Mapping[str, Floats],
) -> PairTable:
    """The table with a row for every remedy.

    Args:
        table: Pairs and grades.
        ensembles: Name of each ensemble, and the judges in it.
        repetitions: For a judge asked k > 1 times, its grades of the originals and the edits;
            shape (k, 2, pairs).

    Raises:
        InputError: An ensemble names a judge that has no grades, or fewer than two, or its name is
            a judge's.
    """
    names: list[str] = []
    grades: list[Floats] = []
    asked: list[Bools] = []
    how: dict[str, tuple[str, tuple[str, ...]]] = {}

    def add(label: str, kind: str, members: tuple[str, ...], given: Floats) -> None:
        put = np.ones(table.asked.shape[1], dtype=np.bool_)
        for judge in members:
            put &= table.asked[table.judges.index(judge)]
        rows = {"mean": given.mean(axis=0)}
        if len(given) >= _MAJORITY_NEEDS:
            # NaN sorts last and would pass for a high grade.
            middle = np.sort(given, axis=0)[(len(given) - 1) // 2]
            rows["majority"] = np.where(np.isnan(given).any(axis=0), np.nan, middle)
        for rule, values in rows.items():
            name = f"{label} ({rule})"
            if name in table.judges:
                raise InputError(f"a judge is named `{name}`, as a remedy would be")
            names.append(name)
            grades.append(values)
            asked.append(put)
            how[name] = (f"{kind}, {rule}", members)

    for judge, given in repetitions.items():
        if len(given) > 1:
            add(f"{judge} x {len(given)}", "self-consistency", (judge,), given)
    for name, members in ensembles.items():
        absent = [judge for judge in members if judge not in table.judges]
        if absent:
            raise InputError(
                f"the ensemble `{name}` names the judge `{absent[0]}`, which has no grades",
                remedy="name judges of this study",
            )
        if len(set(members)) < 2:
            raise InputError(f"the ensemble `{name}` needs at least two judges")
        rows = [table.judges.index(judge) for judge in members]
        add(name, "ensemble", members, np.stack([table.original[rows], table.edited[rows]], axis=1))
    if not names:
        return table
    both = np.stack(grades)
    return table.with_judges(names, both[:, 0], both[:, 1], np.stack(asked), how)
