"""`judgeprobe new DIR`: a commented study folder, or one around a judge prompt that exists."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgeprobe.cli.common import JsonOption, note, print_json, verb

if TYPE_CHECKING:
    from judgeprobe.records import Scale

__all__ = ["new", "write_study"]

SEED = 20270101
# Below this many base items no interval says anything, and the planted control may miss.
FEW_ITEMS = 20


def _own(flag: str, metavar: str, text: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=f"With --judge-prompt: {text}")


@verb
def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to make.")],
    judge_prompt: Annotated[
        Path | None,
        typer.Option(
            "--judge-prompt",
            metavar="FILE",
            help="Your judge's own prompt: make a study that `judgeprobe run` takes as it is.",
        ),
    ] = None,
    model: Annotated[
        str | None, _own("--model", "MODEL", "its model; the embedded one where not given.")
    ] = None,
    base_url: Annotated[
        str | None, _own("--base-url", "URL", "an OpenAI-compatible endpoint of your own.")
    ] = None,
    family: Annotated[
        str | None, _own("--family", "NAME", "the model's vendor, where its name does not tell.")
    ] = None,
    scale: Annotated[
        str | None,
        _own("--scale", "LOW,HIGH,STEP", "its grades; 0,5,0.25 where not given."),
    ] = None,
    words: Annotated[
        str | None,
        _own("--words", "WORD=GRADE,...", 'words for grades: "pass=1,fail=0" (scale 0,1,1 then).'),
    ] = None,
    parser: Annotated[
        str | None,
        _own(
            "--parser",
            "REGEX|MODULE:FUNCTION",
            "how its replies are read: a regular expression whose first group is the grade, or a "
            "function (text) -> grade; judgeprobe's own reader where not given.",
        ),
    ] = None,
    evidence_field: Annotated[
        str | None,
        _own("--evidence-field", "NAME", "the prompt's place for the evidence."),
    ] = None,
    claim_field: Annotated[
        str | None, _own("--claim-field", "NAME", "the prompt's place for the text that is judged.")
    ] = None,
    fill: Annotated[
        list[str] | None,
        _own("--fill", "NAME=TEXT", "the text of another place of the prompt; repeatable."),
    ] = None,
    reply_begins: Annotated[
        str | None,
        _own(
            "--reply-begins",
            "TEXT",
            "for a model without a chat format: what its reply begins with, just before the grade.",
        ),
    ] = None,
    items: Annotated[
        str | None,
        _own("--items", "FILE", "your own items (CSV, TSV, JSONL, Parquet, or hf:owner/name)."),
    ] = None,
    column: Annotated[
        list[str] | None,
        _own("--column", "FIELD=NAME", "a column of your items under another name; repeatable."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="With --judge-prompt: use the first N items."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a study folder with a commented study.toml, or around a judge prompt of your own.

    With --judge-prompt the prompt is copied, its places are mapped, and what you gave is checked;
    the next command then ends in a page that lists the edits your judge missed.
    """
    own = {
        "--model": model,
        "--base-url": base_url,
        "--family": family,
        "--scale": scale,
        "--words": words,
        "--parser": parser,
        "--evidence-field": evidence_field,
        "--claim-field": claim_field,
        "--fill": fill,
        "--reply-begins": reply_begins,
        "--items": items,
        "--column": column,
        "--limit": limit,
    }
    if judge_prompt is not None:
        _new_own(folder, judge_prompt, own, as_json=as_json)
        return
    for flag, given in own.items():
        if given is not None:
            raise typer.BadParameter(f"{flag} goes with --judge-prompt FILE")
    path = write_study(folder, "study.toml")
    if as_json:
        print_json({"study": str(folder), "settings": str(path)})
        return
    print(path)
    note(f"edit {path}, then run: judgeprobe build {folder}")


