"""What does a profile depend on, beside the pairs?"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from judgeprobe.records import Scale
from judgeprobe.stats.frontier import Rule

__all__ = ["DEFAULT", "MANY", "ProfileOptions"]

DEFAULT = 10_000
MANY = 50_000


@dataclass(frozen=True)
class ProfileOptions:
    """Settings of a profile.

    Attributes:
        floor: Smallest S at which R is read, 0 to 1.
        rule: "cut" or "shift".
        scale: The grading scale; control judges are read at its midpoint.
        usable_share: Smallest share of a judge's texts that makes a grade usable.
        level: Nominal coverage of every interval.
        resamples: Bootstrap resamples; None for `DEFAULT`, or 1,000 above `MANY` base items, where
            the intervals are narrow and the work is not.
        permutations: Permutations of the axis labels; None for `DEFAULT`, or 999 above `MANY`.
        seed: Seed of every draw.
        groupings: Alternative groupings of slots: name -> slot -> group.
        ensembles: Ensembles: name -> names of the judges in it.
        adjust: "bh" (false discovery rate) or "holm" (family-wise error), over many rows.
        matched: Values of S at which judges are compared.
    """

    floor: float
    scale: Scale
    rule: Rule = "cut"
    usable_share: float = 0.01
    level: float = 0.95
    resamples: int | None = None
    permutations: int | None = None
    seed: int = 0
    groupings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ensembles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    adjust: str = "bh"
    matched: tuple[float, ...] = (0.80, 0.85, 0.90, 0.95, 0.99)

    def sized(self, n_base: int) -> tuple[int, int]:
        """Resamples and permutations for a table of so many base items."""
        many = n_base > MANY
        resamples = (1_000 if many else DEFAULT) if self.resamples is None else self.resamples
        if self.permutations is None:
            return resamples, 999 if many else DEFAULT
        return resamples, self.permutations
