"""Which files of a study are released, as what?

Everything that the profile is made from goes in byte for byte; what holds people or one machine
goes in rewritten (labels, annotation.json, study.toml, the manifest) or not at all (the keys of the
annotation, caches, reports). Each file is looked through before it is taken, and the whole is read
back as a reader would read it before anything is written to disk.
"""

import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from judgeprobe import __version__, resources
from judgeprobe.bundle.archive import FOUND_IN, LISTING
from judgeprobe.bundle.card import NOT_STATED, data_card, licence_of
from judgeprobe.bundle.checklist import checklist, checklist_markdown
from judgeprobe.bundle.croissant import croissant
from judgeprobe.bundle.labels import GivenLabel, pseudonyms, public_labels, renamed
from judgeprobe.bundle.refusals import (
    is_private,
    refuse_private_items,
    refuse_secret_settings,
    watch_for,
)
from judgeprobe.bundle.settings import (
    PROMPT_DIR,
    TAXONOMY_DIR,
    PublicSettings,
    own_hosts,
    public_settings,
)
from judgeprobe.bundle.verify import SELF, bundle_hash, load_problems
from judgeprobe.errors import InputError
from judgeprobe.files import dump_json, file_hash, read_json, read_jsonl
from judgeprobe.records import SCHEMA_VERSION, BaseItem, Intervention, Record, Rejection
from judgeprobe.study import Study

__all__ = ["REPLIES", "Bundle", "make_bundle"]

REPLIES = "replies.jsonl.gz"
PREDICTIONS = "predictions.toml"
# Files that the profile is made from, or that it is: a bundle without one is of no use.
_NEEDED = ("interventions.jsonl", "grades.parquet", "profile.json")
_MADE_FROM = {
    "interventions": "interventions.jsonl",
    "grades": "grades.parquet",
    "directions": "directions.jsonl",
}
R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Bundle:
    """A bundle before it is written.

    Attributes:
        files: Bytes by name.
        hash: SHA-256 of the whole, as bundle.json has it.
        dropped: What was left out or made a name, in words.
        missing: What the metadata would want and the settings do not say.
        checklist: The six lines.
    """

    files: dict[str, bytes]
    hash: str
    dropped: tuple[str, ...]
    missing: tuple[str, ...]
    checklist: tuple[dict[str, Any], ...]


def make_bundle(
    study: Study,
    *,
    labels: Sequence[GivenLabel] = (),
    people: Sequence[str] = (),
    replies: bytes | None = None,
) -> Bundle:
    """Gather, look through and check the files of a bundle; nothing is written.

    Args:
        study: A profiled study.
        labels: Its labels, unblinded, without those of the training round.
        people: Names of all annotators, those without a label too.
        replies: The export of its cached replies, or None where they are not released.

    Raises:
        InputError: A file is missing or does not belong to the profile, or something must not
            leave; the line names the file.
    """
    refuse_secret_settings(study)
    _require_profile(study)
    public = public_settings(study)
    dropped = list(public.dropped)
    files = _copied(study, dropped)
    files |= _taxonomy_files(study)
    files |= _prompt_files(study, public)
    files["study.toml"] = public.text.encode()
    items = _rows(study.base_items_path, BaseItem)
    refuse_private_items(items, study.base_items_path)
    edits = read_jsonl(study.interventions_path, Intervention)
    names = pseudonyms(labels, people)
    shown = public_labels(labels, {edit.id: edit for edit in edits}, names)
    if shown:
        files["item_labels.jsonl"] = _lines(shown)
        dropped.append("annotators' names, quotations, free words and times, and annotation/keys")
    annotation = read_json(study.annotation_path) if study.annotation_path.exists() else None
    if annotation is not None:
        annotation = renamed(annotation, names)
        files["annotation.json"] = dump_json(annotation).encode()
    files["provenance.json"] = dump_json(renamed(_provenance(study), names)).encode()
    if replies is not None:
        files[REPLIES] = replies
    profile = read_json(study.profile_path)
    lines = checklist(
        edits,
        profile,
        annotation,
        _label_audit(study),
        annotators=len({row.annotator for row in shown}),
        labels=len(shown),
    )
    files["checklist.json"] = dump_json(lines).encode()
    files["CHECKLIST.md"] = checklist_markdown(lines).encode()
    watch = watch_for(study, people, own_hosts(study))
    for name in sorted(files):
        watch.look(name, files[name])
    licence = licence_of(items, study.settings.bundle.licence)
    card = data_card(
        study,
        [*files, "DATA_CARD.md", "croissant.json", LISTING],
        items=items,
        edits=edits,
        refused=_rows(study.rejections_path, Rejection),
        profile=profile,
        licence=licence,
        annotators=len({row.annotator for row in shown}),
        labels=len(shown),
        dropped=dropped,
    )
    files["DATA_CARD.md"] = card.encode()
    about = croissant(
        study.settings.study.name,
        study.settings.bundle,
        "" if licence == NOT_STATED else licence,
        files,
    )
    files["croissant.json"] = dump_json(about).encode()
    # The last two hold settings that nothing above has looked at: description, creators, address.
    for name in ("DATA_CARD.md", "croissant.json"):
        watch_for(study, (), own_hosts(study)).look(name, files[name])
    files, digest = _listed(study, files, dropped)
    for problem in load_problems(files):
        raise InputError(str(problem), file=study.folder, remedy="make that file again")
    return Bundle(files, digest, tuple(dropped), tuple(_missing(study, licence)), tuple(lines))


