"""How does a figure look, and how is it written so that the same data give the same bytes?

Judges differ by marker, dash pattern and lightness (CIE L* from 6 to 62 in steps of at least 8), so
that a black-and-white print still tells them apart. Fonts are matplotlib's own DejaVu, drawn as
paths. No pyplot, no global state: settings hold only while a figure is drawn.
"""

import contextlib
import io
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "FRAME",
    "INK",
    "PALE",
    "QUIET",
    "Mark",
    "Picture",
    "figure_settings",
    "fit",
    "frame",
    "marks_for",
    "new_figure",
    "png_bytes",
    "shorten",
    "spread",
    "svg_text",
    "text_width",
    "visible",
    "watermark",
]

COLOURS = ("#011427", "#8d0422", "#8357bb", "#11a1d4", "#012b6a", "#016833", "#c26a24")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">", "h")
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 1.6), (1.4, 1.4), (6, 1.6, 1.4, 1.6), (3, 1.2))
INK, QUIET, FRAME, PALE = "#1a1a1a", "#595959", "#8a8a8a", "#dcdcdc"
PNG_DPI = 200
LONGEST_NAME = 30
LARGEST_WATERMARK = 20.0


@dataclass(frozen=True)
class Mark:
    """How one judge is drawn, in every figure of a report."""

    colour: str
    marker: str
    dashes: tuple[float, ...]


@dataclass(frozen=True)
class Picture:
    """A figure as drawn and as told.

    Attributes:
        name: File name without ending.
        title: One line.
        description: What it shows, with its numbers, for whoever cannot see it.
        caption: How to read it, for print below the figure.
        notice: What its watermark says; said below it too. "" where there is none.
        draw: Draws it on a figure made by `new_figure`.
        size: Width and height in inches.
    """

    name: str
    title: str
    description: str
    caption: str
    notice: str
    draw: "Callable[[Figure], None]"
    size: tuple[float, float]


def marks_for(judges: Sequence[str]) -> dict[str, Mark]:
    """One mark a judge, in the order given; 385 judges before two share a mark."""
    return {
        name: Mark(COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)], DASHES[i % len(DASHES)])
        for i, name in enumerate(judges)
    }


@contextlib.contextmanager
def figure_settings() -> Iterator[None]:
    """Matplotlib's defaults plus ours, whatever a user's matplotlibrc says; undone at the end."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "font.family": ["DejaVu Sans"],
                "font.size": 9.0,
                "axes.linewidth": 0.8,
                "axes.edgecolor": FRAME,
                "axes.labelcolor": INK,
                "text.color": INK,
                "text.parse_math": False,
                "xtick.color": QUIET,
                "ytick.color": QUIET,
                "svg.fonttype": "path",
                "svg.hashsalt": "judgeprobe",
                "path.simplify": False,
                "hatch.linewidth": 0.6,
            }
        )
        yield


def new_figure(size: tuple[float, float]) -> "Figure":
    """An empty white figure, in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, facecolor="white", layout=None)


def frame(axes: "Axes") -> None:
    """Left and bottom spines only, a light grid behind the data."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(visible=True, color=PALE, linewidth=0.5, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(length=3, width=0.7, labelsize=8.5)


def watermark(axes: "Axes", text: str) -> None:
    """Write a notice across the inside of the axes; nothing where it is empty.

    A caption does not survive a screenshot; what stands inside the axes does.
    """
    if not text:
        return
    box = axes.get_window_extent()
    width, height = box.width / axes.figure.dpi, box.height / axes.figure.dpi
    angle = 0.6 * math.atan2(height, width)
    room = min(0.9 * width / math.cos(angle), 0.8 * height / math.sin(angle))
    size = min(LARGEST_WATERMARK, 10 * room / text_width(text.upper(), 10, weight="bold"))
    axes.text(
        0.5,
        0.5,
        text.upper(),
        transform=axes.transAxes,
        rotation=math.degrees(angle),
        ha="center",
        va="center",
        fontsize=size,
        color="#808080",
        alpha=0.4,
        weight="bold",
        # Before the data, and transparent: a bar must not hide a part of it.
        zorder=9,
        gid=f"watermark_{axes.figure.axes.index(axes) + 1}",
    )


def shorten(name: str, most: int = LONGEST_NAME) -> str:
    """A name that fits a label: the middle is left out, since names differ at their ends.

    Characters that DejaVu lacks are shown by their code point, never as an empty box.
    """
    shown = visible(name)
    if len(shown) <= most:
        return shown
    tail = (most - 1) // 2
    return f"{shown[: most - 1 - tail]}…{shown[-tail:]}"


def fit(name: str, *, points: float, width: float) -> str:
    """A name shortened until it is at most `width` inches wide at a font size in points."""
    most = LONGEST_NAME
    shown = shorten(name, most)
    while most > 5 and text_width(shown, points) > width:
        most -= 1
        shown = shorten(name, most)
    return shown


def text_width(text: str, points: float, weight: str = "normal") -> float:
    """Width of one line of text in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(family=["DejaVu Sans"], size=points, weight=weight)
    width, _, _ = TextToPath().get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def visible(text: str) -> str:
    """The text with every character that DejaVu lacks, or that does not print, as U+XXXX."""
    return "".join(c if _has_glyph(c) else f"U+{ord(c):04X}" for c in text)


@cache
def _glyphs() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(get_font(findfont(FontProperties(family=["DejaVu Sans"]))).get_charmap())


def _has_glyph(character: str) -> bool:
    return character.isprintable() and ord(character) in _glyphs()


def spread(wanted: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Positions as near as can be to the wanted ones, at least `gap` apart, within low and high.

    The order of the wanted positions is kept (ties by place). Where there is no room for all, they
    are spaced evenly over the whole range. The answer is the least-squares one: neighbours that
    touch move as one block about their mean.
    """
    if not wanted:
        return []
    if (len(wanted) - 1) * gap >= high - low:
        step = (high - low) / max(len(wanted) - 1, 1)
        gap = step
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    blocks: list[list[float]] = []  # sum of targets, members
    for rank, index in enumerate(order):
        blocks.append([wanted[index] - rank * gap, 1])
        while len(blocks) > 1 and _mean(blocks[-2]) >= _mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] = [blocks[-1][0] + last[0], blocks[-1][1] + last[1]]
    placed = [0.0] * len(wanted)
    rank = 0
    top = high - (len(wanted) - 1) * gap
    for block in blocks:
        start = min(max(_mean(block), low), top)
        for _ in range(int(block[1])):
            placed[order[rank]] = start + rank * gap
            rank += 1
    return placed


def _mean(block: Sequence[float]) -> float:
    return block[0] / block[1]


def svg_text(figure: "Figure") -> str:
    """The figure as SVG, without date, program or path names."""
    buffer = io.StringIO()
    metadata: dict[str, Any] = {"Date": None, "Creator": None, "Format": None, "Type": None}
    figure.savefig(buffer, format="svg", metadata=metadata)
    return buffer.getvalue()


def png_bytes(figure: "Figure") -> bytes:
    """The figure as PNG at 200 dots an inch, without the program's name."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return buffer.getvalue()
