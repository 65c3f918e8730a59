"""Ranges of numbers: the value at a share of a range, evenly or evenly in its logarithm."""

from math import floor, log10

DIGITS = 5  # of a range: no finer, so that what is found is short enough to be pasted
Range = tuple[float, float]


def stretch(ends: Range, scale: str, share: float) -> float:
    """The value at a share of the range."""
    low, high = ends
    if scale == "log":
        return float(low * (high / low) ** share)
    return low + (high - low) * share


def squeeze(ends: Range, scale: str, value: float) -> float:
    """The share of the range at which a value lies."""
    low, high = ends
    if scale == "log":
        return log10(value / low) / log10(high / low)
    return (value - low) / (high - low)


def round_value(ends: Range, scale: str, value: float) -> float:
    """The value with as many digits as its range is worth, inside of it."""
    low, high = ends
    size = value if scale == "log" else high - low
    rounded = round(value, DIGITS - floor(log10(size)))
    return min(max(rounded, low), high) + 0.0  # no negative zero


def round_number(value: float) -> float:
    """A number of no range, as short."""
    return float(f"{value:.{DIGITS + 1}g}")
