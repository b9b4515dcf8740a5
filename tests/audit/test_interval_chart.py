"""Where do estimates and their intervals lie on one axis?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeprobe.audit.interval_chart import Bar, interval_chart


def chart(*bars: Bar, reference: float | None = 0.0, **more: object):
    return interval_chart("t", "x", bars, reference=reference, legend="l", **more)


def test_places_are_proportional_and_the_axis_holds_everything() -> None:
    made = chart(Bar("a", 0.2, 0.1, 0.3), Bar("b", -0.1, beside=0.25))
    assert made is not None
    assert [tick.label for tick in made.ticks] == ["-0.1", "0.0", "0.1", "0.2", "0.3"]
    first, second = made.bars
    assert first.x is not None
    assert second.x == made.left
    assert first.high == made.right
    share = (first.x - made.left) / (made.right - made.left)
    assert share == pytest.approx(0.3 / 0.4, abs=1e-3)
    assert (second.low, second.high) == (None, None)
    assert made.reference == made.ticks[1].x


def test_nothing_to_draw_is_no_chart_and_a_gap_is_counted() -> None:
    assert chart() is None
    assert chart(Bar("a", None)) is None
    made = chart(Bar("a", None), Bar("b", 1.0))
    assert made is not None
    assert (len(made.bars), made.left_out) == (1, 1)
    many = chart(*(Bar(str(i), float(i)) for i in range(50)))
    assert many is not None
    assert (len(many.bars), many.left_out) == (40, 10)


def test_a_long_name_is_cut_in_the_picture_only() -> None:
    made = chart(Bar("n" * 40, 1.0))
    assert made is not None
    assert made.bars[0].name == "n" * 27 + "…"
    assert made.bars[0].full == "n" * 40


finite = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(finite, min_size=1, max_size=12), st.none() | finite)
def test_every_place_is_inside_whatever_the_values(values: list[float], reference: float | None):
    made = chart(*(Bar("b", value) for value in values), reference=reference)
    assert made is not None
    assert 2 <= len(made.ticks) <= 10
    for place in [bar.x for bar in made.bars] + [tick.x for tick in made.ticks]:
        assert place is not None
        assert made.left - 0.1 <= place <= made.right + 0.1
