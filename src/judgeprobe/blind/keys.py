"""Under which id and at which place does each annotator see each sentence?

Sides are shuffled as one stream, for each annotator apart: every draw is a keyed hash of the unit's
id, which knows neither its pair nor its side, so two sides of one pair are neighbours as often as
any two sentences and no order tells a side (section 5.5 of the construct-validity reference).
"""

from collections.abc import Sequence

from pydantic import ValidationError

from judgeprobe.blind.paths import BlindPaths
from judgeprobe.blind.units import UnitSet
from judgeprobe.errors import InputError
from judgeprobe.files import file_hash, read_json, read_jsonl, write_json, write_jsonl
from judgeprobe.forms.draws import digest, letters, secret_in
from judgeprobe.records import BlindUnit, Record

__all__ = ["BlindKey", "SheetRow", "make_key", "read_key", "read_units", "secret_of", "write_key"]

PRIVATE_TEXT = (
    "This folder tells how each sentence was made and what it inherits.\n"
    "Keep it from annotators until every label is in. Send them their folders under sheets.\n"
    "Keep it safe, too: without it, no label can be read.\n"
)


class SheetRow(Record):
    """One sentence on one annotator's sheet.

    Attributes:
        shown_id: Its id there.
        unit_id: Its id in the set.
    """

    shown_id: str
    unit_id: str


class BlindKey(Record):
    """What unblinds the set.

    Attributes:
        classes: What annotators chose from at the export.
        units: SHA-256 of the file of units.
        sheets: Each annotator's sentences in the order shown.
        tokens: What names each sheet without telling anything.
        source: Where the units came from.
        notice: Who or what gave the inherited labels.
        by_construction: Whether no person did, as far as is known.
        left_out: What gave no unit, by reason.
    """

    classes: tuple[str, ...]
    units: str
    sheets: dict[str, tuple[SheetRow, ...]]
    tokens: dict[str, str]
    source: str
    notice: str
    by_construction: bool
    left_out: dict[str, int]

    @property
    def annotators(self) -> tuple[str, ...]:
        """Names in the order of the export."""
        return tuple(self.sheets)


def secret_of(paths: BlindPaths) -> bytes:
    """The secret of the set; made at the first export."""
    return secret_in(paths.keys, PRIVATE_TEXT)


def make_key(
    secret: bytes,
    found: UnitSet,
    annotators: Sequence[str],
    classes: Sequence[str],
) -> BlindKey:
    """Draw ids and orders; the hash of the units is set when they are written."""
    units = found.units

    def sheet(name: str) -> tuple[SheetRow, ...]:
        mixed = sorted(units, key=lambda unit: digest(secret, "place", name, unit.unit_id))
        return tuple(
            SheetRow(
                shown_id=letters(digest(secret, "id", name, unit.unit_id)), unit_id=unit.unit_id
            )
            for unit in mixed
        )

    return BlindKey(
        classes=tuple(classes),
        units="",
        sheets={name: sheet(name) for name in annotators},
        tokens={name: letters(digest(secret, "sheet", name)) for name in annotators},
        source=found.source,
        notice=found.notice,
        by_construction=found.by_construction,
        left_out=dict(found.left_out),
    )


def write_key(paths: BlindPaths, key: BlindKey, units: Sequence[BlindUnit]) -> BlindKey:
    """Write units and key; the key with the units' hash."""
    write_jsonl(paths.units, units)
    key = key.model_copy(update={"units": file_hash(paths.units)})
    write_json(paths.key, key.model_dump(mode="json"))
    return key


def read_key(paths: BlindPaths) -> BlindKey:
    """The key of the set.

    Raises:
        InputError: Nothing was exported, or the file is damaged.
    """
    if not paths.key.exists():
        raise InputError(
            "there is no blinded set", file=paths.folder, remedy="run: judgeprobe blind export"
        )
    try:
        return BlindKey.model_validate(read_json(paths.key))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"is not a key: `{place}` {first['msg'].lower()}",
            file=paths.key,
            remedy="restore it from a copy",
        ) from None


def read_units(paths: BlindPaths, key: BlindKey) -> list[BlindUnit]:
    """The units that the key was drawn for.

    Raises:
        InputError: The file is damaged or was changed after the export.
    """
    units = read_jsonl(paths.units, BlindUnit)
    if file_hash(paths.units) != key.units:
        raise InputError(
            "was changed after the export",
            file=paths.units,
            remedy="restore it from a copy, or export again with --replace",
        )
    return units
