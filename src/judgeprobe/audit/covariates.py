"""Which covariates does the judge's error go with? The user's columns, and some ready to use.

A column of numbers is one covariate. A column without a number is a category: one indicator a
level, against the first level in sorted order, named `column=level`. A column that mixes both is
refused. Ready ones are asked for with a leading @: `@length` (characters, in hundreds),
`@formatting` (list items, headings, bold and code marks together), `@position` (place in the group,
in file order, from 0) and `@same-family` (1 where the answer's author is of the judge's family).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from judgeprobe.audit.grades_table import Table, codes, scores, texts
from judgeprobe.audit.residual_features import ready_features
from judgeprobe.errors import InputError
from judgeprobe.families import family_of
from judgeprobe.stats.arrays import Floats
from judgeprobe.tables.columns import numbers

__all__ = ["READY", "Covariates", "Ready", "covariates"]

READY = ("@length", "@formatting", "@position", "@same-family")
_MARKS = ("list_items", "headings", "bold", "code")
_MOST_LEVELS = 50


@dataclass(frozen=True)
class Ready:
    """Columns that the ready covariates read; None where not given.

    Attributes:
        text: The answer, for @length and @formatting.
        group: The question, for @position.
        author: Model that wrote the answer, for @same-family.
        judge_model: Model name of the judge, for @same-family (a name, not a column).
    """

    text: str | None = None
    group: str | None = None
    author: str | None = None
    judge_model: str | None = None

    @property
    def columns(self) -> list[str]:
        """The columns that are named."""
        return [name for name in (self.text, self.group, self.author) if name is not None]


@dataclass(frozen=True)
class Covariates:
    """Values, NaN where missing.

    Attributes:
        values: Shape (n, k).
        names: k names.
        references: First level of each category, by column.
    """

    values: Floats
    names: tuple[str, ...]
    references: dict[str, str]


def covariates(table: Table, asked: Sequence[str], ready: Ready) -> Covariates:
    """The covariates asked for, in that order.

    Raises:
        InputError: A ready one is unknown or lacks its column, a column mixes numbers and words,
            or a category has more than 50 levels.
    """
    values: list[Floats] = []
    names: list[str] = []
    references: dict[str, str] = {}
    for name in asked:
        if name.startswith("@"):
            values.append(_ready(table, name, ready))
            names.append(name.removeprefix("@"))
        elif _is_category(table, name):
            made, levels = _indicators(table, name)
            values += made
            names += [f"{name}={level}" for level in levels[1:]]
            references[name] = levels[0]
        else:
            values.append(scores(table, name))
            names.append(name)
    matrix = np.column_stack(values) if values else np.zeros((table.n, 0))
    return Covariates(matrix, tuple(names), references)


def _is_category(table: Table, name: str) -> bool:
    column = table.column(name)
    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_dictionary(kind)):
        return False
    # One number among the first rows settles it, without reading a large column twice.
    if not np.isnan(numbers(column.slice(0, 1000)).values).all():
        return False
    found, words = codes(table, name)
    if not words or {word.lower() for word in words} <= {"true", "false"}:
        return False
    parsed = numbers(column)
    return bool(parsed.wrong[found >= 0].all())


def _indicators(table: Table, name: str) -> tuple[list[Floats], list[str]]:
    found, levels = codes(table, name)
    if len(levels) > _MOST_LEVELS:
        raise InputError(
            f"`{name}` has {len(levels)} different words; a category has at most {_MOST_LEVELS}",
            file=table.path,
            remedy="merge levels, or give a column of numbers",
        )
    missing = found < 0
    made = [
        np.where(missing, np.nan, (found == code).astype(np.float64))
        for code in range(1, len(levels))
    ]
    # A single level is a constant: keep it, so that it is refused by name.
    return (made, levels) if made else ([np.ones(table.n)], [levels[0], levels[0]])


def _ready(table: Table, name: str, ready: Ready) -> Floats:
    if name not in READY:
        raise InputError(f"there is no covariate {name!r}", remedy=f"use {', '.join(READY)}")
    if name == "@same-family":
        return _same_family(table, ready)
    if name == "@position":
        found, _ = codes(table, _given(ready.group, name, "--group"))
        # Rows without a group have no place in one.
        made = ready_features(["@position"], {}, texts=None, against=None, groups=found)
        return np.where(found < 0, np.nan, made.dense[:, 0])
    column = _given(ready.text, name, "--text")
    words = texts(table, column)
    empty = np.array([not word for word in words])
    made = ready_features(
        [name], {}, texts=words, against=None, groups=np.zeros(table.n, dtype=np.int64)
    )
    kept = ("characters",) if name == "@length" else _MARKS
    total = made.dense[:, [made.names.index(each) for each in kept]].sum(axis=1)
    return np.where(empty, np.nan, total / 100 if name == "@length" else total)


def _given(value: str | None, name: str, option: str) -> str:
    if value is None:
        raise InputError(f"{name} needs {option}", remedy=f"give {option}")
    return value


def _same_family(table: Table, ready: Ready) -> Floats:
    judge = _given(ready.judge_model, "@same-family", "--judge-model")
    own = family_of(judge)
    if own is None:
        raise InputError(f"no family is known of the judge {judge!r}", remedy="give its full name")
    found, authors = codes(table, _given(ready.author, "@same-family", "--author"))
    told = [family_of(author) for author in authors]
    for author, family in zip(authors, told, strict=True):
        if family is None:
            raise InputError(
                f"no family is known of the author {author!r}",
                file=table.path,
                remedy="write 0 or 1 in a column of your own and give that as a covariate",
            )
    same = np.array([float(family == own) for family in told] + [np.nan])
    return same[found]
