"""What does profile.json say of one judge?"""

from typing import Any

import numpy as np

from judgeprobe.profile.figures import AtCut, Figures
from judgeprobe.profile.fixed import CONSTRUCT, FIRST_AXIS, INVARIANCE, Fixed
from judgeprobe.profile.numbers import ends, number, pair, rate_ends
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import Reading
from judgeprobe.stats.frontier import hull
from judgeprobe.tables import PairTable

__all__ = ["control_entry", "frontier_rows", "judge_entry", "operating_point"]


def judge_entry(
    table: PairTable,
    reading: Reading,
    figures: Figures,
    fixed: Fixed | None,
    options: ProfileOptions,
) -> dict[str, Any]:
    """One row of `judges[]`.

    Args:
        table: Read for its names: judges, axes, slots, domains, remedies.
        reading: The judge as read.
        figures: Its counts.
        fixed: Its rates at the operating cut; None where it has no operating point.
        options: Settings.
    """
    construct, invariance = figures.graded
    entry: dict[str, Any] = {
        "judge": reading.name,
        "status": reading.status,
        "reason": reading.reason,
        "elicitation": table.elicitation[reading.row],
        "n_graded": reading.n_graded,
        "n_ungraded": reading.n_ungraded,
        "n_pairs": {
            "construct": construct,
            "invariance": invariance,
            "ungraded": figures.ungraded,
        },
        "distinct_grades": 0 if reading.use is None else reading.use.distinct,
        "usable_grades": 0 if reading.use is None else reading.use.usable,
        "usable_points": 0 if reading.use is None else reading.use.usable_points,
        "usable_rule": None if reading.use is None else reading.use.rule,
        "regrade": number(figures.regrade),
        "regrade_n": figures.regrade_n,
        "operating_point": None,
        "control_flip_rate": None,
    }
    if reading.name in table.remedies:
        kind, members = table.remedies[reading.name]
        entry["remedy"] = {"kind": kind, "of": list(members)}
    if fixed is not None and figures.at_cut is not None:
        entry["operating_point"] = operating_point(table, fixed, options)
        entry["control_flip_rate"] = number(float(fixed.rates[INVARIANCE]))
        entry["pooled"] = _pooled(figures.at_cut)
        entry["bounds"] = _bounds(figures.at_cut)
        entry["direction"] = _right_way(figures.at_cut)
        entry["agreement"] = _agreement(figures.at_cut)
        entry["slots"] = _slots(table, fixed, options)
        entry["by_domain"] = _domains(table, fixed, options)
        entry["reported_apart"] = _apart(figures.at_cut)
    entry["frontier"] = frontier_rows(reading)
    if reading.crossed.n_cuts_before_thinning > len(reading.crossed.taus):
        entry["cuts_before_thinning"] = reading.crossed.n_cuts_before_thinning
    return entry


def operating_point(table: PairTable, fixed: Fixed, options: ProfileOptions) -> dict[str, Any]:
    """The point with its intervals (over base items, at the fixed cut)."""
    s, r = 1.0 - float(fixed.rates[INVARIANCE]), float(fixed.rates[CONSTRUCT])
    level = options.level
    s_interval = rate_ends(
        s, 1.0 - fixed.draws[:, INVARIANCE], level, n=int(fixed.n_base[INVARIANCE])
    )
    r_interval = rate_ends(r, fixed.draws[:, CONSTRUCT], level, n=int(fixed.n_base[CONSTRUCT]))
    point: dict[str, Any] = {"tau": number(fixed.reading.tau), "S": number(s), "R": number(r)}
    for a, axis in enumerate(table.axes):
        point[f"R_{axis}"] = number(float(fixed.rates[FIRST_AXIS + a]))
    point["S_interval"] = pair(s_interval)
    point["R_interval"] = pair(r_interval)
    for a, axis in enumerate(table.axes):
        g = FIRST_AXIS + a
        found = rate_ends(float(fixed.rates[g]), fixed.draws[:, g], level, n=int(fixed.n_base[g]))
        point[f"R_{axis}_interval"] = pair(found)
    point["method"] = {
        "S": None if s_interval is None else s_interval.method,
        "R": None if r_interval is None else r_interval.method,
    }
    point["n_base"] = {
        "invariance": int(fixed.n_base[INVARIANCE]),
        "construct": int(fixed.n_base[CONSTRUCT]),
    }
    return point


def frontier_rows(reading: Reading) -> list[dict[str, Any]]:
    """Every cut with its S and R; empty where an arm has no graded pair."""
    if not len(reading.crossed.taus) or np.isnan(reading.curve[:2]).any():
        return []
    s, r = 1.0 - reading.curve[INVARIANCE], reading.curve[CONSTRUCT]
    return [
        {"tau": number(tau), "S": number(a), "R": number(b), "hull": bool(on)}
        for tau, a, b, on in zip(reading.crossed.taus, s, r, hull(s, r), strict=True)
    ]


