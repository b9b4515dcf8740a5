"""How is one table written as CSV, Markdown, LaTeX and HTML without its numbers drifting apart?

A table is rows of plain values under named columns. CSV carries the values as they are; the three
forms that people read carry the same values rounded, an interval beside its estimate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["MISSING", "Column", "Table", "show"]

MISSING = "–"
Kind = Literal["text", "name", "count", "rate", "signed", "number", "p"]

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "–": "--",
    "−": "$-$",
    "\u00a0": "~",
    "≥": r"$\geq$",
    "τ": r"$\tau$",
    "†": r"\textsuperscript{\textdagger}",
}


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        key: Its name in CSV.
        head: Its heading for people.
        kind: "text"; "name" (text whose underscores are shown as spaces); "count"; "rate" (three
            decimals); "signed" (with its sign); "number" (as short as it can be written); "p" (a
            p-value, four decimals).
        ends: Keys of the lower and the upper end of its interval, shown in brackets.
        at: Key of the S that it was measured at, shown behind it.
    """

    key: str
    head: str
    kind: Kind = "text"
    ends: tuple[str, str] | None = None
    at: str = ""

    @property
    def is_text(self) -> bool:
        """Whether its cells are words and stand at the left."""
        return self.kind in ("text", "name")

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns it fills in CSV."""
        return (self.key, *(self.ends or ()), *((self.at,) if self.at else ()))


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        name: File name without ending.
        title: One line.
        caption: How to read it.
        rows: Values by key; a key that is missing or None has no value.
        direction: "human" or "construction"; a column of the CSV, so that a file that travels
            alone still says it.
        notice: What must be said of every number in it, or "".
        marked: Places (row, key) of predicted values, shown with a dagger.
    """

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Any], ...]
    direction: str
    notice: str = ""
    marked: frozenset[tuple[int, str]] = frozenset()

    def csv_columns(self) -> list[str]:
        """Names of the CSV's columns."""
        names = [key for column in self.columns for key in column.keys]
        return [*names, *(["predicted"] if self.marked else []), "direction"]

    def csv_rows(self) -> list[list[Any]]:
        """Values of the CSV, unrounded."""
        found = []
        for number, row in enumerate(self.rows):
            values = [row.get(key) for column in self.columns for key in column.keys]
            if self.marked:
                values.append(" ".join(sorted(key for n, key in self.marked if n == number)))
            found.append([*values, self.direction])
        return found

    def shown(self) -> list[list[str]]:
        """Cells for people."""
        return [
            [
                show(row, column) + ("†" if (number, column.key) in self.marked else "")
                for column in self.columns
            ]
            for number, row in enumerate(self.rows)
        ]

    def foot(self) -> str:
        """Caption and notice in one paragraph."""
        told = f"{self.notice[:1].upper()}{self.notice[1:]}." if self.notice else ""
        dagger = "† predicted, not measured." if self.marked else ""
        return " ".join(part for part in (self.caption, dagger, told) if part)

    def markdown(self) -> str:
        """A pipe table under its title, caption below."""
        head = "| " + " | ".join(_md(c.head) for c in self.columns) + " |"
        rule = "|" + "|".join(" --- " if c.is_text else " ---: " for c in self.columns) + "|"
        body = ["| " + " | ".join(_md(cell) for cell in row) + " |" for row in self.shown()]
        return "\n".join(
            [f"**{_md(self.title)}**", "", head, rule, *body, "", _md(self.foot()), ""]
        )

    def latex(self) -> str:
        """A table with booktabs rules; the document needs the package booktabs."""
        shape = "".join("l" if column.is_text else "r" for column in self.columns)
        lines = [
            r"\begin{table}",
            rf"\caption{{{_tex(self.title)}. {_tex(self.foot())}}}",
            rf"\label{{tab:{self.name}}}",
            rf"\begin{{tabular}}{{{shape}}}",
            r"\toprule",
            " & ".join(_tex(column.head) for column in self.columns) + r" \\",
            r"\midrule",
            *(" & ".join(_tex(cell) for cell in row) + r" \\" for row in self.shown()),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
        return "\n".join(lines)


def show(row: Mapping[str, Any], column: Column) -> str:
    """One cell for people: the value rounded, its interval in brackets."""
    value = row.get(column.key)
    if value is None or value == "":
        return MISSING
    told = _value(value, column.kind)
    if column.at and row.get(column.at) is not None:
        return f"{told} (S {_value(row[column.at], 'rate')})"
    if column.ends is None:
        return told
    low, high = (row.get(key) for key in column.ends)
    if low is None or high is None:
        return told
    return f"{told} [{_value(low, column.kind)}, {_value(high, column.kind)}]"


def _value(value: Any, kind: Kind) -> str:
    if kind == "name":
        return str(value).replace("_", " ")
    if kind in ("text", "count") or isinstance(value, str):
        return str(value)
    if kind == "rate":
        return f"{value:.3f}"
    if kind == "signed":
        return f"{value:+.3f}".replace("-", "−")
    if kind == "p":
        return f"{value:.4f}" if value >= 0.00005 else "< 0.0001"
    return f"{value:.6g}".replace("-", "−")


def _md(text: str) -> str:
    flat = " ".join(text.split())
    for character in "\\`*_[]<>|#":
        flat = flat.replace(character, f"\\{character}")
    return flat


def _tex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))
