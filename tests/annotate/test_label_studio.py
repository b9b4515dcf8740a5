"""The project and tasks against Label Studio's own parser, label_studio_sdk.label_interface.

The SDK is no dependency of the tests: with all that it asks for it brings half a gigabyte and an
older numpy. It is used where this interpreter has it, or the one that LABEL_STUDIO_PYTHON names
(`python -m venv DIR; DIR/bin/pip install label-studio-sdk; LABEL_STUDIO_PYTHON=DIR/bin/python`).
"""

import functools
import json
import os
import random
import subprocess
import sys

import pytest
from tests.annotate.test_round_trip import pairs
from tests.helpers.annotation import label_studio_export, make_study, random_answer, sheets

from judgeprobe.annotate.export import export
from judgeprobe.annotate.keys import read_keys
from judgeprobe.annotate.label_studio import project_xml, tasks
from judgeprobe.annotate.sheet import make_sheet

CHECK = """
import json, sys
from label_studio_sdk.label_interface import LabelInterface
told = json.load(open(sys.argv[1], encoding="utf-8"))
interface = LabelInterface(told["xml"])
interface.validate()
bad = [t for t in told["tasks"] if not interface.validate_task(t)]
errors = []
for task in told["exported"]:
    for annotation in task["annotations"]:
        errors += interface._validate_object(annotation, return_errors=True)
wrong = interface._validate_object(told["wrong"], return_errors=True)
print(json.dumps({
    "controls": sorted(c.name for c in interface.controls),
    "objects": sorted(o.name for o in interface.objects),
    "bad": len(bad), "errors": errors, "wrong": len(wrong),
    "sample": interface.generate_sample_task(),
}))
"""


@functools.cache
def parser():
    for program in (os.environ.get("LABEL_STUDIO_PYTHON"), sys.executable):
        if not program:
            continue
        found = subprocess.run(
            [program, "-c", "import label_studio_sdk.label_interface"],
            capture_output=True,
            check=False,
            timeout=120,
        )
        if found.returncode == 0:
            return program
    return None


def test_label_studios_own_parser_takes_project_tasks_and_annotations(tmp_path):
    program = parser()
    if program is None:
        pytest.skip("label-studio-sdk is not installed; name an interpreter in LABEL_STUDIO_PYTHON")
    study = make_study(tmp_path / "study", pairs(60, seed=4))
    export(study, annotators=1, size=60, forms=["label-studio"])
    (sheet,) = sheets(study)
    folder = study.annotation_dir / "batch-001" / "annotator-1"
    written = json.loads((folder / f"{sheet.stem}-label-studio-tasks.json").read_text("utf-8"))
    rng = random.Random(0)
    exported = label_studio_export(written, [random_answer(rng, unit) for unit in sheet.units])
    wrong = json.loads(json.dumps(exported[0]["annotations"][0]))
    wrong["result"][-1]["value"] = {"choices": ["no such choice"]}
    told = {
        "xml": (folder / "label-studio-project.xml").read_text("utf-8"),
        "tasks": written,
        "exported": exported,
        "wrong": wrong,
    }
    path = tmp_path / "told.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    result = subprocess.run(
        [program, "-c", CHECK, str(path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["bad"] == 0
    assert found["errors"] == []
    assert found["wrong"] == 1  # the parser does look
    assert found["controls"] == ["direction", "same_facts", "span_a", "span_b", "supported"]
    assert found["objects"] == ["evidence", "sentence_a", "sentence_b"]
    sample = found["sample"]
    assert set(sample.get("data", sample)) <= set(written[0]["data"])


def test_the_xml_refers_to_the_columns_of_the_tasks(tmp_path):
    from xml.etree import ElementTree

    study = make_study(tmp_path, pairs(2, seed=0))
    export(study, annotators=1, size=2, forms=["label-studio"])
    (key,) = read_keys(study)
    items = {item.id: item for item in pairs(2, seed=0)}
    data = tasks(make_sheet(key, "annotator-1", items))[0]["data"]
    tree = ElementTree.fromstring(project_xml())
    names = {node.get("name") for node in tree.iter() if node.get("name")}
    for node in tree.iter():
        if node.tag == "Text":
            assert node.get("value").removeprefix("$") in data
            # Otherwise a text that looks like an address would be fetched.
            assert node.get("valueType") == "text"
        if node.get("toName"):
            assert node.get("toName") in names
