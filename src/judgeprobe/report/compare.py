"""What changed between two studies of the same edits, judge by judge?

A judge before and after an update, or under another prompt. Only edits that both studies hold are
compared, and of those only pairs that both graded; each study is read at its own operating point.
Intervals resample base items, the same ones in both studies, so the differences are paired.

Differences are always the reported study minus the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.files import read_table
from judgeprobe.records import Intervention
from judgeprobe.report.evidence import Evidence, read_evidence
from judgeprobe.report.parts import OperatingPoint
from judgeprobe.report.view import JudgeView, ProfileView, read_profile
from judgeprobe.stats.arrays import Bools, Design, Floats
from judgeprobe.stats.bootstrap import Resamples, percentile, rate_draws
from judgeprobe.stats.frontier import fixed_crossings
from judgeprobe.stats.profile import edit_shares
from judgeprobe.study import Study
from judgeprobe.tables import PairTable, pairs_from_study

__all__ = ["Change", "Comparison", "Loaded", "compare_studies", "load_for_comparison"]

INVARIANCE, CONSTRUCT, FIRST_AXIS = 0, 1, 2


@dataclass(frozen=True)
class Loaded:
    """One side of a comparison; `name` is the study's, with its folder where both have one name."""

    study: Study
    view: ProfileView
    evidence: Evidence
    name: str


