"""`audit errors` of a table read in parts is the audit of the same table in memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from judgeprobe.audit.covariates import Ready
from judgeprobe.audit.errors import ErrorColumns, ErrorSettings, audit_errors
from judgeprobe.audit.errors_streamed import errors_way
from judgeprobe.audit.grades_input import GradesSource
from judgeprobe.errors import InputError
from judgeprobe.tables import columns as table_columns
from judgeprobe.tables import part_files


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_columns, "_PARQUET_ROWS", 64)
    monkeypatch.setattr(table_columns, "_JSON_ROWS", 64)
    monkeypatch.setattr(table_columns, "_CSV_BYTES", 4096)


def frame(rows: int = 700) -> pd.DataFrame:
    rng = np.random.default_rng(8)
    length = rng.integers(20, 800, rows).astype(float)
    gold = rng.integers(0, 11, rows) / 2
    judge = gold + length / 400 + rng.integers(-2, 3, rows) / 2
    return pd.DataFrame(
        {
            "judge": np.where(rng.random(rows) < 0.05, np.nan, judge),
            "gold": np.where(rng.random(rows) < 0.5, np.nan, gold),
            "other": rng.integers(0, 11, rows) / 2,
            "other_gold": np.where(rng.random(rows) < 0.2, np.nan, gold),
            "length": np.where(rng.random(rows) < 0.05, np.nan, length),
            "flag": rng.choice(["true", "false"], rows),
            "kind": rng.choice(["a", "b"], rows),
            "group": rng.choice(["", *(f"g{i}" for i in range(30))], rows),
            "answer": [
                f"{'**a** ' * (n % 4)}{'word ' * n}" for n in rng.integers(1, 50, rows).tolist()
            ],
        }
    )


def write(folder: Path, ending: str) -> Path:
    path = folder / f"grades.{ending}"
    if ending == "parquet":
        frame().to_parquet(path)
    elif ending == "csv":
        frame().to_csv(path, index=False)
    else:
        frame().to_json(path, orient="records", lines=True)
    return path


def same(one: Any, two: Any, where: str = "") -> None:
    if isinstance(one, dict):
        assert one.keys() == two.keys()
        for key in one:
            same(one[key], two[key], f"{where}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(two)
        for i, (a, b) in enumerate(zip(one, two, strict=True)):
            same(a, b, f"{where}[{i}]")
    elif isinstance(one, float):
        assert two == pytest.approx(one, rel=1e-9, abs=1e-12), where
    else:
        assert one == two, where


ASKED: list[dict[str, Any]] = [
    {"covariates": ("length", "flag")},
    {"covariates": ("length",), "cluster": "group"},
    {"covariates": ("@length", "@formatting", "flag"), "ready": Ready(text="answer")},
    {
        "covariates": ("length",),
        "baseline_judge": "other",
        "baseline_gold": "other_gold",
        "cluster": "group",
    },
]


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_the_same_in_parts_and_in_memory(
    tmp_path: Path, asked: dict[str, Any], ending: str
) -> None:
    path = write(tmp_path, ending)
    columns = ErrorColumns("judge", "gold", **asked)
    memory = audit_errors(
        GradesSource(path), columns, ErrorSettings(way="memory", level=0.9, correction="bh")
    )
    streamed = audit_errors(
        GradesSource(path), columns, ErrorSettings(way="stream", level=0.9, correction="bh")
    )
    assert memory["n"] > 100
    assert memory["counts"]["not_labelled"] > 100
    same(memory, streamed)


@pytest.mark.parametrize(
    ("asked", "files", "named"),
    [
        ({"covariates": ("length",), "by": "kind"}, {}, r"the segments \(--by\)"),
        ({"covariates": ("kind",)}, {}, "the category `kind`"),
        ({"covariates": ("@position",), "ready": Ready(group="group")}, {}, "@position"),
        ({"covariates": ("length",)}, {"reader": "inspect"}, "--reader"),
        ({"covariates": ("length",)}, {"gold_file": Path("g.csv"), "key": "group"}, "--gold-file"),
    ],
)
def test_what_needs_all_rows_is_refused_by_name(
    tmp_path: Path, asked: dict[str, Any], files: dict[str, Any], named: str
) -> None:
    path = write(tmp_path, "parquet")
    columns = ErrorColumns("judge", "gold", **asked)
    with pytest.raises(InputError, match=rf"{named} needs rows: not computed from a streamed"):
        audit_errors(GradesSource(path, **files), columns, ErrorSettings(way="stream"))


def test_large_tables_are_streamed_where_nothing_needs_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "parquet")
    plain = ErrorColumns("judge", "gold", covariates=("length",))
    segmented = ErrorColumns("judge", "gold", covariates=("length",), by="kind")
    assert errors_way(GradesSource(path), plain, ErrorSettings()) == "memory"
    monkeypatch.setattr(part_files, "STREAM_ROWS", 699)
    assert errors_way(GradesSource(path), plain, ErrorSettings()) == "stream"
    assert errors_way(GradesSource(path), segmented, ErrorSettings()) == "memory"
    assert errors_way(GradesSource(path), plain, ErrorSettings(way="memory")) == "memory"


def test_a_wrong_cell_and_a_table_without_usable_rows_are_named(tmp_path: Path) -> None:
    data = frame()
    columns = ErrorColumns("judge", "gold", covariates=("length",))
    text = data.astype({"length": object})
    text.loc[400, "length"] = "long"
    text.to_csv(tmp_path / "wrong.csv", index=False)
    with pytest.raises(InputError, match="row 401: `length` is no number"):
        audit_errors(GradesSource(tmp_path / "wrong.csv"), columns, ErrorSettings(way="stream"))
    data.assign(gold=np.nan).to_parquet(tmp_path / "none.parquet")
    with pytest.raises(InputError, match="no row has `judge`, `gold` and every covariate"):
        audit_errors(GradesSource(tmp_path / "none.parquet"), columns, ErrorSettings(way="stream"))
