import json

import numpy as np
import pytest

from judgeprobe.annotate.agreement import (
    LabelRow,
    agreement_report,
    first_position,
    reaches,
    read_label_table,
)
from judgeprobe.errors import InputError
from judgeprobe.files import write_csv
from judgeprobe.stats.agreement import binomial_interval

COLUMNS = ("unit_id", "slot", "axis", "annotator", "direction")


def table(path, rows, columns=COLUMNS):
    write_csv(path, columns, rows)
    return path


def the_cell_of_the_issue():
    rows = []
    for unit in range(55):
        labels = {53: "abb", 54: "aac"}.get(unit, "aaa")
        rows += [
            (f"u{unit}", "register_shift", "control", f"p{i}", d) for i, d in enumerate(labels)
        ]
    return rows


def test_the_table_of_fifty_five_units(tmp_path):
    rows, has_base = read_label_table(table(tmp_path / "t.csv", the_cell_of_the_issue()))
    assert not has_base
    found = agreement_report(rows, bar=0.75, unit="unit")
    for part in (found["overall"], found["slots"][0], found["axes"][0]):
        assert round(part["pairwise"], 4) == 0.9758
        assert round(part["fleiss_kappa"], 4) == 0.3238
        assert part["degenerate"] is True
        assert part["n_units"] == 55
        assert part["low"] < part["pairwise"] < part["high"]
        assert part["dominant"] == "a"
    assert found["slots"][0]["measurable"] is True
    assert found["slots"][0]["slot"] == "register_shift"
    assert found["axes"][0]["axis"] == "control"
    assert [(p["a"], p["b"], p["n"]) for p in found["annotator_pairs"]] == [
        ("p0", "p1", 55),
        ("p0", "p2", 55),
        ("p1", "p2", 55),
    ]
    assert found["first_position"]["rate"] is None
    json.dumps(found, allow_nan=False)


def test_the_spread_of_pairs_and_the_mean_of_them_agree():
    rng = np.random.default_rng(2)
    rows = [
        LabelRow(f"u{u}", "s", "x", f"p{p}", str(rng.integers(0, 3)), f"u{u}")
        for u in range(100)
        for p in range(3)
    ]
    found = agreement_report(rows, bar=0.75)
    mean = np.mean([one["agreement"] for one in found["annotator_pairs"]])
    assert found["overall"]["pairwise"] == pytest.approx(mean)


def test_a_constant_slot_is_zero_by_rule_and_says_so(tmp_path):
    rows = [(f"u{u}", "s", "x", p, "same") for u in range(9) for p in "xyz"]
    rows += [(f"v{u}", "t", "x", p, d) for u in range(9) for p, d in zip("xyz", "aab", strict=True)]
    found = agreement_report(read_label_table(table(tmp_path / "t.csv", rows))[0], bar=0.75)
    constant, other = found["slots"]
    assert constant["fleiss_kappa"] == 0.0
    assert constant["reasons"]["fleiss_kappa"] == "every label is the same: 0 by rule"
    assert constant["krippendorff_alpha"] is None
    assert constant["gwet_ac1"] == 1.0
    assert constant["measurable"]
    assert not other["measurable"]


def test_slots_without_a_pair_of_labels_are_named_and_not_measurable():
    rows = [LabelRow("u", "s", "x", "p", "a", "u")]
    found = agreement_report(rows, bar=0.0, slots=["s", "t"], axes=["x"])
    for one in (*found["slots"], *found["axes"], found["overall"]):
        assert one["pairwise"] is None
        assert one["reasons"] == {"pairwise": "no unit has two labels"}
    assert [one["measurable"] for one in found["slots"]] == [False, False]
    assert found["annotator_pairs"] == []


def test_exactly_three_quarters_reaches_the_bar():
    # 3 of 4 units unanimous among 2, as a mean of thirds elsewhere: rounding must not decide.
    assert reaches(0.75, 0.75)
    assert reaches(float(np.mean([1, 1, 1, 1 / 3, 1 / 3, 1, 1, 1 / 3])), 0.75)
    assert not reaches(0.7499, 0.75)
    assert not reaches(None, 0.0)


