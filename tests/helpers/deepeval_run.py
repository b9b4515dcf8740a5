"""How was the DeepEval run of tests/audit/fixtures made?

    python -m venv /tmp/deepeval && /tmp/deepeval/bin/pip install deepeval
    /tmp/deepeval/bin/python tests/helpers/deepeval_run.py OUT

Three test cases and a metric of a rule; on the third the metric fails. DeepEval is no dependency of
the tests, and asks no model here.
"""

import os
import sys
from pathlib import Path
from typing import Any

CASES = (("sky", "It is blue."), ("river", "It is brown."), ("sea", "It is blue."))


def main(out: str) -> None:
    Path(out).mkdir(parents=True, exist_ok=True)
    os.environ.update(
        DEEPEVAL_RESULTS_FOLDER=out, DEEPEVAL_TELEMETRY_OPT_OUT="YES", DEEPEVAL_DISABLE_DOTENV="1"
    )
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase

    class Contains(BaseMetric):  # type: ignore[misc]
        threshold = 0.5
        async_mode = False
        evaluation_model = "rule"

        @property
        def __name__(self) -> str:
            return "Contains"

        def measure(self, case: Any, *arguments: Any, **named: Any) -> float:
            if "sea" in case.input:
                raise ValueError("scripted: no grade")
            found = case.expected_output in case.actual_output
            self.score, self.success = (1.0, True) if found else (0.25, False)
            self.reason = "looked for the expected word"
            return self.score

        async def a_measure(self, case: Any, *arguments: Any, **named: Any) -> float:
            return self.measure(case)

        def is_successful(self) -> bool:
            return bool(self.success)

    cases = [
        LLMTestCase(
            name=f"t{i}",
            input=f"What colour is the {word}?",
            actual_output=answer,
            expected_output="blue",
            additional_metadata={"length": len(word)},
        )
        for i, (word, answer) in enumerate(CASES)
    ]
    evaluate(
        cases,
        [Contains()],
        async_config=AsyncConfig(run_async=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True),
    )


if __name__ == "__main__":
    main(sys.argv[1])
