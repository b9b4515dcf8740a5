"""What is asked of `audit errors`: which columns, and how?"""

from dataclasses import dataclass, field

from judgeprobe.audit.covariates import Ready
from judgeprobe.tables import Way

__all__ = ["ErrorColumns", "ErrorSettings"]


@dataclass(frozen=True)
class ErrorColumns:
    """Which column holds what.

    Attributes:
        judge: The judge's grade.
        gold: People's label of the same row, empty where there is none.
        covariates: Columns, and ready covariates with a leading @.
        cluster: Group whose rows are not independent.
        by: Segment.
        baseline_judge: The judge's grade of another system on the same row; the segments then
            compare the two (judge minus baseline).
        baseline_gold: People's label of that other system.
        ready: What the ready covariates read.
    """

    judge: str
    gold: str
    covariates: tuple[str, ...] = ()
    cluster: str | None = None
    by: str | None = None
    baseline_judge: str | None = None
    baseline_gold: str | None = None
    ready: Ready = field(default_factory=Ready)

    @property
    def labels(self) -> list[str]:
        """Columns that people filled in."""
        return [name for name in (self.gold, self.baseline_gold) if name is not None]

    @property
    def others(self) -> list[str]:
        """Every other column that is read."""
        plain = [name for name in self.covariates if not name.startswith("@")]
        named = (self.judge, self.baseline_judge, self.cluster, self.by)
        return [*(n for n in named if n is not None), *plain, *self.ready.columns]


@dataclass(frozen=True)
class ErrorSettings:
    """How the audit is run.

    Attributes:
        level: Nominal coverage, 0 to 1.
        correction: "holm", "bh" or "none", over covariates and over segments.
        min_gold: Labels that a segment needs to be corrected.
        null: Value that a segment's corrected mean is tested against; None tests the judge's error
            (of a comparison: 0).
        way: "memory", "stream" (any number of rows; numbers and ready covariates of a row's own
            text, no segments), or "auto": in a stream where the table has more than
            `tables.STREAM_ROWS` rows and nothing asked needs all of them.
    """

    level: float = 0.95
    correction: str = "holm"
    min_gold: int = 20
    null: float | None = None
    way: Way = "auto"
