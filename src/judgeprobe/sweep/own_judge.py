"""How does a judge that somebody already runs become a study that can be run as it is?

Its prompt is copied into the study folder with our two places in it, its scale and its parser are
checked and written down, and so are the user's own items. The edits come from the rules generator,
so their direction is by construction, and the settings say so.
"""

import importlib.util
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from judgeprobe.errors import InputError
from judgeprobe.files import read_text, write_text
from judgeprobe.llm.adopt import Adopted, adopt_prompt
from judgeprobe.llm.local import is_local
from judgeprobe.llm.weights import EMBEDDED
from judgeprobe.records import Scale
from judgeprobe.toml_text import toml_text
from judgeprobe.user_function import UserFunction

__all__ = ["PROMPT_FILE", "OwnJudge", "OwnStudy", "write_own_study"]

PROMPT_FILE = "judge_prompt.txt"
JUDGE = "ours"
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
# A model that continues a text writes on past its grade, and every token takes time: a token for
# each digit, two for what stands around them, and a few for a word.
_AROUND = 2
_WORD_TOKENS = 6
_NUMBER_FIRST = r"\A\W*(-?\d+(?:[.,]\d+)?)(?=[^\d.,]|[.,](?:\D|\Z))"
_WORD_FIRST = r"\A\W*([^\W\d_]+)(?=[^\w-])"


@dataclass(frozen=True)
class OwnJudge:
    """What a user tells of the judge they have.

    Attributes:
        prompt: File of its prompt.
        model: Model name; the embedded one where they name none.
        base_url: An OpenAI-compatible endpoint, or None.
        scale: Its grades; higher is better supported.
        parser: Regular expression, `module:function`, or None where our reader reads its replies.
        fields: Its places of "evidence" and "claim"; None where they bear our names.
        fill: Texts of its other places.
        begins: What a reply of a model without a chat format begins with; None where the prompt
            tells it.
        family: Vendor family, where the model's name does not tell it.
    """

    prompt: Path
    model: str = EMBEDDED
    base_url: str | None = None
    scale: Scale = field(default_factory=Scale)
    parser: str | None = None
    fields: Mapping[str, str | None] = field(default_factory=dict)
    fill: Mapping[str, str] = field(default_factory=dict)
    begins: str | None = None
    family: str | None = None


@dataclass(frozen=True)
class OwnStudy:
    """What was made.

    Attributes:
        settings: Path of study.toml.
        prompt: Path of the copied prompt.
        mapped: What became of each place of the prompt.
        notes: What a user must know.
        local: Whether the judge runs on this machine and costs nothing.
    """

    settings: Path
    prompt: Path
    mapped: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    local: bool


def write_own_study(
    folder: Path,
    own: OwnJudge,
    *,
    items: Path | str | None = None,
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
    seed: int,
) -> OwnStudy:
    """Make the study folder; everything is checked before the first file is written.

    Args:
        folder: The folder to make.
        own: The judge.
        items: The user's own table, which is copied, or the name of a Hugging Face data set
            ("hf:..."); the shipped items where None.
        columns: The table's column of each field, where the names differ.
        limit: Base items used, the first of the table.
        seed: Seed of the study.

    Raises:
        InputError: A study is there already, or something the user gave cannot be used.
        StorageError: The folder cannot be written.
    """
    path = folder / "study.toml"
    if path.exists():
        raise InputError("is there already", file=path, remedy="choose another folder")
    local = is_local(own.model)
    continues = local or own.model.startswith("text-completion-openai/")
    adopted = adopt_prompt(
        read_text(own.prompt),
        file=own.prompt,
        fields=own.fields,
        fill=own.fill,
        continues=continues,
        begins=own.begins,
        words=bool(own.scale.words),
    )
    notes = list(adopted.notes)
    reading, module = _reading(own, folder, continues=continues, notes=notes)
    settings = {
        "study": _study_table(folder, items, columns, limit, seed),
        "generator": {"model": "rules"},
        "elicitation": {"scale": _scale_table(own.scale), "prompt": PROMPT_FILE, "repetitions": 1},
        "judges": [_judge_table(own, reading)],
        "budget": {"max_usd": 5.0, "concurrency": 16},
    }
    _write(folder, adopted, settings, items, module)
    return OwnStudy(path, folder / PROMPT_FILE, adopted.mapped, tuple(notes), local)


def _study_table(
    folder: Path,
    items: Path | str | None,
    columns: Mapping[str, str] | None,
    limit: int | None,
    seed: int,
) -> dict[str, object]:
    return {
        "name": folder.resolve().name,
        "seed": seed,
        "taxonomy": "claim-calibration",
        "base_items": _items_name(items),
        "direction": "construction",
        "limit": limit,
        "columns": dict(columns) if columns else None,
    }


