"""What can the residualization audit not see? Models in which the truth is known.

The label is the sign of a latent construct c; the score is s = c + beta * a + noise, where the
artifact a is a function of the features. In the Gaussian model a is linear in the features and
correlates with c by rho: beyond a crossing the adjustment damages the score while every gate is
passed and the slice gain is positive. The other models break linearity, completeness and the label.

Source: residualization-audit, section 6.2 and appendices V.1 to V.3. The number of features, the
noise and how features carry the artifact are not stated there; they are ours.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judgeprobe.errors import StatisticsError

__all__ = [
    "ControlledModel",
    "Noise",
    "Shape",
    "controlled_model",
    "decision",
    "noisy_labels",
    "two_artifacts",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Shape = Literal["linear", "quadratic", "xor", "piecewise"]
Noise = Literal["symmetric", "class_dependent", "score_correlated", "artifact_directed"]


@dataclass(frozen=True)
class ControlledModel:
    """One draw.

    Attributes:
        scores: s, shape (n,).
        labels: 1 where the construct is positive, shape (n,).
        features: phi, shape (n, p).
        construct: c, shape (n,).
        artifact: a, shape (n,); with two artifacts their weighted sum.
        artifacts: Each artifact alone, shape (k, n).
    """

    scores: FloatArray
    labels: IntArray
    features: FloatArray
    construct: FloatArray
    artifact: FloatArray
    artifacts: FloatArray

    @property
    def declared_slice(self) -> NDArray[np.bool_]:
        """Rows where the artifact's decision contradicts the label."""
        return np.asarray(decision(self.artifact) != (self.labels == 1))


def decision(artifact: FloatArray) -> NDArray[np.bool_]:
    """Which rows an artifact marks: those above its median, or at it where none is above."""
    median = np.median(artifact)
    above = artifact > median
    return np.asarray(above if above.any() else artifact >= median)


def controlled_model(
    rng: np.random.Generator,
    *,
    n: int = 4000,
    rho: float = 0.0,
    beta: float = 1.2,
    noise: float = 0.3,
    shape: Shape = "linear",
    n_features: int = 8,
) -> ControlledModel:
    """One construct and one artifact.

    Args:
        rng: Source of the draw.
        n: Rows.
        rho: Correlation of construct and artifact, -1 to 1; linear shape only.
        beta: Loading of the score on the artifact.
        noise: SD of the score's noise.
        shape: How the artifact comes from the features: w'phi; (w'phi)^2; the product of two
            signs; or v'phi where the first feature is positive, else 0.
        n_features: Columns of phi, at least 2.

    Raises:
        StatisticsError: rho is given with another shape than linear, or is out of range.
    """
    if not -1 < rho < 1:
        raise StatisticsError(f"`rho` must lie between -1 and 1; got {rho}")
    if rho and shape != "linear":
        raise StatisticsError("a correlated artifact is defined for the linear shape only")
    construct = rng.normal(size=n)
    features = rng.normal(size=(n, n_features))
    weights = rng.normal(size=n_features)
    weights /= np.linalg.norm(weights)
    if shape == "linear":
        artifact = rho * construct + np.sqrt(1 - rho**2) * rng.normal(size=n)
        # Move each row along w only, so that w'phi is the artifact and the rest stays noise.
        features += np.outer(artifact - features @ weights, weights)
    else:
        artifact = _artifact(features, weights, shape)
    scores = construct + beta * artifact + noise * rng.normal(size=n)
    labels = (construct > 0).astype(np.int64)
    return ControlledModel(scores, labels, features, construct, artifact, artifact[None, :])


def _artifact(features: FloatArray, weights: FloatArray, shape: Shape) -> FloatArray:
    if shape == "quadratic":
        return np.asarray((features @ weights) ** 2)
    if shape == "xor":
        return np.asarray(np.sign(features[:, 0]) * np.sign(features[:, 1]))
    return np.asarray((features[:, 0] > 0) * (features @ weights))


def two_artifacts(
    rng: np.random.Generator,
    *,
    n: int = 4000,
    second: Literal["measured", "missing", "xor"] = "measured",
    noise: float = 0.3,
    n_features: int = 4,
) -> ControlledModel:
    """Two independent channels: s = c + 1.0 a_A + 0.8 a_B + noise.

    Args:
        rng: Source of the draw.
        n: Rows.
        second: Whether the second channel's features are in phi ("measured"), are not ("missing"),
            or are and carry it as a product of signs ("xor").
        noise: SD of the score's noise.
        n_features: Features of each channel.
    """
    construct = rng.normal(size=n)
    blocks = rng.normal(size=(2, n, n_features))
    weights = rng.normal(size=(2, n_features))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    first = blocks[0] @ weights[0]
    other = blocks[1] @ weights[1]
    if second == "xor":
        other = np.sign(blocks[1, :, 0]) * np.sign(blocks[1, :, 1])
    artifact = first + 0.8 * other
    scores = construct + artifact + noise * rng.normal(size=n)
    features = blocks[0] if second == "missing" else np.hstack([blocks[0], blocks[1]])
    labels = (construct > 0).astype(np.int64)
    return ControlledModel(scores, labels, features, construct, artifact, np.stack([first, other]))


def noisy_labels(
    model: ControlledModel, kind: Noise, rate: float, rng: np.random.Generator
) -> IntArray:
    """Labels with a given share of errors of one kind, shape (n,).

    "symmetric": any row. "class_dependent": positives three times as often as negatives.
    "score_correlated": rows whose score contradicts the label first. "artifact_directed": rows
    whose artifact agrees with the label, the stronger the artifact the sooner.

    Args:
        model: The draw.
        kind: Where errors fall.
        rate: Overall share of flipped labels, 0 to 1/2.
        rng: Source of randomness.

    Raises:
        StatisticsError: The rate is out of range.
    """
    if not 0 <= rate <= 0.5:
        raise StatisticsError(f"`rate` must be from 0 to 0.5; got {rate}")
    sign = 2 * model.labels - 1
    if kind == "symmetric":
        weights = np.ones(len(sign))
    elif kind == "class_dependent":
        weights = np.where(model.labels == 1, 3.0, 1.0)
    elif kind == "score_correlated":
        centred = model.scores - np.median(model.scores)
        weights = np.exp(-sign * centred / centred.std())
    else:
        centred = model.artifact - np.median(model.artifact)
        weights = np.maximum(sign * centred / centred.std(), 0) + 1e-9
    flips = rng.choice(
        len(sign), size=round(rate * len(sign)), replace=False, p=weights / weights.sum()
    )
    labels = model.labels.copy()
    labels[flips] = 1 - labels[flips]
    return labels
