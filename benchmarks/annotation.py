"""How long does it take to import, aggregate and report a study labelled by three people?

    python benchmarks/annotation.py            478 pairs by 3, each form, best of 3; limit 2 s
    python benchmarks/annotation.py --smoke    48 pairs, one run

Each run is the whole command `judgeprobe annotate import` in a new process, which reads the three
files, holds them against the key, sets directions, resamples base items and prints the tables.
Exit status 1 if the processor time of any form is above the limit. Wall time is printed beside it;
on a machine that does other work too it says more of that work than of this.
"""

import argparse
import contextlib
import io
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from judgeprobe.annotate.export import export
from judgeprobe.study import Study

ROOT = Path(__file__).resolve().parents[1]
# The study and its annotators are those of the tests.
sys.path.insert(0, str(ROOT))

from tests.helpers.annotation import (  # noqa: E402
    fill_csv,
    fill_xlsx,
    intervention,
    make_study,
    random_answer,
    sheets,
    write_html_copy,
)

LIMIT = 2.0
PER_BASE = 7


def returned(study: Study, form: str, folder: Path) -> list[Path]:
    """The three files of one form, every unit answered."""
    files = []
    for sheet in sheets(study):
        rng = random.Random(sheet.token)
        answers = [random_answer(rng, unit) for unit in sheet.units]
        source = study.annotation_dir / sheet.batch / sheet.annotator / sheet.stem
        target = folder / sheet.stem
        if form == "html":
            files.append(write_html_copy(target.with_suffix(".json"), sheet, answers))
        elif form == "csv":
            files.append(fill_csv(source.with_suffix(".csv"), target.with_suffix(".csv"), answers))
        else:
            files.append(
                fill_xlsx(source.with_suffix(".xlsx"), target.with_suffix(".xlsx"), answers)
            )
    return files


def timed(study: Study, files: list[Path]) -> tuple[float, float]:
    """Processor and wall seconds of one import into an empty study."""
    study.labels_path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "judgeprobe", "annotate", "import", study.folder, *files, "-q"]
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": paths}
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, wall


def main() -> int:
    """Print one line a form; 1 if one is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="48 pairs, one run")
    smoke = parser.parse_args().smoke
    pairs, runs = (48, 1) if smoke else (478, 3)
    slow = False
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stderr(io.StringIO()):
        top = Path(name)
        items = [intervention(n, slot=n, base=n // PER_BASE) for n in range(pairs)]
        study = make_study(top / "study", items)
        export(study, annotators=3, size=pairs)
        for form in ("html", "csv", "xlsx"):
            (top / form).mkdir()
            files = returned(study, form, top / form)
            spent, wall = min(timed(study, files) for _ in range(runs))
            slow |= spent > LIMIT
            print(f"{form:5} {pairs} pairs x 3: {spent:.2f} s of processor, {wall:.2f} s of wall")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
