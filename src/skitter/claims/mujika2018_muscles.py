"""Past Mujika 2018, whose section 9 leaves it open: worms that crawl by their muscles alone."""

import numpy as np

from skitter.claims.mujika2018_scenes import MUSCLE_SECONDS as SECONDS
from skitter.claims.mujika2018_scenes import (
    NAME,
    ON_IT,
    REFLEX_SECONDS,
    crawl,
    crawl_by_mode,
    crawl_by_muscles,
    lead,
    load_worm,
)
from skitter.claims.registry import Finding, claim, find_worst
from skitter.measure import worm
from skitter.measure.worm import Track, read_track

PAPER = "past Mujika 2018 section 9"
TURN = 25.0  # degrees/s, nearly the sharpest that may be asked for
MESHES = {"half": 30, "twice": 116}  # slabs; 58 by default
REFLEX = "creatures.0.species=c_elegans_reflex"


@claim(
    id="mujika2018/muscle-crawl",
    paper=PAPER,
    statement="Contraction of the muscles alone, in a travelling wave, makes the worm crawl",
    scene=f"worm_muscles, {SECONDS:g} s",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: at least 0.1 of a body length forward in a cycle, and a wave"
    " that runs from head to tail, 0.9 of 1",
)
def measure_muscle_crawl() -> Finding:
    parts = tell(crawl_by_muscles())
    return find_worst(parts, at_least={"way per cycle": 0.1, "wave direction": 0.9})


def tell(track: Track) -> dict[str, float]:
    return {
        "way per cycle": worm.way_per_cycle(track),
        "wave direction": worm.wave_direction(track),
        "speed, cm/s": worm.crawl_speed(track),
        "frequency, Hz": worm.crawl_frequency(track),
        "waves": worm.waves_per_body(track),
    }


@claim(
    id="mujika2018/muscle-backward",
    paper=PAPER,
    statement="A wave that runs the other way makes it crawl backward",
    scene=f"worm_muscles, led backward at the pace of its species, {SECONDS:g} s",
    sense="at most",
    expected=-0.1,
    unit="body lengths",
    why="way per cycle, as far as it must crawl forward",
)
def measure_muscle_backward() -> Finding:
    parts = tell(lead("worm_muscles", -load_worm("worm_muscles").pace))
    return Finding(parts["way per cycle"], parts)


@claim(
    id="mujika2018/muscle-turn",
    paper=PAPER,
    statement="More activity on one side turns the worm to that side",
    scene=f"worm_muscles, led straight on and to either side at {TURN:g} degrees/s, {SECONDS:g} s",
    sense="at least",
    expected=1.0,
    unit="deg/s",
    why="how fast the heading over a cycle turns to the side asked for, the slower of both; at a"
    " degree a second it has turned round in three minutes",
)
def measure_muscle_turn() -> Finding:
    pace = load_worm("worm_muscles").pace
    turns = {"straight": 0.0, "left": TURN, "right": -TURN}
    parts = {}
    for side, turn in turns.items():
        change = f"creatures.0.commands=[{{speed: {pace}, turn_deg: {turn}}}]"
        track = crawl_by_muscles("worm_muscles", *([change] if turn else []))
        parts[f"{side}.deg/s to the left"] = find_yaw_rate(track)
    _, left, right = parts.values()
    return Finding(float(np.min([left, -right])), parts)


def find_yaw_rate(track: Track) -> float:
    """How fast the heading turns to the left, degrees/s, each heading that of a whole cycle."""
    if track.cycles is None:
        return np.nan
    headings = track.cycles.headings
    angle = np.unwrap(np.arctan2(-headings[:, 2], headings[:, 0]))  # z is to the right
    seconds = float(np.median(np.diff(track.even[0]))) * np.arange(len(angle))
    return float(np.degrees(np.polyfit(seconds, angle, 1)[0]))


@claim(
    id="mujika2018/medium-adapts",
    paper=f"{PAPER}; Fang-Yen et al. 2010, Boyle et al. 2012",
    statement="Bends that follow what the body feels are faster and longer in water than on agar",
    scene=f"worm_swimming, and worm_muscles driven by reflexes, {REFLEX_SECONDS:g} s each",
    sense="at least",
    expected=1.0,
    why="the smaller of two ratios: frequency in water over that on agar, and waves per body on"
    " agar over those in water. That is the direction only: real worms in water beat 1.7 to 2 times"
    " a second, five times as fast as on agar, with waves more than twice as long",
)
def measure_adaptation() -> Finding:
    swim = crawl("worm_swimming", REFLEX_SECONDS)
    creep = crawl("worm_muscles", REFLEX_SECONDS, REFLEX)
    found = {name: tell(read_track(one, NAME)) for name, one in (("water", swim), ("agar", creep))}
    parts = {f"{name}.{key}": value for name, one in found.items() for key, value in one.items()}
    faster = parts["water.frequency, Hz"] / parts["agar.frequency, Hz"]
    longer = parts["agar.waves"] / parts["water.waves"]
    return Finding(float(np.min([faster, longer])), parts)


@claim(
    id="mujika2018/mesh-scale",
    paper=PAPER,
    statement="How far the muscles take the worm does not hang on the mesh",
    scene=f"worm_muscles with 30, 58 and 116 slabs of tetrahedra, {SECONDS:g} s",
    sense="at most",
    expected=0.15,
    why="largest change of the way per cycle, relative, with half and twice the tetrahedra",
)
def measure_mesh() -> Finding:
    ways = {"default": worm.way_per_cycle(crawl_by_muscles())}
    for name, slabs in MESHES.items():
        track = crawl_by_muscles("worm_muscles", f"{ON_IT}.body.slabs={slabs}")
        ways[name] = worm.way_per_cycle(track)
    return tell_change(ways)


@claim(
    id="mujika2018/mesh-scale-mode",
    paper="Mujika 2018 section 8, figure 7 d",
    statement="How far the mode takes the worm does not hang on the mesh",
    scene="worm with 30, 58 and 116 slabs of tetrahedra, 6 s",
    sense="at most",
    expected=0.15,
    why="largest change of the way per cycle, relative, with half and twice the tetrahedra",
)
def measure_mesh_mode() -> Finding:
    ways = {"default": worm.way_per_cycle(crawl_by_mode())}
    for name, slabs in MESHES.items():
        track = crawl_by_mode("worm", f"{ON_IT}.body.slabs={slabs}")
        ways[name] = worm.way_per_cycle(track)
    return tell_change(ways)


def tell_change(ways: dict[str, float]) -> Finding:
    """The largest change from the default, relative; nan where one is not known."""
    changes = [abs(ways[name] / ways["default"] - 1) for name in MESHES]
    return Finding(float(np.max(changes)), {f"{name}.way": way for name, way in ways.items()})
