"""What do a played generator and a played verifier answer, and what must a build make of it?

The base items are claims of one form, so that an edit of every shipped slot can be written that
passes the gates. The player knows from the claim, the slot and the attempt what it will do
(`fate`), and a test computes from the same function what a build must accept and refuse. The
verifier tells an edit's slot by looking the text up: it is told nothing.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.helpers.loopback import Answer

from judgeprobe.study import Study, load_study
from judgeprobe.taxonomy import load_taxonomy

__all__ = ["GENERATOR", "SLOTS", "VERIFIER", "claims", "edit", "fate", "play", "write_study"]

SLOTS = tuple(slot.name for slot in load_taxonomy("claim-calibration").slots)
GENERATOR = "openai/claude-haiku-4.5"
VERIFIER = "openai/mistral-small-3.2"

_HOW = ("gentle", "brisk", "silent", "steady", "warm", "cold", "paired", "guided")
_WHEN = ("morning", "evening", "daily", "weekly", "summer", "winter", "spring", "autumn")
_NAMES = tuple(f"{how} {when}" for how in _HOW for when in _WHEN)
_EDITS: Mapping[str, tuple[tuple[str, str], tuple[str, str]]] = {
    # Two edits a slot: what is replaced by what, at the first and at the second attempt.
    "domain_extension": (("pain", "pain and fatigue"), ("pain", "pain and stiffness")),
    "population_widening": (("older adults", "adults"), ("older adults", "people")),
    "quantifier_strengthening": (("some", "most"), ("some", "all")),
    "tense_modality_shift": (("reduced pain", "reduces pain"), ("reduced pain", "reduce pain")),
    "condition_removal": ((" when it was taken with food", ""), (" taken with food", " taken")),
    "hedging_removal": (("possibly reduced", "reduced"), ("possibly reduced", "likely reduced")),
    "intensifier_addition": (
        ("reduced pain", "strongly reduced pain"),
        ("reduced pain", "greatly reduced pain"),
    ),
    "elaboration": (
        ("older adults", "older adults, people of higher age,"),
        ("older adults", "older adults, the aged,"),
    ),
    "format_shift": (("older adults", "**older adults**"), ("pain", "**pain**")),
    "register_shift": (("older adults", "elderly persons"), ("older adults", "elderly adults")),
    "reordering": (("", ""), ("", "")),
    "verbosity_padding": (("pain", "the feeling of pain"), ("food", "food from a kitchen")),
}
_TEXT = re.compile(r"Text:\n(.*)\n\nYour last edit, which was refused: (.*)\nWhy", re.DOTALL)
_PAIR = re.compile(r"Original:\n(.*)\n\nEdited:\n(.*)\Z", re.DOTALL)


def claims(count: int) -> list[dict[str, str]]:
    """Base items, as rows of a table."""
    return [
        {
            "id": f"p{number:03d}",
            "domain": f"domain {number % 4}",
            "evidence": f"The {name} treatment was given to 40 older adults with food. Pain was "
            "lower afterwards in 17 of them.",
            "claim": f"The {name} treatment possibly reduced pain in some older adults when it was "
            "taken with food.",
        }
        for number, name in enumerate(_NAMES[:count])
    ]


def edit(claim: str, slot: str, attempt: int) -> str:
    """The edit that the played generator writes."""
    if slot == "reordering":
        condition = "when it was taken with food"
        main = claim[0].lower() + claim.removesuffix(f" {condition}.")[1:]
        if attempt == 1:
            return f"{condition.capitalize()}, {main}."
        whom = " in some older adults"
        return f"{whom.strip().capitalize()}, {main.replace(whom, '')} {condition}."
    old, new = _EDITS[slot][attempt - 1]
    return claim.replace(old, new, 1)


def fate(claim: str, slot: str, attempt: int) -> str:
    """What becomes of an attempt: "accept", or the gate or check that will refuse it."""
    draw = hashlib.sha256(f"{claim}|{slot}|{attempt}".encode()).digest()[0]
    if draw < 26:
        return "facts_identical"
    if draw < 52:
        return "slot_changed"
    if draw < 64:
        return "no_op"
    if draw < 72:
        return "not_applicable"
    if draw < 80:
        return "unreadable"
    return "accept"


def play(body: Mapping[str, Any]) -> str | Answer:
    """The answer to a request, by the model that is asked."""
    system, user = body["messages"][0]["content"], body["messages"][-1]["content"]
    if "claude" in body["model"]:
        return _write(system, user)
    return _check(user)


def _write(system: str, user: str) -> str:
    named = re.search(r"The edit: (\w+):", system)
    found = _TEXT.search(user)
    assert named is not None
    assert found is not None
    slot, claim = named[1], found[1]
    attempt = 1 if found[2] == "none" else 2
    will = fate(claim, slot, attempt)
    if will == "not_applicable":
        return '{"edited": null}'
    if will == "unreadable":
        return '{"edited": "' + claim[:20]
    return json.dumps({"edited": claim if will == "no_op" else edit(claim, slot, attempt)})


def _check(user: str) -> str:
    found = _PAIR.search(user)
    assert found is not None
    claim, edited = found[1], found[2]
    slot, attempt = next(
        (slot, attempt)
        for slot in SLOTS
        for attempt in (1, 2)
        if edit(claim, slot, attempt) == edited
    )
    will = fate(claim, slot, attempt)
    return json.dumps(
        {
            "facts_identical": will != "facts_identical",
            "anchor_free_both": True,
            "register_comparable": True,
            "slot_changed": "several" if will == "slot_changed" else slot,
            "scope_relation": "same",
            "claims_more": SLOTS.index(slot) < 7 and will == "accept",
        }
    )


def write_study(folder: Path, url: str, *, items: int, extra: str = "", attempts: int = 2) -> Study:
    """A study whose generator and verifier are played at a URL."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = "".join(json.dumps(row) + "\n" for row in claims(items))
    (folder / "items.jsonl").write_text(rows, encoding="utf-8")
    reach = f'base_url = "{url}"\ntransport = "direct"\n'
    (folder / "study.toml").write_text(
        '[study]\nname = "played"\nbase_items = "items.jsonl"\ndirection = "construction"\n'
        f'[generator]\nmodel = "{GENERATOR}"\nattempts = {attempts}\n{reach}'
        f'[verifier]\nmodel = "{VERIFIER}"\n{reach}{extra}',
        encoding="utf-8",
    )
    return load_study(folder)
