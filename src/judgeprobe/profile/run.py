"""From a study's files, or a file of graded pairs, to profile.json.

`make_profile` turns a table of pairs into the profile; the two others read the table. Judges that
have a frontier with a cut at the floor are compared with each other (means, contrast, slots); the
others are listed with their reason, and the control judges stand apart.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from judgeprobe.errors import InputError, StatisticsError
from judgeprobe.profile.comparison import dominance_rows, matched_rows
from judgeprobe.profile.contrast import gap_entries, subset_gap
from judgeprobe.profile.entries import control_entry, judge_entry
from judgeprobe.profile.fixed import (
    CONSTRUCT,
    FIRST_AXIS,
    INVARIANCE,
    Fixed,
    make_fixed,
    make_groups,
)
from judgeprobe.profile.lengths import length_controls
from judgeprobe.profile.numbers import number, pair, rate_ends
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import Reading, read_judges
from judgeprobe.profile.slots import grouping_rows, slot_rows
from judgeprobe.records import SCHEMA_VERSION
from judgeprobe.stats.arrays import Design, Ints
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.tables import PairTable

__all__ = ["make_profile"]

_WATERMARKS = {
    "human": None,
    "construction": "direction by construction",
    "not stated": "who set the direction is not stated",
}


def make_profile(
    table: PairTable,
    options: ProfileOptions,
    *,
    study: str,
    direction: str,
    direction_source: str,
    made_under: Mapping[str, str],
) -> dict[str, Any]:
    """The profile of a table of pairs, as profile.json holds it.

    Args:
        table: Pairs and grades.
        options: Settings.
        study: Name shown.
        direction: "human", "construction", or "not stated".
        direction_source: Who set the direction.
        made_under: Hashes of what it rests on.

    Raises:
        InputError: No pair is in either arm.
    """
    try:
        design, kept = table.design()
    except StatisticsError:
        raise InputError(
            "there is no pair in the construct or the invariance arm", remedy="check the slots"
        ) from None
    n_resamples, n_permutations = options.sized(design.n_base)
    boot, permute = np.random.default_rng(options.seed).spawn(2)
    groups = make_groups(table, design, kept)
    readings = read_judges(table, design, kept, options)
    resamples = Resamples.draw(design.n_base, n_resamples, boot)
    pointed = [reading for reading in readings if reading.cut is not None]
    fixed = {one.reading.name: one for one in make_fixed(design, groups, pointed, resamples)}
    real = [reading for reading in readings if reading.control is None]
    compared = [
        fixed[r.name] for r in real if r.status == "frontier" and r.name not in table.remedies
    ]
    entries = [
        judge_entry(table, design, kept, groups, r, fixed.get(r.name), resamples, options)
        for r in real
    ]
    gap, gaps = gap_entries(design, table.axes, compared, resamples, options, permute)
    gap["unanimous"] = _unanimous(table, design, kept, compared, resamples, options)
    for entry in entries:
        entry["gap"] = gaps.get(entry["judge"])
    slots = slot_rows(table, compared, groups.members, options)
    controls = [control_entry(table, r, fixed.get(r.name), options) for r in readings if r.control]
    return {
        "schema": SCHEMA_VERSION,
        "study": study,
        "direction": direction,
        "direction_source": direction_source,
        "watermark": _WATERMARKS[direction],
        "floor": number(options.floor),
        "rule": options.rule,
        "scale": options.scale.model_dump(mode="json"),
        "axes": list(table.axes),
        "level": options.level,
        "resamples": n_resamples,
        "permutations": n_permutations,
        "seed": options.seed,
        "controls_ok": all(row["passed"] is not False for row in controls),
        "n_base": design.n_base,
        "n_interventions": {
            "construct": int(design.construct.sum()),
            "invariance": int(design.invariance.sum()),
            "reported_apart": int(table.apart.sum()),
        },
        "judges": entries,
        "mean": _mean(table, compared, options),
        "gap": gap,
        "dominance": dominance_rows(real),
        "matched": matched_rows(real, options),
        "slots": slots,
        "groupings": grouping_rows(slots, options) if slots else [],
        "lengths": length_controls(table, design, kept, real, compared, resamples, options),
        "controls": controls,
        "excluded": _excluded(table, readings),
        "made_under": dict(sorted(made_under.items())),
    }


def _unanimous(
    table: PairTable,
    design: Design,
    kept: Ints,
    compared: Sequence[Fixed],
    resamples: Resamples,
    options: ProfileOptions,
) -> dict[str, Any] | None:
    """The contrast on the pairs whose direction every annotator set alike; None where not known."""
    agreed = table.unanimous[kept]
    if (agreed < 0).all() or len(table.axes) < 2:
        return None
    return subset_gap(design, compared, agreed == 1, resamples, options.level)


def _mean(
    table: PairTable, compared: Sequence[Fixed], options: ProfileOptions
) -> dict[str, Any] | None:
    """Means over the judges compared; each is at its own cut, all at S >= floor."""
    if not compared:
        return None
    columns = {"S": INVARIANCE, "R": CONSTRUCT}
    columns |= {f"R_{axis}": FIRST_AXIS + a for a, axis in enumerate(table.axes)}
    found: dict[str, Any] = {"n_judges": len(compared)}
    for name, g in columns.items():
        has = [fixed for fixed in compared if not np.isnan(fixed.rates[g])]
        if not has:
            found[name], found[f"{name}_interval"] = None, None
            continue
        value = float(np.mean([fixed.rates[g] for fixed in has]))
        draws = np.mean([fixed.draws[:, g] for fixed in has], axis=0)
        if name == "S":
            value, draws = 1.0 - value, 1.0 - draws
        n = int(max(fixed.n_base[g] for fixed in has))
        found[name] = number(value)
        found[f"{name}_interval"] = pair(rate_ends(value, draws, options.level, n=n))
    return found


def _excluded(table: PairTable, readings: Sequence[Reading]) -> list[dict[str, Any]]:
    rows = [
        {
            "what": e.what,
            "judge": e.judge,
            "reason": e.reason,
            "n": e.n,
            "rows": list(e.rows),
        }
        for e in table.excluded
    ]
    for reading in readings:
        ungraded = int((table.asked[reading.row] & ~reading.crossed_all.graded).sum())
        if ungraded:
            rows.append(
                {
                    "what": "pair",
                    "judge": reading.name,
                    "reason": "a member is ungraded",
                    "n": ungraded,
                    "rows": [],
                }
            )
    return rows
