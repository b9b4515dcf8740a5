"""What can go wrong, split by what mends it.

    JudgeprobeError
    ├── InputError            a file, a row or a setting is wrong; the user mends it
    │   ├── StudyError        study.toml
    │   └── MixedArtifactsError   files made under different hashes
    ├── StatisticsError       an array that the definition does not cover
    ├── StorageError          the disk refused: full, read-only, locked, damaged
    └── CallError             a model call
        ├── RetryableCallError    the same call may succeed later
        │   └── LostCallError         what made it died; it may have been answered and paid for
        ├── PermanentCallError    it will not; the judge is stopped
        └── WrongServerError      another model or provider answered than the one asked

Every error prints as one line. The command line turns it into exit status 1.
"""

from pathlib import Path

__all__ = [
    "CallError",
    "InputError",
    "JudgeprobeError",
    "LostCallError",
    "MixedArtifactsError",
    "PermanentCallError",
    "RetryableCallError",
    "StatisticsError",
    "StorageError",
    "StudyError",
    "WrongServerError",
]


class JudgeprobeError(Exception):
    """Base of every error that judgeprobe raises on purpose."""


class InputError(JudgeprobeError):
    """A file, a row of it, or a setting cannot be used as given.

    Args:
        problem: What is wrong, without a full stop.
        file: The file it was found in.
        row: The row as a person counts it: 1 is the first data row (a header is not counted).
        remedy: What to do about it, as an imperative.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: Path | str | None = None,
        row: int | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem = problem
        self.file = None if file is None else str(file)
        self.row = row
        self.remedy = remedy
        place = "" if file is None else f"{file}"
        if row is not None:
            place = f"{place}, row {row}" if place else f"row {row}"
        line = f"{place}: {problem}" if place else problem
        if remedy:
            line = f"{line}; {remedy}"
        super().__init__(" ".join(line.split()))


class StudyError(InputError):
    """study.toml cannot be used."""


class MixedArtifactsError(InputError):
    """Two artifacts were made under different taxonomies, prompts or scales.

    Args:
        what: What differs, for example "taxonomy".
        file: The artifact that does not fit.
        expected: The hash in force.
        found: The hash that the artifact names.
        remedy: What to do about it.
    """

    def __init__(
        self, what: str, *, file: Path | str, expected: str, found: str, remedy: str
    ) -> None:
        self.what = what
        self.expected = expected
        self.found = found
        super().__init__(
            f"was made under {what} {found[:12]}, but {expected[:12]} is in force",
            file=file,
            remedy=remedy,
        )


class StatisticsError(JudgeprobeError, ValueError):
    """An array that the definition of a statistic does not cover."""


class StorageError(JudgeprobeError):
    """The disk refused: full, read-only, locked or damaged."""


class CallError(JudgeprobeError):
    """A model call did not give a reply."""


class RetryableCallError(CallError):
    """The same call may succeed later.

    Args:
        message: One line, free of secrets.
        retry_after: Seconds that the provider asked to wait, or None.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class LostCallError(RetryableCallError):
    """What made the call died with it; the provider may have answered it, and been paid."""


class PermanentCallError(CallError):
    """The same call will not succeed: authentication, quota, or a request that is wrong."""


class WrongServerError(CallError):
    """Another model or provider answered than the one that was asked."""
