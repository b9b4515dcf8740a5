"""`judgeprobe report` as a user runs it."""

import json
import subprocess
import sys

import pytest
from tests.helpers.report_study import build_study
from typer.testing import CliRunner

from judgeprobe.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return build_study(tmp_path_factory.mktemp("cli") / "study", judges=["one"])


def test_json_is_one_object_and_nothing_else(study):
    result = run(study, "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["page"].endswith("report.html")
    assert told["controls_missed"] == []
    assert "plane" in told["figures"]


def test_without_json_it_prints_the_paths_of_the_pages(study):
    result = run(study)
    pages = [str(study / "report.html"), str(study / "missed.html")]
    assert (result.exit_code, result.stdout.splitlines()) == (0, pages)


def test_a_broken_instrument_ends_with_status_3(tmp_path):
    folder = build_study(tmp_path / "study", judges=["one"], controls_missed=True)
    result = run(folder, "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["controls_missed"] == ["constant"]
    assert "broken instrument: constant" in result.stderr


def test_no_profile_is_one_line_and_status_1(tmp_path):
    folder = build_study(tmp_path / "study", judges=["one"])
    (folder / "profile.json").unlink()
    result = run(folder)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert f"judgeprobe profile {folder}" in result.stderr
    assert not (folder / "report.html").exists()


def test_compare_writes_both_pages(study, tmp_path):
    other = build_study(tmp_path / "other", judges=["one"], seed=2)
    result = run(study, "--compare", other, "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["compare"]["page"].endswith("compare.html")
    first = told["compare"]["judges"][0]["changes"][0]
    assert first["what"] == "S"
    assert first["low"] <= first["difference"] <= first["high"]
    assert (study / "compare.html").is_file()


def test_help_does_not_import_what_only_the_work_needs():
    code = (
        "import sys; from typer.testing import CliRunner; from judgeprobe.cli.app import app;"
        "assert CliRunner().invoke(app, ['report', '--help']).exit_code == 0;"
        "print(sorted({'matplotlib', 'jinja2', 'pandas', 'numpy', 'scipy'} & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout.strip() == "[]"
