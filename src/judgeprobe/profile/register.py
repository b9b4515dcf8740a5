"""What was predicted before it was measured, and how does each prediction stand now?

`predictions.toml` in the study folder, one `[[prediction]]` a value: `key`, `value`, `basis` (why),
`refuted_if` (an expression over profile.json, or absent for a design parameter) and optionally
`measured_by` (an expression for the measured value). A prediction stands until the profile holds
what its condition reads; then it is measured, or refuted.
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from judgeprobe.errors import InputError
from judgeprobe.files import read_text
from judgeprobe.profile.expressions import evaluate
from judgeprobe.records import Record

__all__ = ["REGISTER", "Prediction", "evaluated", "read_register"]

REGISTER = "predictions.toml"


class Prediction(Record):
    """One predicted value.

    Attributes:
        key: Its name; unique in the register.
        value: What was predicted.
        basis: The reasoning that produced it.
        refuted_if: Expression over profile.json that is true when it is refuted.
        measured_by: Expression over profile.json that gives the measured value.
    """

    key: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$")
    value: float
    basis: str = Field(min_length=1)
    refuted_if: str | None = None
    measured_by: str | None = None


def read_register(path: Path) -> list[Prediction]:
    """A study's register.

    Raises:
        InputError: It is not TOML, an entry lacks a field or has an unknown one, or a key is there
            twice.
    """
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML ({error})", file=path) from None
    unknown = sorted(set(content) - {"prediction"})
    entries = content.get("prediction", [])
    if unknown or not isinstance(entries, list):
        raise InputError(
            f"unknown table `{unknown[0]}`" if unknown else "`prediction` is no list of tables",
            file=path,
            remedy="give each prediction as [[prediction]]",
        )
    found: list[Prediction] = []
    for row, entry in enumerate(entries, start=1):
        try:
            found.append(Prediction.model_validate(entry))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise InputError(f"`{place}`: {first['msg'].lower()}", file=path, row=row) from None
        if found[-1].key in {one.key for one in found[:-1]}:
            raise InputError(f"the key `{found[-1].key}` is there twice", file=path, row=row)
    return found


def evaluated(
    register: Sequence[Prediction], profile: Mapping[str, Any], *, file: Path
) -> list[dict[str, Any]]:
    """`predictions[]` of profile.json: every prediction with its current state.

    "standing": nothing is measured that could refute or replace it. "refuted": its condition holds.
    "measured": the profile holds what the condition reads, and it does not hold (or there is no
    condition and `measured_by` has a value).

    Raises:
        InputError: An expression is not one.
    """
    rows = []
    for row, one in enumerate(register, start=1):
        try:
            refuted = None if one.refuted_if is None else evaluate(one.refuted_if, profile)
            measured = None if one.measured_by is None else evaluate(one.measured_by, profile)
        except InputError as error:
            raise InputError(error.problem, file=file, row=row, remedy=f"see `{one.key}`") from None
        if refuted is not None and bool(refuted):
            state = "refuted"
        elif refuted is not None or (one.refuted_if is None and measured is not None):
            state = "measured"
        else:
            state = "standing"
        rows.append({**one.model_dump(mode="json"), "state": state, "measured": measured})
    return rows
