"""How does a prompt that somebody already uses become one of ours?

A production prompt shows its texts at places of its own: `{context}`, `{{answer}}`, `${source}`,
`%(claim)s`. The two places that we fill, evidence and claim, are named by the user or stand there
under these very names; nothing is guessed. Everything else stays as it is, letter for letter. Where
the prompt is written for Python's `str.format` (its other braces are doubled), doubled braces
become single ones, as `str.format` would send them.
"""

import json
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judgeprobe.errors import InputError
from judgeprobe.llm.templates import Template, parse_template

__all__ = ["Adopted", "FoundPlace", "adopt_prompt", "find_places"]

_NAME = r"[A-Za-z_][\w.-]*"
_STYLES: dict[str, re.Pattern[str]] = {
    "{{}}": re.compile(rf"\{{\{{[ \t]*({_NAME})[ \t]*\}}\}}"),
    "${}": re.compile(rf"\$\{{({_NAME})\}}"),
    "{}": re.compile(rf"(?<![{{$])\{{({_NAME})\}}(?!\}})"),
    "%()s": re.compile(rf"%\(({_NAME})\)s"),
}
_NEEDED = ("evidence", "claim")
_USUAL = {
    "evidence": (
        "context", "source", "sources", "document", "documents", "reference", "passage", "contexts",
        "retrieved_context", "source_text", "premise", "article", "grounding", "facts",
    ),
    "claim": (
        "answer", "response", "output", "statement", "completion", "prediction", "submission",
        "candidate", "summary", "hypothesis", "sentence", "text", "reply",
    ),
}  # fmt: skip
_SECTION = re.compile(r"^===[ \t]*(system|user|assistant|completion)[ \t]*$", re.M | re.I)
_JINJA = re.compile(r"\{%.*?%\}")
_REPLY_KEYS = {
    False: re.compile(r"\"(\w*(?:score|grade|rating|points)\w*)\"\s*:", re.IGNORECASE),
    True: re.compile(r"\"(\w*(?:verdict|label|decision|result|judg)\w*)\"\s*:", re.IGNORECASE),
}


@dataclass(frozen=True)
class FoundPlace:
    """A place of a foreign prompt.

    Attributes:
        name: Its name.
        written: As it stands in the prompt.
        style: How it is written: "{{}}", "${}", "{}" or "%()s".
    """

    name: str
    written: str
    style: str


@dataclass(frozen=True)
class Adopted:
    """A foreign prompt as one of ours.

    Attributes:
        text: The file of the template.
        template: The same, parsed.
        mapped: What each place became, as (written, field or text).
        notes: What was done beside filling the two places.
    """

    text: str
    template: Template
    mapped: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def find_places(text: str) -> tuple[FoundPlace, ...]:
    """The places of a prompt, each name and style once, in the order of the text."""
    found: dict[tuple[int, str], FoundPlace] = {}
    for style, pattern in _STYLES.items():
        for match in pattern.finditer(text):
            found[match.start(), style] = FoundPlace(match[1], match[0], style)
    places = {(p.name, p.style): p for _, p in sorted(found.items(), reverse=True)}
    return tuple(reversed(list(places.values())))


def adopt_prompt(
    text: str,
    *,
    file: Path | str,
    fields: Mapping[str, str | None],
    fill: Mapping[str, str] | None = None,
    continues: bool = False,
    begins: str | None = None,
    words: bool = False,
) -> Adopted:
    """A production prompt as a template of ours.

    Args:
        text: The prompt: plain text, our sections, or a JSON list of chat messages.
        file: Its name, for errors.
        fields: The user's place of "evidence" and of "claim"; None where it bears our name.
            A place may be named, or given as the exact text that stands for it ("[CLAIM]").
        fill: Texts of other places, the same in every call.
        continues: Whether it is for a model that continues a text (no chat format).
        begins: What the reply begins with then; worked out from the prompt where None.
        words: Whether the grade is a word and not a number.

    Raises:
        InputError: A place is missing, unknown or left over; the line names those found and those
            needed.
    """
    text = text.replace("\r\n", "\n")
    if not text.strip():
        raise InputError("is empty", file=file, remedy="give the file of your judge's prompt")
    if statement := _JINJA.search(text):
        raise InputError(
            f"holds the Jinja statement {statement[0]!r}, which is not run",
            file=file,
            remedy="write the prompt as it is sent, with plain places",
        )
    sections = _sections(text, file)
    whole = "\n\n".join(body for _, body in sections)
    chosen = {name: _chosen(whole, name, fields.get(name), file) for name in _NEEDED}
    if chosen["evidence"] == chosen["claim"]:
        raise InputError(
            f"{chosen['claim']} cannot be the evidence and the claim", file=file, remedy=_HOW
        )
    styles = {place.style for place in find_places(whole) if place.written in chosen.values()}
    named = _mapping(whole, chosen, fill or {}, styles, file)
    doubled = styles == {"{}"} and _is_format(whole)
    parts = [(role, _replaced(body, named, doubled=doubled)) for role, body in sections]
    notes = ["doubled braces became single ones, as str.format sends them"] if doubled else []
    if continues:
        begins = _reply_start(whole, words=words) if begins is None else begins
        parts = [("completion", "\n\n".join(body.strip("\n") for _, body in parts) + f"\n{begins}")]
        notes.append(f"the model continues the text, which now ends in {begins!r}")
    body = "".join(f"=== {role}\n{content.strip(chr(10))}\n" for role, content in parts)
    mapped = tuple((written, target.strip("{}")) for written, target in named.items())
    heading = "".join(f"#   {_one_line(w)} -> {_one_line(t)}\n" for w, t in mapped)
    source = f"# Made from {Path(file).name} by `judgeprobe new --judge-prompt`. Places:\n"
    full = f"{source}{heading}{body}"
    template = parse_template(full, name=Path(file).name, file=file)
    template.check(set(_NEEDED), set(_NEEDED))
    return Adopted(full, template, mapped, tuple(notes))


