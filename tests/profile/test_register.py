from pathlib import Path
from typing import Any

import pytest
from tests.helpers.profile_study import grades, interventions, write_study

from judgeprobe.errors import InputError
from judgeprobe.profile import profile_study
from judgeprobe.profile.expressions import evaluate
from judgeprobe.profile.register import evaluated, read_register

PROFILE: dict[str, Any] = {
    "mean": {"S": 0.945, "R": 0.319},
    "gap": {"estimate": 0.121, "low": 0.052, "permutation_p": None},
    "judges": [
        {"judge": "haiku", "operating_point": {"R": 0.561}},
        {"judge": "scout", "operating_point": None},
    ],
    "direction": "human",
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("mean.S < 0.75", False),
        ("mean.R > 0.75 and mean.S > 0.88", False),
        ("gap.estimate < 0.10 or gap.low <= 0", False),
        ("0.05 < gap.low < gap.estimate", True),
        ("not gap.low > 0.06", True),
        ('judges["haiku"].operating_point.R - mean.R', pytest.approx(0.242)),
        ("judges[0].operating_point.R == 0.561", True),
        ("max(abs(-0.2), mean.R, 0.1) * 2 / 4 + 1", pytest.approx(1.1595)),
        ('direction == "human"', True),
        ("true and not false", True),
        # Unknown where a field is missing or null, unless the rest decides.
        ("gap.permutation_p > 0.05", None),
        ("gap.permutation_p > 0.05 or mean.S > 0.9", True),
        ("gap.permutation_p > 0.05 and mean.S > 0.9", None),
        ("gap.permutation_p > 0.05 and mean.S > 0.99", False),
        ('judges["scout"].operating_point.R > 0.1', None),
        ('judges["nobody"].operating_point.R > 0.1', None),
        ("judges[7].judge", None),
        ("nothing.at.all", None),
        ("mean.S / 0 > 1", None),
    ],
)
def test_expressions(expression: str, value: Any) -> None:
    assert evaluate(expression, PROFILE) == value


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "(lambda: 1)()",
        "[x for x in judges]",
        "mean.S.__class__()",
        "open('x')",
        "min(judges, key=len)",
        "mean.S if true else 0",
        "mean.S ** 99999",
        "'a' * 999999 % 3",
        "f'{mean}'",
        "mean.S in mean",
        "x := 1",
        "1;2",
        "",
        "(" * 300,
        "-" * 600 + "1",
        "judges['haiku'] < 1",
        "direction[0]",
    ],
)
def test_anything_else_is_refused_in_one_line(expression: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(expression, PROFILE)
    assert "\n" not in str(caught.value)


REGISTER = """
[[prediction]]
key = "Rsens"
value = 0.41
basis = "judgement"
refuted_if = "mean.R > 0.75"
measured_by = "mean.R"
[[prediction]]
key = "axisGap"
value = 0.33
basis = "difference of the two axes"
refuted_if = "gap.estimate < 0.10"
[[prediction]]
key = "nDomains"
value = 4
basis = "design parameter"
[[prediction]]
key = "paradox"
value = 0.14
basis = "not run"
refuted_if = "paradox.strength < 0"
"""


def test_a_prediction_stands_until_it_is_measured_or_refuted(tmp_path: Path) -> None:
    file = tmp_path / "predictions.toml"
    file.write_text(REGISTER)
    rows = evaluated(read_register(file), PROFILE, file=file)
    states = {row["key"]: row["state"] for row in rows}
    assert states == {
        "Rsens": "measured",
        "axisGap": "measured",
        "nDomains": "standing",
        "paradox": "standing",
    }
    assert rows[0]["measured"] == 0.319
    small = {**PROFILE, "gap": {"estimate": 0.02}}
    assert evaluated(read_register(file), small, file=file)[1]["state"] == "refuted"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[prediction]]\nkey = 'a'\nvalue = 1\n", "row 1: `basis`"),
        ("[[prediction]]\nkey = 'a'\nvalue = 'x'\nbasis = 'b'\n", "row 1: `value`"),
        ("[[prediction]]\nkey = 'a'\nvalue = 1\nbasis = 'b'\nrefuted = 'c'\n", "row 1: `refuted`"),
        ("[[prediction]]\nkey='a'\nvalue=1\nbasis='b'\n" * 2, "row 2: the key `a` is there twice"),
        ("[predictions]\n", "unknown table `predictions`"),
        ("prediction = 3\n", "no list"),
        ("[[prediction\n", "is not TOML"),
    ],
)
def test_a_register_that_cannot_be_read_names_the_entry(
    tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / "predictions.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=told):
        read_register(file)


def test_the_profile_lists_the_register_and_a_bad_expression_stops_it(tmp_path: Path) -> None:
    rows = interventions()
    study = write_study(tmp_path, rows, grades(rows, {"a": (1, 1, 4, 1, 4, 4, 1, 4, 4)}))
    (tmp_path / "predictions.toml").write_text(REGISTER)
    states = {row["key"]: row["state"] for row in profile_study(study)["predictions"]}
    assert states["axisGap"] == "measured"
    (tmp_path / "predictions.toml").write_text(REGISTER.replace("mean.R > 0.75", "mean.R >"))
    before = study.profile_path.read_bytes()
    with pytest.raises(InputError, match=r"predictions.toml, row 1: .*not an expression"):
        profile_study(study)
    assert study.profile_path.read_bytes() == before
