"""What exactly is a model shown?

A prompt is a text file: sections that begin with a line `=== system`, `=== user`, `=== assistant`
or `=== completion`, and places written `{{name}}`. Lines before the first section that begin with
`#` are a comment. What is put into a place is never read again as part of the template, so a claim
that holds `{{evidence}}` or `=== user` stays a claim. The hash covers the sections, not the
comment and not the line ends.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from judgeprobe import resources
from judgeprobe.errors import InputError
from judgeprobe.files import read_text
from judgeprobe.records import content_hash

__all__ = ["Template", "load_template", "parse_template"]

_SECTION = re.compile(r"^===[ \t]*(\w+)[ \t]*$", re.MULTILINE)
_PLACE = re.compile(r"\{\{[ \t]*(\w+)[ \t]*\}\}")
_ROLES = ("system", "user", "assistant", "completion")


@dataclass(frozen=True)
class Template:
    """A prompt with places.

    Attributes:
        name: As study.toml names it.
        sections: (role, text) in the order of the file.
    """

    name: str
    sections: tuple[tuple[str, str], ...]

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the sections (64 hex digits); the name is not in it."""
        return content_hash([list(section) for section in self.sections])

    @cached_property
    def places(self) -> frozenset[str]:
        """Names of the places."""
        return frozenset(name for _, text in self.sections for name in _PLACE.findall(text))

    @property
    def is_completion(self) -> bool:
        """Whether it is one text to continue, for a model without a chat format."""
        return self.sections[0][0] == "completion"

    def messages(self, values: Mapping[str, str]) -> tuple[dict[str, str], ...]:
        """The chat messages with every place filled.

        Raises:
            InputError: A place has no value, or the template is a completion prompt.
        """
        if self.is_completion:
            raise InputError(f"the prompt `{self.name}` is a completion prompt, not a chat")
        return tuple(
            {"role": role, "content": self._fill(pieces, values)}
            for (role, _), pieces in zip(self.sections, self._pieces, strict=True)
        )

    def completion(self, values: Mapping[str, str]) -> str:
        """The text to continue, with every place filled.

        Raises:
            InputError: A place has no value, or the template is a chat.
        """
        if not self.is_completion:
            raise InputError(f"the prompt `{self.name}` is a chat, not a completion prompt")
        return self._fill(self._pieces[0], values)

    def check(
        self, allowed: frozenset[str] | set[str], required: frozenset[str] | set[str]
    ) -> None:
        """Refuse a template whose places are not the ones that will be filled.

        Raises:
            InputError: It names the place.
        """
        for name in sorted(self.places - allowed):
            raise InputError(
                f"the prompt `{self.name}` has the place {{{{{name}}}}}, which nothing fills",
                remedy="use one of " + ", ".join(sorted(allowed)),
            )
        for name in sorted(required - self.places):
            raise InputError(
                f"the prompt `{self.name}` never shows {{{{{name}}}}}",
                remedy=f"write {{{{{name}}}}} where it belongs",
            )

    @cached_property
    def _pieces(self) -> tuple[tuple[str, ...], ...]:
        """Of each section: text, name of a place, text, name of a place, ..., text."""
        return tuple(tuple(_PLACE.split(text)) for _, text in self.sections)

    def _fill(self, pieces: tuple[str, ...], values: Mapping[str, str]) -> str:
        # What is put in is joined, and so never searched for places.
        try:
            return "".join(
                values[piece] if number % 2 else piece for number, piece in enumerate(pieces)
            )
        except KeyError as error:
            raise InputError(
                f"the prompt `{self.name}` has no value for {{{{{error.args[0]}}}}}"
            ) from None


def parse_template(text: str, *, name: str, file: Path | str | None = None) -> Template:
    """A template from the text of its file.

    Raises:
        InputError: There is no section, an unknown one, an empty one, text before the first, or a
            completion section beside others.
    """
    text = text.replace("\r\n", "\n")
    where = file or name
    marks = list(_SECTION.finditer(text))
    if not marks:
        raise InputError(
            "has no section", file=where, remedy="begin a section with a line `=== user`"
        )
    for line in text[: marks[0].start()].split("\n"):
        if line.strip() and not line.startswith("#"):
            raise InputError(
                f"has text before its first section ({line[:40]!r})",
                file=where,
                remedy="put it into a section, or begin the line with #",
            )
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    sections = []
    for mark, end in zip(marks, ends, strict=True):
        role, body = mark[1].lower(), text[mark.end() : end].strip("\n")
        if role not in _ROLES:
            raise InputError(
                f"has the section `{role}`", file=where, remedy="use one of " + ", ".join(_ROLES)
            )
        if not body.strip():
            raise InputError(f"has an empty section `{role}`", file=where, remedy="remove it")
        sections.append((role, body))
    if len(sections) > 1 and any(role == "completion" for role, _ in sections):
        raise InputError(
            "has a completion section beside others", file=where, remedy="keep one or the other"
        )
    if sections[-1][0] == "system":
        raise InputError("has no user section", file=where, remedy="add a line `=== user`")
    return Template(name=name, sections=tuple(sections))


def load_template(name_or_path: str, *, relative_to: Path | None = None) -> Template:
    """A shipped prompt by its name ("judge.v1"), or one of the user's own by its path.

    A name with a slash or the ending .txt or .md is a path, relative to the study folder.

    Raises:
        InputError: It is missing or is no template.
    """
    if "/" in name_or_path or name_or_path.endswith((".txt", ".md")):
        path = (relative_to or Path()) / name_or_path
    else:
        try:
            path = resources.path("prompts", f"{name_or_path}.txt")
        except FileNotFoundError:
            raise InputError(
                f"no prompt `{name_or_path}` is shipped",
                remedy="name a shipped one (judge.v1) or give a path that ends in .txt",
            ) from None
    return parse_template(read_text(path), name=name_or_path, file=path)
