"""Builds by a played generator and verifier: what enters, what is refused, and each call once."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.helpers.loopback import Answer, Loopback
from tests.helpers.players import SLOTS, claims, edit, fate, play, write_study

from judgeprobe.build.run import run_build
from judgeprobe.errors import (
    InputError,
    JudgeprobeError,
    MixedArtifactsError,
    PermanentCallError,
    StudyError,
)
from judgeprobe.files import read_jsonl
from judgeprobe.llm import retry
from judgeprobe.records import Intervention, Rejection
from judgeprobe.study import load_study

ROOT = Path(__file__).parents[2]
STAGES = {
    "not_applicable": "generate",
    "unreadable": "generate",
    "no_op": "gate",
    "facts_identical": "verify",
    "slot_changed": "verify",
}


def expected(items: int, attempts: int = 2):
    """What a build must accept and refuse, from the players' own rule."""
    accepted, refused = [], []
    for row in claims(items):
        for slot in SLOTS:
            for attempt in range(1, attempts + 1):
                will = fate(row["claim"], slot, attempt)
                if will == "accept":
                    accepted.append((row["id"], slot, edit(row["claim"], slot, attempt), attempt))
                    break
                refused.append((row["id"], slot, attempt, STAGES[will], will))
                if will == "not_applicable":
                    break
    return accepted, refused


def found(study):
    edits = read_jsonl(study.interventions_path, Intervention)
    rows = read_jsonl(study.rejections_path, Rejection)
    return (
        [(e.base_id, e.slot, e.edited, e.attempts) for e in edits],
        [(r.base_id, r.slot, r.attempt, r.stage, r.gate) for r in rows],
    )


def files(study):
    return {path.name: path.read_bytes() for path in study.folder.iterdir() if path.is_file()}


def test_sixty_items_in_twelve_slots_end_as_predicted(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=60)
        result = run_build(study)
        bodies = Counter(server.bodies)
    accepted, refused = expected(60)
    assert found(study) == (accepted, refused)
    assert max(bodies.values()) == 1
    verified = [row for row in refused if row[3] == "verify"]
    assert len(bodies) == len(accepted) + len(refused) + len(accepted) + len(verified)
    assert {row["base_id"] for row in map(json.loads, study.rejections_path.open())}
    for row in (*result.slots, *result.axes):
        assert row.generated == row.accepted + sum(row.rejected.values())
        assert sum(row.rejected.values()) == sum(row.stages.values())
    assert [row.accepted for row in result.slots] == [
        sum(slot == entry[1] for entry in accepted) for slot in SLOTS
    ]


def test_what_is_kept_says_who_wrote_and_who_checked(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=6)
        result = run_build(study)
    edits = read_jsonl(study.interventions_path, Intervention)
    for kept in edits:
        assert (kept.generator, kept.family) == ("openai/claude-haiku-4.5", "anthropic")
        assert set(kept.made_under) == {"taxonomy", "generator_prompt", "verifier_prompt"}
        assert kept.verifier["slot_changed"] == kept.slot
        assert kept.verifier["axis_changed"] == kept.axis
        assert kept.verifier["family"] == "mistral"
        assert kept.direction_source == "construction"
    controls = {e.made_under["verifier_prompt"] for e in edits if e.arm == "invariance"}
    constructs = {e.made_under["verifier_prompt"] for e in edits if e.arm == "construct"}
    assert len(controls) == len(constructs) == 1
    assert controls != constructs
    manifest = study.manifest()["stages"]["build"]
    assert manifest["families"] == {"generator": ["anthropic"], "verifier": ["mistral"]}
    assert set(manifest["prompts"]["verifier_prompt"]) == controls | constructs
    noticed = {row.axis: row for row in result.noticing}
    constructed = [e for e in edits if e.arm == "construct"]
    assert noticed["scope"].noticed + noticed["strength"].noticed == len(constructed)
    assert noticed["control"].noticed == 0
    assert noticed["scope"].agreement == noticed["strength"].agreement == 1.0
    refused = read_jsonl(study.rejections_path, Rejection)
    verified = sum(row.stage == "verify" for row in refused)
    assert sum(row.pairs for row in result.noticing) == len(edits) + verified


def test_a_refused_edit_is_asked_for_again_with_the_reason(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=6)
        run_build(study)
        asked = [body["messages"][-1]["content"] for body in server.parsed()]
    again = {
        (row.text, row.reason)
        for row in read_jsonl(study.rejections_path, Rejection)
        if row.attempt == 1 and row.gate != "not_applicable"
    }
    assert again
    for text, reason in again:
        words = f"Your last edit, which was refused: {text}\nWhy it was refused: {reason}"
        assert any(body.endswith(words) for body in asked)


