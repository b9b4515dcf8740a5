import numpy as np
import pytest
from statsmodels.stats.inter_rater import fleiss_kappa

from judgeprobe.blind.keys import BlindKey, SheetRow
from judgeprobe.blind.majority import agreement_report, majorities
from judgeprobe.records import BlindUnit

CLASSES = ("clean", "anchored", "over-scoped", "unsupported")


def units(n):
    return [
        BlindUnit(
            unit_id=f"u{i}", evidence="E", sentence=f"S{i}", inherited="clean", group=f"g{i // 2}"
        )
        for i in range(n)
    ]


def report(codes):
    rows = units(len(codes))
    sheets = {
        name: tuple(SheetRow(shown_id=f"{name}{u.unit_id}", unit_id=u.unit_id) for u in rows)
        for name in "abc"
    }
    key = BlindKey(
        classes=CLASSES,
        units="",
        sheets=sheets,
        tokens={},
        source="",
        notice="",
        by_construction=True,
        left_out={},
    )
    return agreement_report(np.array(codes), rows, key, [], resamples=200, level=0.95, seed=1)


def test_kappa_per_class_is_that_of_statsmodels():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 4, 40)
    codes = np.where(rng.random((40, 3)) < 0.7, truth[:, None], rng.integers(0, 4, (40, 3)))
    found = report(codes)
    table = np.stack([(codes == c).sum(axis=1) for c in range(4)], axis=1)
    assert found["overall"]["fleiss_kappa"] == pytest.approx(fleiss_kappa(table))
    for code, row in enumerate(found["classes"]):
        binary = np.stack([table[:, code], 3 - table[:, code]], axis=1)
        assert row["fleiss_kappa"] == pytest.approx(fleiss_kappa(binary))
        # Pairs of labels, one by one.
        same = said = both = 0
        for unit in codes == code:
            for i in range(3):
                for j in range(3):
                    if i != j:
                        same += unit[i] == unit[j]
                        said += unit[i]
                        both += unit[i] and unit[j]
        assert row["pairwise"] == pytest.approx(same / (40 * 6))
        assert row["specific"] == pytest.approx(both / said)


def test_a_class_that_dominates_is_flagged():
    codes = [[0, 0, 0]] * 19 + [[0, 1, 1]]
    found = report(codes)
    assert found["overall"]["degenerate"]
    assert found["overall"]["dominant"] == "clean"
    assert found["classes"][0]["dominant"] == "clean"
    assert found["classes"][3]["specific"] is None
    assert found["classes"][3]["reason"].startswith("every label is the same")


def test_missing_labels_are_no_votes():
    codes = np.array([[0, 0, -1], [0, -1, -1], [-1, -1, -1], [0, 1, -1], [0, 1, 2]])
    found = majorities(codes, units(5), CLASSES)
    assert [one.status for one in found] == [
        "labelled",
        "incomplete",
        "not labelled",
        "incomplete",
        "no majority",
    ]
    assert [one.majority for one in found] == ["clean", None, None, None, None]
    assert not any(one.unanimous for one in found)
