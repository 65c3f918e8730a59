"""One law of friction for every pair of surfaces: the product of their numbers.

A body that is put on a slope and left alone stays where tan(slope) is 0.98 of the product, and
slides where it is 1.02 of it, down at g (sin - mu cos). Of the pairs below no other way to combine
two numbers (their root, mean, larger or smaller one) comes within a tenth of the product.
"""

import numpy as np
import pytest

from skitter.creatures.climber.engine import Engine
from skitter.creatures.climber.rig import describe
from skitter.creatures.climber.shapes import BALL, BOX_SHAPE, BlockShape
from skitter.friction import pair_friction
from skitter.rotation import matrix_from_turn
from skitter.scene.spec import PlaneTerrain
from skitter.terrain import build_terrain
from skitter.world import World

G = 981.0  # cm/s²
PAIRS = [(0.5, 0.6), (0.9, 0.8)]  # of a body and of the ground
BELOW, ABOVE = 0.98, 1.02  # of the tangent
NOTHING = build_terrain([]).arrays
FAR_BALL = {"shape": "sphere", "at": [0, -500, 0], "radius": 1}  # ground is then no single plane
LEGS = [f"{side}_{pair}" for side in ("left", "right") for pair in ("front", "middle", "hind")]

FREE = {"start": "free"}
# damped so much that the elastic flutter of what slides dies away, which shakes it loose too early
SOFT = {"young": 40000, "damping": 2000}
FLAT_JELLY = [{"name": "cube", "shape": "jelly", "size": [1, 0.4, 1], "cells": [4, 2, 4]}]
# species, its changes by its friction, cm above the ground, cm/s² of gravity, other fields
BODIES = {
    "cube": ("cube", lambda own: {"friction": own}, 0.5, G, FREE),
    "chain": ("chain", lambda own: {"friction": own}, 0.25, 9.8, FREE),
    "jelly": (
        "jelly_cube",
        lambda own: {"friction": own, "parts": FLAT_JELLY, "material": SOFT},
        0.2,
        G,
        FREE,
    ),
    "eel": (
        "eel",
        lambda own: {"friction": own, "swim": {"length": [1, 1]}},
        0.45,
        G,
        FREE,
    ),
    "block": ("block", lambda own: {"friction": own}, 1.0, G, FREE),
}


def test_the_law_is_the_product():
    assert pair_friction(0.5, 0.6) == 0.3
    assert pair_friction(1.0, 0.7) == 0.7
    assert pair_friction(0.0, 5.0) == pair_friction(5.0, 0.0) == 0.0


def build_slope(slope: float, species: str, changes: dict, ground: float, height: float, **more):
    """A world with one creature `it` on a plane that falls towards x, and towards its head."""
    normal = np.array([np.sin(slope), np.cos(slope), 0.0])
    terrain = [{"shape": "plane", "normal": normal.tolist(), "friction": ground}]
    terrain += more.pop("terrain", [])
    gravity, rate = more.pop("gravity", G), more.pop("frame_rate", 200)
    placed = {
        "species": species, "name": "it", "with": changes, "at": (height * normal).tolist(),
        "turn_deg": [0, 0, -np.degrees(slope)], **more,
    }  # fmt: skip
    scene = {"title": "t", "gravity": gravity, "frame_rate": rate, "terrain": terrain}
    return World.from_scene(scene | {"creatures": [placed]}, threads=1)


def find_middle(world: World) -> np.ndarray:
    row = world.read()
    return np.mean(row["it.body_position" if "it.body_position" in row else "it.node_position"], 0)


def measure_speeds(world: World, slope: float, seconds: float) -> tuple[float, float]:
    """Down the slope, cm/s: over an eighth of the time in its middle, and as much at its end."""
    down, found = np.array([np.cos(slope), -np.sin(slope), 0.0]), []
    for wait in (seconds / 2, seconds / 4):
        world.advance(wait)
        before = find_middle(world) @ down
        world.advance(seconds / 8)
        found.append(8 * (find_middle(world) @ down - before) / seconds)
    return found[0], found[1]


