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
from judgeprobe.stats.profile import curves
from judgeprobe.stats.quality import GradeUse, grade_use
from judgeprobe.tables import PairTable

__all__ = ["NO_CUT", "Reading", "read_judges"]

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
        crossed: Crossings of the pairs in the two arms.
        crossed_all: Crossings of every pair in the table.
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
    name = table.judges[row]
    control = _CONTROLS.get(name)
    at_midpoint = control is not None and control.S is not None
    before, after = table.original[row], table.edited[row]
    if at_midpoint:
        crossed_all = fixed_crossings(before, after, options.scale.midpoint)
    else:
        crossed_all = crossings(before, after, rule=options.rule)
    crossed = crossed_all.take(kept)
    grades = table.text_grades(row)[1]
    use = _use(grades, table.elicitation[row], options)
    curve = curves(design, design.groups, crossed)
    cut, status, reason = _point(design, crossed, curve, use, options, at_midpoint=at_midpoint)
    ungraded = int(np.isnan(grades).sum())
    return Reading(
        name=name,
        row=row,
        control=control,
        status=status,
        reason=reason,
        crossed=crossed,
        crossed_all=crossed_all,
        curve=curve,
        cut=cut,
        use=use,
        n_graded=len(grades) - ungraded,
        n_ungraded=ungraded,
    )


def _use(grades: Floats, elicitation: str | None, options: ProfileOptions) -> GradeUse | None:
    graded = grades[~np.isnan(grades)]
    if len(graded) == 0:
        return None
    step = (graded - options.scale.low) / options.scale.step
    off_lattice = np.abs(step - np.round(step)) > 1e-6
    pooled = elicitation == "expected" or bool(off_lattice.mean() > 0.5)
    return grade_use(graded, options.usable_share, pooled=pooled)


def _point(
    design: Design,
    crossed: Crossings,
    curve: Floats,
    use: GradeUse | None,
    options: ProfileOptions,
    *,
    at_midpoint: bool,
) -> tuple[int | None, str, str | None]:
    for arm, members in (("invariance", design.invariance), ("construct", design.construct)):
        if not (members & crossed.graded).any():
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
