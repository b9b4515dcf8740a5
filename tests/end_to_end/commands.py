"""Running the command line as a user does: a new process, its output and its exit status."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeprobe.records import Intervention


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "judgeprobe", *words]


def judgeprobe(*words: str, cwd: Path | None = None, timeout: float = 280) -> Ran:
    done = subprocess.run(
        command(*words), capture_output=True, text=True, cwd=cwd, timeout=timeout, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a study but its cache, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "cache" not in path.relative_to(folder).parts
    }


def interventions_of(study: Path) -> list[Intervention]:
    lines = (study / "interventions.jsonl").read_text(encoding="utf-8").split("\n")
    return [Intervention.model_validate_json(line) for line in lines if line]
