"""How far did S and R move, and what does a finer space buy? One row a comparison, two panels."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from judgeprobe.report import style
from judgeprobe.report.style import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["pictures"]

_WIDTH = 7.0
_NAME_INCHES = 2.75
_ROW_INCHES = 0.24
_MOST_ROWS = 60
_KINDS = {
    "remedies": "How far S and R move with each remedy",
    "prompts": "How far S and R move with the words of the prompt",
    "order": "How far S and R move with the claim shown first",
    "paired": "How far S and R move with both sentences shown",
    "drift": "How far S and R move from run to run",
    "quantization": "How far S and R move with the quantization",
}


def pictures(found: Mapping[str, Any]) -> Iterator[Picture]:
    """The figures of the page; none of a kind without a comparison."""
    notice = found["watermark"] or ""
    spaces = [row for row in found["granularity"] if row.get("R") is not None]
    if spaces:
        yield _spaces(spaces, found["floor"], notice)
    for kind, title in _KINDS.items():
        rows = [
            row
            for row in found["comparisons"]
            if row["kind"] == kind and row["operating"] is not None
        ]
        if rows:
            yield _differences(kind, title, rows[:_MOST_ROWS], len(rows), found["margin"], notice)


def _differences(
    kind: str,
    title: str,
    rows: Sequence[Mapping[str, Any]],
    n_all: int,
    margin: float,
    notice: str,
) -> Picture:
    cut = f" The first {len(rows)} of {n_all}." if len(rows) < n_all else ""
    return Picture(
        name=f"variant_{kind}",
        title=title,
        description=" ".join(_said(row) for row in rows),
        caption=(
            f"Left S, right R: the difference with its interval. The band is the margin of "
            f"±{margin:g} within which a difference counts as none.{cut}"
        ),
        notice=notice,
        draw=partial(_draw_differences, rows=rows, margin=margin, notice=notice),
        size=(_WIDTH, 0.85 + _ROW_INCHES * max(len(rows), 2)),
    )


def _said(row: Mapping[str, Any]) -> str:
    at = row["operating"]
    parts = [f"{rate} {at['before'][rate]:.3f} to {at['after'][rate]:.3f}" for rate in ("S", "R")]
    return f"{_name(row)}: {', '.join(parts)}."


def _name(row: Mapping[str, Any]) -> str:
    if row["kind"] in ("remedies", "quantization"):
        return f"{row['after_judge']} / {row['before']}"
    return f"{row['judge']} / {row['variant']}"


def _draw_differences(
    figure: "Figure", rows: Sequence[Mapping[str, Any]], margin: float, notice: str
) -> None:
    names = [style.fit(_name(row), points=7.5, width=_NAME_INCHES - 0.1) for row in rows]
    ends = [
        abs(value)
        for row in rows
        for rate in ("S", "R")
        for value in (row["operating"][rate][key] for key in ("difference", "low", "high"))
        if value is not None
    ]
    most = 1.08 * max([2 * margin, *ends])
    panel = (_WIDTH - _NAME_INCHES - 0.4) / 2
    for column, rate in enumerate(("S", "R")):
        left = _NAME_INCHES + column * (panel + 0.25)
        axes = _rows_axes(figure, names if column == 0 else [""] * len(rows), left, panel)
        axes.set_xlim(-most, most)
        axes.set_xlabel(f"difference of {rate}", fontsize=8.5)
        style.watermark(axes, notice)
        axes.axvspan(-margin, margin, color=style.PALE, alpha=0.5, zorder=0.5)
        axes.axvline(0, color=style.FRAME, linewidth=0.9, zorder=1)
        for number, row in enumerate(rows):
            _mark(axes, row["operating"][rate], number, filled=_is_clear(row["operating"][rate]))


def _is_clear(change: Mapping[str, Any]) -> bool:
    low, high = change["low"], change["high"]
    return low is not None and high is not None and (low > 0 or high < 0)


def _mark(axes: "Axes", change: Mapping[str, Any], row: int, *, filled: bool) -> None:
    if change["low"] is not None and change["high"] is not None:
        axes.plot(
            [change["low"], change["high"]], [row, row], color=style.INK, linewidth=1.2, zorder=3
        )
    axes.plot(
        change["difference"],
        row,
        marker="o",
        markersize=5,
        color=style.INK,
        markerfacecolor=style.INK if filled else "white",
        linestyle="none",
        zorder=4,
    )


def _rows_axes(figure: "Figure", names: Sequence[str], left: float, wide: float) -> "Axes":
    width, height = figure.get_size_inches()
    axes = figure.add_axes(
        (left / width, 0.5 / height, wide / width, (height - 0.65) / height), label=f"at {left}"
    )
    style.frame(axes)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), labels=list(names), color=style.INK, fontsize=7.5)
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=5)
    return axes


def _spaces(rows: Sequence[Mapping[str, Any]], floor: float, notice: str) -> Picture:
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    return Picture(
        name="variant_granularity",
        title=f"R and S in each verdict space, all read at S ≥ {floor:.2f}",
        description=" ".join(
            f"{row['judge']}, {_space_name(row)}: S {row['S']:.3f}, R {row['R']:.3f}."
            for row in rows
        ),
        caption=(
            "From the coarsest space to the finest. A level line of R is insensitivity that the "
            "scale does not explain. Where no cut reaches the S the verdict is constant (S 1, R 0)."
        ),
        notice=notice,
        draw=partial(_draw_spaces, rows=rows, judges=judges, floor=floor, notice=notice),
        size=(_WIDTH, 3.4 + 0.2 * ((len(judges) + 2) // 3)),
    )


def _space_name(row: Mapping[str, Any]) -> str:
    return "expected" if row["points"] is None else f"{row['points']} points"


def _draw_spaces(
    figure: "Figure",
    rows: Sequence[Mapping[str, Any]],
    judges: Sequence[str],
    floor: float,
    notice: str,
) -> None:
    known = sorted({row["points"] for row in rows if row["points"] is not None})
    places = [*(f"{points}" for points in known), *(["expected"] if _has_expected(rows) else [])]
    marks = style.marks_for(judges)
    width, height = figure.get_size_inches()
    foot = 0.85 + 0.2 * ((len(judges) + 2) // 3)
    panel = (_WIDTH - 1.6) / 2
    handles: list[Any] = []
    for column, rate in enumerate(("S", "R")):
        left = 0.65 + column * (panel + 0.7)
        axes = figure.add_axes(
            (left / width, foot / height, panel / width, (height - foot - 0.15) / height),
            label=rate,
        )
        style.frame(axes)
        axes.set_xlim(-0.3, len(places) - 0.7)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xticks(range(len(places)), labels=places)
        axes.set_xlabel("points of the scale", fontsize=8.5)
        axes.set_ylabel(rate)
        style.watermark(axes, notice)
        if rate == "S":
            axes.axhline(floor, color=style.FRAME, linewidth=1, dashes=(1, 2), zorder=1.2)
        for judge in judges:
            mine = [row for row in rows if row["judge"] == judge]
            x = [places.index(_space_name(row).removesuffix(" points")) for row in mine]
            mark = marks[judge]
            (line,) = axes.plot(
                x,
                [row[rate] for row in mine],
                color=mark.colour,
                marker=mark.marker,
                dashes=mark.dashes or (None, None),
                markersize=5,
                linewidth=1.2,
                zorder=3,
            )
            if column == 0:
                handles.append(line)
    names = [style.fit(judge, points=8, width=1.9) for judge in judges]
    figure.legend(
        handles, names, loc="lower center", ncols=min(3, len(judges)), frameon=False, fontsize=8
    )


def _has_expected(rows: Sequence[Mapping[str, Any]]) -> bool:
    return any(row["points"] is None for row in rows)
