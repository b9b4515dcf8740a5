"""From a production prompt to the page of missed edits, with a judge on loopback."""

import json
import re
import time
from pathlib import Path

import pandas as pd
import pytest
from tests.end_to_end.commands import judgeprobe
from tests.helpers.loopback import Loopback

pytestmark = pytest.mark.end_to_end

PROMPT = """# Groundedness judge v7
Compare the ANSWER with the CONTEXT.
<context>
{context}
</context>
<answer>
{answer}
</answer>
Rate from 1 to 10, then reply with JSON only:
{{"reasoning": "...", "score": <1-10>, "verdict": "pass" or "fail"}}
"""
HEDGE = re.compile(r"\b(?:may|might|could|appear(?:ed|s)?|some|probably|suggest\w*|often|most)\b")


def play(body):
    """A judge that counts hedges: it sees them go and sees nothing else."""
    text = body["messages"][-1]["content"]
    assert '{"reasoning": "...", "score"' in text
    claim = re.search(r"<answer>\n(.*?)\n</answer>", text, re.DOTALL)[1]
    score = min(10, 3 + 3 * len(HEDGE.findall(claim)))
    verdict = "pass" if score >= 6 else "fail"
    return json.dumps({"reasoning": "counted", "score": score, "verdict": verdict})


@pytest.fixture
def server():
    with Loopback(play) as running:
        yield running


def new(folder: Path, server: Loopback, *more: str):
    prompt = folder.parent / "prod.txt"
    prompt.write_text(PROMPT)
    words = ["new", str(folder), "--judge-prompt", str(prompt), "--evidence-field", "context"]
    words += ["--claim-field", "answer", "--model", "openai/prod", "--base-url", server.url]
    done = judgeprobe(*words, *more)
    assert done.status == 0, done.err
    return done


def test_from_the_prompt_to_the_page_of_missed_edits(tmp_path, server) -> None:
    folder = tmp_path / "own"
    started = time.monotonic()
    made = new(folder, server, "--scale", "1,10,1", "--parser", r'"score":\s*(\d+)')
    command = re.findall(r"judgeprobe (run \S+)", made.err)[-1].split()
    ran = judgeprobe(*command, "--json")
    assert ran.status == 0, ran.err
    # The brief is ten minutes with a model that answers; here it answers at once.
    assert time.monotonic() - started < 600
    (judge,) = ran.json["profile"]["judges"]
    assert judge["status"] == "frontier"
    rates = {row["slot"]: row["rate"] for row in judge["slots"]}
    assert rates["hedging_removal"] > 0.3
    assert rates["domain_extension"] < 0.1
    page = Path(ran.json["missed"]).read_text()
    assert "Direction by construction." in page
    rows = pd.read_csv(folder / "tables" / "missed_all.csv")
    first = rows[rows["slot"] == "domain_extension"].iloc[0]
    assert first["grade_edited"] == rows[rows["slot"] == "domain_extension"]["grade_edited"].max()
    assert str(first["base_id"]) in page


def test_a_reply_with_two_grades_is_told_with_the_remedy_and_asked_once(tmp_path, server) -> None:
    folder = tmp_path / "own"
    new(folder, server, "--scale", "1,10,1", "--limit", "3")
    assert judgeprobe("build", str(folder), "--quiet").status == 0
    piloted = judgeprobe("pilot", str(folder))
    assert "two different grades" in piloted.err
    assert "reply_pattern or parser" in piloted.err
    asked = server.requests
    settings = folder / "study.toml"
    pattern = 'prompt = "judge_prompt.txt"\nreply_pattern = \'"score":\\s*(\\d+)\'\n'
    head, tail = settings.read_text().split("[[judges]]")
    settings.write_text(
        head + "[[judges]]" + tail.replace('prompt = "judge_prompt.txt"\n', pattern, 1)
    )
    ran = judgeprobe("run", str(folder), "--json")
    assert {row["status"] for row in ran.json["profile"]["judges"]} != {"uninterpretable"}
    # The pilot asked about every text of three items already, twice; nothing is asked again.
    assert server.requests == asked


def test_words_and_a_parser_of_ones_own(tmp_path, server, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2] / "src"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "verdicts.py").write_text(
        "import json\ndef verdict(text):\n    return json.loads(text)['verdict']\n"
    )
    folder = tmp_path / "own"
    new(folder, server, "--words", "pass=1,fail=0", "--parser", "verdicts:verdict", "--limit", "6")
    monkeypatch.chdir(folder)
    (tmp_path / "verdicts.py").unlink()
    ran = judgeprobe("run", ".", "--json")
    (judge,) = ran.json["profile"]["judges"]
    assert judge["n_ungraded"] == 0
    assert judge["distinct_grades"] == 2
