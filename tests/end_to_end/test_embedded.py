"""The embedded model end to end: the press-release study in small, and the demo in small."""

import time
from pathlib import Path

import pytest
from tests.end_to_end.commands import files_of, interventions_of, judgeprobe
from tests.helpers.chromium import needs_chromium, open_page

from judgeprobe.cli.new import write_study
from judgeprobe.files import read_rows

pytestmark = pytest.mark.end_to_end

ROOT = Path(__file__).resolve().parents[2]
QUICK = "\n[profile]\nresamples = 200\npermutations = 200\n"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's own settings on the first six items, run once."""
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    folder = tmp_path_factory.mktemp("demo") / "study"
    path = write_study(folder, "demo.toml")
    text = path.read_text().replace("[generator]", "limit = 6\n\n[generator]") + QUICK
    path.write_text(text)
    ran = judgeprobe("demo", "--out", str(folder), "--quiet")
    assert ran.status == 0, ran.err
    assert "gemma-3-270m" in ran.out
    assert "/report.html\n" in ran.out
    assert ran.out.rstrip().endswith("missed.html")
    return folder


def test_a_second_demo_calls_no_model_and_changes_no_byte(demo: Path) -> None:
    before = files_of(demo)
    started = time.monotonic()
    again = judgeprobe("demo", "--out", str(demo), "--json")
    took = time.monotonic() - started
    assert again.status == 0, again.err
    assert again.json["sweep"]["calls"] == 0
    assert files_of(demo) == before
    # Ten seconds is the promise for the whole demo; this guards against starting the model.
    assert took < 60


@needs_chromium
def test_the_page_shows_the_figure_the_table_and_the_watermark(demo: Path) -> None:
    with open_page() as page:
        page.goto(demo / "report.html")
        assert page.evaluate("document.querySelectorAll('figure svg').length") >= 1
        assert page.evaluate("document.querySelector('table').innerText.includes('gemma-3-270m')")
        marks = page.evaluate(
            "[...document.querySelectorAll('figure svg')]"
            ".every(svg => svg.textContent.toLowerCase().includes('construction'))"
        )
        assert marks
        assert page.problems() == []


def test_sixty_press_releases_from_one_command(tmp_path: Path, shared_data: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    source = shared_data / "claims" / "insciout_test.jsonl"
    settings = (ROOT / "docs" / "examples" / "press-release" / "study.toml").read_text()
    lines = [
        f'pairs = "{source}"\nlimit = 60' if line.startswith("pairs = ") else line
        for line in settings.splitlines()
    ]
    study = tmp_path / "press-release"
    study.mkdir()
    (study / "study.toml").write_text("\n".join(lines) + QUICK)
    ran = judgeprobe("run", str(study), "--json")
    assert ran.status == 0, ran.err

    labels = [row["exaggeration_label"] for row in read_rows(source)[:60]]
    counts = {name: labels.count(name) for name in ("exaggerates", "same", "downplays")}
    assert ran.json["build"]["directions"] == counts
    arms = [edit.arm for edit in interventions_of(study)]
    assert arms.count("construct") == counts["exaggerates"]
    assert arms.count("invariance") == counts["same"]
    assert arms.count("reported_apart") == counts["downplays"]

    profile = ran.json["profile"]
    assert profile["direction"] == "human"
    assert profile["watermark"] is None
    (judge,) = profile["judges"]
    assert judge["n_ungraded"] == 0
    assert judge["elicitation"] == "expected"
    page = (study / "report.html").read_text()
    assert "coders of Sumner 2014 and Bratton 2019" in page
    assert "by construction" not in page.split("<h2")[0].lower()