def test_the_verifier_is_not_told_which_edit_was_asked(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=3)
        run_build(study)
        checks = [b for b in server.parsed() if "mistral" in b["model"]]
    systems = Counter(body["messages"][0]["content"] for body in checks)
    assert len(systems) == 2


def test_the_bytes_do_not_depend_on_the_order_of_completion(tmp_path):
    made = []
    for number in range(3):
        rng = random.Random(number)

        def late(body, rng=rng):
            return Answer(play(body), delay=rng.random() / 50)

        with Loopback(late) as server:
            study = write_study(tmp_path / "s", server.url, items=5)
            for path in (study.cache_dir / "cache.db",):
                path.unlink(missing_ok=True)
            run_build(study)
            written = files(study)
            # The port is the only thing that differs between the runs.
            written.pop("study.toml")
            written["manifest.json"] = json.dumps(study.manifest()["stages"])
        made.append(written)
        for path in study.cache_dir.iterdir():
            path.unlink()
    assert made[0] == made[1] == made[2]


def test_concurrency_is_that_of_the_budget(tmp_path):
    with Loopback(play, latency=0.02) as server:
        run_build(
            write_study(tmp_path / "a", server.url, items=8, extra="[budget]\nconcurrency = 5\n")
        )
        assert 4 <= server.peak <= 5
    with Loopback(play, latency=0.02) as server:
        run_build(write_study(tmp_path / "b", server.url, items=8))
        assert server.peak == 8


def test_faults_of_the_provider_change_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(
        retry.retrying, "__kwdefaults__", {**retry.retrying.__kwdefaults__, "first_wait": 0.01}
    )
    faults = {"429": 0.05, "500": 0.05, "drop": 0.05, "malformed": 0.03}
    with Loopback(play, faults=faults, retry_after=0.01) as server:
        study = write_study(tmp_path, server.url, items=6)
        result = run_build(study)
        assert set(server.counts) >= {"answered", "429", "500", "drop"}
        assert max(server.answered.values()) == 1
    assert found(study) == expected(6)
    assert result.incomplete == 0
    assert sum(count.retries for count in result.calls.values()) > 0


def test_a_second_build_makes_no_call_and_the_same_bytes(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=6)
        run_build(study)
        before, calls = files(study), server.requests
        again = run_build(load_study(tmp_path))
        assert server.requests == calls
    assert files(study) == before
    assert all(count.calls == 0 for count in again.calls.values())


def test_stopped_at_ten_random_points_each_call_is_made_once(tmp_path):
    rng = random.Random(3)
    stop_at = 0

    def stopping(body):
        if server.requests == stop_at:
            os.kill(os.getpid(), rng.choice([signal.SIGTERM, signal.SIGINT]))
        return play(body)

    with Loopback(stopping, latency=0.002) as server:
        study = write_study(tmp_path, server.url, items=8, extra="[budget]\nconcurrency = 6\n")
        for _ in range(10):
            stop_at = server.requests + rng.randint(1, 20)
            with pytest.raises(KeyboardInterrupt):
                run_build(study)
            assert not study.interventions_path.exists()
        stop_at = 0
        run_build(study)
        bodies = Counter(server.bodies)
    assert found(study) == expected(8)
    assert max(bodies.values()) == 1


def test_a_budget_that_is_reached_stops_the_build_and_keeps_what_came(tmp_path):
    with Loopback(play, latency=0.002) as server:
        study = write_study(tmp_path, server.url, items=8, extra="[budget]\nmax_calls = 50\n")
        with pytest.raises(JudgeprobeError, match=r"max_calls = 50 is reached.* kept"):
            run_build(study)
        assert server.requests == 50
        assert not study.interventions_path.exists()
        run_build(write_study(tmp_path, server.url, items=8))
        assert max(Counter(server.bodies).values()) == 1
    assert found(study) == expected(8)


def test_a_budget_in_dollars_counts_the_tokens(tmp_path):
    # The loopback server counts 300 prompt tokens and 5 reply tokens a call.
    price = "price = { input = 100.0, output = 0.0 }\n"
    with Loopback(play, latency=0.002) as server:
        study = write_study(
            tmp_path, server.url, items=8, extra=f"{price}[budget]\nmax_usd = 0.3\n"
        )
        with pytest.raises(JudgeprobeError, match=r"max_usd = 0\.3 is reached"):
            run_build(study)
        checked = sum("mistral" in body["model"] for body in server.parsed())
    # Ten calls of the verifier cost 0.3; the first ones go out before any cost is known.
    assert 0.1 < checked * 0.03 <= 0.3 + 8 * 0.03


