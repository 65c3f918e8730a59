"""Claims of McKenna 1990 about walks: how fast, how straight, over hills, without a leg."""

from functools import partial

import numpy as np

from skitter.claims.mckenna1990_scenes import ON_IT, walk, walk_whole
from skitter.claims.registry import Finding, claim
from skitter.measure import articulated
from skitter.measure.articulated import Walk
from skitter.measure.articulated_balance import (
    falls,
    support_margin,
    trunk_touch_share,
)
from skitter.measure.articulated_effort import slip_speed, stuck_share
from skitter.measure.articulated_steps import load_reflexes, step_reflexes, stride_frequency
from skitter.measure.body import build_ground
from skitter.measure.plot import Curve, Plot, write_curves

SECONDS = 4.0
SLIDING, STICKY = 5.5, 8.0  # cm/s, the paper's
NEAR = 0.25
HILL_SECONDS, LESION_SECONDS = 6.0, 5.0
WITHOUT_LOAD = f"{ON_IT}.gait.reflexes.load.on=false"
LEVEL = "terrain=[{shape: plane, friction: 0.7}]"


@claim(
    id="mckenna1990/tripod-speed",
    paper="McKenna 1990 section 4.2, figure 7",
    statement="The hexapod walks by the tripod gait over level ground at 5.5 cm/s, with friction"
    " of 0.7",
    scene=f"roach_tripod, {SECONDS:g} s",
    sense="equals",
    expected=SLIDING,
    tolerance=NEAR * SLIDING,
    unit="cm/s",
    why="within 25 %; the centre of mass, from its place when all legs have stepped to its last",
)
def measure_speed() -> Finding:
    one = walk("roach_tripod", SECONDS)
    parts = tell(one)
    return Finding(parts["speed, cm/s"], parts, draw_way({"tripod": one}))


@claim(
    id="mckenna1990/sticky-faster",
    paper="McKenna 1990 section 4.2",
    statement="With sticky pads under its feet it walks at 8.0 cm/s, faster than with sliding ones",
    scene=f"roach_sticky and roach_tripod, {SECONDS:g} s each",
    sense="equals",
    expected=STICKY,
    tolerance=NEAR * STICKY,
    unit="cm/s",
    why="within 25 %; 0 where it is no faster than with sliding feet",
)
def measure_sticky() -> Finding:
    walks = {name: walk(f"roach_{name}", SECONDS) for name in ("sticky", "tripod")}
    parts = {f"{name}.{key}": x for name, one in walks.items() for key, x in tell(one).items()}
    speed = parts["sticky.speed, cm/s"]
    value = speed if speed > parts["tripod.speed, cm/s"] else 0.0
    return Finding(value, parts, draw_way(walks))


def tell(one: Walk) -> dict[str, float]:
    """How it walks."""
    return {
        "speed, cm/s": articulated.ground_speed(one),
        "forward, cm/s": articulated.forward_speed(one),
        "straightness": articulated.straightness(one),
        "slip, cm/s": slip_speed(one),
        "stuck": stuck_share(one),
        "margin, cm": support_margin(one),
        "trunk on the ground": trunk_touch_share(one),
        "falls": falls(one),
    }


def draw_way(walks: dict[str, Walk]) -> Plot:
    """Forward over time."""
    curves = [
        Curve(name, one.time - one.time[0], one.ground_path[:, 0] - one.ground_path[0, 0])
        for name, one in walks.items()
    ]
    return partial(write_curves, curves=curves, labels=("s", "cm forward"))


