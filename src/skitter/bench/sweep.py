"""`skitter bench sweep`: how long all strokes of an eel would take, 200 by 200 of them.

Schools from all over that grid swim as they do in a sweep, after a neighbour from which they have
their speed. Their number per second on one core, times two cores, is compared with what the whole
grid needs to be done in two hours, as long as the thesis took on six (Fang 2015 appendix C). Time
is that of the processor: one thread swims, and a busy machine would only make it wait.
"""

import time

import numpy as np

from skitter.bench import Record, make_record
from skitter.claims.fang2015_swim import load_eel
from skitter.study.swim.sweep import DEGREES, FREQUENCIES, SCHOOL, build_plan
from skitter.study.swim.trial import try_strokes

SIDE = 200
CORES = 2
LIMIT = 7200.0  # s
ROWS, PLACES = (0.1, 0.5, 0.9), (0.15, 0.5, 0.85)  # of the grid, that are tried


def run_sweep_corner() -> list[Record]:
    eel = load_eel()
    plan = build_plan(eel, (SIDE, SIDE), FREQUENCIES, DEGREES)
    shifts, swims, simulated, spent = np.radians(plan.phase_deg), 0, 0.0, 0.0
    for row in ROWS:
        frequency = plan.frequency[round(row * (SIDE - 1))]
        for place in PLACES:
            start = round(place * SIDE / SCHOOL) * SCHOOL
            before, some = shifts[start - SCHOOL : start], shifts[start : start + SCHOOL]
            guess = max(0.0, float(try_strokes(eel, frequency, before[-1:]).speed[0]))
            clock = time.process_time()
            trial = try_strokes(eel, frequency, some, guess=guess)
            spent += time.process_time() - clock
            swims += len(some)
            simulated += trial.seconds * len(some)
    rate, needed = CORES * swims / spent, SIDE**2 / LIMIT
    steps = simulated * plan.protocol.step_rate / spent
    return [
        make_record(
            "sweep-200x200",
            rate,
            "swims/s",
            needed,
            hours=SIDE**2 / rate / 3600,
            cores=CORES,
            simulated_per_swim=simulated / swims,
            steps_per_core=steps,
        )
    ]
