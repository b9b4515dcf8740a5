import pytest
from tests.helpers.loopback import Loopback
from tests.helpers.players import SLOTS, claims, play, write_study

from judgeprobe.build.preview import preview
from judgeprobe.build.run import run_build
from judgeprobe.errors import StudyError
from judgeprobe.study import load_study

PRICE = "price = { input = 2.0, output = 8.0 }\n"


def test_a_preview_sends_nothing_and_writes_nothing(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=5, extra=PRICE)
        before = sorted(path.name for path in tmp_path.iterdir())
        found = preview(study, 3)
        assert server.requests == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert (found.base_items, found.slots, found.rules) == (5, 12, False)
    generator, verifier = found.planned
    assert (generator.calls, generator.cached, generator.most_calls) == (60, 0, 120)
    assert (verifier.calls, verifier.most_calls) == (60, 120)
    assert generator.usd is None
    assert verifier.usd == pytest.approx(
        (verifier.prompt_tokens * 2 + verifier.reply_tokens * 8) / 1e6
    )
    assert verifier.most_usd == pytest.approx(2 * verifier.usd)


def test_what_is_shown_is_what_is_sent(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=5)
        shown = [row for row in preview(study, 60).shown if row.role == "generator"]
        run_build(study)
        sent = [body["messages"] for body in server.parsed() if "claude" in body["model"]]
    assert len({(row.base_id, row.slot) for row in shown}) == 60
    assert {row.slot for row in shown} == set(SLOTS)
    for row in shown:
        assert list(row.messages) in sent


def test_the_estimate_is_near_what_is_sent(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=5, attempts=1)
        planned = {row.role: row for row in preview(study, 1).planned}
        run_build(study)
        bodies = server.parsed()
    characters = sum(
        len(message["content"])
        for body in bodies
        if "claude" in body["model"]
        for message in body["messages"]
    )
    assert planned["generator"].calls == 60
    assert planned["generator"].prompt_tokens == pytest.approx(characters / 4, rel=0.01)


def test_what_is_cached_is_not_counted_again(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=3)
        run_build(study)
        again, _ = preview(write_study(tmp_path, server.url, items=4), 1).planned
    assert (again.cached, again.calls) == (36, 12)


def test_a_study_of_rules_alone_is_free(tmp_path):
    write_study(tmp_path, "http://127.0.0.1:9/v1", items=2)
    (tmp_path / "study.toml").write_text('[study]\nname = "r"\nbase_items = "items.jsonl"\n')
    found = preview(load_study(tmp_path), 2)
    assert found.rules
    assert found.planned == found.shown == ()


def test_models_that_do_not_go_together_have_no_preview(tmp_path):
    study = write_study(
        tmp_path, "http://127.0.0.1:9/v1", items=2,
        extra='[[judges]]\nname = "j"\nmodel = "mistral/mistral-large"\n',
    )  # fmt: skip
    with pytest.raises(StudyError, match="mistral/mistral-large, family mistral"):
        preview(study, 1)


def test_claims_of_the_players_are_all_different():
    assert len({row["claim"] for row in claims(60)}) == 60
