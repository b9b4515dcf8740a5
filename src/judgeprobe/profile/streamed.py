"""What does a profile tell of a table of pairs that does not fit into memory?

The same as of one in memory, to the last decimals that profile.json holds: every estimate, frontier
and interval is made of sums over base items, under the same resamples. What needs all rows at hand
at once is named in `needs_rows` and is null: the permutation test of the contrast, and the length
controls.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from judgeprobe.profile.assemble import NEEDS_ROWS, Facts, assemble, compared_of
from judgeprobe.profile.block_reading import read_blocks
from judgeprobe.profile.block_sums import sum_blocks
from judgeprobe.profile.fixed import make_groups
from judgeprobe.profile.lengths import NO_LENGTHS
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.remedies import with_remedies
from judgeprobe.stats.arrays import Ints
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.tables import PairBlocks, PairTable, pairs_in_blocks
from judgeprobe.taxonomy import Taxonomy

__all__ = ["facts_of_blocks", "streamed_profile"]

_PERMUTED = (
    "gap.permutation_p",
    "gap.largest_null",
    "judges[].gap.permutation_p",
    "judges[].gap.adjusted_p",
)


def streamed_profile(
    path: Path,
    taxonomy: Taxonomy,
    options: ProfileOptions,
    *,
    direction: str,
    direction_source: str,
    made_under: Mapping[str, str],
    shares: int | None = None,
) -> dict[str, Any]:
    """The profile of a table of graded pairs, read in parts.

    Args:
        path: A file, or a folder of files.
        taxonomy: Names its slots.
        options: Settings; permutations are not made.
        direction: "human", "construction", or "not stated".
        direction_source: Who set the direction.
        made_under: Hashes of what it rests on.
        shares: Number of parts; None for one per 1.5 million rows.

    Raises:
        InputError: The file cannot be read, no row can be used, or no pair is in either arm.
        StorageError: The folder for temporary files is full.
    """
    with pairs_in_blocks(path, taxonomy, options.scale, shares=shares) as blocks:
        facts = facts_of_blocks(blocks, options)
    return assemble(
        facts,
        options,
        study=path.name,
        direction=direction,
        direction_source=direction_source,
        made_under=made_under,
    )


def facts_of_blocks(blocks: PairBlocks, options: ProfileOptions) -> Facts:
    """What the profile of a table in blocks tells; see `streamed_profile`.

    Raises:
        InputError: No pair is in either arm.
    """

    def tables(most: int | None = None) -> Iterator[tuple[PairTable, Ints]]:
        for table, places in blocks.tables(most):
            yield with_remedies(table, options.ensembles, {}), places

    header = with_remedies(blocks.header, options.ensembles, {})
    read = read_blocks(tables, header, options)
    count = options.sized(blocks.n_base)[0]
    # The second is the permutations', which are not made.
    boot, _ = np.random.default_rng(options.seed).spawn(2)
    resamples = Resamples.draw(blocks.n_base, count, boot)
    groups = make_groups(blocks.slot_axis, blocks.domains, len(header.axes))
    sums = sum_blocks(tables, blocks, read, groups, header.remedies, resamples, options)
    fixed = sums.fixed()
    compared = compared_of(read.readings, fixed, header.remedies)
    real = [reading for reading in read.readings if reading.control is None]
    spread = sums.spread()
    unanimous = None
    if blocks.unanimous_known and len(header.axes) >= 2:
        unanimous = sums.unanimous(compared)
    missing = () if spread is None else _PERMUTED
    lengths: dict[str, Any] = {"known": 0, "reason": NO_LENGTHS}
    if blocks.lengths_known:
        lengths = {"known": blocks.lengths_known, "reason": NEEDS_ROWS}
        missing = (*missing, "lengths")
    return Facts(
        table=header,
        n_base=blocks.n_base,
        n_pairs=sums.n_pairs,
        n_apart=0,
        readings=read.readings,
        fixed=fixed,
        figures={r.name: sums.figures(r.row, header.axes) for r in real},
        ungraded={r.name: n for r, n in zip(read.readings, read.ungraded, strict=True)},
        spread=spread,
        unanimous=unanimous,
        lengths=lengths,
        resamples=count,
        permutations=0,
        needs_rows=missing,
    )
