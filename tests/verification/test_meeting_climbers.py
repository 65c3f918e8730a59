"""Climbers and movable things that meet others: momentum, overlaps, and the same bytes."""

import itertools

import numpy as np
import pytest

from motions import find_engine_motion
from skitter.creatures.climber.engine import Engine
from skitter.creatures.climber.rig import describe
from skitter.creatures.creature import Touched
from skitter.meeting.shapes import VELOCITY
from skitter.rigid.bodies import ANGULAR_MOMENTUM
from skitter.world import World
from states import same_state

SEEDS = (1001, 1002, 1003)
DEEP, LONG = 0.1, 0.1  # of half a width, and s: no overlap may be deeper for longer
PART = 1 / 300  # s


def lead(species, name, at, turn=0.0, speed=8.0, level="auto"):
    one = {
        "species": species, "name": name, "at": at, "turn_deg": [0, turn, 0],
        "commands": [{"time": 0, "speed": speed}],
    }  # fmt: skip
    return one if level == "auto" else one | {"with": {"detail": {"level": level}}}


def thing(mass, at, size=(3, 2, 3), **more):
    own = {"mass": mass, "density": None, "size": list(size)}
    return {"species": "block", "name": "thing", "at": at, "with": own, **more}


def build(creatures, seed=0, threads=1, **more):
    scene = {"title": "a meeting", "seconds": 3, "terrain": [{"shape": "plane"}], **more}
    return World.from_scene(scene | {"creatures": creatures}, seed=seed, threads=threads)


def watch(world, seconds):
    """The deepest overlap in every frame."""
    overlaps = []
    for _ in range(round(seconds * 60)):
        world.advance()
        overlaps.append(max(float(world.read()[f"{one.name}.overlap"]) for one in world.creatures))
    return np.array(overlaps)


def longest(deep):
    """Frames in a row that are deeper than allowed."""
    most = run = 0
    for is_deep in deep:
        run = run + 1 if is_deep else 0
        most = max(most, run)
    return most


def stays_out(overlaps):
    return longest(overlaps > DEEP) <= LONG * 60


# -- momentum and answers ----------------------------------------------------------------------


def find_momentum(world):
    """Of a chain and an object: linear and angular momentum, and kinetic energy."""
    chain, block = world.creatures
    v = chain.body_velocity + np.cross(chain.body_spin, chain.body_centre - chain.body_position)
    m, x = chain.body_mass[:, None], chain.body_centre
    spin = chain.read_bodies(chain.body_state.rows, ANGULAR_MOMENTUM, 3)
    mass, u, y = chain.node_mass[:, None], chain.node_velocity, chain.node_position
    total = np.zeros(6)
    total[:3] = (m * v).sum(axis=0) + (mass * u).sum(axis=0)
    total[3:] = (np.cross(x, m * v) + spin).sum(axis=0) + np.cross(y, mass * u).sum(axis=0)
    energy = 0.5 * float((m * v**2).sum() + (spin * chain.body_spin).sum() + (mass * u**2).sum())
    state, shape = block.block, block.shape
    turned = state.turn @ np.diag(shape.inertia) @ state.turn.T @ state.spin
    total[:3] += shape.mass * state.velocity
    total[3:] += shape.mass * np.cross(state.place, state.velocity) + turned
    energy += 0.5 * float(shape.mass * state.velocity @ state.velocity + state.spin @ turned)
    return total, energy


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mass", [5.0, 60.0])
def test_a_thing_in_free_flight_gives_what_it_takes(seed, mass):
    """The object's integrator turns it by steps of 1/600 s, so angular momentum keeps less."""
    side = float(np.random.default_rng(seed).uniform(-0.4, 0.4))
    pair = [
        {"species": "chain", "name": "chain", "at": [0, 0, 0], "velocity": [20, 0, 0],
         "start": "free"},
        thing(mass, [6, 0.2, side], velocity=[-20, 0, 0], start="free"),
    ]  # fmt: skip
    world = build(pair, seed, terrain=[], gravity=0, precision="float64")
    before, energy = find_momentum(world)
    whole = float(world.creatures[0].body_mass.sum() + world.creatures[0].node_mass.sum()) + mass
    met = False
    for _ in range(60):
        world.advance()
        met |= world._meetings.contacts.found[0] > 0
        now, left = find_momentum(world)
        assert left <= energy * (1 + 1e-4)
    assert met
    assert np.abs(now - before)[:3].max() < 1e-6 * whole * 20
    assert np.abs(now - before)[3:].max() < 1e-4 * whole * 20 * 6


