"""`audit position` reads a file of any size piece by piece and counts the same."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from judgeprobe.audit.grades_input import GradesSource
from judgeprobe.audit.position import PositionColumns, audit_position
from judgeprobe.errors import InputError
from judgeprobe.stats.position import position_bias, preference
from judgeprobe.tables import columns as table_columns

NAMES = PositionColumns("plain", "swapped", "longer", "own")


def frame(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(6)
    columns = ("plain", "swapped", "longer", "own")
    return pd.DataFrame({name: rng.choice([0, 1, 2], rows, p=[0.1, 0.6, 0.3]) for name in columns})


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_pieces_give_what_all_rows_at_once_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(table_columns, "_PARQUET_ROWS", 64)
    monkeypatch.setattr(table_columns, "_JSON_ROWS", 64)
    monkeypatch.setattr(table_columns, "_CSV_BYTES", 512)
    data = frame(1000)
    written = data.astype("Int64").mask(data == 0)
    path = tmp_path / f"v.{ending}"
    if ending == "parquet":
        written.to_parquet(path)
    elif ending == "csv":
        written.to_csv(path, index=False)
    else:
        written.to_json(path, orient="records", lines=True)
    found = audit_position(GradesSource(path), NAMES)
    whole = position_bias(data["plain"], data["swapped"])
    assert (found["n"], found["first_rate"], found["p"]) == (
        whole.first.n,
        whole.first.rate,
        whole.first.p,
    )
    assert (found["n_unread"], found["consistent"]) == (whole.n_unread, whole.consistent)
    assert found["changed"]["rate"] == whole.changed.rate
    for probe in found["probes"]:
        expected = preference(data["plain"], data["swapped"], data[probe["name"]])
        assert (probe["n"], probe["rate"], probe["p"]) == (expected.n, expected.rate, expected.p)


def test_a_wrong_cell_in_a_late_piece_is_named_by_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_columns, "_JSON_ROWS", 64)
    data = frame(200).replace(0, 1).astype(str)
    data.loc[150, "longer"] = "3"
    path = tmp_path / "v.jsonl"
    data.to_json(path, orient="records", lines=True)
    with pytest.raises(InputError, match=r"row 151: `longer` is '3'"):
        audit_position(GradesSource(path), NAMES)
