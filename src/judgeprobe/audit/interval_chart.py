"""Where do estimates and their intervals lie on one axis? Places for a picture in a page.

Everything is in CSS pixels of an SVG. A name that does not fit is cut in the picture; the table
beside it has the whole.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Bar", "Chart", "Drawn", "Tick", "interval_chart"]

LEFT, WIDTH, RIGHT = 210, 470, 40
TOP, LINE, BOTTOM = 14, 26, 40
_LONGEST_NAME = 28
_MOST_BARS = 40


@dataclass(frozen=True)
class Bar:
    """One estimate.

    Attributes:
        name: What it is of.
        value: The estimate; None draws nothing but the name.
        low: Lower end of its interval, or None.
        high: Upper end, or None.
        beside: A second, hollow mark, or None.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    beside: float | None = None


@dataclass(frozen=True)
class Drawn:
    """A bar's places; None where a part is not drawn."""

    name: str
    full: str
    y: int
    x: float | None
    low: float | None
    high: float | None
    beside: float | None


@dataclass(frozen=True)
class Tick:
    """A mark of the axis."""

    x: float
    label: str


@dataclass(frozen=True)
class Chart:
    """A picture of intervals.

    Attributes:
        title: Says what is seen; also the picture's text alternative.
        axis: Name of the axis, with its unit.
        width: Of the picture.
        height: Of the picture.
        left: Where the axis begins.
        right: Where it ends.
        base: Height of the axis line.
        reference: Place of the value that means no effect; None outside the axis.
        bars: Estimates, from the top.
        ticks: Marks of the axis.
        legend: What the marks are.
        left_out: Bars beyond the most that fit.
    """

    title: str
    axis: str
    width: int
    height: int
    left: int
    right: int
    base: int
    reference: float | None
    bars: tuple[Drawn, ...]
    ticks: tuple[Tick, ...]
    legend: str
    left_out: int


def interval_chart(
    title: str,
    axis: str,
    bars: Sequence[Bar],
    *,
    reference: float | None,
    legend: str,
    span: tuple[float, float] | None = None,
) -> Chart | None:
    """A chart of estimates on one axis; None where no bar has an estimate.

    Args:
        title: What is seen.
        axis: Name of the axis.
        bars: Estimates, from the top.
        reference: The value that means no effect; on the axis always. None for no line.
        legend: What the marks are.
        span: Ends of the axis, or None for what the bars need.
    """
    shown = [bar for bar in bars if bar.value is not None or bar.beside is not None][:_MOST_BARS]
    if not shown:
        return None
    wanted = [reference, *(v for b in shown for v in (b.value, b.low, b.high, b.beside))]
    values = [value for value in wanted if value is not None]
    marks = _marks(*(span or (min(values), max(values))))
    first, last = marks[0], marks[-1]

    def place(value: float | None) -> float | None:
        if value is None:
            return None
        return round(LEFT + (value - first) / (last - first) * WIDTH, 1)

    base = TOP + LINE * len(shown)
    digits = max(0, -math.floor(math.log10(marks[1] - marks[0]) + 1e-9))
    return Chart(
        title=title,
        axis=axis,
        width=LEFT + WIDTH + RIGHT,
        height=base + BOTTOM,
        left=LEFT,
        right=LEFT + WIDTH,
        base=base,
        reference=place(reference),
        bars=tuple(
            Drawn(
                name=_cut(bar.name),
                full=bar.name,
                y=TOP + LINE * index + LINE // 2,
                x=place(bar.value),
                low=place(bar.low),
                high=place(bar.high),
                beside=place(bar.beside),
            )
            for index, bar in enumerate(shown)
        ),
        ticks=tuple(Tick(float(place(mark) or LEFT), f"{mark + 0.0:.{digits}f}") for mark in marks),
        legend=legend,
        left_out=len(bars) - len(shown),
    )


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _marks(low: float, high: float) -> list[float]:
    """Round numbers around the span: at most ten, at steps of 1, 2 or 5 times a power of ten."""
    width = high - low
    if width <= max(1e-12, 1e-9 * max(abs(low), abs(high))):
        low, high = low - 0.5, high + 0.5
        width = 1.0
    power = 10.0 ** math.floor(math.log10(width / 4))
    step = next(power * size for size in (1, 2, 5, 10) if width / (power * size) <= 6)
    start, end = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(index * step, 12) for index in range(start, end + 1)]
