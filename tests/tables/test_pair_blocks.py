from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.helpers.graded_files import TAXONOMY, random_frame, write_frame
from tests.helpers.pair_tables import SCALE, write_pairs

from judgeprobe.errors import InputError, StorageError
from judgeprobe.tables import about_rows, pair_rows, pairs_from_file, pairs_in_blocks
from judgeprobe.tables.spill import Spill

ROWS = [
    ("a", "b1", "domain_extension", 4, 2),
    ("a", "b1", "format_shift", 4, 4),
    ("b", "b2", "hedging_removal", 4, None),
]


@pytest.mark.parametrize("seed", range(6))
def test_the_blocks_together_are_the_table(tmp_path: Path, seed: int) -> None:
    path = write_frame(tmp_path, random_frame(np.random.default_rng([21, seed])), "parquet")
    whole = pairs_from_file(path, TAXONOMY, SCALE)
    columns = ("slot", "domain", "unanimous", "axis")
    matrices = ("original", "edited", "asked")
    found: dict[str, list[np.ndarray]] = {name: [] for name in ("base", *columns, *matrices)}
    with pairs_in_blocks(path, TAXONOMY, SCALE, shares=5) as blocks:
        assert blocks.header.judges == whole.judges
        assert blocks.header.domains == whole.domains
        assert blocks.header.excluded == whole.excluded
        assert blocks.n_base == len(whole.base_ids)
        for table, places in blocks.tables():
            found["base"].append(places[table.base])
            for name in (*columns, *matrices):
                found[name].append(getattr(table, name))
        folder = blocks.files[0].parent
    assert not folder.exists()
    base = np.concatenate(found["base"])
    order = np.argsort(base, kind="stable")
    np.testing.assert_array_equal(base[order], whole.base)
    for name in columns:
        np.testing.assert_array_equal(np.concatenate(found[name])[order], getattr(whole, name))
    for name in matrices:
        joined = np.concatenate(found[name], axis=1)[:, order]
        np.testing.assert_array_equal(joined, getattr(whole, name))


def test_a_row_of_a_folder_is_named_by_its_file_and_its_number_there(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    write_pairs(folder / "b.csv", [*ROWS, ("a", "b3", "nowhere", 4, 2)])
    write_pairs(folder / "a.csv", [("a", "b1", "domain_extension", 4, 9), *ROWS[:1]])
    (folder / "readme.txt").write_text("not a table")
    expected = [
        ("`grade_edited` lies outside the scale 0 to 5; in a.csv", (1,)),
        ("unknown slot `nowhere`; in b.csv", (4,)),
        ("repeats judge, base item and slot of another; read as a further edit; in b.csv", (1,)),
    ]
    for table in (pairs_from_file(folder, TAXONOMY, SCALE), _header(folder)):
        told = [(row.reason, row.rows) for row in table.excluded if row.rows]
        assert told == expected


def _header(path: Path):
    with pairs_in_blocks(path, TAXONOMY, SCALE, shares=2) as blocks:
        return blocks.header


def test_an_empty_folder_and_a_missing_column_are_named(tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    with (
        pytest.raises(InputError, match="holds no table"),
        pairs_in_blocks(tmp_path / "nothing", TAXONOMY, SCALE),
    ):
        pass
    path = tmp_path / "p.parquet"
    pd.DataFrame({"judge": ["a"], "base_id": ["b"]}).to_parquet(path)
    with (
        pytest.raises(InputError, match="lacks the column `slot`"),
        pairs_in_blocks(path, TAXONOMY, SCALE),
    ):
        pass


def test_rows_are_counted_exactly_for_parquet_and_about_for_text(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS * 100, columns=["judge", "base_id", "slot", "x", "y"])
    frame.to_parquet(tmp_path / "p.parquet")
    assert about_rows(tmp_path / "p.parquet") == 300
    frame.to_csv(tmp_path / "p.csv", index=False)
    size = (tmp_path / "p.csv").stat().st_size
    assert about_rows(tmp_path / "p.csv") == size // 40
    (tmp_path / "p.csv").rename(tmp_path / "broken.parquet")
    assert about_rows(tmp_path / "broken.parquet") == size // 40
    assert about_rows(tmp_path / "absent.parquet") == 0


def test_a_full_disk_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    spill = Spill(tmp_path, 1, ("row", "base"))
    spill._file = lambda share: Path("/dev/full")  # type: ignore[method-assign]
    columns = {"row": np.arange(9000), "base": np.zeros(9000, dtype=np.int64)}

    def fill() -> None:
        spill.put(columns)
        spill.close()

    with pytest.raises(StorageError, match=r"rows cannot be set aside .*set TMPDIR"):
        fill()


def test_judges_that_share_too_few_pairs_are_refused_in_blocks_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(f"j{i}", f"b{i}", "domain_extension", 4, 2) for i in range(40)]
    path = write_pairs(tmp_path / "p.csv", rows)
    monkeypatch.setattr(pair_rows, "_MAX_CELLS", 400)
    for read in (lambda: pairs_from_file(path, TAXONOMY, SCALE), lambda: _header(path)):
        with pytest.raises(InputError, match=r"p\.csv: 40 judges share too few"):
            read()


def test_words_of_a_parquet_dictionary_are_read_as_plain_text_is(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        [(" a ", "b1", "domain_extension", 4.0, 2.0), ("a", " b1", "format_shift", 4.0, 4.0)] * 30,
        columns=["judge", "base_id", "slot", "grade_original", "grade_edited"],
    )
    plain = pa.Table.from_pandas(frame)
    kinds = {"plain": pa.string(), "large": pa.large_string()}
    kinds["dictionary"] = pa.dictionary(pa.int32(), pa.string())
    tables = []
    for name, kind in kinds.items():
        columns = [plain.column(c).cast(kind) for c in ("judge", "base_id", "slot")]
        columns += [plain.column(c) for c in ("grade_original", "grade_edited")]
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table(dict(zip(frame.columns, columns, strict=True))), path)
        tables.append(pairs_from_file(path, TAXONOMY, SCALE))
    for table in tables:
        assert (table.judges, table.base_ids) == (("a",), ("b1",))
        np.testing.assert_array_equal(table.edited, tables[0].edited)
