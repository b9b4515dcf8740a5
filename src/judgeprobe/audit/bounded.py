"""Is this difference in differences a preference, or what a bounded scale makes of a common shift?

Every part of the result is computed from the ratings given. What censoring alone can reproduce is a
diagnosis; nothing here is an estimate of the endpoint without censoring.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from judgeprobe.audit.bounded_table import (
    BoundedColumns,
    BoundedTable,
    Field,
    field,
    item_values,
    read_bounded,
)
from judgeprobe.audit.grades_input import GradesSource
from judgeprobe.stats.arrays import Bools, Floats
from judgeprobe.stats.bounded import cluster_means, endpoint, gradient, item_endpoints, part
from judgeprobe.stats.bounded_cells import CONTROL, OTHER, POSITIVE, TREATED, Bounds, Cells, shifts
from judgeprobe.stats.bounded_censoring import (
    Pinned,
    headroom,
    moved_by_bound,
    pinned,
    reconstruct,
)
from judgeprobe.stats.bounded_fragility import fragility
from judgeprobe.stats.bounded_power import bounded_power
from judgeprobe.stats.ordinal import ordinal_companion
from judgeprobe.stats.signed_rank import signed_rank

__all__ = ["BoundedSettings", "audit_bounded"]


@dataclass(frozen=True)
class BoundedSettings:
    """How the audit is run.

    Attributes:
        low: Lowest rating.
        high: Highest rating.
        step: Distance of neighbouring ratings.
        level: Nominal coverage, 0 to 1.
        resamples: Bootstrap draws of clusters.
        effect: Stated effect for the power, in rating points; None for none.
        simulations: Simulated audits for the power.
        ordinal: Whether the ordinal companion model is fitted.
        seed: Of every random draw.
    """

    low: float
    high: float
    step: float = 1.0
    level: float = 0.95
    resamples: int = 10_000
    effect: float | None = None
    simulations: int = 2000
    ordinal: bool = False
    seed: int = 0


def audit_bounded(
    source: GradesSource, columns: BoundedColumns, settings: BoundedSettings
) -> dict[str, Any]:
    """The audit as one JSON object.

    Raises:
        InputError: The file, a column or a cell cannot be used.
        StatisticsError: The scale is no scale.
    """
    scale = Bounds(settings.low, settings.high, settings.step)
    found = read_bounded(source, columns)
    main = field(found, columns.rating, scale)
    cells, values = main.cells, item_endpoints(main.cells)
    at = pinned(cells)
    rng = np.random.default_rng(settings.seed)
    whole = endpoint(values, cells.cluster, rng, level=settings.level, resamples=settings.resamples)
    power = bounded_power(
        cluster_means(values, cells.cluster),
        rng,
        effect=settings.effect,
        largest=2 * (scale.high - scale.low),
        simulations=settings.simulations,
    )
    gold = () if columns.gold is None else (columns.gold,)
    fields = [main, *(field(found, name, scale) for name in (*columns.fields, *gold))]
    return {
        **source.named(),
        "scale": asdict(scale),
        "responses": {"positive": found.responses[0], "other": found.responses[1]},
        "arms": {"treated": found.arms[TREATED], "control": found.arms[CONTROL],
                 "further": list(found.arms[2:])},
        "endpoint": asdict(whole),
        "pinned": _pinned(at, found.responses),
        "split": _split(values, cells, at.items, settings.level, ("pinned", "free")),
        "split_by_control": _split(
            values, cells, _control_at_bound(cells), settings.level, ("at_bound", "off_bound")
        ),
        "reconstructed": _reconstructed(cells, whole.estimate, found.responses),
        "headroom": asdict(headroom(cells)),
        "masking": _masking(cells, found.responses),
        "fragility": _fragility(cells),
        "power": asdict(power),
        "manipulation": _manipulation(cells, found),
        "exposure": _exposure(cells, found),
        "fields": [
            _field(each, found.responses, people=each.name == columns.gold) for each in fields
        ],
        "gradient": _gradient(found, main, values, columns.evidence),
        "ordinal": (
            asdict(ordinal_companion(cells, level=settings.level)) if settings.ordinal else None
        ),
        "excluded": {"rows_without_rating": main.empty, "incomplete_items": main.incomplete},
        "seed": settings.seed,
    }  # fmt: skip


def _pinned(at: Pinned, responses: tuple[str, str]) -> dict[str, Any]:
    return {
        "n_items": int(at.items.sum()),
        "responses": {
            name: int(at.either[:, code].sum()) for code, name in enumerate(responses)
        },
        "bounds": {
            name: {"low": int(at.low[:, code].sum()), "high": int(at.high[:, code].sum()),
                   "partly": int(at.partly[:, code].sum())}
            for code, name in enumerate(responses)
        },
    }  # fmt: skip


def _control_at_bound(cells: Cells) -> Bools:
    there = cells.at(cells.scale.low) | cells.at(cells.scale.high)
    return np.asarray(there[:, :, CONTROL].any(axis=1))


def _split(
    values: Floats, cells: Cells, kept: Bools, level: float, names: tuple[str, str]
) -> dict[str, Any]:
    told = {}
    for name, some in zip(names, (kept, ~kept), strict=True):
        one = part(values, cells.cluster, some, level)
        told[name] = {
            "estimate": one.estimate,
            "p": one.p,
            "n": one.n_items,
            "n_clusters": one.n_clusters,
            "nonzero": one.nonzero,
            "smallest_p": one.smallest_p,
            "reason": one.reason,
        }
    return told


def _share(value: float, estimate: float | None) -> float | None:
    return None if estimate is None or abs(estimate) < 1e-9 else value / estimate


def _reconstructed(
    cells: Cells, estimate: float | None, responses: tuple[str, str]
) -> dict[str, Any]:
    chosen = reconstruct(cells)
    other = reconstruct(cells, OTHER if chosen.source == POSITIVE else POSITIVE)
    told = []
    for made in (chosen, other):
        told.append(
            {
                "from": responses[made.source],
                "onto": responses[1 - made.source],
                "estimate": made.estimate,
                "share": _share(made.estimate, estimate),
                "rounded_estimate": made.rounded,
                "rounded_share": _share(made.rounded, estimate),
                "full_clip_estimate": made.full_clip,
                "full_clip_share": _share(made.full_clip, estimate),
            }
        )
    reason = "" if told[0]["share"] is not None else "the endpoint is zero: there is no share"
    return {**told[0], "reason": reason, "other_way": told[1]}


def _masking(cells: Cells, responses: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "response": name,
            "bound": "high" if ceiling else "low",
            **asdict(found := moved_by_bound(cells, code, ceiling=ceiling)),
            "reason": "" if found.p is not None else "every unit, or none, is at the bound",
        }
        for code, name in enumerate(responses)
        for ceiling in (True, False)
    ]


def _fragility(cells: Cells) -> dict[str, Any]:
    found = fragility(cells)
    return {
        "changes_to_zero": found.to_zero,
        "changes_past_zero": found.past_zero,
        "reason": found.reason,
    }


def _manipulation(cells: Cells, found: BoundedTable) -> list[dict[str, Any]]:
    """Did the condition reach the rating at all? Shift of each response in each arm."""
    told = []
    for arm in range(1, len(found.arms)):
        moved = shifts(cells, arm)
        for code, name in enumerate(found.responses):
            there = ~np.isnan(moved[:, code])
            row: dict[str, Any] = {
                "response": name, "arm": found.arms[arm], "against": found.arms[CONTROL],
                "n": int(there.sum()),
            }  # fmt: skip
            if there.any():
                means = cluster_means(moved[there, code], cells.cluster[there])
                row |= {"estimate": _mean(means), **asdict(signed_rank(means)), "reason": ""}
            else:
                row |= {"estimate": None, "p": None, "smallest_p": None, "nonzero": 0,
                        "method": None, "reason": "no item has it"}  # fmt: skip
            told.append(row)
    return told


def _mean(values: Floats) -> float:
    # Thirds leave 1e-17 behind; -0.0 is no number to print.
    return float(np.round(values.mean(), 12)) + 0.0


def _exposure(cells: Cells, found: BoundedTable) -> list[dict[str, Any]]:
    """How near each response is to the bounds in each arm."""
    low, high = cells.at(cells.scale.low), cells.at(cells.scale.high)
    told = []
    for code, name in enumerate(found.responses):
        for arm, arm_name in enumerate(found.arms):
            there = cells.count[:, code, arm] > 0
            mean = float(cells.mean[there, code, arm].mean()) if there.any() else None
            told.append(
                {
                    "response": name,
                    "arm": arm_name,
                    "n": int(there.sum()),
                    "mean": mean,
                    "to_low": None if mean is None else mean - cells.scale.low,
                    "to_high": None if mean is None else cells.scale.high - mean,
                    "at_low": int((low[:, code, arm] & there).sum()),
                    "at_high": int((high[:, code, arm] & there).sum()),
                }
            )
    return told


def _field(each: Field, responses: tuple[str, str], *, people: bool) -> dict[str, Any]:
    cells = each.cells
    values, moved, at = item_endpoints(cells), shifts(cells), pinned(cells)
    whole = part(values, cells.cluster, np.ones(cells.n_items, dtype=np.bool_))
    sizes = [_mean(cluster_means(moved[:, code], cells.cluster)) for code in range(2)]
    total = abs(sizes[0]) + abs(sizes[1])
    again = reconstruct(cells)
    return {
        "field": each.name,
        "people": people,
        "estimate": whole.estimate,
        "p": whole.p,
        "smallest_p": whole.smallest_p,
        "n": whole.n_items,
        "shifts": dict(zip(responses, sizes, strict=True)),
        "positive_share_of_movement": abs(sizes[0]) / total if total > 1e-9 else None,
        "pinned_items": int(at.items.sum()),
        "partly": {name: int(at.partly[:, code].sum()) for code, name in enumerate(responses)},
        "to_bound": {
            name: float(_nearest(cells)[:, code].mean()) for code, name in enumerate(responses)
        },
        "reconstructed_estimate": again.estimate,
        "reconstructed_share": _share(again.estimate, whole.estimate),
    }


def _nearest(cells: Cells) -> Floats:
    """Distance of the control mean to the nearer bound; shape (items, 2)."""
    mean = cells.mean[:, :, CONTROL]
    return np.asarray(np.minimum(mean - cells.scale.low, cells.scale.high - mean))


def _gradient(
    found: BoundedTable, main: Field, values: Floats, column: str | None
) -> dict[str, Any] | None:
    """Does the effect shrink where the evidence is clearer?"""
    if column is None:
        return None
    evidence = item_values(found, column)[main.kept]
    common = shifts(main.cells).mean(axis=1)
    return {
        "evidence": column,
        "endpoint": _against(evidence, values, main.cells),
        "common_shift": _against(evidence, common, main.cells),
    }


def _against(evidence: Floats, effect: Floats, cells: Cells) -> dict[str, Any]:
    """Spearman's rho, and which sign of it means that the effect shrinks."""
    mean = _mean(cluster_means(effect, cells.cluster))
    shrinks = None if mean == 0 else ("negative" if mean > 0 else "positive")
    return {**asdict(gradient(evidence, effect, cells.cluster)), "shrinks_if": shrinks}