def test_first_position_with_a_column_that_says_what_was_first():
    rows = [
        LabelRow("u1", "s", "x", "p", "edited", "u1", "edited"),
        LabelRow("u2", "s", "x", "p", "original", "u2", "edited"),
        LabelRow("u3", "s", "x", "p", "original", "u3", "original"),
        LabelRow("u4", "s", "x", "p", "neither", "u4", "original"),
    ]
    expected = binomial_interval(2, 3, unit="label")
    assert first_position(rows) == {
        "rate": 2 / 3,
        "low": expected.low,
        "high": expected.high,
        "n": 3,
    }


def test_first_position_of_a_and_b_as_shown():
    rows = [LabelRow(str(n), "s", "x", "p", d, str(n)) for n, d in enumerate("AAB")]
    assert first_position(rows)["rate"] == pytest.approx(2 / 3)
    assert first_position([rows[0], LabelRow("9", "s", "x", "p", "odd", "9")])["rate"] is None
    none = first_position([LabelRow("9", "s", "x", "p", "neither", "9")])
    assert none["reason"] == "no label names one of the two sentences"


def test_the_seed_is_all_that_the_intervals_depend_on():
    rng = np.random.default_rng(0)
    rows = [
        LabelRow(f"u{u}", f"s{u % 3}", "x", f"p{p}", str(rng.integers(0, 2)), f"b{u // 4}")
        for u in range(60)
        for p in range(3)
    ]
    one = agreement_report(rows, bar=0.75, seed=4)
    assert one == agreement_report(rows, bar=0.75, seed=4)
    other = agreement_report(rows, bar=0.75, seed=5)
    ends = [[part[end] for part in r["slots"] for end in ("low", "high")] for r in (one, other)]
    assert ends[0] != ends[1]
    assert one["overall"]["pairwise"] == other["overall"]["pairwise"]


@pytest.mark.parametrize(
    ("columns", "rows", "message"),
    [
        (COLUMNS[:4], [("u", "s", "x", "p")], "has no column `direction`"),
        (COLUMNS, [], "has no rows"),
        (COLUMNS, [("u", "s", "x", "p", "a"), ("u", "s", "x", "p", "b")], "row 2: p labelled"),
        (COLUMNS, [("u", "s", "x", "p", "a"), ("u", "t", "x", "q", "a")], "row 2: the unit u has"),
        (COLUMNS, [("", "s", "x", "p", "a")], "row 1: `unit_id` is empty"),
        (COLUMNS, [("u", "s", "x", "p", "")], "every `direction` is empty"),
        (COLUMNS, [("u", "s", "x", "p", "A"), ("v", "s", "x", "p", "a")], "differ in case alone"),
        (COLUMNS, [(f"u{n}", "s", "x", "p", f"l{n}") for n in range(51)], "51 different labels"),
    ],
)
def test_a_table_that_cannot_be_read_is_named(tmp_path, columns, rows, message):
    with pytest.raises(InputError, match=message) as error:
        read_label_table(table(tmp_path / "t.csv", rows, columns))
    assert str(tmp_path / "t.csv") in str(error.value)


def test_missing_raters_and_base_items(tmp_path):
    columns = (*COLUMNS, "base_id")
    rows = [
        ("u1", "s", "x", "p", "a", "b1"),
        ("u1", "s", "x", "q", "a", "b1"),
        ("u2", "s", "x", "p", "a", "b2"),
        ("u2", "s", "x", "q", "", "b2"),
        ("u3", "s", "x", "p", "a", "b2"),
        ("u3", "s", "x", "q", "b", "b2"),
    ]
    found, has_base = read_label_table(table(tmp_path / "t.csv", rows, columns))
    assert has_base
    report = agreement_report(found, bar=0.75)
    assert report["overall"]["n_units"] == 2
    assert report["overall"]["pairwise"] == 0.5
    assert report["labels"] == {"a": 4, "b": 1}
