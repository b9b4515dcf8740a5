"""A bundle made here, read elsewhere: a fresh copy of the code, no network, the same profile."""

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from tests.helpers.annotation import fill_csv, sheets
from typer.testing import CliRunner

from judgeprobe.annotate.keys import read_keys
from judgeprobe.bundle.archive import read_files, zipped
from judgeprobe.bundle.verify import bundle_hash
from judgeprobe.cli.app import app
from judgeprobe.files import read_jsonl
from judgeprobe.records import Intervention
from judgeprobe.study import Study, load_study

pytestmark = pytest.mark.end_to_end

ROOT = Path(__file__).resolve().parents[2]
STUDY = """
[study]
name = "released"
seed = 11
base_items = "shipped"
direction = "human"
limit = 6

[[judges]]
name = "words"
call = "word_judge:grade"

[annotation]
annotators = 3
[profile]
resamples = 200
permutations = 200
[bundle]
creators = ["The testers"]
url = "https://example.org/released"
published = "2027-01-01"
citation = "The testers (2027)."
"""
JUDGE = "def grade(evidence, claim):\n    return (len(claim) % 21) * 0.25\n"
# Every way to the network raises; a child process would not inherit this and none is needed.
NO_NETWORK = """
import socket, sys
def refuse(*_, **__):
    raise AssertionError("the network was asked for")
socket.socket.connect = refuse
socket.socket.connect_ex = refuse
socket.getaddrinfo = refuse
socket.create_connection = refuse
from judgeprobe.cli.app import main
sys.argv = ["judgeprobe", *sys.argv[1:]]
main()
"""


def run(*words: str, status: int = 0):
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == status, done.output
    return done


def label(study: Study) -> list[str]:
    """Scripted labels: the edit claims more in the construct arm alone; one never can tell."""
    edited = {edit.edited: edit for edit in read_jsonl(study.interventions_path, Intervention)}
    made = []
    for key in read_keys(study):
        for number, sheet in enumerate(sheets(study, key)):
            answers = []
            for place, unit in enumerate(sheet.units):
                edit = edited.get(unit.a) or edited[unit.b]
                side = "a" if unit.a == edit.edited else "b"
                wanted = side if edit.arm == "construct" else "neither"
                answers.append(
                    {
                        "unit_id": unit.unit_id,
                        "direction": "cannot_tell" if number == 2 and place % 9 == 0 else wanted,
                        "spans": [],
                        "supported": "Ada says: what the evidence says.",
                        "same_facts": True,
                    }
                )
            source = next(study.annotation_dir.rglob(f"{sheet.stem}.csv"))
            made.append(str(fill_csv(source, study.folder / f"back-{sheet.stem}.csv", answers)))
    return made


@pytest.fixture(scope="module")
def released(tmp_path_factory) -> Path:
    """A study through every stage, and its bundle beside it."""
    folder = tmp_path_factory.mktemp("maker") / "study"
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY)
    (folder / "word_judge.py").write_text(JUDGE)
    run("build", str(folder), "--quiet")
    run("annotate", "export", str(folder), "--form", "csv", "--quiet")
    run("annotate", "import", str(folder), *label(load_study(folder)), "--quiet")
    run("sweep", str(folder), "--quiet")
    run("profile", str(folder), "--quiet")
    out = folder.parent / "released.zip"
    told = run("bundle", str(folder), "--out", str(out), "--with-replies", "--json")
    replies = json.loads(told.stdout)["replies"]
    assert replies["released"] == replies["planned"] > 0
    return out


