"""`judgeprobe pressure` as a user runs it, with played models."""

import json

import pytest
from tests.helpers.annotation import intervention
from tests.helpers.loopback import Answer, Loopback
from tests.helpers.pressure_players import both, idle, pressed, write_study
from typer.testing import CliRunner

from judgeprobe.cli.app import app
from judgeprobe.files import read_json, write_json, write_jsonl

run = CliRunner().invoke


def test_json_is_effects_json_and_what_the_run_did(tmp_path):
    with Loopback(both(pressed)) as server:
        write_study(tmp_path, server.url, count=24)
        done = run(app, ["pressure", str(tmp_path), "--json", "--quiet"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert done.stderr == ""
    written = read_json(tmp_path / "pressure" / "effects.json")
    assert {name: found[name] for name in written} == written
    assert found["annotation_folders"] == ["pressure/human/scope", "pressure/human/strength"]
    state = {row["readout"]: row["status"] for row in found["prediction"]["rows"]}
    assert state["markers"] == state["verifier_vs_neutral"] == "supported"


def test_the_tables_and_the_notes_go_apart(tmp_path):
    with Loopback(both(idle)) as server:
        write_study(tmp_path, server.url, count=12)
        done = run(app, ["pressure", str(tmp_path)])
    assert done.exit_code == 0, done.output
    for words in ("markers: operators a claim", "not decided", "Words a claim"):
        assert words in done.stdout
    assert "judgeprobe annotate export" in done.stderr
    assert "108 calls sent, 0 replies from the cache" in done.stderr
    assert "supported" not in done.stdout


def test_each_readout_has_a_table_of_its_own_and_its_name_in_every_column(tmp_path):
    with Loopback(both(pressed)) as server:
        write_study(tmp_path, server.url, count=6)
        run(app, ["pressure", str(tmp_path), "-q"])
    folder = tmp_path / "pressure"
    for readout in ("markers", "verifier_vs_neutral", "verifier_vs_evidence"):
        header = (folder / f"effects-{readout}.csv").read_text().splitlines()[0].split(",")
        assert header[:3] == ["generator", "condition", "axis"]
        assert all(name.startswith(readout) for name in header[3:])
    manifest = read_json(tmp_path / "manifest.json")["stages"]["pressure"]
    names = {path.name for path in folder.iterdir() if path.is_file()}
    assert set(manifest["outputs"]) == names


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda folder: (folder / "base_items.jsonl").unlink(), "run first: judgeprobe build"),
        (
            lambda folder: (folder / "study.toml").write_text(
                (folder / "study.toml").read_text().split("[pressure]")[0]
            ),
            "no table [pressure]",
        ),
    ],
)
def test_what_is_missing_is_named_with_the_remedy(tmp_path, prepare, words):
    write_study(tmp_path, "http://127.0.0.1:9/v1", count=2)
    prepare(tmp_path)
    done = run(app, ["pressure", str(tmp_path)])
    assert done.exit_code == 1
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_missing_reply_gives_exit_status_one(tmp_path, monkeypatch):
    from judgeprobe.llm import retry

    quick = {**retry.retrying.__kwdefaults__, "first_wait": 0.001, "attempts": 1}
    monkeypatch.setattr(retry.retrying, "__kwdefaults__", quick)

    def sometimes(body):
        if "northaac" in body["messages"][-1]["content"]:
            return Answer(status=503, top={"error": {"message": "overloaded"}})
        return both(pressed)(body)

    with Loopback(sometimes) as server:
        write_study(tmp_path, server.url, count=20, pressure="seeds = 1")
        done = run(app, ["pressure", str(tmp_path)])
    assert done.exit_code == 1
    assert "3 replies are missing because a call failed" in done.stderr
    assert "neutral: 19 claims kept; 1 call_failed" in done.stderr


def test_seeds_that_are_one_text_are_noted(tmp_path):
    with Loopback(lambda body: "The lakes warmed.") as server:
        write_study(tmp_path, server.url, count=3, verifier=False)
        done = run(app, ["pressure", str(tmp_path)])
    assert "writer: every seed gave the same text" in done.stderr
    manifest = read_json(tmp_path / "manifest.json")["stages"]["pressure"]
    assert set(manifest["inputs"]) == {"base_items.jsonl"}


