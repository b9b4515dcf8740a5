"""Ratings of two responses in two arms, from a latent value cut to a scale."""

from collections.abc import Sequence

import numpy as np

from judgeprobe.stats.bounded_cells import Bounds, Cells, make_cells

SCALE = Bounds(1, 5)


def cells_of(
    table: Sequence[Sequence[Sequence[int]]], cluster: Sequence[int] | None = None
) -> Cells:
    """Cells from ratings[item][2 * response + arm]: a list of ratings each."""
    rows = [
        (item, code // 2, code % 2, rating)
        for item, cells in enumerate(table)
        for code, ratings in enumerate(cells)
        for rating in ratings
    ]
    item, response, arm, rating = np.array(rows).T
    groups = np.arange(len(table)) if cluster is None else np.asarray(cluster)
    return make_cells(item, response, arm, rating.astype(float), groups, SCALE, n_arms=2)


def drawn_cells(
    rng: np.random.Generator,
    *,
    positive: float,
    other: float,
    fall: float = 0.0,
    preference: float = 0.0,
    items: int = 30,
    per_cluster: int = 2,
    repeats: int = 3,
    spread: float = 0.4,
) -> Cells:
    """A simulated audit: a common latent fall under treatment, and a true preference if any."""
    latent = np.array([positive, other]) + rng.normal(0, spread, (items, 2))
    arms = np.stack([latent, latent - fall + np.array([preference, 0.0])], axis=2)
    shown = arms[..., None] + rng.normal(0, 0.3, (items, 2, 2, repeats))
    rating = SCALE.lattice(shown)
    item, response, arm, _ = np.indices(rating.shape)
    return make_cells(
        item.ravel(), response.ravel(), arm.ravel(), rating.ravel(),
        np.arange(items) // per_cluster, SCALE, n_arms=2,
    )  # fmt: skip
