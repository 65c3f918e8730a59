"""Claims of Cenydd 2012 about corners: up walls and ceilings, over edges, and what helps there."""

from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from skitter.claims.cenydd2012_scenes import (
    FLOOR,
    ROUGH,
    Now,
    Track,
    build_plane,
    build_room,
    build_scene,
    find_first,
    goes_through,
    is_on,
    list_faces,
    put,
    watch,
)
from skitter.claims.registry import Finding, claim, find_worst
from skitter.measure.plot import Curve, write_bars, write_curves

EDGE = 28.0  # cm, of the cube
HEADINGS, SEEDS = range(0, 360, 45), range(5)  # degrees
ROUND_TRIP = ("floor", "wall", "ceiling", "wall", "floor")
ROUND_SECONDS, ROUND_SPEED = 90.0, 9.0  # s at most, and cm/s
CLIMBS, ROUNDS = 0.9, 0.8  # of all tries
APPROACHES, TRIES = (-30, -15, 0, 15, 30), range(4)  # degrees from straight on
WALL_TRIES = range(2)
TABLE = {"shape": "box", "at": [-40, -30, 0], "size": [80, 60, 160], "friction": ROUGH}
BELOW = build_plane([0, -60, 0], [0, 1, 0], ROUGH)
CORNER_SECONDS, CORNER_SPEED = 16.0, 8.0  # s at most, and cm/s
EDGE_START, WALL_START = -13.0, -15.0  # cm from the corner
NEAR_EDGE = -5.0  # cm, from where crossing it is timed
BRAKE, NEAR_BRAKE = 0.75, 0.05  # 90 / 120
FACING = 5.0  # degrees from square at which it sees nothing but the wall
SAVES = 0.95  # of the time without
FOUND = 0.8  # of the legs that were in limbo
SEEN = ("up", "gravity_on", "falls", "body_position", "leg_state", "leg_searches")
STEPS, SEARCHES, IN_LIMBO = 1, 2, 3  # of leg_state; 0 stands
SENSED: tuple[str, ...] = ("up", "gravity_on", "falls", "body_position", "foot_held", "foot_normal")
SENSED += ("brake_sense", "sense_angle", "sense_distance", "speed", "speed_wanted")


@claim(
    id="cenydd2012/climbs-wall",
    paper="Cenydd 2012 section 8.2, figure 10",
    statement="Inside a cube of high friction it climbs from the floor to a wall, on to the ceiling"
    " and back down",
    scene=f"a cube of {EDGE:g} cm, a tarantula at {ROUND_SPEED:g} cm/s straight on, 8 headings and"
    " 5 starting places near the middle",
    sense="at least",
    expected=CLIMBS,
    unit="of the tries",
    why="floor, wall, ceiling, wall and floor in this order within 90 s and without a fall; the"
    " paper shows it without a number, the bound is ours. Cube and time were set after first tries",
)
def measure_round_trip() -> Finding:
    done = {}
    for heading, seed in product(HEADINGS, SEEDS):
        track = walk_around(heading, seed)
        whole = goes_through(list_visited(track), ROUND_TRIP)
        fell = track.read("falls")[-1] > 0
        done[heading, seed] = (whole and not fell, whole, bool(fell), float(track.time[-1]))
    shares = {f"{h} degrees": float(np.mean([done[h, s][0] for s in SEEDS])) for h in HEADINGS}
    kinds = np.array(list(done.values()), float)
    parts = shares | {"whole way": kinds[:, 1].mean(), "fell": kinds[:, 2].mean()}
    parts["seconds of those who made it"] = float(kinds[kinds[:, 1] > 0, 3].mean())
    draw = partial(write_bars, values=shares, label="of the tries", bounds=[CLIMBS])
    return Finding(float(kinds[:, 0].mean()), parts, draw)


def walk_around(heading: float, seed: int) -> Track:
    """One try, until it is round or has fallen."""
    x, z = np.random.default_rng([seed, int(heading)]).uniform(-4, 4, 2)
    it = put(float(x), float(z), yaw=heading, speed=ROUND_SPEED, name="it")
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    def is_over(now: Now) -> bool:
        seen.append((np.array(now["it.body_position"][0]), np.array(now["it.up"])))
        if now["it.falls"] > 0:
            return True
        if not is_on(now, "it", (0, 1, 0)):
            return False
        place, up = (np.array(one) for one in zip(*seen, strict=True))
        return goes_through(list_faces(place, up, EDGE), ROUND_TRIP)

    scene = build_scene(build_room(EDGE), [it])
    return watch(scene, SEEN, seconds=ROUND_SECONDS, seed=seed, until=is_over, every=0.1)["it"]


def list_visited(track: Track) -> list[str]:
    return list_faces(track.read("body_position")[:, 0], track.read("up"), EDGE)


class Crossing(NamedTuple):
    """How one try at a corner went."""

    done: bool  # on the other face, without a fall
    fell: bool
    seconds: float  # from near the corner to the other face; all there is where it never came
    track: Track


