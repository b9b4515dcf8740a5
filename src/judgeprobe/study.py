"""What is measured, where does it lie, and under which hashes was it made?

A study is a folder with a `study.toml`. Settings are checked whole before anything is done; an
unknown key is an error that names the nearest known one. Keys of providers come from the
environment, never from this file.
"""

import difflib
import os
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from judgeprobe import __version__
from judgeprobe.errors import MixedArtifactsError, StudyError
from judgeprobe.files import file_hash, read_json, read_text, write_json
from judgeprobe.records import SCHEMA_VERSION, content_hash
from judgeprobe.settings import Settings
from judgeprobe.taxonomy import Taxonomy, load_taxonomy

__all__ = ["Study", "load_study"]


@dataclass(frozen=True)
class Study:
    """A study folder, its settings and the paths of its files.

    A variant's folder holds its own grades and profile; its interventions, labels, prompts and
    cached replies are those of the study that it is a variant of.
    """

    folder: Path
    settings: Settings

    @property
    def root(self) -> Path:
        """The folder that holds the interventions and that paths in the settings start from."""
        variant = self.settings.variant
        if variant is None:
            return self.folder
        # Not by way of the folder itself, which need not be there yet.
        return Path(os.path.normpath(self.folder / variant.of))

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy in force.

        Raises:
            InputError: It cannot be read.
        """
        return load_taxonomy(self.settings.study.taxonomy, relative_to=self.root)

    @property
    def interventions_path(self) -> Path:
        """Accepted edits."""
        return self.root / "interventions.jsonl"

    @property
    def rejections_path(self) -> Path:
        """Refused edits."""
        return self.root / "rejections.jsonl"

    @property
    def base_items_path(self) -> Path:
        """Base items as the study uses them."""
        return self.root / "base_items.jsonl"

    @property
    def labels_path(self) -> Path:
        """Annotators' labels as given."""
        return self.root / "labels.jsonl"

    @property
    def directions_path(self) -> Path:
        """What the labels say of each intervention."""
        return self.root / "directions.jsonl"

    @property
    def annotation_path(self) -> Path:
        """Agreement of the annotators, and what was excluded."""
        return self.root / "annotation.json"

    @property
    def grades_path(self) -> Path:
        """Grades of every judge, text and repetition."""
        return self.folder / "grades.parquet"

    @property
    def profile_path(self) -> Path:
        """The profile."""
        return self.folder / "profile.json"

    @property
    def manifest_path(self) -> Path:
        """What was made under which hashes."""
        return self.folder / "manifest.json"

    @property
    def annotation_dir(self) -> Path:
        """Batches for annotators, and apart from them the keys."""
        return self.root / "annotation"

    @property
    def blind_dir(self) -> Path:
        """The blinded set: sheets, labels, scores, and apart from them the keys."""
        return self.folder / "blind"

    @property
    def pressure_dir(self) -> Path:
        """What the accuracy-pressure arm writes."""
        return self.folder / "pressure"

    @property
    def cache_dir(self) -> Path:
        """Cached replies."""
        return self.root / "cache"

    @property
    def tables_dir(self) -> Path:
        """Tables of the report."""
        return self.folder / "tables"

    @property
    def figures_dir(self) -> Path:
        """Figures of the report."""
        return self.folder / "figures"

    @property
    def floor(self) -> float:
        """Smallest S at which R is read: the study's, or else the taxonomy's."""
        floor = self.settings.profile.floor
        return self.taxonomy.constants.invariance_floor if floor is None else floor

    @property
    def bar(self) -> float:
        """The agreement bar: the study's, or else the taxonomy's."""
        bar = self.settings.annotation.bar
        return self.taxonomy.constants.agreement_bar if bar is None else bar

    def input_path(self, name: str) -> Path:
        """A path that study.toml names, relative to the study folder."""
        return (self.root / name).resolve()

    def record(self, stage: str, entry: dict[str, Any]) -> None:
        """Note in manifest.json what a stage made and under which hashes.

        The manifest holds no time and no path of one machine, so that the same inputs give the
        same bytes.
        """
        manifest = self.manifest()
        manifest["judgeprobe"] = __version__
        manifest["schema"] = SCHEMA_VERSION
        manifest["settings"] = content_hash(self.settings.model_dump(mode="json"))
        manifest.setdefault("stages", {})[stage] = entry
        write_json(self.manifest_path, manifest)

    def manifest(self) -> dict[str, Any]:
        """The manifest as it stands; empty for a new study."""
        if not self.manifest_path.exists():
            return {}
        found = read_json(self.manifest_path)
        return found if isinstance(found, dict) else {}

    def require_same(
        self, what: str, found: str, expected: str, *, file: Path, remedy: str
    ) -> None:
        """Refuse to mix artifacts.

        Raises:
            MixedArtifactsError: The two hashes differ; it shows both and the remedy.
        """
        if found != expected:
            raise MixedArtifactsError(
                what, file=file, expected=expected, found=found, remedy=remedy
            )

    def output_hash(self, path: Path) -> str:
        """SHA-256 of one of the study's files."""
        return file_hash(path)


def load_study(folder: Path) -> Study:
    """Read and check a study folder's settings.

    Raises:
        StudyError: study.toml is missing, is not TOML, or has a wrong or unknown key.
    """
    path = folder / "study.toml"
    if not path.is_file():
        raise StudyError(
            "there is no study.toml", file=folder, remedy=f"make one with: judgeprobe new {folder}"
        )
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"is not TOML ({error})", file=path) from None
    try:
        settings = Settings.model_validate(content)
    except ValidationError as error:
        raise _study_error(path, error) from None
    return Study(folder=folder, settings=settings)


def _study_error(path: Path, error: ValidationError) -> StudyError:
    first = error.errors()[0]
    place = [str(part) for part in first["loc"]]
    if first["type"] == "extra_forbidden":
        known = _known_keys(first["loc"][:-1])
        nearest = difflib.get_close_matches(place[-1], known, n=1, cutoff=0.0)
        remedy = f"did you mean `{nearest[0]}`?" if nearest else None
        return StudyError(f"unknown key `{'.'.join(place)}`", file=path, remedy=remedy)
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "missing":
        message = "is missing"
    where = f"`{'.'.join(place)}` " if place else ""
    return StudyError(f"{where}{message}", file=path)


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    model: Any = Settings
    for part in location:
        if isinstance(part, int):
            continue
        annotation = model.model_fields[part].annotation
        candidates = [annotation, *getattr(annotation, "__args__", ())]
        model = next(
            (c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)), None
        )
        if model is None:
            return []
    return list(model.model_fields)