def _new_own(folder: Path, prompt: Path, given: dict[str, Any], *, as_json: bool) -> None:
    from judgeprobe.sweep.own_judge import OwnJudge, write_own_study

    columns = _pairs("--column", given["--column"])
    table, count = _items(given["--items"], columns, given["--limit"])
    judge = {
        "model": given["--model"],
        "base_url": given["--base-url"],
        "family": given["--family"],
        "parser": given["--parser"],
        "begins": given["--reply-begins"],
        "scale": _scale(given["--scale"], given["--words"]),
    }
    made = write_own_study(
        folder,
        OwnJudge(
            prompt=prompt,
            fields={"evidence": given["--evidence-field"], "claim": given["--claim-field"]},
            fill=_pairs("--fill", given["--fill"]),
            **{name: value for name, value in judge.items() if value is not None},
        ),
        items=table,
        columns=columns,
        limit=given["--limit"],
        seed=SEED,
    )
    first = f"judgeprobe build {folder}"
    if not made.local:
        first += f" && judgeprobe pilot {folder}"
    following = [first, f"judgeprobe run {folder}"]
    if as_json:
        print_json(
            {
                "study": str(folder),
                "settings": str(made.settings),
                "prompt": str(made.prompt),
                "places": dict(made.mapped),
                "items": count,
                "notes": list(made.notes),
                "next": following,
            }
        )
        return
    print(made.settings)
    for written, target in made.mapped:
        note(f"place {written}: {target}")
    for line in made.notes:
        note(f"note: {line}")
    if count is not None and count < FEW_ITEMS:
        note(f"note: {count} items measure little; see judgeprobe plan")
    whose = f"your {count} items" if count else "your items" if table else "the shipped items"
    note(f"{whose}; edits by the rules generator, so their direction is by construction")
    tried = "" if made.local else ", then tries 60 texts twice: can the replies be read?"
    note(f"next: {following[0]}\n      makes the edits{tried}")
    note(f"then: {following[1]}\n      asks your judge and ends in {folder}/missed.html")


def _items(
    name: str | None, columns: dict[str, str], limit: int | None
) -> tuple[Path | str | None, int | None]:
    """The user's items after a look at every row, and how many are used."""
    if name is None or name.startswith("hf:"):
        return name, None
    from judgeprobe.build.items import read_base_items
    from judgeprobe.errors import InputError

    try:
        found = len(read_base_items(Path(name), columns))
    except InputError as error:
        if "column" not in error.problem:
            raise
        remedy = (error.remedy or "").replace(
            "map it in study.toml with columns", "map it with --column FIELD=NAME"
        )
        raise InputError(error.problem, file=error.file, row=error.row, remedy=remedy) from None
    return Path(name), found if limit is None else min(found, limit)


def _pairs(flag: str, given: list[str] | None) -> dict[str, str]:
    found = {}
    for one in given or []:
        name, equals, text = one.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"{flag} is NAME=TEXT; got {one!r}")
        found[name.strip()] = text
    return found


def _scale(text: str | None, words: str | None) -> "Scale | None":
    """The scale, or None for the default one."""
    from pydantic import ValidationError

    from judgeprobe.records import Scale

    if text is None and words is None:
        return None
    named = {}
    for name, grade in _pairs("--words", words.split(",") if words else None).items():
        try:
            named[name] = float(grade)
        except ValueError:
            raise typer.BadParameter(f"--words: {grade!r} is no grade of {name!r}") from None
    parts = (text or "0,1,1").replace(":", ",").split(",")
    try:
        low, high, step = (float(part) for part in parts)
    except ValueError:
        raise typer.BadParameter(
            f"--scale is LOW,HIGH,STEP, for example 1,10,1; got {text!r}"
        ) from None
    try:
        return Scale(low, high, step, named)
    except ValidationError as error:
        why = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise typer.BadParameter(f"--scale {text or '0,1,1'}: {why}") from None


def write_study(folder: Path, template: str) -> Path:
    """Put a settings template into a folder as its study.toml.

    Raises:
        InputError: The folder holds a study already.
        StorageError: The folder cannot be written.
    """
    from importlib.resources import files

    from judgeprobe.errors import InputError
    from judgeprobe.files import write_text

    path = folder / "study.toml"
    if path.exists():
        raise InputError("is there already", file=path, remedy="choose another folder")
    text = files("judgeprobe.cli").joinpath("templates", template).read_text(encoding="utf-8")
    write_text(path, text.replace("NAME_OF_STUDY", folder.resolve().name))
    return path
