"""Records to arrays and frames: the only bridge between records and `stats`."""

from judgeprobe.tables.pair_blocks import PairBlocks, Regrades, pairs_in_blocks
from judgeprobe.tables.pairs import Exclusion, PairTable
from judgeprobe.tables.pairs_file import pairs_from_file
from judgeprobe.tables.part_files import STREAM_ROWS, Way, about_rows, table_hash, way_of
from judgeprobe.tables.study_pairs import in_table_order, pairs_from_study, repeated_grades

__all__ = [
    "STREAM_ROWS",
    "Exclusion",
    "PairBlocks",
    "PairTable",
    "Regrades",
    "Way",
    "about_rows",
    "in_table_order",
    "pairs_from_file",
    "pairs_from_study",
    "pairs_in_blocks",
    "repeated_grades",
    "table_hash",
    "way_of",
]
