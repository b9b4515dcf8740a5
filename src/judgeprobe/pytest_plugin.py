"""Does our judge still notice? A pytest plugin for a team's own test suite.

    def test_our_judge_still_notices(judge_profile, assert_profile):
        assert_profile(judge_profile(), judge="ours", min_s=0.90, min_r=0.40)

`judge_profile()` reads the study that `judgeprobe_study` in the pytest settings (or
`--judgeprobe-study`) names; `judge_profile(path)` reads another one: a study folder, a
profile.json, or a file of graded pairs, which is profiled there and then.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

__all__ = ["assert_profile", "judge_profile", "load_profile"]

_PAIRS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option and the setting that name the study."""
    told = "study folder or profile.json that the judge_profile fixture reads"
    parser.addini("judgeprobe_study", told, default="")
    parser.getgroup("judgeprobe").addoption(
        "--judgeprobe-study", default=None, metavar="PATH", help=told
    )


def load_profile(path: Path, **options: Any) -> dict[str, Any]:
    """A profile from a study folder, a profile.json, or a file of graded pairs.

    Args:
        path: What to read.
        options: For a file of pairs: fields of `judgeprobe.profile.ProfileOptions`.

    Raises:
        InputError: It cannot be read.
    """
    from judgeprobe.profile.check import read_profile

    if path.suffix.lower() not in _PAIRS:
        return read_profile(path)
    from judgeprobe.profile import ProfileOptions, profile_pairs
    from judgeprobe.records import Scale
    from judgeprobe.taxonomy import load_taxonomy

    taxonomy = load_taxonomy("claim-calibration")
    given: dict[str, Any] = {
        "floor": taxonomy.constants.invariance_floor,
        "scale": Scale(),
        "resamples": 1000,
        "permutations": 1000,
    }
    return profile_pairs(path, taxonomy, ProfileOptions(**{**given, **options}))


def assert_profile(
    profile: dict[str, Any],
    judge: str | None = None,
    *,
    min_r: float,
    min_s: float | None = None,
) -> None:
    """Fail the test unless the judge (or every judge) is good enough.

    Args:
        profile: From `judge_profile`.
        judge: One judge; all where None.
        min_r: Smallest R.
        min_s: Smallest S at which R is read; the profile's floor where None.

    Raises:
        AssertionError: A judge is short, or a control judge missed; it says where each stands.
    """
    __tracebackhide__ = True
    from judgeprobe.profile.check import check_profile

    results = check_profile(
        profile, min_s=min_s, min_r=min_r, judges=() if judge is None else (judge,)
    )
    short = [result.message for result in results if not result.passed]
    if short:
        raise AssertionError("\n".join(short))


@pytest.fixture(scope="session")
def judge_profile(request: pytest.FixtureRequest) -> Callable[..., dict[str, Any]]:
    """Reads a profile: `judge_profile()` or `judge_profile(path)`."""
    root = request.config.rootpath
    named = request.config.getoption("--judgeprobe-study") or request.config.getini(
        "judgeprobe_study"
    )

    def read(path: Path | str | None = None, **options: Any) -> dict[str, Any]:
        wanted = named if path is None else path
        if not wanted:
            pytest.fail("name a study: judgeprobe_study in the settings, or judge_profile(path)")
        return load_profile(root / wanted, **options)

    return read


@pytest.fixture(scope="session", name="assert_profile")
def assert_profile_fixture() -> Callable[..., None]:
    """The function `assert_profile`, for tests that import nothing."""
    return assert_profile