RUN = """
import sys
from judgeprobe.cli.app import main
sys.argv[1:] = ["build", sys.argv[1], "--quiet"]
main()
"""


def run_until(study, server, number, calls):
    """Build in a process of its own and send it a signal after some calls."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(study.folder)],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    goal = server.requests + calls
    while process.poll() is None and server.requests < goal:
        time.sleep(0.001)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    return process.returncode, said.decode()


def test_ended_by_a_signal_the_command_says_so(tmp_path):
    with Loopback(play, latency=0.01) as server:
        study = write_study(tmp_path, server.url, items=8, extra="[budget]\nconcurrency = 6\n")
        status, said = run_until(study, server, signal.SIGTERM, 30)
        assert status == 1, said
        assert "what has arrived is kept" in said
        run_build(study)
        assert max(Counter(server.bodies).values()) == 1
    assert found(study) == expected(8)


def test_killed_outright_only_what_was_on_its_way_is_asked_again(tmp_path):
    with Loopback(play, latency=0.01) as server:
        study = write_study(tmp_path, server.url, items=8, extra="[budget]\nconcurrency = 4\n")
        status, _ = run_until(study, server, signal.SIGKILL, 80)
        assert status == -signal.SIGKILL
        sent = server.requests
        run_build(study)
        again = sum(count - 1 for count in Counter(server.bodies).values())
    # The cache writes every quarter of a second: four at once, 10 ms each.
    assert again <= 4 * (1 + 0.3 / 0.01)
    assert again < sent
    assert found(study) == expected(8)


def test_another_model_than_asked_is_refused_by_name(tmp_path):
    def other(body):
        answer = play(body)
        if "claude" in body["model"] and "gentle morning" in body["messages"][-1]["content"]:
            return Answer(answer, top={"model": "gpt-4o-mini"})
        return answer

    with Loopback(other) as server:
        study = write_study(tmp_path, server.url, items=4, attempts=1, extra="")
        text = (study.folder / "study.toml").read_text()
        slots = '[generator]\nslots = ["format_shift"]\n'
        (study.folder / "study.toml").write_text(text.replace("[generator]\n", slots))
        run_build(load_study(study.folder))
    first, *_ = read_jsonl(study.rejections_path, Rejection)
    assert (first.base_id, first.stage, first.gate) == ("p000", "generate", "wrong_server")
    assert "'gpt-4o-mini'" in first.reason
    assert "'openai/claude-haiku-4.5'" in first.reason


def test_a_provider_that_always_answers_from_another_model_stops_the_build(tmp_path):
    with Loopback(lambda body: Answer(play(body), top={"model": "llama-4"})) as server:
        study = write_study(tmp_path, server.url, items=30, extra="[budget]\nconcurrency = 2\n")
        with pytest.raises(JudgeprobeError, match="served by the model 'llama-4'") as error:
            run_build(study)
        assert server.requests <= 12
    assert "generator" in str(error.value)
    assert not study.interventions_path.exists()


def test_a_wrong_key_stops_the_build_and_writes_nothing(tmp_path):
    with Loopback(play, faults={"401": 1.0}) as server:
        study = write_study(tmp_path, server.url, items=20, extra="[budget]\nconcurrency = 3\n")
        with pytest.raises(PermanentCallError, match="401"):
            run_build(study)
        assert server.requests <= 3
    assert not study.interventions_path.exists()


def test_a_call_that_fails_for_good_is_counted_and_can_be_made_up(tmp_path, monkeypatch):
    monkeypatch.setattr(
        retry.retrying,
        "__kwdefaults__",
        {**retry.retrying.__kwdefaults__, "first_wait": 0.001, "attempts": 2},
    )
    broken = True

    def sometimes(body):
        if (
            broken
            and "mistral" in body["model"]
            and "gentle weekly" in body["messages"][-1]["content"]
        ):
            return Answer(status=503, top={"error": {"message": "overloaded"}})
        return play(body)

    with Loopback(sometimes) as server:
        study = write_study(tmp_path, server.url, items=6)
        result = run_build(study)
        failed = [
            r for r in read_jsonl(study.rejections_path, Rejection) if r.gate == "call_failed"
        ]
        assert result.incomplete == len(failed) > 0
        assert {row.stage for row in failed} == {"verify"}
        broken = False
        assert run_build(study).incomplete == 0
        assert max(server.answered.values()) == 1
    assert found(study) == expected(6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("openai/mistral-small-3.2", "openai/claude-opus-4"), "of one family"),
        (("openai/mistral-small-3.2", "rules"), "verifier"),
        (("openai/mistral-small-3.2", "openai/ours"), "cannot be told"),
    ],
)
def test_models_that_do_not_go_together_are_refused_before_any_call(tmp_path, change, words):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=2)
        text = (study.folder / "study.toml").read_text().replace(*change)
        (study.folder / "study.toml").write_text(text)
        with pytest.raises(InputError, match=words):
            run_build(load_study(tmp_path))
        assert server.requests == 0
    assert not study.cache_dir.exists()


def test_a_judge_of_the_generators_family_is_refused_before_any_call(tmp_path):
    with Loopback(play) as server:
        judge = '[[judges]]\nname = "j"\nmodel = "vertex_ai/claude-sonnet-4@1"\n'
        study = write_study(tmp_path, server.url, items=2, extra=judge)
        with pytest.raises(StudyError, match="vertex_ai/claude-sonnet-4@1, family anthropic") as e:
            run_build(study)
        assert server.requests == 0
    assert "openai/claude-haiku-4.5, family anthropic" in str(e.value)


def test_a_model_without_a_verifier_is_refused_with_the_remedy(tmp_path):
    study = write_study(tmp_path, "http://127.0.0.1:9/v1", items=2)
    text = (study.folder / "study.toml").read_text().split("[verifier]")[0]
    (study.folder / "study.toml").write_text(text)
    with pytest.raises(StudyError, match=r"nothing checks its edits; name a model .*\[verifier\]"):
        run_build(load_study(tmp_path))


def test_rules_can_be_mixed_in_and_are_checked_too(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=4)
        text = (study.folder / "study.toml").read_text()
        mixed = text.replace(
            "[generator]\n", '[generator]\nmix_rules = true\nslots = ["hedging_removal"]\n'
        )
        (study.folder / "study.toml").write_text(mixed)
        run_build(load_study(tmp_path))
    edits = read_jsonl(study.interventions_path, Intervention)
    refused = read_jsonl(study.rejections_path, Rejection)
    rules = [e for e in edits if e.generator == "rules"]
    assert rules
    assert all(e.verifier is not None and e.verifier["slot_changed"] == e.slot for e in rules)
    assert "generator_prompt" not in rules[0].made_under
    # The model's first edit is the one that the rules have made already.
    assert any(row.gate == "duplicate" and row.generator != "rules" for row in refused)
    texts = [(e.base_id, e.edited) for e in edits]
    assert len(set(texts)) == len(texts)


def test_another_prompt_is_not_mixed_in(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=2)
        run_build(study)
        prompt = (ROOT / "prompts" / "generator.v1.txt").read_text()
        (tmp_path / "mine.txt").write_text(prompt.replace("exactly one edit", "one edit"))
        text = (tmp_path / "study.toml").read_text()
        (tmp_path / "study.toml").write_text(
            text.replace("[generator]\n", '[generator]\nprompt = "mine.txt"\n')
        )
        with pytest.raises(MixedArtifactsError, match=r"generator prompt .* --replace"):
            run_build(load_study(tmp_path))
        run_build(load_study(tmp_path), replace=True)
    assert found(study) == expected(2)


def test_matched_lengths_leave_the_counts_whole(tmp_path):
    with Loopback(play) as server:
        study = write_study(tmp_path, server.url, items=6)
        free = run_build(study)
        text = (tmp_path / "study.toml").read_text()
        (tmp_path / "study.toml").write_text(
            text.replace("[generator]\n", "[generator]\nmatch_length = 0.02\n")
        )
        matched = run_build(load_study(tmp_path))
    axes = {row.name: row for row in matched.axes}
    assert axes["scope"].accepted == axes["strength"].accepted > 0
    assert matched.generated == free.generated
    for row in matched.slots:
        assert row.generated == row.accepted + sum(row.rejected.values())
    left_out = [r for r in read_jsonl(study.rejections_path, Rejection) if r.stage == "match"]
    assert len(left_out) == free.accepted - matched.accepted > 0
    (balance,) = matched.balance
    assert abs(balance.balance.delta_absolute) < abs(free.balance[0].balance.delta_absolute)
