"""The whole report, made from a small study folder."""

import csv
import hashlib
import json
import re
import shutil
from xml.etree import ElementTree as ET

import pytest
from tests.helpers.report_study import JUDGES, build_study

from judgeprobe.errors import MixedArtifactsError, StorageError
from judgeprobe.report import make_report
from judgeprobe.study import load_study

HOSTILE = '<script>alert(1)</script>"&\u202e=1'
FIGURES = ("plane", "plane_near_floor", "axis_contrast", "slot_rates", "instrument")
TABLES = ("profiles", "axes", "gap", "slots", "controls", "instrument", "yields", "excluded",
          "missed")  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = build_study(tmp_path_factory.mktemp("report") / "study")
    return folder, make_report(load_study(folder))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = build_study(
        tmp_path_factory.mktemp("hostile") / "study",
        judges=[HOSTILE, "=HYPERLINK(1)"],
        claim=f"{HOSTILE} {{}}.",
    )
    make_report(load_study(folder))
    return folder


def digests(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_every_table_and_figure_is_written_in_every_form(built):
    folder, report = built
    assert set(report.figures) == set(FIGURES)
    assert set(TABLES) <= set(report.tables)
    for name in report.tables:
        assert all((folder / "tables" / f"{name}.{e}").is_file() for e in ("csv", "md", "tex"))
    for name in report.figures:
        assert all((folder / "figures" / f"{name}.{e}").is_file() for e in ("svg", "png"))


def test_two_runs_give_the_same_bytes(built, tmp_path):
    folder, _ = built
    copy = tmp_path / "another place"
    shutil.copytree(folder, copy)
    before = digests(copy)
    # Without its outputs everything is drawn and written again.
    pages = (copy / "report.html", copy / "missed.html")
    for path in (*copy.glob("figures/*"), *copy.glob("tables/*"), *pages):
        path.unlink()
    make_report(load_study(copy))
    assert digests(copy) == before


def times(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_report_made_of_the_same_is_left_alone(built, tmp_path):
    folder, report = built
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    before = times(copy)
    again = make_report(load_study(copy))
    assert times(copy) == before
    assert (again.tables, again.figures) == (report.tables, report.figures)


def test_touched_outputs_are_made_again(built, tmp_path):
    folder, _ = built
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    for touched in ("tables/profiles.csv", "figures/plane.svg", "report.html", "missed.html"):
        (copy / touched).write_text("changed")
    make_report(load_study(copy))
    assert digests(copy) == digests(folder)


def test_what_an_earlier_report_wrote_and_this_one_does_not_is_removed(built, tmp_path):
    folder, _ = built
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    path = copy / "profile.json"
    profile = json.loads(path.read_text()) | {"excluded": []}
    path.write_text(json.dumps(profile))
    (copy / "tables" / "mine.csv").write_text("a person's own")
    report = make_report(load_study(copy))
    assert "excluded" not in report.tables
    assert not list(copy.glob("tables/excluded.*"))
    assert (copy / "tables" / "mine.csv").exists()


def test_no_path_time_or_program_in_the_files(built):
    folder, _ = built
    for path in [folder / "report.html", *folder.glob("figures/*.svg"), *folder.glob("tables/*")]:
        text = path.read_text()
        assert str(folder.parent) not in text
        assert "matplotlib" not in text.lower()
        assert not re.search(r"20\d\d-\d\d-\d\dT", text)
    for path in folder.glob("figures/*.png"):
        data = path.read_bytes()
        assert b"Matplotlib" not in data
        assert b"tIME" not in data


@pytest.mark.parametrize("name", FIGURES)
def test_the_watermark_stands_inside_every_axes(built, name):
    folder, _ = built
    root = ET.parse(folder / "figures" / f"{name}.svg").getroot()
    axes = [e for e in root.iter() if re.search(r"-(axes_\d+|plane)$", e.get("id", ""))]
    assert axes
    for one in axes:
        marks = [e for e in one.iter() if "watermark" in e.get("id", "")]
        assert len(marks) == 1
        assert list(marks[0].iter("{http://www.w3.org/2000/svg}use"))


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_told_in_words_with_its_numbers(built, name):
    folder, _ = built
    svg = (folder / "figures" / f"{name}.svg").read_text()
    root = ET.fromstring(svg)
    described = [e.text for e in root if e.tag.endswith("}desc")]
    assert root.get("role") == "img"
    assert len(described) == 1
    assert described[0].startswith("Direction by construction.")
    if name == "slot_rates":
        assert "hedging removal" in described[0]
    else:
        assert all(judge in described[0] for judge in JUDGES)
    assert re.search(r"\d\.\d\d\d", described[0])


def test_numbers_of_the_page_are_the_profile_s(built):
    folder, _ = built
    profile = json.loads((folder / "profile.json").read_text())
    page = (folder / "report.html").read_text()
    with (folder / "tables" / "profiles.csv").open() as file:
        rows = {row["judge"]: row for row in csv.DictReader(file)}
    for judge in profile["judges"]:
        point = judge["operating_point"]
        assert float(rows[judge["judge"]]["S"]) == point["S"]
        assert float(rows[judge["judge"]]["R"]) == point["R"]
        assert f"{point['R']:.3f} [" in page
    described = (folder / "figures" / "plane.svg").read_text()
    best = profile["judges"][0]["operating_point"]
    assert f"S = {best['S']:.3f}, R = {best['R']:.3f}" in described


def test_every_table_with_r_has_s(built):
    folder, _ = built
    for path in folder.glob("tables/*.csv"):
        columns = next(csv.reader(path.open()))
        if any(c == "R" or c.startswith("R_") for c in columns):
            assert "S" in columns, path.name


def test_the_page_asks_for_nothing_and_runs_nothing(built):
    folder, _ = built
    page = (folder / "report.html").read_text()
    assert "<script" not in page
    addresses = set(re.findall(r'(?:href|src)="([^"#][^"]*)"', page))
    assert addresses == {"data:,", "missed.html"}
    assert set(re.findall(r"https?://[^\"' )<]+", page)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "default-src 'none'" in page


def test_ids_are_unique_and_every_link_lands(built):
    folder, _ = built
    page = (folder / "report.html").read_text()
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for target in re.findall(r'href="#([^"]+)"', page):
        assert target in ids
    for labels in re.findall(r'aria-labelledby="([^"]+)"', page):
        assert set(labels.split()) <= set(ids)


def test_tables_have_captions_and_scopes(built):
    folder, _ = built
    page = (folder / "report.html").read_text()
    assert page.count("<table>") == page.count("<caption ")
    heads = re.findall(r"<th\b[^>]*>", page)
    assert heads
    assert all('scope="col"' in h or 'scope="row"' in h for h in heads)


def test_hostile_text_is_shown_and_does_nothing(hostile):
    page = (hostile / "report.html").read_text()
    assert "<script" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&#34;&amp;[U+202E]=1" in page
    for path in hostile.glob("figures/*.svg"):
        text = path.read_text()
        assert "<script" not in text
        assert "\u202e" not in text
        ET.fromstring(text)


def test_csv_cells_cannot_be_run(hostile):
    seen = 0
    for path in hostile.glob("tables/*.csv"):
        for row in csv.reader(path.open()):
            assert not any(cell[:1] in ("=", "@", "\t") for cell in row), path.name
            seen += any(cell == "'=HYPERLINK(1)" for cell in row)
    assert seen


def test_people_s_direction_has_no_watermark_and_names_them(tmp_path):
    folder = build_study(tmp_path / "study", judges=["one"], direction="human")
    report = make_report(load_study(folder))
    assert report.notice == ""
    page = (folder / "report.html").read_text()
    assert "Direction set by people" in page
    assert "three annotators" in page
    assert "onstruction." not in page
    assert "watermark" not in (folder / "figures" / "plane.svg").read_text()


def test_a_missed_control_stands_first_on_the_page(tmp_path):
    folder = build_study(tmp_path / "study", judges=["one"], controls_missed=True)
    report = make_report(load_study(folder))
    assert report.controls_missed == ("constant",)
    page = (folder / "report.html").read_text()
    body = page[page.index("<h1>") :]
    assert body.index("Broken instrument") < body.index('class="lead"')
    assert "MISSED" in page


@pytest.fixture(scope="module")
def unread(tmp_path_factory):
    """One judge is a single point, one has no cut at the floor."""
    folder = build_study(tmp_path_factory.mktemp("unread") / "study", judges=["one", "two"])
    path = folder / "profile.json"
    profile = json.loads(path.read_text())
    profile["judges"][0].update(status="single point", reason="1 usable grade")
    profile["judges"][1].update(
        status="uninterpretable", reason="no cut reaches S 0.9; best S 0.812", operating_point=None
    )
    path.write_text(json.dumps(profile))
    make_report(load_study(folder))
    return folder


def test_a_judge_below_the_floor_is_said_and_gets_no_number(unread):
    page = (unread / "report.html").read_text()
    assert "two is uninterpretable: no cut reaches S 0.9; best S 0.812." in page
    with (unread / "tables" / "profiles.csv").open() as file:
        row = next(r for r in csv.DictReader(file) if r["judge"] == "two")
    assert (row["S"], row["R"], row["tau"]) == ("", "", "")


def test_a_single_point_has_no_frontier(unread):
    described = ET.parse(unread / "figures" / "plane.svg").getroot()[1].text
    told = next(part for part in described.split(". ") if part.startswith("one:"))
    assert told.endswith("single point")
    assert "frontier" not in told


def test_artifacts_of_another_taxonomy_are_refused_and_nothing_is_written(tmp_path):
    folder = build_study(tmp_path / "study", judges=["one"])
    path = folder / "interventions.jsonl"
    path.write_text(
        path.read_text().replace('"made_under": {"taxonomy": "', '"made_under": {"taxonomy": "f00d')
    )
    with pytest.raises(MixedArtifactsError, match="taxonomy f00d"):
        make_report(load_study(folder))
    assert not (folder / "report.html").exists()
    assert not (folder / "tables").exists()


def test_a_profile_of_other_grades_is_refused(tmp_path):
    folder = build_study(tmp_path / "study", judges=["one"])
    build_study(tmp_path / "other", judges=["one"], seed=2)
    shutil.copy(tmp_path / "other" / "grades.parquet", folder / "grades.parquet")
    with pytest.raises(MixedArtifactsError, match=r"made under grades .* judgeprobe profile"):
        make_report(load_study(folder))
    assert not (folder / "report.html").exists()


def test_a_folder_that_cannot_be_written_is_one_error(tmp_path):
    folder = build_study(tmp_path / "study", judges=["one"])
    (folder / "figures").write_text("in the way")
    with pytest.raises(StorageError, match="cannot be written"):
        make_report(load_study(folder))


def test_the_manifest_names_every_output(built):
    folder, report = built
    outputs = json.loads((folder / "manifest.json").read_text())["stages"]["report"]["outputs"]
    # Two pages, and the table of every missed edit.
    assert len(outputs) == 3 + 3 * len(report.tables) + 2 * len(report.figures)
    for name, digest in outputs.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
