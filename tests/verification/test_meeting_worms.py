"""Worms meet each other and obstacles: nobody passes, momentum is exact, runs can be repeated.

Depths are in radii of the body. The bound of a meeting is a tenth of a radius for a tenth of a
second; nothing in a worm is random, so the seed moves where worms and obstacles begin.
"""

import numpy as np
import pytest

from skitter.creatures.worm.body import STATIONS
from skitter.creatures.worm.touch import Reply, build_capsules
from skitter.meeting.shapes import AXES, CENTRE, HALF, RADIUS
from skitter.world import World
from skitter.world.meeting import surround

SEEDS = (1001, 1002, 1003)
COARSE = {"slabs": 24, "around": 8}
GROUND = [{"shape": "plane", "friction": 1.0}]
DEEP, LONG = 0.1, 0.1  # radii, s
OBSTACLES = {
    "cylinder": {"shape": "cylinder", "radius": 0.01, "length": 0.1},
    "box": {"shape": "box", "size": [0.02, 0.04, 0.1]},
    "sphere": {"shape": "sphere", "radius": 0.02},
}
# where the second worm begins: x, z and its turn
SITUATIONS = {
    "head on": (0.11, 0.0, 180),
    "from the side": (0.06, 0.052, 90),
    "parallel": (0.01, 0.0105, 0),
}


def place(name="a", species="c_elegans_muscles", *, at=(0, 0, 0), turn=0.0, **fields) -> dict:
    own = {"body": COARSE, **fields.pop("own", {})}
    return {
        "species": species, "name": name, "at": [float(value) for value in at],
        "turn_deg": [0, float(turn), 0], "with": own, **fields,
    }  # fmt: skip


def build(*creatures, threads=2, **fields) -> World:
    scene = {
        "title": "t", "seconds": 5, "frame_rate": 50, "time_step": 0.02, "terrain": GROUND,
        "creatures": list(creatures), **fields,
    }  # fmt: skip
    return World.from_scene(scene, threads=threads)


def measure_overlap(world: World) -> float:
    """Depth of the deepest contact between two worms, radii."""
    meetings = world._meetings
    meetings.gather()
    surround(meetings.crowd, 1e-3)
    meetings.near[:] = 1
    count = meetings.find_contacts(world.things.barrier.arrays, 1e-3)
    radius = min(one.body.radius for one in world.creatures)
    return max(0.0, -float(meetings.contacts.row[:count, 6].min(initial=0.0)) / radius)


def measure_depth(world: World) -> float:
    """Depth of the deepest node in an obstacle, radii."""
    return max(
        0.0,
        *(
            -float(world.things.barrier.sample(one.motion.x[one.body.surface])[0].min())
            / one.body.radius
            for one in world.creatures
        ),
    )


def run(world: World, seconds: float, measure) -> tuple[float, float]:
    """The largest depth, and the longest time for which it was above DEEP."""
    depth, longest, since = 0.0, 0.0, 0.0
    for _ in range(round(seconds / world.frame_time)):
        world.advance()
        now = measure(world)
        since = since + world.frame_time if now > DEEP else 0.0
        depth, longest = max(depth, now), max(longest, since)
        assert all(one.top_speed < 5.0 for one in world.creatures), "it flies apart"
    world.close()
    return depth, longest


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(
        np.asarray(one[key]).tobytes() == np.asarray(other[key]).tobytes() for key in one
    )


# -- shapes and response -----------------------------------------------------------------------


def test_capsules_lie_along_the_body():
    """End to end from tip to tip, no thicker than the body, and most of its volume."""
    world = build(place())
    worm = world.creatures[0]
    row = worm.show_shapes().row
    axis = row[:, AXES : AXES + 9].reshape(-1, 3, 3)[:, :, 0]
    tip = row[0, CENTRE : CENTRE + 3] - axis[0] * (row[0, HALF] + row[0, RADIUS])
    end = row[-1, CENTRE : CENTRE + 3] + axis[-1] * (row[-1, HALF] + row[-1, RADIUS])
    assert np.linalg.norm(end - tip) == pytest.approx(worm.body.length, rel=0.02)
    assert row[:, RADIUS].max() == pytest.approx(worm.body.radius, rel=0.03)
    length = np.diff(worm.capsules.station) * worm.body.length / (STATIONS - 1)
    volume = float((np.pi * row[:, RADIUS] ** 2 * length).sum())
    assert volume == pytest.approx(float(worm.body.mesh.volumes.sum()), rel=0.15)
    steps = np.abs(np.diff(row[:, RADIUS]))
    assert steps.max() < 0.15 * worm.body.radius


