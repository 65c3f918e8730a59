"""Figures that meet: walkers, chains and obstacles; momentum, overlaps, and the same bytes."""

import numpy as np
import pytest

from skitter.rigid.bodies import ANGULAR_MOMENTUM
from skitter.world import World
from skitter.world.movers import group_movers
from states import same_state

SEEDS = (1001, 1002, 1003)
DEEP, LONG = 0.1, 0.1  # of half a width, and s: no overlap may be deeper for longer


def lead(species, name, at, turn=0.0, speed=8.0):
    return {
        "species": species, "name": name, "at": at, "turn_deg": [0, turn, 0],
        "commands": [{"time": 0, "speed": speed}],
    }  # fmt: skip


def build(creatures, seed=0, threads=None, **more):
    scene = {"title": "a meeting", "seconds": 3, "terrain": [{"shape": "plane"}], **more}
    return World.from_scene(scene | {"creatures": creatures}, seed=seed, threads=threads)


def longest(deep):
    """Frames in a row that are deeper than allowed."""
    most = run = 0
    for is_deep in deep:
        run = run + 1 if is_deep else 0
        most = max(most, run)
    return most


def watch(world, seconds):
    """Overlap of the first creature in every frame."""
    overlaps = []
    for _ in range(round(seconds * 60)):
        world.advance()
        overlaps.append(max(float(world.read()[f"{one.name}.overlap"]) for one in world.creatures))
    return np.array(overlaps)


@pytest.mark.parametrize("parts", [1, 5, 10, 50])
def test_a_frame_in_parts_has_the_bits_of_one_call(parts):
    worlds = [build([lead("giant_centipede", "one", [0, 0, 0])], seed=1001) for _ in range(2)]
    for _ in range(6):
        worlds[0].advance()
        mover = group_movers(worlds[1].creatures, worlds[1]._gather())[0]
        mover.start()
        for part in range(parts):
            mover.advance_part(part, parts)
        worlds[1].frame += 1
    assert same_state(worlds[0].state(), worlds[1].state())


GIANT = lead("giant_centipede", "one", [0, 0, 0])
SLOW = lead("millipede", "one", [0, 0, 0], 0, 3)
PAIRS = {
    "head on": (GIANT, lead("giant_centipede", "other", [14, 0, 0], 180)),
    "side": (GIANT, lead("giant_centipede", "other", [8, 0, 6], 90)),
    "oblique": (GIANT, lead("giant_centipede", "other", [10, 0, 6], 120)),
    "millipede's side": (SLOW, lead("giant_centipede", "other", [8, 0, 6], 90)),
    "millipedes": (SLOW, lead("millipede", "other", [9, 0, 0.2], 180, 3)),
    "house centipede": (SLOW, lead("house_centipede", "other", [8, 0, 4], 90, 12)),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pair", PAIRS)
def test_walkers_do_not_pass_through_each_other(pair, seed):
    overlaps = watch(build(list(PAIRS[pair]), seed), 2.5)
    assert longest(overlaps > DEEP) <= LONG * 60, overlaps.max()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "obstacle",
    [
        {"shape": "box", "at": [9, 1, 0], "size": [2, 2, 40]},
        {"shape": "sphere", "at": [9, 1, 0.3], "radius": 1.5},
        {"shape": "cylinder", "at": [9, 1, -0.2], "radius": 1.0, "length": 4},
    ],
    ids=lambda one: one["shape"],
)
def test_walkers_do_not_pass_through_obstacles(obstacle, seed):
    world = build([lead("giant_centipede", "one", [0, 0, 0])], seed, obstacles=[obstacle])
    overlaps = watch(world, 2.5)
    assert longest(overlaps > DEEP) <= LONG * 60, overlaps.max()


def find_momentum(world):
    """Linear and angular momentum of all figures, and their kinetic energy; float64."""
    total, energy = np.zeros(6), 0.0
    for one in world.creatures:
        v = one.body_velocity + np.cross(one.body_spin, one.body_centre - one.body_position)
        m, x = one.body_mass[:, None], one.body_centre
        total[:3] += (m * v).sum(axis=0)
        spin = one.read_bodies(one.body_state.rows, ANGULAR_MOMENTUM, 3)
        total[3:] += (np.cross(x, m * v) + spin).sum(axis=0)
        energy += 0.5 * float((m * v**2).sum() + (spin * one.body_spin).sum())
        mass, u, y = one.node_mass[:, None], one.node_velocity, one.node_position
        total[:3] += (mass * u).sum(axis=0)
        total[3:] += np.cross(y, mass * u).sum(axis=0)
        energy += 0.5 * float((mass * u**2).sum())
    return total, energy


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("speed", [20.0, 60.0])
def test_chains_in_free_flight_keep_their_momentum(seed, speed):
    """Across the meeting, less what a twin run without it does, which is rounding."""
    rng = np.random.default_rng(seed)
    side = float(rng.uniform(-0.3, 0.3))
    pair = [
        {"at": [0, 0, 0], "velocity": [speed, 0, 0]},
        {"at": [9, 0.1, side], "velocity": [-speed, 0, 0], "turn_deg": [0, 60, 0]},
    ]
    pair = [
        {"species": "chain", "name": f"chain{k}", "start": "free", **one}
        for k, one in enumerate(pair)
    ]
    world = build(pair, seed, terrain=[], gravity=0, precision="float64")
    before, energy = find_momentum(world)
    mass = sum(float(one.body_mass.sum() + one.node_mass.sum()) for one in world.creatures)
    met = False
    for _ in range(60):
        world.advance()
        met |= world._meetings.contacts.found[0] > 0
        now, left = find_momentum(world)
        assert left <= energy * (1 + 1e-6)
    assert met
    assert np.abs(now - before)[:3].max() < 1e-6 * mass * speed
    assert np.abs(now - before)[3:].max() < 1e-4 * mass * speed * 10


def test_the_same_bytes_for_any_threads_and_when_resumed():
    pair = [
        lead("giant_centipede", "one", [0, 0, 0]),
        lead("giant_centipede", "other", [9, 0, 3], 120),
        lead("millipede", "third", [4, 0, -4], -90, 3),
    ]
    worlds = [build(pair, 1001, threads=threads) for threads in (1, 2)]
    for world in worlds:
        world.advance(0.5)
    assert same_state(worlds[0].state(), worlds[1].state())
    third = build(pair, 1001)
    third.restore(worlds[0].state())
    for world in (worlds[0], third):
        world.advance(0.5)
    assert same_state(worlds[0].state(), third.state())
