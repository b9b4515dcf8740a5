"""How do the files of a bundle lie on disk, and how does a reader get a study folder from it?

One zip file, or a folder. Both hold the same files; bundle.json lists each with its SHA-256. A zip
has no time and no order of its own, so that the same study gives the same bytes. What is read is
held against the list first, and no name leads out of the folder it is unpacked to.
"""

import contextlib
import io
import json
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from judgeprobe.errors import InputError
from judgeprobe.files import write_bytes

__all__ = ["FOUND_IN", "LISTING", "is_bundle", "opened", "read_files", "unpack", "write_bundle"]

LISTING = "bundle.json"
FOUND_IN = "judgeprobe-bundle"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16
# Packed already: packing them again gains nothing.
_PACKED = (".parquet", ".gz")
# A bundle is text and tables; more than this in one file is a mistake or an attack.
_LARGEST = 8 * 1024**3
_COPIED = 1 << 20


def is_bundle(path: Path) -> bool:
    """Whether a path is a bundle: a zip file, or a folder with a bundle.json."""
    if path.is_dir():
        return (path / LISTING).is_file()
    # A zip file that is missing or damaged is named as one, and not as a study folder.
    return path.suffix.lower() == ".zip" or (path.is_file() and zipfile.is_zipfile(path))


def write_bundle(files: Mapping[str, bytes], out: Path) -> None:
    """Write a bundle: a zip where the name ends in .zip, else a folder.

    Raises:
        InputError: The folder is there and holds something.
        StorageError: The disk refused.
    """
    if out.suffix.lower() == ".zip":
        write_bytes(out, zipped(files))
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError("is there already", file=out, remedy="choose another folder")
    # The list comes last: a folder without it is no bundle.
    for name in sorted(files, key=lambda name: (name == LISTING, name)):
        write_bytes(out / name, files[name])


def zipped(files: Mapping[str, bytes]) -> bytes:
    """The bytes of the zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3
            entry.external_attr = _PLAIN_FILE
            packed = name.endswith(_PACKED)
            entry.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=None if packed else 6)
    return buffer.getvalue()


def read_files(path: Path) -> tuple[dict[str, bytes], list[tuple[str, str]]]:
    """Every file of a bundle, and those that cannot be read, each with the reason.

    Raises:
        InputError: It is no bundle.
    """
    if path.is_dir():
        found = {}
        for file in sorted(path.rglob("*")):
            if file.is_file():
                found[file.relative_to(path).as_posix()] = file.read_bytes()
        if LISTING not in found:
            raise _none(path)
        return found, []
    try:
        with zipfile.ZipFile(path) as archive:
            return _entries(archive)
    except FileNotFoundError:
        raise InputError("is not there", file=path, remedy="check the name") from None
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(
            f"is damaged or no zip file ({error})", file=path, remedy="copy it again"
        ) from None


def _entries(archive: zipfile.ZipFile) -> tuple[dict[str, bytes], list[tuple[str, str]]]:
    found: dict[str, bytes] = {}
    bad: list[tuple[str, str]] = []
    for entry in archive.infolist():
        name = entry.filename
        if not _is_inside(name):
            bad.append((name, "has a name that leads out of the bundle"))
        elif name in found:
            bad.append((name, "is there twice"))
        elif entry.file_size > _LARGEST:
            bad.append((name, f"is said to hold {entry.file_size} bytes"))
        elif not entry.is_dir():
            try:
                found[name] = archive.read(entry)
            except (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, EOFError):
                bad.append((name, "is damaged"))
            except RuntimeError:
                bad.append((name, "is encrypted"))
    return found, bad


def _is_inside(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and not name.startswith("/") and ".." not in parts and "\\" not in name


def _none(path: Path) -> InputError:
    return InputError(
        f"holds no {LISTING}", file=path, remedy="make a bundle with: judgeprobe bundle STUDY"
    )


def listing(files: Mapping[str, bytes], where: Path | str) -> dict[str, object]:
    """bundle.json, read.

    Raises:
        InputError: It is missing, or is not what this version writes.
    """
    if LISTING not in files:
        raise _none(Path(where))
    try:
        value = json.loads(files[LISTING])
    except ValueError:
        value = None
    if not isinstance(value, dict) or value.get("format") != FOUND_IN:
        raise InputError(f"{LISTING} is not the list of a bundle", file=where)
    if value.get("version") != 1:
        raise InputError(
            f"{LISTING} has version {value.get('version')}; this judgeprobe reads 1",
            file=where,
            remedy="install a newer judgeprobe",
        )
    return value


def unpack(files: Mapping[str, bytes], folder: Path) -> None:
    """Put files into a folder."""
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Path]:
    """A study folder with the files of a bundle, for as long as the block lasts.

    The bundle itself is not written to.

    Raises:
        InputError: It is no bundle, or a file of it was changed; the line names the first.
    """
    from judgeprobe.bundle.verify import changed_files

    files, bad = read_files(path)
    problems = [*(f"{name} {why}" for name, why in bad), *map(str, changed_files(files, path))]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InputError(
            f"{problems[0]}{more}", file=path, remedy=f"see all: judgeprobe bundle {path} --check"
        )
    with tempfile.TemporaryDirectory(prefix="judgeprobe-") as folder:
        unpack(files, Path(folder))
        yield Path(folder)
