"""The least costly way to swim at each speed (Fang 2015 appendix C, figure C.5).

Between the points of a grid speed and the logarithm of the power are taken as bilinear. Along the
contour of a speed, the stroke with the lowest power is the best. Where that lies at the end of the
swept range, a wider one would have found a better, for this speed and likely for those beyond it:
what counts is the longest run of speeds between such ones.
"""

from dataclasses import dataclass

import numpy as np

from skitter.study.swim.sweep import Sweep

LINES = 4  # for each that was swept
LEVELS = 40  # speeds that are looked at
HIGHEST = 0.98  # of the greatest speed: above, a contour is shorter than the grid can tell
LOWEST = 0.1  # of the greatest speed
MINUTE = 1e-9


@dataclass(frozen=True)
class Best:
    """The best strokes; arrays [speed]."""

    speed: np.ndarray  # cm/s
    frequency: np.ndarray  # Hz
    phase_deg: np.ndarray
    power: np.ndarray  # erg/s
    border: np.ndarray  # bool, whether it lies at the end of a swept range

    @property
    def inside(self) -> slice:
        """The longest run of speeds whose best strokes lie inside the swept ranges."""
        ends = np.flatnonzero(np.concatenate([[True], self.border, [True]]))
        longest = int(np.argmax(np.diff(ends)))
        return slice(int(ends[longest]), int(ends[longest + 1]) - 1)


@dataclass(frozen=True)
class Regression:
    """Polynomials a + b v + c v², and how well they fit."""

    speed: tuple[float, float]  # cm/s, from where to where they hold
    frequency: np.ndarray
    phase_deg: np.ndarray
    power: np.ndarray  # with equal weight to relative errors, or slow ones would cost less than 0
    power_fit: float  # R² of a quadratic, fitted plainly
    power_exponent: float  # of a power law, P ~ v^n
    speed_error: float  # largest difference of the speed from what was asked, relative


@dataclass(frozen=True)
class Surface:
    """Speed and the logarithm of power over a finer grid: [frequency, phase]."""

    frequency: np.ndarray
    phase_deg: np.ndarray
    speed: np.ndarray
    log_power: np.ndarray


def refine(sweep: Sweep) -> Surface:
    """Lines between those that were swept, both ways."""
    axes = (sweep.frequency, sweep.phase_deg)
    counts = [LINES * (len(axis) - 1) + 1 for axis in axes]
    hertz, degrees = (
        np.linspace(axis[0], axis[-1], n) for axis, n in zip(axes, counts, strict=True)
    )
    logs = np.log(np.maximum(sweep.power, MINUTE))
    at = (hertz[:, None], degrees[None])
    speed, log_power = (interpolate(sweep, values, *at) for values in (sweep.speed, logs))
    return Surface(hertz, degrees, speed, log_power)


def find_contour(surface: Surface, speed: float) -> np.ndarray:
    """Strokes of one speed [n, 3]: Hz, degrees, erg/s; where it crosses lines of one frequency and
    of one phase shift, as a contour may run along either."""
    axes = np.meshgrid(surface.frequency, surface.phase_deg, indexing="ij")
    fields = np.stack([*axes, surface.log_power])
    over = surface.speed - speed
    rows = [cross(over, fields), cross(over.T, fields.transpose(0, 2, 1))]
    found = np.concatenate(rows, axis=1).T
    found[:, 2] = np.exp(found[:, 2])
    return found


def cross(over: np.ndarray, fields: np.ndarray) -> np.ndarray:
    """Fields [field, n] where a function [line, place] is zero between two places of a line."""
    line, place = np.nonzero((over[:, :-1] >= 0) != (over[:, 1:] >= 0))
    left, right = over[line, place], over[line, place + 1]
    share = left / (left - right)
    return np.asarray((1 - share) * fields[:, line, place] + share * fields[:, line, place + 1])


def find_best(sweep: Sweep) -> Best:
    """The best stroke for each of many speeds."""
    surface = refine(sweep)
    levels = np.linspace(LOWEST, HIGHEST, LEVELS) * sweep.speed.max()
    speeds, rows = [], []
    for speed in levels:
        contour = find_contour(surface, speed)
        if len(contour):
            speeds.append(speed)
            rows.append(contour[np.argmin(contour[:, 2])])
    found = np.array(rows)
    frequency, phase_deg, power = found.T
    return Best(np.array(speeds), frequency, phase_deg, power, find_border(sweep, found))


