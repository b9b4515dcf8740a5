"""A run that is stopped or killed is taken up where it was."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.helpers.loopback import Loopback
from tests.helpers.pressure_players import both, pressed, write_study

from judgeprobe.pressure.run import run_pressure

ROOT = Path(__file__).parents[2]
RUN = """
import sys
from judgeprobe.cli.app import main
sys.argv[1:] = ["pressure", sys.argv[1], "--quiet"]
main()
"""
CONCURRENCY = 4
LATENCY = 0.01


def run_until(folder, server, number, calls):
    """Run in a process of its own and send it a signal after some calls."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    while process.poll() is None and server.requests < calls:
        time.sleep(0.001)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    return process.returncode, said.decode()


def test_ended_by_a_signal_no_call_is_made_twice(tmp_path):
    budget = f"[budget]\nconcurrency = {CONCURRENCY}\n"
    with Loopback(both(pressed), latency=LATENCY) as server:
        # 72 claims are written first; the signal comes while they are read.
        study = write_study(tmp_path, server.url, count=8, extra=budget)
        status, said = run_until(tmp_path, server, signal.SIGTERM, 110)
        assert status == 1, said
        assert "what has arrived is kept" in said
        assert not study.pressure_dir.exists()
        run_pressure(study)
        assert max(Counter(server.bodies).values()) == 1


def test_killed_outright_only_what_was_on_its_way_is_asked_again(tmp_path):
    budget = f"[budget]\nconcurrency = {CONCURRENCY}\n"
    with Loopback(both(pressed), latency=LATENCY) as server:
        study = write_study(tmp_path, server.url, count=12, extra=budget)
        status, _ = run_until(tmp_path, server, signal.SIGKILL, 160)
        assert status == -signal.SIGKILL
        sent = server.requests
        assert not study.pressure_dir.exists()
        run_pressure(study)
        again = sum(count - 1 for count in Counter(server.bodies).values())
    # The cache writes every quarter of a second: four at once, 10 ms each.
    assert again <= CONCURRENCY * (1 + 0.3 / LATENCY)
    assert again < sent
