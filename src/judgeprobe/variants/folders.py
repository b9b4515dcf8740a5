"""What stands in a variant's own folder?

A study.toml with every setting in force, so that each verb works on the folder as on any study:
`judgeprobe report STUDY/variants/scale-5`. Edits, labels, prompts and replies stay where they are.
"""

from judgeprobe.files import read_text, write_text
from judgeprobe.study import Study, load_study
from judgeprobe.toml_text import toml_text
from judgeprobe.variants.plan import Variant

__all__ = ["is_as_planned", "write_folder"]

_HEAD = (
    "# Written by `judgeprobe vary`: the study two folders up under one change.\n"
    "# Paths are relative to that study's folder. Changes made here are overwritten.\n\n"
)


def write_folder(base: Study, variant: Variant) -> Study:
    """Write a variant's study.toml, where it differs, and load it.

    Raises:
        StorageError: The folder cannot be written.
    """
    study = variant.study(base)
    if not is_as_planned(base, variant):
        write_text(study.folder / "study.toml", _content(variant))
    return load_study(study.folder)


def is_as_planned(base: Study, variant: Variant) -> bool:
    """Whether the folder's study.toml is the one that would be written now."""
    path = variant.study(base).folder / "study.toml"
    return path.is_file() and read_text(path) == _content(variant)


def _content(variant: Variant) -> str:
    given = variant.settings.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return _HEAD + toml_text(given)