def compute_pull(mu: float, slope: float) -> float:
    """Acceleration down a slope against Coulomb's friction, cm/s²."""
    return G * (np.sin(slope) - mu * np.cos(slope))


def find_mu(gained: float, slope: float, gravity: float = G) -> float:
    """The coefficient by which something gains so much speed down a slope, cm/s²."""
    return np.tan(slope) - gained / (gravity * np.cos(slope))


@pytest.mark.parametrize(("own", "ground"), PAIRS)
@pytest.mark.parametrize("terrain", [[], [FAR_BALL]], ids=["plane", "any"])
@pytest.mark.parametrize("body", BODIES)
def test_a_body_left_on_a_slope_slides_from_the_product_on(body, terrain, own, ground):
    species, change, height, gravity, placement = BODIES[body]
    mu, seconds = own * ground, 1.0 * (G / gravity) ** 0.5
    more = {"terrain": terrain, "gravity": gravity, **placement}
    for share in (BELOW, ABOVE):
        slope = np.arctan(share * mu)
        world = build_slope(slope, species, change(own), ground, height, **more)
        first, last = measure_speeds(world, slope, seconds)
        if share == ABOVE:
            gained = (last - first) / (3 / 8 * seconds)
            assert find_mu(gained, slope, gravity) == pytest.approx(mu, rel=0.005)
        else:  # what it would have gained on ice of the same slope
            assert abs(last) < 1e-3 * gravity * np.sin(slope) * seconds


@pytest.mark.parametrize(("own", "ground"), [(0.5, 0.6), (0.9, 0.4)])
@pytest.mark.parametrize("share", [BELOW, ABOVE])
def test_a_millipede_on_its_back_slides_against_the_product(own, ground, share):
    """No leg holds it; it comes down sliding, and is braked or not."""
    slope = np.arctan(share * own * ground)
    turn = [180, 0, -np.degrees(slope)]
    more = {"start": "free", "turn_deg": turn}
    world = build_slope(slope, "millipede", {"friction": own}, ground, 1.0, **more)
    first, last = measure_speeds(world, slope, 0.4)
    assert find_mu((last - first) / 0.15, slope) == pytest.approx(own * ground, rel=0.01)
    assert (last > first) == (share == ABOVE)


@pytest.mark.parametrize(("own", "ground"), PAIRS)
@pytest.mark.parametrize("way", ["forward", "backward"])
def test_a_worm_left_on_a_slope_slides_from_the_product_on(way, own, ground):
    """Across and the other way it holds. Implicit steps let a slow slip grow slowly: where it
    slides, it is a thousand times as fast as where it stays."""
    grip = {"forward": 3.0, "backward": 3.0, "across": 3.0, "film": 0.0, way: own}
    changes = {
        "grip": grip, "crawl": {"alpha": 0}, "body": {"slabs": 16, "around": 8},
        "medium": {"along": 0, "across": 0},
    }  # fmt: skip
    sign, speeds = 1 if way == "forward" else -1, []  # head or tail downhill
    for share in (BELOW, ABOVE):
        slope = sign * np.arctan(share * own * ground)
        world = build_slope(slope, "c_elegans", changes, ground, 0.004, frame_rate=50)
        speeds.append(sign * np.array(measure_speeds(world, slope, 1.0)))
    (_, stays), (first, last) = speeds
    assert abs(stays) < 1e-3 * last
    assert last > 1.5 * first > 0


@pytest.mark.parametrize(("own", "ground"), PAIRS)
def test_a_roach_without_legs_creeps_below_the_product_and_slides_from_it_on(own, ground):
    """Below `slip` friction is mu N v / slip: the belly creeps at slip tan(slope) / mu."""
    mu, slip = own * ground, 2.0
    changes = {"contact": {"friction": own, "slip": slip}, "remove": LEGS}
    for share in (BELOW, ABOVE):
        slope = np.arctan(share * mu)
        world = build_slope(slope, "roach", changes, ground, 0.5, start="free")
        first, last = measure_speeds(world, slope, 1.0)
        if share == BELOW:
            assert last == pytest.approx(first, abs=1e-3)
            assert last == pytest.approx(slip * share, rel=0.1)
        else:
            assert find_mu((last - first) / 0.375, slope) == pytest.approx(mu, rel=0.005)