def build_tarantula():
    world = build([lead("tarantula", "one", [0, 40, 0], 25, 0)], 1001)
    one = world.creatures[0]
    one.body.velocity[:], one.body.spin[:] = (20, 1, -3), (1, 2, 3)
    one.body.speed[:] = np.random.default_rng(1001).normal(0, 3, len(one.body.speed))
    engine = Engine([describe(one)], gravity=0.0, step=1 / 600)
    engine.read_in([one.body])
    engine.packed.strength[:] = 1e-12  # legs swing freely
    return world, engine


@pytest.mark.parametrize("body", [1, 2, 9])
def test_a_force_on_a_climber_is_all_that_its_momentum_gets(body):
    """In the world, from the pose before the step to that after it, while legs swing freely."""
    world, engine = build_tarantula()
    ground = world.terrain.arrays, world.things.barrier.arrays
    before, turning, _ = find_engine_motion(engine)
    point, force = engine.data.xipos[body] + [0.1, 0.2, -0.3], np.array([300.0, -200.0, 900.0])
    engine.take_touches(np.array([body]), point[None], force[None])
    engine.step(*ground)
    linear, angular, _ = find_engine_motion(engine)
    assert np.allclose(linear - before, force / 600, rtol=1e-9, atol=1e-9)
    assert np.allclose(angular - turning, np.cross(point, force) / 600, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_free_thing_answers_as_a_rigid_body(seed):
    """v = p/m at its middle; elsewhere also I^-1 (r x p) x r."""
    world = build([thing(20.0, [0, 30, 0], turn_deg=[20, 50, 10], start="free")], seed, gravity=0)
    block, rng = world.creatures[0], np.random.default_rng(seed)
    arms, pushes = rng.normal(0, 1, (2, 3)), rng.normal(0, 1, (2, 3))
    touched = Touched(
        np.zeros(2, np.int64), block.block.place + arms, np.tile([1.0, 0, 0], (2, 1)),
        np.zeros((2, 3)), np.zeros((6, 6)), np.zeros((2, 3)),
    )  # fmt: skip
    block.find_motors(touched.part, PART)
    block.answer(touched)
    turn = block.block.turn
    spin = turn @ (turn.T @ np.cross(arms, pushes).sum(axis=0) / block.shape.inertia)
    wanted = pushes.sum(axis=0) / 20.0 + np.cross(spin, arms)
    assert np.allclose(touched.response @ pushes.ravel(), wanted.ravel(), rtol=1e-10)
    assert np.allclose(touched.response, touched.response.T)


def test_a_thing_on_the_ground_does_not_give_way_downwards():
    world = build([thing(9.0, [0, 0, 0])], 1001)
    block = world.creatures[0]
    touched = Touched(
        np.zeros(1, np.int64), np.array([block.block.place]) + np.eye(3)[1], -np.eye(3)[1:2],
        np.zeros((1, 3)), np.zeros((3, 3)), np.zeros((1, 3)),
    )  # fmt: skip
    block.find_motors(touched.part, PART)
    block.answer(touched)
    assert abs(touched.response[1, 1]) < 1e-6 / 9
    assert abs(touched.velocity[0, 1]) < 1e-6


def test_a_climber_in_the_engine_answers_as_it_then_moves():
    """A push on its thorax, and on a leg, against steps of the engine with and without it; what
    its controller does about it in the second step is not in the answer."""
    world = build([lead("tarantula", "one", [0, 0, 0], 0, 0, "full")], 1001)
    one, around = world.creatures[0], world.look_around()._replace(near=True)
    kept = one.state()
    for part, axis in itertools.product((0, len(one.trunk.middle) + 4), range(3)):
        ends, normal = [], np.eye(3)[axis]
        for push in (0.0, 0.5):
            one.restore(kept)
            one.start_frame(around)
            one.show_shapes()
            point = one.shapes.row[part, :3][None].copy()
            touched = Touched(
                np.array([part]), point, normal[None], np.zeros((1, 3)),
                np.zeros((3, 3)), push * normal[None],
            )  # fmt: skip
            one.find_motors(touched.part, PART)
            one.answer(touched)
            one.take_impulses(touched, PART)
            one.advance_part(around, 0, 5)
            one.show_shapes()
            ends.append(one.shapes.row[part, VELOCITY : VELOCITY + 3].copy())
        found, wanted = (ends[1] - ends[0])[axis], 0.5 * touched.response[axis, axis]
        assert found == pytest.approx(wanted, rel=0.25)


# -- nobody passes -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("aside", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("speed", [4.0, 8.0, 11.0])
def test_tarantulas_do_not_pass_through_each_other(speed, aside, seed):
    pair = [
        lead("tarantula", "one", [0, 1.2, 0], 0, speed),
        lead("tarantula", "other", [30, 1.2, aside], 180, speed),
    ]
    world = build(pair, seed)
    overlaps = watch(world, 15 / speed + 1.5)
    assert stays_out(overlaps), overlaps.max()
    if aside == 0.0:
        assert world.creatures[0].position[0] < world.creatures[1].position[0]


SPIDER = lead("tarantula", "one", [0, 1.2, 0])


def not_yet(reason):
    """Of bounds that are not kept in all cases so far; those that are kept may be."""
    return pytest.mark.xfail(reason=reason, strict=False)


PAIRS = {
    "from the side": (SPIDER, lead("tarantula", "other", [14, 1.2, 14], 90)),
    "centipede's head": (SPIDER, lead("giant_centipede", "other", [22, 0, 0], 180)),
    "centipede's side": (SPIDER, lead("giant_centipede", "other", [12, 0, 10], 90)),
    "millipede": (SPIDER, lead("millipede", "other", [14, 0, 8], 90, 3)),
    "scorpion": (lead("scorpion", "one", [0, 1, 0], 0, 6),
                 lead("tarantula", "other", [16, 1.2, 0], 180)),
    "beetle": (lead("beetle", "one", [0, 1, 0], 0, 3),
               lead("giant_centipede", "other", [10, 0, 10], 90)),
    "ant": (lead("ant", "one", [0, 1, 0], 0, 3), lead("millipede", "other", [8, 0, 4], 90, 3)),
    "ants": (lead("ant", "one", [0, 1, 0], 0, 3), lead("ant", "other", [8, 1, 0], 180, 3)),
}  # fmt: skip


KNOWN = {  # what is not solved yet with every seed, and why
    "ant": "legs of a millipede that yield stay 0.01 cm deep in an ant's trunk, for 0.3 s",
    "centipede's side": "a centipede that a spider stands on blows up with one seed of three",
}
SOME = [pytest.param(one, marks=not_yet(KNOWN[one])) if one in KNOWN else one for one in PAIRS]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pair", SOME)
def test_climbers_do_not_pass_through_others(pair, seed):
    overlaps = watch(build(list(PAIRS[pair]), seed), 3.0)
    assert stays_out(overlaps), overlaps.max()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", ["kinematic", "coarse"])
@pytest.mark.parametrize(
    "other",
    [
        "itself",
        "full",
        "centipede",
        pytest.param("side", marks=not_yet("0.15 s with one seed, kinematic")),
        "thing",
    ],
)
def test_driven_climbers_do_not_pass_through_others(other, level, seed):
    partner = {
        "itself": lead("tarantula", "other", [24, 1.2, 1], 180, 8, level),
        "full": lead("tarantula", "other", [24, 1.2, 1], 180, 8, "full"),
        "centipede": lead("giant_centipede", "other", [20, 0, 0], 180),
        "side": lead("giant_centipede", "other", [12, 0, 10], 90),
        "thing": thing(900.0, [14, 0, 0], (6, 5, 6)),
    }[other]
    overlaps = watch(
        build([lead("tarantula", "one", [0, 1.2, 0], 0, 8, level), partner], seed), 3.0
    )
    assert stays_out(overlaps), overlaps.max()


# -- things ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pusher, mass, way",
    [
        pytest.param(
            lead("giant_centipede", "one", [0, 0, 0]),
            2.1,
            5.0,
            marks=not_yet("1.6 cm: a part that was stopped begins anew from rest"),
        ),
        (lead("tarantula", "one", [0, 1.2, 0]), 1.8, 1.0),
        (lead("millipede", "one", [0, 0, 0], 0, 4), 2.0, 0.5),
    ],
    ids=["centipede", "tarantula", "millipede"],
)
def test_a_light_thing_is_pushed_along(pusher, mass, way):
    world = build([pusher, thing(mass, [11, 0, 0])], 1001)
    overlaps = watch(world, 4.0)
    assert world.creatures[1].position[0] > 11 + way
    assert stays_out(overlaps), overlaps.max()


