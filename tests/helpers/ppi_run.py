"""What does ppi-python say of the same draws? Run by a Python that has it: ppi_run.py FILE.npz

FILE holds f0, y0, f1, y1, ...: the judge's grades and people's labels (NaN where there is none) of
each draw. Prints one JSON list of [estimate, low, high] at 95 percent. ppi-python is no dependency
of the tests (it needs numba and gdown for one formula): tests/stats/test_segments_ppi.py.
"""

import json
import sys

import numpy as np


def main(path: str) -> None:
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    drawn = np.load(path)
    told = []
    for place in range(len(drawn.files) // 2):
        f, y = drawn[f"f{place}"], drawn[f"y{place}"]
        known = ~np.isnan(y)
        parts = (y[known], f[known], f[~known])
        low, high = ppi_mean_ci(*parts, alpha=0.05)
        told.append([float(np.squeeze(end)) for end in (ppi_mean_pointestimate(*parts), low, high)])
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1])
