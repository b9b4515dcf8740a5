"""How is Delta drawn? Both accuracies of each judge on one line, and the distance between them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from judgeprobe.report import style
from judgeprobe.report.charts import rows_axes
from judgeprobe.report.style import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["delta_picture"]

WIDTH, NAMES, READING = 7.0, 2.0, 1.9
ROW_INCHES = 0.42
BLINDED, INHERITED = "#011427", "#c26a24"


def delta_picture(judges: Sequence[Mapping[str, Any]], notice: str) -> Picture | None:
    """Accuracy against both sets, one row a judge with a verdict; None where there is none."""
    rows = [one for one in judges if one["sides"] is not None]
    if not rows:
        return None
    return Picture(
        name="blind_delta",
        title="Accuracy of each judge against inherited and blinded labels",
        description=" ".join([f"{notice[:1].upper()}{notice[1:]}.", *map(_told, rows)]),
        caption=(
            "Open: against the inherited labels. Filled: against the blinded majority. The line "
            "between them is Delta; its interval stands at the right."
        ),
        notice=notice,
        draw=lambda figure: _draw(figure, rows, notice),
        size=(WIDTH, 1.15 + ROW_INCHES * max(len(rows), 2)),
    )


def _told(one: Mapping[str, Any]) -> str:
    found = one["sides"]
    delta = found["delta"]
    return (
        f"{one['judge']}: {found['accuracy_inherited']['estimate']:.3f} inherited, "
        f"{found['accuracy_blinded']['estimate']:.3f} blinded, Delta {delta['estimate']:+.3f} "
        f"({delta['low']:+.3f} to {delta['high']:+.3f})."
    )


def _draw(figure: "Figure", rows: Sequence[Mapping[str, Any]], notice: str) -> None:
    names = [style.fit(one["judge"], points=8.5, width=NAMES - 0.15) for one in rows]
    axes = rows_axes(figure, names, NAMES, WIDTH - READING, 0.45)
    handles: dict[str, Any] = {}
    for row, one in enumerate(rows):
        found = one["sides"]
        before, after = (found[f"accuracy_{name}"]["estimate"] for name in ("inherited", "blinded"))
        axes.plot([before, after], [row, row], color=style.FRAME, linewidth=1.6, zorder=2)
        for name, value, colour, face in (
            ("inherited labels", before, INHERITED, "white"),
            ("blinded majority", after, BLINDED, BLINDED),
        ):
            (handles[name],) = axes.plot(
                value,
                row,
                marker="o" if name.startswith("blinded") else "D",
                markersize=7,
                color=colour,
                markerfacecolor=face,
                markeredgewidth=1.3,
                linestyle="none",
                zorder=3,
                clip_on=False,
            )
        delta = found["delta"]
        reading = f"Δ {delta['estimate']:+.3f}\n[{delta['low']:+.3f}, {delta['high']:+.3f}]"
        axes.text(
            1.03,
            row,
            reading.replace("-", "−"),
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=8,
            color=style.QUIET,
            linespacing=1.2,
        )
    axes.set_xlim(0, 1.02)
    axes.set_xlabel("accuracy (share of verdicts that are right)")
    style.watermark(axes, notice)
    axes.legend(
        list(handles.values()),
        list(handles),
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=2,
        frameon=False,
        fontsize=8.5,
        borderaxespad=0.2,
    )
