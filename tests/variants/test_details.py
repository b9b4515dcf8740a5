"""What is said beside S and R: of quantizations, and of what answered on another day."""

import os

import pytest
from tests.helpers.loopback import Answer, Loopback
from tests.helpers.variant_study import make_study

from judgeprobe.sweep.plan import Text
from judgeprobe.sweep.roster import make_judges
from judgeprobe.sweep.stage import sweep
from judgeprobe.variants.collecting import collect
from judgeprobe.variants.plan import plan_variants
from judgeprobe.variants.running import run_variants

QUANTIZED = """
def fine(evidence, claim):
    return 1.0 if noticed(claim, 0.7) else 4.0

def coarse(evidence, claim):
    return 1.0 if noticed(claim, 0.2) else 4.0
"""
GROUP = (
    '[[judges]]\nname = "q8"\ncall = "MODULE:fine"\nmodel_group = "one model"\n'
    '[[judges]]\nname = "q2"\ncall = "MODULE:coarse"\nmodel_group = "one model"\n'
    '[[judges]]\nname = "other"\ncall = "MODULE:fine"\nmodel_group = "alone"\n'
)


def test_quantizations_of_one_model_are_set_against_the_first(tmp_path):
    study = make_study(tmp_path / "s", GROUP, QUANTIZED, n_base=50)
    sweep(study)
    found = collect(study)
    rows = [row for row in found["comparisons"] if row["kind"] == "quantization"]
    ((variant, before, after),) = [(r["variant"], r["judge"], r["after_judge"]) for r in rows]
    assert (variant, before, after) == ("one model", "q8", "q2")
    at = rows[0]["operating"]
    assert at["before"]["R"] == pytest.approx(0.7, abs=0.12)
    assert at["after"]["R"] == pytest.approx(0.2, abs=0.12)
    assert (rows[0]["status"], rows[0]["why"]) == ("moved", "R fell")
    assert [row["judge"] for row in found["groups"]] == ["q8", "q2"]
    assert found["groups"][0]["R"] == at["before"]["R"]


def test_a_second_link_to_one_file_is_one_judge_and_another_file_is_not(tmp_path):
    (tmp_path / "q4.gguf").write_bytes(b"GGUF" + b"\0" * 100)
    os.link(tmp_path / "q4.gguf", tmp_path / "again.gguf")
    (tmp_path / "q8.gguf").write_bytes(b"GGUF" + b"\1" * 100)
    judges = "".join(
        f'[[judges]]\nname = "{name}"\nmodel = "local/{tmp_path}/{name}.gguf"\n'
        'family = "test"\nmodel_group = "one model"\n'
        for name in ("q4", "again", "q8")
    )
    study = make_study(tmp_path / "s", judges, n_base=2)
    q4, again, q8 = make_judges(study)
    text = Text("t", "b", "The evidence.", "The claim.")
    identities = [judge.request(text).identity for judge in (q4, again, q8)]
    assert identities[0] == identities[1] != identities[2]
    assert {judge.model_group for judge in study.settings.judges} == {"one model"}
    # Their calls differ where the weights do, so a quantization is never answered from another's.
    assert q4.key(text, 0) != q8.key(text, 0)


def test_another_fingerprint_on_another_day_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    day = {"fingerprint": "fp_one"}

    def script(body):
        claim = body["messages"][-1]["content"]
        value = 1 if "(domain_extension)" in claim else 4
        return Answer(f'{{"grade": {value}}}', top={"system_fingerprint": day["fingerprint"]})

    with Loopback(script) as server:
        judge = (
            '[[judges]]\nname = "api"\nmodel = "openai/api"\nfamily = "test"\n'
            f'base_url = "{server.url}"\ntransport = "direct"\n'
        )
        study = make_study(tmp_path / "s", judge, n_base=6)
        sweep(study)
        for label, fingerprint in (("d1", "fp_one"), ("d2", "fp_two")):
            day["fingerprint"] = fingerprint
            run_variants(study, plan_variants(study, ["drift"], day=label))
        found = collect(study)
    days = {row["run"]: row for row in found["days"]}
    assert days["d1"]["changed"] == []
    assert days["d2"]["changed"] == ["served_fingerprint"]
    assert days["d2"]["served"]["served_fingerprint"] == ["fp_two"]
    assert days["d2"]["agreement"] == 1.0
    assert server.requests == 3 * 6 * 5
