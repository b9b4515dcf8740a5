import pytest
from pydantic import ValidationError

from judgeprobe.records import Scale


def test_a_scale_owns_its_grades() -> None:
    scale = Scale(0, 5, 0.25)
    assert len(scale.grades) == 21
    assert scale.grades[-1] == 5.0
    assert scale.midpoint == 2.5
    assert scale.on_lattice(4.25)
    assert not scale.on_lattice(4.2)
    assert 4.2 in scale
    assert 5.01 not in scale


def test_a_decimal_step_gives_clean_grades() -> None:
    assert Scale(0, 1, 0.1).grades == (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@pytest.mark.parametrize("bad", [(1, 1, 1), (0, 5, 0), (0, 5, -1), (0, 5, 0.3)])
def test_a_scale_that_is_none_is_refused(bad: tuple[float, float, float]) -> None:
    with pytest.raises(ValidationError):
        Scale(*bad)