_HOW = "name your places with --evidence-field and --claim-field"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:80]


def _sections(text: str, file: Path | str) -> list[tuple[str, str]]:
    """(role, text) of each part; one user part where the prompt has none."""
    if text.lstrip().startswith("[") and str(file).lower().endswith(".json"):
        return _messages(text, file)
    marks = list(_SECTION.finditer(text))
    if not marks:
        return [("user", text)]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [(m[1].lower(), text[m.end() : end]) for m, end in zip(marks, ends, strict=True)]


def _messages(text: str, file: Path | str) -> list[tuple[str, str]]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON (line {error.lineno})", file=file) from None
    found = []
    for row, message in enumerate(value, start=1):
        if not isinstance(message, dict) or not isinstance(message.get("content"), str):
            raise InputError(
                "is no chat message with a text as its content",
                file=file,
                row=row,
                remedy='give [{"role": "user", "content": "..."}]',
            )
        found.append((str(message.get("role", "user")), message["content"]))
    return found


def _chosen(text: str, field: str, given: str | None, file: Path | str) -> str:
    """The place of one of our two fields, as it stands in the prompt."""
    places = find_places(text)
    name = field if given is None else given
    matching = {place.written for place in places if place.name == name}
    if len({w.replace(" ", "") for w in matching}) == 1:
        return sorted(matching)[0]
    if len(matching) > 1:
        raise InputError(
            f"writes the place `{name}` in {len(matching)} ways ({', '.join(sorted(matching))})",
            file=file,
            remedy=f"give the exact text: --{field}-field '{sorted(matching)[0]}'",
        )
    # A bare word is a wrong name and not a marker: it may stand anywhere in the prompt.
    if given and not re.fullmatch(_NAME, given) and given in text:
        return given
    shown = ", ".join(dict.fromkeys(place.written for place in places)) or "none"
    missing = f"has no place `{name}`" if given else f"does not say where the {field} stands"
    raise InputError(
        f"{missing}; places found: {shown}; needed: one for the evidence and one for the claim",
        file=file,
        remedy=_suggestion(places),
    )


def _suggestion(places: tuple[FoundPlace, ...]) -> str:
    names = [place.name for place in places]
    found = {
        field: next((n for n in names if n == field or n.lower() in _USUAL[field]), "NAME")
        for field in _NEEDED
    }
    return f"add --evidence-field {found['evidence']} --claim-field {found['claim']}"


def _mapping(
    text: str,
    chosen: Mapping[str, str],
    fill: Mapping[str, str],
    styles: set[str],
    file: Path | str,
) -> dict[str, str]:
    """What stands in the place of each written place."""
    named = {written: f"{{{{{field}}}}}" for field, written in chosen.items()}
    ours = {place.name for place in find_places(text) if place.written in named}
    unused = set(fill)
    left = []
    for place in find_places(text):
        if place.style not in styles:
            continue
        if place.name in ours:
            field = next(f for f, w in chosen.items() if place.name == _name_of(text, w))
            named[place.written] = f"{{{{{field}}}}}"
        elif place.name in fill:
            named[place.written] = fill[place.name]
            unused.discard(place.name)
        else:
            left.append(place)
    if left:
        raise InputError(
            f"has the place {left[0].written}, which nothing fills",
            file=file,
            remedy=f'give its text: --fill {left[0].name}="..." (the same in every call), or take '
            "it out",
        )
    if unused:
        raise InputError(f"has no place `{sorted(unused)[0]}` for --fill", file=file)
    return named


def _name_of(text: str, written: str) -> str:
    return next((p.name for p in find_places(text) if p.written == written), written)


def _is_format(text: str) -> bool:
    """Whether `str.format` would take it: every brace is doubled or holds a plain name."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        return False
    return all(
        name is None or (re.fullmatch(_NAME, name) and not spec and not conversion)
        for _, name, spec, conversion in parts
    )


def _replaced(text: str, named: Mapping[str, str], *, doubled: bool) -> str:
    """The text with our places; what is put in is never searched again."""
    # White space inside the braces does not make another place.
    pattern = "|".join(_spaced(written) for written in sorted(named, key=len, reverse=True))
    compact = {written.replace(" ", "").replace("\t", ""): to for written, to in named.items()}
    found: list[str] = []
    position = 0
    for match in re.finditer(pattern, text):
        found.append(_undoubled(text[position : match.start()], doubled=doubled))
        found.append(compact[match[0].replace(" ", "").replace("\t", "")])
        position = match.end()
    return "".join([*found, _undoubled(text[position:], doubled=doubled)])


def _spaced(written: str) -> str:
    inner = _STYLES["{{}}"].fullmatch(written)
    if inner is None:
        return re.escape(written)
    return rf"\{{\{{[ \t]*{re.escape(inner[1])}[ \t]*\}}\}}"


def _undoubled(text: str, *, doubled: bool) -> str:
    return text.replace("{{", "{").replace("}}", "}") if doubled else text


def _reply_start(text: str, *, words: bool) -> str:
    """What stands before the grade in a reply: the prompt's own JSON key, or "Score: "."""
    keys = list(_REPLY_KEYS[words].finditer(text))
    opening = '"' if words else ""
    if keys:
        return f'{{"{keys[-1][1]}": {opening}'
    return "Verdict: " if words else "Score: "
