"""What may not be imported where, and how fast the command answers."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
MODULES = sorted(
    "judgeprobe.stats." + path.stem
    for path in (SOURCE / "judgeprobe" / "stats").glob("*.py")
    if path.stem != "__init__"
)
BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ImportError(f"{{name}} is blocked")
sys.meta_path.insert(0, Block())
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_stats_imports_without_records_or_model_libraries() -> None:
    blocked = ("litellm", "diskcache", "pydantic", "tenacity")
    done = run(BLOCK.format(blocked=blocked) + "\n".join(f"import {name}" for name in MODULES))
    assert done.returncode == 0, done.stderr


def test_the_block_itself_works() -> None:
    done = run(BLOCK.format(blocked=("pydantic",)) + "import judgeprobe.records")
    assert "pydantic is blocked" in done.stderr


@pytest.mark.parametrize("statement", ["import judgeprobe", "import judgeprobe.stats"])
def test_the_package_itself_loads_no_heavy_library(statement: str) -> None:
    heavy = ("litellm", "pandas", "sklearn", "scipy", "statsmodels", "pyarrow", "pydantic")
    done = run(f"{statement}\nimport sys\nprint([n for n in {heavy!r} if n in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


HELP = """
import sys
from judgeprobe.cli.app import app
try:
    app(["--help"])
except SystemExit:
    pass
names = ("litellm", "pandas", "sklearn", "numpy", "pydantic", "pyarrow", "matplotlib")
print([name for name in names if name in sys.modules], file=sys.stderr)
"""


def test_help_loads_no_heavy_library() -> None:
    done = run(HELP)
    assert done.stderr.strip() == "[]"
    assert "profile" in done.stdout


def test_help_is_quick_beside_a_bare_interpreter() -> None:
    """Under 0.4 s on an idle machine: stated as a ratio, so that a busy one does not decide."""

    def best(code: str) -> float:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            run(code)
            times.append(time.perf_counter() - start)
        return min(times)

    bare = best("import typer, rich")
    assert best(HELP) < max(0.4, 4 * bare)
