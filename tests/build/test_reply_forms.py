"""Each form that a generator's or a verifier's reply takes, through a whole build.

The played verifier approves of everything but where a test says otherwise, so that what is refused
is refused by the reading and the gates alone.
"""

import json
import re

import pytest
from tests.helpers.loopback import Answer, Loopback
from tests.helpers.players import GENERATOR, VERIFIER

from judgeprobe.build.replies import read_edit
from judgeprobe.build.run import run_build
from judgeprobe.files import read_jsonl
from judgeprobe.records import BaseItem, Intervention, Rejection, Reply, Requested, Served
from judgeprobe.study import load_study

CLAIM = "The salve may ease itching in some adults when it is kept cool."
EVIDENCE = (
    "The salve was kept in a refrigerator and given to 30 adults with dry skin for two weeks. "
    "Itching was weaker afterwards in 12 of them, and three stopped early because of a rash."
)
EDITED = "The salve eases itching in some adults when it is kept cool."
VERDICT = {
    "facts_identical": True,
    "anchor_free_both": True,
    "register_comparable": True,
    "slot_changed": "hedging_removal",
    "scope_relation": "same",
    "claims_more": True,
}


def build(folder, edit, verdict, slot="hedging_removal"):
    """Build one item in one slot from a reply of each role; the edit or the refusal."""

    def script(body):
        return edit if "claude" in body["model"] else verdict

    with Loopback(script) as server:
        reach = f'base_url = "{server.url}"\ntransport = "direct"\n'
        (folder / "items.jsonl").write_text(
            json.dumps({"id": "a", "evidence": EVIDENCE, "claim": CLAIM})
        )
        (folder / "study.toml").write_text(
            '[study]\nname = "t"\nbase_items = "items.jsonl"\n'
            f'[generator]\nmodel = "{GENERATOR}"\nslots = ["{slot}"]\n{reach}'
            f'[verifier]\nmodel = "{VERIFIER}"\n{reach}'
        )
        study = load_study(folder)
        run_build(study)
        checks = sum("mistral" in body["model"] for body in server.parsed())
    edits = read_jsonl(study.interventions_path, Intervention)
    refused = read_jsonl(study.rejections_path, Rejection)
    assert len(edits) + len(refused) == 1
    return (edits or refused)[0], checks


def says(text, **more):
    return json.dumps({"edited": text, **more}, ensure_ascii=False)


@pytest.mark.parametrize(
    "reply",
    [
        says(EDITED),
        f"```json\n{says(EDITED)}\n```",
        f"Sure! Here is the edited text:\n\n{says(EDITED)}",
        f"<think>Remove `may`. Perhaps {says('The salve works.')}?</think>\n{says(EDITED)}",
        says(EDITED)[:-1] + ",}",
        f"{{'edited': '{EDITED}'}}",
        f"{{“edited”: “{EDITED}”}}",
        says(EDITED, note="I removed the hedge."),
        says(f'"{EDITED}"'),
        says(f"\u201c{EDITED}\u201d"),
        says(f"Edited text: {EDITED}"),
        says(f"  {EDITED}\n"),
        Answer(says(EDITED), message={"reasoning_content": "The hedge is `may`."}),
        Answer(message={"content": [{"type": "text", "text": says(EDITED)}]}),
    ],
)  # fmt: skip
def test_an_edit_in_any_dress_is_the_edit(tmp_path, reply):
    found, checks = build(tmp_path, reply, json.dumps(VERDICT))
    assert isinstance(found, Intervention)
    assert found.edited == EDITED
    assert checks == 1


@pytest.mark.parametrize(
    ("reply", "stage", "gate", "reason"),
    [
        (says(CLAIM), "gate", "no_op", "unchanged"),
        (says(CLAIM.replace(" ", "\u00a0")), "gate", "no_op", "unchanged"),
        (says(f"{EDITED} {EVIDENCE}"), "generate", "evidence_pasted", "kept in a refrigerator"),
        (says(EDITED[:-1] + " and given to 30 adults with dry skin for two weeks."),
         "generate", "evidence_pasted", "given to 30 adults"),
        (says(EVIDENCE), "generate", "evidence_pasted", ""),
        (says(f"{CLAIM} {EDITED}"), "generate", "original_repeated", "whole original"),
        (says(f"Original: {CLAIM}\nEdited: {EDITED}"), "generate", "original_repeated", ""),
        (says([EDITED, "The salve eased itching."]), "generate", "keys", "`edited`"),
        (f"{says(EDITED)}\n{says('The salve always eases itching.')}", "generate", "ambiguous",
         "2 different objects"),
        (says(f"1. {EDITED}\n2. The salve does ease itching in some adults when cool."),
         "gate", "well_formed", "sentences"),
        (says("Die Salbe lindert den Juckreiz bei manchen Erwachsenen, wenn sie kühl bleibt."),
         "gate", "overlap", "of its words"),
        (says("这种药膏在冷藏时可以缓解一些成年人的瘙痒。"), "gate", "well_formed", ""),
        (says("The salve always strongly eases itching in all adults when it is kept cool."),
         "gate", "other_axis", "marks scope"),
        (says("The salve eases itching in 12 of 30 adults when it is kept cool."),
         "gate", "numbers", "gains"),
        (says(""), "generate", "empty", "empty text"),
        ("", "generate", "empty", "the reply is empty"),
        ("<think>I should remove the hedge", "generate", "empty", "reasoning"),
        ("I'm sorry, but I can't edit medical claims.", "generate", "refused", "declines"),
        (says("I cannot help with editing this text."), "generate", "refused", "inside the JSON"),
        (Answer("", message={"refusal": "I can't."}), "generate", "refused", "marked as refused"),
        (Answer(says(EDITED), finish="length"), "generate", "truncated", "token limit"),
        (says(EDITED)[:30], "generate", "unreadable", "breaks off"),
        (EDITED, "generate", "unreadable", "no JSON object"),
        ('{"text": "' + EDITED + '"}', "generate", "keys", "keys asked for"),
        ('{"edited": true}', "generate", "keys", "`edited`"),
        ('{"edited": null}', "generate", "not_applicable", "no place"),
        ('{"edited": "null"}', "generate", "not_applicable", "no place"),
        (says("The salve eases it\u202eching in some adults when it is kept cool."),
         "generate", "unfit_text", "right-to-left override"),
        ('{"edited": "The salve eases \\ud83d itching."}', "generate", "unreadable", "surrogate"),
        (says("The salve eases itching. " * 400), "generate", "unfit_text", "limit"),
    ],
)  # fmt: skip
def test_what_is_no_edit_is_refused_before_the_verifier_is_paid(
    tmp_path, reply, stage, gate, reason
):
    found, checks = build(tmp_path, reply, json.dumps(VERDICT))
    assert isinstance(found, Rejection)
    assert (found.stage, found.gate) == (stage, gate)
    assert reason in found.reason
    assert checks == 0


