"""The page as a person sees it."""

import pytest
from tests.helpers.chromium import needs_chromium, open_page
from tests.helpers.loopback import Loopback
from tests.helpers.pressure_players import both, pressed, write_study

from judgeprobe.pressure.run import run_pressure


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    with Loopback(both(pressed)) as server:
        study = write_study(folder, server.url, count=12, pressure="seeds = 1")
        run_pressure(study)
    return study.pressure_dir / "pressure.html"


def test_every_number_of_the_effects_stands_in_the_page_of_its_readout(page_file):
    text = page_file.read_text()
    for readout in ("markers", "verifier_vs_neutral", "verifier_vs_evidence"):
        assert f">{readout} effect</th>" in text
    # Annotators were not asked, and only there is the prediction drawn.
    assert text.count(">predicted, not measured</text>") == 1
    assert "<script" not in text


@needs_chromium
@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_fits_and_has_no_problem(page_file, width):
    with open_page(width=width) as page:
        page.goto(page_file)
        assert page.problems() == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        labels = page.evaluate(
            "[...document.querySelectorAll('svg')].map(s => s.getAttribute('aria-label').length)"
        )
        assert len(labels) == 4
        assert min(labels) > 20
