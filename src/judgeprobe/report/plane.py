"""Where does each judge stand between holding still and noticing? The (S, R) plane.

S runs to the right (verdicts held under edits that keep the construct), R upwards (verdicts changed
under edits that change it). After figures 3 and 5 of the construct-validity reference.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from judgeprobe.report import style
from judgeprobe.report.canvas import Label, draw_labels, plane_axes, plane_size
from judgeprobe.report.parts import Cut
from judgeprobe.report.style import Mark, Picture
from judgeprobe.report.view import ControlView, JudgeView, ProfileView

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plane", "plane_near_floor"]

CONTROL_MARKERS = ("x", "+", "1", "2")
CORNERS = {(1.0, 0.0), (0.0, 1.0)}


def plane(
    view: ProfileView,
    marks: dict[str, Mark],
    notice: str,
    predicted: tuple[float, float] | None = None,
) -> Picture:
    """The whole plane: frontiers, operating points, corners, S + R = 1 and the floor.

    Args:
        view: The profile.
        marks: Mark of each judge.
        notice: What the watermark says.
        predicted: A predicted mean (S, R), drawn as a star and labelled as predicted.
    """
    return Picture(
        name="plane",
        title="Invariance S against sensitivity R: the frontier of each judge",
        description=_description(view, notice, predicted),
        caption=(
            "Every small marker is an attained cut; at each S the line is level with the best R "
            "attained at that S or stricter. The ring is the operating point: the largest R among "
            f"cuts with S at least {view.floor:.2f}. A judge that never moves sits at (1, 0), one "
            "that always moves at (0, 1); on the dashed line between them S + R = 1 and what is "
            "gained in one is lost in the other. Grey marks are control judges."
        ),
        notice=notice,
        draw=lambda figure: _draw(figure, view, marks, notice, 0.0, predicted),
        size=_size(view, predicted),
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
        notice=notice,
        draw=lambda figure: _draw(figure, view, marks, notice, left),
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


def _size(view: ProfileView, predicted: tuple[float, float] | None = None) -> tuple[float, float]:
    return plane_size(len(view.judges) + len(_inner_controls(view)) + (predicted is not None))


def _draw(
    figure: "Figure",
    view: ProfileView,
    marks: dict[str, Mark],
    notice: str,
    left: float,
    predicted: tuple[float, float] | None = None,
) -> None:
    top = 1.025 if left == 0 else _top(view, left)
    axes = plane_axes(figure, floor=view.floor, left=left, top=top, notice=notice)
    foot = []
    for control, s, r, marker in _inner_controls(view):
        if s < left or r > top:
            continue
        _lone_mark(axes, s, r, marker)
        reading = f"control   S {s:.3f}   R {r:.3f}"
        foot.append(Label(control.judge, reading, style.QUIET, marker, None, None))
    for judge in view.judges:
        _frontier(axes, judge, marks[judge.judge])
    labels = [_label(judge, marks[judge.judge]) for judge in view.judges]
    if predicted is not None:
        s, r = predicted
        _lone_mark(axes, s, r, "*", size=11)
        reading = f"predicted   S {s:.3f}   R {r:.3f}"
        labels.append(Label("mean over judges †", reading, style.QUIET, "*", None, predicted))
    draw_labels(axes, labels, foot)


def _top(view: ProfileView, left: float) -> float:
    highest = max((c.R for j in view.judges for c in j.vertices if left <= c.S), default=1.0)
    return min(1.025, max(0.2, highest * 1.12))


def _lone_mark(axes: "Axes", x: float, y: float, marker: str, size: float = 6) -> None:
    axes.plot(
        x,
        y,
        marker=marker,
        markersize=size,
        markeredgewidth=1.4,
        fillstyle="none",
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


def _label(judge: JudgeView, mark: Mark) -> Label:
    return Label(
        judge.judge, _reading(judge), mark.colour, mark.marker, mark.dashes, _anchor(judge)
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


def _description(
    view: ProfileView, notice: str, predicted: tuple[float, float] | None = None
) -> str:
    parts = [f"{notice[:1].upper()}{notice[1:]}." if notice else ""]
    parts.append(f"The floor is S = {view.floor:.2f}.")
    parts += [_told(judge, view.floor) for judge in view.judges]
    parts += [
        f"Control judge {judge.judge}: S = {judge.S:.3f}, R = {judge.R:.3f}."
        for judge in view.controls
        if judge.S is not None and judge.R is not None
    ]
    if predicted is not None:
        s, r = predicted
        parts.append(f"Predicted, not measured: mean S = {s:.3f}, R = {r:.3f}.")
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
