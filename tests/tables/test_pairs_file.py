import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.helpers.pair_tables import SCALE, read_pairs

from judgeprobe.errors import InputError
from judgeprobe.tables import PairTable, pairs_from_file
from judgeprobe.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy("claim-calibration")
HEADER = "judge,base_id,slot,grade_original,grade_edited"


def read(path: Path, text: str | None = None) -> PairTable:
    if text is not None:
        path.write_text(text, encoding="utf-8")
    return pairs_from_file(path, TAXONOMY, SCALE)


def faults(table: PairTable) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {row.reason: (row.n, row.rows) for row in table.excluded if row.what in ("row", "cell")}


def test_every_kind_of_bad_row_is_named_by_number_and_the_rest_is_kept(tmp_path: Path) -> None:
    rows = [
        "a,b1,domain_extension,4,2",  # 1
        "a,b1,domain_extension,4,7",  # 2 outside the scale
        "a,b1,domain_extention,4,2",  # 3 unknown slot
        "a,b1,hedging_removal,four,2",  # 4 text in a grade
        "a,b1,hedging_removal,4",  # 5 ragged
        "a,,hedging_removal,4,2",  # 6 no base item
        ",b1,hedging_removal,4,2",  # 7 no judge
        "a,b1,,4,2",  # 8 no slot
        "a,b1,format_shift,-0.5,2",  # 9 outside the scale
        "a,b1,format_shift,nan,2",  # 10 not a number as a person writes one
        'a,b1,format_shift,"4,5",2',  # 11 decimal comma
        "a,b1,format_shift, 4 ,+4.0e0",  # 12 fine
        "a,b2,reordering,,3",  # 13 ungraded, fine
    ]
    table = read(tmp_path / "pairs.csv", "\n".join([HEADER, *rows]) + "\n")
    assert faults(table) == {
        "`grade_edited` lies outside the scale 0 to 5": (1, (2,)),
        "unknown slot `domain_extention`": (1, (3,)),
        "`grade_original` is not a number": (3, (4, 10, 11)),
        "has more or fewer cells than the header": (1, (5,)),
        "`base_id` is empty": (1, (6,)),
        "`judge` is empty": (1, (7,)),
        "`slot` is empty": (1, (8,)),
        "`grade_original` lies outside the scale 0 to 5": (1, (9,)),
    }
    assert table.original.tolist() == [[4.0, 4.0, pytest.approx(np.nan, nan_ok=True)]]
    assert table.edited.tolist() == [[2.0, 4.0, 3.0]]
    assert [table.slots[s] for s in table.slot] == [
        "domain_extension",
        "format_shift",
        "reordering",
    ]


def test_one_armed_base_items_are_named(tmp_path: Path) -> None:
    table = read_pairs(
        tmp_path,
        [
            ("a", "both", "domain_extension", 4, 2),
            ("a", "both", "format_shift", 4, 4),
            ("a", "only construct", "hedging_removal", 4, 2),
            ("a", "only control", "reordering", 4, 4),
        ],
    )
    told = [row.reason for row in table.excluded if row.what == "base item"]
    assert told == [
        "has no invariance pair and counts for the other arm only: `only construct`",
        "has no construct pair and counts for the other arm only: `only control`",
    ]


