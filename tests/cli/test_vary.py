"""`judgeprobe vary` as a user runs it, on scripted models behind a loopback port."""

import hashlib
import json
import math
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.commands import judgeprobe
from tests.helpers.loopback import Answer, Loopback
from tests.helpers.variant_study import CONSTRUCT, make_study
from typer.testing import CliRunner

from judgeprobe.cli.app import app

CLOSED = "closed"


def parts(body: dict[str, Any]) -> tuple[str, str]:
    """System prompt and what the user says."""
    return body["messages"][0]["content"], body["messages"][-1]["content"]


def noticed(claim: str, share: float) -> bool:
    slot = claim.rsplit("(", 1)[1].rstrip(").\n") if "(" in claim else ""
    chance = int(hashlib.sha256(claim.encode()).hexdigest()[:12], 16) / 16**12
    return slot in CONSTRUCT and chance < share


def grade(body: dict[str, Any], claim: str) -> float:
    """Notices 6 in 10 edits; none with the claim first, 2 in 10 under the third paraphrase."""
    system, user = parts(body)
    share = 0.6
    if user.startswith("Claim:"):
        share = 0.0
    elif system.startswith("How far does the evidence carry"):
        share = 0.2
    low, high, step = scale(system)
    value = low + (0.2 if noticed(claim, share) else 0.8) * (high - low)
    return low + round((value - low) / step) * step


