"""Which edits are there, which axis does each move, and which words mark it?

A taxonomy is one TOML file (`probes/NAME.toml`, or a path of the user's own) with the marker lists
it names. Its hash covers every one of them and stands in every artifact made under it, so that
artifacts of two taxonomies are never mixed.
"""

import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from judgeprobe import resources
from judgeprobe.errors import InputError
from judgeprobe.files import read_text
from judgeprobe.records import Arm, Record, content_hash

__all__ = ["AnnotatorWords", "Constants", "Slot", "Taxonomy", "load_taxonomy"]


# What marks the axes of the shipped construct; a list that a taxonomy does not have marks nothing.
_OPERATORS = {"scope": ("quantifiers",), "strength": ("hedges", "intensifiers")}


class Constants(Record):
    """Numbers fixed before any judge is run.

    Attributes:
        agreement_bar: Smallest raw pairwise agreement at which a slot or axis is measurable.
        length_tolerance: Largest |length change| of a slot with bounded length, as a share.
        invariance_floor: Smallest S at which R is read.
        usable_share: Smallest share of a judge's grades that makes a grade usable.
    """

    agreement_bar: float = Field(0.75, ge=0, le=1)
    length_tolerance: float = Field(0.10, gt=0)
    invariance_floor: float = Field(0.90, ge=0, le=1)
    usable_share: float = Field(0.01, ge=0, le=1)


class Slot(Record):
    """One kind of edit.

    Attributes:
        axis: The axis it moves; "control" for the invariance arm.
        gloss: What the edit does, as put into prompts.
        length: "bounded" where the length tolerance applies; "free" where the operation itself
            changes the length.
        codebook: Text for annotators, where a user's own taxonomy gives it.
        waives: Mechanical gates that the operation itself would trip, or parts of them:
            "sentences" (their number), "lost_numbers" and "lost_entities" (leaving out a step may
            leave out a number; none may come in).
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    axis: str
    arm: Arm
    gloss: str
    length: Literal["bounded", "free"] = "bounded"
    codebook: str = ""
    waives: tuple[str, ...] = ()


class AnnotatorWords(Record):
    """What annotators are asked of a pair. The answer names the member that is worse.

    Attributes:
        question: Asked of the two members.
        answer: What the member that is named does: "A claims more".
        quote: What is quoted as the basis of the answer.
        member: What a member of a pair is called: "Sentence A".
    """

    question: str = "Which sentence claims more than the evidence licenses?"
    answer: str = "claims more"
    quote: str = "goes beyond the evidence"
    member: str = "sentence"


class Taxonomy(Record):
    """The slots, axes, constants and marker lists of one construct.

    Attributes:
        measures: The construct, in words.
        question: What a judge is asked.
        annotators: What annotators are asked.
        claims_more: What the verifier is asked for the record alone: what an edited text does that
            moved the construct.
        axes: Gloss of each axis.
        operators: Names of the marker lists whose words move each axis; a word of one axis's lists
            may not change under an edit of another.
        lists: Words and phrases of each marker list, lower case.
    """

    name: str
    version: int
    measures: str
    question: str
    constants: Constants = Constants()
    annotators: AnnotatorWords = AnnotatorWords()
    claims_more: str = (
        "the edited text claims more than the original: it covers more situations, or commits "
        "more firmly to them"
    )
    axes: Mapping[str, str]
    operators: Mapping[str, tuple[str, ...]] = Field(default_factory=lambda: dict(_OPERATORS))
    slots: tuple[Slot, ...]
    lists: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> "Taxonomy":
        names = [slot.name for slot in self.slots]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the slot `{name}` is there twice")
        for slot in self.slots:
            if slot.axis not in self.axes:
                raise ValueError(
                    f"the slot `{slot.name}` has the axis `{slot.axis}`, which `axes` lacks"
                )
            if (slot.axis == "control") != (slot.arm == "invariance"):
                raise ValueError(
                    f"the slot `{slot.name}`: axis `control` and arm `invariance` go together"
                )
        return self

    @cached_property
    def hash(self) -> str:
        """SHA-256 of everything in it, lists included."""
        return content_hash(self.model_dump(mode="json"))

    @cached_property
    def list_hashes(self) -> dict[str, str]:
        """SHA-256 of each marker list."""
        return {name: content_hash(list(words)) for name, words in self.lists.items()}

    @property
    def construct_axes(self) -> tuple[str, ...]:
        """The axes of the construct arm, in the order of the slots."""
        return tuple(dict.fromkeys(slot.axis for slot in self.slots if slot.arm == "construct"))

    def slot(self, name: str) -> Slot:
        """The slot of that name.

        Raises:
            InputError: There is none; the nearest name is offered.
        """
        for slot in self.slots:
            if slot.name == name:
                return slot
        raise InputError(
            f"the taxonomy {self.name} has no slot `{name}`",
            remedy="use one of " + ", ".join(slot.name for slot in self.slots),
        )


def load_taxonomy(name_or_path: str, *, relative_to: Path | None = None) -> Taxonomy:
    """A shipped taxonomy by its name, or one of the user's own by its path.

    Raises:
        InputError: The file is missing or does not describe a taxonomy.
    """
    if "/" in name_or_path or name_or_path.endswith(".toml"):
        path = (relative_to or Path()) / name_or_path
    else:
        try:
            path = resources.path("probes", f"{name_or_path}.toml")
        except FileNotFoundError:
            raise InputError(
                f"no taxonomy `{name_or_path}` is shipped",
                remedy="name a shipped one (claim-calibration) or give a path that ends in .toml",
            ) from None
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML ({error})", file=path) from None
    files = content.get("lists", {})
    content["lists"] = {name: _words(path.parent / file) for name, file in files.items()}
    try:
        return Taxonomy.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{place + ': ' if place else ''}{message}", file=path) from None


def _words(path: Path) -> tuple[str, ...]:
    lines = (line.strip() for line in read_text(path).split("\n"))
    return tuple(line for line in lines if line and not line.startswith("#"))
