"""Where did each judge move between two studies? The (S, R) plane with an arrow for each judge."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgeprobe.report import style
from judgeprobe.report.canvas import Label, draw_labels, plane_axes, plane_size
from judgeprobe.report.compare import Comparison, JudgeChange
from judgeprobe.report.style import Mark, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["moves"]


def moves(comparison: Comparison, notice: str) -> Picture | None:
    """The operating points on the shared edits, other study open, reported one filled."""
    judges = [judge for judge in comparison.judges if len(judge.rates) > 1]
    if not judges:
        return None
    marks = style.marks_for([judge.judge for judge in judges])
    return Picture(
        name="compare",
        title="Each judge's operating point in both studies",
        description=_description(judges, notice),
        caption=(
            f"Open: {comparison.before.name}. Filled: "
            f"{comparison.after.name}. Both on the edits that both studies "
            "hold and both graded."
        ),
        notice=notice,
        draw=lambda figure: _draw(figure, comparison, judges, marks, notice),
        size=plane_size(len(judges)),
    )


def _places(judge: JudgeChange) -> tuple[tuple[float, float], tuple[float, float]]:
    s, r = judge.rates[:2]
    return (s.before, r.before), (s.after, r.after)


def _draw(
    figure: "Figure",
    comparison: Comparison,
    judges: Sequence[JudgeChange],
    marks: dict[str, Mark],
    notice: str,
) -> None:
    everywhere = [place for judge in judges for place in _places(judge)]
    floor = comparison.after.view.floor
    left = min([floor - 0.1, *(s - 0.02 for s, _ in everywhere)])
    left = round(left, 2) if left >= 0.5 else 0.0
    top = 1.025 if left == 0 else min(1.025, max(0.2, 1.12 * max(r for _, r in everywhere)))
    axes = plane_axes(figure, floor=floor, left=left, top=top, notice=notice)
    labels = []
    for judge in judges:
        mark, (before, after) = marks[judge.judge], _places(judge)
        _arrow(axes, before, after, mark)
        s, r = judge.rates[:2]
        reading = f"S {s.difference:+.3f}   R {r.difference:+.3f}".replace("-", "−")
        labels.append(Label(judge.judge, reading, mark.colour, mark.marker, mark.dashes, after))
    draw_labels(axes, labels)


def _arrow(
    axes: "Axes", before: tuple[float, float], after: tuple[float, float], mark: Mark
) -> None:
    axes.annotate(
        "",
        after,
        xytext=before,
        arrowprops={
            "arrowstyle": "-|>",
            "color": mark.colour,
            "linewidth": 1.1,
            "shrinkA": 4,
            "shrinkB": 5,
        },
        zorder=3,
    )
    for (s, r), face in ((before, "white"), (after, mark.colour)):
        axes.plot(
            s,
            r,
            marker=mark.marker,
            markersize=7,
            color=mark.colour,
            markerfacecolor=face,
            markeredgewidth=1.3,
            linestyle="none",
            zorder=4,
        )


def _description(judges: Sequence[JudgeChange], notice: str) -> str:
    parts = [f"{notice[:1].upper()}{notice[1:]}."] if notice else []
    for judge in judges:
        (s0, r0), (s1, r1) = _places(judge)
        parts.append(
            f"{judge.judge}: from S = {s0:.3f}, R = {r0:.3f} to S = {s1:.3f}, R = {r1:.3f}."
        )
    return " ".join(parts)
