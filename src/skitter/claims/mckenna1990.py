"""Claims of McKenna 1990 about the gait: Wilson's rules, and how waves become the tripod.

Steps are those that the gait tells legs to take, in walks of the simulated hexapod.
"""

from functools import partial
from itertools import pairwise

import numpy as np

from skitter.claims.mckenna1990_scenes import ON_IT, load_gait, run_scene, walk
from skitter.claims.registry import Finding, claim, find_worst
from skitter.measure.articulated import Walk, read_walk
from skitter.measure.articulated_steps import (
    contralateral_phase,
    early_step_share,
    find_contralateral,
    find_ipsilateral,
    front_hind_interval,
    gather,
    ipsilateral_lag,
    ipsilateral_phase,
    step_time,
    stride_frequency,
)
from skitter.measure.plot import Curve, write_bars, write_curves
from skitter.measure.steps import Floats, find_lags, list_neighbours

RAMP_SECONDS = 13.0  # its frequency rises from 1 s to 11 s
SLOW, FAST = (0.0, 3.0), (11.5, RAMP_SECONDS)  # s, its ends
NEAR_HALF = 0.05  # cycles
NEAR_LAG = 0.1  # of the lag
JUMP = 0.1  # cycles from a step to the next
FREQUENCIES = {2.0: 4.0, 4.0: 3.0, 7.0: 2.5, 10.0: 4.0}  # Hz, and for how many seconds
NEAR = 0.02  # of a time or frequency that shall be constant
VARIES = 3.0  # times, at least, from the lowest frequency to the highest


@claim(
    id="mckenna1990/wave-to-tripod",
    paper="McKenna 1990 section 4.1, figures 4 and 5",
    statement="As the master frequency rises, a wave turns smoothly into the tripod",
    scene=f"gait_ramp, {RAMP_SECONDS:g} s, steps as told",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: at the fast end no step is more than 0.05 cycles from half a"
    " cycle after the leg behind and after the one across; at the slow end every lag is within a"
    " tenth of the gait's, so that steps run forward as a wave, and no leg is told to step while"
    " the one behind it does; and nowhere does a phase change by more than 0.1 cycles from a step"
    " to the next",
)
def measure_ramp() -> Finding:
    recording = run_scene("gait_ramp", RAMP_SECONDS)
    slow, fast = (read_walk(recording, "roach", since=a, until=b) for a, b in (SLOW, FAST))
    whole, lag = read_walk(recording, "roach"), load_gait("gait_ramp").lag
    behind, across = find_ipsilateral(fast).phase, find_contralateral(fast).phase
    tracks = list_tracks(whole)
    parts = {
        "fast end.from half behind": find_farthest(behind, 0.5),
        "fast end.from half across": find_farthest(across, 0.5),
        "slow end.lag off": find_farthest(find_ipsilateral(slow).seconds / lag, 1.0),
        "slow end.early steps": early_step_share(slow),
        "slow end.phase": ipsilateral_phase(slow),
        "whole.jump": max(find_jump(phase) for _, phase in tracks.values()),
        "whole.steps": float(sum(len(phase) for _, phase in tracks.values())),
    }
    limits = {
        "from half behind": NEAR_HALF,
        "from half across": NEAR_HALF,
        "lag off": NEAR_LAG,
        "early steps": 0.01,
        "jump": JUMP,
    }
    curves = [Curve(name, time, phase) for name, (time, phase) in tracks.items()]
    draw = partial(write_curves, curves=curves, labels=("s", "cycles after the leg behind"))
    found = find_worst(parts, at_most=limits)
    return Finding(found.value, found.parts, partial(draw, bounds=[0.5]))


def find_farthest(values: Floats, middle: float) -> float:
    """Of some values from where all should be; nan of none."""
    return float(np.abs(values - middle).max()) if len(values) else np.nan


def find_jump(phases: Floats) -> float:
    """The largest change from one to the next, the shorter way round; nan of fewer than two."""
    change = np.diff(phases)
    return float(np.abs(change - np.round(change)).max()) if len(change) else np.nan