@claim(
    id="mckenna1990/zigzag",
    paper="McKenna 1990 section 4.2",
    statement="By the tripod gait it wobbles from side to side, once in a stride",
    scene=f"roach_tripod, {SECONDS:g} s",
    sense="at least",
    expected=0.5,
    unit="of the sway's power",
    why="share of the power within 15 % of the frequency of strides, more than all others together;"
    " 0 where the sway is less than a thousandth of the body's length, 0.003 cm",
)
def measure_zigzag() -> Finding:
    one = walk("roach_tripod", SECONDS)
    parts = {
        "share at strides": articulated.wobble_stride_share(one),
        "sway, cm": articulated.wobble(one),
        "sway, Hz": articulated.wobble_frequency(one),
        "strides, Hz": stride_frequency(one),
        "yaw, deg": float(np.degrees(articulated.yaw_wobble(one))),
        "yaw share at strides": articulated.yaw_wobble_stride_share(one),
    }
    seen = parts["sway, cm"] > 1e-3 * float(one.static("body_length"))
    path = one.ground_path
    draw = partial(write_curves, curves=[Curve("centre of mass", path[:, 0], path[:, 1])])
    value = parts["share at strides"] if seen else 0.0
    return Finding(value, parts, partial(draw, labels=("cm forward", "cm to the right")))


@claim(
    id="mckenna1990/uneven-by-compliance",
    paper="McKenna 1990 section 4.2, figure 8",
    statement="It crosses hills with the motor programs of level ground; only its springs yield",
    scene=f"roach_hills, {HILL_SECONDS:g} s, and the same on a plane",
    sense="at least",
    expected=0.5,
    unit="of the way on level ground",
    why="how far ahead it gets in the same time; the paper shows that it crosses and gives no"
    " number. 0 where it falls",
)
def measure_hills() -> Finding:
    walks = {
        "hills": walk_whole("roach_hills", HILL_SECONDS),
        "level": walk_whole("roach_hills", HILL_SECONDS, LEVEL),
    }
    ways = {
        name: float(one.ground_path[-1, 0] - one.ground_path[0, 0]) for name, one in walks.items()
    }
    fell = falls(walks["hills"])
    parts = {f"{name}.way, cm": way for name, way in ways.items()}
    parts |= {"hills.falls": fell, **tell_ground(walks["hills"])}
    value = ways["hills"] / ways["level"] if fell == 0 else 0.0
    return Finding(value, parts, draw_way(walks))


def tell_ground(one: Walk) -> dict[str, float]:
    """How uneven the ground was under its feet."""
    feet = one.read("foot_position")
    gap = build_ground(one.recording).sample(feet.reshape(-1, 3))[0].reshape(feet.shape[:2])
    ground = feet[..., 1] - gap  # nearly: the way to a slope is a little shorter than down
    return {
        "hills.rise of ground under a foot, cm": float(np.ptp(ground, axis=0).max()),
        "hills.rise between feet, cm": float(np.ptp(ground, axis=1).max()),
        "hills.tilt, deg": float(np.degrees(np.arccos(one.root_axes[:, 1, 1].clip(-1, 1))).max()),
    }


@claim(
    id="mckenna1990/lesion",
    paper="McKenna 1990 section 4.1",
    statement="A hexapod that has lost a leg walks on when legs that bear much do not step",
    scene=f"roach_lesion, {LESION_SECONDS:g} s, and the same without the load reflex",
    sense="at least",
    expected=1.0,
    unit="cm/s",
    why="the slower of two: from its first place to its last, so that going in circles does not"
    " count, and along where it heads, so that going sideways does not. A third of its length in a"
    " second, as the paper has no number. 0 where it falls. The walk without the reflex is told"
    " beside it",
)
def measure_lesion() -> Finding:
    walks = {
        "with load reflex": walk("roach_lesion", LESION_SECONDS),
        "without": walk("roach_lesion", LESION_SECONDS, WITHOUT_LOAD),
    }
    parts: dict[str, float] = {}
    for name, one in walks.items():
        told = tell(one) | {
            "load reflexes": load_reflexes(one),
            "step reflexes": step_reflexes(one),
        }
        parts |= {f"{name}.{key}": value for key, value in told.items()}
    fell = parts["with load reflex.falls"]
    speeds = [parts[f"with load reflex.{key}, cm/s"] for key in ("speed", "forward")]
    value = float(np.min(speeds)) if fell == 0 else 0.0
    return Finding(value, parts, draw_way(walks))
