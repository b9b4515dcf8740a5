"""A construct of one's own, from base items to the report, without code: the shipped second one."""

import json
import re
from pathlib import Path

import pytest
from tests.helpers.annotation import fill_csv, sheets
from tests.helpers.loopback import Loopback
from typer.testing import CliRunner

from judgeprobe.annotate.keys import read_keys
from judgeprobe.cli.app import app
from judgeprobe.files import read_json, read_jsonl
from judgeprobe.records import Intervention
from judgeprobe.study import Study, load_study

pytestmark = pytest.mark.end_to_end

PAIR = re.compile(r"Original:\n(.*)\n\nEdited:\n(.*)\Z", re.DOTALL)
TEXT = re.compile(r"Text:\n(.*?)(?:\n\nYour last edit.*)?\Z", re.DOTALL)
CONDITION = re.compile(
    r"(?:,? (?:if|as long as|once|unless|because|until) [^.;]*|; (?:if|once) [^.;]*)(?=[.;])"
)
STEP = re.compile(r" (?:in the settings under Privacy|by noon on Thursday|from your account page)")


def edits(reply: str) -> dict[str, str]:
    """One edit a slot, as a model would write it; slots without a place are absent."""
    parts = re.split(r"(?<=[.;]) ", reply)
    found = {
        "question_dropped": parts[0].replace(";", "."),
        "answer_deflected": f"{parts[0].replace(';', '.')} We do our best with all the rest of it.",
        "condition_omitted": CONDITION.sub("", reply, count=1),
        "step_omitted": STEP.sub("", reply, count=1),
        "courtesy_padding": f"{reply} We are glad to help and wish you a good day.",
        "register_shift": reply.replace("You can", "You may").replace("Please", "Kindly"),
        "format_shift": re.sub(
            r"\b(days|euros|parcel|account|month|free)\b", r"**\1**", reply, count=1
        ),
    }
    if len(parts) == 2 and parts[0].endswith("."):
        found["reordering"] = f"{parts[1]} {parts[0]}"
    return {slot: text for slot, text in found.items() if text != reply}


def play(body):
    """Generator, verifier and judge, by the model's name."""
    system, user = body["messages"][0]["content"], body["messages"][-1]["content"]
    if "claude" in body["model"]:
        slot = re.search(r"The edit: (\w+):", system)[1]
        return json.dumps({"edited": edits(TEXT.search(user)[1]).get(slot)})
    if "mistral" in body["model"]:
        original, edited = PAIR.search(user).groups()
        slot = next(name for name, text in edits(original).items() if text == edited)
        less = slot in ("question_dropped", "answer_deflected", "condition_omitted", "step_omitted")
        return json.dumps(
            {
                "facts_identical": True,
                "anchor_free_both": True,
                "register_comparable": True,
                "slot_changed": slot,
                "scope_relation": "narrower" if less else "same",
                "claims_more": less,
            }
        )
    # The judge counts sentences: it sees what is dropped and not what is deflected.
    text = TEXT.search(user)[1]
    return json.dumps({"grade": min(5.0, 2.5 * len(re.findall(r"[.;](?= |\Z)", text)))})


@pytest.fixture
def server():
    with Loopback(play) as running:
        yield running


@pytest.fixture
def study(tmp_path: Path, server: Loopback) -> Study:
    shipped = Path(__file__).parents[2] / "docs/examples/support-replies/study.toml"
    text = re.sub(r"openrouter/[\w-]+/", "openai/", shipped.read_text())
    text = re.sub(r"provider = .*\n", f'base_url = "{server.url}"\ntransport = "direct"\n', text)
    text += "[annotation]\nannotators = 3\n[profile]\nresamples = 200\npermutations = 200\n"
    (tmp_path / "study.toml").write_text(text)
    return load_study(tmp_path)


def run(*words: str):
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def label(study: Study) -> list[str]:
    """Three annotators fill their sheets: the edit leaves less in the construct arm alone."""
    edited = {edit.edited: edit for edit in read_jsonl(study.interventions_path, Intervention)}
    made = []
    for key in read_keys(study):
        for sheet in sheets(study, key):
            answers = []
            for unit in sheet.units:
                edit = edited.get(unit.a) or edited[unit.b]
                side = "a" if unit.a == edit.edited else "b"
                construct = edit.arm == "construct"
                answers.append(
                    {
                        "unit_id": unit.unit_id,
                        "direction": side if construct else "neither",
                        # What the worse reply lacks stands in the other one.
                        "spans": [edit.original.split(". ")[-1]] if construct else [],
                        "supported": "What the rules say.",
                        "same_facts": True,
                    }
                )
            source = next(study.annotation_dir.rglob(f"{sheet.stem}.csv"))
            target = study.folder / f"back-{sheet.stem}.csv"
            made.append(str(fill_csv(source, target, answers)))
    return made


def test_a_construct_of_ones_own_goes_through_every_stage(study: Study, server: Loopback) -> None:
    folder = str(study.folder)
    look = json.loads(run("build", folder, "--preview", "2", "--json").stdout)
    assert look["base_items"] == 20
    assert "customer" in look["shown"][0]["messages"][0]["content"]
    assert server.requests == 0

    built = json.loads(run("build", folder, "--json", "--quiet").stdout)
    assert built["generated"] == built["accepted"] + built["rejected"]
    counts = {row["name"]: row["accepted"] for row in built["slots"]}
    assert min(counts[name] for name in counts if name != "step_omitted") >= 10
    assert {row["axis"] for row in built["noticing"]} == {"coverage", "sufficiency", "control"}

    run("annotate", "export", folder, "--form", "html", "--form", "csv", "--form", "label-studio")
    page = next(study.annotation_dir.rglob("*annotator-1*.html")).read_text()
    assert "Which reply leaves the customer with less of what was asked for?" in page
    assert "A leaves the customer with less" in page
    assert "claims more" not in page
    project = next(study.annotation_dir.rglob("label-studio-project.xml")).read_text()
    assert 'value="B leaves the customer with less" alias="B"' in project
    imported = run("annotate", "import", folder, *label(study), "--json", "--strict")
    assert json.loads(imported.stdout)

    run("sweep", folder, "--quiet")
    asked = [body for body in server.parsed() if "gemini" in body["model"]]
    assert study.taxonomy.question in asked[0]["messages"][0]["content"]
    assert "overreach" not in json.dumps(asked)

    run("profile", folder, "--quiet")
    profile = read_json(study.profile_path)
    assert profile["axes"] == ["coverage", "sufficiency"]
    assert profile["direction_source"] == "human: the annotators of this study"
    (judge,) = profile["judges"]
    rates = {row["slot"]: row["rate"] for row in judge["slots"]}
    assert rates["question_dropped"] == 1.0
    assert rates["answer_deflected"] == rates["condition_omitted"] == 0.0
    assert judge["operating_point"]["R_coverage"] == 0.5
    assert judge["operating_point"]["R_sufficiency"] == 0.0
    run("report", folder, "--quiet")
    text = (study.folder / "report.html").read_text()
    assert "whether a support reply gives the customer all that was asked for" in text
