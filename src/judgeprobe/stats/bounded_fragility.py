"""How many single rating changes carry the endpoint to zero, or past it?

Ratings are few and whole, so the endpoint lives on a sparse lattice. A change is one rating moved
by one step of the scale, within the scale. It moves the mean of cluster means by step / (k n_c G):
k ratings in its cell, n_c items in its cluster, G clusters. The fewest changes past zero take the
heaviest first; the fewest that land exactly on zero may need lighter ones and moves in both
directions, and are found by dynamic programming over the lattice.

Source: bounded-scale-audit ("Five optimally chosen changes of a single integer rating carry the
primary from +0.085 past zero, and six land it exactly there").
"""

from dataclasses import dataclass
from math import lcm

import numpy as np

from judgeprobe.stats.arrays import Floats, Ints
from judgeprobe.stats.bounded import cluster_means, item_endpoints
from judgeprobe.stats.bounded_cells import CONTROL, OTHER, POSITIVE, TREATED, Cells

__all__ = ["Fragility", "fragility"]

_MOST_CELLS = 20_000_000
_EXTRA = 24
_FINEST = 1 << 40


@dataclass(frozen=True)
class Fragility:
    """Changes of a single rating by one step.

    Attributes:
        to_zero: Fewest that make the endpoint exactly 0; None where none was found.
        past_zero: Fewest that give it the other sign (any sign, from 0); None where the scale has
            no room for them.
        reason: Why one is missing; "" where none is.
    """

    to_zero: int | None
    past_zero: int | None
    reason: str


def fragility(cells: Cells) -> Fragility:
    """The fewest single rating changes to zero and past zero."""
    unit = _unit(cells)
    if unit > _FINEST:
        return Fragility(None, None, "cells and clusters are of too many sizes for one lattice")
    weight, toward, away, target = _lattice(cells, unit)
    past = _past(weight, toward, target)
    if target == 0:
        return Fragility(0, past, "" if past is not None else "the scale leaves no room")
    bound = (past or 0) + _EXTRA
    if past is None:
        return Fragility(None, None, "the scale leaves no room to reach zero")
    span = 2 * bound * int(weight.max()) + 1
    if span * len(weight) > _MOST_CELLS:
        return Fragility(None, past, "the lattice is too fine to search for an exact zero")
    to_zero = _exactly(weight, toward, away, target, bound)
    reason = "" if to_zero is not None else f"no {bound} changes or fewer land exactly on zero"
    return Fragility(to_zero, past, reason)


def _changes_per_point(cells: Cells) -> Ints:
    """Ratings of a cell times items of its cluster; (items, 2, 2)."""
    sizes = np.bincount(cells.cluster)[cells.cluster]
    return np.asarray(cells.count[:, :, :2] * sizes[:, None, None], dtype=np.int64)


def _unit(cells: Cells) -> int:
    return lcm(*np.unique(_changes_per_point(cells)).tolist())


def _lattice(cells: Cells, unit: int) -> tuple[Ints, Ints, Ints, int]:
    """Distinct weights, room toward zero and away from it, and the endpoint, in whole units."""
    total = float(cluster_means(item_endpoints(cells), cells.cluster).sum())
    per = _changes_per_point(cells)
    target = round(total * unit / cells.scale.step)
    up, down = _room(cells)
    rising = np.empty(up.shape)
    falling = np.empty(up.shape)
    for response, arm, grows in (
        (POSITIVE, TREATED, True),
        (POSITIVE, CONTROL, False),
        (OTHER, TREATED, False),
        (OTHER, CONTROL, True),
    ):
        rising[:, response, arm] = (up if grows else down)[:, response, arm]
        falling[:, response, arm] = (down if grows else up)[:, response, arm]
    toward, away = (falling, rising) if target >= 0 else (rising, falling)
    weight, code = np.unique(unit // per, return_inverse=True)
    flat = code.ravel()
    return (
        weight,
        np.rint(np.bincount(flat, toward.ravel())).astype(np.int64),
        np.rint(np.bincount(flat, away.ravel())).astype(np.int64),
        abs(target),
    )


def _room(cells: Cells) -> tuple[Floats, Floats]:
    """Steps that the ratings of each cell can be raised and lowered in all; (items, 2, 2)."""
    mean, count = cells.mean[:, :, :2], cells.count[:, :, :2]
    up = (cells.scale.high - mean) * count / cells.scale.step
    down = (mean - cells.scale.low) * count / cells.scale.step
    return np.asarray(up), np.asarray(down)


def _past(weight: Ints, room: Ints, target: int) -> int | None:
    left, used = target, 0
    for value, steps in zip(weight[::-1].tolist(), room[::-1].tolist(), strict=True):
        needed = left // value + 1
        if needed <= steps:
            return int(used + needed)
        used += steps
        left -= steps * value
    return None


def _exactly(weight: Ints, toward: Ints, away: Ints, target: int, bound: int) -> int | None:
    """Fewest moves whose signed weights sum to the target."""
    reach = bound * int(weight.max())
    none = bound + 1
    best = np.full(2 * reach + 1, none, dtype=np.int32)
    best[reach] = 0
    for value, forth, back in zip(weight.tolist(), toward.tolist(), away.tolist(), strict=True):
        before = best.copy()
        for moves in range(-min(back, bound), min(forth, bound) + 1):
            if moves == 0:
                continue
            offset = moves * value
            source = before[: len(before) - offset] if offset > 0 else before[-offset:]
            place = best[offset:] if offset > 0 else best[: len(best) + offset]
            np.minimum(place, source + abs(moves), out=place)
    found = int(best[reach + target]) if target <= reach else none
    return found if found <= bound else None
