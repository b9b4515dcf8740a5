"""Small tables of pairs for tests, through the reader that users' files take."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from judgeprobe.profile import ProfileOptions, make_profile
from judgeprobe.records import Scale
from judgeprobe.tables import PairTable, pairs_from_file
from judgeprobe.taxonomy import load_taxonomy

COLUMNS = ("judge", "base_id", "slot", "grade_original", "grade_edited")
SCALE = Scale(0, 5, 0.25)


def write_pairs(path: Path, rows: Iterable[Sequence[Any]], extra: Sequence[str] = ()) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, *extra])
        for row in rows:
            writer.writerow(["" if cell is None else cell for cell in row])
    return path


def read_pairs(folder: Path, rows: Iterable[Sequence[Any]], extra: Sequence[str] = ()) -> PairTable:
    path = write_pairs(folder / "pairs.csv", rows, extra)
    return pairs_from_file(path, load_taxonomy("claim-calibration"), SCALE)


def options(**changes: Any) -> ProfileOptions:
    given: dict[str, Any] = {"floor": 0.9, "scale": SCALE, "resamples": 100, "permutations": 100}
    return ProfileOptions(**{**given, **changes})


def profile_of(table: PairTable, **changes: Any) -> dict[str, Any]:
    return make_profile(
        table,
        options(**changes),
        study="test",
        direction="human",
        direction_source="human: a test",
        made_under={},
    )