def fresh_copy(folder: Path) -> Path:
    """The code as a clone has it, in another place."""
    for name in ("src", "probes", "prompts", "annotation"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def elsewhere(clone: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of the fresh copy: no network, no home of the maker, another working folder."""
    command = [sys.executable, "-c", NO_NETWORK, *words]
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True).returncode == 0:
        command = [unshare, "-rn", *command]
    env = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(clone / "src"),
        "HOME": str(clone),
        "LC_ALL": "C.UTF-8",
    }
    return subprocess.run(command, capture_output=True, text=True, cwd=clone, env=env, timeout=280)


@pytest.mark.parametrize("form", ["zip", "folder"])
def test_the_profile_is_the_same_byte_for_byte_in_a_fresh_copy(released, tmp_path, form) -> None:
    clone = fresh_copy(tmp_path / "clone")
    bundle = tmp_path / "got" / "b.zip"
    bundle.parent.mkdir()
    shutil.copyfile(released, bundle)
    if form == "folder":
        shutil.unpack_archive(bundle, tmp_path / "got" / "b")
        bundle = tmp_path / "got" / "b"
    before = {p: p.read_bytes() for p in bundle.parent.rglob("*") if p.is_file()}
    done = elsewhere(clone, "profile", str(bundle), "--out", str(clone / "p.json"))
    assert done.returncode == 0, done.stderr
    assert "profile.json: the released bytes" in done.stderr
    made = released.parent / "study" / "profile.json"
    assert (clone / "p.json").read_bytes() == made.read_bytes()
    assert {p: p.read_bytes() for p in bundle.parent.rglob("*") if p.is_file()} == before
    assert elsewhere(clone, "bundle", str(bundle), "--check").returncode == 0


def test_a_profile_that_differs_is_said_with_status_3(released, tmp_path) -> None:
    """Somebody changes a number and every hash: the profile made again tells."""
    files, _ = read_files(released)
    files["profile.json"] = re.sub(rb'"S": 1\.0', b'"S": 0.9', files["profile.json"], count=1)
    about = json.loads(files["croissant.json"])
    digest = hashlib.sha256(files["profile.json"]).hexdigest()
    for entry in about["distribution"]:
        if entry["@id"] == "profile.json":
            entry["sha256"] = digest
    files["croissant.json"] = json.dumps(about).encode()
    content = json.loads(files["bundle.json"])
    for name in ("profile.json", "croissant.json"):
        content["files"][name]["sha256"] = hashlib.sha256(files[name]).hexdigest()
    content["sha256"] = bundle_hash(content)
    files["bundle.json"] = json.dumps(content).encode()
    path = tmp_path / "forged.zip"
    path.write_bytes(zipped(files))
    run("bundle", str(path), "--check")
    done = run("profile", str(path), status=3)
    assert "NOT the released bytes" in done.stderr


def test_the_same_study_gives_the_same_bytes(released) -> None:
    again = released.parent / "again.zip"
    run("bundle", str(released.parent / "study"), "--out", str(again), "--with-replies", "--quiet")
    assert again.read_bytes() == released.read_bytes()


def test_nobody_is_named_and_nothing_local_is_said(released, tmp_path) -> None:
    shutil.unpack_archive(released, tmp_path)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    text = b"".join(path.read_bytes() for path in files if path.suffix != ".gz")
    for held in (b"annotator-1", b"Ada says", str(released.parent).encode()):
        assert held not in text
    assert not any("keys" in path.parts for path in files)
    labels = pd.read_json(tmp_path / "item_labels.jsonl", lines=True)
    assert sorted(labels["annotator"].unique()) == ["a1", "a2", "a3"]
    assert set(labels["direction"]) == {"edited", "neither", "cannot_tell"}


def test_the_replies_come_back_through_the_cache(released, tmp_path) -> None:
    shutil.unpack_archive(released, tmp_path)
    (tmp_path / "word_judge.py").write_text(JUDGE)
    done = run("cache", "import", str(tmp_path), str(tmp_path / "replies.jsonl.gz"), "--json")
    assert json.loads(done.stdout)["added"] > 0


def test_a_changed_file_is_named_by_the_command(released, tmp_path) -> None:
    shutil.unpack_archive(released, tmp_path / "b")
    path = tmp_path / "b" / "item_labels.jsonl"
    path.write_text(path.read_text().replace('"a1"', '"a2"', 1))
    done = run("bundle", str(tmp_path / "b"), "--check", "--json", status=3)
    assert [one["file"] for one in json.loads(done.stdout)["problems"]] == ["item_labels.jsonl"]
    refused = run("profile", str(tmp_path / "b"), status=1)
    assert "item_labels.jsonl was changed" in refused.stderr


def test_pandas_and_datasets_load_every_table(released, tmp_path, monkeypatch) -> None:
    shutil.unpack_archive(released, tmp_path)
    listed = json.loads((tmp_path / "croissant.json").read_text())["recordSet"]
    sizes = {}
    for record_set in listed:
        name = record_set["field"][0]["source"]["fileObject"]["@id"]
        path = tmp_path / name
        frame = (
            pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_json(path, lines=True)
        )
        columns = {field["source"]["extract"]["column"] for field in record_set["field"]}
        assert columns <= set(frame.columns), name
        sizes[name] = len(frame)
    assert len(sizes) == 5
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="the extra `datasets` is not installed")
    for name, size in sizes.items():
        kind = "parquet" if name.endswith(".parquet") else "json"
        table = datasets.load_dataset(
            kind,
            data_files=str(tmp_path / name),
            split="train",
            cache_dir=str(tmp_path / "hf"),
        )
        assert table.num_rows == size


def test_mlcroissant_reads_the_metadata(released, tmp_path) -> None:
    """The format's own reader, in an environment of its own: it wants other versions than ours."""
    python = os.environ.get("JUDGEPROBE_MLCROISSANT", "")
    if not python:
        pytest.skip("set JUDGEPROBE_MLCROISSANT to a python that has mlcroissant[parquet]")
    shutil.unpack_archive(released, tmp_path)
    script = (
        "import sys, mlcroissant as mlc\n"
        "d = mlc.Dataset(jsonld=sys.argv[1])\n"
        "assert not d.metadata.ctx.issues.errors, d.metadata.ctx.issues.report()\n"
        "print(d.metadata.ctx.issues.report())\n"
        "print({r.id: sum(1 for _ in d.records(r.id)) for r in d.metadata.record_sets})\n"
    )
    done = subprocess.run(
        [python, "-c", script, str(tmp_path / "croissant.json")],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    counts = ast.literal_eval(done.stdout.strip().splitlines()[-1])
    assert counts["interventions"] == len(
        (tmp_path / "interventions.jsonl").read_text().splitlines()
    )
    assert "warning" not in done.stdout.lower(), done.stdout
