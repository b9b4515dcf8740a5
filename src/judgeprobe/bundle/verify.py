"""Is a bundle what was released, and can it be loaded?

Every file is held against the SHA-256 in bundle.json, and bundle.json against its own: what was
changed, added or is missing is named. Then the files are read as a reader would read them. Whoever
changes a file and the list with it is found only by the bundle's own hash, which the maker prints:
publish it beside the bundle.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from judgeprobe.bundle.archive import LISTING, listing, read_files, unpack
from judgeprobe.bundle.croissant import croissant_problems
from judgeprobe.bundle.labels import ItemLabelRow
from judgeprobe.bundle.refusals import Watch
from judgeprobe.errors import JudgeprobeError
from judgeprobe.files import read_json, read_jsonl, read_table
from judgeprobe.records import BaseItem, Direction, Grade, Intervention, Rejection, content_hash
from judgeprobe.study import Study, load_study

__all__ = ["Problem", "bundle_hash", "changed_files", "check_bundle", "load_problems"]

SELF = "sha256"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a bundle."""

    file: str
    problem: str

    def __str__(self) -> str:
        """As one line."""
        return f"{self.file} {self.problem}"


def bundle_hash(content: Mapping[str, Any]) -> str:
    """SHA-256 of bundle.json's content but for this hash itself: of the whole bundle, therefore."""
    return content_hash({name: value for name, value in content.items() if name != SELF})


def check_bundle(path: Path) -> tuple[list[Problem], dict[str, Any]]:
    """Everything that is wrong with a bundle, and its list.

    Raises:
        InputError: It is no bundle.
    """
    files, bad = read_files(path)
    problems = [Problem(name, why) for name, why in bad]
    problems += changed_files(files, path)
    content = listing(files, path)
    if not problems:
        problems += load_problems(files)
    return problems, dict(content)


def changed_files(files: Mapping[str, bytes], where: Path | str) -> list[Problem]:
    """Files that are not those of the list."""
    content: Any = listing(files, where)
    listed = content.get("files")
    if not isinstance(listed, dict) or content.get(SELF) != bundle_hash(content):
        return [Problem(LISTING, "was changed")]
    found = []
    for name, told in sorted(listed.items()):
        if name not in files:
            found.append(Problem(name, "is missing"))
        elif hashlib.sha256(files[name]).hexdigest() != told["sha256"]:
            found.append(Problem(name, f"was changed ({len(files[name])} bytes)"))
    found += [
        Problem(name, "is not of this bundle")
        for name in sorted(set(files) - set(listed) - {LISTING})
    ]
    return found


def load_problems(files: Mapping[str, bytes]) -> list[Problem]:
    """Files that cannot be read as what they are, or that hold a secret."""
    with TemporaryDirectory(prefix="judgeprobe-") as name:
        folder = Path(name)
        unpack(files, folder)
        try:
            study = load_study(folder)
        except JudgeprobeError as error:
            return [Problem("study.toml", _inside(error, folder))]
        return [*_secrets(study, files), *_loading(study, files)]


def _secrets(study: Study, files: Mapping[str, bytes]) -> Iterator[Problem]:
    watch = Watch(allowed=study.settings.bundle.not_secret)
    for name, data in files.items():
        try:
            watch.look(name, data)
        except JudgeprobeError as error:
            yield Problem(name, str(error).removeprefix(f"{name}: "))


_KINDS = (
    ("base_items.jsonl", BaseItem),
    ("interventions.jsonl", Intervention),
    ("rejections.jsonl", Rejection),
    ("directions.jsonl", Direction),
    ("item_labels.jsonl", ItemLabelRow),
)


def _loading(study: Study, files: Mapping[str, bytes]) -> Iterator[Problem]:
    folder = study.folder
    for name, kind in _KINDS:
        if name in files:
            try:
                read_jsonl(folder / name, kind)
            except JudgeprobeError as error:
                yield Problem(name, _inside(error, folder))
    try:
        columns = set(read_table(folder / "grades.parquet").columns)
        missing = sorted(set(Grade.model_fields) - columns)
        if missing:
            yield Problem("grades.parquet", f"lacks the column `{missing[0]}`")
    except JudgeprobeError as error:
        yield Problem("grades.parquet", _inside(error, folder))
    try:
        made = read_json(folder / "profile.json").get("made_under", {})
        if made.get("taxonomy", study.taxonomy.hash) != study.taxonomy.hash:
            yield Problem("profile.json", "was made under another taxonomy than the bundle's")
    except JudgeprobeError as error:
        yield Problem("profile.json", _inside(error, folder))
    for problem in croissant_problems(json.loads(files["croissant.json"]), files):
        yield Problem("croissant.json", problem)


def _inside(error: JudgeprobeError, folder: Path) -> str:
    """The error without the folder that it was read in."""
    return str(error).replace(f"{folder.resolve()}/", "").replace(f"{folder}/", "")
