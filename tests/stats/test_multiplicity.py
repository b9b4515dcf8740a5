import numpy as np
import pytest
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from judgeprobe.errors import StatisticsError
from judgeprobe.stats.multiplicity import adjusted


@pytest.mark.parametrize("seed", range(20))
def test_both_procedures_equal_statsmodels_and_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.uniform(size=rng.integers(1, 30)) ** 2
    p[:: max(1, seed)] = p[0]
    np.testing.assert_allclose(
        adjusted(list(p), "bh"), multipletests(p, method="fdr_bh")[1], atol=1e-14
    )
    np.testing.assert_allclose(adjusted(list(p), "bh"), false_discovery_control(p), atol=1e-14)
    np.testing.assert_allclose(
        adjusted(list(p), "holm"), multipletests(p, method="holm")[1], atol=1e-14
    )


@pytest.mark.parametrize(
    ("p", "method", "told"),
    [([0.1, 1.2], "bh", "probabilities"), ([0.1], "tukey", "bh, holm"), ([], "bh", "`p`")],
)
def test_what_is_no_table_of_p_values_is_refused(p: list[float], method: str, told: str) -> None:
    with pytest.raises(StatisticsError, match=told):
        adjusted(p, method)