@dataclass(frozen=True)
class Change:
    """One rate in both studies.

    Attributes:
        what: "S", "R", "R_AXIS", or a slot (share of verdicts changed).
        n: Pairs graded in both studies.
        n_base: Base items that hold them.
        before: The rate in the other study, on these pairs.
        after: The rate in the reported study.
        difference: after - before.
        low, high: Its interval, None where it is defined in no resample.
    """

    what: str
    n: int
    n_base: int
    before: float
    after: float
    difference: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class JudgeChange:
    """What changed for one judge.

    Attributes:
        judge: Its name in the reported study.
        other: Its name in the other study.
        points: Its operating points, other study first; None where it has none.
        rates: S, R and each axis; empty without both points.
        slots: Each slot; likewise.
    """

    judge: str
    other: str
    points: tuple[OperatingPoint | None, OperatingPoint | None]
    rates: tuple[Change, ...] = ()
    slots: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Two studies side by side.

    Attributes:
        n_shared: Edits that both hold.
        n_only: Edits that only one holds, other study first.
        judges: Judges that both graded.
        alone: Judges of one study only: (study name, judge).
        settings: Settings that differ: (name, in the other study, in the reported one).
        method: How the intervals were made.
    """

    after: Loaded
    before: Loaded
    n_shared: int
    n_only: tuple[int, int]
    judges: tuple[JudgeChange, ...]
    alone: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str, str], ...]
    method: str


def load_for_comparison(study: Study, name: str) -> Loaded:
    """A profiled study's profile and files.

    Raises:
        InputError: A file is missing or cannot be read.
    """
    view = read_profile(study.profile_path)
    for path in (study.interventions_path, study.grades_path):
        if not path.exists():
            raise InputError(
                "is not there", file=path, remedy="two studies are compared on their own edits"
            )
    evidence = read_evidence(study, [judge.judge for judge in view.judges])
    return Loaded(study, view, evidence, name)


def compare_studies(after: Loaded, before: Loaded) -> Comparison:
    """Compare a reported study with another.

    Raises:
        MixedArtifactsError: They were made under different taxonomies.
        InputError: They were read by different rules or floors, or share no edit or judge.
    """
    _require_comparable(after, before)
    shared = {edit.id for edit in after.evidence.interventions} & {
        edit.id for edit in before.evidence.interventions
    }
    if not shared:
        raise InputError(
            f"shares no edit with {after.study.folder}",
            file=before.study.folder,
            remedy="compare studies of the same interventions",
        )
    names = _matched(after.view, before.view)
    tables = [_table(side, shared) for side in (before, after)]
    design, kept = tables[1].design()
    profile = after.study.settings.profile
    resamples = Resamples.draw(
        design.n_base,
        profile.resamples,
        np.random.default_rng([after.study.settings.study.seed, len(shared)]),
    )
    measure = _Measure(tables, design, kept, resamples, after.view.rule, profile.level)
    judges = tuple(
        measure.judge(_named(before.view, other), _named(after.view, name)) for name, other in names
    )
    return Comparison(
        after=after,
        before=before,
        n_shared=len(shared),
        n_only=(
            len(before.evidence.interventions) - len(shared),
            len(after.evidence.interventions) - len(shared),
        ),
        judges=judges,
        alone=_alone(after, before, names),
        settings=_differences(after.study, before.study),
        method=(
            f"percentile bootstrap over base items, the same {profile.resamples} resamples in both "
            f"studies, {profile.level:.0%}"
        ),
    )


def _require_comparable(after: Loaded, before: Loaded) -> None:
    after.study.require_same(
        "taxonomy",
        before.study.taxonomy.hash,
        after.study.taxonomy.hash,
        file=before.study.folder,
        remedy="studies of different taxonomies measure different things",
    )
    for name in ("rule", "floor"):
        ours, theirs = getattr(after.view, name), getattr(before.view, name)
        if ours != theirs:
            raise InputError(
                f"was profiled at {name} {theirs}, the other at {ours}",
                file=before.study.profile_path,
                remedy="profile both alike; two readings are never mixed in one table",
            )


def _matched(after: ProfileView, before: ProfileView) -> list[tuple[str, str]]:
    """Judges of both, as (name now, name before).

    Raises:
        InputError: None is in both, and it is not one judge against one.
    """
    theirs = [judge.judge for judge in before.judges]
    same = [(judge.judge, judge.judge) for judge in after.judges if judge.judge in theirs]
    if not same and len(after.judges) == len(theirs) == 1:
        return [(after.judges[0].judge, theirs[0])]
    if not same:
        raise InputError(
            "the two studies share no judge",
            remedy="give a judge one name in both, or compare studies of one judge each",
        )
    return same


def _named(view: ProfileView, name: str) -> JudgeView:
    return next(judge for judge in view.judges if judge.judge == name)


def _table(side: Loaded, shared: set[str]) -> PairTable:
    edits: list[Intervention] = [e for e in side.evidence.interventions if e.id in shared]
    return pairs_from_study(
        edits,
        read_table(side.study.grades_path),
        axes=side.study.taxonomy.construct_axes,
        judges=[judge.judge for judge in side.view.judges],
    )


@dataclass(frozen=True)
class _Measure:
    """Reads judges of two tables with the same pairs (other study first)."""

    tables: Sequence[PairTable]
    design: Design
    kept: Any
    resamples: Resamples
    rule: str
    level: float

    def judge(self, before: JudgeView, after: JudgeView) -> JudgeChange:
        points = (before.operating_point, after.operating_point)
        found = JudgeChange(after.judge, before.judge, points)
        names = (before.judge, after.judge)
        known = all(n in t.judges for n, t in zip(names, self.tables, strict=True))
        if points[0] is None or points[1] is None or not known:
            return found
        taus = (points[0].tau, points[1].tau)
        read = [self._read(*side) for side in zip(self.tables, names, taus, strict=True)]
        graded = read[0][1] & read[1][1]
        slots, slot_rows = self._slots()
        groups = np.vstack([self.design.groups, slot_rows])
        rates, draws = [], []
        for changed, _ in read:
            shares = edit_shares(self.design, groups, changed, graded)
            rates.append(shares.rates())
            draws.append(rate_draws(self.resamples, shares))
        has = edit_shares(self.design, groups, read[0][0], graded).has.sum(axis=0)
        n = (groups & graded).sum(axis=1)
        axes = [f"R_{axis}" for axis in self.tables[0].axes]
        changes = [
            self._change(what, g, (rates[0][g], rates[1][g]), draws, int(n[g]), int(has[g]))
            for g, what in enumerate(["S", "R", *axes, *slots])
            if n[g]
        ]
        split = [c for c in changes if c.what not in slots]
        return JudgeChange(
            after.judge,
            before.judge,
            points,
            tuple(split),
            tuple(c for c in changes if c.what in slots),
        )

    def _read(self, table: PairTable, name: str, tau: float | None) -> tuple[Bools, Bools]:
        row = table.judges.index(name)
        before, after = table.original[row][self.kept], table.edited[row][self.kept]
        graded = ~np.isnan(before) & ~np.isnan(after)
        if tau is None:
            return np.zeros_like(graded), graded
        if self.rule == "shift":
            with np.errstate(invalid="ignore"):
                return (np.abs(after - before) >= tau) & graded, graded
        return fixed_crossings(before, after, tau).changed(0), graded

    def _slots(self) -> tuple[list[str], Bools]:
        slot = self.tables[0].slot[self.kept]
        found = np.unique(slot)
        return [self.tables[0].slots[s] for s in found], found[:, None] == slot[None, :]

    def _change(
        self,
        what: str,
        group: int,
        rates: tuple[float, float],
        draws: Sequence[Floats],
        n: int,
        n_base: int,
    ) -> Change:
        before, after = rates
        moved = draws[1][:, group] - draws[0][:, group]
        difference = after - before
        if group == INVARIANCE:
            before, after, difference, moved = 1 - before, 1 - after, -difference, -moved
        low = high = None
        if not np.isnan(moved).all():
            interval = percentile(float(difference), moved, self.level, n=n_base)
            low, high = _rounded(interval.low), _rounded(interval.high)
        return Change(
            what,
            n,
            n_base,
            _rounded(before),
            _rounded(after),
            _rounded(difference),
            low,
            high,
        )


def _rounded(value: float) -> float:
    """Ten decimals, as in profile.json; never a negative zero."""
    return round(float(value), 10) + 0.0


def _alone(
    after: Loaded, before: Loaded, names: Sequence[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    ours, theirs = {name for name, _ in names}, {other for _, other in names}
    return tuple(
        [(after.name, j.judge) for j in after.view.judges if j.judge not in ours]
        + [(before.name, j.judge) for j in before.view.judges if j.judge not in theirs]
    )


def _differences(after: Study, before: Study) -> tuple[tuple[str, str, str], ...]:
    ours, theirs = (dict(_flat(s.settings.model_dump(mode="json"))) for s in (after, before))
    names = sorted(set(ours) | set(theirs))
    return tuple(
        (name, theirs.get(name, ""), ours.get(name, ""))
        for name in names
        if ours.get(name, "") != theirs.get(name, "")
    )


def _flat(value: Any, before: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [pair for k, v in value.items() for pair in _flat(v, f"{before}{k}.")]
    if isinstance(value, list):
        return [
            pair
            for i, v in enumerate(value)
            for pair in _flat(
                v, f"{before}{v['name'] if isinstance(v, dict) and 'name' in v else i}."
            )
        ]
    return [] if value is None else [(before.rstrip("."), str(value))]