def test_a_hostile_name_and_claim_stay_text(tmp_path):
    evil = "<script>alert(1)</script>"
    with Loopback(lambda body: f"Lakes warmed {evil}.") as server:
        study = write_study(tmp_path, server.url, count=3, verifier=False)
        text = (tmp_path / "study.toml").read_text()
        (tmp_path / "study.toml").write_text(
            text.replace('name = "writer"', f'name = "=1+1{evil}"').replace(
                'name = "played"', f'name = "{evil}"'
            )
        )
        done = run(app, ["pressure", str(tmp_path), "-q"])
    assert done.exit_code == 0, done.output
    page = (study.pressure_dir / "pressure.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    table = (study.pressure_dir / "effects-markers.csv").read_text().splitlines()
    assert table[1].startswith("'=1+1")


def test_a_preview_sends_nothing_and_counts_what_a_run_then_sends(tmp_path):
    with Loopback(both(idle)) as server:
        write_study(tmp_path, server.url, count=5)
        before = sorted(tmp_path.iterdir())
        done = run(app, ["pressure", str(tmp_path), "--preview", "1"])
        assert done.exit_code == 0, done.output
        assert "Be as accurate as you can" in done.stdout
        assert "[the claim that writer will have written]" in done.stdout
        assert server.requests == 0
        assert sorted(tmp_path.iterdir()) == before
        found = json.loads(run(app, ["pressure", str(tmp_path), "--preview", "1", "--json"]).stdout)
        writing, asking = (row["calls"] for row in found["calls"])
        ran = json.loads(run(app, ["pressure", str(tmp_path), "--json", "-q"]).stdout)
        calls = list(ran["calls"].values())
        assert calls[0]["done"] == writing == 45
        # Claims that are one text with another are asked about once.
        assert 0 < calls[1]["done"] <= asking == 45 * 2 + 30 * 4
        again = json.loads(run(app, ["pressure", str(tmp_path), "--preview", "1", "--json"]).stdout)
        assert (again["calls"][0]["calls"], again["calls"][0]["cached"]) == (0, 45)


def test_cached_replies_of_the_arm_are_not_pruned(tmp_path):
    with Loopback(both(pressed)) as server:
        write_study(tmp_path, server.url, count=3)
        # The plan of the sweep wants interventions.
        write_jsonl(tmp_path / "interventions.jsonl", [intervention(1)])
        run(app, ["pressure", str(tmp_path), "-q"])
        sent = server.requests
        done = run(app, ["cache", "prune", str(tmp_path), "--yes", "--json"])
        again = run(app, ["pressure", str(tmp_path), "-q"])
        assert server.requests == sent
    assert again.exit_code == 0
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"surplus": 0, "removed": 0}


def judge(name, scope, strength):
    point = {"tau": 1.0, "S": 0.95, "R": 0.3, "R_scope": scope, "R_strength": strength}
    return {"judge": name, "operating_point": point}


def with_judges(folder, url, models):
    """A study whose judges are profiled: their R on scope is 0.4, on strength 0.1."""
    tables = "".join(f'[[judges]]\nname = "{name}"\nmodel = "{m}"\n' for name, m in models)
    study = write_study(folder, url, count=6, verifier=False, extra=tables)
    profiled = [judge(name, 0.4, 0.1) for name, _ in models]
    write_json(study.profile_path, {"judges": profiled, "axes": ["scope", "strength"]})
    return study


def test_one_generator_beside_the_judges_prints_signs_and_estimates_nothing(tmp_path):
    with Loopback(pressed) as server:
        models = [("own", "anthropic/claude-3"), ("other", "mistral/large")]
        with_judges(tmp_path, server.url, models)
        done = run(app, ["pressure", str(tmp_path), "--json", "-q"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["judges"]
    assert [(row["judge"], row["same_family"]) for row in found["rows"]] == [
        ("own", True),
        ("other", False),
    ]
    assert {row["judge_is_blinder_to"] for row in found["rows"]} == {"strength"}
    assert {row["generator_raises_more"] for row in found["rows"]} == {"strength"}
    (correlation,) = found["correlations"]
    assert correlation["rho"] is correlation["p"] is None
    assert correlation["reason"].startswith("not estimable from 1 point ")
