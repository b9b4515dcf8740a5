"""Which tables does the arm write?

One CSV a readout, so that no two readouts ever stand in one column; every column of numbers bears
its readout's name. Levels, lengths, the prediction and the judges have tables of their own.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judgeprobe.files import write_csv
from judgeprobe.pressure.readings import READOUTS

__all__ = ["write_tables"]

_NUMBERS = ("estimate", "low", "high", "n", "p", "p_holm", "smallest_p")
_LEVELS = ("estimate", "low", "high", "n")
_NAMES = ("generator", "condition", "axis")


def write_tables(folder: Path, found: dict[str, Any]) -> list[str]:
    """Write the tables of effects.json, and return their names."""
    made = []
    for readout in READOUTS:
        rows = [row for row in found["effects"] if row["readout"] == readout]
        if rows:
            columns = [f"{readout}_{name}" for name in (*_NUMBERS, "moved", "reason")]
            cells = [[row[n] for n in (*_NAMES, *_NUMBERS, "moved", "reason")] for row in rows]
            made.append(_write(folder, f"effects-{readout}.csv", [*_NAMES, *columns], cells))
        rows = [row for row in found["levels"] if row["readout"] == readout]
        if rows:
            columns = [f"{readout}_above_evidence_{name}" for name in _LEVELS]
            cells = [[row[n] for n in (*_NAMES, *_LEVELS)] for row in rows]
            made.append(_write(folder, f"levels-{readout}.csv", [*_NAMES, *columns], cells))
    for name in ("words", "words_difference"):
        columns = [f"{name}_{column}" for column in _LEVELS]
        cells = [
            [row["generator"], row["condition"], *(row[n] for n in _LEVELS)] for row in found[name]
        ]
        file = f"{name.replace('_', '-')}.csv"
        made.append(_write(folder, file, ["generator", "condition", *columns], cells))
    rows = found["prediction"]["rows"]
    made.append(_write(folder, "prediction.csv", list(rows[0]), [list(r.values()) for r in rows]))
    rows = found["judges"]["rows"]
    if rows:
        made.append(_write(folder, "judges.csv", list(rows[0]), [list(r.values()) for r in rows]))
    # A readout that is no longer taken must not leave its old table behind.
    for path in folder.glob("*.csv"):
        if path.name not in made:
            path.unlink()
    return made


def _write(folder: Path, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    write_csv(folder / name, columns, rows)
    return name
