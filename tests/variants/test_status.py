"""The rules, at their edges."""

import pytest

from judgeprobe.stats.two_readings import At, Change, Point, Surviving
from judgeprobe.variants.status import of_remedy, of_variant

M = 0.05
POINT = Point(2.5, 0.95, 0.4, ())


def at(s, r):
    changes = [Change(0.5, 0.5 + sum(ends) / 2, sum(ends) / 2, *ends, ends) for ends in (s, r)]
    return At(0.9, POINT, POINT, *changes, (), Surviving(None, None, None))


WIDE = (-0.2, 0.2)
NONE = (-0.01, 0.01)


@pytest.mark.parametrize(
    ("s", "r", "remedy", "variant"),
    [
        (NONE, NONE, "as predicted", "holds"),
        ((0.02, 0.09), NONE, "as predicted", "moved"),
        ((0.01, 0.04), NONE, "as predicted", "holds"),
        (WIDE, NONE, "not decided", "not decided"),
        (NONE, WIDE, "not decided", "not decided"),
        (NONE, (-0.04, 0.06), "not decided", "not decided"),
        (NONE, (-0.05, 0.05), "as predicted", "holds"),
        (NONE, (0.01, 0.06), "contradicted", "moved"),
        (NONE, (-0.2, -0.01), "contradicted", "moved"),
        # Beyond zero but inside the margin: too small to matter.
        (NONE, (0.01, 0.04), "as predicted", "holds"),
        ((-0.2, -0.06), NONE, "contradicted", "moved"),
        ((-0.04, -0.01), NONE, "as predicted", "holds"),
        ((-0.06, 0.3), NONE, "not decided", "not decided"),
        ((-0.05, 0.3), NONE, "as predicted", "not decided"),
    ],
)
def test_each_status_and_its_edges(s, r, remedy, variant):
    found = at(s, r)
    assert of_remedy(found, M).name == remedy
    assert of_variant(found, M).name == variant


def test_the_words_say_which_way():
    assert of_remedy(at((0.02, 0.09), NONE), M).why == "S rose, R within ±0.05"
    assert of_remedy(at(NONE, NONE), M).why == "S is not lower, R within ±0.05"
    assert of_remedy(at(NONE, (0.1, 0.2)), M).why == "R rose"
    assert of_remedy(at((-0.2, -0.1), NONE), M).why == "S fell"
    assert of_variant(at((-0.2, -0.1), (0.1, 0.3)), M).why == "S fell and R rose"
    assert (
        of_variant(at(NONE, WIDE), M).why == "R: the interval holds zero and reaches beyond ±0.05"
    )