def test_forces_of_an_impulse_are_those_at_its_point():
    """Force and torque of what is spread over the nodes, of random bent bodies and points."""
    world = build(place())
    worm = world.creatures[0]
    capsules, rng = build_capsules(worm.body, 0.1), np.random.default_rng(1004)
    x = worm.motion.x + 0.3 * worm.body.radius * rng.normal(size=worm.motion.x.shape)
    part = np.array([0, 3, 3, capsules.count - 1])
    point, impulse = rng.normal(size=(2, 4, 3))
    reply = Reply(capsules, part, x, x, 0.02)
    given = reply._reach(part, point).T @ impulse.reshape(-1)
    force = np.einsum("m,mni->ni", given, reply.force)
    assert force.sum(axis=0) == pytest.approx(impulse.sum(axis=0), rel=1e-10)
    torque, expected = np.cross(x, force).sum(axis=0), np.cross(point, impulse).sum(axis=0)
    assert torque == pytest.approx(expected, rel=1e-8, abs=1e-9)


def test_response_of_a_free_worm_is_that_of_its_mass():
    """Without ground, drag and stiffness in the way: a push through all its nodes alike."""
    world = build(place(own=FLYING), gravity=0, terrain=[])
    worm = world.creatures[0]
    world.advance()
    x, mass = worm.motion.x, worm.body.mass
    around = world.look_around()
    outside = worm.drive_body(around, 0.02)
    push = 1e-3 * mass[None, :, None] / mass.sum() * np.array([0.3, -0.5, 0.8])
    _, shift = worm.stepper.respond(worm.motion, x, 0.02, around.terrain.arrays, outside, push)
    expected = 1e-3 * 0.02**2 / mass.sum() * np.array([0.3, -0.5, 0.8])
    assert shift[0] == pytest.approx(np.broadcast_to(expected, x.shape), rel=1e-6)


