"""What does profile.json say of one judge?"""

from typing import Any

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.profile.fixed import CONSTRUCT, FIRST_AXIS, INVARIANCE, Fixed, Groups
from judgeprobe.profile.numbers import ends, number, pair, rate_ends
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import NO_CUT, Reading
from judgeprobe.stats.arrays import Bools, Design, Ints
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.stats.direction import member_agreement, right_way
from judgeprobe.stats.frontier import hull
from judgeprobe.stats.profile import bounds, pooled_rate, rate
from judgeprobe.stats.quality import regrade_agreement
from judgeprobe.tables import PairTable

__all__ = ["control_entry", "frontier_rows", "judge_entry", "operating_point"]


def judge_entry(
    table: PairTable,
    design: Design,
    kept: Ints,
    groups: Groups,
    reading: Reading,
    fixed: Fixed | None,
    resamples: Resamples,
    options: ProfileOptions,
) -> dict[str, Any]:
    """One row of `judges[]`.

    Args:
        table: All pairs.
        design: The pairs of the two arms.
        kept: Their numbers in the table.
        groups: Groups of those pairs.
        reading: The judge as read.
        fixed: Its rates at the operating cut; None where it has no operating point.
        resamples: Of the base items.
        options: Settings.
    """
    row = reading.row
    first, second = table.regrades[row]
    asked = table.asked[row][kept]
    entry: dict[str, Any] = {
        "judge": reading.name,
        "status": reading.status,
        "reason": reading.reason,
        "elicitation": table.elicitation[row],
        "n_graded": reading.n_graded,
        "n_ungraded": reading.n_ungraded,
        "n_pairs": {
            "construct": int((design.construct & reading.graded).sum()),
            "invariance": int((design.invariance & reading.graded).sum()),
            "ungraded": int((asked & ~reading.graded).sum()),
        },
        "distinct_grades": 0 if reading.use is None else reading.use.distinct,
        "usable_grades": 0 if reading.use is None else reading.use.usable,
        "usable_points": 0 if reading.use is None else reading.use.usable_points,
        "usable_rule": None if reading.use is None else reading.use.rule,
        "regrade": number(regrade_agreement(first, second)) if len(first) else None,
        "regrade_n": len(first),
        "operating_point": None,
        "control_flip_rate": None,
    }
    if reading.name in table.remedies:
        kind, members = table.remedies[reading.name]
        entry["remedy"] = {"kind": kind, "of": list(members)}
    if fixed is not None:
        entry["operating_point"] = operating_point(table, fixed, options)
        entry["control_flip_rate"] = number(float(fixed.rates[INVARIANCE]))
        entry["pooled"] = _pooled(table, design, reading)
        entry["bounds"] = _bounds(table, design, kept, reading)
        fell = table.edited[row][kept] < table.original[row][kept]
        entry["direction"] = _right_way(design, reading, fell, resamples, options)
        entry["agreement"] = _agreement(design, reading, fell, resamples, options)
        entry["slots"] = _slots(table, groups, fixed, options)
        entry["by_domain"] = _domains(table, groups, fixed, options)
        entry["reported_apart"] = _apart(table, reading)
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


def _pooled(table: PairTable, design: Design, reading: Reading) -> dict[str, Any]:
    changed, graded = reading.changed, reading.graded
    held = pooled_rate(design.invariance, changed, graded)
    found = {
        "S": None if held is None else number(1 - held),
        "R": number(pooled_rate(design.construct, changed, graded)),
    }
    for axis, members in zip(table.axes, design.axes, strict=True):
        found[f"R_{axis}"] = number(pooled_rate(members, changed, graded))
    return found


def _bounds(table: PairTable, design: Design, kept: Ints, reading: Reading) -> dict[str, Any]:
    asked = table.asked[reading.row][kept]
    named = [("S", design.invariance), ("R", design.construct)]
    named += [(f"R_{axis}", m) for axis, m in zip(table.axes, design.axes, strict=True)]
    found: dict[str, Any] = {}
    for name, members in named:
        got = bounds(design, members & asked, reading.changed, reading.graded)
        if got is None:
            found[name] = None
            continue
        low, high = (1 - got.high, 1 - got.low) if name == "S" else (got.low, got.high)
        found[name] = {"low": number(low), "high": number(high), "n_ungraded": got.n_ungraded}
    return found


def _right_way(
    design: Design, reading: Reading, fell: Bools, resamples: Resamples, options: ProfileOptions
) -> dict[str, Any]:
    """Of the construct edits whose verdict changed, the share that changed as people set it."""
    try:
        got = right_way(design, reading.changed, fell, resamples, options.level)
    except StatisticsError as error:
        return {"n_changed": 0, "share": None, "low": None, "high": None, "reason": str(error)}
    return {"n_changed": got.n, "share": number(got.estimate), **ends(got), "reason": None}


def _agreement(
    design: Design, reading: Reading, fell: Bools, resamples: Resamples, options: ProfileOptions
) -> dict[str, Any]:
    """Judge against people on which member claims more, at the operating cut."""
    got = member_agreement(design, reading.changed, fell, reading.graded, resamples, options.level)
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


def _slots(
    table: PairTable, groups: Groups, fixed: Fixed, options: ProfileOptions
) -> list[dict[str, Any]]:
    found = []
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


def _domains(
    table: PairTable, groups: Groups, fixed: Fixed, options: ProfileOptions
) -> list[dict[str, Any]]:
    found = []
    for d, (held, moved) in groups.domains.items():
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


def _apart(table: PairTable, reading: Reading) -> dict[str, Any]:
    members = table.apart
    graded = reading.crossed_all.graded & members
    if not graded.any():
        return {"n": 0, "rate": None, "reason": "no graded pair is reported apart"}
    cut = NO_CUT if reading.cut is None else reading.cut
    _, base = np.unique(table.base[graded], return_inverse=True)
    changed = reading.crossed_all.changed(cut)[graded]
    everything = np.ones(len(base), dtype=np.bool_)
    whole = Design(base, int(base.max()) + 1, ~everything, everything, everything[None, :])
    value = rate(whole, everything, changed, everything)
    return {"n": int(graded.sum()), "rate": number(value), "reason": None}
