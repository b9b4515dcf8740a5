"""The arm from end to end with played models: what was planted is what is measured."""

import json
import sys
from collections import Counter

import pytest
from tests.helpers.loopback import Answer, Loopback
from tests.helpers.pressure_players import (
    NARROWED,
    STRENGTHENED,
    both,
    idle,
    pressed,
    write_study,
)

from judgeprobe.errors import MixedArtifactsError, StudyError
from judgeprobe.files import read_jsonl
from judgeprobe.llm import retry
from judgeprobe.pressure.run import run_pressure
from judgeprobe.records import Comparison, PressureClaim
from judgeprobe.study import load_study


def rows(content, readout, condition="accuracy"):
    return {
        row["axis"]: row
        for row in content["effects"]
        if row["readout"] == readout and row["condition"] == condition
    }


def states(content):
    return {row["readout"]: row["status"] for row in content["prediction"]["rows"]}


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")
    with Loopback(both(pressed)) as server:
        study = write_study(folder, server.url, count=40)
        result = run_pressure(study)
        bodies = Counter(server.bodies)
    return study, result, bodies


def test_a_generator_that_narrows_and_strengthens_is_measured_with_both_signs(planted):
    _, result, _ = planted
    for readout in ("markers", "verifier_vs_neutral", "verifier_vs_evidence"):
        found = rows(result.content, readout)
        # Of the verifier against the evidence, "most" to "the" is from more to same.
        assert found["scope"]["low"] <= -NARROWED <= found["scope"]["high"] < 0
        assert 0 < found["strength"]["low"] <= STRENGTHENED <= found["strength"]["high"]
        assert found["scope"]["moved"] == "fell"
        assert found["strength"]["moved"] == "rose"
    assert states(result.content) == {
        "markers": "supported",
        "verifier_vs_neutral": "supported",
        "verifier_vs_evidence": "supported",
        "human": "not decided",
    }


def test_brevity_moves_no_axis_and_stands_apart(planted):
    _, result, _ = planted
    for readout in ("markers", "verifier_vs_neutral", "verifier_vs_evidence"):
        for axis in ("scope", "strength", "pooled"):
            row = rows(result.content, readout, "brevity")[axis]
            assert (row["estimate"], row["p"], row["moved"]) == (0.0, 1.0, "no movement shown")
            assert "same difference" in row["reason"]


def test_effects_equal_an_explicit_loop_over_the_claims(planted):
    study, result, _ = planted
    claims = read_jsonl(study.pressure_dir / "claims.jsonl", PressureClaim)
    score = {}
    for one in claims:
        scope = one.text.startswith("Most of the")
        score[one.base_id, one.condition, one.seed] = (int(scope), -int("may have" in one.text))
    bases = sorted({one.base_id for one in claims})
    for index, axis in enumerate(("scope", "strength")):
        means = []
        for base in bases:
            differences = [
                score[base, "accuracy", seed][index] - score[base, "neutral", seed][index]
                for seed in range(3)
            ]
            means.append(sum(differences) / 3)
        found = rows(result.content, "markers")[axis]["estimate"]
        assert found == pytest.approx(sum(means) / len(means), abs=1e-9)


def test_every_claim_is_one_call_and_shared_evidence_is_asked_once(planted):
    study, result, bodies = planted
    claims = read_jsonl(study.pressure_dir / "claims.jsonl", PressureClaim)
    assert len(claims) == 40 * 3 * 3
    assert "twin" not in {one.base_id for one in claims}
    assert len({one.id for one in claims}) == len({one.reply_key for one in claims}) == len(claims)
    assert max(bodies.values()) == 1
    assert result.incomplete == 0
    assert {one.made_under["prompt"] for one in claims} == set(
        result.content["made_under"]["prompts"]["writer"].values()
    )


def test_the_verifier_sees_both_orders_and_no_instruction(planted):
    study, result, bodies = planted
    answers = read_jsonl(study.pressure_dir / "verifier.jsonl", Comparison)
    pairs = [one for one in answers if one.against == "neutral" and one.status == "read"]
    sides = Counter((one.claim_id, one.axis) for one in pairs)
    assert set(sides.values()) == {2}
    readout = result.content["readouts"]["verifier_vs_neutral"]
    assert readout["orders_agree"] == readout["pairs_in_both_orders"] == len(sides)
    assert 2 * readout["named_first"] == readout["named_one"]
    assert readout["changed"]["n"] == 0
    asked = [json.loads(body) for body in bodies if b"mistral" in body]
    assert asked
    for body in asked:
        text = " ".join(message["content"] for message in body["messages"]).lower()
        assert "accura" not in text
        assert "brief" not in text
        assert "neutral" not in text
        assert ("how many situations" in text) != ("how firmly" in text)


