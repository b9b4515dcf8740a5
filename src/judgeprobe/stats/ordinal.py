"""What would an ordinal model with explicit thresholds make of the same ratings?

A cumulative (ordered probit) model: a latent quality is cut by thresholds into the ratings seen, so
that a rating at a bound says only that the latent value lies beyond the last threshold. The latent
difference in differences is the coefficient of treated x positive. It rests on the model's own
assumptions: normal latent errors, thresholds and spread that are the same for both responses and
arms, no effect of items. It is a companion to the diagnosis, not a correction of the endpoint.

Source: bounded-scale-audit ("a latent-variable model that handles censoring and ordinal thresholds
explicitly ... would then lean on its own assumptions"); McCullagh 1980; fitted by statsmodels.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from statsmodels.miscmodels.ordinal_model import OrderedModel

from judgeprobe.stats.bounded_cells import CONTROL, POSITIVE, TREATED, Cells
from judgeprobe.stats.checks import probability

__all__ = ["ASSUMPTIONS", "Ordinal", "ordinal_companion"]

ASSUMPTIONS = (
    "normal latent errors",
    "the same thresholds and latent spread for both responses and both arms",
    "no effect of items; ratings of one cluster may go together",
)


@dataclass(frozen=True)
class Ordinal:
    """The latent difference in differences of an ordered probit.

    Attributes:
        interaction: Treated x positive, in latent standard deviations; None where not fitted.
        std_error: Its cluster-robust standard error.
        low: Lower end of the normal interval.
        high: Upper end.
        p: Two-sided p-value.
        treated: The common shift, in latent standard deviations.
        n: Ratings.
        at_bound: Ratings at a bound, which the model takes as censored there.
        assumptions: What the result rests on.
        reason: Why it is missing; "" where it is not.
    """

    interaction: float | None
    std_error: float | None
    low: float | None
    high: float | None
    p: float | None
    treated: float | None
    n: int
    at_bound: int
    assumptions: tuple[str, ...]
    reason: str


def ordinal_companion(cells: Cells, *, level: float = 0.95) -> Ordinal:
    """Fit the ordered probit to the control and treated ratings.

    Where a level is never seen, or the fit does not converge or has no standard error (a response
    wholly at a bound separates the data), the result is missing with the reason.

    Args:
        cells: The ratings.
        level: Nominal coverage of the interval, 0 to 1.

    Raises:
        StatisticsError: `level` is not between 0 and 1.
    """
    probability("level", level)
    kept = cells.arm <= TREATED
    ratings = cells.rating[kept]
    positive = (cells.response[kept] == POSITIVE).astype(np.float64)
    treated = (cells.arm[kept] != CONTROL).astype(np.float64)
    design = np.column_stack([positive, treated, positive * treated])
    cluster = cells.cluster[cells.item[kept]]
    ends = (cells.scale.low, cells.scale.high)
    at_bound = int(np.isin(ratings, ends).sum())

    def missing(reason: str) -> Ordinal:
        return Ordinal(
            None, None, None, None, None, None, len(ratings), at_bound, ASSUMPTIONS, reason
        )

    levels = np.unique(ratings, return_inverse=True)[1]
    if levels.max() < 1:
        return missing("every rating is the same")
    if len(np.unique(cluster)) < 2:
        return missing("one cluster: no standard error")
    for response, arm in ((r, a) for r in (0.0, 1.0) for a in (0.0, 1.0)):
        some = ratings[(positive == response) & (treated == arm)]
        if np.ptp(some) == 0 and some[0] in ends:
            return missing("a response is wholly at a bound in an arm: the shift has no estimate")
    with warnings.catch_warnings(record=True), np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            fit = OrderedModel(levels, design, distr="probit").fit(
                method="bfgs", disp=False, maxiter=500, cov_type="cluster",
                cov_kwds={"groups": cluster},
            )  # fmt: skip
        except (np.linalg.LinAlgError, ValueError) as error:
            return missing(f"the fit failed ({error})")
        effect, spread = float(fit.params[2]), float(fit.bse[2])
    if not fit.mle_retvals["converged"]:
        return missing("the fit did not converge")
    if not np.isfinite([effect, spread]).all() or spread <= 0 or abs(effect) > 50:
        return missing("the interaction has no finite estimate: a response is separated by an arm")
    reach = float(norm.ppf((1 + level) / 2)) * spread
    return Ordinal(
        effect, spread, effect - reach, effect + reach, float(2 * norm.sf(abs(effect) / spread)),
        float(fit.params[1]), len(ratings), at_bound, ASSUMPTIONS, "",
    )  # fmt: skip
