"""What does a profile need to know of every pair and every judge?

One table for both sources: a study's interventions with its grades, and a file of pairs graded
elsewhere. Pairs stand in the order of their base items; judges are the rows of the grade matrices.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from judgeprobe.stats.arrays import Bools, Design, Floats, Ints, make_design

__all__ = ["APART", "UNKNOWN", "Exclusion", "PairTable"]

APART = ""
UNKNOWN = -1


@dataclass(frozen=True)
class Exclusion:
    """What was left out, why, and how many.

    Attributes:
        what: "row", "pair", "grade", "slot" or "base item".
        reason: One clause, for people.
        n: How many.
        rows: Row numbers of the first few (1 is the first data row); empty where there are none.
        judge: The judge concerned, or None for all.
    """

    what: str
    reason: str
    n: int
    rows: tuple[int, ...] = ()
    judge: str | None = None


@dataclass(frozen=True)
class PairTable:
    """Pairs and their grades.

    Attributes:
        judges: Name of each judge.
        elicitation: "written", "expected" or "computed" of each judge; None where not known.
        axes: The construct axes, in order.
        base_ids: Name of each base item.
        base: Base item of each pair, ascending; shape (pairs,).
        slots: Names of the slots.
        slot: Slot of each pair.
        axis: Axis of each pair: a construct axis, "control", or "" (reported apart).
        domains: Names of the domains; empty where none are known.
        domain: Domain of each pair, -1 where not known.
        original: Grade of each pair's original by each judge, NaN where ungraded; (judges, pairs).
        edited: Grade of each pair's edit, of the same shape.
        asked: Whether the pair was put to the judge; same shape.
        original_text: Number of each pair's original among the unique texts; shape (pairs,).
        edited_text: Number of each pair's edit among the unique texts.
        unanimous: 1 where all annotators agreed on the direction, 0 where not, -1 not known.
        length_original: Characters, NaN where not known; shape (pairs,).
        length_edited: Characters, NaN where not known.
        regrades: For each judge the first and the second grade of every text graded twice.
        excluded: What was left out.
        remedies: For a judge that was computed from others, how: (kind, members).
    """

    judges: tuple[str, ...]
    elicitation: tuple[str | None, ...]
    axes: tuple[str, ...]
    base_ids: tuple[str, ...]
    base: Ints
    slots: tuple[str, ...]
    slot: Ints
    axis: NDArray[np.object_]
    domains: tuple[str, ...]
    domain: Ints
    original: Floats
    edited: Floats
    asked: Bools
    original_text: Ints
    edited_text: Ints
    unanimous: NDArray[np.int8]
    length_original: Floats
    length_edited: Floats
    regrades: tuple[tuple[Floats, Floats], ...]
    excluded: tuple[Exclusion, ...] = ()
    remedies: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    @property
    def apart(self) -> Bools:
        """Pairs that are in neither arm."""
        return np.asarray(self.axis == APART, dtype=np.bool_)

    def design(self) -> tuple[Design, NDArray[np.int64]]:
        """The design of the pairs in the two arms, and the numbers of those pairs.

        Base items without such a pair are not in it.

        Raises:
            StatisticsError: There is no pair in either arm.
        """
        kept = np.flatnonzero(~self.apart)
        _, base = np.unique(self.base[kept], return_inverse=True)
        return make_design(base, list(self.axis[kept]), self.axes), kept

    def select(self, pairs: Bools) -> "PairTable":
        """The table with some of its pairs; base items, slots and texts keep their numbers."""
        columns = {
            name: getattr(self, name)[..., pairs]
            for name in (
                *("base", "slot", "axis", "domain", "original", "edited", "asked"),
                *("original_text", "edited_text", "unanimous"),
                *("length_original", "length_edited"),
            )
        }
        return replace(self, **columns)

    def graded(self) -> Bools:
        """Pairs with both members graded; shape (judges, pairs)."""
        return ~np.isnan(self.original) & ~np.isnan(self.edited)

    def text_grades(self, judge: int) -> tuple[Ints, Floats]:
        """Unique texts put to a judge and their grades (NaN where ungraded), one row a text.

        Where a file gives one original two grades, both are kept: they are two readings of it.
        """
        asked = self.asked[judge]
        text = np.concatenate([self.original_text[asked], self.edited_text[asked]])
        grade = np.concatenate([self.original[judge][asked], self.edited[judge][asked]])
        order = np.lexsort((grade, text))
        text, grade = text[order], grade[order]
        both_nan = np.isnan(grade[1:]) & np.isnan(grade[:-1])
        same = (text[1:] == text[:-1]) & ((grade[1:] == grade[:-1]) | both_nan)
        first = np.r_[True, ~same] if len(text) else np.zeros(0, dtype=np.bool_)
        return text[first], grade[first]

    def text_lengths(self) -> Floats:
        """Length of each unique text in characters, NaN where not known."""
        size = 1 + int(max(self.original_text.max(), self.edited_text.max()))
        lengths = np.full(size, np.nan)
        lengths[self.original_text] = self.length_original
        lengths[self.edited_text] = self.length_edited
        return lengths

    def with_judges(
        self,
        names: Sequence[str],
        original: Floats,
        edited: Floats,
        asked: Bools,
        how: dict[str, tuple[str, tuple[str, ...]]],
    ) -> "PairTable":
        """The table with further judges, computed from the ones it has."""
        if not names:
            return self
        nothing = np.zeros(0)
        return replace(
            self,
            judges=(*self.judges, *names),
            elicitation=(*self.elicitation, *("computed" for _ in names)),
            original=np.vstack([self.original, original]),
            edited=np.vstack([self.edited, edited]),
            asked=np.vstack([self.asked, asked]),
            regrades=(*self.regrades, *((nothing, nothing) for _ in names)),
            remedies={**self.remedies, **how},
        )
