"""At which cut is each judge read, and with what standing?

The rule is one for all judges: the largest R subject to S >= floor. A judge that grades too
coarsely is a single point, one that no cut brings to the floor is uninterpretable; both are said
with their reason. Control judges that answer from the arm are read at the middle of the scale.
"""

from dataclasses import dataclass

import numpy as np

from judgeprobe.profile.options import ProfileOptions
from judgeprobe.records import CONTROLS, Control
from judgeprobe.stats.arrays import Bools, Design, Floats, Ints
from judgeprobe.stats.frontier import Crossings, crossings, fixed_crossings, operating_cut
from judgeprobe.stats.profile import CurveSteps, curve_steps
from judgeprobe.stats.quality import GradeUse, use_of_counts
from judgeprobe.tables import PairTable

__all__ = [
    "NO_ARM",
    "NO_CUT",
    "Reading",
    "TextGrades",
    "fixed_cut",
    "read_judges",
    "reading_of",
]

NO_ARM = "there is no pair in the construct or the invariance arm"
NO_CUT = -1
_CONTROLS = {control.name: control for control in CONTROLS}


@dataclass(frozen=True)
class Reading:
    """One judge, read.

    Attributes:
        name: The judge.
        row: Its row in the table.
        control: The control judge that it is, or None.
        status: "frontier", "single point" or "uninterpretable".
        reason: Why not "frontier"; None where it is.
        crossed: Crossings of the pairs in the two arms; of no pair where the table is streamed.
        crossed_all: Crossings of every pair in the table; likewise.
        curve: Change rate of invariance, construct and each axis at each cut; (2 + axes, cuts).
        cut: The operating cut's position, NO_CUT for a judge without any cut (its verdict never
            changes), None where there is no operating point.
        use: How it uses its scale; None where nothing is graded.
        n_graded: Unique texts graded.
        n_ungraded: Unique texts put to it and not graded.
    """

    name: str
    row: int
    control: Control | None
    status: str
    reason: str | None
    crossed: Crossings
    crossed_all: Crossings
    curve: Floats
    cut: int | None
    use: GradeUse | None
    n_graded: int
    n_ungraded: int

    @property
    def tau(self) -> float | None:
        """The operating cut in grade units; None where there is none."""
        return None if self.cut is None or self.cut < 0 else float(self.crossed.taus[self.cut])

    @property
    def changed(self) -> Bools:
        """Pairs of the two arms whose verdict changes at the operating cut."""
        return self.crossed.changed(NO_CUT if self.cut is None else self.cut)

    @property
    def graded(self) -> Bools:
        """Pairs of the two arms with both members graded."""
        return self.crossed.graded


def read_judges(
    table: PairTable, design: Design, kept: Ints, options: ProfileOptions
) -> list[Reading]:
    """Read every judge of the table."""
    return [_read(table, design, kept, options, row) for row in range(len(table.judges))]


def _read(
    table: PairTable, design: Design, kept: Ints, options: ProfileOptions, row: int
) -> Reading:
    before, after = table.original[row], table.edited[row]
    if fixed_cut(table.judges[row], options) is not None:
        crossed_all = fixed_crossings(before, after, options.scale.midpoint)
    else:
        crossed_all = crossings(before, after, rule=options.rule)
    crossed = crossed_all.take(kept)
    grades = table.text_grades(row)[1]
    values, counts = np.unique(grades[~np.isnan(grades)], return_counts=True)
    return reading_of(
        table,
        row,
        crossed,
        crossed_all,
        curve_steps(design, design.groups, crossed),
        TextGrades(values, counts, int(np.isnan(grades).sum())),
        options,
    )


@dataclass(frozen=True)
class TextGrades:
    """The grades of a judge's unique texts.

    Attributes:
        values: Distinct grades, ascending.
        counts: Texts with each.
        ungraded: Texts without one.
    """

    values: Floats
    counts: Ints
    ungraded: int


def fixed_cut(name: str, options: ProfileOptions) -> float | None:
    """The cut at which a control judge that answers from the arm is read; None for every other."""
    control = _CONTROLS.get(name)
    return None if control is None or control.S is None else options.scale.midpoint


def reading_of(
    table: PairTable,
    row: int,
    crossed: Crossings,
    crossed_all: Crossings,
    steps: CurveSteps,
    grades: TextGrades,
    options: ProfileOptions,
) -> Reading:
    """A judge read, from what is known of all its pairs and texts.

    Args:
        table: Read for its names.
        row: The judge.
        crossed: Its cuts, with the pairs of the two arms where they are at hand.
        crossed_all: The same with every pair of the table.
        steps: Of its curves: invariance, construct and each axis.
        grades: Of its texts.
        options: Settings.
    """
    name = table.judges[row]
    use = _use(grades, table.elicitation[row], options)
    curve = steps.curves()
    cut, status, reason = _point(
        steps.n, crossed, curve, use, options, at_midpoint=fixed_cut(name, options) is not None
    )
    return Reading(
        name=name,
        row=row,
        control=_CONTROLS.get(name),
        status=status,
        reason=reason,
        crossed=crossed,
        crossed_all=crossed_all,
        curve=curve,
        cut=cut,
        use=use,
        n_graded=int(grades.counts.sum()),
        n_ungraded=grades.ungraded,
    )


def _use(grades: TextGrades, elicitation: str | None, options: ProfileOptions) -> GradeUse | None:
    n = int(grades.counts.sum())
    if n == 0:
        return None
    step = (grades.values - options.scale.low) / options.scale.step
    off_lattice = int(grades.counts[np.abs(step - np.round(step)) > 1e-6].sum())
    pooled = elicitation == "expected" or off_lattice / n > 0.5
    kinds, where = np.unique(np.round(grades.values, 10), return_inverse=True)
    counts = np.bincount(where.ravel(), grades.counts).astype(np.int64)
    return use_of_counts(kinds, counts, options.usable_share, pooled=pooled)


def _point(
    n_base: Ints,
    crossed: Crossings,
    curve: Floats,
    use: GradeUse | None,
    options: ProfileOptions,
    *,
    at_midpoint: bool,
) -> tuple[int | None, str, str | None]:
    for arm, n in zip(("invariance", "construct"), n_base, strict=False):
        if n == 0:
            return None, "uninterpretable", f"no graded {arm} pair"
    if at_midpoint:
        return 0, "single point", "read at the middle of the scale"
    if len(crossed.taus) == 0:
        return NO_CUT, "single point", "it gave one grade only, so its verdict never changes"
    cut = operating_cut(1 - curve[0], curve[1], options.floor)
    if use is None or use.usable < 2:
        usable = 0 if use is None else use.usable
        reason = f"{usable} usable grade{'' if usable == 1 else 's'}: no frontier to speak of"
        return cut, "single point", reason
    if cut is None:
        best = float((1 - curve[0]).max())
        return None, "uninterpretable", f"no cut reaches S {options.floor:g}; best S {best:.3f}"
    return cut, "frontier", None
