import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.build.items import read_base_items
from judgeprobe.build.rows import CLAIM_LIMIT, text_problem
from judgeprobe.errors import InputError
from judgeprobe.files import write_csv, write_jsonl

ROWS = [
    {"id": "a", "evidence": "Ten of 12 improved.", "claim": "Most improved.", "domain": "x"},
    {"id": "b", "evidence": "It, too; rose.\nTwice.", "claim": 'It "may" rise.', "domain": "y"},
]


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    columns = list(rows[0])
    if path.suffix in (".csv", ".tsv"):
        frame = pd.DataFrame(rows, columns=columns)
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    elif path.suffix == ".parquet":
        pd.DataFrame(rows, columns=columns).to_parquet(path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_kind_of_table_gives_the_same_items(tmp_path: Path, ending: str) -> None:
    items = read_base_items(write(tmp_path / f"items{ending}", ROWS))
    assert [item.model_dump() for item in items] == [
        {**row, "document": row["id"], "source": "", "licence": ""} for row in ROWS
    ]


def test_columns_are_mapped_and_two_fields_may_share_one(tmp_path: Path) -> None:
    path = write(tmp_path / "i.csv", [{"nr": 7, "text": "It rose.", "place": "x"}])
    columns = {"id": "nr", "claim": "text", "evidence": "text"}
    (item,) = read_base_items(path, columns)
    assert (item.id, item.claim, item.evidence, item.document) == ("7", "It rose.", "It rose.", "7")


def test_numbers_of_a_parquet_file_become_text_and_nulls_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "i.parquet"
    frame = pd.DataFrame({"id": [3], "evidence": ["E."], "claim": ["C."], "domain": [None]})
    frame.to_parquet(path)
    (item,) = read_base_items(path)
    assert (item.id, item.domain) == ("3", "")


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"evidence": ""}, r", row 2: `evidence` is missing; fill it in or remove the row$"),
        ({"evidence": " \n "}, r", row 2: `evidence` is missing"),
        ({"id": ""}, r", row 2: `id` is missing"),
        ({"id": "a"}, r", row 2: the id 'a' is there already \(row 1\); give every item an id"),
        ({"claim": "x" * 50_000}, r", row 2: `claim` has 50,000 characters; the limit is 5,000;"),
        ({"claim": "abc\u202edef"}, r"row 2: `claim` holds a right-to-left override \(U\+202E at"),
        ({"evidence": "abc\u2066def"}, r"row 2: `evidence` holds a left-to-right isolate"),
        ({"claim": "abc\0def"}, r"row 2: `claim` holds a null byte \(U\+0000 at character 4\)"),
        ({"claim": "abc\x07def"}, r"row 2: `claim` holds a control character \(U\+0007"),
    ],
)
def test_a_bad_row_is_one_line_with_file_row_and_remedy(
    tmp_path: Path, ending: str, change: dict[str, str], message: str
) -> None:
    path = tmp_path / f"items{ending}"
    rows = [ROWS[0], {**ROWS[1], **change}]
    if ending == ".csv":
        write_csv(path, list(rows[0]), [list(row.values()) for row in rows])
    else:
        write(path, rows)
    with pytest.raises(InputError, match=message) as caught:
        read_base_items(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_null_in_jsonl_is_missing_and_half_a_surrogate_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "i.jsonl"
    path.write_text('{"id": "a", "claim": "C.", "evidence": null}\n')
    with pytest.raises(InputError, match="row 1: `evidence` is missing"):
        read_base_items(path)
    path.write_text('{"id": "a", "claim": "C \\ud800.", "evidence": "E."}\n')
    with pytest.raises(InputError, match="`claim` holds half of a surrogate pair"):
        read_base_items(path)
    path.write_text('{"id": "a", "claim": ["C."], "evidence": "E."}\n')
    with pytest.raises(InputError, match="row 1: `claim` is list, not text"):
        read_base_items(path)


def test_invalid_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_bytes(b"id,evidence,claim\na,E.,C.\nb,E.,caf\xe9\n")
    with pytest.raises(InputError, match=r"is not UTF-8 \(line 3\); save it as UTF-8"):
        read_base_items(path)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"claim": "txt"}, "has no column `txt` for the field `claim`; map it .* the file has id"),
        ({"domain": "field"}, "has no column `field` for the field `domain`"),
        ({"clam": "claim"}, "`columns` names the field `clam`.*use one of id, evidence, claim"),
    ],
)
def test_a_wrong_mapping_is_named(tmp_path: Path, columns: dict[str, str], message: str) -> None:
    path = write(tmp_path / "i.csv", ROWS)
    with pytest.raises(InputError, match=message):
        read_base_items(path, columns)


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "i.csv"
    path.write_text("id,evidence,claim\n")
    with pytest.raises(InputError, match="has no rows"):
        read_base_items(path)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf"]), max_size=CLAIM_LIMIT))
def test_text_without_controls_is_never_refused(text: str) -> None:
    assert text_problem(text, limit=CLAIM_LIMIT) is None


def test_what_is_read_reads_back_the_same(tmp_path: Path) -> None:
    items = read_base_items(write(tmp_path / "i.csv", ROWS))
    write_jsonl(tmp_path / "o.jsonl", items)
    assert read_base_items(tmp_path / "o.jsonl") == items
