"""How were the Inspect logs of tests/audit/fixtures made?

    python -m venv /tmp/inspect && /tmp/inspect/bin/pip install inspect-ai openai
    /tmp/inspect/bin/python tests/helpers/inspect_run.py OUT eval
    /tmp/inspect/bin/python tests/helpers/inspect_run.py OUT json 3

Inspect runs a task of five samples against the loopback server through its OpenAI-compatible
provider, with one rule-based and one model-graded scorer. Inspect is no dependency of the tests.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WORDS = ("sky", "river", "car", "sea", "moon")
GRADER = "Judge the answer {answer} to {question}, which should be {criterion}. {instructions}"


def script(body: dict[str, Any]) -> str:
    """Answers all alike; as the grader, marks the river wrong and gives the car no grade."""
    text = json.dumps(body)
    if "GRADE" not in text:
        return "It is blue."
    if "car" in text:
        return "I would rather not say."
    return "GRADE: I" if "river" in text else "GRADE: C"


def main(out: str, form: str, limit: int | None) -> None:
    sys.path.insert(0, str(ROOT))
    from inspect_ai import Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import includes, model_graded_qa
    from inspect_ai.solver import generate
    from tests.helpers.loopback import Loopback

    samples = [
        Sample(
            input=f"What colour is the {word}?",
            target="blue",
            id=f"s{i}",
            metadata={"topic": "nature" if i % 2 else "things", "length": len(word)},
        )
        for i, word in enumerate(WORDS)
    ]
    with Loopback(script) as server:
        os.environ.update(TOY_API_KEY="none", TOY_BASE_URL=server.url)
        task = Task(
            dataset=MemoryDataset(samples),
            solver=generate(),
            scorer=[
                includes(),
                model_graded_qa(
                    template=GRADER,
                    instructions="Reply with GRADE: C or GRADE: I.",
                    model="openai-api/toy/judge-x",
                ),
            ],
            name="colours",
        )
        logs = run(
            task, model="openai-api/toy/toy-model", log_dir=out, log_format=form, display="none",
            limit=limit,
        )  # fmt: skip
    print(logs[0].status, logs[0].location)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None)
