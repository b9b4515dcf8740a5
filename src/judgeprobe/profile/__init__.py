"""Stage `profile`: grades -> frontier, operating point, intervals, nulls."""

from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.run import make_profile
from judgeprobe.profile.sources import options_of
from judgeprobe.profile.stage import profile_pairs, profile_study

__all__ = [
    "ProfileOptions",
    "make_profile",
    "options_of",
    "profile_pairs",
    "profile_study",
]
