"""What a result is said to mean, and that text from files stays text."""

from typing import Any

import pytest

from judgeprobe.audit.label_checklist import checklist, pattern
from judgeprobe.audit.label_report import headline, labels_html, labels_markdown
from judgeprobe.audit.label_sets import LabelSource
from judgeprobe.audit.page import escape_markdown

NAMES = ("length_only", "numeric_surface", "surface_ngram")


def result_of(*kappas: float, p: float = 0.01, **more: Any) -> dict[str, Any]:
    members = [
        {
            "name": name, "kappa": kappa, "kappa_linear": None, "accuracy": 0.5, "null_mean": 0.0,
            "null_q05": -0.1, "null_q95": 0.1, "p": p, "not_converged": 0, "fits": 5,
        }
        for name, kappa in zip(NAMES, kappas, strict=True)
    ]  # fmt: skip
    best = max(members, key=lambda member: member["kappa"])
    found = {
        "set": "<img src=x>|`set`", "mode": "item", "n": 9, "folds": {"kind": "grouped", "n": 5},
        "permutation": {"kind": "within groups"}, "members": members, "a_imp": best["kappa"],
        "a_imp_member": best["name"], "a_imp_p": p, "a_hum": None, "a_hum_n": 0,
        "power": {"estimate": None, "low": None, "high": None, "status": "no human ceiling"},
        "provenance": None, "shorter": None, "by": None, "transfer": None, "excluded": {},
        "notes": ["note <b>"], "settings": {"permutations": 19, "seed": 0, "precision": "float64"},
        "source": {"sha256": None, "revision": None}, **more,
    }  # fmt: skip
    found["pattern"] = pattern(found)
    found["checklist"] = checklist(found, LabelSource("s", origin="read blind"))
    return found


@pytest.mark.parametrize(
    ("kappas", "member"),
    [
        ((0.9, 0.95, 0.96), "length_only"),
        ((0.2, 0.9, 0.95), "numeric_surface"),
        ((0.1, 0.2, 0.8), "surface_ngram"),
    ],
)
def test_the_first_member_that_suffices_locates_the_leak(
    kappas: tuple[float, float, float], member: str
) -> None:
    assert result_of(*kappas)["pattern"]["member"] == member


def test_no_member_beyond_its_null_implies_no_repair() -> None:
    found = result_of(0.05, 0.0, 0.02, p=0.4)
    assert found["pattern"]["member"] is None
    assert "no member's null excludes" in headline(found)
    assert result_of(-0.9, -0.8, -0.7, p=0.01)["pattern"]["member"] is None


def test_each_status_is_said() -> None:
    for status, words in (
        ("resolved", "validation power is 0.300"),
        ("not resolvable", "not resolvable: the intervals overlap"),
        ("ceiling exceeded", "above the human ceiling"),
    ):
        power = {"estimate": 0.3, "low": 0.2, "high": 0.4, "status": status}
        ceiling = {"estimate": 0.8, "low": 0.7, "high": 0.9}
        found = result_of(0.5, 0.4, 0.3, power=power, a_hum=ceiling, a_hum_n=50)
        assert words in headline(found)
        assert found["checklist"][2]["holds"] == "yes"
        assert "human ceiling" in labels_html(found)


def test_the_six_lines_tell_yes_from_no() -> None:
    found = result_of(0.5, 0.4, 0.3)
    assert [line["holds"] for line in found["checklist"]] == ["yes", "yes", "no", "yes", "no", "no"]
    edits = checklist(found, LabelSource("s", both_directions=True))
    assert edits[4]["holds"] == "yes"
    assert edits[0]["holds"] == "no"


def test_text_from_files_is_escaped() -> None:
    found = result_of(0.5, 0.4, 0.3)
    page, markdown = labels_html(found), labels_markdown(found)
    assert "<img" not in page
    assert "<img" not in markdown
    assert "note <b>" not in page
    assert escape_markdown("a|b\n*c* [d](e) <f>") == r"a\|b \*c\* \[d\](e) &lt;f&gt;"
