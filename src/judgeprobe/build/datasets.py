"""How are base items read from a Hugging Face data set?

By the name of a data set on the hub ("hf:owner/name"), or from a folder: one that
`Dataset.save_to_disk` wrote, or one with data files. The library `datasets` is an extra and is
imported here alone. No code of a data set is run.
"""

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from judgeprobe.build.rows import RowTable
from judgeprobe.errors import InputError
from judgeprobe.settings import DatasetSettings

__all__ = ["HUB", "read_dataset"]

HUB = "hf:"


def read_dataset(
    source: str | Path,
    settings: DatasetSettings,
    columns: Iterable[str],
    *,
    limit: int | None = None,
) -> tuple[RowTable, int]:
    """The rows of one split, and how many rows past the limit were left.

    Args:
        source: "hf:owner/name", or a folder.
        settings: Which part of it.
        columns: The columns that are needed; others are not read.
        limit: Most rows.

    Raises:
        InputError: The extra is missing, the data set cannot be had, or it has no such split.
    """
    label: Path | str = source
    if importlib.util.find_spec("datasets") is None:
        raise InputError(
            "is a data set, and the library `datasets` is not installed",
            file=label,
            remedy="install the extra: pip install 'judgeprobe[datasets]'",
        )
    found = _split(_load(source, settings), settings.split, label)
    # Other columns may be images and the like; an absent one is reported by its field later.
    wanted = [name for name in found.column_names if name in set(columns)]
    total = len(found)
    part = found.select(range(min(limit or total, total)))
    rows = part.select_columns(wanted).to_list() if wanted else [{} for _ in range(len(part))]
    return RowTable(label, rows, tuple(found.column_names)), total - len(part)


def _load(source: str | Path, settings: DatasetSettings) -> Any:
    import datasets

    if not isinstance(source, Path):
        name = source.removeprefix(HUB)
        return _loaded(
            source,
            lambda: datasets.load_dataset(name, settings.config, revision=settings.revision),
        )
    if (source / "dataset_dict.json").is_file() or (source / "state.json").is_file():
        return _loaded(source, lambda: datasets.load_from_disk(str(source)))
    return _loaded(source, lambda: datasets.load_dataset(str(source), settings.config))


def _loaded(label: str | Path, load: Any) -> Any:
    try:
        return load()
    except Exception as error:  # the library raises a dozen kinds of its own
        first = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(
            f"cannot be read as a data set ({first})",
            file=label,
            remedy="check the name, `config` and `revision` under [study.dataset]",
        ) from None


def _split(found: Any, split: str, label: str | Path) -> Any:
    if not isinstance(found, dict):
        return found
    if split not in found:
        raise InputError(
            f"has no split `{split}`",
            file=label,
            remedy="name one under [study.dataset]: split = one of " + ", ".join(found),
        )
    return found[split]