def test_one_order_alone_is_drawn_and_not_always_the_same_side(tmp_path):
    with Loopback(both(pressed)) as server:
        study = write_study(tmp_path, server.url, count=20, pressure="both_orders = false")
        run_pressure(study)
    answers = read_jsonl(study.pressure_dir / "verifier.jsonl", Comparison)
    first = Counter(one.first for one in answers if one.status == "read" and one.first)
    assert min(first["pressed"], first["neutral"]) > 0.3 * sum(first.values())


def test_a_verifier_that_names_what_stands_first_measures_nothing(tmp_path):
    def biased(body):
        if "mistral" not in body["model"]:
            return pressed(body)
        alone = "Claim A:" not in body["messages"][-1]["content"]
        return json.dumps({"answer": "same" if alone else "A"})

    with Loopback(biased) as server:
        study = write_study(tmp_path, server.url, count=20)
        content = run_pressure(study).content
    readout = content["readouts"]["verifier_vs_neutral"]
    assert readout["orders_agree"] == 0
    assert readout["named_first"] == readout["named_one"] > 0
    assert readout["changed"]["rate"] == 1.0
    assert {row["estimate"] for row in rows(content, "verifier_vs_neutral").values()} == {0.0}
    assert states(content)["verifier_vs_neutral"] == "not decided"


def test_a_generator_that_does_nothing_is_not_flagged(tmp_path):
    with Loopback(both(idle)) as server:
        study = write_study(tmp_path, server.url, count=24)
        content = run_pressure(study).content
    # One draw of many: the rate is that of tests/statistical/test_pressure_rates.py.
    assert set(states(content).values()) == {"not decided"}
    for readout in ("markers", "verifier_vs_neutral", "verifier_vs_evidence"):
        assert {row["moved"] for row in rows(content, readout).values()} == {"no movement shown"}


def test_a_second_run_makes_no_call_and_gives_the_same_bytes(tmp_path):
    with Loopback(both(pressed)) as server:
        study = write_study(tmp_path, server.url, count=6)
        run_pressure(study)
        files = {
            path.relative_to(tmp_path): path.read_bytes()
            for path in study.pressure_dir.rglob("*")
            if path.is_file()
        }
        sent = server.requests
        again = run_pressure(load_study(tmp_path))
        assert server.requests == sent
    assert all(counts.calls == 0 for counts in again.calls.values())
    assert files == {
        path.relative_to(tmp_path): path.read_bytes()
        for path in study.pressure_dir.rglob("*")
        if path.is_file()
    }
    assert not any(str(tmp_path).encode() in data for data in files.values())


def test_failed_calls_are_counted_and_made_up_later(tmp_path, monkeypatch):
    monkeypatch.setattr(
        retry.retrying,
        "__kwdefaults__",
        {**retry.retrying.__kwdefaults__, "first_wait": 0.001, "attempts": 2},
    )
    broken = True

    def sometimes(body):
        if broken and "northaac" in body["messages"][-1]["content"]:
            return Answer(status=503, top={"error": {"message": "overloaded"}})
        return both(pressed)(body)

    with Loopback(sometimes) as server:
        study = write_study(tmp_path, server.url, count=12)
        result = run_pressure(study)
        assert result.incomplete == 9
        assert result.content["generators"][0]["claims"]["accuracy"] == {
            "call_failed": 3,
            "kept": 33,
        }
        assert rows(result.content, "markers")["scope"]["n"] == 11
        broken = False
        assert run_pressure(study).incomplete == 0
        assert max(server.answered.values()) == 1


