"""Claims of McKenna 1990 about dropping the hexapod: exponential springs stand, linear ones do not.

A hexapod stands where nothing but tibiae and tarsi touches the ground; where its trunk, a coxa or a
femur does, it has collapsed.
"""

from functools import partial
from typing import Any

import numpy as np

from skitter.claims.mckenna1990_scenes import load_roach, walk_whole
from skitter.claims.registry import Finding, claim
from skitter.measure.articulated import Walk
from skitter.measure.body import body_corners
from skitter.measure.plot import Curve, Plot, write_curves
from skitter.measure.steps import Floats
from skitter.rotation import quaternion_to_matrix
from skitter.runner import run

SECONDS = 3.0
LATE = 2.0  # s, by when it has come to rest
FEMUR = 1  # of `body_segment`: coxa 0, femur 1; the trunk is below zero
STANDS = 0.1  # cm
AIR_SECONDS, AIR_HEIGHT = 0.05, 6.0  # s and cm: all of it in the air
STRONG = 30.0  # times as stiff: such linear springs carry it as high as exponential ones do


def find_clearance(one: Walk) -> Floats:
    """Of the lowest corner of trunk, coxae and femora above level ground [frame], cm."""
    parts = np.flatnonzero(one.static("body_segment") <= FEMUR)
    corners = body_corners(np.zeros(len(parts)), one.static("body_size")[parts])
    turn = quaternion_to_matrix(one.read("body_orientation")[:, parts])
    height = np.einsum("fbj,bcj->fbc", turn[:, :, 1], corners)
    height += one.read("body_position")[:, parts, 1, None]
    return np.asarray(height.reshape(len(height), -1).min(axis=1))


def tell_drop(name: str) -> tuple[Walk, dict[str, float]]:
    """One of the dropped, and how it came to rest."""
    one = walk_whole("roach_drop", SECONDS, name=name)
    late = find_clearance(one)[one.time >= LATE - 1e-9]
    feet = one.read("foot_touching")[-1].sum()
    told = {"clearance, cm": float(late.min()), "highest, cm": float(late.max()), "feet": feet}
    return one, {f"{name}.{key}": float(value) for key, value in told.items()}


def draw_clearance(*walks: Walk) -> Plot:
    curves = [Curve(one.name, one.time, find_clearance(one)) for one in walks]
    return partial(write_curves, curves=curves, labels=("s", "cm clear of the ground"), bounds=[0])


@claim(
    id="mckenna1990/drop-exponential-stands",
    paper="McKenna 1990 section 4.2",
    statement="Dropped onto level ground, the hexapod stands on exponential springs",
    scene=f"roach_drop, {SECONDS:g} s: those dropped from 1.2 cm and, tilted, from 3 cm",
    sense="at least",
    expected=STANDS,
    unit="cm",
    why="of trunk, coxae and femora, how high the lowest point is from 2 s on, the lower of both;"
    " 0.1 cm is more than any sinking or bouncing, and nothing but feet and shins then touches."
    " Evaluations of the dynamics in a frame in the air, by Runge-Kutta, are told beside it: on"
    f" exponential springs, and on linear ones {STRONG:g} times as stiff at rest, which stand too",
)
def measure_stands() -> Finding:
    (low, told), (high, more) = (tell_drop(name) for name in ("low", "high"))
    value = min(told["low.clearance, cm"], more["high.clearance, cm"])
    return Finding(value, told | more | tell_air(), draw_clearance(low, high))


@claim(
    id="mckenna1990/drop-linear-collapses",
    paper="McKenna 1990 section 4.2",
    statement="On linear springs, which are as stiff at rest, it collapses",
    scene=f"roach_drop, {SECONDS:g} s: the one with linear springs, dropped from 1.2 cm",
    sense="at most",
    expected=0.0,
    unit="cm",
    why="of trunk, coxae and femora, how high the lowest point is at most from 2 s on: it touches",
)
def measure_collapses() -> Finding:
    one, told = tell_drop("linear")
    return Finding(told["linear.highest, cm"], told, draw_clearance(one))


def tell_air() -> dict[str, float]:
    """How often Runge-Kutta asks for the dynamics in a frame of 1/60 s, high in the air.

    Dampers alone make an explicit method take short steps; so the same is told without those of
    legs, where springs decide.
    """
    kinds = {"exponential": ("exponential", 1.0), "strong linear": ("linear", STRONG)}
    found = {}
    for name, (kind, scale) in kinds.items():
        for damped in (True, False):
            species = {"legs": change_springs(damped=damped, kind=kind, scale=scale)}
            what = "per frame" if damped else "per frame undamped"
            found[f"{name}.{what}"] = count_evaluations(species)
    return found


def count_evaluations(species: dict[str, Any]) -> float:
    """In the last frame of a short fall."""
    fall = {
        "title": "A fall",
        "seconds": AIR_SECONDS,
        "creatures": [
            {
                "species": "roach",
                "name": "roach",
                "at": [0, AIR_HEIGHT, 0],
                "start": "free",
                "commands": [{"speed": 0}],
                "with": species | {"solver": {"method": "runge_kutta"}},
            }
        ],
    }
    recording = run(fall)  # it lasts as long as this name
    return float(recording["roach.evaluations"][-1])


def change_springs(
    *, damped: bool, kind: str = "exponential", scale: float = 1.0
) -> list[dict[str, Any]]:
    """The legs with springs of a kind, so many times as stiff at rest."""
    legs = [leg.model_dump(exclude_unset=True) for leg in load_roach("roach_tripod").legs]
    for joint in (one for leg in legs for part in leg["segments"] for one in part["joints"]):
        spring = joint["spring"]
        if kind == "linear":
            spring |= {"kind": kind, "alpha": scale * spring["alpha"] * spring.pop("beta")}
        if not damped:
            spring["damping"] = 0.0
    return legs