@cache
def cross_edge(heading: float, seed: int, radial: bool = True) -> Crossing:
    """Over an edge of 270 degrees; without the radial scale the stance is never narrowed."""
    more: dict[str, Any] = {}
    if not radial:
        more = {"with": {"sense": {"min_radial_scale": 1.0, "max_radial_scale": 1.0}}}
    it = put(EDGE_START, float(2 * seed), yaw=heading, speed=CORNER_SPEED, name="it", **more)
    scene = build_scene([TABLE, BELOW], [it])

    def is_over(now: Now) -> bool:
        return bool(now["it.falls"] > 0) or is_on(now, "it", (1, 0, 0))

    track = watch(scene, SEEN, seconds=CORNER_SECONDS, seed=seed, until=is_over)["it"]
    near = track.read("body_position")[:, 0, 0] > NEAR_EDGE
    return judge(track, find_first(near, track.time), is_on(list_last(track), "it", (1, 0, 0)))


def list_last(track: Track) -> Now:
    """The values of its last frame, as a world would tell them."""
    return {f"{track.name}.{name}": values[-1] for name, values in track.values.items()}


def judge(track: Track, since: float, arrived: bool) -> Crossing:
    fell = bool(track.read("falls")[-1] > 0)
    done = arrived and not fell
    seconds = float(track.time[-1]) - since if done else CORNER_SECONDS
    return Crossing(done, fell, seconds, track)


def list_crossings(**how: Any) -> list[Crossing]:
    return [cross_edge(heading, seed, **how) for heading, seed in product(APPROACHES, TRIES)]


@claim(
    id="cenydd2012/rounds-precipice",
    paper="Cenydd 2012 section 8.3, figure 11",
    statement="It climbs over the edge of a precipice onto a face 270 degrees away",
    scene=f"a table with sheer sides, a tarantula at {CORNER_SPEED:g} cm/s towards its edge, 5"
    " headings up to 30 degrees from straight on, 4 tries each",
    sense="at least",
    expected=ROUNDS,
    unit="of the tries",
    why=f"on the sheer side within {CORNER_SECONDS:g} s and without a fall; the paper calls it"
    " laborious and gives no number, the bound is ours",
)
def measure_precipice() -> Finding:
    tries = list_crossings()
    shares = {
        f"{heading} degrees": float(np.mean([cross_edge(heading, seed).done for seed in TRIES]))
        for heading in APPROACHES
    }
    parts = shares | {"fell": float(np.mean([one.fell for one in tries]))}
    parts["seconds"] = float(np.mean([one.seconds for one in tries]))
    draw = partial(write_bars, values=shares, label="of the tries", bounds=[ROUNDS])
    return Finding(float(np.mean([one.done for one in tries])), parts, draw)


@claim(
    id="cenydd2012/searching-steps",
    paper="Cenydd 2012 section 6.3, figure 8",
    statement="A leg that finds no foothold at a precipice searches in widening circles for one",
    scene="the tries of rounds-precipice",
    sense="at least",
    expected=FOUND,
    unit="of the legs in limbo",
    why="of all times that a step of a leg ended without a foothold, those in which it searched"
    " until it stood again; a search step that finds nothing leads to a wider one and is no new"
    " time. 0 where there was no limbo. Those still in search when the try ends find none. How they"
    " are counted was changed twice after the first results",
)
def measure_searches() -> Finding:
    told = np.array([count_searches(one.track) for one in list_crossings()])
    limbo, found, steps = (float(x) for x in told.sum(axis=0))
    value = found / limbo if limbo > 0 and steps >= limbo else 0.0
    parts = {"limbo": limbo, "found again": found, "search steps": steps}
    return Finding(value, parts, partial(write_bars, values=parts, label="of 20 tries"))


def count_searches(track: Track) -> tuple[float, float, float]:
    """How often legs were left without a foothold, how often they found one again, and search
    steps. A leg that steps has stood before; what is over within a frame is not seen."""
    states = track.read("leg_state")
    lost = np.isin(states, (SEARCHES, IN_LIMBO))
    begins = lost[1:] & ~lost[:-1]
    ends = lost[:-1] & (states[1:] <= STEPS)
    return float(begins.sum()), float(ends.sum()), float(track.read("leg_searches")[-1].sum())


@claim(
    id="cenydd2012/radial-scale-helps",
    paper="Cenydd 2012 section 8.3",
    statement="Drawing its feet in at an edge, it is faster over it",
    scene="the tries of rounds-precipice, and the same with the radial scale held at 1",
    sense="at most",
    expected=SAVES,
    unit="of the time without",
    why=f"mean time from {-NEAR_EDGE:g} cm before the edge to the sheer side; a try that falls or"
    f" does not get there counts as {CORNER_SECONDS:g} s. At least a twentieth is saved",
)
def measure_radial() -> Finding:
    return compare("radial scale", list_crossings(), list_crossings(radial=False))


