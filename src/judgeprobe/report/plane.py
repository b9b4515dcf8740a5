"""Where does each judge stand between holding still and noticing? The (S, R) plane.

S runs to the right (verdicts held under edits that keep the construct), R upwards (verdicts changed
under edits that change it). After figures 3 and 5 of the construct-validity reference.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from judgeprobe.report import style
from judgeprobe.report.style import Mark, Picture
from judgeprobe.report.view import ControlView, Cut, JudgeView, ProfileView

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plane", "plane_near_floor"]

LABEL_LINE_INCHES = 0.33
MARGIN_LABELS_INCHES = 2.5
SIDE_INCHES = 4.35
CONTROL_MARKERS = ("x", "+", "1", "2")
CORNERS = {(1.0, 0.0), (0.0, 1.0)}


def plane(view: ProfileView, marks: dict[str, Mark], notice: str) -> Picture:
    """The whole plane: frontiers, operating points, corners, S + R = 1 and the floor."""
    return Picture(
        name="plane",
        title="Invariance S against sensitivity R: the frontier of each judge",
        description=_description(view, notice),
        caption=(
            "Every small marker is an attained cut; at each S the line is level with the best R "
            "attained at that S or stricter. The ring is the operating point: the largest R among "
            f"cuts with S at least {view.floor:.2f}. A judge that never moves sits at (1, 0), one "
            "that always moves at (0, 1); on the dashed line between them S + R = 1 and what is "
            "gained in one is lost in the other. Grey marks are control judges."
        ),
        draw=lambda figure: _draw(figure, view, marks, notice, left=0.0),
        size=_size(view),
    )


def plane_near_floor(view: ProfileView, marks: dict[str, Mark], notice: str) -> Picture | None:
    """The part of the plane at and just below the floor, or None where the whole shows no less."""
    left = max(0.0, round(view.floor - 0.1, 2))
    inside = [j for j in view.judges if any(left <= c.S for c in j.vertices)]
    if left < 0.5 or len(inside) < 2:
        return None
    return Picture(
        name="plane_near_floor",
        title=f"The same plane from S = {left:.2f} to 1, where judges are read",
        description=_description(view, notice),
        caption=(
            f"The right-hand edge of the plane, S from {left:.2f} to 1, drawn wider. Marks as "
            "above. Comparisons between judges are fair only at one S."
        ),
        draw=lambda figure: _draw(figure, view, marks, notice, left=left),
        size=_size(view),
    )


def _inner_controls(view: ProfileView) -> list[tuple[ControlView, float, float, str]]:
    """Control judges off the corners, which are labelled already: (judge, S, R, marker)."""
    inner = [
        (judge, judge.S, judge.R)
        for judge in view.controls
        if judge.S is not None and judge.R is not None and (judge.S, judge.R) not in CORNERS
    ]
    return [(*found, CONTROL_MARKERS[i % len(CONTROL_MARKERS)]) for i, found in enumerate(inner)]


def _size(view: ProfileView) -> tuple[float, float]:
    labels = (len(view.judges) + len(_inner_controls(view))) * LABEL_LINE_INCHES
    return (SIDE_INCHES + 0.7 + MARGIN_LABELS_INCHES, max(SIDE_INCHES, labels) + 0.75)


def _draw(
    figure: "Figure", view: ProfileView, marks: dict[str, Mark], notice: str, left: float
) -> None:
    width, height = _size(view)
    tall = height - 0.75
    axes = figure.add_axes(
        (0.58 / width, 0.52 / height, SIDE_INCHES / width, tall / height), label="plane"
    )
    style.frame(axes)
    pad = 0.025 * (1 - left)
    top = 1.025 if left == 0 else _top(view, left)
    axes.set_xlim(left - (pad if left == 0 else 0), 1 + pad)
    axes.set_ylim(-0.025 * top, top)
    axes.set_xlabel("S: invariance edits whose verdict held (share)")
    axes.set_ylabel("R: construct edits whose verdict changed (share)")
    if left > 0:
        axes.locator_params(axis="x", nbins=5)
    style.watermark(axes, notice)
    _guides(axes, view, left, top)
    for _, x, y, marker in _inner_controls(view):
        if left <= x:
            _control(axes, x, y, marker)
    for judge in view.judges:
        _frontier(axes, judge, marks[judge.judge])
    _labels(axes, view, marks, tall)


def _top(view: ProfileView, left: float) -> float:
    highest = max((c.R for j in view.judges for c in j.vertices if left <= c.S), default=1.0)
    return min(1.025, max(0.2, highest * 1.12))


def _guides(axes: "Axes", view: ProfileView, left: float, top: float) -> None:
    axes.plot([0, 1], [1, 0], color=style.FRAME, linewidth=1, dashes=(5, 3), zorder=1.2)
    axes.axvline(view.floor, color=style.FRAME, linewidth=1, dashes=(1, 2), zorder=1.2)
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
        f"floor S = {view.floor:.2f}",
        (view.floor, top),
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


def _control(axes: "Axes", x: float, y: float, marker: str) -> None:
    axes.plot(
        x,
        y,
        marker=marker,
        markersize=6,
        markeredgewidth=1.4,
        color=style.QUIET,
        linestyle="none",
        zorder=2.2,
        clip_on=False,
    )


def _frontier(axes: "Axes", judge: JudgeView, mark: Mark) -> None:
    if judge.vertices:
        across, up = _steps(judge.vertices)
        dashes = mark.dashes or (None, None)
        axes.plot(across, up, color=mark.colour, linewidth=1.1, dashes=dashes, zorder=3)
        axes.plot(
            [c.S for c in judge.vertices],
            [c.R for c in judge.vertices],
            color=mark.colour,
            marker=mark.marker,
            markersize=4,
            markeredgecolor="white",
            markeredgewidth=0.4,
            linestyle="none",
            zorder=3.1,
        )
    point = judge.operating_point
    if point is not None:
        axes.plot(
            point.S,
            point.R,
            marker=mark.marker,
            markersize=6.5,
            color=mark.colour,
            markeredgecolor="white",
            markeredgewidth=0.5,
            linestyle="none",
            zorder=4,
        )
        axes.plot(
            point.S,
            point.R,
            marker="o",
            markersize=12,
            fillstyle="none",
            color=mark.colour,
            markeredgewidth=1.3,
            linestyle="none",
            zorder=4,
        )


def _steps(vertices: Sequence[Cut]) -> tuple[list[float], list[float]]:
    """The frontier as a line: level at a vertex' R down to the S of the next one, then up."""
    across, up = [vertices[0].S], [vertices[0].R]
    for before, after in pairwise(vertices):
        across += [after.S, after.S]
        up += [before.R, after.R]
    return across, up


