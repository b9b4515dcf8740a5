"""Which claims does a study start from, and is each fit to be edited and shown?

Base items come from the shipped file, from a table of the user's own (CSV, TSV, JSONL, Parquet) or
from a Hugging Face data set; `[study].columns` maps their columns to the fields. The first row that
cannot be used stops the build with its file, its row and the remedy; no row is dropped.
"""

from dataclasses import dataclass
from pathlib import Path

from judgeprobe import resources
from judgeprobe.build.datasets import HUB, read_dataset
from judgeprobe.build.rows import CLAIM_LIMIT, EVIDENCE_LIMIT, ID_LIMIT, RowTable, mapped_rows
from judgeprobe.errors import InputError
from judgeprobe.files import file_hash, read_rows
from judgeprobe.records import BaseItem, content_hash
from judgeprobe.settings import DatasetSettings
from judgeprobe.study import Study

__all__ = ["SHIPPED", "BaseItems", "base_items", "read_base_items"]

SHIPPED = "shipped"
_REQUIRED = ("id", "evidence", "claim")
_OPTIONAL = ("domain", "document", "source", "licence")


@dataclass(frozen=True)
class BaseItems:
    """The base items of a study.

    Attributes:
        items: In the order of their table.
        rows_left: Rows past `[study].limit`.
        source: Name of the file or of the data set, without any path of this machine.
        sha256: Of the file's bytes; of the items where they come from a data set.
    """

    items: list[BaseItem]
    rows_left: int
    source: str
    sha256: str


def base_items(study: Study) -> BaseItems:
    """The study's base items.

    Raises:
        InputError: The study names none, names the file that the build writes, or as
            `read_base_items`.
    """
    settings = study.settings.study
    name, limit = settings.base_items, settings.limit
    if name is None:
        raise InputError("names no base items", file=study.folder / "study.toml")
    folder = study.input_path(name)
    if name.startswith(HUB) or (name != SHIPPED and folder.is_dir()):
        columns = [settings.columns.get(field, field) for field in (*_REQUIRED, *_OPTIONAL)]
        where = name if name.startswith(HUB) else folder
        chosen = settings.dataset or DatasetSettings()
        found, left = read_dataset(where, chosen, columns, limit=limit)
        items = read_base_items(found, settings.columns)
        digest = content_hash([item.model_dump() for item in items])
        return BaseItems(items, left, name if name.startswith(HUB) else folder.name, digest)
    if settings.dataset is not None:
        raise InputError(
            "`dataset` is for a Hugging Face data set, and `base_items` names none",
            file=study.folder / "study.toml",
            remedy='take [study.dataset] out, or give base_items = "hf:owner/name"',
        )
    path = _file(study, name)
    rows = read_rows(path)
    kept = rows if limit is None else rows[:limit]
    items = read_base_items(RowTable(path, kept), settings.columns)
    return BaseItems(items, len(rows) - len(kept), path.name, file_hash(path))


def _file(study: Study, name: str) -> Path:
    if name == SHIPPED:
        # A shipped construct has items of its own; any other starts from the claims.
        try:
            return resources.path("probes", f"{study.taxonomy.name}.jsonl")
        except FileNotFoundError:
            return resources.path("probes", "base_items.jsonl")
    path = study.input_path(name)
    if path == study.base_items_path.resolve():
        raise InputError(
            "is what the build writes, so it cannot be the table it reads",
            file=path,
            remedy="give your table another name",
        )
    return path


def read_base_items(
    table: Path | RowTable, columns: dict[str, str] | None = None
) -> list[BaseItem]:
    """The base items of a table.

    An item without a document is a document of its own (its id).

    Args:
        table: CSV, TSV, JSONL or Parquet file, or rows that were read already.
        columns: Column name of each field of BaseItem, where it differs from the field's.

    Raises:
        InputError: Names the first row without id, evidence or claim, with an id that is there
            already, or with text that cannot be shown (`build.rows`).
    """
    items: list[BaseItem] = []
    seen: dict[str, int] = {}
    for row in mapped_rows(table, columns or {}, required=_REQUIRED, optional=_OPTIONAL):
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
