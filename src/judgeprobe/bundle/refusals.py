"""What must never leave with a study, and does a file hold it?

Keys of providers (the values of this process's key variables, and whatever has the shape of a
key), names of annotators, folders and hosts of the maker's own, and what is marked private. A file
that holds one is refused by name, with the place of the remedy; nothing is cut out in silence,
because a cut file would no longer be the one that the profile was made from.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from judgeprobe.errors import InputError
from judgeprobe.llm.secrets import find_secret, is_secret_name
from judgeprobe.records import BaseItem
from judgeprobe.study import Study

__all__ = ["Watch", "is_private", "refuse_private_items", "refuse_secret_settings", "watch_for"]

PRIVATE = "private"
# A name such as "annotator-1" is a number and says nothing of a person.
_NUMBERED = re.compile(
    r"(?:annotator|annotateur|rater|coder|labell?er|person|a|r|p)?[-_ ]?\d+", re.I
)
_SHORTEST_VALUE = 8
# Files whose words are the study's own and not those of the texts, in which a name may stand.
_OWN_WORDS = (".toml", ".md", "annotation.json", "provenance.json", "directions.jsonl",
              "item_labels.jsonl")  # fmt: skip


@dataclass(frozen=True)
class Watch:
    """What is looked for in every file.

    Attributes:
        people: Names of annotators.
        places: Folders of this machine.
        hosts: Hosts of the maker's own.
        allowed: Strings that look like a key and are none.
    """

    people: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    allowed: tuple[str, ...] = field(default=())

    def look(self, name: str, data: bytes) -> None:
        """Refuse a file that holds any of it.

        Raises:
            InputError: It names the file and what it holds; a key is never repeated.
        """
        text = _searchable(name, data)
        if kind := find_secret(text, allowed=self.allowed):
            raise InputError(
                f"holds what must not leave: {kind}",
                file=name,
                remedy="take it out and make the file again; where it is no key, name the string "
                "in [bundle] not_secret",
            )
        for place in self.places:
            if place in text:
                raise InputError(
                    f"holds a folder of this machine ({place})",
                    file=name,
                    remedy="take the path out, or make the file again",
                )
        for host in self.hosts:
            if host in text:
                raise InputError(
                    f"names a host of your own ({host})",
                    file=name,
                    remedy="ask again what failed (judgeprobe sweep STUDY --retry-failed), or "
                    "allow the host with [bundle] keep_hosts",
                )
        if name.endswith(_OWN_WORDS):
            self._people(name, text)

    def _people(self, name: str, text: str) -> None:
        for person in self.people:
            if re.search(rf"(?<!\w){re.escape(person)}(?!\w)", text, re.IGNORECASE):
                raise InputError(
                    f"names the annotator `{person}`",
                    file=name,
                    remedy="take the name out",
                )


def watch_for(study: Study, people: Iterable[str], hosts: Sequence[str]) -> Watch:
    """What is looked for in the files of a study."""
    folders = {str(study.folder.resolve()), str(study.root.resolve()), f"{Path.home()}/"}
    return Watch(
        people=tuple(sorted(name for name in set(people) if not _NUMBERED.fullmatch(name.strip()))),
        places=tuple(sorted(place for place in folders if place.strip("/"))),
        hosts=tuple(hosts),
        allowed=study.settings.bundle.not_secret,
    )


def _searchable(name: str, data: bytes) -> str:
    """The text of a file: of its cells where it is a table, unpacked where it is packed."""
    if name.endswith(".parquet"):
        return "\n".join(_cells(name, data))
    if name.endswith(".gz"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"is damaged ({error})", file=name) from None
    return data.decode("utf-8", "replace")


def _cells(name: str, data: bytes) -> Iterator[str]:
    """The distinct texts of every text column, and the table's own notes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(data))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"is no Parquet table ({error})", file=name) from None
    for key, value in (table.schema.metadata or {}).items():
        yield f"{key!r} {value!r}"
    for column in table.columns:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            yield from (str(cell) for cell in column.unique().to_pylist() if cell)


def refuse_secret_settings(study: Study) -> None:
    """Refuse settings that hold a text under a name such as `api_key`.

    Raises:
        InputError: It names the setting.
    """
    found = study.settings.model_dump(mode="json", exclude_unset=True)
    for place, value in _texts(found):
        name = place.rpartition(".")[2]
        if is_secret_name(name) and len(value) >= _SHORTEST_VALUE and place != "bundle.not_secret":
            raise InputError(
                f"`{place}` holds what its name calls a secret",
                file=study.folder / "study.toml",
                remedy="give keys in the environment, never in study.toml",
            )


def _texts(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _texts(entry, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _texts(entry, place)
    elif isinstance(value, str):
        yield place, value


def refuse_private_items(items: Sequence[BaseItem], file: Path) -> None:
    """Refuse a study with items whose licence is "private".

    Raises:
        InputError: It names the first item and says how many there are.
    """
    found = [
        (row, item)
        for row, item in enumerate(items, start=1)
        if item.licence.strip().lower() == PRIVATE
    ]
    if found:
        row, item = found[0]
        raise InputError(
            f"the item `{item.id}` is marked private, and so are {len(found) - 1} others"
            if len(found) > 1
            else f"the item `{item.id}` is marked private",
            file=file,
            row=row,
            remedy="release a study without them: leave them out of its table and run it again",
        )


def is_private(study: Study, name: str) -> bool:
    """Whether `[bundle] private` covers a file of the study folder."""
    return any(fnmatch(name, pattern) for pattern in study.settings.bundle.private)
