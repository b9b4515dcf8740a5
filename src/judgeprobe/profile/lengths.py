"""`lengths` of profile.json: the controls for edit length, where lengths are known."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from judgeprobe.errors import StatisticsError
from judgeprobe.profile.contrast import mean_draws, subset_gap
from judgeprobe.profile.fixed import Fixed
from judgeprobe.profile.numbers import ends, number, percentile_ends
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import Reading
from judgeprobe.stats.arrays import Bools, Design, Floats, Ints
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.stats.lengths import (
    LengthChange,
    adjusted_contrast,
    grade_length_correlation,
    length_change,
)
from judgeprobe.tables import PairTable

__all__ = ["NO_LENGTHS", "length_controls"]

NO_LENGTHS = "no lengths are given"


def length_controls(
    table: PairTable,
    design: Design,
    kept: Ints,
    real: Sequence[Reading],
    compared: Sequence[Fixed],
    resamples: Resamples,
    options: ProfileOptions,
) -> dict[str, Any]:
    """Length changes per slot and axis, correlation with grades, and the contrast controlled.

    Args:
        table: All pairs.
        design: The pairs of the two arms.
        kept: Their numbers in the table.
        real: Judges that are no controls.
        compared: Those with a frontier.
        resamples: Of the base items.
        options: Settings.
    """
    before, after = table.length_original[kept], table.length_edited[kept]
    with np.errstate(invalid="ignore", divide="ignore"):
        change = np.where(before > 0, (after - before) / before, np.nan)
    known = np.isfinite(change)
    if not known.any():
        return {"known": 0, "reason": NO_LENGTHS}
    found: dict[str, Any] = {
        "known": int(known.sum()),
        "reason": None,
        "slots": _by_slot(table, kept, change),
        "axes": _by_axis(table, design, change),
        "correlation": _correlations(table, design, kept, real, resamples, options),
    }
    if len(table.axes) >= 2:
        for name, members in (("lengthened", change > 0), ("shortened", change < 0)):
            found[name] = subset_gap(design, compared, members, resamples, options.level)
        found["adjusted"] = _adjusted(design, compared, change, resamples, options)
    return found


def _summary(values: Floats) -> dict[str, Any]:
    got: LengthChange = length_change(values)
    return {
        "n": got.n,
        "median_absolute": number(got.median_absolute),
        "median_signed": number(got.median_signed),
        "longer": number(got.longer),
        "shorter": number(got.shorter),
    }


def _by_slot(table: PairTable, kept: Ints, change: Floats) -> list[dict[str, Any]]:
    rows = []
    slot = table.slot[kept]
    for s in np.unique(slot).tolist():
        values = change[(slot == s) & np.isfinite(change)]
        if len(values):
            rows.append({"slot": table.slots[s], **_summary(values)})
    return rows


def _by_axis(table: PairTable, design: Design, change: Floats) -> list[dict[str, Any]]:
    named: list[tuple[str, Bools]] = [
        *zip(table.axes, design.axes, strict=True),
        ("control", design.invariance),
    ]
    rows = []
    for axis, members in named:
        values = change[members & np.isfinite(change)]
        if len(values):
            rows.append({"axis": axis, **_summary(values)})
    return rows


def _correlations(
    table: PairTable,
    design: Design,
    kept: Ints,
    real: Sequence[Reading],
    resamples: Resamples,
    options: ProfileOptions,
) -> list[dict[str, Any]]:
    lengths = table.text_lengths()
    base_of = np.full(len(lengths), -1, dtype=np.int64)
    base_of[table.original_text[kept]] = design.base
    base_of[table.edited_text[kept]] = design.base
    rows = []
    for reading in real:
        text, grade = table.text_grades(reading.row)
        usable = ~np.isnan(grade) & np.isfinite(lengths[text]) & (base_of[text] >= 0)
        row: dict[str, Any] = {"judge": reading.name, "n": int(usable.sum())}
        try:
            got = grade_length_correlation(
                grade[usable],
                lengths[text][usable],
                base_of[text][usable],
                resamples,
                options.level,
            )
            row |= {"r": number(got.estimate), **ends(got), "reason": None}
        except StatisticsError as error:
            row |= {"r": None, "low": None, "high": None, "reason": str(error)}
        rows.append(row)
    return rows


def _adjusted(
    design: Design,
    compared: Sequence[Fixed],
    change: Floats,
    resamples: Resamples,
    options: ProfileOptions,
) -> dict[str, Any]:
    estimates, draws = [], []
    reason = "no judge has a frontier with a cut at the floor"
    for fixed in compared:
        try:
            got = adjusted_contrast(
                design, fixed.reading.changed, fixed.reading.graded, change, resamples
            )
        except StatisticsError as error:
            reason = str(error)
            continue
        estimates.append(got[0])
        draws.append(got[1])
    if not estimates:
        return {"estimate": None, "low": None, "high": None, "n_judges": 0, "reason": reason}
    estimate = float(np.mean(estimates))
    n = len(np.unique(design.base[design.construct & np.isfinite(change)]))
    return {
        "estimate": number(estimate),
        **ends(percentile_ends(estimate, mean_draws(draws), options.level, n=n)),
        "n_judges": len(estimates),
        "method": "linear probability on axis, length change and its absolute value, with the "
        "weights of equation 6",
        "reason": None,
    }
