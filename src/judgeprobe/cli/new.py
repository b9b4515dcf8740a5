"""`judgeprobe new DIR`: a commented study folder."""

from pathlib import Path
from typing import Annotated

import typer

from judgeprobe.cli.common import JsonOption, note, print_json, verb

__all__ = ["new", "write_study"]


@verb
def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to make.")],
    as_json: JsonOption = False,
) -> None:
    """Make a study folder with a commented study.toml."""
    path = write_study(folder, "study.toml")
    if as_json:
        print_json({"study": str(folder), "settings": str(path)})
        return
    print(path)
    note(f"edit {path}, then run: judgeprobe build {folder}")


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
