"""How does a verb that asks models show its calls, while they run and afterwards?"""

import contextlib
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from judgeprobe.cli.common import note

if TYPE_CHECKING:
    from judgeprobe.llm.pool import Counts, Watch

__all__ = ["call_progress", "note_calls"]


@contextlib.contextmanager
def call_progress(unit: str, *, shown: bool) -> "Iterator[Watch | None]":
    """A bar of what is done, with calls and dollars, on a terminal only.

    Args:
        unit: What is counted, in the plural.
        shown: False for no bar at all.
    """
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(unit)

        def watch(done: int, total: int, counts: "dict[str, Counts]") -> None:
            calls = sum(count.calls for count in counts.values())
            usd = sum(count.usd for count in counts.values())
            told = f"{unit} ({calls} calls, ${usd:.4f})"
            bar.update(task, completed=done, total=total, description=told)

        yield watch


def note_calls(calls: "Mapping[str, Counts]") -> None:
    """One note a role: calls sent, replies from the cache, dollars."""
    for role, made in calls.items():
        unpriced = f", {made.unpriced} of them without a known price" if made.unpriced else ""
        note(
            f"{role}: {made.calls} calls sent, {made.cached} replies from the cache, "
            f"${made.usd:.4f}{unpriced}"
        )
