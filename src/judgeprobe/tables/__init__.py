"""Records to arrays and frames: the only bridge between records and `stats`."""

from judgeprobe.tables.pairs import Exclusion, PairTable
from judgeprobe.tables.pairs_file import pairs_from_file
from judgeprobe.tables.study_pairs import in_table_order, pairs_from_study, repeated_grades

__all__ = [
    "Exclusion",
    "PairTable",
    "in_table_order",
    "pairs_from_file",
    "pairs_from_study",
    "repeated_grades",
]
