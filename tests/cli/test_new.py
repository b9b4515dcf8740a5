import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from judgeprobe.cli.app import app
from judgeprobe.study import load_study
from judgeprobe.sweep.roster import make_judges

run = CliRunner().invoke
PROMPT = 'Context: {context}\nAnswer: {answer}\nReply: {{"score": 1-10, "verdict": "pass"}}\n'
FIELDS = ("--evidence-field", "context", "--claim-field", "answer")


@pytest.fixture
def prompt(tmp_path: Path) -> str:
    path = tmp_path / "prod.txt"
    path.write_text(PROMPT)
    return str(path)


def test_the_folder_it_makes_is_a_study(tmp_path: Path) -> None:
    folder = tmp_path / "claims"
    result = run(app, ["new", str(folder), "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["study"] == str(folder)
    assert load_study(folder).settings.study.name == "claims"


def test_it_never_overwrites(tmp_path: Path, prompt: str) -> None:
    (tmp_path / "study.toml").write_text("mine")
    for more in ([], ["--judge-prompt", prompt, *FIELDS]):
        result = run(app, ["new", str(tmp_path), *more])
        assert result.exit_code == 1
        assert result.stderr.strip().endswith("is there already; choose another folder")
    assert (tmp_path / "study.toml").read_text() == "mine"


def made(folder: Path, prompt: str, *more: str):
    words = ["new", str(folder), "--judge-prompt", prompt, *FIELDS, *more, "--json"]
    result = run(app, words)
    assert result.exit_code == 0, result.output
    return load_study(folder), json.loads(result.stdout)


def test_a_study_around_a_prompt_is_whole_and_says_construction(tmp_path, prompt) -> None:
    study, told = made(
        tmp_path / "own", prompt, "--model", "openai/x", "--scale", "1,10,1",
        "--parser", r'"score":\s*(\d+)',
    )  # fmt: skip
    assert told["places"] == {"{context}": "evidence", "{answer}": "claim"}
    assert told["next"][-1] == f"judgeprobe run {tmp_path / 'own'}"
    settings = study.settings
    assert settings.study.direction == "construction"
    assert settings.generator.model == "rules"
    assert settings.elicitation.scale.grades == tuple(range(1, 11))
    assert settings.judges[0].reply_pattern == r'"score":\s*(\d+)'
    (judge,) = make_judges(study)
    assert judge.prompt_hash
    assert "direction is by construction" in (study.folder / "study.toml").read_text()


def test_words_for_grades(tmp_path, prompt) -> None:
    study, _ = made(tmp_path / "own", prompt, "--model", "openai/x", "--words", "pass=1,fail=0")
    scale = study.settings.elicitation.scale
    assert (scale.low, scale.high, dict(scale.words)) == (0, 1, {"pass": 1, "fail": 0})


def test_a_parser_of_ones_own_is_copied_and_found(tmp_path, prompt, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_parser_for_new.py").write_text("def grade(text):\n    return len(text)\n")
    study, _ = made(
        tmp_path / "own", prompt, "--model", "openai/x", "--parser", "own_parser_for_new:grade"
    )
    assert study.settings.judges[0].parser == "own_parser_for_new:grade"
    assert (study.folder / "own_parser_for_new.py").is_file()
    (judge,) = make_judges(study)
    assert judge.parser is not None
    assert judge.parser.load()("abc") == 3


def test_own_items_are_looked_at_and_copied(tmp_path, prompt) -> None:
    items = tmp_path / "mine.csv"
    items.write_text('key,abstract,sentence\na,"Seen in ten rats.","It may help rats."\n')
    columns = ["--column", "id=key", "--column", "evidence=abstract", "--column", "claim=sentence"]
    study, told = made(tmp_path / "own", prompt, "--items", str(items), *columns)
    assert told["items"] == 1
    assert (study.folder / "items.csv").read_bytes() == items.read_bytes()
    assert study.settings.study.columns["claim"] == "sentence"
    result = run(
        app, ["new", str(tmp_path / "no"), "--judge-prompt", prompt, *FIELDS, "--items", str(items)]
    )
    assert result.exit_code == 1
    assert "has no column `id`" in result.stderr
    assert "--column FIELD=NAME" in result.stderr
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("more", "elicitation", "tokens"),
    [
        (("--scale", "1,5,1"), "expected", None),
        (("--scale", "1,10,1"), "written", 4),
        (("--words", "pass=1,fail=0"), "written", 6),
    ],
)
def test_a_model_without_a_chat_format_is_read_as_it_can_be(
    tmp_path, prompt, more, elicitation, tokens
) -> None:
    study, told = made(tmp_path / "own", prompt, *more)
    judge = study.settings.judges[0]
    assert (judge.elicitation, judge.max_tokens) == (elicitation, tokens)
    assert any("continues the text" in line for line in told["notes"])


@pytest.mark.parametrize(
    ("more", "status", "said"),
    [
        (("--claim-field", "reply"), 1, "has no place `reply`; places found: {context}, {answer}"),
        (("--parser", "score ("), 1, "is no regular expression"),
        (("--parser", r"\d+"), 1, "has no group; put the grade in brackets"),
        (("--parser", "no_such_module_x:grade"), 1, "there is no module `no_such_module_x`"),
        (("--scale", "1,10,4"), 2, "`step` must divide"),
        (("--scale", "one to ten"), 2, "--scale is LOW,HIGH,STEP"),
        (("--words", "pass"), 2, "--words is NAME=TEXT"),
        (("--words", "pass=yes"), 2, "is no grade of"),
        (("--fill", "tone=x"), 1, "has no place `tone` for --fill"),
        (("--items", "nowhere.csv"), 1, "nowhere.csv: is not there"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_nothing_is_made(
    tmp_path, prompt, more, status, said
) -> None:
    folder = tmp_path / "own"
    result = run(app, ["new", str(folder), "--judge-prompt", prompt, *FIELDS, *more])
    assert result.exit_code == status
    # A wrong option is shown in a frame that breaks lines.
    assert said in " ".join(result.stderr.split())
    assert status == 2 or len(result.stderr.strip().splitlines()) == 1
    assert not (folder / "study.toml").exists()


def test_an_option_without_a_prompt_is_refused(tmp_path) -> None:
    result = run(app, ["new", str(tmp_path / "x"), "--scale", "1,5,1"])
    assert result.exit_code == 2
    assert "goes with --judge-prompt" in result.stderr
