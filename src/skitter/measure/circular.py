"""Statistics of phases, in cycles: 0.9 and 0.1 are a fifth apart and their mean is 0."""

import numpy as np

RESULTANT_MIN = 1e-16  # below it is only rounding; keeps the spread of opposed phases finite


def wrap(phase: np.ndarray) -> np.ndarray:
    """The same phases within (-0.5, 0.5]."""
    return phase - np.ceil(phase - 0.5)


def compute_resultant(phase: np.ndarray) -> complex:
    """The mean of the phases as points of the unit circle; nan of none. Unknown ones are nan."""
    known = phase[np.isfinite(phase)]
    return complex(np.exp(2j * np.pi * known).mean()) if len(known) else complex(np.nan, np.nan)


def compute_mean(phase: np.ndarray) -> float:
    """In (-0.5, 0.5]."""
    return float(wrap(np.asarray(np.angle(compute_resultant(phase)) / (2 * np.pi))))


def compute_spread(phase: np.ndarray) -> float:
    """Circular standard deviation, cycles; nan of fewer than two phases."""
    if np.isfinite(phase).sum() < 2:
        return np.nan
    return float(spread_of_resultant(np.abs(compute_resultant(phase))))


def spread_of_resultant(length: np.ndarray | float) -> np.ndarray:
    """sqrt(-2 ln R) / 2 pi, which for a narrow spread is the ordinary standard deviation."""
    inside = np.clip(length, RESULTANT_MIN, 1.0)
    return np.sqrt(2 * np.abs(np.log(inside))) / (2 * np.pi)
