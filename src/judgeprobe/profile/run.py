"""What does a profile tell of a table of pairs that is in memory?

Everything is computed from all pairs at once; `streamed` does the same from one part of the pairs
after the other, and `assemble` writes down either.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from judgeprobe.errors import InputError, StatisticsError
from judgeprobe.profile.assemble import Facts, assemble, compared_of
from judgeprobe.profile.contrast import spread_of, subset_gap, with_gap
from judgeprobe.profile.figures import figures_of
from judgeprobe.profile.fixed import Fixed, groups_of, make_fixed
from judgeprobe.profile.lengths import length_controls
from judgeprobe.profile.options import ProfileOptions
from judgeprobe.profile.reading import NO_ARM, read_judges
from judgeprobe.stats.arrays import Design, Ints
from judgeprobe.stats.bootstrap import Resamples
from judgeprobe.tables import PairTable

__all__ = ["facts_of", "make_profile"]


def make_profile(
    table: PairTable,
    options: ProfileOptions,
    *,
    study: str,
    direction: str,
    direction_source: str,
    made_under: Mapping[str, str],
) -> dict[str, Any]:
    """The profile of a table of pairs, as profile.json holds it.

    Args:
        table: Pairs and grades.
        options: Settings.
        study: Name shown.
        direction: "human", "construction", or "not stated".
        direction_source: Who set the direction.
        made_under: Hashes of what it rests on.

    Raises:
        InputError: No pair is in either arm.
    """
    return assemble(
        facts_of(table, options),
        options,
        study=study,
        direction=direction,
        direction_source=direction_source,
        made_under=made_under,
    )


def facts_of(table: PairTable, options: ProfileOptions) -> Facts:
    """What the profile of a table tells; see `make_profile`.

    Raises:
        InputError: No pair is in either arm.
    """
    try:
        design, kept = table.design()
    except StatisticsError:
        raise InputError(NO_ARM, remedy="check the slots") from None
    n_resamples, n_permutations = options.sized(design.n_base)
    boot, permute = np.random.default_rng(options.seed).spawn(2)
    groups, members = groups_of(table, design, kept)
    readings = read_judges(table, design, kept, options)
    resamples = Resamples.draw(design.n_base, n_resamples, boot)
    pointed = [reading for reading in readings if reading.cut is not None]
    fixed = {
        one.reading.name: one for one in make_fixed(design, groups, members, pointed, resamples)
    }
    real = [reading for reading in readings if reading.control is None]
    compared = compared_of(readings, fixed, table.remedies)
    contrasted = with_gap(compared)
    return Facts(
        table=table,
        n_base=design.n_base,
        n_pairs=members.sum(axis=1),
        n_apart=int(table.apart.sum()),
        readings=readings,
        fixed=fixed,
        figures={r.name: figures_of(table, design, kept, r, resamples, options) for r in real},
        ungraded={
            r.name: int((table.asked[r.row] & ~r.crossed_all.graded).sum()) for r in readings
        },
        spread=spread_of(design, contrasted, resamples, options, permute) if contrasted else None,
        unanimous=_unanimous(table, design, kept, compared, resamples, options),
        lengths=length_controls(table, design, kept, real, compared, resamples, options),
        resamples=n_resamples,
        permutations=n_permutations,
    )


def _unanimous(
    table: PairTable,
    design: Design,
    kept: Ints,
    compared: Sequence[Fixed],
    resamples: Resamples,
    options: ProfileOptions,
) -> dict[str, Any] | None:
    """The contrast on the pairs whose direction every annotator set alike; None where not known."""
    agreed = table.unanimous[kept]
    if (agreed < 0).all() or len(table.axes) < 2:
        return None
    return subset_gap(design, compared, agreed == 1, resamples, options.level)
