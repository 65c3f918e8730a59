"""Claims of our own about the world that all families share."""

from functools import partial

import numpy as np

from skitter.claims.registry import Finding, claim
from skitter.claims.world_meetings import SEEDS, find_overlap, list_encounters
from skitter.errors import SimulationError
from skitter.measure.meeting import DEEP
from skitter.measure.plot import write_bars

LONG = 0.1  # s


@claim(
    id="world/nobody-passes",
    paper="ours",
    statement="Bodies of different owners do not pass through each other, through obstacles or"
    " through movable things, and nobody flies apart",
    scene=f"all pairs of six animals on land, eels and a swimming centipede, worms, each against"
    f" four shapes of obstacles and a block, head on and from the side, seeds {SEEDS[0]} to"
    f" {SEEDS[-1]}",
    sense="at most",
    expected=LONG,
    unit="s",
    why=f"the longest time without a break in which an overlap is deeper than {DEEP:g} of half the"
    " width of the smaller body, of all runs; infinite where somebody flies apart",
)
def measure_meetings() -> Finding:
    longest: dict[str, float] = {}
    deepest: dict[str, float] = {}
    for one in list_encounters():
        try:
            deep, long = find_overlap(one)
        except SimulationError:
            deep = long = np.inf
        longest[one.name] = max(longest.get(one.name, 0.0), long)
        deepest[one.name] = max(deepest.get(one.name, 0.0), deep)
    parts = {f"{name}, s": value for name, value in longest.items()}
    parts |= {f"{name}, deepest": value for name, value in deepest.items()}
    worst = dict(sorted(longest.items(), key=lambda item: -item[1])[:12])
    draw = partial(write_bars, values=worst, label="s deeper than a tenth", bounds=[LONG])
    return Finding(max(longest.values()), parts, draw)