def _labels(axes: "Axes", view: ProfileView, marks: dict[str, Mark], tall: float) -> None:
    """Names in the right margin, each with its mark and a line to its operating point."""
    low, high = axes.get_ylim()
    span = high - low
    controls = _inner_controls(view)
    gap = LABEL_LINE_INCHES / tall
    # Control judges stand at the foot of the margin, below every judge that was measured.
    foot = gap / 2 + len(controls) * gap
    anchors = [_anchor(judge) for judge in view.judges]
    wanted = [(max(min(a[1], high), low) - low) / span if a else 0.0 for a in anchors]
    places = style.spread(wanted, gap=gap, low=foot, high=1 - gap / 2)
    for judge, anchor, place in zip(view.judges, anchors, places, strict=True):
        mark = marks[judge.judge]
        y = low + place * span
        if anchor is not None and anchor[0] >= axes.get_xlim()[0]:
            _leader(axes, anchor, y)
        _sample(axes, y, mark.colour, mark.marker, mark.dashes)
        _name(axes, y, judge.judge, _reading(judge))
    for row, (control, s, r, marker) in enumerate(controls):
        y = low + (foot - (row + 1) * gap) * span
        _sample(axes, y, style.QUIET, marker, None)
        _name(axes, y, control.judge, f"control   S {s:.3f}   R {r:.3f}")


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


def _anchor(judge: JudgeView) -> tuple[float, float] | None:
    if judge.operating_point is not None:
        return (judge.operating_point.S, judge.operating_point.R)
    vertices = judge.vertices
    return (vertices[-1].S, vertices[-1].R) if vertices else None


def _reading(judge: JudgeView) -> str:
    point = judge.operating_point
    if point is None:
        return judge.status
    kind = "" if judge.status == "frontier" else f"{judge.status}   "
    return f"{kind}S {point.S:.3f}   R {point.R:.3f}"


def _description(view: ProfileView, notice: str) -> str:
    parts = [f"{notice[:1].upper()}{notice[1:]}." if notice else ""]
    parts.append(f"The floor is S = {view.floor:.2f}.")
    parts += [_told(judge, view.floor) for judge in view.judges]
    parts += [
        f"Control judge {judge.judge}: S = {judge.S:.3f}, R = {judge.R:.3f}."
        for judge in view.controls
        if judge.S is not None and judge.R is not None
    ]
    parts.append(
        "Corners: a judge that never moves is at S = 1, R = 0; one that always moves at "
        "S = 0, R = 1; the line S + R = 1 joins them."
    )
    return " ".join(part for part in parts if part)


def _told(judge: JudgeView, floor: float) -> str:
    point = judge.operating_point
    if point is None:
        return f"{judge.judge}: {judge.status}, {judge.reason or f'no cut at S ≥ {floor:.2f}'}."
    where = "" if point.tau is None else f" at cut {point.tau:g}"
    if judge.status != "frontier":
        return f"{judge.judge}: S = {point.S:.3f}, R = {point.R:.3f}{where}, {judge.status}."
    cuts = ", ".join(f"({c.S:.3f}, {c.R:.3f})" for c in judge.vertices)
    return f"{judge.judge}: S = {point.S:.3f}, R = {point.R:.3f}{where}; frontier (S, R) {cuts}."
