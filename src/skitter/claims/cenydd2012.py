"""Claims of Cenydd 2012 about the gait: who is up, how tetrapods emerge, and levels of detail."""

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from skitter.claims.cenydd2012_scenes import FLOOR, TARANTULA, build_scene, put
from skitter.claims.registry import Finding, claim, find_worst
from skitter.measure.articulated import Walk
from skitter.measure.climber_gait import (
    alternation_concentration,
    alternation_phase,
    alternation_purity,
    few_feet_share,
    legs_down_min,
)
from skitter.measure.plot import write_bars
from skitter.runner import run
from skitter.scene.load import load_scene
from skitter.species.climber import ClimberSpec
from skitter.world.world import World

if TYPE_CHECKING:
    from skitter.record import Recording

HALF = 0.5  # of the legs
SETTLED = 0.5  # s, until when it finds its stride
SUPPORT_SECONDS, GAIT_SECONDS = 6.0, 14.0
WALKERS = (TARANTULA, "ant", "skitterling")  # eight legs, six and ten
ROUGH_GROUND = {
    "shape": "heightfield",
    "random": {"count": 300, "height": [0.2, 1.2], "width": [2, 5], "area": [160, 160], "seed": 5},
    "friction": 1.5,
}
SLOW = 0.15  # of its largest speed
ALTERNATES, FREER = 0.6, 1.2  # how much phases agree at speed, and how much less when slow
NEAR_HALF = 0.1  # cycles
SWITCHES = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4)  # s
SWITCH_SPEEDS = (3.0, 8.0)  # cm/s
SEEN = 0.02  # of a leg's length


def load_climber(name: str) -> ClimberSpec:
    """A species of the library, at its own scale."""
    found = load_scene(build_scene([FLOOR], [{"species": name}])).species[0]
    assert isinstance(found, ClimberSpec)
    return found.to_scale()


def follow(recording: "Recording", name: str, since: float = SETTLED) -> Walk:
    """A creature of a recording from some time on."""
    first = int(np.searchsorted(recording.time, since - 1e-9))
    return Walk(recording, name, slice(first, recording.frame_count))


@claim(
    id="cenydd2012/half-supported",
    paper="Cenydd 2012 sections 6 and 6.2",
    statement="While it walks, at least half of the legs stay on the surface",
    scene="a tarantula, an ant and a ten-legged invention at their largest speed on level ground"
    f" and wandering over hills, {SUPPORT_SECONDS:g} s each",
    sense="at least",
    expected=HALF,
    unit="of the legs",
    why="the fewest that are down at any moment from half a second on, by the times of single"
    " steps, which are exact, in the worst of the six; 0 where one has fallen",
)
def measure_support() -> Finding:
    parts = {}
    for ground, terrain in {"level": FLOOR, "hills": ROUGH_GROUND}.items():
        recording = run(build_scene([terrain], list_walkers(ground == "level")), seconds=6.0)
        for name in WALKERS:
            one = follow(recording, name)
            legs = one.read("foot_held").shape[1]
            fell = one.read("falls")[-1] > one.read("falls")[0]
            share = legs_down_min(one) / legs
            parts[f"{name}, {ground}.legs down"] = 0.0 if fell else share
            parts[f"{name}, {ground}.time with fewer"] = few_feet_share(one)
    down = {name: value for name, value in parts.items() if name.endswith("down")}
    draw = partial(write_bars, values=down, label="of the legs", bounds=[HALF])
    return Finding(min(down.values()), parts, draw)


def list_walkers(led: bool) -> list[dict[str, Any]]:
    """One of each, side by side."""
    return [
        put(0.0, 30.0 * k, species=name, name=name, speed=find_speed(name) if led else None)
        for k, name in enumerate(WALKERS)
    ]


@cache
def find_speed(name: str) -> float:
    """Its largest speed, cm/s."""
    return load_climber(name).steering.max_speed


