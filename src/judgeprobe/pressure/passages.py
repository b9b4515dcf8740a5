"""About which passages of evidence are claims written?

Those of base_items.jsonl, which the build writes; for a study on pairs, those of its
interventions. One passage counts once, however many base items rest on it, and goes by the id of
the first of them.
"""

from dataclasses import dataclass

from judgeprobe.errors import InputError
from judgeprobe.files import read_jsonl
from judgeprobe.records import BaseItem, Intervention
from judgeprobe.study import Study

__all__ = ["Passage", "passages"]


@dataclass(frozen=True)
class Passage:
    """A passage of evidence.

    Attributes:
        base_id: The first base item that rests on it.
    """

    base_id: str
    evidence: str
    domain: str = ""
    document: str = ""


def passages(study: Study) -> list[Passage]:
    """The passages of a study, as many as `[pressure].limit` lets through.

    Raises:
        InputError: The study has not been built, or has no evidence.
    """
    found: dict[str, Passage] = {}
    for base_id, evidence, domain, document in _rows(study):
        if evidence.strip():
            found.setdefault(evidence, Passage(base_id, evidence, domain, document))
    if not found:
        raise InputError(
            "the study has no evidence to write claims about", file=study.folder / "study.toml"
        )
    settings = study.settings.pressure
    limit = settings.limit if settings is not None else None
    return list(found.values())[:limit]


def _rows(study: Study) -> list[tuple[str, str, str, str]]:
    if study.base_items_path.exists():
        items = read_jsonl(study.base_items_path, BaseItem)
        return [(one.id, one.evidence, one.domain, one.document) for one in items]
    if study.interventions_path.exists():
        edits = read_jsonl(study.interventions_path, Intervention)
        return [(one.base_id, one.evidence, one.domain, one.document) for one in edits]
    raise InputError(
        "is not there",
        file=study.base_items_path,
        remedy=f"run first: judgeprobe build {study.folder}",
    )
