"""Pictures of a sweep: figures C.1 and C.3 to C.5 of Fang 2015, for any swimmer."""

from pathlib import Path

import numpy as np

from skitter.measure.plot import Curve, write_curves, write_heat_map
from skitter.species.swimmer import SwimmerSpec
from skitter.study.swim.optimum import Best, Regression, evaluate, find_contour, refine
from skitter.study.swim.sweep import Plan, Sweep
from skitter.study.swim.trial import try_strokes

FREQUENCY, PHASE = "frequency, Hz", "phase shift, pi"
SPEED, POWER = "speed, cm/s", "power, erg/s"
CONTOURS = (0.25, 0.5, 0.75, 0.9)  # of the greatest speed
RAMP_SHIFTS = (0.2, 0.3, 0.4)  # π, of figure C.1
RAMP_SECONDS = 16.0


def write_pictures(
    plan: Plan, sweep: Sweep, best: Best, fit: Regression, folder: Path
) -> list[str]:
    """All of them; returns the names of the files."""
    write_ramp(plan.species, plan.frequency, folder)
    write_maps(sweep, best, folder)
    write_contours(sweep, folder)
    write_best(best, fit, folder)
    return sorted(path.name for path in folder.glob("c*.png"))


def write_ramp(species: SwimmerSpec, frequency: tuple[float, ...], folder: Path) -> None:
    """Figure C.1: two frequencies and three phase shifts from rest, stroke by stroke."""
    speeds, powers = [], []
    for hertz in np.quantile(frequency, (0.3, 0.7)):
        trial = try_strokes(
            species, float(hertz), np.pi * np.array(RAMP_SHIFTS), seconds=RAMP_SECONDS
        )
        time = (np.arange(len(trial.speed_course)) + 1) / hertz
        for k, shift in enumerate(RAMP_SHIFTS):
            label = f"{hertz:.3g} Hz, {shift:g} pi"
            speeds.append(Curve(label, time, trial.speed_course[:, k]))
            powers.append(Curve(label, time, trial.power_course[:, k]))
    for name, curves, label in (("speed", speeds, SPEED), ("power", powers, POWER)):
        title = f"C.1 {name}, from rest"
        write_curves(folder / f"c1_{name}.png", title=title, curves=curves, labels=("s", label))


def write_maps(sweep: Sweep, best: Best, folder: Path) -> None:
    """Figures C.3 and C.4: stable speed and power over all strokes, with the best ones."""
    shift = sweep.phase_deg / 180
    line = [Curve("best", best.phase_deg / 180, best.frequency, dots=True)]
    for name, title, values, unit in (
        ("c3_speed", "C.3 stable speed", sweep.speed, "cm/s"),
        ("c4_power", "C.4 power", sweep.power, "erg/s"),
    ):
        write_heat_map(
            folder / f"{name}.png",
            title=title,
            x=shift,
            y=sweep.frequency,
            values=values,
            labels=(PHASE, FREQUENCY),
            unit=unit,
            curves=line,
        )


def write_contours(sweep: Sweep, folder: Path) -> None:
    """Figure C.5 A and B: the strokes of some speeds, and what they cost."""
    surface, strokes, costs = refine(sweep), [], []
    for share in CONTOURS:
        speed = share * sweep.speed.max()
        label = f"{speed:.2g} cm/s"
        found = find_contour(surface, speed)
        strokes.append(Curve(label, found[:, 1] / 180, found[:, 0], dots=True))
        costs.append(Curve(label, found[:, 0], found[:, 2], dots=True))
    write_curves(
        folder / "c5a_strokes.png",
        title="C.5 A strokes of one speed",
        curves=strokes,
        labels=(PHASE, FREQUENCY),
    )
    write_curves(
        folder / "c5b_power.png",
        title="C.5 B their power",
        curves=costs,
        labels=(FREQUENCY, POWER),
    )


def write_best(best: Best, fit: Regression, folder: Path) -> None:
    """Figure C.5 C and D: power, frequency and phase of the best strokes, and their regression."""
    speed = np.linspace(*fit.speed, 50)
    for name, title, found, line, label in (
        ("c5c_power", "C.5 C power of the best strokes", best.power, fit.power, POWER),
        ("c5d_frequency", "C.5 D their frequency", best.frequency, fit.frequency, FREQUENCY),
        ("c5d_phase", "C.5 D their phase shift", best.phase_deg / 180, fit.phase_deg / 180, PHASE),
    ):
        curves = [
            Curve("found", best.speed, found),
            Curve("regression", speed, evaluate(line, speed)),
        ]
        write_curves(folder / f"{name}.png", title=title, curves=curves, labels=(SPEED, label))
