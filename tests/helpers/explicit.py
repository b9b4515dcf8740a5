"""The definitions again, as explicit loops over pairs with exact fractions.

Nothing here shares code with `judgeprobe.stats`: it is what the vectorised code is held against.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Number = Fraction | float


@dataclass(frozen=True)
class Pair:
    base: int
    axis: str  # "control", or the name of a construct axis
    before: float | None
    after: float | None


def cuts(pairs: Sequence[Pair]) -> list[float]:
    given = sorted({g for p in pairs for g in (p.before, p.after) if g is not None})
    return [(a + b) / 2 for a, b in itertools.pairwise(given)]


def changed(pair: Pair, tau: float | None) -> bool | None:
    """None where a member is ungraded; never changed without a cut."""
    if pair.before is None or pair.after is None:
        return None
    if tau is None:
        return False
    return (pair.before >= tau) != (pair.after >= tau)


def equation6(pairs: Sequence[Pair], tau: float | None, copies: Sequence[int]) -> Number | None:
    """Base items equal, edits equal within; `copies` says how often each base item was drawn."""
    total, n = Fraction(0), 0
    for base, times in enumerate(copies):
        flips = edits = 0
        for pair in pairs:
            if pair.base != base:
                continue
            moved = changed(pair, tau)
            if moved is None:
                continue
            edits += 1
            flips += int(moved)
        if edits:
            total += times * Fraction(flips, edits)
            n += times
    return total / n if n else None


def arm(pairs: Sequence[Pair], name: str) -> list[Pair]:
    if name == "construct":
        return [pair for pair in pairs if pair.axis != "control"]
    return [pair for pair in pairs if pair.axis == name]


def profile_at(
    pairs: Sequence[Pair], tau: float | None, axes: Sequence[str], copies: Sequence[int]
) -> dict[str, Number | None]:
    held = equation6(arm(pairs, "control"), tau, copies)
    found: dict[str, Number | None] = {"S": None if held is None else 1 - held}
    found["R"] = equation6(arm(pairs, "construct"), tau, copies)
    for axis in axes:
        found[f"R_{axis}"] = equation6(arm(pairs, axis), tau, copies)
    return found


def operating_tau(
    pairs: Sequence[Pair],
    taus: Sequence[float],
    axes: Sequence[str],
    copies: Sequence[int],
    floor: Fraction,
) -> tuple[float | None, dict[str, Number | None] | None]:
    """Largest R subject to S >= floor; ties: larger S, then smaller tau."""
    best: tuple[float, dict[str, Number | None]] | None = None
    for tau in taus:
        point = profile_at(pairs, tau, axes, copies)
        s, r = point["S"], point["R"]
        if s is None or r is None or s < floor:
            continue
        if best is None or (r, s) > (best[1]["R"], best[1]["S"]):
            best = (tau, point)
    return best if best is not None else (None, None)


def pooled(pairs: Sequence[Pair], tau: float | None) -> Number | None:
    moved = [changed(pair, tau) for pair in pairs]
    known = [m for m in moved if m is not None]
    return Fraction(sum(known), len(known)) if known else None


def bounds(
    pairs: Sequence[Pair], tau: float | None, n_base: int
) -> tuple[Number | None, Number | None]:
    """Change rate with every ungraded pair unchanged, and with every one changed."""
    found = []
    for assumed in (False, True):
        total, n = Fraction(0), 0
        for base in range(n_base):
            mine = [changed(pair, tau) for pair in pairs if pair.base == base]
            if mine:
                total += Fraction(sum(assumed if m is None else m for m in mine), len(mine))
                n += 1
        found.append(total / n if n else None)
    return found[0], found[1]


def hull(points: Sequence[tuple[Number, Number]]) -> list[bool]:
    """A vertex: no other cut is as good in both and better in one, nor equal and earlier."""
    kept = []
    for i, (s, r) in enumerate(points):
        beaten = any(
            (s2 >= s and r2 >= r and (s2 > s or r2 > r)) or (s2 == s and r2 == r and j < i)
            for j, (s2, r2) in enumerate(points)
            if j != i
        )
        kept.append(not beaten)
    return kept


def quantile(values: Sequence[float], q: float) -> float:
    """Linear interpolation between order statistics."""
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
