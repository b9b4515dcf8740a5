"""The plan: unique texts, whole base items, domains mixed, shared evidence together."""

from collections import Counter
from itertools import groupby

import pytest

from judgeprobe.errors import InputError, MixedArtifactsError
from judgeprobe.files import write_jsonl
from judgeprobe.records import text_id
from judgeprobe.sweep.plan import load_plan, plan_texts

from .conftest import make_interventions


def test_every_text_is_there_once():
    edits = make_interventions(40)
    texts = plan_texts(edits, seed=1)
    wanted = {text_id(e.evidence, t) for e in edits for t in (e.original, e.edited)}
    assert len(texts) == len(wanted)
    assert {text.id for text in texts} == wanted
    assert all(text.id == text_id(text.evidence, text.text) for text in texts)


def test_an_early_stop_leaves_whole_base_items_of_every_domain():
    edits = make_interventions(80)
    order = [text.base_id for text in plan_texts(edits, seed=1)]
    runs = [base for base, _ in groupby(order)]
    assert len(runs) == len(set(runs)) == 80
    for stop in (8, 20, 40):
        domains = Counter(int(base[1:]) % 4 for base in runs[:stop])
        assert max(domains.values()) - min(domains.values()) <= 2


def test_the_order_depends_on_the_seed_and_not_on_the_file():
    edits = make_interventions(30)
    assert plan_texts(edits, seed=1) == plan_texts(edits[::-1], seed=1)
    assert plan_texts(edits, seed=1) != plan_texts(edits, seed=2)


def test_base_items_that_share_evidence_stay_together():
    edits = make_interventions(30)
    shared = [
        edit.model_copy(update={"evidence": f"E{int(edit.base_id[1:]) % 5}"}) for edit in edits
    ]
    order = [text.evidence for text in plan_texts(shared, seed=1)]
    assert len([name for name, _ in groupby(order)]) == 5


def test_a_study_without_interventions_is_refused(make_study):
    study = make_study()
    study.interventions_path.unlink()
    with pytest.raises(InputError, match="judgeprobe build"):
        load_plan(study)
    study.interventions_path.write_text("")
    with pytest.raises(InputError, match="no intervention"):
        load_plan(study)


def test_another_taxonomy_is_refused(make_study):
    study = make_study()
    edits = [
        e.model_copy(update={"made_under": {"taxonomy": "f" * 64}}) for e in make_interventions(2)
    ]
    write_jsonl(study.interventions_path, edits)
    with pytest.raises(MixedArtifactsError, match="ffffffffffff"):
        load_plan(study)
