"""Did a solver stop early? Its warnings are caught and counted, never printed and never dropped."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning

__all__ = ["Stopped", "counted"]


@dataclass
class Stopped:
    """How many fits inside `counted` stopped before their own criterion."""

    count: int = 0


@contextmanager
def counted() -> Iterator[Stopped]:
    """Catch convergence warnings and count them; other warnings pass."""
    stopped = Stopped()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield stopped
    for warning in caught:
        if issubclass(warning.category, ConvergenceWarning):
            stopped.count += 1
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
