"""What did an Inspect AI run write? Its log as .eval (a zip archive) or as .json.

One row a sample and epoch: `id`, `epoch`, `unit` (both, for joins when there are several epochs),
`input`, `target`, `output`, `error`, `metadata.KEY`, and `score.NAME` for each scorer, where C is
1, P 0.5, I and N 0, as Inspect's own conversion has it.

Members of an .eval archive are deflated or, in newer versions, compressed with Zstandard, which
Python's zipfile reads from 3.14 only; Arrow decompresses those.
"""

import json
import math
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa

from judgeprobe.audit.eval_flat import flat, natural, objects
from judgeprobe.errors import InputError
from judgeprobe.files import read_json

__all__ = ["read_inspect"]

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_ZSTANDARD = 93
_LARGEST = 1 << 28


def read_inspect(path: Path) -> list[dict[str, Any]]:
    """The samples of a log, by epoch and in the order of the data set.

    Raises:
        InputError: It is no log, is damaged, or is encrypted.
    """
    samples = _archive(path) if path.suffix == ".eval" else _document(path)
    return [_row(sample) for sample in samples]


def _document(path: Path) -> list[dict[str, Any]]:
    value = read_json(path)
    if not isinstance(value, dict) or "eval" not in value:
        raise InputError("is no Inspect log", file=path, remedy="check --reader")
    return objects(value.get("samples"), "samples (it may be a header only)", path.name)


def _archive(path: Path) -> list[dict[str, Any]]:
    found = []
    order: dict[str, int] = {}
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as raw:
            for member in archive.infolist():
                if member.filename.startswith("samples/"):
                    found.append(json.loads(_member(archive, raw, member)))
                elif member.filename == "header.json":
                    order = _order(json.loads(_member(archive, raw, member)))
    except FileNotFoundError:
        raise InputError("is not there", file=path, remedy="check the name") from None
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, RuntimeError) as error:
        raise InputError(f"is no Inspect log ({error})", file=path) from None
    # An archive has the order in which samples were done, which differs from run to run.
    samples = objects(found or None, "samples", path.name)
    return sorted(samples, key=lambda sample: _place(sample, order))


def _place(sample: dict[str, Any], order: dict[str, int]) -> tuple[Any, ...]:
    identity = str(sample.get("id"))
    return sample.get("epoch", 1), order.get(identity, len(order)), natural(identity)


def _order(header: Any) -> dict[str, int]:
    """Place of each id in the data set; nothing where the header does not say."""
    dataset = ((header if isinstance(header, dict) else {}).get("eval") or {}).get("dataset") or {}
    return {str(each): place for place, each in enumerate(dataset.get("sample_ids") or [])}


def _member(archive: zipfile.ZipFile, raw: Any, member: zipfile.ZipInfo) -> bytes:
    if member.file_size > _LARGEST:
        raise ValueError(f"{member.filename} is over {_LARGEST >> 20} MiB")
    if member.compress_type != _ZSTANDARD:
        return archive.read(member)
    raw.seek(member.header_offset)
    name, extra = struct.unpack("<HH", raw.read(30)[26:30])
    raw.seek(name + extra, 1)
    packed = raw.read(member.compress_size)
    data: bytes = pa.Codec("zstd").decompress(packed, member.file_size).to_pybytes()
    if zlib.crc32(data) != member.CRC:
        raise ValueError(f"{member.filename} is damaged")
    return data


def _row(sample: dict[str, Any]) -> dict[str, Any]:
    identity, epoch = sample.get("id"), sample.get("epoch", 1)
    row: dict[str, Any] = {
        "id": identity,
        "epoch": epoch,
        "unit": f"{identity}/{epoch}",
        "input": _text(sample.get("input")),
        "target": _text(sample.get("target")),
        "output": (sample.get("output") or {}).get("completion"),
        "error": (sample.get("error") or {}).get("message"),
    }
    row |= flat("metadata", sample.get("metadata") or {})
    for name, score in (sample.get("scores") or {}).items():
        row |= _score(f"score.{name}", score.get("value"))
    return row


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _score(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for key, inner in value.items():
            found |= _score(f"{name}.{key}", inner)
        return found
    if isinstance(value, str):
        return {name: _GRADES.get(value, value)}
    if isinstance(value, float) and math.isnan(value):
        return {name: None}
    return flat(name, value)
