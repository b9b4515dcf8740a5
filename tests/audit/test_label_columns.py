import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.audit.label_columns import Columns, label_text, source_from_rows
from judgeprobe.errors import InputError

PAIR = Columns(text="x", text_b="y", label="won")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (1, "1"), (1.0, "1"), ("1.0", "1"), ("1", "1"), (" yes ", "yes"), (0.5, "0.5"),
        (True, "true"), ("", None), ("  ", None), (None, None), (math.nan, None),
        ("v1.0", "v1.0"), ("-2.00", "-2"),
    ],
)  # fmt: skip
def test_labels_as_numbers_floats_and_text_are_one(given: object, expected: str | None) -> None:
    assert label_text(given) == expected


@given(st.one_of(st.text(), st.floats(), st.integers(), st.none(), st.booleans()))
def test_a_label_is_stable_text(value: object) -> None:
    once = label_text(value)
    assert once is None or label_text(once) == once


def pairs(*winners: object, **more: object) -> list[dict[str, object]]:
    return [{"x": "first", "y": "second", "won": winner, **more} for winner in winners]


@pytest.mark.parametrize(
    "winners", [("a", "b"), ("A", "B"), (1, 2), ("1.0", 2.0), ("A>B", "B>A"), ("x", "y")]
)
def test_sides_by_known_names(winners: tuple[object, object]) -> None:
    source = source_from_rows("f", pairs(*winners), PAIR)
    assert [pair.label for pair in source.pairs] == ["a", "b"]
    assert source.notes == ()


def test_the_columns_own_two_values_are_taken_in_sorted_order_and_said() -> None:
    source = source_from_rows("f", pairs("right one", "left one"), PAIR)
    assert [pair.label for pair in source.pairs] == ["b", "a"]
    assert "'left one' is taken to name the first text (x)" in source.notes[0]


def test_other_values_are_refused_or_dropped_and_counted() -> None:
    rows = pairs("a", "tie", "b", "", None)
    with pytest.raises(InputError, match=r"f: 'won' holds .* do not name two sides.*--drop"):
        source_from_rows("f", rows, PAIR)
    source = source_from_rows("f", rows, Columns("x", "y", "won", drop=("tie",)))
    assert source.excluded == {"label tie": 1, "no label": 2}
    assert len(source.pairs) == 2


def test_without_a_label_the_first_text_is_preferred_and_said() -> None:
    source = source_from_rows("f", pairs("ignored"), Columns("x", "y"))
    assert source.pairs[0].label == "a"
    assert "first text of every row" in source.notes[0]


def test_a_second_label_that_names_no_side_is_counted() -> None:
    rows = [dict(row, again=again) for row, again in zip(pairs("a", "b"), ["b", "?"], strict=True)]
    source = source_from_rows("f", rows, Columns("x", "y", "won", second="again"))
    assert [pair.second for pair in source.pairs] == ["b", None]
    assert source.excluded == {"second label names no side": 1}


def test_errors_name_the_file_the_row_and_the_remedy() -> None:
    with pytest.raises(InputError, match=r"f: has no column 'wonn'; did you mean 'won'"):
        source_from_rows("f", pairs("a"), Columns("x", "y", "wonn"))
    with pytest.raises(InputError, match=r"f, row 2: 'x' holds list, not text"):
        source_from_rows("f", [{"x": "a", "l": 1}, {"x": ["a"], "l": 1}], Columns("x", label="l"))
    with pytest.raises(InputError, match="holds no rows"):
        source_from_rows("f", [], PAIR)
    with pytest.raises(InputError, match="give --label"):
        source_from_rows("f", [{"x": "a"}], Columns("x"))
    with pytest.raises(InputError, match="leave out --order"):
        source_from_rows("f", pairs("a"), Columns("x", "y", "won", order=("a", "b")))


def test_numeric_order_is_numeric() -> None:
    rows = [{"x": "t", "l": label} for label in ("10", "9", "2.0")]
    source = source_from_rows("f", rows, Columns("x", label="l", order=("numeric",)))
    assert source.order == ("2", "9", "10")
    rows[0]["l"] = "ten"
    with pytest.raises(InputError, match="not all numbers"):
        source_from_rows("f", rows, Columns("x", label="l", order=("numeric",)))
