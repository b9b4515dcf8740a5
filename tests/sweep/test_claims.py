"""Claims: one sweep makes a call, and a sweep that died holds nothing."""

import subprocess
import sys
from pathlib import Path

from judgeprobe.sweep.claims import Claims

SOURCE = Path(__file__).parents[2] / "src"


def test_a_call_is_one_sweeps_until_it_is_given_back(tmp_path):
    with Claims(tmp_path) as one, Claims(tmp_path) as two:
        assert one.others() == {1}
        assert one.take(["a", "c"]) == {"a", "c"}
        assert two.take(["a", "b"]) == {"b"}
        assert one.take(["b", "c", "d"]) == {"c", "d"}
        one.give_back(["a", "b"])
        assert two.take(["a"]) == {"a"}
        assert one.take(["b"]) == set()


def test_a_sweep_that_ended_holds_nothing(tmp_path):
    with Claims(tmp_path) as one:
        assert one.take(["a"]) == {"a"}
    with Claims(tmp_path) as two:
        assert two.take(["a"]) == {"a"}


def test_a_sweep_that_was_killed_holds_nothing(tmp_path):
    script = (
        f"import sys, time; sys.path.insert(0, {str(SOURCE)!r})\n"
        "from pathlib import Path\nfrom judgeprobe.sweep.claims import Claims\n"
        f"claims = Claims(Path({str(tmp_path)!r}))\nprint(claims.take(['a']), flush=True)\n"
        "time.sleep(60)\n"
    )
    with Claims(tmp_path) as one:
        process = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "{'a'}\n"
        assert one.take(["a"]) == set()
        process.kill()
        process.wait()
        assert one.take(["a"]) == {"a"}
    process.stdout.close()
