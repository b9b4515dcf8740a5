import numpy as np
import pytest

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.label_transfer import TransferSet, transfer_matrix


def a_set(name: str, seed: int, classes: tuple[str, str] = ("short", "long")) -> TransferSet:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, 40)
    texts = [" ".join(["word"] * (int(rng.integers(3, 6)) + 8 * int(c))) for c in codes]
    return TransferSet(name, texts, [classes[c] for c in codes])


def test_a_shared_surface_rule_transfers_both_ways() -> None:
    cells = transfer_matrix([a_set("one", 0), a_set("two", 1)])
    assert [(c.train, c.test) for c in cells[::3]] == [("one", "two"), ("two", "one")]
    for cell in cells:
        if cell.member == "length_only":
            assert cell.kappa == pytest.approx(1)
            assert cell.n_train == cell.n_test == 40


def test_label_spaces_that_share_one_class_are_not_defined() -> None:
    cells = transfer_matrix([a_set("one", 0), a_set("two", 1, ("short", "other"))])
    assert {cell.status for cell in cells} == {"not defined"}
    assert {cell.kappa for cell in cells} == {None}
    assert {cell.classes for cell in cells} == {("short",)}


def test_classes_outside_the_shared_ones_take_no_part() -> None:
    one = a_set("one", 0)
    wider = TransferSet("two", [*one.texts, "x y z"], [*one.labels, "third"])
    cell = transfer_matrix([one, wider])[0]
    assert cell.n_test == 40


def test_refusals() -> None:
    with pytest.raises(StatisticsError, match="different names"):
        transfer_matrix([a_set("one", 0), a_set("one", 1)])
    one = a_set("two", 1)
    pairs = TransferSet("three", one.texts, one.labels, one.texts)
    with pytest.raises(StatisticsError, match="one input mode"):
        transfer_matrix([one, pairs])
