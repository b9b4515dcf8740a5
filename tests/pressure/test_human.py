"""Pairs go out blind through `judgeprobe annotate`, labels come back. All labels are scripted."""

import json
import re

import pytest
from tests.helpers.annotation import fill_csv, fill_xlsx, sheets, write_html_copy
from tests.helpers.loopback import Loopback
from tests.helpers.pressure_players import draw, pressed, rank, write_study
from typer.testing import CliRunner

from judgeprobe.annotate.keys import read_keys
from judgeprobe.cli.app import app
from judgeprobe.errors import InputError
from judgeprobe.files import read_jsonl
from judgeprobe.pressure.run import run_pressure
from judgeprobe.records import Intervention
from judgeprobe.study import load_study

AXES = ("scope", "strength")


def judgeprobe(*arguments):
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    assert done.exit_code == 0, done.output
    return done


def answer(unit, axis, wrong=False):
    """What a scripted reader says who sees only the sentences; `wrong`: the other way round."""
    a, b = rank(unit.a, axis), rank(unit.b, axis)
    direction = "neither" if a == b else "a" if (a > b) != wrong else "b"
    spans = [] if direction == "neither" else [(unit.a if direction == "a" else unit.b).split()[0]]
    return {
        "unit_id": unit.unit_id,
        "direction": direction,
        "spans": spans,
        "supported": "The lakes warmed at six stations.",
        "same_facts": True,
    }


def label(study, axis, errs):
    """Every annotator's returned file, each in another form; `errs(person, unit)` may err."""
    files = []
    for person, sheet in enumerate(sheets(study)):
        answers = [answer(one, axis, errs(person, one)) for one in sheet.units]
        folder = study.annotation_dir / sheet.batch / sheet.annotator
        target = study.folder / f"back-{person}"
        if person == 0:
            files.append(write_html_copy(target.with_suffix(".json"), sheet, answers))
        elif person == 1:
            source = folder / f"{sheet.stem}.csv"
            files.append(fill_csv(source, target.with_suffix(".csv"), answers))
        else:
            source = folder / f"{sheet.stem}.xlsx"
            files.append(fill_xlsx(source, target.with_suffix(".xlsx"), answers))
    return files


def one_errs(person, unit):
    return person == 2 and draw("err", *sorted((unit.a, unit.b))) < 0.2


def exported(tmp_path, count=24, **more):
    with Loopback(pressed) as server:
        study = write_study(tmp_path, server.url, count=count, verifier=False, **more)
        run_pressure(study)
    for axis in AXES:
        judgeprobe("annotate", "export", tmp_path / "pressure" / "human" / axis, "--quiet")
    return study


def human_rows(content):
    return {
        (row["condition"], row["axis"]): row
        for row in content["effects"]
        if row["readout"] == "human"
    }


def test_labels_go_out_and_come_back_with_both_signs(tmp_path):
    study = exported(tmp_path)
    for axis in AXES:
        folder = tmp_path / "pressure" / "human" / axis
        files = label(load_study(folder), axis, one_errs)
        judgeprobe("annotate", "import", folder, *files, "--quiet")
    content = run_pressure(study).content
    found = human_rows(content)
    markers = {
        (row["condition"], row["axis"]): row["estimate"]
        for row in content["effects"]
        if row["readout"] == "markers"
    }
    assert found["accuracy", "scope"]["moved"] == "fell"
    assert found["accuracy", "strength"]["moved"] == "rose"
    assert found["brevity", "scope"]["moved"] == "no movement shown"
    assert set(markers) == set(found)
    # One reader of three errs at times; the majority does not.
    claims = [json.loads(line) for line in (study.pressure_dir / "claims.jsonl").open()]
    texts = {(c["base_id"], c["condition"]): c["text"] for c in claims if c["seed"] == 0}
    for axis in AXES:
        bases = sorted({base for base, _ in texts})
        moved = [rank(texts[b, "accuracy"], axis) - rank(texts[b, "neutral"], axis) for b in bases]
        expected = sum((m > 0) - (m < 0) for m in moved) / len(moved)
        assert found["accuracy", axis]["estimate"] == pytest.approx(expected)
    state = {row["readout"]: row["status"] for row in content["prediction"]["rows"]}
    assert state["human"] == "supported"
    axes = content["readouts"]["human"]["axes"]
    assert all(axes[axis]["agreement"]["measurable"] for axis in AXES)
    assert all(0.75 < axes[axis]["agreement"]["pairwise"] < 1 for axis in AXES)


