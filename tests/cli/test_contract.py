"""What holds for every verb: help, `--json`, a place in the documentation, no heavy import."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from judgeprobe.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "litellm",
    "pandas",
    "sklearn",
    "scipy",
    "statsmodels",
    "matplotlib",
    "pyarrow",
    "pydantic",
)


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from _commands(inner, (*path, name))
    else:
        yield " ".join(path), command


COMMANDS = dict(_commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_verb_has_help_and_json(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    flags = {flag for option in command.params for flag in option.opts}
    assert "--json" in flags
    for option in command.params:
        assert getattr(option, "help", None), f"{name}: {option.name} has no help"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_verb_is_documented(name: str) -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    assert any(f"judgeprobe {name}" in page.read_text(encoding="utf-8") for page in pages)


def test_help_loads_none_of_the_heavy_libraries() -> None:
    script = (
        "import sys; from judgeprobe.cli.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == "[]"
