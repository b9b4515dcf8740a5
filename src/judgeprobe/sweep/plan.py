"""Which texts must a judge grade, and in what order?

Each unique (evidence, text) pair is graded once by each judge, however many interventions share it.
The order lets an early stop leave a balanced subset: whole base items, original and all edits
together, the domains mixed in their own proportions. Texts that share their evidence follow each
other, so that a provider's prompt cache sees the shared prefix again while it is fresh.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from judgeprobe.errors import InputError
from judgeprobe.files import file_hash, read_jsonl
from judgeprobe.records import Intervention, text_id
from judgeprobe.study import Study

__all__ = ["Plan", "Text", "load_plan", "plan_texts"]


@dataclass(frozen=True, slots=True)
class Text:
    """A unique text that is to be graded.

    Attributes:
        id: `records.text_id` of evidence and text.
        base_id: The base item it belongs to; the first by name where it belongs to several.
    """

    id: str
    base_id: str
    evidence: str
    text: str


@dataclass(frozen=True)
class Plan:
    """What a sweep has to grade.

    Attributes:
        texts: Every unique text, in the order in which judges are asked.
        interventions: The edits they come from.
        interventions_hash: SHA-256 of interventions.jsonl.
    """

    texts: tuple[Text, ...]
    interventions: tuple[Intervention, ...]
    interventions_hash: str


def load_plan(study: Study) -> Plan:
    """The plan of a study.

    Raises:
        InputError: interventions.jsonl is missing, empty or damaged.
        MixedArtifactsError: It was made under another taxonomy.
    """
    path = study.interventions_path
    if not path.is_file():
        raise InputError(
            "is not there", file=path, remedy=f"make it with: judgeprobe build {study.folder}"
        )
    interventions = read_jsonl(path, Intervention)
    if not interventions:
        raise InputError(
            "holds no intervention", file=path, remedy="see rejections.jsonl for the reasons"
        )
    for edit in interventions:
        study.require_same(
            "taxonomy",
            edit.made_under.get("taxonomy", study.taxonomy.hash),
            study.taxonomy.hash,
            file=path,
            remedy=f"make it again with: judgeprobe build {study.folder} --replace",
        )
    return Plan(
        texts=plan_texts(interventions, seed=study.settings.study.seed),
        interventions=tuple(interventions),
        interventions_hash=file_hash(path),
    )


def plan_texts(interventions: Sequence[Intervention], *, seed: int) -> tuple[Text, ...]:
    """The unique texts of some interventions, in the order in which judges are asked."""
    groups: dict[str, dict[str, Text]] = defaultdict(dict)
    domains: dict[str, str] = {}
    for edit in sorted(interventions, key=lambda edit: (edit.base_id, edit.slot, edit.id)):
        domains.setdefault(edit.evidence, edit.domain)
        for words in (edit.original, edit.edited):
            name = text_id(edit.evidence, words)
            group = groups[edit.evidence]
            group.setdefault(name, Text(name, edit.base_id, edit.evidence, words))
    rng = random.Random(seed)
    by_domain: dict[str, list[str]] = defaultdict(list)
    for evidence, domain in domains.items():
        by_domain[domain].append(evidence)
    places: list[tuple[float, str, str]] = []
    for domain in sorted(by_domain):
        members = sorted(by_domain[domain])
        rng.shuffle(members)
        # Spread each domain evenly over the whole order, whatever its size.
        places += [((i + 0.5) / len(members), domain, m) for i, m in enumerate(members)]
    return tuple(text for _, _, evidence in sorted(places) for text in groups[evidence].values())
