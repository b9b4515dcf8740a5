"""Do files that LibreOffice has opened and saved still import?"""

import random
import shutil
import subprocess

import pytest
from tests.annotate.test_round_trip import pairs
from tests.helpers.annotation import fill_csv, fill_xlsx, make_study, random_answer, sheets

from judgeprobe.annotate.export import export
from judgeprobe.annotate.importing import import_files
from judgeprobe.annotate.keys import read_keys
from judgeprobe.forms.cells import decode_cell

OFFICE = shutil.which("soffice")
needs_office = pytest.mark.skipif(
    OFFICE is None, reason="LibreOffice is not installed (Debian: apt-get install libreoffice-calc)"
)
# Comma, double quote, UTF-8, from line 1, and every column as text.
CSV_IN = "44,34,76,1," + "/".join(f"{column}/2" for column in range(1, 12))
CSV_OUT = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false"


def save_again(path, folder, target, *options):
    """Open a file in LibreOffice and save it as `target`."""
    folder.mkdir()
    command = [
        str(OFFICE),
        f"-env:UserInstallation=file://{folder}/profile",
        "--headless",
        *options,
        "--convert-to",
        target,
        "--outdir",
        str(folder),
        str(path),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    saved = folder / f"{path.stem}.{target.split(':')[0]}"
    assert saved.exists(), result.stderr + result.stdout
    return saved


@pytest.fixture
def labelled(tmp_path):
    study = make_study(tmp_path / "study", pairs(40, seed=9))
    export(study, annotators=1, size=40, forms=["csv", "xlsx"])
    (sheet,) = sheets(study)
    rng = random.Random(2)
    answers = [random_answer(rng, unit) for unit in sheet.units]
    folder = study.annotation_dir / "batch-001" / "annotator-1"
    files = {
        "csv": fill_csv(folder / f"{sheet.stem}.csv", tmp_path / "labels.csv", answers),
        "xlsx": fill_xlsx(folder / f"{sheet.stem}.xlsx", tmp_path / "labels.xlsx", answers),
    }
    return study, {one["unit_id"]: one for one in answers}, files


def check(study, answers, path, *, guessed=False):
    items = {item.id: item for item in pairs(40, seed=9)}
    found = import_files([path], read_keys(study), items, [])
    refused = [str(one) for one in found.problems if one.effect == "refused"]
    assert refused == []
    assert len(found.labels) == 40
    for label in found.labels:
        one = answers[label.unit_id]
        assert (label.direction, label.same_facts) == (one["direction"], one["same_facts"])
        assert label.supported == one["supported"]
        # Where LibreOffice may guess, a quotation such as 1/2 becomes a date, and is said to be.
        dated = "a quotation was turned into a date by the spreadsheet" in label.flags
        assert "quotation not found" not in label.flags or (dated and guessed)
    return found


@needs_office
def test_a_workbook_saved_by_libreoffice(labelled, tmp_path):
    study, answers, files = labelled
    saved = save_again(files["xlsx"], tmp_path / "out", "xlsx:Calc MS Excel 2007 XML")
    found = check(study, answers, saved)
    spans = {label.unit_id: list(label.spans) for label in found.labels}
    # LibreOffice reads _x0041_ as a letter and does not write it back.
    assert spans == {unit: [decode_cell(t) for t in one["spans"]] for unit, one in answers.items()}


@needs_office
def test_a_csv_saved_by_libreoffice_with_all_columns_as_text(labelled, tmp_path):
    study, answers, files = labelled
    saved = save_again(files["csv"], tmp_path / "out", CSV_OUT, f"--infilter=CSV:{CSV_IN}")
    check(study, answers, saved)


@needs_office
def test_a_csv_that_libreoffice_guessed_at(labelled, tmp_path):
    study, answers, files = labelled
    saved = save_again(files["csv"], tmp_path / "out", CSV_OUT, "--infilter=CSV:44,34,76,1")
    check(study, answers, saved, guessed=True)


@needs_office
def test_a_csv_turned_into_a_workbook(labelled, tmp_path):
    study, answers, files = labelled
    saved = save_again(
        files["csv"], tmp_path / "out", "xlsx:Calc MS Excel 2007 XML", "--infilter=CSV:44,34,76,1"
    )
    check(study, answers, saved, guessed=True)
