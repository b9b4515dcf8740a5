"""What does every drawing of the (S, R) plane share? Axes, guides, names in the margin."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judgeprobe.report import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Label", "draw_labels", "plane_axes", "plane_size"]

LABEL_LINE_INCHES = 0.33
MARGIN_LABELS_INCHES = 2.5
SIDE_INCHES = 4.35
_AROUND_INCHES = 0.75


@dataclass(frozen=True)
class Label:
    """A name in the margin.

    Attributes:
        reading: Its second line.
        dashes: Dash pattern of its line; None for a mark without a line.
        anchor: The point (S, R) that it belongs to, or None.
    """

    name: str
    reading: str
    colour: str
    marker: str
    dashes: tuple[float, ...] | None
    anchor: tuple[float, float] | None


def plane_size(labels: int) -> tuple[float, float]:
    """Width and height in inches of a plane with so many names in its margin."""
    tall = max(SIDE_INCHES, labels * LABEL_LINE_INCHES)
    return (SIDE_INCHES + 0.7 + MARGIN_LABELS_INCHES, tall + _AROUND_INCHES)


def plane_axes(figure: "Figure", *, floor: float, left: float, top: float, notice: str) -> "Axes":
    """Axes from S = left to 1 and R = 0 to top, with the floor, S + R = 1 and the watermark.

    Where the whole plane is shown (left = 0) the two degenerate corners are marked and named.
    """
    width, height = figure.get_size_inches()
    tall = height - _AROUND_INCHES
    axes = figure.add_axes(
        (0.58 / width, 0.52 / height, SIDE_INCHES / width, tall / height), label="plane"
    )
    style.frame(axes)
    pad = 0.025 * (1 - left)
    axes.set_xlim(left - (pad if left == 0 else 0), 1 + pad)
    axes.set_ylim(-0.025 * top, top)
    axes.set_xlabel("S: invariance edits whose verdict held (share)")
    axes.set_ylabel("R: construct edits whose verdict changed (share)")
    if left > 0:
        axes.locator_params(axis="x", nbins=5)
    style.watermark(axes, notice)
    _guides(axes, floor, left, top)
    return axes


def _guides(axes: "Axes", floor: float, left: float, top: float) -> None:
    axes.plot([0, 1], [1, 0], color=style.FRAME, linewidth=1, dashes=(5, 3), zorder=1.2)
    axes.axvline(floor, color=style.FRAME, linewidth=1, dashes=(1, 2), zorder=1.2)
    if left == 0:
        axes.annotate(
            "S + R = 1",
            (0.36, 0.64),
            xytext=(3, 3),
            textcoords="offset points",
            fontsize=8,
            color=style.QUIET,
        )
    axes.annotate(
        f"floor S = {floor:.2f}",
        (floor, top),
        xytext=(-3, -2),
        textcoords="offset points",
        rotation=90,
        ha="right",
        va="top",
        fontsize=8,
        color=style.QUIET,
    )
    if left == 0:
        corners = (
            ((0, 1), "always moves (0, 1)", (9, 3), "left"),
            ((1, 0), "never moves (1, 0)", (-13, 0), "right"),
        )
        for place, text, offset, across in corners:
            axes.plot(
                *place,
                marker="s",
                markersize=8,
                color=style.INK,
                fillstyle="none",
                zorder=2.1,
                clip_on=False,
            )
            axes.annotate(
                text,
                place,
                xytext=offset,
                textcoords="offset points",
                ha=across,
                va="center",
                fontsize=8,
                color=style.INK,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )


def draw_labels(axes: "Axes", labels: Sequence[Label], foot: Sequence[Label] = ()) -> None:
    """Names in the right margin, each with its mark and a line to its point, none over another.

    Args:
        axes: Made by `plane_axes`.
        labels: Placed as near to the height of their points as there is room.
        foot: Placed below all of them, without lines.
    """
    low, high = axes.get_ylim()
    span = high - low
    gap = LABEL_LINE_INCHES / (axes.get_window_extent().height / axes.figure.dpi)
    floor = gap / 2 + len(foot) * gap
    heights = [0.0 if one.anchor is None else min(one.anchor[1], high) for one in labels]
    wanted = [max(height - low, 0) / span for height in heights]
    places = style.spread(wanted, gap=gap, low=floor, high=1 - gap / 2)
    for one, place in zip(labels, places, strict=True):
        y = low + place * span
        if one.anchor is not None and one.anchor[0] >= axes.get_xlim()[0]:
            _leader(axes, one.anchor, y)
        _sample(axes, y, one.colour, one.marker, one.dashes)
        _name(axes, y, one.name, one.reading)
    for row, one in enumerate(foot, start=1):
        y = low + (floor - row * gap) * span
        _sample(axes, y, one.colour, one.marker, one.dashes)
        _name(axes, y, one.name, one.reading)


def _leader(axes: "Axes", anchor: tuple[float, float], y: float) -> None:
    edge = axes.transAxes.inverted().transform(axes.transData.transform(anchor))[0]
    axes.plot(
        [edge, 1.015, 1.045],
        [anchor[1], y, y],
        transform=axes.get_yaxis_transform(),
        color=style.FRAME,
        linewidth=0.6,
        clip_on=False,
        zorder=2,
    )


def _sample(
    axes: "Axes", y: float, colour: str, marker: str, dashes: tuple[float, ...] | None
) -> None:
    trans = axes.get_yaxis_transform()
    if dashes is not None:
        axes.plot(
            [1.06, 1.145],
            [y, y],
            transform=trans,
            color=colour,
            linewidth=1.3,
            dashes=dashes or (None, None),
            clip_on=False,
        )
    axes.plot(
        [1.1025],
        [y],
        transform=trans,
        color=colour,
        marker=marker,
        markersize=6,
        markeredgecolor="white" if dashes is not None else colour,
        markeredgewidth=0.5 if dashes is not None else 1.4,
        fillstyle="full" if dashes is not None else "none",
        clip_on=False,
    )


def _name(axes: "Axes", y: float, name: str, reading: str) -> None:
    trans = axes.get_yaxis_transform()
    shown = style.fit(name, points=8.5, width=MARGIN_LABELS_INCHES - 0.8)
    axes.text(1.165, y, f"{shown}\n", transform=trans, va="center", fontsize=8.5, linespacing=1.15)
    axes.text(
        1.165,
        y,
        f"\n{reading}",
        transform=trans,
        va="center",
        fontsize=7.5,
        color=style.QUIET,
        linespacing=1.3,
    )
