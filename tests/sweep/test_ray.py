"""The sweep on Ray: the bytes of one process, whatever dies, and the limits of one place.

The cluster has two nodes, at two loopback addresses; what the benchmark `benchmarks/sweep_ray.py`
does ten times with 5,000 texts is done here once with a few hundred.
"""

import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from judgeprobe.errors import InputError
from judgeprobe.llm.cache import ReplyCache
from judgeprobe.study import load_study
from judgeprobe.sweep.cluster import Cluster
from judgeprobe.sweep.plan import load_plan
from judgeprobe.sweep.stage import sweep

from ..helpers.loopback import Loopback
from ..helpers.ray_cluster import TwoNodes
from .test_models import ENVIRONMENT, PROMPT, claims, model, script

ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed (extra `ray`)"
)
CONCURRENCY = 6
FUNCTION = "def grade(evidence, claim):\n    return len(claim) % 6\n"
SECRET = "sk-planted-on-the-cluster-77"


@pytest.fixture(scope="module")
def cluster():
    """Two nodes; the key is in their environment and in no message."""
    # Not pytest's own folder: a socket's path may have a hundred characters at most.
    temporary = Path(tempfile.mkdtemp(prefix="jr", dir="/tmp"))
    before = os.environ.get("OPENAI_API_KEY")
    os.environ.update({"OPENAI_API_KEY": SECRET, "PYTHONPATH": ENVIRONMENT["PYTHONPATH"]})
    try:
        with TwoNodes(temporary=temporary) as found:
            found.temporary = temporary
            yield found
    finally:
        os.environ.pop("OPENAI_API_KEY")
        if before is not None:
            os.environ["OPENAI_API_KEY"] = before
        shutil.rmtree(temporary, ignore_errors=True)


@pytest.fixture
def make(make_study):
    def build(server, *, name="study", bases=60, budget="", **settings):
        judge = model(server, **settings)
        limits = f"[budget]\nconcurrency = {CONCURRENCY}\n{budget}\n"
        study = make_study(f"{judge}\n{limits}", bases=bases, name=name)
        (study.folder / "mine.txt").write_text(PROMPT)
        return study

    return build


def start(study, cluster):
    """A driver of its own, on the cluster."""
    command = [sys.executable, "-m", "judgeprobe", "sweep", str(study.folder), "--engine", "ray"]
    return subprocess.Popen(
        [*command, "--address", cluster.address, "--workers", "2", "--json"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process):
    """Exit status, the JSON of standard output, and standard error."""
    out, err = process.communicate(timeout=150)
    return process.returncode, json.loads(out) if out else None, err


def after(server, count, process):
    """Wait until the server has had so many requests in all."""
    while server.requests < count and process.poll() is None:
        time.sleep(0.002)
    assert process.poll() is None, "the sweep ended before anything could be killed"


def stored(study):
    """The claims whose replies are in the cache."""
    names = {judge_key(study, text): text.text for text in load_plan(study).texts}
    with ReplyCache(study.cache_dir) as cache:
        return {names[key] for key in cache.stored()}


def judge_key(study, text):
    from judgeprobe.sweep.roster import make_judges

    return make_judges(study)[0].key(text, 0)


@ray
@pytest.mark.end_to_end
def test_the_bytes_of_one_process_and_one_limit_for_the_whole_cluster(make, cluster):
    with Loopback(script, latency=0.02) as server:
        alone, study = make(server, name="alone"), make(server)
        for each in (alone, study):
            (each.folder / "mine_on_ray.py").write_text(FUNCTION)
            with (each.folder / "study.toml").open("a") as file:
                file.write('[[judges]]\nname = "ours"\ncall = "mine_on_ray:grade"\n')
                file.write('family = "ours"\n')
        alone, study = load_study(alone.folder), load_study(study.folder)
        sweep(alone)
        server.peak = 0
        before = server.requests
        status, found, _ = ended(start(study, cluster))
        assert status == 0
        assert study.grades_path.read_bytes() == alone.grades_path.read_bytes()
        texts = len(load_plan(study).texts)
        assert server.requests - before == texts
        assert found["calls"] == 2 * texts
        (note,) = found["notes"]
        assert "`ours` runs on the driver's machine" in note
        assert 1 < server.peak <= CONCURRENCY
        # The workers used the key of their own environment, and it was written nowhere.
        assert any(SECRET.encode() in head for head in server.heads[before:])
        places = [study.folder, cluster.temporary]
        files = [path for top in places for path in top.rglob("*") if path.is_file()]
        assert len(files) > 20
        for path in files:
            assert SECRET.encode() not in path.read_bytes(), path


@ray
@pytest.mark.end_to_end
@pytest.mark.parametrize("victim", ["worker", "node", "driver"])
def test_whatever_dies_the_rest_is_done_once(make, cluster, victim):
    rng = random.Random(victim)
    with Loopback(script, latency=0.05) as server:
        study = make(server)
        total = len(load_plan(study).texts)
        process = start(study, cluster)
        after(server, rng.randint(20, total // 2), process)
        kept, seen = set(), 0
        if victim == "worker":
            assert cluster.kill_worker(rng)
        elif victim == "node":
            cluster.kill_node()
        else:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kept, seen = stored(study), server.requests
            process = start(study, cluster)
        status, found, _ = ended(process)
        assert status == 0, found
        if victim == "driver":
            assert not kept & set(claims(server.bodies[seen:]))
        else:
            # At most what was on its way was asked again; some of it had not reached the server.
            assert server.requests - total <= found["retries"] <= CONCURRENCY
        assert server.peak <= CONCURRENCY
        data = study.grades_path.read_bytes()
        calls = server.requests
        shutil.rmtree(study.cache_dir)
        sweep(study)
        assert server.requests == calls + total
        assert study.grades_path.read_bytes() == data


@ray
@pytest.mark.end_to_end
def test_dollars_are_counted_in_one_place(make, cluster):
    with Loopback(script, latency=0.05) as server:
        # 0.30 dollars a call.
        price = {"input": 1000.0, "output": 0.0}
        study = make(server, price=price, budget="max_usd = 20.0")
        process = start(study, cluster)
        after(server, 30, process)
        assert cluster.kill_worker(random.Random(0))
        status, found, _ = ended(process)
        assert status == 1
        assert "max_usd" in found["stopped"]
        # As the server counts it, lost calls too.
        assert 0.30 * server.requests <= 20.0 + 0.30 * CONCURRENCY


def test_without_ray_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install 'judgeprobe\[ray\]'"):
        Cluster()


@ray
def test_a_ray_client_is_refused():
    with pytest.raises(InputError, match="on a machine of the cluster"):
        Cluster("ray://127.0.0.1:10001")


@ray
def test_an_address_without_a_cluster_is_named_at_once():
    with pytest.raises(InputError, match=r"nothing listens at --address 127\.0\.0\.1:9"):
        Cluster("127.0.0.1:9")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--engine", "spark"], "give local or ray"),
        (["--address", "auto"], "go with --engine ray"),
        (["--workers", "2"], "go with --engine ray"),
    ],
)
def test_options_that_do_not_go_together(make_study, options, words):
    from typer.testing import CliRunner

    from judgeprobe.cli.app import app

    study = make_study()
    found = CliRunner().invoke(app, ["sweep", str(study.folder), *options])
    assert found.exit_code == 1
    assert words in found.output
