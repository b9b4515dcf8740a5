"""How does each readout's effect look beside zero, and beside what was predicted?

One panel a readout, each with its own unit and so its own horizontal scale: a point and its
interval for every generator, instruction and axis. A readout that was not taken shows the
registered predictions in its place, hollow, with the watermark inside the panel. Coordinates are
rounded, so the same numbers give the same bytes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judgeprobe.pressure.readings import POOLED, READOUTS

__all__ = ["PREDICTED", "Panel", "panels"]

PREDICTED = "predicted, not measured"
WIDTH = 760
_LEFT, _RIGHT = 300, 30
_ROW, _TOP, _BOTTOM = 24, 34, 30
_SMALLEST_REACH = 0.2


@dataclass(frozen=True)
class Line:
    """One row of a panel; `low` and `high` are None where there is no interval."""

    label: str
    y: float
    x: float
    low: float | None
    high: float | None
    colour: str
    hollow: bool
    told: str


@dataclass(frozen=True)
class Tick:
    """A mark on the horizontal scale."""

    x: float
    label: str


@dataclass(frozen=True)
class Panel:
    """One readout's panel.

    Attributes:
        zero: Where no movement lies.
        watermark: Drawn inside the panel; "" where it is measured.
        described: The numbers in words, for who cannot see it.
    """

    readout: str
    unit: str
    height: float
    zero: float
    bottom: float
    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]
    watermark: str
    described: str


_COLOURS = {"scope": "#016833", "strength": "#8d0422", POOLED: "#595959"}


def panels(found: dict[str, Any], units: dict[str, str]) -> list[Panel]:
    """The panels of effects.json."""
    made = []
    for readout in READOUTS:
        rows = [
            row
            for row in found["effects"]
            if row["readout"] == readout and row["estimate"] is not None
        ]
        if rows:
            made.append(_panel(readout, units[readout], _measured(rows), ""))
        else:
            made.append(_panel(readout, units[readout], _predicted(found), PREDICTED))
    return made


Value = tuple[str, str, float, float | None, float | None]


def _measured(rows: Sequence[dict[str, Any]]) -> list[Value]:
    return [
        (
            f"{row['generator']}: {row['condition']} − neutral, {row['axis']}",
            row["axis"],
            row["estimate"],
            row["low"],
            row["high"],
        )
        for row in rows
    ]


def _predicted(found: dict[str, Any]) -> list[Value]:
    return [
        (f"accuracy − neutral, {one['axis']}", one["axis"], one["value"], None, None)
        for one in found["prediction"]["prediction"]
    ]


def _round_step(most: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is no larger than `most`."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(step for step in (power, 2 * power, 5 * power) if step <= most)


def _panel(readout: str, unit: str, values: Sequence[Value], watermark: str) -> Panel:
    ends = [abs(v) for one in values for v in one[2:] if v is not None]
    reach = max(_SMALLEST_REACH, *ends) * 1.08
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    scale = (WIDTH - _RIGHT - _LEFT) / 2 / reach

    def at(value: float) -> float:
        return round(middle + value * scale, 2)

    lines = []
    for number, (label, axis, estimate, low, high) in enumerate(values):
        between = "" if low is None or high is None else f" ({low:+.3f} to {high:+.3f})"
        lines.append(
            Line(
                label=label if len(label) <= 48 else f"{label[:47]}…",
                y=_TOP + _ROW * number + _ROW / 2,
                x=at(estimate),
                low=None if low is None else at(low),
                high=None if high is None else at(high),
                colour=_COLOURS.get(axis, "#011427"),
                hollow=bool(watermark),
                told=f"{label}: {estimate:+.3f}{between}",
            )
        )
    bottom = _TOP + _ROW * len(values)
    step = _round_step(reach / 2)
    ticks = tuple(Tick(at(k * step), f"{k * step:+g}" if k else "0") for k in (-2, -1, 0, 1, 2))
    told = "; ".join(one.told for one in lines)
    described = f"{watermark}: {told}" if watermark else told
    return Panel(
        readout, unit, bottom + _BOTTOM, at(0), bottom, tuple(lines), ticks, watermark, described
    )