def test_a_heavy_thing_stays_where_it_is_and_is_climbed():
    """Fifty times their masses."""
    world = build(
        [lead("giant_centipede", "one", [0, 0, 0]), thing(1100, [14, 0, 0], (8, 6, 8))], 1001
    )
    overlaps = watch(world, 4.0)
    assert np.abs(world.creatures[1].position - [14, 3, 0])[[0, 2]].max() < 0.02
    assert stays_out(overlaps), overlaps.max()
    world = build([SPIDER, thing(900, [16, 0, 0], (10, 4, 14))], 1001)
    highest = 0.0
    for _ in range(480):
        world.advance()
        highest = max(highest, world.creatures[0].position[1])
    assert np.abs(world.creatures[1].position - [16, 2, 0])[[0, 2]].max() < 0.02
    assert highest > 3.0  # from 1.3 on the ground


def measure_links(one):
    """Between the middles of neighbours [body - 1], cm."""
    return np.linalg.norm(np.diff(one.body_position, axis=0), axis=1)


HEAVY = pytest.param(500, (6, 5, 6), marks=not_yet("at 100 cm/s a link stays stretched by half"))


@pytest.mark.parametrize("mass, size", [(20, (3, 2, 3)), HEAVY])
@pytest.mark.parametrize("speed", [60, 100, 150])
def test_a_thrown_thing_blows_nobody_up(mass, size, speed):
    """A standing centipede is hit, pushed aside, and stands again."""
    thrown = thing(mass, [-8, size[1] / 2 + 0.1, 5], size, velocity=[0, 0, -speed], start="free")
    world = build([lead("giant_centipede", "one", [0, 0, 0], 0, 0), thrown], 1001)
    one = world.creatures[0]
    links = measure_links(one)
    overlaps = watch(world, 2.5)
    assert np.isfinite(overlaps).all() and one.top_speed < 50
    assert (one.walker_state.supported > 0).all()
    assert (measure_links(one) < 1.5 * links).all()  # none is torn


