"""Do judges notice one axis more than the other?

R(first axis) - R(second axis) per judge and as the mean over the judges compared, each at its own
operating cut. Beside the estimate stand: intervals over base items at the fixed cut and with the
cut chosen again in every resample, a permutation of the axis label, the number of judges with the
same sign, and the same contrast on the pairs on which all annotators agreed.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.profile.fixed import Fixed
from judgeprobe.profile.numbers import ends, number, percentile_ends
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.stats.arrays import Bools, Design, Floats
from judgeprobe.stats.bootstrap import Resamples, bca, rate_draws
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.multiplicity import adjusted
from judgeprobe.stats.permutation import PermutationTest, axis_permutation
from judgeprobe.stats.profile import edit_shares
from judgeprobe.stats.reselection import reselected_draws

__all__ = ["gap_entries", "mean_draws", "subset_gap"]


def gap_entries(
    design: Design,
    axes: Sequence[str],
    compared: Sequence[Fixed],
    resamples: Resamples,
    options: ProfileOptions,
    rng: np.random.Generator,
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """`gap` of profile.json (the mean over the compared judges), and the gap of each of them.

    Args:
        design: The pairs.
        axes: The construct axes; the contrast is between the first two.
        compared: Judges with a frontier, at their operating cuts.
        resamples: Of the base items.
        options: Settings.
        rng: Source of the permutations.
    """
    usable = [(f, g) for f in compared if (g := f.gap()) is not None]
    if not usable:
        return _empty(axes, compared), {}
    judges = [fixed for fixed, _ in usable]
    estimate = float(np.mean([g[0] for _, g in usable]))
    draws = mean_draws([g[1] for _, g in usable])
    left = mean_draws([g[2] for _, g in usable])
    n_base = int((np.bincount(design.base[design.construct], minlength=design.n_base) > 0).sum())
    fixed_cut = percentile_ends(estimate, draws, options.level, n=n_base)
    test, each = _permutation(design, judges, options, rng)
    again = [
        reselected_draws(design, fixed.reading.crossed, options.floor, resamples)
        for fixed in judges
    ]
    a, b = judges[0].groups.axes[:2]
    new_draws = mean_draws([r.draws[:, a] - r.draws[:, b] for r in again])
    new_left = mean_draws([r.jackknife[:, a] - r.jackknife[:, b] for r in again])
    reselected = percentile_ends(estimate, new_draws, options.level, n=n_base)
    whole = {
        "axes": list(axes[:2]),
        "estimate": number(estimate),
        **ends(fixed_cut),
        "method": None if fixed_cut is None else fixed_cut.method + ", at the fixed cut",
        "n_base": n_base,
        "n_judges": len(judges),
        "positive_judges": int(sum(g[0] > 0 for _, g in usable)),
        "bca": ends(_bca(estimate, draws, left, options.level, n_base)),
        "reselected": {
            **ends(reselected),
            "method": None if reselected is None else reselected.method + ", cut chosen anew",
            "bca": ends(_bca(estimate, new_draws, new_left, options.level, n_base)),
        },
        "permutation_p": None if test is None else number(test.p),
        "largest_null": None if test is None else number(test.largest_null),
        "permutations": 0 if test is None else test.permutations,
        "permutation_scheme": "labels within base items, and between base items with equally many "
        "construct edits",
        "reason": None,
    }
    return whole, _judge_gaps(judges, each, options)


def _empty(axes: Sequence[str], compared: Sequence[Fixed]) -> dict[str, Any]:
    if len(axes) < 2:
        reason = "the taxonomy has fewer than two construct axes"
    elif not compared:
        reason = "no judge has a frontier with a cut at the floor"
    else:
        reason = f"no judge has graded pairs on both axes ({axes[0]}, {axes[1]})"
    nothing = {"low": None, "high": None}
    return {
        "axes": list(axes[:2]),
        "estimate": None,
        **nothing,
        "method": None,
        "n_base": 0,
        "n_judges": 0,
        "positive_judges": 0,
        "bca": dict(nothing),
        "reselected": {**nothing, "method": None, "bca": dict(nothing)},
        "permutation_p": None,
        "largest_null": None,
        "permutations": 0,
        "permutation_scheme": None,
        "reason": reason,
    }


def mean_draws(rows: Sequence[Floats]) -> Floats:
    """Mean over judges in each resample, of the judges that have a value there; NaN without any."""
    stacked = np.array(rows)
    known = ~np.isnan(stacked)
    n = known.sum(axis=0)
    total = np.where(known, stacked, 0.0).sum(axis=0)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def _bca(estimate: float, draws: Floats, left: Floats, level: float, n: int) -> Interval | None:
    try:
        return bca(estimate, draws, left, level, n=n)
    except StatisticsError:
        return None


def _permutation(
    design: Design, judges: Sequence[Fixed], options: ProfileOptions, rng: np.random.Generator
) -> tuple[PermutationTest | None, Sequence[PermutationTest | None]]:
    both = np.flatnonzero(design.axes[0] | design.axes[1])
    changed = np.array([fixed.reading.changed[both] for fixed in judges])
    graded = np.array([fixed.reading.graded[both] for fixed in judges])
    permutations = options.sized(design.n_base)[1]
    try:
        return axis_permutation(
            design.base[both], design.axes[0][both], changed, graded, permutations, rng
        )
    except StatisticsError:
        return None, [None] * len(judges)


def _judge_gaps(
    judges: Sequence[Fixed], tests: Sequence[PermutationTest | None], options: ProfileOptions
) -> dict[str, dict[str, Any]]:
    """The contrast of every judge, with p-values adjusted over the judges."""
    found: dict[str, dict[str, Any]] = {}
    for fixed, test in zip(judges, tests, strict=True):
        gap = fixed.gap()
        assert gap is not None
        n = int(min(fixed.n_base[list(fixed.groups.axes[:2])]))
        found[fixed.reading.name] = {
            "estimate": number(gap[0]),
            **ends(percentile_ends(gap[0], gap[1], options.level, n=n)),
            "permutation_p": None if test is None else number(test.p),
        }
    tested = [row for row in found.values() if row["permutation_p"] is not None]
    if tested:
        q = adjusted([row["permutation_p"] for row in tested], options.adjust)
        for row, value in zip(tested, q, strict=True):
            row["adjusted_p"] = number(float(value))
            row["adjustment"] = options.adjust
    return found


def subset_gap(
    design: Design,
    compared: Sequence[Fixed],
    members: Bools,
    resamples: Resamples,
    level: float,
) -> dict[str, Any]:
    """The contrast on some of the pairs, at the same cuts.

    Args:
        design: The pairs.
        compared: Judges at their operating cuts.
        members: The pairs wanted; shape (pairs,).
        resamples: Of the base items.
        level: Nominal coverage.
    """
    groups = design.axes[:2] & members
    estimates, draws = [], []
    for fixed in compared:
        shares = edit_shares(design, groups, fixed.reading.changed, fixed.reading.graded)
        rates = shares.rates()
        if np.isnan(rates).any():
            continue
        drawn = rate_draws(resamples, shares)
        estimates.append(float(rates[0] - rates[1]))
        draws.append(drawn[:, 0] - drawn[:, 1])
    pairs = groups.any(axis=0)
    n_base = len(np.unique(design.base[pairs]))
    found = {"n_pairs": int(pairs.sum()), "n_base": n_base, "n_judges": len(estimates)}
    if not estimates:
        reason = "no judge has graded pairs on both axes here"
        return {"estimate": None, "low": None, "high": None, **found, "reason": reason}
    estimate = float(np.mean(estimates))
    return {
        "estimate": number(estimate),
        **ends(percentile_ends(estimate, mean_draws(draws), level, n=n_base)),
        **found,
        "positive_judges": int(sum(value > 0 for value in estimates)),
        "reason": None,
    }
