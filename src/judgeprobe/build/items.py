"""Which claims does a study start from, and is each fit to be edited and shown?

Base items come from the shipped file or from a table of the user's own (CSV, TSV, JSONL, Parquet)
whose columns `[study].columns` maps to the fields. The first row that cannot be used stops the
build with its file, its row and the remedy; no row is dropped.
"""

from pathlib import Path

from judgeprobe import resources
from judgeprobe.build.rows import CLAIM_LIMIT, EVIDENCE_LIMIT, ID_LIMIT, mapped_rows
from judgeprobe.errors import InputError
from judgeprobe.records import BaseItem
from judgeprobe.study import Study

__all__ = ["SHIPPED", "base_items", "base_items_file", "read_base_items"]

SHIPPED = "shipped"
_REQUIRED = ("id", "evidence", "claim")
_OPTIONAL = ("domain", "document", "source", "licence")


def base_items_file(study: Study) -> Path:
    """The table that a study's base items are read from.

    Raises:
        InputError: The study names none, or it is the file that the build writes.
    """
    name = study.settings.study.base_items
    if name is None:
        raise InputError("names no base items", file=study.folder / "study.toml")
    if name == SHIPPED:
        return resources.path("probes", "base_items.jsonl")
    path = study.input_path(name)
    if path == study.base_items_path.resolve():
        raise InputError(
            "is what the build writes, so it cannot be the table it reads",
            file=path,
            remedy="give your table another name",
        )
    return path


def base_items(study: Study) -> list[BaseItem]:
    """The study's base items, in the order of their table.

    Raises:
        InputError: As `read_base_items`.
    """
    return read_base_items(base_items_file(study), study.settings.study.columns)


def read_base_items(path: Path, columns: dict[str, str] | None = None) -> list[BaseItem]:
    """The base items of a table.

    An item without a document is a document of its own (its id).

    Args:
        path: CSV, TSV, JSONL or Parquet.
        columns: Column name of each field of BaseItem, where it differs from the field's.

    Raises:
        InputError: Names the first row without id, evidence or claim, with an id that is there
            already, or with text that cannot be shown (`build.rows`).
    """
    items: list[BaseItem] = []
    seen: dict[str, int] = {}
    for row in mapped_rows(path, columns or {}, required=_REQUIRED, optional=_OPTIONAL):
        identity = row.text("id", limit=ID_LIMIT)
        if identity in seen:
            raise row.error(
                f"the id {identity!r} is there already (row {seen[identity]})",
                remedy="give every item an id of its own",
            )
        seen[identity] = row.number
        items.append(
            BaseItem(
                id=identity,
                domain=row.text("domain", limit=ID_LIMIT, required=False),
                document=row.text("document", limit=ID_LIMIT, required=False) or identity,
                evidence=row.text("evidence", limit=EVIDENCE_LIMIT),
                claim=row.text("claim", limit=CLAIM_LIMIT),
                source=row.text("source", limit=EVIDENCE_LIMIT, required=False),
                licence=row.text("licence", limit=EVIDENCE_LIMIT, required=False),
            )
        )
    return items
