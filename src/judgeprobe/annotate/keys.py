"""What unblinds a batch, and where is it kept?

One key a batch, in annotation/keys/ and never in a batch folder. It says of every unit id whose
it is, which intervention it shows and which member stands first. Beside the keys lies the study's
secret, from which ids and orders are drawn: without it they cannot be worked out, with it an
export can be repeated byte for byte.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from judgeprobe.errors import InputError
from judgeprobe.files import read_json, write_json
from judgeprobe.forms.draws import secret_in
from judgeprobe.records import Record
from judgeprobe.study import Study

__all__ = [
    "Key",
    "KeyRow",
    "Place",
    "Role",
    "keys_dir",
    "places",
    "read_keys",
    "study_secret",
    "write_key",
]

Role = Literal["main", "training", "repeat"]

PRIVATE_TEXT = (
    "This folder tells which sentence of a pair is the edit and what was asked for.\n"
    "Keep it from annotators until every label is in. Send them their folders under batch-NNN.\n"
    "Keep it safe, too: without it, no label can be read.\n"
)


class KeyRow(Record):
    """One unit of one annotator.

    Attributes:
        number: Place in the annotator's file, from 1.
        first: Which member stands as sentence A.
        role: "training" labels are discarded; "repeat" shows a main unit a second time.
    """

    unit_id: str
    annotator: str
    number: int
    intervention_id: str
    first: Literal["original", "edited"]
    role: Role


class Key(Record):
    """What unblinds one batch.

    Attributes:
        sheets: The opaque token that stands in each annotator's files, by annotator.
        taxonomy: Hash of the taxonomy in force at the export.
    """

    batch: str
    annotators: tuple[str, ...]
    sheets: dict[str, str]
    taxonomy: str
    rows: tuple[KeyRow, ...]


@dataclass(frozen=True)
class Place:
    """Where a unit id belongs."""

    batch: str
    sheet: str
    row: KeyRow


def keys_dir(study: Study) -> Path:
    """The folder of keys."""
    return study.annotation_dir / "keys"


def study_secret(study: Study) -> bytes:
    """The secret that ids and orders are drawn from; made at the first export.

    Raises:
        InputError: The file is there and holds something else.
    """
    return secret_in(keys_dir(study), PRIVATE_TEXT)


def write_key(study: Study, key: Key) -> Path:
    """Write a batch's key and return where."""
    path = keys_dir(study) / f"{key.batch}.json"
    write_json(path, key.model_dump(mode="json"))
    return path


def read_keys(study: Study) -> tuple[Key, ...]:
    """Every batch's key, in the order of their numbers.

    Raises:
        InputError: A key file is damaged.
        MixedArtifactsError: A batch was exported under another taxonomy.
    """
    found = []
    for path in sorted(keys_dir(study).glob("batch-*.json")):
        try:
            key = Key.model_validate(read_json(path))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise InputError(
                f"is not a key: `{place}` {first['msg'].lower()}",
                file=path,
                remedy="restore it from a copy",
            ) from None
        study.require_same(
            "taxonomy",
            key.taxonomy,
            study.taxonomy.hash,
            file=path,
            remedy="use the taxonomy of the export, or export again with --replace",
        )
        found.append(key)
    return tuple(found)


def places(keys: tuple[Key, ...]) -> Iterator[Place]:
    """Every unit of every batch."""
    for key in keys:
        for row in key.rows:
            yield Place(key.batch, key.sheets[row.annotator], row)