def _sources(study: Study) -> dict[str, Path]:
    """The files that are released as they are; those of a variant lie in two folders."""
    return {
        "base_items.jsonl": study.base_items_path,
        "interventions.jsonl": study.interventions_path,
        "rejections.jsonl": study.rejections_path,
        "grades.parquet": study.grades_path,
        "directions.jsonl": study.directions_path,
        "profile.json": study.profile_path,
        PREDICTIONS: study.folder / PREDICTIONS,
    }


def _require_profile(study: Study) -> None:
    """Refuse a study that is not whole, or whose profile is of other files.

    Raises:
        InputError: A file is missing.
        MixedArtifactsError: The profile was made from other files than those that lie there.
    """
    commands = {
        "interventions.jsonl": "build",
        "grades.parquet": "sweep",
        "profile.json": "profile",
    }
    sources = _sources(study)
    for name in _NEEDED:
        if not sources[name].is_file():
            raise InputError(
                "is not there",
                file=sources[name],
                remedy=f"make it with: judgeprobe {commands[name]} {study.folder}",
            )
    made_under = read_json(study.profile_path).get("made_under", {})
    now = {
        what: file_hash(sources[name])
        for what, name in _MADE_FROM.items()
        if sources[name].is_file()
    }
    for what, found in {**made_under}.items():
        study.require_same(
            what,
            found,
            {"taxonomy": study.taxonomy.hash, **now}.get(what, found),
            file=study.profile_path,
            remedy=f"make it again with: judgeprobe profile {study.folder}",
        )


def _copied(study: Study, dropped: list[str]) -> dict[str, bytes]:
    files = {}
    for name, path in _sources(study).items():
        # An empty table is left out: readers of tables take it for a damaged one.
        if not path.is_file() or not path.stat().st_size:
            continue
        if not is_private(study, name):
            files[name] = path.read_bytes()
            continue
        if name in _NEEDED or name in _MADE_FROM.values():
            raise InputError(
                "is marked private by [bundle] private, and a bundle cannot be without it",
                file=path,
                remedy="take it out of that list, or do not release the study",
            )
        dropped.append(f"`{name}`, which is marked private")
    return files


def _taxonomy_files(study: Study) -> dict[str, bytes]:
    """The taxonomy and its lists, as they lie beside each other."""
    name = study.settings.study.taxonomy
    own = "/" in name or name.endswith(".toml")
    path = study.root / name if own else resources.path("probes", f"{name}.toml")
    files = {f"{TAXONOMY_DIR}/{study.taxonomy.name}.toml": path.read_bytes()}
    for key, entry in tomllib.loads(path.read_text("utf-8-sig")).get("lists", {}).items():
        inner = PurePosixPath(entry)
        if inner.is_absolute() or ".." in inner.parts:
            raise InputError(
                f"the list `{key}` lies outside the taxonomy's folder ({entry})",
                file=path,
                remedy="put it beside the taxonomy",
            )
        files[f"{TAXONOMY_DIR}/{inner}"] = (path.parent / inner).read_bytes()
    return files


def _prompt_files(study: Study, public: PublicSettings) -> dict[str, bytes]:
    files = {}
    for name, file in public.prompts.items():
        own = "/" in name or name.endswith((".txt", ".md"))
        path = study.root / name if own else resources.path("prompts", f"{name}.txt")
        if is_private(study, name):
            raise InputError(
                "is marked private by [bundle] private, and the settings name it",
                file=path,
                remedy="take it out of that list, or do not release the study",
            )
        try:
            files[f"{PROMPT_DIR}/{file}"] = path.read_bytes()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise InputError(f"cannot be read ({reason})", file=path) from None
    return files


def _provenance(study: Study) -> dict[str, Any]:
    """The manifest without what names keys or outputs of the report."""
    manifest = study.manifest()
    stages = {name: entry for name, entry in manifest.get("stages", {}).items() if name != "report"}
    return {**manifest, "stages": _without_keys(stages)}


def _without_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _without_keys(entry)
            for name, entry in value.items()
            if not name.startswith("annotation/keys")
        }
    return [_without_keys(entry) for entry in value] if isinstance(value, list) else value


def _label_audit(study: Study) -> Mapping[str, Any] | None:
    name = study.settings.bundle.label_audit
    if name is None:
        return None
    found = read_json(study.input_path(name))
    if not isinstance(found, dict) or "checklist" not in found:
        raise InputError(
            "is no labels.json of an audit",
            file=study.input_path(name),
            remedy="make it with: judgeprobe audit labels FILE --out DIR",
        )
    return found


def _rows(path: Path, kind: type[R]) -> list[R]:
    return read_jsonl(path, kind) if path.exists() else []


def _lines(rows: Sequence[Record]) -> bytes:
    return "".join(f"{row.model_dump_json()}\n" for row in rows).encode()


def _listed(
    study: Study, files: dict[str, bytes], dropped: Sequence[str]
) -> tuple[dict[str, bytes], str]:
    """The files with bundle.json, and the hash of the whole."""
    content: dict[str, Any] = {
        "format": FOUND_IN,
        "version": 1,
        "judgeprobe": __version__,
        "schema": SCHEMA_VERSION,
        "study": study.settings.study.name,
        "taxonomy": study.taxonomy.hash,
        "left_out": list(dropped),
        "files": {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            for name, data in sorted(files.items())
        },
    }
    digest = bundle_hash(content)
    text = json.dumps({**content, SELF: digest}, indent=2, ensure_ascii=False) + "\n"
    return {**files, LISTING: text.encode()}, digest


def _missing(study: Study, licence: str) -> list[str]:
    settings = study.settings.bundle
    wanted: dict[str, Callable[[], bool]] = {
        "licence": lambda: licence == NOT_STATED,
        "creators": lambda: not settings.creators,
        "url": lambda: not settings.url,
        "published": lambda: not settings.published,
    }
    return [name for name, lacks in wanted.items() if lacks()]