def compare(what: str, with_it: list[Crossing], without: list[Crossing]) -> Finding:
    """Mean times with something over those without."""
    groups = {f"with {what}": with_it, f"without {what}": without}
    times = {name: float(np.mean([one.seconds for one in some])) for name, some in groups.items()}
    done = {f"{name}.done": float(np.mean([x.done for x in some])) for name, some in groups.items()}
    fast, slow = times.values()
    return Finding(fast / slow, times | done, partial(write_bars, values=times, label="s"))


@cache
def climb_wall(heading: float, seed: int, bias: bool = True) -> Crossing:
    """From the floor onto a wall; without the bias all legs pitch the body alike."""
    more: dict[str, Any] = {} if bias else {"with": {"thorax": {"frontal_limb_bias": 0.0}}}
    it = put(WALL_START, float(2 * seed), yaw=heading, speed=CORNER_SPEED, name="it", **more)
    scene = build_scene([FLOOR, build_plane([0, 0, 0], [-1, 0, 0], ROUGH)], [it])

    def is_over(now: Now) -> bool:
        return bool(now["it.falls"] > 0) or is_on(now, "it", (-1, 0, 0))

    track = watch(scene, SENSED, seconds=CORNER_SECONDS, seed=seed, until=is_over)["it"]
    on_wall = (track.read("foot_normal")[..., 0] < -0.9) & (track.read("foot_held") > 0)
    since = find_first(np.asarray(on_wall.any(axis=1)), track.time)
    return judge(track, since, is_on(list_last(track), "it", (-1, 0, 0)))


@claim(
    id="cenydd2012/frontal-bias-helps",
    paper="Cenydd 2012 section 5.4",
    statement="With a bias of its pitch to the front legs it climbs onto a wall faster",
    scene=f"a floor and a wall, a tarantula at {CORNER_SPEED:g} cm/s towards it, 5 headings, 2"
    " tries each, with the bias of the species and with none",
    sense="at most",
    expected=SAVES,
    unit="of the time without",
    why="mean time from the first foot on the wall until it is square on it; a try that falls or"
    f" does not get there counts as {CORNER_SECONDS:g} s. At least a twentieth is saved",
)
def measure_bias() -> Finding:
    tries = list(product(APPROACHES, WALL_TRIES))
    with_it = [climb_wall(heading, seed) for heading, seed in tries]
    without = [climb_wall(heading, seed, bias=False) for heading, seed in tries]
    return compare("bias", with_it, without)


@claim(
    id="cenydd2012/slows-before-wall",
    paper="Cenydd 2012 section 5.7",
    statement="Before a vertical wall it brakes by 75 %, the more the nearer the wall is",
    scene="a floor and a wall, a tarantula straight towards it",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: the strongest brake while it is level and sees nothing but the"
    f" wall is within {NEAR_BRAKE:g} of 90/120; the speed that it wants then is as much less,"
    f" within {NEAR_BRAKE:g}; the brake never eases while it comes nearer; and it did slow down, to"
    " half of its speed or less, before it was tilted",
)
def measure_brake() -> Finding:
    track = climb_wall(0, 0).track
    level = track.read("up")[:, 1] > np.cos(np.radians(10))
    level &= np.cumsum(~level) == 0  # before it is tilted for the first time
    facing = np.abs(np.degrees(track.read("sense_angle")) - 90) < FACING
    seen = level & facing
    brake, wanted, speed = (track.read(x) for x in ("brake_sense", "speed_wanted", "speed"))
    if not seen.any():
        return Finding(np.inf, {"frames that see the wall alone": 0.0})
    near = int(np.argmax(np.where(seen, brake, -1.0)))
    free = (
        float(np.median(speed[level & (brake < 0.05)])) if (level & (brake < 0.05)).any() else 0.0
    )
    parts = {
        "brake": float(brake[near]),
        "brake off": abs(float(brake[near]) - BRAKE),
        "wanted off": abs(float(wanted[near]) / CORNER_SPEED - (1 - float(brake[near]))),
        "eases": find_easing(brake[seen], track.read("sense_distance")[seen]),
        "slowed to": float(speed[seen].min()) / free if free > 0 else np.inf,
        "distance, cm": float(track.read("sense_distance")[near]),
    }
    draw = partial(
        write_curves,
        curves=[
            Curve("brake", track.time, brake),
            Curve("speed, of that it is led at", track.time, speed / CORNER_SPEED),
        ],
        labels=("s", ""),
    )
    limits = {"brake off": NEAR_BRAKE, "wanted off": NEAR_BRAKE}
    limits |= {"eases": 0.02, "slowed to": 0.5}
    found = find_worst(parts, at_most=limits)
    return Finding(found.value, found.parts, partial(draw, bounds=[BRAKE]))


def find_easing(brake: np.ndarray, distance: np.ndarray) -> float:
    """The most that the brake falls from a frame to the next in which what is seen is nearer."""
    nearer = np.diff(distance) < 0
    return float(np.maximum(-np.diff(brake)[nearer], 0).max(initial=0.0))
