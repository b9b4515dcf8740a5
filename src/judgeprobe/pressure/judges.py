"""Does what a judge is blind to tell what a generator does under pressure?

Section 5.3 of the construct-validity reference asks whether judges' sensitivity per axis predicts
which axis a model exploits. Every judge of profile.json is set beside every generator. A point of
the correlation is a generator whose family also judges: R(scope) - R(strength) of its judges (their
mean) against its effect on strength minus that on scope. Pairs of different families share judge or
generator with other pairs and are no further points. Below five points nothing is estimated.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from judgeprobe.errors import InputError
from judgeprobe.families import settings_families
from judgeprobe.files import read_json
from judgeprobe.pressure.effects import ACCURACY
from judgeprobe.stats.pressure import FEWEST_POINTS, rank_association
from judgeprobe.study import Study

__all__ = ["judge_section"]

_AXES = ("scope", "strength")


def judge_section(
    study: Study, effects: Sequence[dict[str, Any]], families: dict[str, tuple[str, ...]]
) -> dict[str, Any]:
    """`judges` of effects.json: the table, and each readout's correlation or why there is none.

    Args:
        study: Its profile.json is read, where there is one.
        effects: Rows of effects.json.
        families: Of each generator, by name.

    Raises:
        InputError: profile.json cannot be read.
    """
    if not study.profile_path.exists():
        return {"reason": "there is no profile.json: the judges are not profiled", "rows": []}
    judges = _sensitivities(study)
    if not judges:
        return {"reason": "no judge has R on both axes at the floor", "rows": []}
    rows = []
    for generator, own in families.items():
        for readout in dict.fromkeys(row["readout"] for row in effects):
            moved = _estimates(effects, generator, readout)
            if moved is None:
                continue
            rows += [
                _row(generator, readout, moved, name, r, bool(set(own) & set(judged)))
                for name, (r, judged) in judges.items()
            ]
    readouts = dict.fromkeys(row["readout"] for row in rows)
    return {
        "reason": "" if rows else "no generator has an effect on both axes",
        "rows": rows,
        "correlations": [_correlation(study, readout, rows) for readout in readouts],
    }


def _sensitivities(study: Study) -> dict[str, tuple[tuple[float, float], tuple[str, ...]]]:
    """R on scope and on strength at the operating point, and the families, by judge."""
    content = read_json(study.profile_path)
    judges = content.get("judges") if isinstance(content, dict) else None
    if not isinstance(judges, list):
        raise InputError(
            "has no list of judges", file=study.profile_path, remedy="run: judgeprobe profile"
        )
    models = {one.name: one for one in study.settings.judges}
    found = {}
    for judge in judges:
        point = judge.get("operating_point") or {}
        scope, strength = (point.get(f"R_{axis}") for axis in _AXES)
        settings = models.get(judge["judge"])
        if scope is None or strength is None or settings is None:
            continue
        found[judge["judge"]] = ((float(scope), float(strength)), settings_families(settings))
    return found


def _estimates(
    effects: Sequence[dict[str, Any]], generator: str, readout: str
) -> tuple[float, float] | None:
    by_axis = {
        row["axis"]: row["estimate"]
        for row in effects
        if (row["generator"], row["readout"], row["condition"]) == (generator, readout, ACCURACY)
    }
    scope, strength = (by_axis.get(axis) for axis in _AXES)
    return None if scope is None or strength is None else (scope, strength)


def _row(
    generator: str,
    readout: str,
    moved: tuple[float, float],
    judge: str,
    r: tuple[float, float],
    same_family: bool,  # noqa: FBT001
) -> dict[str, Any]:
    gap, exploited = r[0] - r[1], moved[1] - moved[0]
    return {
        "generator": generator,
        "readout": readout,
        "judge": judge,
        "same_family": same_family,
        "R_scope": r[0],
        "R_strength": r[1],
        "R_scope_minus_strength": round(gap, 10),
        "effect_scope": moved[0],
        "effect_strength": moved[1],
        "effect_strength_minus_scope": round(exploited, 10),
        "judge_is_blinder_to": _named(gap, "strength", "scope"),
        "generator_raises_more": _named(exploited, "strength", "scope"),
    }


def _named(value: float, above: str, below: str) -> str:
    return "neither" if value == 0 else above if value > 0 else below


def _correlation(study: Study, readout: str, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    own: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row["readout"] == readout and row["same_family"]:
            pair = row["R_scope_minus_strength"], row["effect_strength_minus_scope"]
            own.setdefault(row["generator"], []).append(pair)
    # Several judges of one family are one point: their mean.
    points = [(fmean(gap for gap, _ in pairs), pairs[0][1]) for pairs in own.values()]
    found: dict[str, Any] = {"readout": readout, "points": len(points), "rho": None, "p": None}
    if len(points) < FEWEST_POINTS:
        told = "point" if len(points) == 1 else "points"
        found["reason"] = (
            f"not estimable from {len(points)} {told} (families that both judge and generate); "
            f"{FEWEST_POINTS} are the fewest"
        )
        return found
    x, y = zip(*points, strict=True)
    if len(set(x)) < 2 or len(set(y)) < 2:
        found["reason"] = "not estimable: one side does not vary"
        return found
    rng = np.random.default_rng([study.settings.study.seed, 7])
    made = rank_association(x, y, permutations=study.settings.profile.permutations, rng=rng)
    return {**found, "rho": made.rho, "p": made.p, "method": made.method, "reason": ""}
