"""How does each judge do against both label sets, and what can each set show at all?

Everything is on the same units: sentences with a majority of the annotators and a verdict of the
judge. A verdict is right where its side (holds, overreaches) is that of the label's class; a judge
that names classes is scored on the classes too.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgeprobe.blind.numbers import rounded
from judgeprobe.blind.power import power_of_sets
from judgeprobe.blind.run import BlindSet
from judgeprobe.blind.verdicts import NONE, SIDES, Verdicts, side_codes
from judgeprobe.errors import StatisticsError
from judgeprobe.files import file_hash, write_json
from judgeprobe.stats.class_rates import ClassRate, class_rate
from judgeprobe.stats.group_bootstrap import group_draws
from judgeprobe.stats.inflation import Inflation, inflation, mean_inflation
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.kappa import Kappa
from judgeprobe.study import Study

__all__ = ["make_scores", "write_scores"]

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
SCHEMA = 1
UNIT = "group"
COVERS = "the verdict covers {names}"


def make_scores(
    study: Study, found: BlindSet, verdicts: Sequence[Verdicts], *, power: bool = True
) -> dict[str, Any]:
    """`blind/scores.json`, without its predictions.

    Args:
        study: Seed and level.
        found: The set, with labels.
        verdicts: Of the judges, one entry for each unit of the set.
        power: Whether validation power is worked out; it refits a family of predictors.
    """
    sets = _Sets(found)
    level, seed = study.settings.profile.level, study.settings.study.seed
    scorer = _Scorer(sets, level, seed)
    scores = {
        "schema": SCHEMA,
        "study": study.settings.study.name,
        "notice": found.key.notice,
        "by_construction": found.key.by_construction,
        "classes": list(sets.classes),
        "holds": list(found.settings.holds),
        "set": _set_facts(found, sets),
        "judges": [scorer.judge(one) for one in verdicts],
        "mean": scorer.mean(verdicts),
        "power": _power(found, sets, level, seed) if power else None,
        "settings": {
            "seed": seed,
            "level": level,
            "resamples": found.settings.resamples,
            "flips": found.settings.flips,
            "permutations": found.settings.permutations,
        },
    }
    content: dict[str, Any] = rounded(scores)
    return content


def _power(found: BlindSet, sets: "_Sets", level: float, seed: int) -> dict[str, Any]:
    return power_of_sets(
        [unit.sentence for unit in found.units],
        inherited=sets.inherited_sides,
        blinded=sets.blinded_sides,
        blinded_classes=sets.blinded,
        rater_sides=side_codes(found.codes, found.settings),
        rater_classes=found.codes,
        groups=sets.groups,
        permutations=found.settings.permutations,
        level=level,
        seed=seed,
    )


def write_scores(study: Study, found: BlindSet, scores: dict[str, Any]) -> None:
    """Write scores.json, and note in the manifest what it was made under."""
    paths = found.paths
    made_under = {
        "key": file_hash(paths.key),
        "labels": file_hash(paths.labels),
        **{
            name: file_hash(path)
            for name, path in (("grades", study.grades_path), ("profile", study.profile_path))
            if path.exists()
        },
    }
    write_json(paths.scores, {**scores, "made_under": made_under})
    study.record("blind score", {**made_under, "scores": file_hash(paths.scores)})


class _Sets:
    """Both label sets as codes over the units of the set."""

    def __init__(self, found: BlindSet) -> None:
        self.settings = found.settings
        self.classes = found.key.classes
        code = {name: number for number, name in enumerate(self.classes)}
        self.inherited: IntArray = np.array(
            [code[unit.inherited] for unit in found.units], dtype=np.int64
        )
        majority = found.majorities()
        self.blinded: IntArray = np.array(
            [NONE if one.majority is None else code[one.majority] for one in majority],
            dtype=np.int64,
        )
        self.unanimous: BoolArray = np.array([one.unanimous for one in majority], dtype=np.bool_)
        self.groups: IntArray = np.unique(
            [unit.group for unit in found.units], return_inverse=True
        )[1].astype(np.int64)
        self.inherited_sides = side_codes(self.inherited, self.settings)
        self.blinded_sides = side_codes(self.blinded, self.settings)
        self.status = Counter(one.status for one in majority)


def _set_facts(found: BlindSet, sets: _Sets) -> dict[str, Any]:
    labelled = sets.blinded >= 0
    table = [
        {
            "inherited": sets.classes[row],
            "blinded": sets.classes[column],
            "n": int(((sets.inherited == row) & (sets.blinded == column)).sum()),
        }
        for row in range(len(sets.classes))
        for column in range(len(sets.classes))
    ]
    differ = int((sets.inherited_sides != sets.blinded_sides)[labelled].sum())
    return {
        "source": found.key.source,
        "units": len(found.units),
        "groups": int(sets.groups.max()) + 1,
        "left_out": found.key.left_out,
        "annotators": len(found.key.annotators),
        "labelled": int(labelled.sum()),
        "no_majority": sets.status["no majority"],
        "incomplete": sets.status["incomplete"],
        "not_labelled": sets.status["not labelled"],
        "unanimous": int(sets.unanimous.sum()),
        "sides_differ": differ,
        "sides_differ_share": differ / int(labelled.sum()) if labelled.any() else None,
        "confusion": [cell for cell in table if cell["n"]],
    }


class _Scorer:
    """Judges against both sets, all from the same draws."""

    def __init__(self, sets: _Sets, level: float, seed: int) -> None:
        self.sets, self.level, self.seed = sets, level, seed
        self.settings = sets.settings

    def judge(self, one: Verdicts) -> dict[str, Any]:
        """One judge's entry."""
        sets = self.sets
        kept = (one.sides >= 0) & (sets.blinded >= 0)
        entry: dict[str, Any] = {
            "judge": one.judge,
            "control": one.control,
            "how": one.how or None,
            "cut": one.cut,
            "reason": one.reason or None,
            "counts": {
                "units": len(one.sides),
                "no_verdict": dict(one.missing),
                "no_label": int(((one.sides >= 0) & (sets.blinded < 0)).sum()),
                "compared": int(kept.sum()),
            },
            "sides": None,
            "unanimous": None,
            "classes": None,
            "rates": [],
        }
        if one.reason:
            return entry
        entry["sides"], why = self._delta(
            one.sides, sets.inherited_sides, sets.blinded_sides, kept, len(SIDES)
        )
        entry["reason"] = why
        if why:
            return entry
        entry["unanimous"], entry["unanimous_reason"] = self._delta(
            one.sides,
            sets.inherited_sides,
            sets.blinded_sides,
            kept & sets.unanimous,
            len(SIDES),
        )
        if one.classes is not None:
            entry["classes"], _ = self._delta(
                one.classes, sets.inherited, sets.blinded, kept, len(sets.classes)
            )
        entry["rates"] = self._rates(one, kept)
        return entry

    def mean(self, verdicts: Sequence[Verdicts]) -> dict[str, Any] | None:
        """The mean over judges that are no controls; None where there is none."""
        judges = [one for one in verdicts if not one.control and not one.reason]
        if not judges:
            return None
        sides = np.stack([one.sides for one in judges])
        kept = (sides >= 0).all(axis=0) & (self.sets.blinded >= 0)
        head = {"judges": [one.judge for one in judges], "n": int(kept.sum())}
        try:
            delta, test = mean_inflation(
                sides[:, kept],
                self.sets.inherited_sides[kept],
                self.sets.blinded_sides[kept],
                _renumbered(self.sets.groups[kept]),
                self._rng(),
                resamples=self.settings.resamples,
                flips=self.settings.flips,
                level=self.level,
                unit=UNIT,
            )
        except StatisticsError as error:
            return {**head, "delta": None, "p": None, "reason": str(error)}
        return {**head, "delta": _ends(delta), "p": test.p, "reason": None}

    def _rng(self) -> np.random.Generator:
        # Anew for each judge: judges on the same units then share every draw.
        return np.random.default_rng(self.seed)

    def _delta(
        self, given: IntArray, inherited: IntArray, blinded: IntArray, kept: BoolArray, kinds: int
    ) -> tuple[dict[str, Any] | None, str | None]:
        try:
            found = inflation(
                given[kept],
                inherited[kept],
                blinded[kept],
                _renumbered(self.sets.groups[kept]),
                kinds,
                self._rng(),
                resamples=self.settings.resamples,
                flips=self.settings.flips,
                level=self.level,
                unit=UNIT,
            )
        except StatisticsError as error:
            return None, str(error)
        return _inflation(found), None

    def _rates(self, one: Verdicts, kept: BoolArray) -> list[dict[str, Any]]:
        """Precision and recall of both sides and of every class, against both sets."""
        groups = _renumbered(self.sets.groups[kept])
        draws = group_draws(int(groups.max()) + 1, self.settings.resamples, self._rng())

        def rate(is_class: BoolArray, is_named: BoolArray) -> ClassRate:
            return class_rate(is_class, is_named, groups, draws, level=self.level, unit=UNIT)

        rows = []
        for name, classes, sides in (
            ("inherited", self.sets.inherited, self.sets.inherited_sides),
            ("blinded", self.sets.blinded, self.sets.blinded_sides),
        ):
            for code, side in enumerate(SIDES):
                found = rate(sides[kept] == code, one.sides[kept] == code)
                rows.append(_rate_row(name, side, "verdict", found))
            for code, label in enumerate(self.sets.classes):
                is_class = classes[kept] == code
                if one.classes is not None:
                    found = rate(is_class, one.classes[kept] == code)
                    rows.append(_rate_row(name, label, "class", found))
                    continue
                side_code = int(side_codes(np.array([code]), self.settings)[0])
                found = rate(is_class, one.sides[kept] == side_code)
                covers = self._covered(name, side_code)
                why = None if len(covers) < 2 else COVERS.format(names=" and ".join(covers))
                rows.append(_rate_row(name, label, "class", found, no_precision=why))
        return rows

    def _covered(self, name: str, side: int) -> list[str]:
        """Classes that a verdict of this side may mean in a set."""
        if name == "inherited":
            present = np.unique(self.sets.inherited).tolist()
        else:
            present = list(range(len(self.sets.classes)))
        sides = side_codes(np.array(present, dtype=np.int64), self.settings)
        return [
            self.sets.classes[code]
            for code, found in zip(present, sides.tolist(), strict=True)
            if found == side
        ]