def _items_name(items: Path | str | None) -> str:
    if items is None:
        return "shipped"
    return f"items{items.suffix.lower()}" if isinstance(items, Path) else items


def _scale_table(scale: Scale) -> dict[str, object]:
    table: dict[str, object] = {
        name: _short(value)
        for name, value in (("low", scale.low), ("high", scale.high), ("step", scale.step))
    }
    if scale.words:
        table["words"] = {name: _short(value) for name, value in scale.words}
    return table


def _short(value: float) -> float:
    """The number as people write it: 1, not 1.0."""
    return int(value) if value == int(value) else value


def _judge_table(own: OwnJudge, reading: Mapping[str, object]) -> dict[str, object]:
    direct = own.base_url is not None and own.model.startswith(
        ("openai/", "text-completion-openai/", "openrouter/")
    )
    return {
        "name": JUDGE,
        "model": own.model,
        "base_url": own.base_url,
        "transport": "direct" if direct else None,
        "family": own.family,
        "prompt": PROMPT_FILE,
        **reading,
    }


def _reading(
    own: OwnJudge, folder: Path, *, continues: bool, notes: list[str]
) -> tuple[dict[str, object], Path | None]:
    """How replies are read, and the module that must be copied for it."""
    parser = own.parser
    is_function = parser is not None and _FUNCTION.fullmatch(parser) is not None
    if parser is not None and not is_function:
        _check_pattern(parser)
    module = _module_of(parser, folder) if parser is not None and is_function else None
    if continues:
        if parser is not None:
            notes.append(
                f"{own.model} has no chat format: it continues the prompt, and the parser is not "
                "used for it"
            )
        reading = _continuing(own.scale)
        if reading["elicitation"] == "written":
            notes.append(
                "its grade is what it writes, which a small model does in one way for nearly every "
                "text; on a scale of single digits (0 to 5) it is read from the probabilities"
            )
        return reading, None
    if parser is None:
        return {}, None
    return {"parser" if is_function else "reply_pattern": parser}, module


def _check_pattern(pattern: str) -> None:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InputError(
            f"--parser {pattern!r} is no regular expression ({error}) and no module:function",
            remedy="give for example --parser '\"score\":\\s*(\\d+)'",
        ) from None
    if not compiled.groups:
        raise InputError(
            f"--parser {pattern!r} has no group", remedy="put the grade in brackets: (...)"
        )


def _module_of(spec: str, folder: Path) -> Path | None:
    """The file of the parser's module where it is a single file of the working folder."""
    UserFunction(spec, setting="--parser", owner=f"the judge `{JUDGE}`", folder=folder).load()
    found = importlib.util.find_spec(spec.partition(":")[0])
    if found is None or found.origin is None:
        return None
    origin = Path(found.origin)
    return origin if origin.parent == Path.cwd() and origin.name != "__init__.py" else None


def _continuing(scale: Scale) -> dict[str, object]:
    """How the grade of a model that continues a text is read."""
    if not scale.words and _one_token_a_grade(scale):
        return {"elicitation": "expected"}
    longest = max(len(f"{grade:g}") for grade in scale.grades)
    return {
        "elicitation": "written",
        "max_tokens": _WORD_TOKENS if scale.words else longest + _AROUND,
        "reply_pattern": _WORD_FIRST if scale.words else _NUMBER_FIRST,
    }


def _one_token_a_grade(scale: Scale) -> bool:
    """Whether the first digit alone tells a whole-number grade: no 1 that may become 10."""
    return scale.low >= 0 and scale.high <= 9 and scale.high - scale.low >= 1


_HEAD = """\
# Made by `judgeprobe new --judge-prompt`; docs/sweep.md and docs/build.md explain every key.
# The edits are the rules generator's and their direction is by construction: nobody has said that
# they change the right answer. Everything made from this study says so. For people's directions:
# direction = "human" and `judgeprobe annotate` (docs/annotation.md).
# Keys of providers come from the environment (OPENAI_API_KEY and the like), never from here.

"""


def _write(
    folder: Path,
    adopted: Adopted,
    settings: Mapping[str, object],
    items: Path | str | None,
    module: Path | None,
) -> None:
    write_text(folder / PROMPT_FILE, adopted.text)
    if isinstance(items, Path):
        shutil.copyfile(items, folder / _items_name(items))
    if module is not None:
        shutil.copyfile(module, folder / module.name)
    # Last, so that a folder with a study.toml is whole.
    write_text(folder / "study.toml", _HEAD + toml_text(settings))
