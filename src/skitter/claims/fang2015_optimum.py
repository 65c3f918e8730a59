"""Claims of Fang 2015 appendix C: strokes over the whole of frequency and phase shift."""

from functools import cache, partial

import numpy as np

from skitter.claims.fang2015_swim import load_eel
from skitter.claims.registry import Finding, claim, find_worst
from skitter.measure.plot import Curve, write_curves
from skitter.study.swim.optimum import Best, Regression, evaluate, find_best, fit_quadratic, regress
from skitter.study.swim.sweep import DEGREES, FREQUENCIES, Sweep, build_plan, run_sweep
from skitter.world.threads import count_threads

GRID = (33, 33)
SCENE = (
    "an eel in still water with 33 frequencies from 0.5 to 2.5 Hz by 33 phase shifts from 0.1 to"
    " 0.6 π, each until its speed is stable"
)
SMALL, LARGE = (0.10, 0.14), (0.30, 0.34)  # π


@cache
def sweep_eel() -> Sweep:
    plan = build_plan(load_eel(), GRID, FREQUENCIES, DEGREES)
    return run_sweep(plan, processes=count_threads())


@cache
def find_optimum() -> tuple[Best, Regression]:
    best = find_best(sweep_eel())
    return best, regress(sweep_eel(), best)


@claim(
    id="fang2015/optimal-phase-nearly-constant",
    paper="Fang 2015 appendix C, figure C.5",
    statement="The phase shift of the least costly stroke is nearly the same at all speeds, 0.28 to"
    " 0.33 π",
    scene=SCENE,
    sense="at most",
    expected=1.0,
    why="worst share of its limit: the phase shift stays within a band 0.1 π wide (twice the"
    " thesis's) between 0.2 and 0.4 π, over the longest run of speeds whose best strokes lie inside"
    " the swept ranges; slower ones would do better below the lowest frequency",
)
def measure_optimal_phase() -> Finding:
    best, _ = find_optimum()
    run, every = best.inside, best.phase_deg / 180
    shift = every[run]
    parts = {
        "lowest": float(shift.min()),
        "highest": float(shift.max()),
        "width": float(np.ptp(shift)),
        "slowest, cm/s": float(best.speed[run].min()),
        "fastest, cm/s": float(best.speed[run].max()),
        "lowest of every speed": float(every.min()),
        "highest of every speed": float(every.max()),
        "speeds at the end of a range": float(best.border.sum()),
    }
    found = find_worst(parts, at_most={"width": 0.1, "highest": 0.4}, at_least={"lowest": 0.2})
    curves = [Curve("inside", best.speed[run], shift), Curve("every speed", best.speed, every)]
    plot = partial(
        write_curves, curves=curves, labels=("cm/s", "phase shift, pi"), bounds=[0.28, 0.33]
    )
    return Finding(found.value, found.parts, plot)


@claim(
    id="fang2015/energy-quadratic-in-speed",
    paper="Fang 2015 appendix C, figure C.5 (C)",
    statement="The power of the least costly strokes is quadratic in speed",
    scene=SCENE,
    sense="at least",
    expected=0.95,
    why="R² of a quadratic; the exponent of a power law is told beside it",
)
def measure_power() -> Finding:
    best, fit = find_optimum()
    speed, power = best.speed[best.inside], best.power[best.inside]
    curves = [
        Curve("found", speed, power),
        Curve("quadratic", speed, evaluate(fit_quadratic(speed, power), speed)),
    ]
    plot = partial(write_curves, curves=curves, labels=("cm/s", "erg/s"))
    parts = {"R²": fit.power_fit, "exponent of a power law": fit.power_exponent}
    return Finding(fit.power_fit, parts, plot)


@claim(
    id="fang2015/small-phase-reversal",
    paper="Fang 2015 appendix C, figure C.3",
    statement="Where the phase shift is below 0.18 π, too small for a whole wave on the body, the"
    " speed falls as the frequency goes on rising; where it is larger, the speed rises",
    scene=SCENE,
    sense="at most",
    expected=1.0,
    why="worst share of its limit: at the highest frequency a small shift, 0.10 or 0.14 π, has lost"
    " a tenth of its greatest speed or more, and a large one, 0.30 or 0.34 π, less",
)
def measure_small_phase() -> Finding:
    sweep = sweep_eel()
    parts, curves = {}, []
    for kind, shifts in (("left of small", SMALL), ("lost of large", LARGE)):
        for shift in shifts:
            speed = np.array([np.interp(180 * shift, sweep.phase_deg, row) for row in sweep.speed])
            left = float(speed[-1] / speed.max())
            parts[f"{shift:g} pi.{kind}"] = left if shift in SMALL else 1 - left
            parts[f"{shift:g} pi.greatest at, Hz"] = float(sweep.frequency[speed.argmax()])
            curves.append(Curve(f"{shift:g} pi", sweep.frequency, speed))
    found = find_worst(parts, at_most={"left of small": 0.9, "lost of large": 0.1})
    plot = partial(write_curves, curves=curves, labels=("Hz", "cm/s"))
    return Finding(found.value, found.parts, plot)