def test_an_axis_below_the_bar_is_not_measurable(tmp_path):
    study = exported(tmp_path, count=12, pressure="brevity = false")
    for axis in AXES:
        folder = tmp_path / "pressure" / "human" / axis
        # One reader reads strength the other way round, as a codebook that is unclear makes them.
        wrong = 1 if axis == "strength" else None
        files = label(load_study(folder), axis, lambda person, _, wrong=wrong: person == wrong)
        judgeprobe("annotate", "import", folder, *files, "--quiet")
    content = run_pressure(study).content
    found = human_rows(content)
    for axis in ("strength", "pooled"):
        row = found["accuracy", axis]
        assert {row[name] for name in ("estimate", "low", "high", "p", "p_holm", "moved")} == {None}
    assert "bar" in found["accuracy", "strength"]["reason"]
    assert found["accuracy", "scope"]["moved"] is not None
    state = next(row for row in content["prediction"]["rows"] if row["readout"] == "human")
    assert (state["status"], state["reason"]) == (
        "not decided",
        "below the agreement bar: strength",
    )
    page = (study.pressure_dir / "pressure.html").read_text()
    cells = re.findall(
        r"<tr><th[^>]*>writer</th><td>accuracy</td><td>strength</td>(.*?)</tr>", page
    )
    assert re.findall(r'class="n">([^<]*)<', cells[-1])[:3] == ["–", "–", "–"]
    table = (study.pressure_dir / "effects-human.csv").read_text().splitlines()
    assert next(row for row in table if ",strength," in row).startswith(
        "writer,accuracy,strength,,,,"
    )


def test_nothing_that_is_handed_out_tells_the_instruction_or_the_model(tmp_path):
    study = exported(tmp_path, count=8)
    told = re.compile(r"accura|brevit|brief|neutral|claude|haiku|writer|pressure|reported", re.I)
    for axis in AXES:
        axis_study = load_study(study.pressure_dir / "human" / axis)
        keys = read_keys(axis_study)
        firsts = {row.first for key in keys for row in key.rows}
        assert firsts == {"original", "edited"}
        for path in axis_study.annotation_dir.glob("batch-*/**/*"):
            if path.suffix in (".html", ".csv", ".json", ".xml"):
                text = path.read_text(encoding="utf-8-sig")
                assert not told.search(text), (path.name, told.search(text))


def test_pairs_that_are_one_text_are_not_shown_and_count_as_the_same(tmp_path):
    with Loopback(lambda body: "The lakes may have warmed.") as server:
        study = write_study(tmp_path, server.url, count=4, verifier=False)
        content = run_pressure(study).content
    assert (
        read_jsonl(study.pressure_dir / "human" / "scope" / "interventions.jsonl", Intervention)
        == []
    )
    assert content["readouts"]["human"]["axes"]["scope"]["counts"] == {"identical": 8, "pairs": 8}


def test_claims_that_change_after_the_export_are_refused(tmp_path):
    exported(tmp_path, count=4)
    text = (tmp_path / "study.toml").read_text()
    with Loopback(pressed) as server:
        text = re.sub(r"http://127\.0\.0\.1:\d+/v1", server.url, text)
        (tmp_path / "study.toml").write_text(text.replace("seed = 11", "seed = 12"))
        with pytest.raises(InputError, match="batches for the annotators"):
            run_pressure(load_study(tmp_path))


def test_the_questions_are_those_of_the_axis(tmp_path):
    study = exported(tmp_path, count=3)
    for axis, words in (("scope", "covers more cases"), ("strength", "commits harder")):
        folder = study.pressure_dir / "human" / axis / "annotation" / "batch-001" / "annotator-1"
        page = next(folder.glob("batch*.html")).read_text()
        assert f"Which sentence {words}?" in page
        assert f"A {words}" in page
