import csv
import io

import pytest

from judgeprobe.files import write_csv
from judgeprobe.report.tabulate import MISSING, Column, Table, show


@pytest.fixture
def table():
    return Table(
        name="t",
        title="A title",
        caption="How to read it.",
        columns=(
            Column("judge", "judge"),
            Column("slot", "slot", "name"),
            Column("S", "S", "rate", ("S_low", "S_high")),
            Column("gap", "gap", "signed"),
            Column("n", "n", "count"),
        ),
        rows=(
            {
                "judge": "=cmd|' /C calc'!A0",
                "slot": "format_shift",
                "S": 0.91666666,
                "S_low": 0.9,
                "S_high": 0.95,
                "gap": -0.05,
                "n": 12,
            },
            {"judge": "a_b & {50%} | <i>", "slot": "reordering", "S": None, "gap": 0.1, "n": 0},
        ),
        direction="construction",
        notice="direction by construction",
    )


def test_csv_carries_unrounded_values_and_the_direction(table, tmp_path):
    write_csv(tmp_path / "t.csv", table.csv_columns(), table.csv_rows())
    rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text())))
    assert rows[0]["judge"] == "'=cmd|' /C calc'!A0"
    assert float(rows[0]["S"]) == 0.91666666
    assert (rows[0]["S_low"], rows[0]["gap"], rows[1]["S"]) == ("0.9", "-0.05", "")
    assert {row["direction"] for row in rows} == {"construction"}


def test_people_see_rounded_values_with_their_interval(table):
    assert table.shown()[0][1:] == ["format shift", "0.917 [0.900, 0.950]", "−0.050", "12"]
    assert table.shown()[1][2:] == [MISSING, "+0.100", "0"]


def test_markdown_escapes_and_says_the_notice(table):
    text = table.markdown()
    assert "a\\_b & {50%} \\| \\<i\\>" in text
    assert "Direction by construction." in text
    lines = text.splitlines()
    assert lines[2].count("|") == lines[3].count("|") == 6


def test_latex_escapes_and_has_booktabs_rules(table):
    text = table.latex()
    assert r"a\_b \& \{50\%\} | <i>" in text
    for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{tabular}{llrrr}"):
        assert rule in text
    assert "Direction by construction." in text
    assert "$-$0.050" in text


def test_an_interval_with_one_end_missing_is_not_shown():
    column = Column("S", "S", "rate", ("S_low", "S_high"))
    assert show({"S": 0.5, "S_low": 0.4}, column) == "0.500"


def test_a_predicted_value_is_marked_in_every_form(table):
    marked = Table(
        name="t",
        title="t",
        caption="c",
        columns=table.columns,
        rows=table.rows,
        direction="human",
        marked=frozenset({(0, "S")}),
    )
    assert marked.shown()[0][2].endswith("†")
    assert "predicted, not measured" in marked.markdown()
    assert "textdagger" in marked.latex()
    assert marked.csv_columns()[-2:] == ["predicted", "direction"]
    assert [row[-2] for row in marked.csv_rows()] == ["S", ""]
