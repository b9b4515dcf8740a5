"""What can be released of a study, so that others reproduce its profile and identify nobody?

`make_bundle` gathers the files in memory, refuses what must not leave, and checks the result as a
reader would; `write_bundle` writes them as one zip file or folder; `check_bundle` names what was
changed since; `opened` gives a reader a study folder.
"""

from judgeprobe.bundle.archive import FOUND_IN, is_bundle, opened, write_bundle
from judgeprobe.bundle.labels import GivenLabel
from judgeprobe.bundle.make import Bundle, make_bundle
from judgeprobe.bundle.verify import Problem, check_bundle

__all__ = [
    "FOUND_IN",
    "Bundle",
    "GivenLabel",
    "Problem",
    "check_bundle",
    "is_bundle",
    "make_bundle",
    "opened",
    "write_bundle",
]
