"""How fine and how repeatable is a judge's scale?

Two ways in which a graded judge fails, independent of each other (appendix D of the
construct-validity reference): it offers grades that it hardly uses, or it does not give the same
text the same grade again. Neither is a validity coordinate; both stand beside every profile.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.checks import finite_vector, probability, same_length

__all__ = ["GradeUse", "grade_use", "regrade_agreement", "use_of_counts"]


@dataclass(frozen=True)
class GradeUse:
    """What a judge makes of its scale.

    Attributes:
        n: Graded texts.
        distinct: Distinct grades given.
        usable: Usable grades.
        usable_points: Cuts between usable grades: one fewer, and never below 0.
        rule: What made a grade usable.
    """

    n: int
    distinct: int
    usable: int
    usable_points: int
    rule: str


def grade_use(grades: ArrayLike, share: float, *, pooled: bool = False) -> GradeUse:
    """Count the grades that a judge uses.

    A grade is usable when it makes up at least `share` of the graded texts. A grade read from
    token probabilities is a number of its own for nearly every text; there (`pooled`) neighbouring
    grades are put together, from the smallest up, until each group holds that share.

    Args:
        grades: Grade of each unique text, in grade units; NaN where ungraded.
        share: Smallest share of the graded texts, 0 to 1.
        pooled: Whether neighbouring grades are put together.

    Raises:
        StatisticsError: The vector is empty, or `share` is no share.
    """
    probability("share", share)
    values = finite_vector("grades", grades, allow_nan=True)
    graded = values[~np.isnan(values)]
    kinds, counts = np.unique(np.round(graded, 10), return_counts=True)
    return use_of_counts(kinds, counts, share, pooled=pooled)


def use_of_counts(
    kinds: ArrayLike, counts: ArrayLike, share: float, *, pooled: bool = False
) -> GradeUse:
    """The same from the distinct grades, ascending, and how many texts were given each."""
    kinds, counts = np.asarray(kinds), np.asarray(counts)
    n = int(counts.sum())
    needed = share * n - 1e-9
    if pooled:
        usable, held = 0, 0
        for count in counts:
            held += int(count)
            if held >= max(needed, 1):
                usable, held = usable + 1, 0
        rule = f"neighbouring grades put together to {share:.1%} of the texts"
    else:
        usable = int((counts >= needed).sum())
        rule = f"at least {share:.1%} of the texts"
    return GradeUse(n, len(kinds), usable, max(usable - 1, 0), rule)


def regrade_agreement(first: ArrayLike, second: ArrayLike) -> float:
    """Share of texts whose second grade equals the first.

    Args:
        first: First grade of each text that was graded twice.
        second: Second grade of the same texts.

    Raises:
        StatisticsError: No text was graded twice, or the columns differ in length.
    """
    one, two = finite_vector("first", first), finite_vector("second", second)
    same_length(first=one, second=two)
    if len(one) == 0:
        raise StatisticsError("no text was graded twice")
    return float(np.mean(np.abs(one - two) <= 1e-9))
