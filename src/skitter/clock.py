"""A clock inside the step: what each room of the code costs, measured where the cost arises.

Kernels are handed a clock and call `lap` when a room has done its part. In ordinary runs the clock
is None, for which `lap` compiles to nothing; `skitter bench rooms` hands over an array.
"""

import platform
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from skitter.compiled import inlined, kernel

# what a step is made of: who does it, and what
ROOMS = (
    ("elastic/untangle", "tangled blocks"),
    ("control/swim", "strokes and muscles"),
    ("elastic/tets", "elastic forces"),
    ("elastic/damping", "damping, implicitly"),
    ("creatures/wet", "water on blocks and bodies"),
    ("creatures/coupling", "blocks and bodies acting on each other"),
    ("rigid/bodies", "motion of bodies"),
    ("rigid/contact", "contact of bodies"),
    ("control/amphibious", "between land and water"),
    ("control/look", "looking at the ground and obstacles below"),
    ("control/targeter", "following and balancing"),
    ("elastic/contact", "contact of soft nodes"),
    ("elastic/soft", "motion of soft nodes"),
    ("control/switcher", "legs"),
    ("control/antennae", "antennae"),
    ("control/brain", "brain"),
    ("creatures/step", "the rest of the step"),
)
(
    UNTANGLE, SWIM, TETS, DAMPING, WET, COUPLING, BODIES, BODY_CONTACT, AMPHIBIOUS, LOOK, TARGETER,
    NODE_CONTACT, NODES, SWITCHER, ANTENNAE, BRAIN, STEP, LAST, COST,
) = range(len(ROOMS) + 2)  # fmt: skip
# ARM lets only its system counter be read without privileges
COUNTER = "readcyclecounter" if "86" in platform.machine() else "readsteadycounter"


@intrinsic
def read_counter(context: Any) -> Any:
    """Ticks of the processor's counter; how long one is has to be measured."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        counter = builder.module.declare_intrinsic(f"llvm.{COUNTER}", fnty=kind)
        return builder.call(counter, [])

    return types.int64(), generate


@inlined
def start(clock):
    """Begin the first lap."""
    if clock is not None:
        clock[LAST] = read_counter()


@inlined
def lap(clock, room):
    """Give the time since the last lap to a room."""
    if clock is not None:
        now = read_counter()
        clock[room] += now - clock[LAST] - clock[COST]
        clock[LAST] = now


@kernel
def run_laps(clock, count):
    """Laps in which nothing is done."""
    start(clock)
    for _ in range(count):
        lap(clock, STEP)


def build_clock() -> np.ndarray:
    """Ticks of every room [room + 2], int64; then the moment of the last lap, and what a lap itself
    costs, which is taken off."""
    clock = np.zeros(len(ROOMS) + 2, np.int64)
    best, count = np.inf, 1000
    for _ in range(20):
        clock[STEP] = 0
        run_laps(clock, count)
        best = min(best, clock[STEP] / count)
    clock[STEP], clock[COST] = 0, round(best)
    return clock