@claim(
    id="cenydd2012/tetrapod-emerges",
    paper="Cenydd 2012 section 6.2",
    statement="At high speeds the rule of neighbours forces legs into alternating tetrapods (of"
    " insects: tripods); at slow speeds the pattern is freer",
    scene=f"a tarantula and an ant on level ground, {GAIT_SECONDS:g} s at their largest speed and"
    f" at {SLOW:g} of it",
    sense="at most",
    expected=1.0,
    why="worst share of its limit: at speed, phases of legs R1, L2, R3, R4 after L1, R2, L3, R4"
    f" agree by {ALTERNATES:g} at least (1: always the same, 0: any) and are"
    f" {NEAR_HALF:g} cycles or less from half a cycle; and they agree {FREER:g} times as much as"
    " when slow. The paper shows it and gives no number",
)
def measure_gait() -> Finding:
    parts: dict[str, float] = {}
    for name in (TARANTULA, "ant"):
        told = {pace: tell_gait(name, share) for pace, share in {"fast": 1.0, "slow": SLOW}.items()}
        fast, slow = told["fast"], told["slow"]
        parts |= {
            f"{name}, {pace}.{key}": x for pace, one in told.items() for key, x in one.items()
        }
        parts[f"{name}.agreement at speed"] = fast["agreement"]
        parts[f"{name}.agreement over that when slow"] = fast["agreement"] / slow["agreement"]
        parts[f"{name}.from half"] = abs(fast["phase"] - 0.5)
    return find_worst(
        parts,
        at_least={"agreement at speed": ALTERNATES, "agreement over that when slow": FREER},
        at_most={"from half": NEAR_HALF},
    )


def tell_gait(name: str, share: float) -> dict[str, float]:
    """How the two groups of legs of a climber step, at a share of its largest speed."""
    scene = build_scene(
        [FLOOR], [put(0.0, species=name, name="one", speed=share * find_speed(name))]
    )
    one = follow(run(scene, seconds=GAIT_SECONDS), "one", since=1.0)
    return {
        "agreement": alternation_concentration(one),
        "phase": alternation_phase(one),
        "of one group": alternation_purity(one),
        "speed, cm/s": float(one.read("speed").mean()),
    }


@claim(
    id="cenydd2012/switching-unseen",
    paper="Cenydd 2012 section 6.4",
    statement="One cannot see when it switches between kinematic and dynamic simulation",
    scene=f"a tarantula on hills at {SWITCH_SPEEDS[0]:g} and {SWITCH_SPEEDS[1]:g} cm/s; at eight"
    " moments the same state goes on in both ways",
    sense="at most",
    expected=SEEN,
    unit="of a leg's length",
    why="the farthest that a foot, or the middle of any segment of a leg, is from where the other"
    " way has it a frame after the switch, of the mean length of its legs; a fork of one state, as"
    " two walks that began apart would differ by more than the switch. Legs that lift or come down"
    " in that very frame are told apart, as the two ways know when by steps of 1/500 s and 1/120 s,"
    " in which a foot goes farther; with them it is 0.03. That was decided after a result",
)
def measure_switch() -> Finding:
    parts, others = {}, {}
    for speed in SWITCH_SPEEDS:
        for before, after in (("kinematic", "full"), ("full", "kinematic")):
            name = f"{speed:g} cm/s, {before} to {after}"
            parts[name], others[f"{name}, all legs"] = compare_ways(speed, before, after)
    return Finding(max(parts.values()), parts | others)


def compare_ways(speed: float, before: str, after: str) -> tuple[float, float]:
    """The farthest that two ways to go on are apart after a frame, of a leg's length: of legs that
    do not lift or come down meanwhile, and of all."""
    kept, switched = (build_walker(speed, level) for level in (before, after))
    gaps = []
    try:
        for moment in SWITCHES:
            kept.advance(moment - kept.time)
            state = np.array(kept.read()["it.leg_state"])
            switched.restore(kept.state())
            kept.advance()
            switched.advance()
            gaps.append(find_gaps(kept, switched, state))
    finally:
        kept.close()
        switched.close()
    steady, whole = np.max(gaps, axis=0)
    return float(steady), float(whole)


def build_walker(speed: float, level: str) -> World:
    it = put(0.0, name="it", speed=speed) | {"with": {"detail": {"level": level}}}
    return World.from_scene(build_scene([ROUGH_GROUND], [it]))


def find_gaps(one: World, other: World, state: np.ndarray) -> tuple[float, float]:
    """Of feet and of the middles of legs' segments, of the mean length of legs: of legs that are in
    this state in both worlds, and of all."""
    here, there = one.read(), other.read()
    statics = {static.name: np.asarray(static.values) for static in one.statics()}
    of_leg = statics["it.body_leg"]
    legs = statics["it.body_segment"] >= 0
    steady = (here["it.leg_state"] == state) & (there["it.leg_state"] == state)
    feet = np.linalg.norm(here["it.foot_position"] - there["it.foot_position"], axis=1)
    parts = here["it.body_position"][legs] - there["it.body_position"][legs]
    middles = np.linalg.norm(parts, axis=1)
    length = float(statics["it.leg_length"].mean())
    both = float(max(feet.max(), middles.max()))
    calm = float(max(feet[steady].max(initial=0), middles[steady[of_leg[legs]]].max(initial=0)))
    return calm / length, both / length
