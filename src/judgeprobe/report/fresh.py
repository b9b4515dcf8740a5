"""Is the report that lies there made of what lies there now? Then it need not be drawn again."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from judgeprobe.errors import StorageError
from judgeprobe.files import file_hash
from judgeprobe.records import content_hash
from judgeprobe.report.predicted import REGISTER
from judgeprobe.study import Study

__all__ = ["is_fresh", "made_of", "output_hashes", "remove_stale"]


def made_of(study: Study) -> str:
    """SHA-256 of everything that a report depends on: files, settings, taxonomy, this package.

    Stages other than `report` are part of it, since the page shows what they noted in the manifest.
    """
    inputs = (
        study.profile_path,
        study.interventions_path,
        study.rejections_path,
        study.grades_path,
        study.annotation_path,
        study.folder / REGISTER,
    )
    stages = study.manifest().get("stages", {})
    return content_hash(
        {
            "files": {path.name: file_hash(path) for path in inputs if path.exists()},
            "settings": study.settings.model_dump(mode="json"),
            "taxonomy": study.taxonomy.hash,
            "stages": {name: entry for name, entry in stages.items() if name != "report"},
            "code": _own_code(),
        }
    )


def _own_code() -> str:
    """SHA-256 over this package's modules and templates: another version draws anew."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for path in sorted((*here.glob("*.py"), *here.glob("templates/*"))):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def output_hashes(study: Study, paths: Iterable[Path]) -> dict[str, str]:
    """SHA-256 of each output, by its path inside the study folder."""
    return {path.relative_to(study.folder).as_posix(): file_hash(path) for path in sorted(paths)}


def is_fresh(study: Study, key: str) -> Mapping[str, Any] | None:
    """The manifest's entry of the last report, if it was made of the same and is untouched."""
    entry = study.manifest().get("stages", {}).get("report")
    if not isinstance(entry, dict) or entry.get("made_of") != key:
        return None
    outputs = entry.get("outputs")
    if not isinstance(outputs, dict) or not outputs:
        return None
    for name, digest in outputs.items():
        path = study.folder / name
        if not path.is_file() or file_hash(path) != digest:
            return None
    return entry


def remove_stale(study: Study, outputs: Mapping[str, str]) -> None:
    """Remove what an earlier report wrote and this one did not, unless a person changed it.

    Raises:
        StorageError: The folder refuses.
    """
    entry = study.manifest().get("stages", {}).get("report", {})
    earlier = entry.get("outputs") if isinstance(entry, dict) else None
    for name, digest in (earlier if isinstance(earlier, dict) else {}).items():
        path = study.folder / name
        inside = path.resolve().is_relative_to(study.folder.resolve())
        if name in outputs or not inside or not path.is_file() or file_hash(path) != digest:
            continue
        try:
            path.unlink()
        except OSError as error:
            raise StorageError(
                f"{path}: cannot be removed ({(error.strerror or str(error)).lower()})"
            ) from error