# -- the same bytes ----------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["full", "kinematic", "coarse"])
def test_one_who_is_alone_has_the_same_bits_whoever_meets_elsewhere(level):
    """Another climber, kinematic as it is told, walks into a centipede, or does not."""
    ends = []
    for near in (20.0, 3.0):
        others = [
            lead("giant_centipede", "second", [0, 0, 100]),
            lead("giant_centipede", "third", [0, 0, 100 + near]),
            lead("tarantula", "fourth", [-8, 1.2, 100 - near], 0, 8, "kinematic"),
        ]
        world = build([lead("tarantula", "one", [0, 1.2, 0], 0, 8, level), *others], 1001)
        world.advance(0.5)
        ends.append((world.creatures[0].state(), world._meetings.near.copy()))
    assert not ends[0][1][[0, 3]].any() and ends[1][1][[0, 3]].tolist() == [0, 1]
    assert same_state(ends[0][0], ends[1][0])


def test_the_same_bytes_for_any_threads_and_when_resumed():
    some = [
        lead("tarantula", "one", [0, 1.2, 0], 0, 8, "full"),
        lead("giant_centipede", "other", [9, 0, 6], 90),
        lead("tarantula", "third", [16, 1.2, 0], 180, 8, "kinematic"),
        lead("tarantula", "fourth", [0, 1.2, 14], 90, 8, "coarse"),
        thing(2.0, [12, 0, -9]),
    ]
    worlds = [build(some, 1001, threads) for threads in (1, 2)]
    for world in worlds:
        world.advance(1.0)
    assert worlds[0]._meetings.near.any()
    assert same_state(worlds[0].state(), worlds[1].state())
    third = build(some, 1001)
    third.restore(worlds[0].state())
    for world in (worlds[0], third):
        world.advance(0.5)
    assert same_state(worlds[0].state(), third.state())