def scale(system: str) -> tuple[float, float, float]:
    """The scale as the prompt says it, in whichever words."""
    numbers = [float(n) for n in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", system)]
    return min(numbers), max(numbers), float(re.search(r"steps? (?:of|are) ([\d.]*\d)", system)[1])


def script(body: dict[str, Any]) -> Answer:
    _, user = parts(body)
    claims = [
        part.strip()
        for part in user.replace("Claim A:", "Claim:")
        .replace("Claim B:", "Claim:")
        .split("Claim:")[1:]
    ]
    claims = [claim.split("\n\nEvidence:")[0].strip() for claim in claims]
    if len(claims) == 2:
        a, b = (grade(body, claim) for claim in claims)
        return Answer(json.dumps({"a": a, "b": b}))
    value = grade(body, claims[0])
    text = json.dumps({"grade": value})
    if body.get("top_logprobs") and body["model"] != CLOSED:
        whole = f"{value:.0f}"
        beside = "0" if whole != "0" else "1"
        entry = {
            "token": whole,
            "logprob": math.log(0.8),
            "top_logprobs": [
                {"token": whole, "logprob": math.log(0.8)},
                {"token": beside, "logprob": math.log(0.2)},
            ],
        }
        return Answer(
            f'{{"grade": {whole}}}',
            logprobs={
                "content": [
                    {"token": '{"grade": ', "logprob": 0.0, "top_logprobs": []},
                    entry,
                    {"token": "}", "logprob": 0.0, "top_logprobs": []},
                ]
            },
        )
    return Answer(text)


def judges(url: str, *names: str) -> str:
    return "".join(
        f'[[judges]]\nname = "{name}"\nmodel = "openai/{name}"\nfamily = "{name}"\n'
        f'base_url = "{url}"\ntransport = "direct"\n'
        for name in names
    )


def page_files(folder: Path) -> list[Path]:
    variants = folder / "variants"
    return [variants / "variants.html", *variants.glob("tables/*"), *variants.glob("figures/*")]


def run(*words: str) -> Any:
    result = CliRunner().invoke(app, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def test_models_under_every_change_from_the_command_line(tmp_path):
    with Loopback(script) as server:
        settings = "[variants]\npilot = 5\nmargin = 0.3\nself_consistency = { samples = 3 }"
        study = make_study(
            tmp_path / "s", judges(server.url, "open", CLOSED), n_base=12, settings=settings
        )
        folder = str(study.folder)
        refused = run("vary", folder, "--json")
        assert refused.exit_code == 1
        assert "first: judgeprobe sweep" in json.loads(refused.stdout)["error"]["message"]
        assert run("sweep", folder, "--quiet").exit_code == 0
        asked = server.requests

        told = run("vary", folder, "--dry-run", "--json")
        assert (told.exit_code, server.requests) == (0, asked)
        planned = json.loads(told.stdout)

        done = run("vary", folder, "--json", "--quiet")
        assert done.exit_code == 0, done.stderr
        found = json.loads(done.stdout)
        # `closed` gives no probabilities: its pilot says so, and no sweep is paid for.
        expected = next(row for row in found["variants"] if row["variant"] == "expected")
        (left,) = expected["left_out"]
        assert left["judge"] == CLOSED
        assert "no token log-probabilities" in left["reason"]
        texts = 12 * 5
        skipped = texts - 5
        assert server.requests - asked == planned["calls"] - skipped
        asked = server.requests
        made = {path: path.stat().st_mtime_ns for path in page_files(study.folder)}
        again = run("vary", folder, "--json", "--quiet")
        assert server.requests == asked
        # Made of the same numbers, the page is left as it lies.
        assert {path: path.stat().st_mtime_ns for path in page_files(study.folder)} == made
        assert json.loads(again.stdout)["comparisons"] == found["comparisons"]

    rows = {(r["variant"], r["after_judge"], r["before"]): r for r in found["comparisons"]}
    study_, name = "the study", "open"
    before = rows["prompt-1", name, study_]["operating"]["before"]
    assert before["R"] == pytest.approx(0.6, abs=0.2)
    assert before["S"] == 1.0
    for number in (1, 2, 4, 5):
        assert rows[f"prompt-{number}", name, study_]["status"] == "holds"
    third = rows["prompt-3", name, study_]
    assert (third["status"], third["why"]) == ("moved", "R fell")
    assert rows["claim-first", name, study_]["why"] == "R fell"
    assert rows["claim-first", name, study_]["operating"]["after"]["R"] == 0.0
    assert rows["paired", name, study_]["status"] == "holds"
    assert rows["scale-101", name, study_]["status"] == "holds"
    assert rows["expected", name, study_]["operating"]["after"]["R"] == before["R"]
    (ranges,) = [row for row in found["prompts"] if row["judge"] == name]
    assert (ranges["n_prompts"], ranges["moved"]) == (6, 2)
    assert ranges["R_lowest"] == 0.0 < ranges["R_highest"] == before["R"]


def test_the_page_has_every_kind_and_its_tables_agree_with_the_json(tmp_path):
    with Loopback(script) as server:
        settings = '[variants]\npilot = 5\nprompts = ["mine.txt"]'
        study = make_study(tmp_path / "s", judges(server.url, "open"), n_base=12, settings=settings)
        (study.folder / "mine.txt").write_text(
            "=== system\nGrade from {{low}} to {{high}} in steps of {{step}}.\n"
            "=== user\n{{evidence}}\nClaim:\n{{claim}}\n"
        )
        folder = str(study.folder)
        assert run("sweep", folder, "--quiet").exit_code == 0
        kinds = ("prompts", "order", "drift", "domains", "bars", "quantization")
        words = [word for kind in kinds for word in ("--only", kind)]
        done = run("vary", folder, *words, "--day", "2027-01-05", "--quiet", "--json")
        assert done.exit_code == 0, done.stderr
        found = json.loads(done.stdout)
    ran = [row["variant"] for row in found["runs"]]
    assert ran == [
        *(f"prompt-{n}" for n in range(1, 6)),
        "prompt-own-1",
        "claim-first",
        "drift-2027-01-05",
    ]
    page = (study.folder / "variants" / "variants.html").read_text()
    assert "direction by construction" in page.lower()
    for heading in (
        "The shipped prompt in other words",
        "The claim before the evidence",
        "Runs on other days",
        "One domain, and all but one",
    ):
        assert f">{heading}<" in page
    assert "Does not apply: direction is by construction: no agreement can be relaxed." in page
    csv = (study.folder / "variants" / "tables" / "variant_prompts.csv").read_text().splitlines()
    assert len(csv) == 1 + 6
    assert csv[0].endswith("direction")
    assert all(line.endswith("construction") for line in csv[1:])


def test_files_of_an_earlier_page_are_removed_and_others_are_not(tmp_path):
    body = "def grade(evidence, claim):\n    return 1 if noticed(claim, 0.5) else 4\n"
    judge = '[[judges]]\nname = "ours"\ncall = "MODULE:grade"\n'
    study = make_study(tmp_path / "s", judge, body, n_base=6)
    folder = study.folder / "variants"
    assert run("sweep", str(study.folder), "--quiet").exit_code == 0
    assert run("vary", str(study.folder), "--only", "drift", "--day", "d1", "-q").exit_code == 0
    table = folder / "tables" / "variant_days.csv"
    assert table.is_file()
    (folder / "tables" / "mine.csv").write_text("kept")
    shutil.rmtree(folder / "drift-d1")
    assert run("vary", str(study.folder), "--only", "domains", "-q").exit_code == 0
    assert not table.exists()
    assert (folder / "tables" / "variant_domains.csv").is_file()
    assert (folder / "tables" / "mine.csv").read_text() == "kept"
    (folder / "variants.html").write_text("tampered")
    assert run("vary", str(study.folder), "--only", "domains", "-q").exit_code == 0
    assert "tampered" not in (folder / "variants.html").read_text()


def test_an_unknown_kind_is_one_line(tmp_path):
    study = make_study(tmp_path / "s", '[[judges]]\nname = "ours"\ncall = "MODULE:grade"\n')
    done = run("vary", str(study.folder), "--only", "granularty")
    assert done.exit_code == 1
    assert "give one of granularity, remedies" in done.stderr


@pytest.mark.end_to_end
def test_a_day_without_a_label_is_today(tmp_path):
    body = "def grade(evidence, claim):\n    return 1 if noticed(claim, 0.5) else 4\n"
    study = make_study(
        tmp_path / "s", '[[judges]]\nname = "ours"\ncall = "MODULE:grade"\n', body, n_base=6
    )
    assert judgeprobe("sweep", str(study.folder), "--quiet").status == 0
    done = judgeprobe("vary", str(study.folder), "--only", "drift", "--json", "--quiet")
    assert done.status == 0, done.err
    (ran,) = done.json["runs"]
    assert ran["variant"].startswith("drift-20")
    assert ran["calls"] == 6 * 5
    day = ran["variant"].removeprefix("drift-")
    twice = judgeprobe("vary", str(study.folder), "--only", "drift", "--day", day, "--json")
    assert twice.json["runs"][0]["calls"] == 0
