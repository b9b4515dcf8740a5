"""Stage `profile`: grades -> frontier, operating point, intervals, nulls."""

from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.run import make_profile
from judgeprobe.profile.sources import options_of
from judgeprobe.profile.stage import STREAM_ROWS, Way, profile_pairs, profile_study, way_of

__all__ = [
    "STREAM_ROWS",
    "ProfileOptions",
    "Way",
    "make_profile",
    "options_of",
    "profile_pairs",
    "profile_study",
    "way_of",
]
