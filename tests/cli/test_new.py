import json
from pathlib import Path

from typer.testing import CliRunner

from judgeprobe.cli.app import app
from judgeprobe.study import load_study

run = CliRunner().invoke


def test_the_folder_it_makes_is_a_study(tmp_path: Path) -> None:
    folder = tmp_path / "claims"
    result = run(app, ["new", str(folder), "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["study"] == str(folder)
    assert load_study(folder).settings.study.name == "claims"


def test_it_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("mine")
    result = run(app, ["new", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stderr.strip().endswith("is there already; choose another folder")
    assert (tmp_path / "study.toml").read_text() == "mine"
