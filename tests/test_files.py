import errno
import json
import os
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe import files
from judgeprobe.errors import InputError, StorageError
from judgeprobe.records import BaseItem

ITEM = BaseItem(id="a", evidence="It rained.", claim="It may rain.")


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=5))
def test_jsonl_gives_back_any_text(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "items.jsonl"
    items = [BaseItem(id=str(i), evidence=text, claim=text) for i, text in enumerate(texts)]
    files.write_jsonl(path, items)
    assert files.read_jsonl(path, BaseItem) == items


def test_a_line_separator_inside_a_string_does_not_cut_a_row(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(
        json.dumps({"id": "a", "evidence": "x\u2028y", "claim": "z"}, ensure_ascii=False)
    )
    assert files.read_jsonl(path, BaseItem)[0].evidence == "x\u2028y"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_refusing_disk_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, call: str
) -> None:
    path = tmp_path / "items.jsonl"
    files.write_text(path, "old\n")

    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(StorageError, match="nothing was changed"):
        files.write_text(path, "new\n")
    assert path.read_text() == "old\n"
    assert [found.name for found in tmp_path.iterdir()] == ["items.jsonl"]


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(f"{ITEM.model_dump_json()}\n" + '{"id": "b", "claim": "x"}\n')
    with pytest.raises(InputError, match=r"items\.jsonl, row 2: `evidence`: field required"):
        files.read_jsonl(path, BaseItem)
    path.write_text("{broken\n")
    with pytest.raises(InputError, match=r"row 1: is not JSON"):
        files.read_jsonl(path, BaseItem)


def test_text_that_is_not_utf8_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_bytes(b"id,claim\na,caf\xe9\n")
    with pytest.raises(InputError, match=r"is not UTF-8 \(line 2\); save it as UTF-8"):
        files.read_rows(path)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_one_table_reads_the_same_from_every_form(tmp_path: Path, ending: str) -> None:
    rows = [{"id": "1", "text": 'a "quoted", line\nand another\t'}, {"id": "2", "text": ""}]
    frame = pd.DataFrame(rows)
    path = tmp_path / f"table.{ending}"
    if ending in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    assert files.read_rows(path) == rows
    assert files.read_table(path).to_dict("records") == rows


def test_a_ragged_row_and_a_doubled_column_are_named(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n3\n")
    with pytest.raises(InputError, match=r"row 2: has 1 cells where the header has 2"):
        files.read_rows(path)
    path.write_text("a,a\n1,2\n")
    with pytest.raises(InputError, match="has the column 'a' twice"):
        files.read_rows(path)


def test_a_spreadsheet_cannot_run_a_cell_and_numbers_stay_numbers(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    files.write_csv(path, ["text", "number"], [["=1+1", -0.5], ["@x", None], ["plain", 3]])
    assert path.read_text() == "text,number\n'=1+1,-0.5\n'@x,\nplain,3\n"


def test_parquet_carries_its_hashes_and_is_the_same_twice(tmp_path: Path) -> None:
    frame = pd.DataFrame({"judge": ["a"], "value": [1.5]})
    for name in ("one", "two"):
        files.write_parquet(tmp_path / f"{name}.parquet", frame, {"taxonomy": "abc"})
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()
    assert files.parquet_metadata(tmp_path / "one.parquet") == {"taxonomy": "abc"}


def test_json_never_holds_nan(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        files.write_json(tmp_path / "x.json", {"S": float("nan")})
    assert not (tmp_path / "x.json").exists()
