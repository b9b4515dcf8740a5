"""How far did each axis move under each instruction, and what becomes of the prediction?

Everything in effects.json that is computed from readings: differences (pressed minus neutral),
levels against the evidence, lengths, and the state of the registered prediction for each generator
and readout. All rows are read from the same resamples of passages.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from judgeprobe import resources
from judgeprobe.pressure.human import HumanAxis
from judgeprobe.pressure.readings import POOLED, READOUTS, UNITS, Reading
from judgeprobe.stats.multiplicity import adjusted
from judgeprobe.stats.pressure import Effect, paired_effects, prediction_status

__all__ = [
    "ACCURACY",
    "Options",
    "difference_rows",
    "effect_rows",
    "level_rows",
    "prediction_rows",
    "predictions",
]

ACCURACY = "accuracy"
MOVED = {1: "rose", -1: "fell", 0: "no movement shown"}
# What is not reported of an axis that the annotators cannot tell.
_WITHHELD = ("estimate", "low", "high", "p", "p_holm", "moved")
BELOW_BAR = "the annotators agree less than the bar asks, so the axis is not measurable"


@dataclass(frozen=True)
class Options:
    """How differences become effects.

    Attributes:
        passages: All passages, in the order of the study.
        resamples: Bootstrap draws.
        flips: Sign flips where the test is not exact.
        level: Nominal coverage.
        seed: Of every draw.
    """

    passages: tuple[str, ...]
    resamples: int
    flips: int
    level: float
    seed: int

    @property
    def alpha(self) -> float:
        """Most error that is allowed: 1 - level."""
        return round(1 - self.level, 12)

    def effects(self, readings: Sequence[Reading], stream: int) -> list[Effect]:
        """The mean of each reading, with interval and test."""
        if not readings:
            return []
        columns = np.array([[one.values.get(b, np.nan) for one in readings] for b in self.passages])
        rng = np.random.default_rng([self.seed, stream])
        return list(
            paired_effects(
                columns, resamples=self.resamples, flips=self.flips, level=self.level, rng=rng
            )
        )


@cache
def predictions() -> dict[str, Any]:
    """The registered predictions and their refutation rule."""
    return tomllib.loads(resources.read_text("probes", "pressure_predictions.toml"))


def effect_rows(
    readings: Sequence[Reading],
    found: Sequence[Effect],
    human: Mapping[str, HumanAxis],
    options: Options,
) -> list[dict[str, Any]]:
    """`effects[]` of effects.json: pressed minus neutral, one row a reading and its effect."""
    holm = _holm(readings, found)
    rows = []
    for one, effect, p in zip(readings, found, holm, strict=True):
        row = {**_named(one), **_numbers(effect), "p_holm": p}
        row["moved"] = MOVED[effect.moved(options.alpha, p)] if effect.interval else None
        if one.readout == "human" and not _measurable(one.axis, human):
            row |= dict.fromkeys(_WITHHELD)
            row["reason"] = BELOW_BAR
        rows.append(row)
    return rows


def _measurable(axis: str, human: Mapping[str, HumanAxis]) -> bool:
    """Whether the annotators reach the bar; of the axes pooled, on every one of them."""
    return all(one.measurable for name, one in human.items() if axis in (name, POOLED))


def _holm(readings: Sequence[Reading], found: Sequence[Effect]) -> list[float | None]:
    """P-values adjusted over the axes of one generator, readout and instruction."""
    holm: list[float | None] = [None] * len(readings)
    groups: dict[tuple[str, str, str], list[int]] = {}
    for index, one in enumerate(readings):
        if found[index].p is not None and one.axis != POOLED:
            groups.setdefault((one.generator, one.readout, one.condition), []).append(index)
    for members in groups.values():
        family = adjusted([float(found[index].p or 0.0) for index in members], "holm")
        for index, p in zip(members, family.tolist(), strict=True):
            holm[index] = p
    for index, one in enumerate(readings):
        if one.axis == POOLED:
            holm[index] = found[index].p
    return holm


def level_rows(readings: Sequence[Reading], options: Options, stream: int) -> list[dict[str, Any]]:
    """Levels: means over passages under each instruction, with intervals and no test."""
    rows = []
    for one, effect in zip(readings, options.effects(readings, stream), strict=True):
        row = {**_named(one), **_numbers(effect)}
        for name in ("p", "smallest_p", "nonzero"):
            del row[name]
        rows.append(row)
    return rows


def difference_rows(
    readings: Sequence[Reading], options: Options, stream: int
) -> list[dict[str, Any]]:
    """Differences that no prediction is about: of lengths."""
    found = options.effects(readings, stream)
    return [
        {**_named(one), **_numbers(effect)} for one, effect in zip(readings, found, strict=True)
    ]


def _named(one: Reading) -> dict[str, Any]:
    return {
        "generator": one.generator,
        "readout": one.readout,
        "condition": one.condition,
        "axis": one.axis,
        "unit": UNITS[one.readout],
    }


def _numbers(effect: Effect) -> dict[str, Any]:
    interval = effect.interval
    return {
        "estimate": _round(effect.estimate),
        "low": _round(interval.low) if interval else None,
        "high": _round(interval.high) if interval else None,
        "n": effect.n,
        "p": _round(effect.p),
        "smallest_p": _round(effect.smallest_p),
        "nonzero": effect.nonzero,
        "method": interval.method if interval else None,
        "reason": effect.reason,
    }


def _round(value: float | None) -> float | None:
    # Sums in another order differ in their last bits; -0.0 is 0.
    return None if value is None else round(value, 10) + 0.0


def prediction_rows(
    generators: Sequence[str],
    readings: Sequence[Reading],
    found: Sequence[Effect],
    human: Mapping[str, HumanAxis],
    options: Options,
) -> list[dict[str, Any]]:
    """`prediction[]` of effects.json: its state for each generator and readout.

    A readout that was not taken, or an axis that is not measurable, leaves it not decided.
    """
    keys = ((r.generator, r.readout, r.condition, r.axis) for r in readings)
    by_key = dict(zip(keys, found, strict=True))
    axes = [one["axis"] for one in predictions()["prediction"]]
    rows = []
    for generator in generators:
        for readout in READOUTS:
            effects = [by_key.get((generator, readout, ACCURACY, axis)) for axis in axes]
            status, reason = _state(readout, effects, human, options)
            rows.append(
                {"generator": generator, "readout": readout, "status": status, "reason": reason}
            )
    return rows


def _state(
    readout: str,
    effects: Sequence[Effect | None],
    human: Mapping[str, HumanAxis],
    options: Options,
) -> tuple[str, str]:
    scope, strength = effects
    if scope is None or strength is None:
        return "not decided", "not measured"
    if readout == "human":
        below = [axis for axis in ("scope", "strength") if not human[axis].measurable]
        if below:
            return "not decided", f"below the agreement bar: {' and '.join(below)}"
    return prediction_status(scope, strength, alpha=options.alpha)
