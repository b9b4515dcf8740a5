import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judgeprobe.audit.residual_features import ready_features
from judgeprobe.audit.residual_input import ResidualColumns, read_scores, read_table
from judgeprobe.errors import InputError

COLUMNS = ResidualColumns("s", "y", ("f",), group="q")


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def rows(n: int = 6, **more: Any) -> list[dict[str, Any]]:
    return [{"s": i / 2, "y": i % 2, "f": i, "q": f"q{i // 2}", **more} for i in range(n)]


def test_arrays_of_a_plain_table(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", rows())
    table = read_table(path, COLUMNS)
    assert table.labels.tolist() == [0, 1, 0, 1, 0, 1]
    assert table.groups.tolist() == [0, 0, 1, 1, 2, 2]
    assert table.features.dense[:, 0].tolist() == [0, 1, 2, 3, 4, 5]
    assert read_scores(path, "s", table).tolist() == [0, 0.5, 1, 1.5, 2, 2.5]


def test_the_score_is_not_looked_at_before_it_is_asked_for(tmp_path: Path) -> None:
    one = written(tmp_path / "one.csv", rows())
    two = written(tmp_path / "two.csv", [{**row, "s": "not yet"} for row in rows()])
    first, second = read_table(one, COLUMNS), read_table(two, COLUMNS)
    assert first.data_hash == second.data_hash
    with pytest.raises(InputError, match=r"two.csv, row 1: 's' holds 'not yet'"):
        read_scores(two, "s", second)
    with pytest.raises(InputError, match="score is among the features"):
        read_table(one, ResidualColumns("s", "y", ("s",)))


def test_rows_without_label_or_feature_are_left_out_and_counted(tmp_path: Path) -> None:
    given = rows()
    given[1]["y"], given[2]["f"] = "", ""
    table = read_table(written(tmp_path / "t.csv", given), COLUMNS)
    assert table.kept.tolist() == [0, 3, 4, 5]
    assert table.excluded == {"no label": 1, "a feature is empty": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"f": "many"}, r"row 1: 'f' holds 'many', not a finite number"),
        ({"f": "inf"}, r"row 1: 'f' holds 'inf'"),
        ({"y": "spam"}, "must be binary"),
    ],
)
def test_bad_cells(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    given = rows()
    given[0].update(change)
    with pytest.raises(InputError, match=message):
        read_table(written(tmp_path / "t.csv", given), COLUMNS)


def test_labels_that_are_not_plain_need_a_word(tmp_path: Path) -> None:
    given = [{**row, "y": ("ham", "spam")[row["y"]]} for row in rows()]
    path = written(tmp_path / "t.csv", given)
    with pytest.raises(InputError, match=r"'ham' and 'spam'.*--positive"):
        read_table(path, COLUMNS)
    named = ResidualColumns("s", "y", ("f",), positive="spam")
    assert read_table(path, named).labels.tolist() == [0, 1, 0, 1, 0, 1]
    with pytest.raises(InputError, match="never holds 'eggs'"):
        read_table(path, ResidualColumns("s", "y", ("f",), positive="eggs"))
    with pytest.raises(InputError, match="one value"):
        read_table(written(tmp_path / "u.csv", [{**row, "y": "ham"} for row in rows()]), COLUMNS)


def test_a_missing_column_names_the_nearest(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", rows())
    with pytest.raises(InputError, match="no column 'ff'; did you mean 'f'"):
        read_table(path, ResidualColumns("s", "y", ("ff",)))
    with pytest.raises(InputError, match="not among the features"):
        read_table(path, ResidualColumns("s", "y", ("f",), artifact=("g",)))


def test_ready_features_by_hand() -> None:
    texts = ["# A b\n- c `d`", "**b** 12"]
    found = ready_features(
        ["@length", "own", "@position", "@overlap", "@formatting"],
        {"own": np.array([7.0, 8.0])},
        texts=texts,
        against=["a b z", ""],
        groups=np.array([0, 0]),
    )
    row = dict(zip(found.names, found.dense[0], strict=True))
    assert row["characters"] == len(texts[0])
    assert row["tokens"] == 6
    assert row["own"] == 7
    assert row["overlap_share"] == pytest.approx(2 / 4)
    assert row["overlap_jaccard"] == pytest.approx(2 / 5)
    assert (row["headings"], row["list_items"], row["code"], row["newlines"]) == (1, 1, 2, 1)
    assert found.dense[:, found.names.index("position")].tolist() == [0, 1]
    assert found.dense[1, found.names.index("digits")] == 2
    assert found.dense[1, found.names.index("bold")] == 2


def test_ready_features_say_what_they_lack() -> None:
    groups = np.arange(2)
    for names, message in (
        (["@length"], "--text"),
        (["@overlap"], "--text"),
        (["@colour"], "there is no feature '@colour'"),
    ):
        with pytest.raises(InputError, match=message):
            ready_features(names, {}, texts=None, against=None, groups=groups)
    with pytest.raises(InputError, match="--against"):
        ready_features(["@overlap"], {}, texts=["a", "b"], against=None, groups=groups)
    with pytest.raises(InputError, match="no word in two texts"):
        ready_features(["@tfidf"], {}, texts=["aa", "bb"], against=None, groups=groups)


def test_the_artifact_block_is_the_part_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", rows(t="some words of text"))
    columns = ResidualColumns("s", "y", ("f", "@length", "@tfidf"), text="t", artifact=("@length",))
    table = read_table(path, columns)
    assert table.artifact.names == ("characters", "tokens")
    assert table.artifact.block is None
    assert table.features.block is not None
