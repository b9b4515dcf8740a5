"""What must hold of every folder that is sent to an annotator, whatever lies in it?

One and the same date on every file, and no name around the texts from which an annotator could
tell what was asked for.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from judgeprobe.errors import InputError
from judgeprobe.records import Intervention
from judgeprobe.study import Study

__all__ = ["CONSTANT_TIME", "constant_dates", "refuse_names", "telling_names"]

# 2000-01-01, for every file: a date would tell which was made last.
CONSTANT_TIME = 946_684_800


def constant_dates(folder: Path) -> None:
    """Give a folder and all that lies in it the constant date."""
    for path in sorted(folder.rglob("*"), reverse=True):
        os.utime(path, (CONSTANT_TIME, CONSTANT_TIME))
    os.utime(folder, (CONSTANT_TIME, CONSTANT_TIME))


def telling_names(study: Study, interventions: Iterable[Intervention]) -> set[str]:
    """Names of slots, axes, arms and models, from which what was asked for could be told."""
    taxonomy, settings = study.taxonomy, study.settings
    names = {name for slot in taxonomy.slots for name in (slot.name, slot.axis, slot.arm)}
    models = {settings.generator.model, *(judge.model or "" for judge in settings.judges)}
    if settings.verifier:
        models.add(settings.verifier.model)
    for item in interventions:
        models.add(item.generator)
        # Pairs labelled elsewhere have their labels for slots: "same" stands in every codebook.
        names |= {name for name in (item.slot, item.axis, item.arm) if "_" in name}
    names |= models | {model.rsplit("/", 1)[-1] for model in models}
    spaced = {name.replace("_", " ") for name in names}
    # A model may be called "a"; so short a name gives nothing away and stands in every text.
    return {name for name in names | spaced if len(name) > 2}


def refuse_names(names: Iterable[str], what: str, text: str, path: Path | None) -> None:
    """Refuse a text that an annotator reads and that holds one of the names as a word.

    Raises:
        InputError: It does.
    """
    for name in sorted(names):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
            raise InputError(
                f"the {what} names `{name}`, from which an annotator could tell what was asked for",
                file=path,
                remedy="say it by worked examples, without the names of slots, axes, arms "
                "or models",
            )