def _renumbered(groups: IntArray) -> IntArray:
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _inflation(found: Inflation) -> dict[str, Any]:
    return {
        "n": found.n,
        "groups": found.groups,
        "differ": found.differ,
        "accuracy_inherited": _ends(found.inherited),
        "accuracy_blinded": _ends(found.blinded),
        "delta": _ends(found.delta),
        "p": found.test.p,
        "test": {
            "nonzero_groups": found.test.nonzero,
            "exact": found.test.exact,
            "patterns": found.test.patterns,
        },
        "kappa_inherited": _kappa(found.kappa_inherited),
        "kappa_blinded": _kappa(found.kappa_blinded),
        "kappa_delta": _ends(found.kappa_delta),
        "method": found.delta.method,
    }


def _kappa(found: Kappa) -> dict[str, Any]:
    return {"value": found.value, "degenerate": found.degenerate}


def _ends(interval: Interval | None) -> dict[str, float] | None:
    if interval is None:
        return None
    return {"estimate": interval.estimate, "low": interval.low, "high": interval.high}


def _rate_row(
    labels: str, name: str, kind: str, found: ClassRate, *, no_precision: str | None = None
) -> dict[str, Any]:
    reasons = {
        "recall": None if found.n else "no unit of it",
        "precision": no_precision or (None if found.named else "never named"),
    }
    return {
        "labels": labels,
        "name": name,
        "kind": kind,
        "n": found.n,
        "named": found.named if no_precision is None else None,
        "right": found.right,
        "recall": _ends(found.recall),
        "precision": _ends(None if no_precision else found.precision),
        "reasons": {what: why for what, why in reasons.items() if why},
    }
