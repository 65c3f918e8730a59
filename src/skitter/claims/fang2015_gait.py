"""Claims of Fang 2015 about legs: their cycle in the air, finding the ground, and their waves."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from skitter.claims.fang2015_scenes import (
    BODY,
    NAME,
    PLANE,
    build_scene,
    load_species,
    walk_straight,
)
from skitter.claims.registry import Finding, claim, find_worst
from skitter.measure.circular import compute_mean, compute_spread
from skitter.measure.gait import (
    ADJUSTMENT,
    SB2,
    Gait,
    find_settled,
    lag_spread_by_cycle,
    phase_lags,
    read_gait,
    read_settled_gait,
    side_lags,
)
from skitter.measure.plot import Curve, write_curves
from skitter.measure.stride import share_regular, vary_support
from skitter.rotation import quaternion_to_matrix
from skitter.runner import run
from skitter.world import World

if TYPE_CHECKING:
    from skitter.record import Recording

GIANT = "giant_centipede"
FREE_STATES = SB2 + 1  # SF1, SF2, SB1 and SB2 come first
HELD = ["head", *(f"segment_{n}" for n in range(2, 19, 3)), "tail"]
DROP_HEIGHTS = (1, 2, 4)  # heights of a segment
DROP_TILTS = ((0, 0, 0), (60, 0, 0), (-60, 0, 0), (0, 0, 45), (0, 0, -60), (40, 0, 40))  # deg
DROP_SECONDS = 5.0
UPRIGHT = np.cos(np.radians(20))
WAVES = {"robot": 30.0, "giant_centipede": 12.0, "millipede": 16.0}  # s, some thirty cycles
CYCLES = 10  # in which the wave must have formed
ADJUST_DEG = (0.0, 6.0, 12.0, 18.0, 24.0)
TOGETHER = {"robot": 25.0, "millipede": 12.0, "giant_centipede": 10.0}  # s


@claim(
    id="fang2015/suspended-cycle",
    paper="Fang 2015 section 4.3.1, rule 1",
    statement="The legs of a suspended myriapod go SF1, SF2, SB1, SB2 and round again",
    scene="a giant centipede held 20 cm above a plane for four seconds",
    sense="at most",
    expected=0.0,
    why="the share of time in any other state, and of changes in any other order: none may be",
    quick=True,
)
def measure_suspended_cycle() -> Finding:
    scene = build_scene(GIANT, PLANE, seconds=4, at=[0, 20, 0], start="free", held=HELD)
    recording = run(scene | {"frame_rate": 240})
    state = recording[f"{NAME}.leg_state"][:].astype(int)
    spent = recording[f"{NAME}.leg_time"][-1].sum(axis=0)
    change = np.diff(state, axis=0) % FREE_STATES
    parts = {
        "time in other states": float(spent[FREE_STATES:].sum() / spent.sum()),
        "changes in another order": float((change > 1).sum() / max((change > 0).sum(), 1)),
        "changes": float((change > 0).sum()),
    }
    first = slice(0, 120)
    curves = [
        Curve(f"leg {leg + 1}", recording.time[first], state[first, leg]) for leg in (0, 9, 18)
    ]
    plot = partial(write_curves, curves=curves, labels=("s", "state: 0 SF1, 1 SF2, 2 SB1, 3 SB2"))
    value = parts["time in other states"] + parts["changes in another order"]
    return Finding(value if parts["changes"] else np.inf, parts, plot)


@claim(
    id="fang2015/drop-recovers",
    paper="Fang 2015 section 4.4, the ADJUSTMENT mode",
    statement="A myriapod dropped from several heights and tilted finds its feet and walks off",
    scene="a giant centipede dropped onto a plane from 1, 2 and 4 body heights, in six tilts"
    " (degrees about x and z)",
    sense="at most",
    expected=3.0,
    unit="s",
    why="longest time until it has left ADJUSTMENT for good, all segments are within 20 degrees of"
    " upright and its head walks at half its speed or faster",
)
def measure_drop_recovery() -> Finding:
    parts = {
        f"tilt {tilt[0]} {tilt[2]}.height {height}": time_recovery(height, tilt)
        for tilt in DROP_TILTS
        for height in DROP_HEIGHTS
    }
    return Finding(max(parts.values()), parts)


def time_recovery(height: float, tilt: tuple[float, float, float], species: str = GIANT) -> float:
    """Seconds until a dropped creature walks; infinite where it does not."""
    walk, segment = load_species(species).walk, load_species(species).segment
    pose = {"start": "free", "turn_deg": list(tilt)}
    scene = build_scene(species, PLANE, seconds=DROP_SECONDS, at=[0, 60, 0], **pose)
    lift = 60 - find_lowest(World.from_scene(scene)) + height * segment.size[1]
    scene["creatures"][0]["at"] = [0, lift, 0]
    recording = run(scene)
    is_ready = recording[f"{NAME}.brain_mode"][:] != ADJUSTMENT
    turn = quaternion_to_matrix(recording[f"{NAME}.body_orientation"][:, 1:-1].astype(float))
    is_ready &= (turn[..., 1, 1] >= UPRIGHT).all(axis=1)
    head = recording[BODY][:, 0].astype(float)
    speed = np.linalg.norm(np.gradient(head, recording.time, axis=0), axis=1)
    last = np.flatnonzero(~is_ready)[-1] if not is_ready.all() else -1
    walks = np.flatnonzero(speed[last + 1 :] >= walk.speed / 2)
    return float(recording.time[last + 1 + walks[0]]) if len(walks) else np.inf


def find_lowest(world: World) -> float:
    """Of all corners and feet, cm."""
    values = world.read()
    size = next(one.values for one in world.statics() if one.name == f"{NAME}.body_size")
    turn = quaternion_to_matrix(values[f"{NAME}.body_orientation"].astype(float))
    reach = (np.abs(turn[:, 1]) * size / 2).sum(axis=1)
    lowest = values[BODY][:, 1] - reach
    return float(min(lowest.min(), values[f"{NAME}.leg_point"][..., 1].min()))


@claim(
    id="fang2015/wave-emerges",
    paper="Fang 2015 section 4.3.2, figure 4.4",
    statement="Legs that start at random fall into a metachronal wave: a regular cycle, one lag"
    " between neighbours, and a steady number of supporting legs",
    scene="robot, giant centipede and millipede, straight ahead on a plane, some thirty cycles",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: after ten cycles the lags of neighbours spread by at most 0.05"
    " of a cycle, 90 % of the cycles are regular, standing legs vary by at most 10 %",
)
def measure_waves(walks: dict[str, float] = WAVES) -> Finding:
    parts: dict[str, float] = {}
    curves = []
    for species, seconds in walks.items():
        recording = walk_straight(species, seconds)
        whole = read_settled_gait(recording, NAME)
        spread = lag_spread_by_cycle(whole)
        later = read_walk(recording)
        parts |= {
            f"{species}.spread": find_largest(spread.spread[CYCLES:]),
            f"{species}.regular": share_regular(later),
            f"{species}.support": vary_support(later),
            f"{species}.lag": compute_mean(phase_lags(later).lag),
            f"{species}.cycles to form": count_until(spread.spread, 0.05),
        }
        curves.append(Curve(species, np.arange(len(spread.spread)) + 0.5, spread.spread))
    labels = ("cycles", "spread of the lag between neighbours, cycles")
    found = find_worst(parts, at_most={"spread": 0.05, "support": 0.1}, at_least={"regular": 0.9})
    plot = partial(write_curves, curves=curves, labels=labels, bounds=[0.05])
    return Finding(found.value, found.parts, plot)


def read_walk(recording: "Recording") -> Gait:
    """The gait from ten cycles after the creature stood."""
    since = find_settled(recording, NAME) + CYCLES * read_settled_gait(recording, NAME).period
    return read_gait(recording, NAME, since=since)


def find_largest(values: np.ndarray) -> float:
    """The largest of those that are known; infinity where none is."""
    return float(np.nanmax(values)) if np.isfinite(values).any() else np.inf


def count_until(values: np.ndarray, limit: float) -> float:
    """After how many of them all stay below the limit."""
    above = np.flatnonzero(~(values < limit))
    return float(above[-1] + 1 if len(above) else 0)


@claim(
    id="fang2015/adjust-sets-wavelength",
    paper="Fang 2015 section 4.3.2",
    statement="The angle of the ADJUST pose controls the wavelength",
    scene="a giant centipede straight ahead on a plane, adjust_deg from 0 to 24 in steps of 6",
    sense="at least",
    expected=0.1,
    why="the smallest step of the lag between neighbours over the mean one: above zero the lag is"
    " monotonic, and a tenth is a step that can be told from none",
    quick=True,
)
def measure_wavelength() -> Finding:
    lags = []
    for angle in ADJUST_DEG:
        recording = walk_straight(GIANT, 7, leg={"adjust_deg": angle})
        lags.append(compute_mean(phase_lags(read_walk(recording)).lag))
    steps = np.diff(np.unwrap(lags, period=1.0))
    parts = {f"lag at {angle:g}": lag for angle, lag in zip(ADJUST_DEG, lags, strict=True)}
    labels = ("adjust_deg, degrees", "lag between neighbours, cycles")
    plot = partial(write_curves, curves=[Curve("lag", ADJUST_DEG, lags)], labels=labels)
    return Finding(float((steps / steps.mean()).min()), parts, plot)


@claim(
    id="fang2015/left-right-sync",
    paper="Fang 2015 section 4.3.3",
    statement="When the front pair lifts together, left and right legs step together",
    scene="robot, millipede and a giant centipede with leg.sides together, straight on a plane",
    sense="at most",
    expected=0.0,
    tolerance=0.05,
    unit="cycle",
    why="mean and spread of the phase of a right leg after its left one; a wave of ten legs has"
    " neighbours 0.1 apart, so that a pair is closer than neighbours are",
)
def measure_left_right(walks: dict[str, float] = TOGETHER) -> Finding:
    parts: dict[str, float] = {}
    for species, seconds in walks.items():
        walk = walk_straight(species, seconds, leg={"sides": "together"})
        lag = side_lags(read_walk(walk)).lag
        parts |= {f"{species}.phase": abs(compute_mean(lag))}
        parts |= {f"{species}.spread": compute_spread(lag)}
    return Finding(float(np.max(list(parts.values()))), parts)  # nan of any
