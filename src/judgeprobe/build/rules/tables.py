"""Where do the operators read their words? One loader for probes/rules/."""

import functools
import tomllib
from collections.abc import Mapping
from typing import Any

from judgeprobe import resources

__all__ = ["table", "words"]


@functools.cache
def table(name: str) -> Mapping[str, Any]:
    """The content of probes/rules/NAME.toml, read once."""
    return tomllib.loads(resources.read_text("probes", f"rules/{name}.toml"))


@functools.cache
def words(name: str, section: str, key: str = "words") -> frozenset[str]:
    """One list of words from a table, as a set."""
    return frozenset(table(name)[section][key])
