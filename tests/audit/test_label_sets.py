import numpy as np
import pytest

from judgeprobe.audit.label_sets import ItemRow, LabelSource, PairRow, prepare
from judgeprobe.errors import InputError


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


PAIRS = tuple(
    PairRow(f"good {i}", f"bad {i}", "a", second="a" if i % 2 else "b", group=f"q{i // 2}",
            condition_a="m1", condition_b="m2", parts=("easy",) if i < 20 else ("hard",))
    for i in range(40)
)  # fmt: skip


def test_side_order_is_random_and_the_label_follows_the_text() -> None:
    prepared = prepare(LabelSource("s", pairs=PAIRS), "paired", rng())
    assert 10 < prepared.labels.sum() < 30
    assert prepared.texts_b is not None
    for row, (a, b) in enumerate(zip(prepared.texts, prepared.texts_b, strict=True)):
        preferred = (a, b)[prepared.labels[row]]
        assert preferred == f"good {row}"
        assert prepared.second is not None
        assert (a, b)[prepared.second[row]] == (f"good {row}" if row % 2 else f"bad {row}")
        assert prepared.conditions is not None
        assert prepared.conditions_b is not None
        good = prepared.conditions[0] if prepared.texts[0] == "good 0" else prepared.conditions_b[0]
        assert (prepared.conditions[row] == good) == a.startswith("good")
        assert prepared.conditions[row] != prepared.conditions_b[row]


def test_the_same_seed_draws_the_same_order() -> None:
    one = prepare(LabelSource("s", pairs=PAIRS), "paired", rng())
    assert one.texts == prepare(LabelSource("s", pairs=PAIRS), "paired", rng()).texts


def test_a_pair_becomes_two_items_of_one_group() -> None:
    prepared = prepare(LabelSource("s", pairs=PAIRS), "item", rng())
    assert prepared.classes == ("other", "preferred")
    assert prepared.texts[:2] == ("good 0", "bad 0")
    assert list(prepared.labels[:2]) == [1, 0]
    assert prepared.groups is not None
    assert list(prepared.groups[:4]) == [0, 0, 0, 0]
    assert prepared.second is not None
    assert list(prepared.second[:4]) == [0, 1, 1, 0]


def test_ties_are_a_class_of_items_and_left_out_of_pairs() -> None:
    source = LabelSource("s", pairs=(*PAIRS, PairRow("x", "y", "tie", second="tie")))
    assert prepare(source, "item", rng()).classes == ("other", "preferred", "tie")
    prepared = prepare(source, "paired", rng())
    assert len(prepared.texts) == 40
    assert prepared.excluded == {"tie": 1}


def test_a_part_keeps_its_rows_and_recodes() -> None:
    prepared = prepare(LabelSource("s", pairs=PAIRS), "item", rng())
    assert prepared.part_names() == ["easy", "hard"]
    hard = prepared.part("hard")
    assert len(hard.texts) == 40
    assert hard.groups is not None
    assert hard.groups.max() == 9
    one = LabelSource(
        "s", items=(ItemRow("t", "b", second="a", parts=("p",)), ItemRow("u", "a", parts=("q",)))
    )
    part = prepare(one, "item", rng()).part("p")
    assert part.classes == ("b",)
    assert part.second is not None
    assert list(part.second) == [-1]


def test_refusals() -> None:
    items = tuple(ItemRow("t", str(i)) for i in range(30))
    with pytest.raises(InputError, match=r"30 values .* more than the 20"):
        prepare(LabelSource("s", items=items), "item", rng())
    with pytest.raises(InputError, match="has no pairs"):
        prepare(LabelSource("s", items=items), "paired", rng())
    with pytest.raises(InputError, match="no pair with a preferred side"):
        prepare(LabelSource("s", pairs=(PairRow("x", "y", "tie"),)), "paired", rng())
    with pytest.raises(InputError, match="'1' is not in the order"):
        prepare(LabelSource("s", items=items[:2], order=("0",)), "item", rng())