def find_border(sweep: Sweep, strokes: np.ndarray) -> np.ndarray:
    """Which strokes lie within half a grid's step of the end of a swept range."""
    border = np.zeros(len(strokes), bool)
    for column, axis in enumerate((sweep.frequency, sweep.phase_deg)):
        near = 0.5 * (axis[1] - axis[0])
        border |= (strokes[:, column] < axis[0] + near) | (strokes[:, column] > axis[-1] - near)
    return border


def fit_quadratic(x: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """a, b, c of a + b x + c x²."""
    return np.asarray(np.polyfit(x, y, 2, w=weight)[::-1])


def evaluate(coefficients: np.ndarray, x: np.ndarray) -> np.ndarray:
    """a + b x + c x² of coefficients a, b, c."""
    return np.asarray(np.polyval(np.asarray(coefficients)[::-1], x))


def explain(y: np.ndarray, fitted: np.ndarray) -> float:
    """R²: the share of the variance that a fit explains."""
    return float(1 - ((y - fitted) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def regress(sweep: Sweep, best: Best) -> Regression:
    """Polynomials through the longest run of best strokes inside the swept ranges.

    Power hardly changes along a contour near its lowest point, so the best frequency is uncertain;
    its polynomial comes first, and that of the phase then goes through the strokes which, at that
    frequency, have the speed that was asked for.
    """
    run = best.inside
    speed, power = best.speed[run], best.power[run]
    if len(speed) < 4:
        raise ValueError("too few of the best strokes lie inside the swept ranges")
    frequency = fit_quadratic(speed, best.frequency[run])
    chosen = evaluate(frequency, speed)
    phase = [
        find_phase(sweep, v, f, near)
        for v, f, near in zip(speed, chosen, best.phase_deg[run], strict=True)
    ]
    phase_deg = fit_quadratic(speed, np.array(phase))
    reached = interpolate(sweep, sweep.speed, chosen, evaluate(phase_deg, speed))
    return Regression(
        speed=(float(speed[0]), float(speed[-1])),
        frequency=frequency,
        phase_deg=phase_deg,
        power=fit_quadratic(speed, power, 1 / power),
        power_fit=explain(power, evaluate(fit_quadratic(speed, power), speed)),
        power_exponent=float(np.polyfit(np.log(speed), np.log(power), 1)[0]),
        speed_error=float(np.abs(reached / speed - 1).max()),
    )


def find_phase(sweep: Sweep, speed: float, frequency: float, near: float) -> float:
    """Phase shift of a speed at a frequency, degrees, the nearest to another; that where no shift
    is so fast."""
    over = interpolate(sweep, sweep.speed, frequency, sweep.phase_deg) - speed
    found = cross(over[None], sweep.phase_deg[None, None])[0]
    return float(found[np.argmin(np.abs(found - near))]) if len(found) else near


def interpolate(
    sweep: Sweep, values: np.ndarray, frequency: np.ndarray | float, phase_deg: np.ndarray | float
) -> np.ndarray:
    """Values over the grid at some strokes, bilinear."""
    places, shares = [], []
    for axis, at in ((sweep.frequency, frequency), (sweep.phase_deg, phase_deg)):
        at = np.clip(at, axis[0], axis[-1])
        below = np.clip(np.searchsorted(axis, at, side="right") - 1, 0, len(axis) - 2)
        places.append(below)
        shares.append((at - axis[below]) / (axis[below + 1] - axis[below]))
    (i, j), (a, b) = places, shares
    low = (1 - b) * values[i, j] + b * values[i, j + 1]
    high = (1 - b) * values[i + 1, j] + b * values[i + 1, j + 1]
    return np.asarray((1 - a) * low + a * high)


def write_optimum(fit: Regression) -> str:
    """The block `optimum:` of a species, to paste below `swim:`."""

    def row(values: np.ndarray | tuple[float, ...], digits: int = 5) -> str:
        return "[" + ", ".join(f"{x:.{digits}g}" for x in values) + "]"

    return (
        "optimum:\n"
        f"  speed: {row(fit.speed, 3)}  # cm/s, slowest and fastest\n"
        f"  frequency: {row(fit.frequency)}  # Hz = a + b v + c v²\n"
        f"  phase_deg: {row(fit.phase_deg)}\n"
        f"  power: {row(fit.power)}  # erg/s\n"
    )
