"""How is the blinded set drawn, labelled and scored? The `[blind]` table."""

import re
from typing import Any

from pydantic import Field, field_validator, model_validator

from judgeprobe.settings.base import SettingsTable

__all__ = ["BlindSettings", "class_key"]

CLASSES = ("clean", "anchored", "over-scoped", "unsupported")
# A workbook holds its list of answers in one text of at most 255 characters.
_LIST_LIMIT = 255


class BlindSettings(SettingsTable):
    """`[blind]` of study.toml.

    Attributes:
        classes: What an annotator chooses from.
        holds: Classes of sentences that do not claim more than the evidence licenses; a verdict
            "holds" is right for these and "overreaches" for the others.
        original: Class that the original of a pair inherits, and an edit that keeps the construct.
        edited: Class that an edit which changes the construct inherits.
        annotators: Names that stand on sheets and in labels; not people's own.
        arms: Arms of the study whose pairs are taken.
        per_base: Most edits taken of a base item, drawn by the secret; all where None.
        codebook: A codebook of your own, Markdown, relative to the study.
        columns: Names of the columns of `--units`, by field name, where they differ.
        resamples: Bootstrap draws of groups.
        flips: Sign patterns of the test of Delta.
        permutations: Label vectors in the null of validation power.
    """

    classes: tuple[str, ...] = CLASSES
    holds: tuple[str, ...] = CLASSES[:2]
    original: str = CLASSES[0]
    edited: str = CLASSES[2]
    annotators: tuple[str, ...] = ("annotator-1", "annotator-2", "annotator-3")
    arms: tuple[str, ...] = ("construct", "invariance")
    per_base: int | None = Field(None, ge=1)
    codebook: str | None = None
    columns: dict[str, str] = Field(default_factory=dict)
    resamples: int = Field(10_000, ge=100)
    flips: int = Field(10_000, ge=100)
    permutations: int = Field(100, ge=19)

    @field_validator("annotators")
    @classmethod
    def _names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(value) < 3:
            raise ValueError("a majority needs three annotators or more")
        for name in value:
            if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", name):
                raise ValueError(f"`{name}` is no name for a file (letters, digits, - and _)")
        if len({name.casefold() for name in value}) < len(value):
            raise ValueError("two annotators have one name")
        return value

    @field_validator("arms")
    @classmethod
    def _arms(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not set(value) <= {"construct", "invariance"} or "construct" not in value:
            raise ValueError('give "construct", and "invariance" where its edits are labelled too')
        return value

    @model_validator(mode="after")
    def _check(self) -> "BlindSettings":
        if len({class_key(name) for name in self.classes}) < max(len(self.classes), 2):
            raise ValueError("`classes` needs two different names or more")
        if len(",".join(self.classes)) > _LIST_LIMIT or any("," in name for name in self.classes):
            raise ValueError(f"`classes` may have {_LIST_LIMIT} characters in all and no comma")
        if any(not class_key(name) for name in self.classes):
            raise ValueError("a class needs a letter or a digit in its name")
        for what, names in (
            ("holds", self.holds),
            ("original", (self.original,)),
            ("edited", (self.edited,)),
        ):
            unknown = [name for name in names if name not in self.classes]
            if unknown:
                raise ValueError(f"`{what}` names `{unknown[0]}`, which is none of the classes")
        if not set(self.holds) < set(self.classes) or not self.holds:
            raise ValueError("`holds` must name some of the classes and not all")
        if self.original not in self.holds or self.edited in self.holds:
            raise ValueError("`original` must be among `holds`, and `edited` must not")
        return self

    def read_class(self, text: Any) -> str | None:
        """The class that a cell means; None where it means none.

        Capitals, spaces, hyphens and underscores do not count.
        """
        key = class_key(str(text))
        return next((name for name in self.classes if class_key(name) == key), None)


def class_key(text: str) -> str:
    """The letters and digits of a class name, in small letters."""
    return "".join(mark for mark in text.casefold() if mark.isalnum())