def test_response_is_what_a_step_does():
    """Small pushes in a viscous medium, on a worm that bends: what it moves further by balances
    them in the residual of the step. (On the ground the matrix has the secant of friction.)"""
    world = build(place(), terrain=[], gravity=0)
    worm = world.creatures[0]
    worm.stepper.exact = worm.stepper.close = 1e-9
    worm.stepper.fair = 0.0
    for _ in range(5):
        world.advance()
    around = world.look_around()._replace(parts=1)
    start = worm.motion.copy()
    worm.start_frame(around)
    part = np.array([worm.capsules.count // 2])
    reply = Reply(worm.capsules, part, start.x, worm.motion.x, 0.02)
    terrain, outside = around.terrain.arrays, worm.trial.outside
    push = 1e-5 * reply.force[[0, 1, 2]]
    lack, shift = worm.stepper.respond(start, worm.motion.x, 0.02, terrain, outside, push)
    assert np.abs(lack).max() < 1e-8 * worm.body.radius
    for force, moved in zip(push, shift, strict=True):
        motion, end = start_step(worm, start, terrain, outside), worm.motion.x + moved
        left, _ = worm.stepper._find_rest(motion, end, 0.02, outside, 0.0)
        assert np.abs(left + force).max() < 2e-3 * np.abs(force).max()


def start_step(worm, start, terrain, outside):
    motion = start.copy()
    worm.stepper._start(motion, terrain, outside)
    return motion


# -- momentum ----------------------------------------------------------------------------------

FLYING = {
    "medium": {"along": 0, "across": 0},
    "crawl": {"drive": "mode", "alpha": 0},
    "grip": {"film": 0.0, "forward": 0.3, "backward": 0.3, "across": 0.3},
    "time_step": 0.002,
}


def sum_motion(world) -> tuple[np.ndarray, np.ndarray, float]:
    """Momentum, angular momentum and kinetic energy of all worms."""
    momentum, angular, energy = np.zeros(3), np.zeros(3), 0.0
    for one in world.creatures:
        own = one.body.mass[:, None] * one.motion.v
        momentum += own.sum(axis=0)
        angular += np.cross(one.motion.x, own).sum(axis=0)
        energy += 0.5 * float((own * one.motion.v).sum())
    return momentum, angular, energy


@pytest.mark.parametrize("turn, slide", [(70, 0.0), (35, 0.02), (0, 0.0)])
def test_free_worms_keep_their_momentum(turn, slide):
    """Two hit each other in flight, crossed and parallel; steps are solved to rounding, as those of
    a worm alone are only as exact as its radius asks for."""
    speed, at = 0.05, (0.02, 0.010, 0.008 if turn else 0.0)
    own = {"start": "free", "own": FLYING, "species": "c_elegans"}
    world = build(
        place("a", velocity=[0, speed, slide], **own),
        place("b", at=at, turn=turn, velocity=[0, -speed, -slide], **own),
        gravity=0, terrain=[], frame_rate=500, time_step=0.002,
    )  # fmt: skip
    for one in world.creatures:
        one.stepper.exact = one.stepper.close = 1e-9
        one.stepper.fair = 0.0
    before, turning, energy = sum_motion(world)
    sizes = [
        np.linalg.norm(one.body.mass[:, None] * one.motion.v, axis=1) for one in world.creatures
    ]
    size = sum(float(one.sum()) for one in sizes)
    arm = sum(
        float((np.linalg.norm(one.motion.x, axis=1) * own).sum())
        for one, own in zip(world.creatures, sizes, strict=True)
    )
    most = energy
    for _ in range(30):
        world.advance()
        most = max(most, sum_motion(world)[2])
    after, turned, left = sum_motion(world)
    parting = world.creatures[1].motion.v[:, 1].mean() - world.creatures[0].motion.v[:, 1].mean()
    world.close()
    assert parting > -1.2 * speed, "they did not meet"
    assert left < 0.9 * energy
    assert np.linalg.norm(after - before) < 1e-6 * size
    assert np.linalg.norm(turned - turning) < 1e-4 * arm
    assert most <= energy * (1 + 1e-9)


# -- nobody passes -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shape", OBSTACLES)
def test_obstacles_stop_worms(shape, seed):
    """Crawling into one from the front; without it the head goes as far as its middle."""
    rng = np.random.default_rng(seed)
    shift, turn = rng.uniform(-0.003, 0.003), rng.uniform(-4, 4)
    far = 0.085 if shape == "sphere" else 0.075
    obstacle = {**OBSTACLES[shape], "at": [far, 0.0, float(shift)]}
    worm = place(turn=turn, own={"crawl": {"drive": "wave"}})
    depth, longest = run(build(worm, obstacles=[obstacle]), 3.0, measure_depth)
    assert depth < 2 * DEEP and longest <= LONG


@pytest.mark.parametrize("seed", SEEDS)
def test_a_post_stops_a_worm_that_beats_about(seed):
    """The modal worm goes several radii in a step: at its side a thin post and a ball."""
    rng = np.random.default_rng(seed)
    obstacles = [
        {"shape": "cylinder", "at": [float(rng.uniform(-0.02, 0.02)), 0, 0.014], "radius": 0.004,
         "length": 0.1},
        {**OBSTACLES["sphere"], "at": [0.085, 0, float(rng.uniform(-0.003, 0.003))]},
    ]  # fmt: skip
    worm = place(species="c_elegans")
    depth, longest = run(build(worm, obstacles=obstacles), 1.5, measure_depth)
    assert depth < 2 * DEEP and longest <= LONG


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_worms_do_not_pass_each_other(situation, seed):
    rng = np.random.default_rng(seed)
    x, z, turn = SITUATIONS[situation]
    at = (x + rng.uniform(-0.003, 0.003), 0, z + rng.uniform(0, 0.002))
    world = build(place("a"), place("b", at=at, turn=turn + rng.uniform(-4, 4)))
    depth, longest = run(world, 2.0, measure_overlap)
    assert depth < 2 * DEEP and longest <= LONG


@pytest.mark.parametrize("seed", SEEDS)
def test_worms_that_beat_about_do_not_pass(seed):
    """Modal ones, of two sizes and meshes, at sixty frames a second."""
    rng = np.random.default_rng(seed)
    small = {"length": 0.06, "radius": 0.003, "slabs": 20, "around": 12}
    at = (0.05 + rng.uniform(-0.003, 0.003), 0, 0.045 + rng.uniform(0, 0.003))
    world = build(
        place("a", "c_elegans"),
        place("b", "c_elegans", at=at, turn=90 + rng.uniform(-6, 6), own={"body": small}),
        frame_rate=60, time_step=1 / 60,
    )  # fmt: skip
    depth, longest = run(world, 1.5, measure_overlap)
    assert depth < 2 * DEEP and longest <= LONG


# -- the same bits -----------------------------------------------------------------------------


def test_a_worm_that_is_alone_does_not_know_of_others():
    """Far from others and from obstacles it moves to the last bit as if there were none."""
    alone = build(place())
    far = build(
        place(), place("b", at=(5, 0, 5)),
        obstacles=[{"shape": "sphere", "at": [3, 0, 0], "radius": 0.1}],
    )  # fmt: skip
    for _ in range(10):
        alone.advance()
        far.advance()
    one, other = (world.creatures[0].state() for world in (alone, far))
    keys = [key for key in one if not key.startswith("wall_")]  # where obstacles are is no motion
    assert same({key: one[key] for key in keys}, {key: other[key] for key in keys})


def test_a_worm_near_others_that_nobody_touches_moves_as_alone():
    """A step that was tried and not disturbed is the step."""
    alone = build(place())
    near = build(place(), place("b", at=(0.03, 0, 0.03)))
    for _ in range(10):
        alone.advance()
        near.advance()
    assert same(alone.creatures[0].state(), near.creatures[0].state())


def test_resumed_and_with_other_threads():
    """From the middle of a meeting, beside a post: the same bytes."""
    at = (0.01, 0, 0.0095)
    post = {"shape": "cylinder", "at": [0.01, 0, -0.0081], "radius": 0.004, "length": 0.1}
    worlds = [
        build(place("a"), place("b", at=at), obstacles=[post], threads=threads)
        for threads in (1, 2)
    ]
    first, second = worlds
    touched = 0
    for _ in range(15):
        for world in worlds:
            world.advance()
        touched += bool(first.creatures[0].motion.wall.touching.any())
    assert touched > 3
    resumed = build(place("a"), place("b", at=at), obstacles=[post])
    resumed.restore(first.state())
    for world in (first, second, resumed):
        for _ in range(10):
            world.advance()
    assert same(first.state(), second.state())
    assert same(first.state(), resumed.state())