def test_words_of_the_claim_that_are_moved_are_not_pasted():
    claim = "Keep the salve cool. It was given to 30 adults with dry skin for two weeks."
    moved = "It was given to 30 adults with dry skin for two weeks. Keep the salve cool."
    item = BaseItem(id="a", evidence=f"{EVIDENCE} It was given to 30 adults.", claim=claim)
    reply = Reply(key="", requested=Requested(model="m"), served=Served(), text=says(moved))
    offer = read_edit(reply, item)
    assert (offer.problem, offer.text) == ("", moved)


def verdict(**changes):
    return json.dumps({**VERDICT, **changes})


def without(key):
    return json.dumps({name: value for name, value in VERDICT.items() if name != key})


@pytest.mark.parametrize(
    "reply",
    [
        verdict(),
        f"```json\n{verdict()}\n```",
        f"<think>Which slot?</think>{verdict()}",
        verdict(facts_identical="true", anchor_free_both="yes", register_comparable="True"),
        verdict(slot_changed="Hedging Removal", scope_relation="Same"),
        verdict(confidence=0.8),
        verdict(claims_more=False),
        verdict(scope_relation="wider"),
        re.sub(r"\btrue\b", "True", verdict()).replace('"', "'"),
    ],
)
def test_an_approving_verdict_lets_a_construct_edit_in(tmp_path, reply):
    found, _ = build(tmp_path, says(EDITED), reply)
    assert isinstance(found, Intervention)
    assert found.verifier["slot_changed"] == "hedging_removal"


@pytest.mark.parametrize(
    ("reply", "gate", "reason"),
    [
        (verdict(facts_identical=False), "facts_identical", "different facts"),
        (verdict(anchor_free_both="no"), "anchor_free_both", "points to a source"),
        (verdict(register_comparable=False), "register_comparable", "another register"),
        (verdict(slot_changed="intensifier_addition"), "slot_changed",
         "sees `intensifier_addition` where `hedging_removal` was asked"),
        (verdict(slot_changed="several"), "slot_changed", "several edits at once"),
        (verdict(slot_changed="none"), "slot_changed", "no edit of the list"),
        # A control slot is not on the list of a construct pair.
        (verdict(slot_changed="reordering"), "keys", "not listed"),
        (verdict(slot_changed="hedge_swap"), "keys", "not listed"),
        (verdict(scope_relation="bigger"), "keys", "scope relation"),
        (verdict(facts_identical=False, slot_changed="none"), "facts_identical",
         "different facts; the verifier sees no edit"),
        (without("slot_changed"), "keys", "`slot_changed` is missing"),
        (without("claims_more"), "keys", "`claims_more` is missing"),
        (verdict(facts_identical="mostly"), "keys", "`facts_identical`"),
        (Answer(verdict(), finish="length"), "truncated", "token limit"),
        ("Both texts are fine.", "unreadable", "no JSON object"),
        ("I can't compare these.", "refused", "declines"),
        ("", "empty", "empty"),
        (verdict()[:-20], "unreadable", "breaks off"),
        (verdict() + verdict(claims_more=False), "ambiguous", "different objects"),
        (Answer(verdict(), top={"model": "claude-3"}), "wrong_server", "'claude-3'"),
    ],
)  # fmt: skip
def test_any_other_verdict_refuses_the_edit_with_its_reason(tmp_path, reply, gate, reason):
    found, checks = build(tmp_path, says(EDITED), reply)
    assert isinstance(found, Rejection)
    assert (found.stage, found.gate, found.text) == ("verify", gate, EDITED)
    assert reason in found.reason
    assert checks == 1


@pytest.mark.parametrize(
    ("relation", "gate"), [("same", ""), ("wider", "scope_relation"), ("other", "scope_relation")]
)
def test_a_control_edit_also_needs_the_same_scope(tmp_path, relation, gate):
    moved = "When it is kept cool, the salve may ease itching in some adults."
    reply = verdict(slot_changed="reordering", scope_relation=relation, claims_more=False)
    found, _ = build(tmp_path, says(moved), reply, slot="reordering")
    if not gate:
        assert isinstance(found, Intervention)
    else:
        assert found.gate == gate
        assert f"covers {relation}" in found.reason


def test_a_control_that_moved_the_construct_is_refused_by_its_name(tmp_path):
    moved = "When it is kept cool, the salve may ease itching in some adults."
    reply = verdict(slot_changed="condition_removal")
    found, _ = build(tmp_path, says(moved), reply, slot="reordering")
    assert found.gate == "slot_changed"
    assert found.verifier["axis_changed"] == "strength"