# --- climbers and objects, in the rigid-body engine

STIFF = 30.0  # times the strength of a climber's joints: it is one piece then


def build_floor(slope: float, friction: float):
    normal = (float(np.sin(slope)), float(np.cos(slope)), 0.0)
    return build_terrain([PlaneTerrain(shape="plane", normal=normal, friction=friction)]).arrays


def list_axes(slope: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Down a slope and up from it, and the turn of what lies on it."""
    down = np.array([np.cos(slope), -np.sin(slope), 0.0])
    up = np.array([np.sin(slope), np.cos(slope), 0.0])
    return down, up, matrix_from_turn((0, 0, -np.degrees(slope)))


def run(engine: Engine, seconds: float, ground) -> None:
    for _ in range(round(seconds / engine.seconds)):
        engine.step(ground, NOTHING)


def load_member(species: str, friction: float):
    creature = {"species": species, "name": "it", "at": [0, 5, 0], "with": {"friction": friction}}
    scene = {"title": "t", "terrain": [{"shape": "plane"}], "creatures": [creature]}
    return describe(World.from_scene(scene, threads=1).creatures[0])


def find_lowest(engine: Engine, up: np.ndarray) -> float:
    """Of all capsules and ellipsoids of a climber along a direction, cm."""
    model, data, found = engine.model, engine.data, []
    for geom in range(model.ngeom - model.nmocap):
        n, size = data.geom_xmat[geom].reshape(3, 3).T @ up, model.geom_size[geom]
        is_round = model.geom_type[geom] == 4  # an ellipsoid
        reach = np.linalg.norm(size * n) if is_round else size[0] + size[1] * abs(n[2])
        found.append(data.xpos[model.geom_bodyid[geom]] @ up - reach)
        found[-1] += (data.geom_xpos[geom] - data.xpos[model.geom_bodyid[geom]]) @ up
    return min(found)


def lay_down(species: str, own: float, slope: float, on_back: bool) -> Engine:
    """A climber that holds on to nothing, at rest on a slope of endless friction."""
    _, up, tilt = list_axes(slope)
    engine = Engine([load_member(species, own)], gravity=G)
    body, orders = engine.bodies[0], engine.orders[0]
    body.turn[:], body.place[:] = tilt @ matrix_from_turn((180.0 * on_back, 0, 0)), 20 * up
    orders.weight[0], orders.strength[0] = 1.0, STIFF
    engine.read_in()
    import mujoco

    mujoco.mj_forward(engine.model, engine.data)
    body.place[:] -= (find_lowest(engine, up) - 1e-3) * up
    engine.read_in()
    run(engine, 1.0, build_floor(slope, 50.0))
    return engine


def find_centre(engine: Engine) -> np.ndarray:
    mass = engine.model.body_mass
    return mass @ engine.data.xipos / mass.sum()


@pytest.mark.parametrize(("own", "ground"), PAIRS)
@pytest.mark.parametrize("on_back", [False, True], ids=["feet", "back"])
@pytest.mark.parametrize("species", ["tarantula", "beetle"])
def test_a_climber_that_lets_go_slides_from_the_product_on(species, on_back, own, ground):
    """On feet that nothing holds, and on its back. Soft contacts creep, by far less than it slides:
    in 0.8 s at a hundredth of g."""
    for share in (BELOW, ABOVE):
        slope = np.arctan(share * own * ground)
        down, _, _ = list_axes(slope)
        engine, floor = lay_down(species, own, slope, on_back), build_floor(slope, ground)
        run(engine, 0.8, floor)
        before = find_centre(engine) @ down
        run(engine, 0.2, floor)
        speed = (find_centre(engine) @ down - before) / 0.2
        pull = compute_pull(own * ground, slope)
        assert speed > 0.8 * 0.8 * pull if share == ABOVE else abs(speed) < 0.2


@pytest.mark.parametrize("own", [0.5, 0.9])
@pytest.mark.parametrize("other", [0.7, 0.8])
def test_a_block_on_a_block_slides_from_the_product_on(own, other):
    """A small one on a large flat one, which the ground holds."""
    small = BlockShape(BOX_SHAPE, (2.0, 1.0, 2.0), 2.0, own)
    large = BlockShape(BOX_SHAPE, (40.0, 1.0, 20.0), 400.0, other)
    mu = own * other
    for share in (BELOW, ABOVE):
        slope = np.arctan(share * mu)
        down, up, tilt = list_axes(slope)
        engine = Engine([], [large, small], gravity=G)
        for state, height in zip(engine.blocks, (0.5, 1.5), strict=True):
            state.place[:], state.turn[:] = height * up, tilt
        engine.read_in()
        floor = build_floor(slope, 10.0)
        run(engine, 0.2, floor)
        before = engine.blocks[1].velocity @ down
        run(engine, 0.4, floor)
        held, slid = (state.velocity @ down for state in engine.blocks)
        assert abs(held) < 0.1
        if share == ABOVE:
            assert find_mu((slid - before) / 0.4, slope) == pytest.approx(mu, rel=0.01)
        else:
            assert abs(slid) < 0.1


def list_frictions(engine: Engine) -> dict[frozenset[str], float]:
    """What counts between two bodies that touch, by their names in the model."""
    model, contact = engine.model, engine.data.contact
    names = [model.body(model.body_rootid[model.geom_bodyid[g]]).name for g in range(model.ngeom)]
    return {
        frozenset(names[g] for g in pair): float(friction[0])
        for pair, friction in zip(contact.geom, contact.friction, strict=True)
    }


def test_every_contact_of_the_engine_has_the_product():
    """Climber and climber, climber and block, block and block, block and ground, at once."""
    members = [load_member("tarantula", 0.6), load_member("beetle", 0.9)]
    blocks = [
        BlockShape(BOX_SHAPE, (6.0, 6.0, 6.0), 50.0, 0.5),
        BlockShape(BALL, (6.0, 6.0, 6.0), 50.0, 0.7),
    ]
    engine = Engine(members, blocks, gravity=0.0)
    places = [(0, 6, 0), (0.2, 6.1, 0), (0, 2.99, 0), (0, 2.99, 5.9)]
    for one, at in zip([*engine.bodies, *engine.blocks], places, strict=True):
        one.place[:] = at
    engine.read_in()
    engine.step(build_floor(0.0, 0.8), NOTHING)
    found = list_frictions(engine)
    wanted = {
        ("m0", "m1"): 0.6 * 0.9, ("m0", "b0"): 0.6 * 0.5, ("m1", "b0"): 0.9 * 0.5,
        ("b0", "b1"): 0.5 * 0.7, ("b0", ""): 0.5 * 0.8, ("b1", ""): 0.7 * 0.8,
    }  # fmt: skip
    assert {pair: found.get(frozenset(pair)) for pair in wanted} == pytest.approx(wanted)


def test_without_other_friction_the_step_is_the_one_of_the_engine():
    """To the last bit: where all numbers are 1, products are what the engine would take."""
    import mujoco

    blocks = [BlockShape(BOX_SHAPE, (2.0, 2.0, 2.0), 4.0, 1.0) for _ in range(3)]
    engines = [Engine([load_member("ant", 1.0)], blocks, gravity=G) for _ in range(2)]
    for engine in engines:
        engine.bodies[0].place[:], engine.orders[0].weight[0] = (0, 8, 0), 1.0
        for k, state in enumerate(engine.blocks):
            state.place[:], state.turn[:] = (0.1 * k, 1 + 2 * k, 0), matrix_from_turn((0, 9 * k, 0))
        engine.read_in()
    own, whole = engines
    whole.advance = mujoco.mj_step
    for _ in range(200):
        for engine in engines:
            engine.step(build_floor(0.0, 1.0), NOTHING)
        assert own.data.qpos.tobytes() == whole.data.qpos.tobytes()
    assert own.data.ncon > 8
