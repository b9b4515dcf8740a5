"""Do the installed tools still write what the readers read?

Each runs its tool against the loopback server and wants the rows of the committed file. A tool is
found by an environment variable that names its command (or a Python that has it), or as installed
here; where it is neither, the test is skipped and says so. fixtures/README.md tells how each is
installed.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers import eval_tools

from judgeprobe.audit.eval_files import read_eval

FIXTURES = Path(__file__).parent / "fixtures"
ROOT = Path(__file__).resolve().parents[2]


def found(variable: str, name: str) -> str:
    program = os.environ.get(variable) or shutil.which(name)
    if program is None or not Path(program).exists():
        pytest.skip(f"{name} is not installed; set {variable} to its command")
    return str(Path(program).absolute())


def with_package(variable: str, package: str) -> str:
    python = os.environ.get(variable)
    if python is not None and Path(python).exists():
        return python
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed; set {variable} to a Python that has it")
    return sys.executable


def test_promptfoo_writes_what_is_read(tmp_path: Path):
    program = found("JUDGEPROBE_PROMPTFOO", "promptfoo")
    for path in eval_tools.promptfoo(program, tmp_path)[:2]:
        rows = read_eval(path, "promptfoo")
        assert rows == read_eval(FIXTURES / f"promptfoo-{path.name}", "promptfoo")


def test_lm_eval_writes_what_is_read(tmp_path: Path):
    program = found("JUDGEPROBE_LM_EVAL", "lm_eval")
    [path] = eval_tools.lm_eval(program, tmp_path)
    assert read_eval(path, "lm-eval") == read_eval(FIXTURES / "lm-eval-colours.jsonl", "lm-eval")


def test_openai_evals_writes_what_is_read(tmp_path: Path):
    program = found("JUDGEPROBE_OAIEVAL", "oaieval")
    for path in eval_tools.openai_evals(program, tmp_path):
        name = "openai-evals-" + path.name.removeprefix("colours-")
        rows = read_eval(path, "openai-evals")
        assert rows == read_eval(FIXTURES / name, "openai-evals")


def run(python: str, script: str, *arguments: str) -> None:
    command = [python, str(ROOT / "tests/helpers" / script), *arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=240, cwd=arguments[0])


@pytest.mark.parametrize(("form", "limit"), [("eval", "5"), ("json", "3")])
def test_inspect_writes_what_is_read(tmp_path: Path, form: str, limit: str):
    python = with_package("JUDGEPROBE_INSPECT_PYTHON", "inspect_ai")
    run(python, "inspect_run.py", str(tmp_path), form, limit)
    [path] = tmp_path.glob(f"*.{form}")
    assert read_eval(path, "inspect") == read_eval(FIXTURES / f"inspect-colours.{form}", "inspect")


def test_deepeval_writes_what_is_read(tmp_path: Path):
    python = with_package("JUDGEPROBE_DEEPEVAL_PYTHON", "deepeval")
    run(python, "deepeval_run.py", str(tmp_path))
    [path] = tmp_path.glob("test_run*.json")
    rows = read_eval(path, "deepeval")
    assert rows == read_eval(FIXTURES / "deepeval-colours.json", "deepeval")
