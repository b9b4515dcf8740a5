"""Which edits do judges notice, slot by slot?

The rate of a slot is the mean over the compared judges of the share of its edits whose verdict
changed, each judge at its own operating cut; in a control slot it is a false-alarm rate. Slots are
ranked within the construct arm. How much of the spread between slots a grouping accounts for is
told by eta squared, for the registered axes and for any other grouping named in study.toml.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from judgeprobe.errors import InputError, StatisticsError
from judgeprobe.profile.fixed import INVARIANCE, Fixed
from judgeprobe.profile.numbers import number, pair, percentile_ends, rate_ends
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.stats.arrays import Floats, Ints
from judgeprobe.stats.slots import eta_squared
from judgeprobe.tables import PairTable

__all__ = ["grouping_rows", "slot_rows"]


def slot_rows(
    table: PairTable, compared: Sequence[Fixed], n_pairs: Ints, options: ProfileOptions
) -> list[dict[str, Any]]:
    """`slots[]` of profile.json, in the order of the table's slots.

    Args:
        table: Read for the names of its slots.
        compared: Judges with a frontier.
        n_pairs: Pairs of each group, graded or not; shape (groups,).
        options: Settings.
    """
    if not compared:
        return []
    groups = compared[0].groups
    flips = np.array([fixed.rates[INVARIANCE] for fixed in compared])
    flip_draws = np.array([fixed.draws[:, INVARIANCE] for fixed in compared])
    rows = []
    for s, g in groups.slots.items():
        has = [i for i, fixed in enumerate(compared) if not np.isnan(fixed.rates[g])]
        row: dict[str, Any] = {
            "slot": table.slots[s],
            "axis": groups.slot_axis[s],
            "n": int(n_pairs[g]),
            "n_judges": len(has),
            "rate": None,
            "low": None,
            "high": None,
            "above_control": None,
            "rank": None,
        }
        if groups.slot_axis[s] == "":
            continue
        if has:
            n = int(max(compared[i].n_base[g] for i in has))
            rates = np.array([compared[i].rates[g] for i in has])
            draws = np.array([compared[i].draws[:, g] for i in has])
            row["rate"] = number(float(rates.mean()))
            interval = rate_ends(float(rates.mean()), draws.mean(axis=0), options.level, n=n)
            row["low"], row["high"] = pair(interval) or (None, None)
            above = float((rates - flips[has]).mean())
            over = percentile_ends(
                above, (draws - flip_draws[has]).mean(axis=0), options.level, n=n
            )
            low, high = pair(over) or (None, None)
            row["above_control"] = {"estimate": number(above), "low": low, "high": high}
        rows.append(row)
    ranked = [r for r in rows if r["axis"] != "control" and r["rate"] is not None]
    for place, row in enumerate(sorted(ranked, key=lambda r: (-r["rate"], r["slot"])), start=1):
        row["rank"] = place
    return rows


def grouping_rows(slots: Sequence[dict[str, Any]], options: ProfileOptions) -> list[dict[str, Any]]:
    """`groupings[]`: eta squared of the registered axes and of each alternative.

    Raises:
        InputError: A grouping names a slot that is not measured as a construct slot.
    """
    measured = {r["slot"]: r for r in slots if r["axis"] != "control" and r["rate"] is not None}
    registered = {name: row["axis"] for name, row in measured.items()}
    rows = [_grouping("registered", registered, measured)]
    for name, groups in options.groupings.items():
        if not groups:
            raise InputError(f"the grouping `{name}` names no slot", remedy="give slot = group")
        rows.append(_grouping(name, {k: v for k, v in groups.items() if k in measured}, measured))
        left_out = sorted(set(measured) - set(groups))
        rows[-1]["slots_left_out"] = left_out
    return rows


def _grouping(
    name: str, groups: dict[str, str], measured: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    rates: Floats = np.array([measured[slot]["rate"] for slot in groups], dtype=np.float64)
    row: dict[str, Any] = {
        "name": name,
        "n_slots": len(groups),
        "n_groups": len(set(groups.values())),
        "eta_squared": None,
        "reason": None,
    }
    try:
        row["eta_squared"] = number(eta_squared(rates, list(groups.values())))
    except StatisticsError as error:
        row["reason"] = str(error)
    return row
