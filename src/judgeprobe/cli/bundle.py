"""`judgeprobe bundle STUDY`: what can be released of a study, and whether it is unchanged."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgeprobe.cli.common import (
    FOUND,
    JsonOption,
    QuietOption,
    finish,
    note,
    print_json,
    verb,
)

if TYPE_CHECKING:
    from judgeprobe.bundle import Bundle, GivenLabel
    from judgeprobe.study import Study

__all__ = ["bundle", "profile_of_bundle"]


@verb
def bundle(
    path: Annotated[
        Path,
        typer.Argument(metavar="STUDY", help="Study folder; with --check, a bundle (zip, folder)."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE.zip|DIR",
            help="Where to write: a zip file, or a folder; STUDY/bundle.zip where not given.",
        ),
    ] = None,
    with_replies: Annotated[
        bool, typer.Option("--with-replies", help="Release the judges' raw replies too.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing: hold a bundle against its own hashes."),
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write what can be released of a study as one file, checked, and naming nobody.

    It refuses keys, annotators' names, folders of this machine and what is marked private, by the
    name of the file. The profile is made again from the bundle before it is written. With --check,
    exit status 3 names every file that was changed.
    """
    if check:
        if out is not None or with_replies:
            raise typer.BadParameter("--check writes nothing; give it alone")
        _check(path, as_json=as_json)
        return
    from judgeprobe.bundle import make_bundle, write_bundle
    from judgeprobe.study import load_study

    study = load_study(path)
    labels, people = _labels(study)
    replies, released, planned = _replies(study) if with_replies else (None, 0, 0)
    made = make_bundle(study, labels=labels, people=people, replies=replies)
    target = path / "bundle.zip" if out is None else out
    _require_same_profile(made)
    write_bundle(made.files, target)
    if as_json:
        print_json(
            {
                "bundle": str(target),
                "sha256": made.hash,
                "files": {name: len(data) for name, data in sorted(made.files.items())},
                "replies": {"released": released, "planned": planned},
                "left_out": list(made.dropped),
                "not_stated": list(made.missing),
                "checklist": list(made.checklist),
            }
        )
        return
    print(f"{target}: {len(made.files)} files, {made.hash}")
    if quiet:
        return
    if with_replies:
        note(f"replies: {released} of {planned} planned ones")
    for line in made.dropped:
        note(f"left out: {line}")
    for name in made.missing:
        note(f"not stated: [bundle] {name} in study.toml")
    undone = [line["line"] for line in made.checklist if line["holds"] != "yes"]
    if undone:
        note(f"checklist: not done or not met: {', '.join(map(str, undone))} (CHECKLIST.md)")
    note(f"publish the hash beside it; check it with: judgeprobe bundle {target} --check")


def _labels(study: "Study") -> tuple[list["GivenLabel"], list[str]]:
    """The study's labels unblinded, and everybody who was to give one."""
    from judgeprobe.annotate.aggregate import item_labels
    from judgeprobe.annotate.keys import read_keys
    from judgeprobe.bundle import GivenLabel
    from judgeprobe.errors import InputError
    from judgeprobe.files import read_jsonl
    from judgeprobe.records import Label

    keys = read_keys(study)
    labels = read_jsonl(study.labels_path, Label) if study.labels_path.exists() else []
    people = {name for key in keys for name in key.annotators} | {one.annotator for one in labels}
    if labels and not keys:
        raise InputError(
            "holds labels, and the keys that tell what they are about are not there",
            file=study.labels_path,
            remedy="restore annotation/keys from a copy, or move labels.jsonl away to release the "
            "study without single labels",
        )
    found = [
        GivenLabel(
            intervention_id=one.intervention_id,
            annotator=one.annotator,
            direction=one.direction,
            first=one.first,
            role=one.role,
            same_facts=one.same_facts,
        )
        for one in item_labels(keys, labels)
        if one.role != "training"
    ]
    return found, sorted(people)


def _replies(study: "Study") -> tuple[bytes, int, int]:
    """The export of the replies that the study's plan needs, their number, and the plan's."""
    from tempfile import TemporaryDirectory

    from judgeprobe.llm.cache import ReplyCache
    from judgeprobe.llm.portable import export_cache
    from judgeprobe.sweep.stage import planned_keys

    wanted = planned_keys(study)
    with TemporaryDirectory(prefix="judgeprobe-") as folder:
        file = Path(folder) / "replies.jsonl.gz"
        with ReplyCache(study.cache_dir) as cache:
            count = export_cache(cache, file, wanted)
        return file.read_bytes(), count, len(wanted)


def _require_same_profile(made: "Bundle") -> None:
    from tempfile import TemporaryDirectory

    from judgeprobe.bundle.archive import unpack
    from judgeprobe.errors import InputError

    with TemporaryDirectory(prefix="judgeprobe-") as name:
        unpack(made.files, Path(name))
        _, same = _profile_again(Path(name))
    if not same:
        raise InputError(
            "is not what this judgeprobe makes of the files beside it",
            file="profile.json",
            remedy="make it again with: judgeprobe profile STUDY",
        )


def _profile_again(folder: Path) -> tuple[dict[str, Any], bool]:
    """The profile made from a bundle's files, and whether it has the released bytes."""
    from judgeprobe.profile import profile_study
    from judgeprobe.study import load_study

    study = load_study(folder)
    released = study.profile_path.read_bytes()
    found = profile_study(study)
    return found, study.profile_path.read_bytes() == released


def profile_of_bundle(path: Path, out: Path | None) -> tuple[dict[str, Any], bool]:
    """The profile of a bundle, made anew, and whether it has the released bytes.

    Raises:
        InputError: A file of the bundle was changed.
        StorageError: `out` cannot be written.
    """
    from judgeprobe.bundle import opened
    from judgeprobe.files import write_bytes

    with opened(path) as folder:
        found, same = _profile_again(folder)
        if out is not None:
            write_bytes(out, (folder / "profile.json").read_bytes())
    return found, same


def _check(path: Path, *, as_json: bool) -> None:
    from judgeprobe.bundle import check_bundle

    problems, content = check_bundle(path)
    if as_json:
        print_json(
            {
                "bundle": str(path),
                "sha256": content.get("sha256"),
                "files": len(content.get("files", {})),
                "problems": [{"file": one.file, "problem": one.problem} for one in problems],
            }
        )
    elif problems:
        for one in problems:
            print(one)
    else:
        print(f"{path}: whole, {len(content['files'])} files, {content['sha256']}")
    finish(FOUND if problems else 0)