def list_tracks(one: Walk) -> dict[str, tuple[Floats, Floats]]:
    """Times and phases of each leg after the one behind it, step by step, by the leg's name."""
    pair, side = one.static("leg_pair"), one.static("leg_side")
    found = {}
    for behind, front in list_neighbours(pair, side):
        lags = find_lags(one.steps, [(behind, front)])
        name = (
            f"{'left' if side[front] < 0 else 'right'} {pair[front] + 1} after {pair[behind] + 1}"
        )
        found[name] = (lags.time, lags.phase)
    return found


@claim(
    id="mckenna1990/wilson-rules",
    paper="McKenna 1990 section 3.2, after Wilson 1966",
    statement="Steps keep Wilson's five rules at every master frequency",
    scene="roach_tripod at 2, 4, 7 and 10 Hz, 2.5 to 4 s each, steps as told",
    sense="equals",
    expected=5.0,
    unit="rules",
    why="how many hold. 1: no leg steps while the one behind it does, and each follows that by half"
    " a cycle at most, within 0.05. 2: legs of a pair are half a cycle apart, within 0.05. 3: the"
    " time of a step is the same within 2 %. 4: every frequency is kept within 2 %, and the highest"
    " is at least three times the lowest. 5: the lag along a side is the same within 2 %, and the"
    " interval from fore leg to hind leg shrinks with every higher frequency",
)
def measure_rules() -> Finding:
    walks = {hertz: walk_at(hertz, seconds) for hertz, seconds in FREQUENCIES.items()}
    parts = {
        f"{hertz:g} Hz.{name}": value
        for hertz, one in walks.items()
        for name, value in tell(one).items()
    }
    rules = judge({hertz: tell(one) for hertz, one in walks.items()})
    parts |= {f"rule {number}.holds": float(holds) for number, holds in rules.items()}
    bars = {name: value for name, value in parts.items() if name.endswith("holds")}
    return Finding(float(sum(rules.values())), parts, partial(write_bars, values=bars, label=""))


def walk_at(hertz: float, seconds: float) -> Walk:
    """The walk at a master frequency; the fastest is that of the scene itself."""
    fastest = load_gait().master
    change = [] if hertz == fastest else [f"{ON_IT}.gait.frequency={hertz}"]
    return walk("roach_tripod", seconds, *change)


def tell(one: Walk) -> dict[str, float]:
    """What the rules speak of, of one walk."""
    times, lags = gather(one.steps, "lasting"), find_ipsilateral(one).seconds
    return {
        "early steps": early_step_share(one),
        "phase behind": ipsilateral_phase(one),
        "phase across": contralateral_phase(one),
        "step time": step_time(one),
        "step time off": find_farthest(times / np.median(times), 1.0) if len(times) else np.nan,
        "frequency": stride_frequency(one),
        "lag": ipsilateral_lag(one),
        "lag off": find_farthest(lags / np.median(lags), 1.0) if len(lags) else np.nan,
        "fore to hind": front_hind_interval(one),
    }


def judge(told: dict[float, dict[str, float]]) -> dict[int, bool]:
    """Which of the five rules hold, from what was told at each master frequency, Hz, rising."""

    def gather_all(name: str) -> Floats:
        return np.array([one[name] for one in told.values()])

    def is_constant(name: str) -> bool:
        values = gather_all(name)
        return bool(
            np.ptp(values) <= NEAR * values.mean() and (gather_all(f"{name} off") <= NEAR).all()
        )

    behind, across, hertz = (
        gather_all(key) for key in ("phase behind", "phase across", "frequency")
    )
    shrinks = [after < before for before, after in pairwise(gather_all("fore to hind"))]
    kept = np.abs(hertz / np.array([*told]) - 1) <= NEAR
    return {
        1: bool((gather_all("early steps") == 0).all() and (behind > 0).all())
        and bool((behind <= 0.5 + NEAR_HALF).all()),
        2: bool((np.abs(across - 0.5) <= NEAR_HALF).all()),
        3: is_constant("step time"),
        4: bool(kept.all() and hertz.max() >= VARIES * hertz.min()),
        5: is_constant("lag") and all(shrinks),
    }