def control_entry(
    table: PairTable, reading: Reading, fixed: Fixed | None, options: ProfileOptions
) -> dict[str, Any]:
    """One row of `controls[]`: what it measured, what it must, and whether it did.

    An exact control must hit its point. The planted one must be covered by its intervals; since one
    run in ten would miss at 95 percent by chance alone, a miss counts only beyond 99.9 percent, and
    `covered_at` says which interval covers.
    """
    control = reading.control
    assert control is not None
    entry: dict[str, Any] = {
        "judge": reading.name,
        "status": reading.status,
        "reason": reading.reason,
        "tau": None,
        "S": None,
        "R": None,
        "S_interval": None,
        "R_interval": None,
        "expected": None,
        "passed": None,
    }
    if control.S is not None and control.R is not None:
        entry["expected"] = {"S": control.S, "R": control.R}
    if fixed is not None:
        point = operating_point(table, fixed, options)
        entry.update({key: point[key] for key in ("tau", "S", "R", "S_interval", "R_interval")})
        if control.exact:
            entry["passed"] = abs(point["S"] - (control.S or 0)) < 1e-9 and (
                abs(point["R"] - (control.R or 0)) < 1e-9
            )
        elif control.S is not None and control.R is not None:
            entry["covered_at"] = _covered_at(fixed, control.S, control.R, options.level)
            entry["passed"] = entry["covered_at"] is not None
    if control.S is None:
        entry["frontier"] = frontier_rows(reading)
    return entry


def _covered_at(fixed: Fixed, s: float, r: float, level: float) -> float | None:
    for wanted in (level, max(level, 0.999)):
        tails = ((1 - wanted) / 2, (1 + wanted) / 2)
        held = []
        for value, draws in (
            (s, 1.0 - fixed.draws[:, INVARIANCE]),
            (r, fixed.draws[:, CONSTRUCT]),
        ):
            low, high = np.nanquantile(draws, tails)
            held.append(low - 1e-9 <= value <= high + 1e-9)
        if all(held):
            return wanted
    return None


def _pooled(at_cut: AtCut) -> dict[str, Any]:
    rates = dict(at_cut.pooled)
    held = rates.pop("S")
    found = {"S": None if held is None else number(1 - held)}
    return found | {name: number(value) for name, value in rates.items()}


def _bounds(at_cut: AtCut) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, got in at_cut.bounds.items():
        if got is None:
            found[name] = None
            continue
        low, high = (1 - got.high, 1 - got.low) if name == "S" else (got.low, got.high)
        found[name] = {"low": number(low), "high": number(high), "n_ungraded": got.n_ungraded}
    return found


def _right_way(at_cut: AtCut) -> dict[str, Any]:
    """Of the construct edits whose verdict changed, the share that changed as people set it."""
    got = at_cut.direction
    if isinstance(got, str):
        return {"n_changed": 0, "share": None, "low": None, "high": None, "reason": got}
    return {"n_changed": got.n, "share": number(got.estimate), **ends(got), "reason": None}


def _agreement(at_cut: AtCut) -> dict[str, Any]:
    """Judge against people on which member claims more, at the operating cut."""
    got = at_cut.agreement
    return {
        "n": got.n,
        "raw": number(got.raw),
        "kappa": number(got.kappa.estimate),
        "kappa_interval": pair(got.kappa),
        "weighted_kappa": number(got.weighted.estimate),
        "weighted_kappa_interval": pair(got.weighted),
        "degenerate": got.degenerate,
        "categories": ["original", "neither", "edited"],
        "table": [[int(cell) for cell in line] for line in got.table],
    }


def _slots(table: PairTable, fixed: Fixed, options: ProfileOptions) -> list[dict[str, Any]]:
    found = []
    groups = fixed.groups
    for s, g in groups.slots.items():
        value = float(fixed.rates[g])
        interval = rate_ends(value, fixed.draws[:, g], options.level, n=int(fixed.n_base[g]))
        low, high = pair(interval) or (None, None)
        found.append(
            {
                "slot": table.slots[s],
                "axis": groups.slot_axis[s],
                "n": int(fixed.n_pairs[g]),
                "rate": number(value),
                "low": low,
                "high": high,
            }
        )
    return found


def _domains(table: PairTable, fixed: Fixed, options: ProfileOptions) -> list[dict[str, Any]]:
    found = []
    for d, (held, moved) in fixed.groups.domains.items():
        s, r = 1.0 - float(fixed.rates[held]), float(fixed.rates[moved])
        s_interval = rate_ends(
            s, 1.0 - fixed.draws[:, held], options.level, n=int(fixed.n_base[held])
        )
        r_interval = rate_ends(r, fixed.draws[:, moved], options.level, n=int(fixed.n_base[moved]))
        # R is never given without the S it was measured at.
        found.append(
            {
                "domain": table.domains[d],
                "n_pairs": {
                    "construct": int(fixed.n_pairs[moved]),
                    "invariance": int(fixed.n_pairs[held]),
                },
                "S": number(s),
                "R": None if np.isnan(s) else number(r),
                "S_interval": pair(s_interval),
                "R_interval": None if np.isnan(s) else pair(r_interval),
                "reason": "no graded invariance pair" if np.isnan(s) else None,
            }
        )
    return found


def _apart(at_cut: AtCut) -> dict[str, Any]:
    n, value = at_cut.apart
    reason = None if n else "no graded pair is reported apart"
    return {"n": n, "rate": number(value), "reason": reason}
