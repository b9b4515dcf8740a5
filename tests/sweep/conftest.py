"""Studies small enough to sweep in a test."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from judgeprobe.files import write_jsonl
from judgeprobe.records import Intervention, content_hash
from judgeprobe.study import Study, load_study
from judgeprobe.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy("claim-calibration")
SLOTS = TAXONOMY.slots


def make_interventions(bases: int, *, seed: int = 0, most: int = 6) -> list[Intervention]:
    """Edits of `bases` base items, each with one to `most` slots, in four domains."""
    rng = random.Random(seed)
    edits = []
    for number in range(bases):
        base = f"b{number:04d}"
        claim = f"Claim {number} holds in most of the {rng.randint(2, 9)} cases seen."
        for slot in rng.sample(SLOTS, rng.randint(1, most)):
            edited = f"{claim} ({slot.name}{' and more' * rng.randint(0, 4)})"
            edits.append(
                Intervention(
                    id=content_hash([base, slot.name, claim, edited])[:16],
                    base_id=base,
                    slot=slot.name,
                    axis=slot.axis,
                    arm=slot.arm,
                    domain=f"domain {number % 4}",
                    document=base,
                    evidence=f"Evidence number {number}: it was seen in a few cases.",
                    original=claim,
                    edited=edited,
                    generator="rules",
                    family="rules",
                    length_change=0.1,
                    direction_source="construction",
                    made_under={"taxonomy": TAXONOMY.hash},
                )
            )
    return edits


@pytest.fixture
def make_study(tmp_path: Path) -> Callable[..., Study]:
    """Make a study folder with interventions and the settings given as TOML."""

    def make(settings: str = "", *, bases: int = 8, name: str = "study", seed: int = 0) -> Study:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        top = '[study]\nname = "t"\nseed = 7\nbase_items = "shipped"\ndirection = "construction"\n'
        (folder / "study.toml").write_text(top + settings, encoding="utf-8")
        study = load_study(folder)
        write_jsonl(study.interventions_path, make_interventions(bases, seed=seed))
        return study

    return make
