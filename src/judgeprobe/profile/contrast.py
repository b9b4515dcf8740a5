"""Do judges notice one axis more than the other?

R(first axis) - R(second axis) per judge and as the mean over the judges compared, each at its own
operating cut. Beside the estimate stand: intervals over base items at the fixed cut and with the
cut chosen again in every resample, a permutation of the axis label, the number of judges with the
same sign, and the same contrast on the pairs on which all annotators agreed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.profile.fixed import Fixed
from judgeprobe.profile.numbers import ends, number, percentile_ends
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.stats.arrays import Bools, Design, Floats
from judgeprobe.stats.bootstrap import Resamples, bca, jackknife_rates, rate_draws
from judgeprobe.stats.interval import Interval
from judgeprobe.stats.multiplicity import adjusted
from judgeprobe.stats.permutation import PermutationTest, axis_permutation
from judgeprobe.stats.profile import edit_shares
from judgeprobe.stats.reselection import reselected_draws

__all__ = [
    "Spread",
    "gap_entries",
    "mean_draws",
    "spread_of",
    "subset_entry",
    "subset_gap",
    "with_gap",
]


@dataclass(frozen=True)
class Spread:
    """What the contrast needs beside the judges' rates and draws, means over the judges.

    Attributes:
        n_base: Base items with a construct pair.
        left: The contrast with each base item left out, at the fixed cut; shape (base items,).
        new_draws: The contrast in each resample, cut chosen anew; shape (resamples,).
        new_left: The contrast with each base item left out, cut chosen anew.
        test: Permutation test of the mean; None where it is not defined or was not made.
        tests: The same of each judge.
    """

    n_base: int
    left: Floats
    new_draws: Floats
    new_left: Floats
    test: PermutationTest | None
    tests: Sequence[PermutationTest | None]


def with_gap(compared: Sequence[Fixed]) -> list[Fixed]:
    """The judges that have graded pairs on both axes."""
    return [fixed for fixed in compared if fixed.gap() is not None]


def spread_of(
    design: Design,
    judges: Sequence[Fixed],
    resamples: Resamples,
    options: ProfileOptions,
    rng: np.random.Generator,
) -> Spread:
    """Jackknife, cuts chosen anew, and permutations, from all pairs at once.

    Args:
        design: The pairs.
        judges: At least one, each with graded pairs on both axes.
        resamples: Of the base items.
        options: Settings.
        rng: Source of the permutations.
    """
    a, b = judges[0].groups.axes[:2]
    left = []
    for fixed in judges:
        reading = fixed.reading
        shares = edit_shares(design, design.groups, reading.changed, reading.graded)
        rates = jackknife_rates(shares)
        left.append(rates[:, a] - rates[:, b])
    test, tests = _permutation(design, judges, options, rng)
    again = [
        reselected_draws(design, fixed.reading.crossed, options.floor, resamples)
        for fixed in judges
    ]
    return Spread(
        n_base=int((np.bincount(design.base[design.construct], minlength=design.n_base) > 0).sum()),
        left=mean_draws(left),
        new_draws=mean_draws([r.draws[:, a] - r.draws[:, b] for r in again]),
        new_left=mean_draws([r.jackknife[:, a] - r.jackknife[:, b] for r in again]),
        test=test,
        tests=tests,
    )


def gap_entries(
    axes: Sequence[str],
    compared: Sequence[Fixed],
    spread: Spread | None,
    options: ProfileOptions,
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """`gap` of profile.json (the mean over the compared judges), and the gap of each of them.

    Args:
        axes: The construct axes; the contrast is between the first two.
        compared: Judges with a frontier, at their operating cuts.
        spread: What else is known of the contrast; None where no judge has it.
        options: Settings.
    """
    judges = with_gap(compared)
    if not judges or spread is None:
        return _empty(axes, compared), {}
    gaps = [gap for fixed in judges if (gap := fixed.gap()) is not None]
    estimate = float(np.mean([value for value, _ in gaps]))
    draws = mean_draws([drawn for _, drawn in gaps])
    n_base, test = spread.n_base, spread.test
    fixed_cut = percentile_ends(estimate, draws, options.level, n=n_base)
    reselected = percentile_ends(estimate, spread.new_draws, options.level, n=n_base)
    anew = _bca(estimate, spread.new_draws, spread.new_left, options.level, n_base)
    whole = {
        "axes": list(axes[:2]),
        "estimate": number(estimate),
        **ends(fixed_cut),
        "method": None if fixed_cut is None else fixed_cut.method + ", at the fixed cut",
        "n_base": n_base,
        "n_judges": len(judges),
        "positive_judges": int(sum(value > 0 for value, _ in gaps)),
        "bca": ends(_bca(estimate, draws, spread.left, options.level, n_base)),
        "reselected": {
            **ends(reselected),
            "method": None if reselected is None else reselected.method + ", cut chosen anew",
            "bca": ends(anew),
        },
        "permutation_p": None if test is None else number(test.p),
        "largest_null": None if test is None else number(test.largest_null),
        "permutations": 0 if test is None else test.permutations,
        "permutation_scheme": "labels within base items, and between base items with equally many "
        "construct edits",
        "reason": None,
    }
    return whole, _judge_gaps(judges, spread.tests, options)


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
    rates, draws = [], []
    for fixed in compared:
        shares = edit_shares(design, groups, fixed.reading.changed, fixed.reading.graded)
        rates.append(shares.rates())
        draws.append(rate_draws(resamples, shares))
    pairs = groups.any(axis=0)
    n_base = len(np.unique(design.base[pairs]))
    return subset_entry(rates, draws, n_pairs=int(pairs.sum()), n_base=n_base, level=level)


def subset_entry(
    rates: Sequence[Floats], draws: Sequence[Floats], *, n_pairs: int, n_base: int, level: float
) -> dict[str, Any]:
    """The same from each judge's rates on both axes (2,) and their draws (resamples, 2)."""
    known = [j for j, pair in enumerate(rates) if not np.isnan(pair).any()]
    found = {"n_pairs": n_pairs, "n_base": n_base, "n_judges": len(known)}
    if not known:
        reason = "no judge has graded pairs on both axes here"
        return {"estimate": None, "low": None, "high": None, **found, "reason": reason}
    estimates = [float(rates[j][0] - rates[j][1]) for j in known]
    estimate = float(np.mean(estimates))
    drawn = mean_draws([draws[j][:, 0] - draws[j][:, 1] for j in known])
    return {
        "estimate": number(estimate),
        **ends(percentile_ends(estimate, drawn, level, n=n_base)),
        **found,
        "positive_judges": int(sum(value > 0 for value in estimates)),
        "reason": None,
    }
