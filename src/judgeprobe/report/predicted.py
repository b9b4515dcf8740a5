"""Which values shown are predicted, not measured, and does the register explain each of them?

A prediction whose place in the profile (its `measured_by`, or else its key) is still empty is shown
there, marked: `mean.S`, `mean.R`, `mean.R_AXIS` in the profile table and the plane, `gap.estimate`
in the contrast, `slots.SLOT` in the slot table. Every prediction is listed with its state.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.files import read_text
from judgeprobe.report.parts import Prediction
from judgeprobe.report.tabulate import Column, Table
from judgeprobe.report.view import ProfileView
from judgeprobe.study import Study

__all__ = ["PREDICTED", "Predicted", "predicted_values", "predictions_table", "require_register"]

REGISTER = "predictions.toml"
PREDICTED = "predicted, not measured"


@dataclass(frozen=True)
class Predicted:
    """Predicted values that stand where a measurement is missing.

    Attributes:
        mean: By "S", "R", "R_AXIS".
        gap: The contrast of the axes.
        slots: By slot.
    """

    mean: dict[str, float] = field(default_factory=dict)
    gap: float | None = None
    slots: dict[str, float] = field(default_factory=dict)

    @property
    def point(self) -> tuple[float, float] | None:
        """The predicted mean (S, R), where both are predicted."""
        if "S" in self.mean and "R" in self.mean:
            return self.mean["S"], self.mean["R"]
        return None


def predicted_values(view: ProfileView) -> Predicted:
    """The standing predictions whose places in the profile are empty."""
    mean: dict[str, float] = {}
    slots: dict[str, float] = {}
    gap = None
    rates = {row.slot: row.rate for row in view.slots}
    for one in view.predictions:
        if one.state != "standing":
            continue
        place = (one.measured_by or one.key).strip()
        if place.startswith("mean.") and (view.mean or {}).get(place[5:]) is None:
            mean[place[5:]] = one.value
        elif place == "gap.estimate" and (view.gap is None or view.gap.estimate is None):
            gap = one.value
        elif place.startswith("slots.") and rates.get(place[6:]) is None:
            slots[place[6:]] = one.value
    return Predicted(mean, gap, slots)


def require_register(study: Study, view: ProfileView) -> None:
    """Refuse a prediction that predictions.toml does not explain.

    Raises:
        InputError: profile.json shows a prediction that the register lacks, or holds with another
            value, basis or condition; or the register is not TOML.
    """
    if not view.predictions:
        return
    path = study.folder / REGISTER
    remedy = f"register it in {REGISTER}, or run again: judgeprobe profile {study.folder}"
    if not path.exists():
        raise InputError(
            f"shows the prediction `{view.predictions[0].key}`, but there is no {REGISTER}",
            file=study.profile_path,
            remedy=remedy,
        )
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML ({error})", file=path) from None
    register = {entry.get("key"): entry for entry in content.get("prediction", [])}
    for one in view.predictions:
        entry = register.get(one.key)
        if entry is None or not _explains(entry, one):
            what = "does not explain" if entry is None else "explains otherwise"
            raise InputError(
                f"shows the prediction `{one.key}` = {one.value:g}, which {REGISTER} {what}",
                file=study.profile_path,
                remedy=remedy,
            )


def _explains(entry: dict[str, object], one: Prediction) -> bool:
    return (
        entry.get("value") == one.value
        and entry.get("basis") == one.basis
        and entry.get("refuted_if") == one.refuted_if
    )


def predictions_table(
    rows: Sequence[Mapping[str, Any]], *, direction: str, notice: str, name: str = "predictions"
) -> Table:
    """A register of predictions with its current state.

    Args:
        rows: Predictions with their state, as profile.json and scores.json hold them.
        direction: Who set the direction of what is measured.
        notice: Drawn with the table.
        name: Of the table's files.
    """
    return Table(
        name=name,
        title="Register of predicted values",
        caption=(
            "Standing: nothing is measured yet that could refute it. Measured: its condition can "
            "be read and does not hold. Refuted: it holds."
        ),
        columns=(
            Column("key", "key"),
            Column("value", "predicted", "number"),
            Column("state", "state"),
            Column("measured", "measured", "number"),
            Column("basis", "basis"),
            Column("refuted_if", "refuted if"),
        ),
        rows=tuple(rows),
        direction=direction,
        notice=notice,
        marked=frozenset((row, "value") for row in range(len(rows))),
    )
