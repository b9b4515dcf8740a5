"""How were the files of promptfoo, lm-evaluation-harness and OpenAI evals in fixtures/ made?

    python tests/helpers/eval_tools.py promptfoo PROGRAM OUT
    python tests/helpers/eval_tools.py lm-eval PROGRAM OUT
    python tests/helpers/eval_tools.py openai-evals PROGRAM OUT

run from the checkout. PROGRAM is the tool's own command; each tool is installed apart, none is a
dependency of the tests (fixtures/README.md has the commands). Each asks a scripted model on the
loopback for the colour of a few things, and grades the answers. OUT is a folder; what is kept of it
is copied to fixtures/.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from tests.helpers.loopback import Answer, Loopback  # noqa: E402

WORDS = ("sky", "river", "car", "sea")
SECONDS = 240


def script(body: dict[str, Any]) -> str | Answer:
    """Everything is blue but the river; the grader cannot grade the car; the moon is refused."""
    text = json.dumps(body)
    if "Judge the answer" in text:
        if "car" in text:
            return "I would rather not say."
        high = "blue" in text.split("Judge the answer")[1]
        return json.dumps({"pass": high, "score": 1 if high else 0.25, "reason": "by its colour"})
    if "moon" in text:
        refusal = {"error": {"message": "scripted refusal", "type": "scripted", "code": "no"}}
        return Answer(status=400, top=refusal)
    return "Green, I think." if "river" in text else "It is blue."


def _topic(place: int) -> str:
    return "nature" if place % 2 else "things"


def _run(command: list[str], folder: Path, extra: Mapping[str, str]) -> None:
    # Proxies and keys of the person who runs this are no business of a scripted run.
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    environment = {**kept, "HOME": str(folder), **extra}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS
    )
    if done.returncode not in (0, 100):
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")


def promptfoo(program: str, folder: Path) -> list[Path]:
    """A run with a rule and a rubric a test, as .json, .jsonl and .csv.

    promptfoo ends with status 100 where a test fails, as some do here.
    """
    with Loopback(script) as server:
        own = {"apiBaseUrl": server.url, "apiKey": "none"}
        rubric = "Judge the answer {{output}} about the {{word}}: {{rubric}}"
        config = {
            "description": "colours",
            "prompts": ["What colour is the {{word}}?"],
            "providers": [
                {"id": "openai:chat:toy-model", "config": {**own, "maxRetries": 0}},
                {"id": "openai:chat:toy-model", "label": "again", "config": own},
            ],
            "defaultTest": {
                "options": {
                    "provider": {"id": "openai:chat:judge-x", "config": own},
                    "rubricPrompt": rubric,
                },
                "assert": [
                    {"type": "icontains", "value": "blue"},
                    {"type": "llm-rubric", "value": "names a colour", "metric": "colour"},
                ],
            },
            "tests": [
                {"vars": {"word": word}, "metadata": {"topic": _topic(i), "length": len(word)}}
                for i, word in enumerate((*WORDS[:3], "moon"))
            ],
        }
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        names = ["colours.json", "colours.jsonl", "colours.csv"]
        command = [program, "eval", "-c", "config.json", "--no-cache", "--no-table", "-j", "1"]
        command += ["--no-progress-bar", *(part for name in names for part in ("-o", name))]
        quiet = ("TELEMETRY", "UPDATE", "REMOTE_GENERATION", "SHARING")
        _run(command, folder, {f"PROMPTFOO_DISABLE_{name}": "1" for name in quiet})
    return [folder / name for name in names]


_LM_TASK = """\
task: colours
dataset_path: json
dataset_kwargs: {data_files: {test: colours.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "What colour is the {{word}}?"
doc_to_target: "{{colour}}"
generation_kwargs: {until: ["\\n"]}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
"""
_LM_FILTERS = """\
filter_list:
  - {name: plain, filter: [{function: take_first}]}
  - name: colour
    filter: [{function: regex, regex_pattern: "(blue|green)"}, {function: take_first}]
"""


def lm_eval(program: str, folder: Path, *, filters: bool = True) -> list[Path]:
    """A task of four samples; with `filters`, each reply is read in two ways."""
    docs = [
        {"key": f"s{i}", "word": word, "colour": "blue", "topic": _topic(i)}
        for i, word in enumerate(WORDS)
    ]
    lines = "".join(json.dumps(doc) + "\n" for doc in docs)
    (folder / "colours.jsonl").write_text(lines, encoding="utf-8")
    task = _LM_TASK + (_LM_FILTERS if filters else "")
    (folder / "colours.yaml").write_text(task, encoding="utf-8")
    with Loopback(script) as server:
        arguments = f"model=toy-model,base_url={server.url}/chat/completions,max_retries=1"
        command = [program, "--model", "local-chat-completions", "--model_args", arguments]
        command += ["--tasks", "colours", "--include_path", ".", "--apply_chat_template"]
        command += ["--log_samples", "--output_path", "out"]
        offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "OPENAI_API_KEY": "none"}
        _run(command, folder, offline)
    return sorted(folder.glob("out/*/samples_colours_*.jsonl"))


_EVALS = """\
colours: {id: colours.dev.v0, metrics: [accuracy]}
colours.dev.v0:
  class: evals.elsuite.basic.includes:Includes
  args: {samples_jsonl: colours/samples.jsonl}
colours-graded: {id: colours-graded.dev.v0, metrics: [score]}
colours-graded.dev.v0:
  class: evals.elsuite.modelgraded.classify:ModelBasedClassify
  args: {samples_jsonl: colours/samples.jsonl, modelgraded_spec: colour}
"""
_EVALS_GRADER = """\
colour:
  prompt: "Judge the answer to {input}: {completion} Y or N?"
  eval_type: classify
  choice_strings: "YN"
  choice_scores: {"Y": 1.0, "N": 0.25}
  input_outputs: {input: completion}
"""
# oaieval passes its registry to a completion function of a registry; its own OpenAI one takes none.
_EVALS_MODEL = """\
from evals.completion_fns.openai import OpenAIChatCompletionFn


class Toy(OpenAIChatCompletionFn):
    def __init__(self, registry, **own):
        super().__init__(**own)
"""


def _evals_script(body: dict[str, Any]) -> str | Answer:
    text = json.dumps(body)
    if "Judge the answer" not in text:
        return script(body)
    if "car" in text:
        return "I would rather not say."
    return "Y" if "blue" in text else "N"


def openai_evals(program: str, folder: Path) -> list[Path]:
    """Two runs on four samples: one of a rule, one of a grader."""
    registry = folder / "registry"
    parts = ("evals", "modelgraded", "completion_fns", "data/colours")
    for part in parts:
        (registry / part).mkdir(parents=True, exist_ok=True)
    samples = [
        {"input": f"What colour is the {word}?", "ideal": "blue", "topic": _topic(i)}
        for i, word in enumerate(WORDS)
    ]
    lines = "".join(json.dumps(sample) + "\n" for sample in samples)
    (registry / "data/colours/samples.jsonl").write_text(lines, encoding="utf-8")
    (registry / "evals/colours.yaml").write_text(_EVALS, encoding="utf-8")
    (registry / "modelgraded/colour.yaml").write_text(_EVALS_GRADER, encoding="utf-8")
    made = []
    with Loopback(_evals_script) as server:
        toy = {
            "class": "toy:Toy",
            "args": {"model": "toy-model", "api_base": server.url, "api_key": "none"},
        }
        # JSON is YAML too.
        (folder / "toy.py").write_text(_EVALS_MODEL, encoding="utf-8")
        path = registry / "completion_fns/toy.yaml"
        path.write_text(json.dumps({"toy": toy}), encoding="utf-8")
        own = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.url, "EVALS_THREADS": "1"}
        own["PYTHONPATH"] = str(folder)
        for name in ("colours", "colours-graded"):
            made.append(folder / f"{name}.jsonl")
            command = [program, "toy", name, "--registry_path", "registry"]
            _run([*command, "--record_path", f"{name}.jsonl"], folder, own)
            # The log's head repeats the command with the path that oaieval was started by.
            whole = made[-1].read_text(encoding="utf-8")
            made[-1].write_text(whole.replace(program, "oaieval"), encoding="utf-8")
    return made


TOOLS: dict[str, Callable[[str, Path], list[Path]]] = {
    "promptfoo": promptfoo,
    "lm-eval": lm_eval,
    "openai-evals": openai_evals,
}


def main(tool: str, program: str, out: str) -> None:
    folder = Path(out).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for path in TOOLS[tool](program, folder):
        print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
