"""How do the facts about a table become profile.json?

One writer for both ways of reading: a table that is in memory (`run`) and one that is read in parts
(`streamed`). Judges that have a frontier with a cut at the floor are compared with each other
(means, contrast, slots); the others are listed with their reason, and the control judges stand
apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgeprobe.profile.comparison import dominance_rows, matched_rows
from judgeprobe.profile.contrast import Spread, gap_entries
from judgeprobe.profile.entries import control_entry, judge_entry
from judgeprobe.profile.figures import Figures
from judgeprobe.profile.fixed import CONSTRUCT, FIRST_AXIS, INVARIANCE, Fixed
from judgeprobe.profile.numbers import number, pair, rate_ends
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import Reading
from judgeprobe.profile.slots import grouping_rows, slot_rows
from judgeprobe.records import SCHEMA_VERSION
from judgeprobe.stats.arrays import Ints
from judgeprobe.tables import PairTable

__all__ = ["NEEDS_ROWS", "Facts", "assemble", "compared_of"]

NEEDS_ROWS = "needs rows: not computed from a streamed table"
_WATERMARKS = {
    "human": None,
    "construction": "direction by construction",
    "not stated": "who set the direction is not stated",
}


@dataclass(frozen=True)
class Facts:
    """Everything that profile.json tells of a table.

    Attributes:
        table: Read for its names and exclusions; it may hold no pairs.
        n_base: Base items with a pair in an arm.
        n_pairs: Pairs of each group (invariance, construct, axes, slots, domains).
        n_apart: Pairs in neither arm.
        readings: Every judge.
        fixed: Rates and draws of the judges with an operating point, by name.
        figures: Counts of the judges that are no controls, by name.
        ungraded: Pairs put to a judge with a member ungraded, by name.
        spread: What the contrast needs beside; None where no judge has it.
        unanimous: The contrast on the pairs that all annotators set alike; None where not known.
        lengths: The length controls.
        resamples: Bootstrap resamples.
        permutations: Permutations of the axis labels; 0 where none could be made.
        needs_rows: Fields of profile.json that a streamed table does not give.
    """

    table: PairTable
    n_base: int
    n_pairs: Ints
    n_apart: int
    readings: Sequence[Reading]
    fixed: Mapping[str, Fixed]
    figures: Mapping[str, Figures]
    ungraded: Mapping[str, int]
    spread: Spread | None
    unanimous: Mapping[str, Any] | None
    lengths: Mapping[str, Any]
    resamples: int
    permutations: int
    needs_rows: tuple[str, ...] = ()


def compared_of(
    readings: Sequence[Reading], fixed: Mapping[str, Fixed], remedies: Mapping[str, Any]
) -> list[Fixed]:
    """The judges that means and contrasts are over, in order."""
    return [
        fixed[r.name]
        for r in readings
        if r.control is None and r.status == "frontier" and r.name not in remedies
    ]


def assemble(
    facts: Facts,
    options: ProfileOptions,
    *,
    study: str,
    direction: str,
    direction_source: str,
    made_under: Mapping[str, str],
) -> dict[str, Any]:
    """The profile, as profile.json holds it.

    Args:
        facts: What was counted.
        options: Settings.
        study: Name shown.
        direction: "human", "construction", or "not stated".
        direction_source: Who set the direction.
        made_under: Hashes of what it rests on.
    """
    table, readings, fixed = facts.table, facts.readings, facts.fixed
    real = [reading for reading in readings if reading.control is None]
    compared = compared_of(readings, fixed, table.remedies)
    entries = [
        judge_entry(table, r, facts.figures[r.name], fixed.get(r.name), options) for r in real
    ]
    gap, gaps = gap_entries(table.axes, compared, facts.spread, options)
    gap["unanimous"] = facts.unanimous
    for entry in entries:
        entry["gap"] = gaps.get(entry["judge"])
    slots = slot_rows(table, compared, facts.n_pairs, options)
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
        "resamples": facts.resamples,
        "permutations": facts.permutations,
        "seed": options.seed,
        "controls_ok": all(row["passed"] is not False for row in controls),
        "n_base": facts.n_base,
        "n_interventions": {
            "construct": int(facts.n_pairs[CONSTRUCT]),
            "invariance": int(facts.n_pairs[INVARIANCE]),
            "reported_apart": facts.n_apart,
        },
        "judges": entries,
        "mean": _mean(table, compared, options),
        "gap": gap,
        "dominance": dominance_rows(real),
        "matched": matched_rows(real, options),
        "slots": slots,
        "groupings": grouping_rows(slots, options) if slots else [],
        "lengths": facts.lengths,
        "controls": controls,
        "excluded": _excluded(facts),
        "needs_rows": [{"field": field, "reason": NEEDS_ROWS} for field in facts.needs_rows],
        "made_under": dict(sorted(made_under.items())),
    }


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


def _excluded(facts: Facts) -> list[dict[str, Any]]:
    rows = [
        {"what": e.what, "judge": e.judge, "reason": e.reason, "n": e.n, "rows": list(e.rows)}
        for e in facts.table.excluded
    ]
    told: dict[str, Any] = {"what": "pair", "reason": "a member is ungraded", "rows": []}
    for name, n in facts.ungraded.items():
        if n:
            rows.append({**told, "judge": name, "n": n})
    return rows
