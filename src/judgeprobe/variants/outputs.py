"""Is the page of the variants still the one that would be made, and which files are left of others?

`variants/manifest.json` names what the page was made of and every file that it consists of. Nothing
that is not named there is removed.
"""

from collections.abc import Iterable
from pathlib import Path

from judgeprobe.errors import StorageError
from judgeprobe.files import file_hash, read_json, write_json
from judgeprobe.records import content_hash

__all__ = ["is_fresh", "keep_only"]

_MANIFEST = "manifest.json"


def is_fresh(folder: Path, made_of: str) -> bool:
    """Whether every file of the page is there as it was made, from the same variants.json.

    Args:
        folder: The folder `variants/`.
        made_of: SHA-256 of variants.json.
    """
    path = folder / _MANIFEST
    if not path.is_file():
        return False
    found = read_json(path)
    if (found.get("code"), found.get("made_of")) != (_code(), made_of):
        return False
    outputs: dict[str, str] = found["outputs"]
    return all(
        (folder / name).is_file() and file_hash(folder / name) == told
        for name, told in outputs.items()
    )


def keep_only(folder: Path, made_of: str, outputs: Iterable[Path]) -> None:
    """Note the files that were just made, and remove those of an earlier page that were not.

    Raises:
        StorageError: The folder cannot be written.
    """
    made = {path.relative_to(folder).as_posix(): file_hash(path) for path in sorted(outputs)}
    path = folder / _MANIFEST
    before: dict[str, str] = read_json(path)["outputs"] if path.is_file() else {}
    for name, told in before.items():
        left = folder / name
        inside = left.resolve().is_relative_to(folder.resolve())
        if name not in made and inside and left.is_file() and file_hash(left) == told:
            try:
                left.unlink()
            except OSError as error:
                why = (error.strerror or str(error)).lower()
                raise StorageError(f"{left}: cannot be removed ({why})") from error
    write_json(path, {"code": _code(), "made_of": made_of, "outputs": made})


def _code() -> str:
    """SHA-256 over what draws the page: another version draws anew."""
    here = Path(__file__).parents[1]
    parts = sorted(p for name in ("report", "variants") for p in (here / name).rglob("*.*"))
    return content_hash(
        [[p.relative_to(here).as_posix(), file_hash(p)] for p in parts if p.suffix != ".pyc"]
    )