def test_replies_that_hold_no_claim_are_filed_by_reason(tmp_path):
    odd = {
        "northaaa": "I'm sorry, but I can't help with that.",
        "northaab": "",
        "northaac": Answer("The lakes of the north have warm", finish="length"),
        "northaad": "The lakes warmed.\n\nThe rivers did not.",
    }

    def sometimes(body):
        if "mistral" in body["model"]:
            return both(pressed)(body)
        user = body["messages"][-1]["content"]
        return next((odd[name] for name in odd if name in user), pressed(body))

    with Loopback(sometimes) as server:
        study = write_study(tmp_path, server.url, count=6, pressure="seeds = 1")
        content = run_pressure(study).content
    counts = content["generators"][0]["claims"]["neutral"]
    assert counts == {"empty": 1, "kept": 2, "refused": 1, "several": 1, "truncated": 1}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("openai/mistral-small-3.2", "openai/claude-opus-4"), "of one family"),
        (("openai/mistral-small-3.2", "openai/ours"), "cannot be told"),
        (("openai/claude-haiku-4.5", "openai/ours"), "cannot be told"),
    ],
)
def test_a_verifier_of_the_generators_family_is_refused_before_any_call(tmp_path, change, words):
    with Loopback(both(pressed)) as server:
        study = write_study(tmp_path, server.url, count=2)
        text = (study.folder / "study.toml").read_text().replace(*change)
        (study.folder / "study.toml").write_text(text)
        with pytest.raises(StudyError, match=words) as error:
            run_pressure(load_study(tmp_path))
        assert server.requests == 0
    if words == "of one family":
        assert "openai/claude-opus-4, family anthropic" in str(error.value)
        assert "openai/claude-haiku-4.5, family anthropic" in str(error.value)
    assert not study.pressure_dir.exists()


def test_effects_of_another_prompt_are_not_replaced_in_silence(tmp_path):
    mine = "=== user\n{{evidence}}\nBe as accurate as you can, please.\n"
    with Loopback(both(pressed)) as server:
        study = write_study(tmp_path, server.url, count=3, verifier=False)
        run_pressure(study)
        (tmp_path / "mine.txt").write_text(mine)
        text = (tmp_path / "study.toml").read_text()
        (tmp_path / "study.toml").write_text(text + 'prompts = { accuracy = "mine.txt" }\n')
        with pytest.raises(MixedArtifactsError, match=r"accuracy prompt of writer.*--replace"):
            run_pressure(load_study(tmp_path))
        run_pressure(load_study(tmp_path), replace=True)


def test_without_a_verifier_its_readouts_are_said_to_be_missing(tmp_path):
    with Loopback(pressed) as server:
        study = write_study(tmp_path, server.url, count=6, verifier=False)
        content = run_pressure(study).content
    assert not content["readouts"]["verifier_vs_neutral"]["taken"]
    assert "pressure.verifier" in content["readouts"]["verifier_vs_neutral"]["reason"]
    assert not (study.pressure_dir / "verifier.jsonl").exists()
    assert not (study.pressure_dir / "effects-verifier_vs_neutral.csv").exists()
    page = (study.pressure_dir / "pressure.html").read_text()
    assert page.count(">predicted, not measured</text>") == 3


WRITER = """
import asyncio

SEEN = []


async def write(prompt, seed):
    await asyncio.sleep(0)
    if "northaac" in prompt:
        raise RuntimeError("no ink")
    if "northaai" in prompt:
        return 7
    SEEN.append(seed)
    if "accurate as you can" in prompt:
        return "Some lakes warmed strongly."
    return "All lakes may have warmed."
"""


def test_a_python_function_writes_as_a_model_does(tmp_path):
    name = f"writer_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(WRITER)
    study = write_study(tmp_path, "http://127.0.0.1:9/v1", count=10, verifier=False)
    text = (tmp_path / "study.toml").read_text().split("[[pressure.generators]]")[0]
    table = f'[[pressure.generators]]\nname = "ours"\ncall = "{name}:write"\n'
    (tmp_path / "study.toml").write_text(text + table)
    with pytest.raises(StudyError, match="cannot be told"):
        run_pressure(load_study(tmp_path))
    (tmp_path / "study.toml").write_text(text + table + 'family = "ours"\n')
    content = run_pressure(load_study(tmp_path)).content
    assert content["generators"][0]["claims"]["neutral"] == {"kept": 24, "unanswerable": 6}
    assert rows(content, "markers")["scope"]["estimate"] == -2.0
    assert rows(content, "markers")["strength"]["estimate"] == 2.0
    # Eight passages that all differ alike: p is 2 / 2^8, so even the exact test can decide.
    assert states(content)["markers"] == "supported"
    failed = [
        one.detail
        for one in read_jsonl(study.pressure_dir / "claims.jsonl", PressureClaim)
        if one.status == "unanswerable"
    ]
    assert any("no ink" in line for line in failed)
    assert any("gave int where a text is wanted" in line for line in failed)
    assert sorted(set(sys.modules[name].SEEN)) == [3, 4, 5]
    again = run_pressure(load_study(tmp_path))
    assert sum(counts.done for counts in again.calls.values()) == 0
