"""What of study.toml may be seen elsewhere, and what is a fact of one machine?

The settings are written anew from what was read, so that no comment travels. Hosts of one's own,
paths and the list of what stays private are left out or made names; each is told. A profile made
from the rest is the same.
"""

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath, PureWindowsPath
from typing import Any
from urllib.parse import urlsplit

from judgeprobe.study import Study
from judgeprobe.toml_text import toml_text

__all__ = [
    "PROMPT_DIR",
    "TAXONOMY_DIR",
    "PublicSettings",
    "own_hosts",
    "public_model",
    "public_settings",
]

TAXONOMY_DIR = "taxonomy"
PROMPT_DIR = "prompts"
# Tables of stages whose files are not released, and the tie of a variant to its study's folder.
_OTHER_STAGES = ("blind", "pressure", "variants", "variant")
# Keys that name a prompt file or a shipped prompt, by table.
_PROMPTS = ("prompt", "prompt_construct", "prompt_control")
_LOCAL = "local/"
# A judge of these routes without a prompt of its own has the completion prompt (docs/sweep.md).
_CONTINUING = (_LOCAL, "text-completion-openai/")
_COMPLETION_PROMPT = "judge_completion.v1"
_HEAD = (
    "# Written by `judgeprobe bundle` from the study's own settings; paths are names here, and\n"
    "# hosts of the maker's own are left out. DATA_CARD.md says what was.\n\n"
)


@dataclass(frozen=True)
class PublicSettings:
    """study.toml as it is released.

    Attributes:
        text: The file.
        prompts: Prompts as the study names them, each with its file name in the bundle.
        dropped: What was left out or made a name, in words.
    """

    text: str
    prompts: dict[str, str]
    dropped: tuple[str, ...]


def public_settings(study: Study) -> PublicSettings:
    """The settings without what is local or private."""
    settings = study.settings
    table = _plain(settings.model_dump(mode="json", exclude_unset=True))
    dropped: list[str] = []
    prompts: dict[str, str] = {}
    for name in _OTHER_STAGES:
        if table.pop(name, None) is not None:
            dropped.append(f"the table `[{name}]`: what that stage makes is not in a bundle")
    part = table["study"]
    for key in ("base_items", "pairs"):
        if isinstance(part.get(key), str) and not part[key].startswith("hf:"):
            part[key] = _name_of(part[key], f"study.{key}", dropped)
    part["taxonomy"] = f"{TAXONOMY_DIR}/{study.taxonomy.name}.toml"
    for name, one in _asked(table):
        _without_host(one, name, settings.bundle.keep_hosts, dropped)
        _without_path(one, name, dropped)
        for key in _PROMPTS:
            if isinstance(one.get(key), str):
                one[key] = _prompt(one[key], prompts)
    _name_defaults(study, table, prompts)
    scale = table.get("elicitation", {}).get("scale")
    if scale:
        words = dict(scale.pop("words", None) or ())
        scale.update({"words": words} if words else {})
    if table.pop("pressure", None):
        dropped.append("`[pressure]` is left out: what that arm makes is not in a bundle")
    private = table.get("bundle")
    if private:
        for key in ("private", "keep_hosts"):
            private.pop(key, None)
        if not private:
            del table["bundle"]
    return PublicSettings(_HEAD + toml_text(table), prompts, tuple(dropped))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items() if entry is not None}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def _asked(table: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every table that can name a prompt or an endpoint, with its name for people."""
    for name in ("generator", "verifier", "elicitation"):
        if isinstance(table.get(name), dict):
            yield name, table[name]
    for judge in table.get("judges", ()):
        yield f"judge `{judge['name']}`", judge


def _name_defaults(study: Study, table: dict[str, Any], prompts: dict[str, str]) -> None:
    """Name the prompts that are in force without being named, so that they are in the bundle."""
    settings = study.settings
    for judge, one in zip(settings.judges, table.get("judges", ()), strict=True):
        if judge.model is None or judge.prompt is not None:
            continue
        if judge.model.startswith(_CONTINUING):
            one["prompt"] = _prompt(_COMPLETION_PROMPT, prompts)
        else:
            part = table.setdefault("elicitation", {})
            part["prompt"] = _prompt(settings.elicitation.prompt, prompts)
    if settings.study.pairs is not None:
        return
    if settings.generator.model != "rules":
        table["generator"]["prompt"] = _prompt(settings.generator.prompt, prompts)
    if settings.verifier is not None:
        for key in ("prompt_construct", "prompt_control"):
            table["verifier"][key] = _prompt(getattr(settings.verifier, key), prompts)


def _prompt(name: str, prompts: dict[str, str]) -> str:
    file = prompts.setdefault(name, _free(_file_name(name), set(prompts.values())))
    return f"{PROMPT_DIR}/{file}"


def _file_name(name: str) -> str:
    if "/" in name or name.endswith((".txt", ".md")):
        return PurePath(name).name
    return f"{name}.txt"


def _free(file: str, taken: set[str]) -> str:
    """The name, or with a number where two prompts of two folders share one."""
    stem, dot, ending = file.rpartition(".")
    number, found = 2, file
    while found in taken:
        found = f"{stem}-{number}{dot}{ending}"
        number += 1
    return found


def _name_of(path: str, key: str, dropped: list[str]) -> str:
    name = PureWindowsPath(path).name if "\\" in path else PurePath(path).name
    if name != path:
        dropped.append(f"`{key}` is the file's name; its folder is left out")
    return name


def _without_path(one: dict[str, Any], name: str, dropped: list[str]) -> None:
    model = one.get("model")
    if isinstance(model, str) and public_model(model) != model:
        one["model"] = public_model(model)
        dropped.append(f"the {name}: `model` is the file's name; its folder is left out")


def public_model(model: str) -> str:
    """A model's name without the folder of a file on this machine."""
    if model.startswith(_LOCAL) and "/" in model[len(_LOCAL) :]:
        return _LOCAL + PurePath(model).name
    return model


def _without_host(
    one: dict[str, Any], name: str, kept: tuple[str, ...], dropped: list[str]
) -> None:
    given = one.get("base_url")
    if given is None:
        return
    urls = [given] if isinstance(given, str) else list(given)
    hosts = {_host(url) for url in urls}
    if hosts <= set(kept) and not any(_is_private(host) for host in hosts):
        return
    del one["base_url"]
    dropped.append(
        f"the {name}: `base_url` is left out (hosts are named only where [bundle] keep_hosts says "
        "so, and never those of a private network)"
    )


def own_hosts(study: Study) -> tuple[str, ...]:
    """Hosts of base URLs that must not be named."""
    settings = study.settings
    given = [settings.generator.base_url]
    given += [settings.verifier.base_url] if settings.verifier else []
    urls = [url for url in given if url]
    for judge in settings.judges:
        if judge.base_url is not None:
            urls += [judge.base_url] if isinstance(judge.base_url, str) else list(judge.base_url)
    found = {urlsplit(url).netloc.rpartition("@")[2] for url in urls}
    kept = set(settings.bundle.keep_hosts)
    return tuple(
        sorted(
            netloc
            for netloc in found
            if netloc and (_host(f"//{netloc}") not in kept or _is_private(_host(f"//{netloc}")))
        )
    )


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").lower()


def _is_private(host: str) -> bool:
    """Whether a host is of no public network, as far as its name tells."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        ends = (".local", ".internal", ".lan", ".home", ".corp", ".localhost")
        return "." not in host or host.endswith(ends)
