"""Does the profile hang on which items are in it? Other agreement bars, one domain, all but one.

No call is made. On each subset every judge is read anew, cut and all; the same resamples of base
items serve all subsets, so that the difference between a subset and the whole is paired, although
the whole holds the subset's items too.

Item survival (check S6 of the construct-validity reference): if the contrast between the axes grows
as the bar is relaxed, part of it is which items survive.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judgeprobe.profile import ProfileOptions
from judgeprobe.profile.numbers import ends, number, percentile_ends, rate_ends
from judgeprobe.profile.reading import Reading, read_judges
from judgeprobe.profile.sources import Source
from judgeprobe.stats.arrays import Bools, Floats
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.stats.reselection import reselected_at
from judgeprobe.tables import PairTable

__all__ = ["bar_splits", "domain_splits"]

_S, _R, _FIRST, _SECOND = range(4)


@dataclass(frozen=True)
class _Read:
    """One subset, read.

    Attributes:
        readings: Every judge that has a frontier with a cut at the floor, and the others.
        values: S, R and R of each axis of the judges read; by name.
        draws: The same in each resample; (resamples, 2 + axes), by name.
        n_base: Base items with a pair of each rate.
    """

    readings: Sequence[Reading]
    values: Mapping[str, Floats]
    draws: Mapping[str, Floats]
    n_base: Sequence[int]


class _Splitter:
    """Reads subsets of the pairs of one table with the same resamples."""

    def __init__(self, table: PairTable, options: ProfileOptions) -> None:
        self.table = table
        self.options = options
        self.design, self.kept = table.design()
        count, _ = options.sized(self.design.n_base)
        rng = np.random.default_rng(options.seed)
        self.resamples = Resamples.draw(self.design.n_base, count, rng)

    def read(self, pairs: Bools) -> _Read:
        """The judges on some pairs of the table; the other pairs count as never asked."""
        masked = replace(
            self.table,
            original=np.where(pairs, self.table.original, np.nan),
            edited=np.where(pairs, self.table.edited, np.nan),
            asked=self.table.asked & pairs,
        )
        readings = [
            reading
            for reading in read_judges(masked, self.design, self.kept, self.options)
            if reading.control is None and reading.name not in self.table.remedies
        ]
        values, draws = {}, {}
        for reading in readings:
            if reading.status == "frontier" and reading.cut is not None:
                rates = reading.curve[:, reading.cut].copy()
                rates[_S] = 1 - rates[_S]
                values[reading.name] = rates
                floors = [self.options.floor]
                draws[reading.name] = reselected_at(
                    self.design, reading.crossed, floors, self.resamples
                )[0]
        inside = self.design.groups & pairs[self.kept]
        n_base = [len(np.unique(self.design.base[members])) for members in inside]
        return _Read(readings, values, draws, n_base)

    def row(self, name: str, pairs: Bools, whole: _Read) -> dict[str, Any]:
        """One subset as variants.json holds it."""
        inside = pairs[self.kept]
        design = self.design
        row: dict[str, Any] = {
            "subset": name,
            "n_construct": int((design.construct & inside).sum()),
            "n_invariance": int((design.invariance & inside).sum()),
            "n_base": len(np.unique(design.base[inside])),
            "slots": sorted({self.table.slots[s] for s in self.table.slot[self.kept][inside]}),
        }
        read = self.read(pairs)
        judges = [self._judge(reading, read, whole) for reading in read.readings]
        common = [name for name in read.values if name in whole.values]
        return {
            **row,
            "n_judges": len(read.values),
            "mean": self._rates(read, list(read.values)),
            "change": self._changes(read, whole, common),
            "n_changed": len(common),
            "reason": None if read.values else "no judge has a frontier with a cut at the floor",
            "judges": judges,
        }

    def _judge(self, reading: Reading, read: _Read, whole: _Read) -> dict[str, Any]:
        row: dict[str, Any] = {
            "judge": reading.name,
            "status": reading.status,
            "reason": reading.reason,
            "tau": number(reading.tau),
        }
        if reading.name not in read.values:
            return {**row, "rates": None, "change": None}
        names = [reading.name]
        both = reading.name in whole.values
        return {
            **row,
            "rates": self._rates(read, names),
            "change": self._changes(read, whole, names) if both else None,
        }

    def _rates(self, read: _Read, names: Sequence[str]) -> dict[str, Any] | None:
        """Means over some judges, each at its own cut, with intervals."""
        if not names:
            return None
        values = np.mean([read.values[name] for name in names], axis=0)
        draws = _mean([read.draws[name] for name in names])
        return self._named(values, draws, n=read.n_base)

    def _changes(self, read: _Read, whole: _Read, names: Sequence[str]) -> dict[str, Any] | None:
        """Subset minus whole, mean over the judges read in both."""
        if not names:
            return None
        values = np.mean([read.values[name] - whole.values[name] for name in names], axis=0)
        draws = _mean([read.draws[name] - whole.draws[name] for name in names])
        return self._named(values, draws)

    def _named(
        self, values: Floats, draws: Floats, *, n: Sequence[int] | None = None
    ) -> dict[str, Any]:
        """Each rate with its interval; with `n`, base items of each, they are rates themselves."""
        columns = {"S": (values[_S], draws[:, _S]), "R": (values[_R], draws[:, _R])}
        for a, axis in enumerate(self.table.axes):
            columns[f"R_{axis}"] = (values[_FIRST + a], draws[:, _FIRST + a])
        if len(self.table.axes) > 1:
            gap = draws[:, _FIRST] - draws[:, _SECOND]
            columns["gap"] = (values[_FIRST] - values[_SECOND], gap)
        found = {}
        for column, (name, (value, drawn)) in enumerate(columns.items()):
            estimate, level = float(value), self.options.level
            # A rate whose resamples are all alike gets an exact interval, a difference none.
            interval = (
                percentile_ends(estimate, drawn, level, n=self.design.n_base)
                if n is None or name == "gap"
                else rate_ends(estimate, drawn, level, n=n[column])
            )
            found[name] = {"estimate": number(estimate), **ends(interval)}
        return found


def _mean(draws: Sequence[Floats]) -> Floats:
    """Mean over judges of each resample, over those that have a cut in it; NaN where none has."""
    stacked = np.stack(draws)
    there = (~np.isnan(stacked)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        found: Floats = np.nansum(stacked, axis=0) / np.where(there > 0, there, np.nan)
    return found


def domain_splits(table: PairTable, options: ProfileOptions) -> dict[str, Any]:
    """Each domain alone, and all but each domain.

    Args:
        table: The study's pairs.
        options: Its profile settings.
    """
    known = sorted({int(d) for d in table.domain[table.domain >= 0]})
    if len(known) < 2:
        return {"rows": [], "reason": "the items name fewer than two domains"}
    splitter = _Splitter(table, options)
    whole = splitter.read(np.ones(len(table.base), dtype=np.bool_))
    rows = []
    for number_, name in ((d, table.domains[d]) for d in known):
        inside = table.domain == number_
        rows.append({"domain": name, "kind": "alone", **splitter.row(name, inside, whole)})
    for number_, name in ((d, table.domains[d]) for d in known):
        outside = table.domain != number_
        told = f"without {name}"
        rows.append({"domain": name, "kind": "left out", **splitter.row(told, outside, whole)})
    return {"rows": rows, "reason": None}


def bar_splits(
    source: Source, options: ProfileOptions, *, bar: float, bars: Sequence[float]
) -> dict[str, Any]:
    """The profile at other agreement bars, and on the pairs whose direction all set alike.

    Args:
        source: The study's pairs, with those that only the bar keeps out.
        options: Its profile settings.
        bar: The study's own bar.
        bars: The bars.
    """
    if source.direction != "human":
        return {"rows": [], "reason": "direction is by construction: no agreement can be relaxed"}
    if source.relaxed is None or not source.agreement:
        return {"rows": [], "reason": "the agreement of those who set the direction is not known"}
    table = source.relaxed
    of_slot = np.array([source.agreement.get(name, -1.0) for name in table.slots])[table.slot]
    of_axis = np.array([source.agreement.get(str(name), -1.0) for name in table.axis])
    reaches = np.minimum(of_slot, of_axis)
    splitter = _Splitter(table, options)
    whole = splitter.read(reaches >= bar - 1e-12)

    def rows() -> Iterator[dict[str, Any]]:
        for level in sorted({*bars, bar}):
            kept = reaches >= level - 1e-12
            row = splitter.row(f"bar {level:g}", kept, whole)
            yield {"bar": number(level), "registered": level == bar, **row}
        agreed = (table.unanimous == 1) & (reaches >= bar - 1e-12)
        yield {"bar": number(bar), "registered": False, **splitter.row("unanimous", agreed, whole)}

    return {"rows": list(rows()), "reason": None}
