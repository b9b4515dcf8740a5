"""What does each judge notice, in which slots, and how fine is the instrument?

Sensitivity per axis against the control flip rate (figure 6 of the construct-validity reference),
sensitivity per slot with intervals (table 6), and instrument quality (figure 10).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgeprobe.report import style
from judgeprobe.report.parts import SlotRate
from judgeprobe.report.style import Picture
from judgeprobe.report.view import JudgeView, ProfileView

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["axis_contrast", "instrument", "rows_axes", "slot_rates"]

WIDTH = 7.0
NAME_INCHES = 2.0
ROW_INCHES = 0.42
# One look an axis: marker, fill, lightness. The control flip rate is always the bar.
AXIS_LOOKS = (
    ("o", "#011427", "full"),
    ("s", "#c26a24", "full"),
    ("^", "#016833", "none"),
    ("D", "#8357bb", "none"),
)


def axis_contrast(view: ProfileView, notice: str) -> Picture | None:
    """R per axis beside 1 - S, one row a judge; None where no judge has an operating point."""
    rows = [judge for judge in view.judges if judge.operating_point is not None]
    if not rows or not view.axes:
        return None
    rows.sort(key=lambda j: -j.operating_point.R if j.operating_point else 0.0)
    return Picture(
        name="axis_contrast",
        title="Sensitivity per axis beside the control flip rate, at the operating points",
        description=_axis_description(view, rows, notice),
        caption=(
            "A mark close to the end of its grey bar is a judge that answers a change of the "
            "construct no more than an edit that should not move it at all. The bar is 1 - S: the "
            "share of invariance edits that changed the verdict."
        ),
        notice=notice,
        draw=lambda figure: _draw_axes(figure, view, rows, notice),
        size=_row_size(len(rows), legend=0.4),
    )


def slot_rates(view: ProfileView, notice: str) -> Picture | None:
    """Share of verdicts changed per slot, with intervals; None where no slot has a rate."""
    slots = [slot for slot in view.slots if slot.rate is not None]
    if not slots:
        return None
    order = [*view.axes, "control"]
    groups = [
        (axis, sorted((s for s in slots if s.axis == axis), key=lambda s: (-(s.rate or 0), s.slot)))
        for axis in order
    ]
    groups = [(axis, found) for axis, found in groups if found]
    return Picture(
        name="slot_rates",
        title="Share of verdicts changed per kind of edit, mean over judges, with intervals",
        description=_slot_description(view, groups, notice),
        caption=(
            "Filled marks are edits that change the construct: further right is better noticed. "
            "Open marks are invariance edits: every change there is a false alarm. Every rate is "
            "read at the judges' operating points" + _mean_s(view) + "."
        ),
        notice=notice,
        draw=lambda figure: _draw_slots(figure, groups, notice),
        size=(WIDTH, 0.75 + 0.27 * (len(slots) + len(groups))),
    )


def instrument(view: ProfileView, notice: str) -> Picture | None:
    """Distinct and usable grades, and regrade agreement, one row a judge."""
    rows = [judge for judge in view.judges if judge.distinct_grades is not None]
    if not rows:
        return None
    rows.sort(key=lambda j: (-(j.usable_points or 0), j.judge))
    return Picture(
        name="instrument",
        title="Instrument quality: grades given, grades usable, and regrade agreement",
        description=_instrument_description(rows, notice),
        caption=(
            "Left: how many different grades a judge gave (open) and at how many cuts it can be "
            "read once grades given to less than the usable share of texts are set aside (filled); "
            "the segment is resolution that it seems to offer and does not deliver. Right: share "
            "of texts that got the same grade when graded again."
        ),
        notice=notice,
        draw=lambda figure: _draw_instrument(figure, rows, notice),
        size=_row_size(len(rows), legend=0.4),
    )


def _row_size(rows: int, legend: float) -> tuple[float, float]:
    return (WIDTH, 0.75 + legend + ROW_INCHES * max(rows, 2))


def rows_axes(
    figure: "Figure", names: Sequence[str], left: float, right: float, top: float
) -> "Axes":
    """Axes whose rows are judges, names at the left edge; the first name on top. In inches."""
    width, height = figure.get_size_inches()
    axes = figure.add_axes(
        (left / width, 0.5 / height, (right - left) / width, (height - 0.5 - top) / height)
    )
    style.frame(axes)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), labels=list(names), color=style.INK)
    axes.tick_params(axis="y", length=0)
    return axes


def _draw_axes(figure: "Figure", view: ProfileView, rows: list[JudgeView], notice: str) -> None:
    names = [style.fit(j.judge, points=8.5, width=NAME_INCHES - 0.15) for j in rows]
    axes = rows_axes(figure, names, NAME_INCHES, WIDTH - 1.2, 0.45)
    most = 0.1
    handles: list[Artist | None] = []
    for row, judge in enumerate(rows):
        point = judge.operating_point
        if point is None:
            continue
        values = [point.axes.get(axis) for axis in view.axes]
        ends = [pair[1] for pair in point.axis_intervals.values() if pair is not None]
        most = max([most, 1 - point.S, *ends, *(v for v in values if v is not None)])
        bar = axes.barh(
            row,
            1 - point.S,
            height=0.62,
            color="#e4e4e4",
            edgecolor=style.QUIET,
            linewidth=0.8,
            hatch="////",
            zorder=1.5,
        )
        marks = [
            None
            if value is None
            else _axis_mark(axes, value, point.axis_intervals.get(axis), row, index, len(values))
            for index, (axis, value) in enumerate(zip(view.axes, values, strict=True))
        ]
        handles = handles or [*marks, bar.patches[0]]
        axes.text(
            1.03,
            row,
            f"S {point.S:.3f}\nR {point.R:.3f}",
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=8,
            color=style.QUIET,
            linespacing=1.2,
        )
    axes.set_xlim(0, min(1.0, most * 1.08) if most < 0.93 else 1.02)
    axes.set_xlabel("share of verdicts changed")
    style.watermark(axes, notice)
    labels = [*(f"R, {axis.replace('_', ' ')}" for axis in view.axes), "control flip rate, 1 − S"]
    shown = [(h, label) for h, label in zip(handles, labels, strict=True) if h is not None]
    _legend(axes, shown)


def _axis_mark(
    axes: "Axes",
    value: float,
    interval: tuple[float, float] | None,
    row: int,
    index: int,
    count: int,
) -> "Artist":
    marker, colour, fill = AXIS_LOOKS[index % len(AXIS_LOOKS)]
    y = row + 0.4 * ((index + 0.5) / count - 0.5)
    if interval is not None:
        axes.plot(interval, [y, y], color=colour, linewidth=1.2, zorder=2)
    (line,) = axes.plot(
        value,
        y,
        marker=marker,
        markersize=6.5,
        color=colour,
        fillstyle=fill,
        linestyle="none",
        markeredgecolor="white" if fill == "full" else colour,
        markeredgewidth=0.7,
        zorder=3,
        clip_on=False,
    )
    return line


def _legend(axes: "Axes", shown: "list[tuple[Artist, str]]") -> None:
    axes.legend(
        [handle for handle, _ in shown],
        [label for _, label in shown],
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=len(shown),
        frameon=False,
        fontsize=8.5,
        handletextpad=0.5,
        columnspacing=1.6,
        borderaxespad=0.2,
    )


def _draw_slots(figure: "Figure", groups: list[tuple[str, list[SlotRate]]], notice: str) -> None:
    names: list[str] = []
    for axis, slots in groups:
        names += [axis.replace("_", " ").upper(), *(s.slot.replace("_", " ") for s in slots)]
    fitted = [style.fit(name, points=8.5, width=NAME_INCHES - 0.15) for name in names]
    axes = rows_axes(figure, fitted, NAME_INCHES, WIDTH - 1.75, 0.22)
    row, most = 0, 0.1
    for index, (axis, slots) in enumerate(groups):
        axes.get_yticklabels()[row].set(fontsize=7.5, color=style.QUIET, weight="bold")
        axes.axhline(row - 0.5, color=style.PALE, linewidth=0.8 if row else 0, zorder=1)
        for slot in slots:
            row += 1
            most = max(most, slot.rate or 0, slot.high or 0)
            _slot_row(axes, slot, row, index, control=axis == "control")
        row += 1
    axes.set_xlim(0, min(1.02, most * 1.05))
    axes.set_xlabel("share of verdicts changed, mean over judges")
    style.watermark(axes, notice)


def _slot_row(axes: "Axes", slot: SlotRate, row: int, index: int, *, control: bool) -> None:
    marker, colour, _ = AXIS_LOOKS[index % len(AXIS_LOOKS)]
    if slot.rate is None:
        return
    if control:
        marker, colour = "D", style.QUIET
    if slot.low is not None and slot.high is not None:
        axes.plot(
            [slot.low, slot.high],
            [row, row],
            color=colour,
            linewidth=1.4,
            zorder=2,
            marker="|",
            markersize=6,
            markeredgewidth=1.2,
        )
    axes.plot(
        slot.rate,
        row,
        marker=marker,
        markersize=6.5,
        color=colour,
        linestyle="none",
        zorder=3,
        markerfacecolor="white" if control else colour,
        markeredgewidth=1.1,
        clip_on=False,
    )
    interval = "" if slot.low is None else f" [{slot.low:.2f}, {slot.high:.2f}]"
    axes.text(
        1.03,
        row,
        f"{slot.rate:.3f}{interval}  n {slot.n}",
        transform=axes.get_yaxis_transform(),
        va="center",
        fontsize=8,
        color=style.QUIET,
    )


def _draw_instrument(figure: "Figure", rows: list[JudgeView], notice: str) -> None:
    from matplotlib.ticker import MaxNLocator

    names = [style.fit(j.judge, points=8.5, width=NAME_INCHES - 0.15) for j in rows]
    middle = NAME_INCHES + (WIDTH - NAME_INCHES) * 0.56
    left = rows_axes(figure, names, NAME_INCHES, middle - 0.2, 0.45)
    right = rows_axes(figure, [""] * len(rows), middle + 0.2, WIDTH - 0.6, 0.45)
    most = 1
    given = usable = None
    for row, judge in enumerate(rows):
        distinct, points = judge.distinct_grades or 0, judge.usable_points
        most = max(most, distinct)
        if points is not None:
            left.plot([points, distinct], [row, row], color=style.FRAME, linewidth=1.6, zorder=2)
        (given,) = left.plot(
            distinct,
            row,
            marker="o",
            markersize=8,
            color=style.INK,
            markerfacecolor="white",
            linestyle="none",
            zorder=3,
            clip_on=False,
        )
        if points is not None:
            (usable,) = left.plot(
                points,
                row,
                marker="D",
                markersize=5.5,
                color=style.INK,
                linestyle="none",
                zorder=4,
                clip_on=False,
            )
        _regrade(right, judge, row)
    left.set_xlim(0, most * 1.08 + 0.5)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    left.set_xlabel("grades, cuts (count)")
    right.set_xlim(0, 1.02)
    right.set_xlabel("regrade agreement (share)")
    handles = [(given, "distinct grades given"), (usable, "usable cuts")]
    _legend(left, [(handle, label) for handle, label in handles if handle is not None])
    style.watermark(left, notice)
    style.watermark(right, notice)


def _regrade(axes: "Axes", judge: JudgeView, row: int) -> None:
    if judge.regrade is None:
        axes.text(0.02, row, "not regraded", va="center", fontsize=8, color=style.QUIET)
        return
    axes.plot([0, judge.regrade], [row, row], color=style.FRAME, linewidth=1.6, zorder=2)
    axes.plot(
        judge.regrade, row, marker="s", markersize=6, color=style.INK, zorder=3, clip_on=False
    )
    axes.text(
        1.06,
        row,
        f"{judge.regrade:.3f}",
        transform=axes.get_yaxis_transform(),
        va="center",
        fontsize=8,
        color=style.QUIET,
    )


def _mean_s(view: ProfileView) -> str:
    s = (view.mean or {}).get("S")
    return f" (mean S {s:.3f})" if isinstance(s, int | float) else ""


def _begin(notice: str) -> list[str]:
    return [f"{notice[:1].upper()}{notice[1:]}."] if notice else []


def _axis_description(view: ProfileView, rows: list[JudgeView], notice: str) -> str:
    parts = _begin(notice)
    for judge in rows:
        point = judge.operating_point
        if point is None:
            continue
        told = [
            f"R {axis} = {value:.3f}" if value is not None else f"R {axis} not measured"
            for axis, value in ((axis, point.axes.get(axis)) for axis in view.axes)
        ]
        parts.append(f"{judge.judge}: {', '.join(told)}, control flip rate {1 - point.S:.3f}.")
    return " ".join(parts)


def _slot_description(
    view: ProfileView, groups: list[tuple[str, list[SlotRate]]], notice: str
) -> str:
    parts = _begin(notice)
    for axis, slots in groups:
        told = [
            f"{s.slot.replace('_', ' ')} {s.rate:.3f}"
            + ("" if s.low is None else f" (interval {s.low:.3f} to {s.high:.3f})")
            + f" over {s.n} edits"
            for s in slots
        ]
        parts.append(f"{axis.replace('_', ' ').capitalize()}: {'; '.join(told)}.")
    return " ".join([*parts, f"Read at the operating points{_mean_s(view)}."])


def _instrument_description(rows: list[JudgeView], notice: str) -> str:
    parts = _begin(notice)
    for judge in rows:
        again = "not regraded" if judge.regrade is None else f"regrade {judge.regrade:.3f}"
        parts.append(
            f"{judge.judge}: {judge.distinct_grades} distinct grades, "
            f"{judge.usable_points} usable cuts, {again}."
        )
    return " ".join(parts)
