"""A small profiled study, with people's labels where a test wants them."""

import json
from pathlib import Path

import pytest
from tests.helpers.profile_study import EDITS, grades, interventions, write_study

from judgeprobe.bundle import GivenLabel
from judgeprobe.files import write_json, write_jsonl
from judgeprobe.profile import profile_study
from judgeprobe.records import BaseItem, Direction
from judgeprobe.study import Study, load_study

GRADES = (1.0, 4.0, 4.0, 2.0, 4.0, 3.0, 4.5, 1.0, 4.0)
PEOPLE = ("Ada Example", "bela@example.org", "annotator-3")


def scripted_labels(rows, people=PEOPLE) -> list[GivenLabel]:
    """Made by a rule for the test, not by people: the last one never tells."""
    return [
        GivenLabel(
            intervention_id=row.id,
            annotator=name,
            direction="cannot_tell" if place == 2 else "edited",
            first="edited" if (number + place) % 2 else "original",
            role="main",
            same_facts=place != 1,
        )
        for place, name in enumerate(people)
        for number, row in enumerate(rows)
    ]


def annotation_of(people) -> dict:
    """The parts of annotation.json that name people, and the agreement that the profile reads."""
    return {
        "schema": 1,
        "agreement": {
            "overall": {"pairwise": 0.9, "low": 0.8, "high": 0.95, "n_units": 9},
            "slots": [{"slot": "hedging_removal", "pairwise": 0.9}],
            "axes": [{"axis": "scope", "pairwise": 0.9}],
            "annotator_pairs": [
                {"a": people[0], "b": people[1], "n": 9, "agreement": 0.8},
                {"a": people[0], "b": people[2], "n": 9, "agreement": 0.7},
            ],
        },
        "self_consistency": [{"annotator": name, "rate": 0.5} for name in people],
    }


@pytest.fixture
def make(tmp_path: Path):
    def made(*, settings: str = "", human: bool = False, licence: str = "CC-BY-4.0") -> Study:
        rows = interventions(source="construction")
        judges = {"x": GRADES, "y": tuple(reversed(GRADES))}
        directions = [
            Direction(
                intervention_id=row.id,
                majority="edited" if row.arm == "construct" else "neither",
                votes={"edited": 3} if row.arm == "construct" else {"neither": 3},
                unanimous=True,
                matches_intent=True,
                status="enters",
            )
            for row in rows
        ]
        study = write_study(
            tmp_path / "study",
            rows,
            grades(rows, judges),
            direction="human" if human else "construction",
            directions=directions if human else (),
            settings=settings,
        )
        if human:
            write_json(study.annotation_path, annotation_of(PEOPLE))
        items = [
            BaseItem(id=base, evidence="Seen.", claim=f"Blight {base}.", licence=licence)
            for base in dict.fromkeys(base for base, _ in EDITS)
        ]
        write_jsonl(study.base_items_path, items)
        profile_study(study)
        return load_study(study.folder)

    return made


def read(bundle, name):
    return json.loads(bundle.files[name])