def test_the_same_table_from_csv_tsv_jsonl_and_parquet_in_any_row_order(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    base = rng.integers(0, 9, 60)
    frame = pd.DataFrame(
        {
            "judge": rng.choice(["a", "b", "=c"], 60),
            "base_id": base,
            "slot": rng.choice([slot.name for slot in TAXONOMY.slots], 60),
            "grade_original": rng.integers(0, 21, 60) / 4,
            "grade_edited": np.where(rng.random(60) < 0.2, np.nan, rng.integers(0, 21, 60) / 4),
            "unanimous": base % 2 == 0,
            "domain": np.where(base < 5, "earth", "bio"),
        }
    ).drop_duplicates(["judge", "base_id", "slot"])
    paths = [tmp_path / f"p.{ending}" for ending in ("csv", "tsv", "jsonl", "parquet")]
    frame.to_csv(paths[0], index=False)
    frame.sample(frac=1, random_state=1).to_csv(paths[1], index=False, sep="\t")
    frame.sample(frac=1, random_state=2).to_json(paths[2], orient="records", lines=True)
    frame.to_parquet(paths[3])
    tables = [read(path) for path in paths]
    for table in tables:
        for name in ("excluded", "judges", "base_ids", "domains"):
            assert getattr(table, name) == getattr(tables[0], name)
        for name in ("base", "slot", "original", "edited", "asked", "unanimous", "domain"):
            np.testing.assert_array_equal(getattr(table, name), getattr(tables[0], name))


def test_optional_columns_are_read_and_their_faults_are_cells_not_rows(tmp_path: Path) -> None:
    header = f"{HEADER},unanimous,length_original,length_edited,regrade_original,domain,extra"
    rows = [
        "a,b1,domain_extension,4,2,true,100,120,4,earth,x",
        "a,b1,format_shift,4,4,maybe,100,-5,9,earth,x",
        "a,b2,reordering,3,3,0,,,2,,x",
    ]
    table = read(tmp_path / "p.csv", "\n".join([header, *rows]))
    assert faults(table) == {
        "`unanimous` is neither true nor false; read as empty": (1, (2,)),
        "`length_edited` is not usable; read as empty": (1, (2,)),
        "`regrade_original` is not usable; read as empty": (1, (2,)),
    }
    assert table.unanimous.tolist() == [1, -1, 0]
    assert table.length_original.tolist()[:2] == [100, 100]
    assert np.isnan(table.length_edited[1:]).all()
    assert table.domain.tolist() == [0, 0, -1]
    first, second = table.regrades[0]
    assert (first.tolist(), second.tolist()) == ([4, 3], [4, 2])


def test_a_repeated_row_is_a_further_edit_and_is_told(tmp_path: Path) -> None:
    table = read_pairs(
        tmp_path,
        [
            ("a", "b1", "domain_extension", 4, 2),
            ("a", "b1", "domain_extension", 4, 3),
            ("b", "b1", "domain_extension", 4, 1),
            ("a", "b1", "format_shift", 4, 4),
        ],
    )
    assert table.edited[0].tolist() == [2, 3, 4]
    assert table.edited[1].tolist()[0] == 1
    assert table.asked[1].tolist() == [True, False, False]
    notes = [(row.n, row.rows) for row in table.excluded if row.what == "note"]
    assert notes == [(1, (2,))]


def test_a_direction_that_two_rows_state_differently_is_told(tmp_path: Path) -> None:
    rows = [
        ("a", "b1", "domain_extension", 4, 2, "true"),
        ("b", "b1", "domain_extension", 4, 2, "false"),
        ("b", "b1", "format_shift", 4, 2, ""),
    ]
    table = read_pairs(tmp_path, rows, extra=("unanimous",))
    assert table.unanimous.tolist() == [1, -1]
    assert faults(table) == {
        "`unanimous` is not what the pair's first row says; the first row holds": (1, (2,))
    }


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("p.csv", "judge,base_id\na,b\n", "lacks the column `slot`"),
        ("p.csv", "", "lacks the column `judge`"),
        ("p.csv", HEADER + "\n", "no row can be used: it has none"),
        ("p.csv", HEADER + "\na,b,nonsense,1,2\n", "unknown slot `nonsense`.*row 1"),
        ("p.csv", HEADER + ",judge\na,b,format_shift,1,2,a\n", "column `judge` twice"),
        ("p.csv", HEADER.replace(",", ";") + "\na;b;format_shift;1;2\n", "lacks the column"),
        ("p.txt", "x", "has the ending .txt"),
        ("p.jsonl", "[1, 2]\nnot json\n", "is not a JSON object.*row 1"),
        ("p.jsonl", '{"judge": "a"}\n', "lacks the column `base_id`"),
        ("p.parquet", "not parquet", "cannot be read"),
    ],
)
def test_a_file_that_is_no_table_is_one_clear_line(
    tmp_path: Path, name: str, text: str, told: str
) -> None:
    with pytest.raises(InputError, match=told) as caught:
        read(tmp_path / name, text)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_bytes_that_are_not_text_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not there"):
        read(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(f"{HEADER}\na,b\xe9,format_shift,1,2\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read(tmp_path / "latin.csv")


def test_json_values_of_any_type_are_read_strictly(tmp_path: Path) -> None:
    rows = [
        {"grade_original": 4, "grade_edited": "3.5"},
        {"grade_original": True, "grade_edited": 3},
        {"grade_original": [4], "grade_edited": 3},
        {"grade_original": None, "grade_edited": 3},
        {"grade_original": 4, "grade_edited": {"grade": 3}},
    ]
    lines = [
        json.dumps({"judge": "a", "base_id": i, "slot": "format_shift", **row})
        for i, row in enumerate(rows)
    ]
    lines.append('{"judge": "a", "base_id": 9, "slot": "format_shift", "grade_edited": NaN}')
    table = read(tmp_path / "p.jsonl", "\n".join(lines))
    assert faults(table) == {
        "`grade_original` is not a number": (2, (2, 3)),
        "`grade_edited` is not a number": (1, (5,)),
        "is not a JSON object": (1, (6,)),
    }
    assert table.base_ids == ("0", "3")


def test_quoted_line_breaks_a_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    rows = [
        HEADER,
        '"a\nb",b1,format_shift,4,4',
        "",
        "a,b2,reordering,4",
        "a,b3,reordering,4,9",
        "",
    ]
    text = "\ufeff" + "\r\n".join(rows)
    table = read(tmp_path / "p.csv", text)
    assert table.judges == ("a\nb",)
    assert faults(table) == {
        "has more or fewer cells than the header": (1, (2,)),
        "`grade_edited` lies outside the scale 0 to 5": (1, (3,)),
    }


def test_row_numbers_hold_across_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import judgeprobe.tables.columns as columns

    monkeypatch.setattr(columns, "_CSV_BYTES", 256)
    monkeypatch.setattr(columns, "_JSON_ROWS", 7)
    bad = {50, 51, 90, 199}
    ragged = {20, 60, 61, 150}
    lines, objects = [HEADER], []
    for row in range(1, 201):
        slot = "nonsense" if row in bad else "format_shift"
        lines.append(f"a,b{row},{slot},4" + ("" if row in ragged else ",4"))
        whole = {"judge": "a", "base_id": row, "slot": slot, "grade_original": 4, "grade_edited": 4}
        objects.append("{" if row in ragged else json.dumps(whole))
    for name, text, reason in (
        ("p.csv", "\n".join(lines), "has more or fewer cells than the header"),
        ("p.jsonl", "\n".join(objects), "is not a JSON object"),
    ):
        found = faults(read(tmp_path / name, text))
        assert found["unknown slot `nonsense`"] == (4, (50, 51, 90, 199))
        assert found[reason] == (4, (20, 60, 61, 150))


text = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=12)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(text, text, text, text, text), min_size=1, max_size=6))
def test_any_text_is_read_or_refused_in_one_line(tmp_path: Path, rows) -> None:
    path = tmp_path / "any.jsonl"
    names = HEADER.split(",")
    path.write_text(
        "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows), encoding="utf-8"
    )
    table, told = None, ""
    try:
        table = read(path)
    except InputError as error:
        told = str(error)
    assert "\n" not in told
    assert (told == "") == (table is not None)
    assert table is None or table.original.shape[1] <= len(rows)
