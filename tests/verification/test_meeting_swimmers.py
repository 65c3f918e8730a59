"""Swimmers meet each other and obstacles: chains of free parts, which soft blocks pull on.

Depths are shares of half the width of the smaller body. A meeting may be a tenth deep for a tenth
of a second; eels keep to a twentieth at any time.
"""

import numpy as np
import pytest

from skitter.meeting.shapes import LIMB
from skitter.world import World
from skitter.world.meeting import surround

SEEDS = (1001, 1002, 1003)
EEL_DEEP, DEEP, LONG = 0.05, 0.1, 0.1
OBSTACLES = {
    "box": {"shape": "box", "at": [9, 0, 0], "size": [2, 8, 40]},
    "cylinder": {"shape": "cylinder", "at": [9, 0, 0], "radius": 1.5, "length": 12},
    "sphere": {"shape": "sphere", "at": [9, -0.5, 0], "radius": 2},
}
# of the second eel: x, z, turn
SITUATIONS = {"head on": (18, 0, 180), "from the side": (12, 10, 90)}


def place(name, x=0.0, z=0.0, turn=0.0, species="eel") -> dict:
    return {
        "species": species, "name": name, "at": [float(x), -0.3, float(z)],
        "turn_deg": [0, float(turn), 0], "commands": [{"time": 0, "speed": 8}],
    }  # fmt: skip


def build(*creatures, time_step=1 / 2000, obstacles=(), threads=2) -> World:
    scene = {
        "title": "t", "seconds": 5, "time_step": time_step,
        "water": {"level": 0, "waves": False}, "terrain": [{"shape": "plane", "at": [0, -6, 0]}],
        "obstacles": list(obstacles), "creatures": list(creatures),
    }  # fmt: skip
    return World.from_scene(scene, threads=threads)


def follow(world: World, seconds: float, measure) -> tuple[float, float]:
    """The largest depth, and the longest time for which it was above DEEP."""
    depth, longest, since = 0.0, 0.0, 0.0
    for _ in range(round(seconds / world.frame_time)):
        world.advance()
        now = measure(world)
        since = since + world.frame_time if now > DEEP else 0.0
        depth, longest = max(depth, now), max(longest, since)
        assert all(one.top_speed < 200.0 for one in world.creatures), "it flies apart"
    world.close()
    return depth, longest


def measure_overlap(world: World) -> float:
    meetings = world._know_everybody()
    return float(meetings.measure_overlaps(world.things.barrier.arrays).max())


def measure_trunks(world: World) -> float:
    """Without limbs."""
    meetings = world._know_everybody()
    meetings.gather()
    surround(meetings.crowd, 1e-3)
    meetings.near[:] = 1
    count = meetings.find_contacts(world.things.barrier.arrays, 1e-3)
    gap, pair = meetings.contacts.row[:count, 6], meetings.contacts.pair[:count, :2]
    is_limb = (meetings.crowd.tag[pair, LIMB] > 0).any(axis=1)
    return -float(gap[~is_limb].min(initial=0.0)) / float(meetings.half_width.min())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shape", OBSTACLES)
def test_obstacles_stop_eels(shape, seed):
    rng = np.random.default_rng(seed)
    obstacle = OBSTACLES[shape]
    x, y, z = obstacle["at"]
    obstacle = {**obstacle, "at": [x, y, z + float(rng.uniform(-0.5, 0.5))]}
    world = build(place("a", turn=rng.uniform(-5, 5)), obstacles=[obstacle])
    depth, _ = follow(world, 3.0, measure_overlap)
    assert depth < EEL_DEEP


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_eels_do_not_pass_through_each_other(situation, seed):
    rng = np.random.default_rng(seed)
    x, z, turn = SITUATIONS[situation]
    other = place("b", x, z + rng.uniform(-0.5, 0.5), turn + rng.uniform(-5, 5))
    depth, _ = follow(build(place("a", turn=rng.uniform(-5, 5)), other), 4.0, measure_overlap)
    assert depth < EEL_DEEP


@pytest.mark.parametrize("seed", SEEDS)
def test_an_eel_meets_a_centipede_that_swims(seed):
    rng = np.random.default_rng(seed)
    turn, z = rng.uniform(-5, 5), 10 + rng.uniform(-1, 1)
    other = place("b", 14, z, 90 + rng.uniform(-5, 5), "waterfall_centipede")
    world = build(place("a", turn=turn), other, time_step=1 / 3600)
    depth, longest = follow(world, 4.0, measure_trunks)
    assert depth < DEEP and longest == 0.0


def test_resumed_and_with_other_threads():
    """Two eels that touch: the same bytes from the middle of it, with one and two threads."""
    pair = place("a"), place("b", 13, 0.3, 180)
    worlds = [build(*pair, threads=threads) for threads in (1, 2)]
    for world in worlds:
        world.advance(0.75)
    first, second = worlds
    resumed = build(*pair)
    resumed.restore(first.state())
    for world in (first, second, resumed):
        world.advance(0.25)
    states = [world.state() for world in (first, second, resumed)]
    for world in (first, second, resumed):
        world.close()
    for other in states[1:]:
        assert all(states[0][key].tobytes() == other[key].tobytes() for key in states[0])
