"""Hunts and coils as they run: who is eaten, what a coil keeps, and the same bytes again."""

import numpy as np
import pytest

from skitter.control import defending, hunting
from skitter.control.behaviour import COIL, COILED, DEAD, UNCOIL
from skitter.control.curl import CARRIED
from skitter.creatures.measures import compute_momentum
from skitter.rotation import quaternion_to_matrix
from skitter.world import World

HUNTER = {
    "hunt": {"prey": ["pauropod"], "range": 10, "speed": 9, "probe_time": 60, "meal_time": 60}
}
COILS = {"defend": {"coil_range": 9, "reaction": [0, 0], "wind_time": 0.5, "calm_time": 0.5}}
FRAMES, AWAY = 150, 13.0  # cm


def build(prey, *, threads=1, **fields) -> World:
    creatures = [
        {"species": "pauropod", "name": "hunter", "at": [0, 1, 0], "with": HUNTER},
        {"species": "pauropod", "name": "prey", "at": [AWAY, 1, 0], "with": prey},
    ]
    scene = {"title": "t", "terrain": [{"shape": "plane"}], "creatures": creatures, **fields}
    return World.from_scene(scene, seed=1, threads=threads)


def advance(world: World, frames: int) -> None:
    for _ in range(frames):
        world.advance()


@pytest.mark.parametrize("prey, eaten", [({"walk": {"speed": 1}}, True), (COILS, False)])
def test_who_is_coiled_is_not_eaten(prey, eaten):
    world = build(prey)
    advance(world, FRAMES)
    hunter, other = (one.life for one in world.creatures)
    assert hunter.hunter[hunting.CHASES] >= 1
    assert hunter.hunter[hunting.CATCHES] == eaten
    assert other.is_alive != eaten
    assert (other.prey[defending.MODE] == DEAD) == eaten
    if not eaten:
        assert other.prey[defending.MODE] == COILED and other.is_hard


def test_a_hunt_goes_on_from_its_middle_and_threads_do_not_matter():
    straight, two = build(COILS), build(COILS, threads=2)
    advance(straight, 50)
    kept = straight.state()
    advance(straight, 40)
    advance(two, 90)
    later = build(COILS)
    later.restore(kept)
    advance(later, 40)
    wanted = straight.read()
    assert straight.creatures[1].life.is_curled
    for world in (two, later):
        found = world.read()
        assert all(np.array_equal(found[name], values) for name, values in wanted.items())


def test_one_that_coils_uncoils_and_walks_on():
    world = build(COILS, creatures=[{"species": "pauropod", "name": "prey", "with": COILS}])
    (one,) = world.creatures
    advance(world, 30)
    start_coil(one, world.time)
    advance(world, 40)
    assert one.life.is_hard
    advance(world, 140)
    assert not one.life.is_curled and one.life.curling.amount[0] == 0
    before = one.position
    advance(world, 60)
    standing = one.walker_state.supported[1:-1] > 0
    assert standing.mean() > 0.5
    assert np.linalg.norm(one.position - before) > 0.3 * one.species.walk.speed


@pytest.mark.parametrize("slope_deg", [0, 15])
def test_one_that_stands_up_stays_over_its_feet(slope_deg):
    """Its feet do not slide while its legs turn it onto its belly."""
    slope = np.radians(slope_deg)
    ground = {"shape": "plane", "normal": [0, float(np.cos(slope)), float(np.sin(slope))]}
    world = build({}, terrain=[ground], creatures=[{"species": "pauropod", "with": COILS}])
    (one,) = world.creatures
    start_coil(one, world.time, np.array(ground["normal"]))
    while one.life.prey[defending.MODE] != UNCOIL:
        world.advance()
    places = []
    while one.life.is_curled and len(places) < 200:
        world.advance()
        if one.life.curling.curl.lean[0] == CARRIED:
            places.append(find_centre(one))
    assert 3 < len(places) < 200
    moved = np.diff(places, axis=0)[2:]
    along = moved - np.outer(moved @ ground["normal"], ground["normal"])
    assert np.linalg.norm(along.sum(axis=0)) < 0.2 * one.life.curling.tallest


def test_a_coil_unwinds_on_the_side_on_which_it_lies():
    """One that has come to lie on the other side than it meant to is not thrown over."""
    world = build({}, creatures=[{"species": "pauropod", "with": COILS}])
    (one,) = world.creatures
    start_coil(one, world.time)
    while one.life.prey[defending.MODE] != COILED:
        world.advance()
    one.life.prey[defending.SIDE] *= -1
    highest = []
    while one.life.is_curled and len(highest) < 300:
        world.advance()
        highest.append(float(one.body_position[:, 1].max()))
    assert 3 < len(highest) < 300
    assert max(highest) < 2 * one.species.walk.height


UP = np.array([0.0, 1.0, 0.0])


def start_coil(one, now: float, normal: np.ndarray | None = UP) -> None:
    memory = one.life.prey
    memory[[defending.MODE, defending.SINCE, defending.SIDE]] = COIL, now, 1.0
    memory[defending.CALM_SINCE] = now + 0.5
    one.life.curling.begin(one, normal, memory)


@pytest.mark.parametrize("spin", [0.0, 60.0])
def test_a_coil_in_the_air_keeps_its_momentum(spin):
    """Nothing but its own muscles acts: neither its centre of mass nor its spin notices."""
    thrown = {"velocity": [4, 2, 0], "spin_deg": [0, spin, 0]}
    creature = {"species": "pauropod", "start": "free", "with": COILS, **thrown}
    world = build({}, terrain=[], gravity=0, creatures=[creature])
    (one,) = world.creatures
    mass = one.body_mass.sum() + one.node_mass.sum()
    start, length = find_centre(one), np.ptp(one.body_centre[:, 0])
    before = compute_momentum(one)
    start_coil(one, 0.0, None)
    advance(world, 40)
    assert one.life.is_hard
    now, found = find_centre(one), compute_momentum(one)
    assert np.ptp(one.body_centre, axis=0).max() < 0.8 * length
    assert np.linalg.norm(now - start - world.time * np.array([4, 2, 0])) < 1e-3  # cm
    assert np.linalg.norm(found[0] - before[0]) / mass < 1e-3  # cm/s
    own = [turning - np.cross(x, p) for x, (p, turning) in ((start, before), (now, found))]
    assert np.linalg.norm(own[1] - own[0]) / (mass * length**2) < 1e-3  # rad/s


@pytest.mark.parametrize("turn_deg", [12, -12])
def test_one_that_walks_a_bend_stays_on_the_ground(turn_deg):
    """Its middle line stays where it is while it rolls on its side, so nothing is lifted; and the
    belly is inside of the bend, so that winding up goes on with it."""
    led = {"speed": 2.1, "turn_deg": turn_deg}
    world = build({}, creatures=[{"species": "millipede", "at": [0, 2, 0], "commands": [led]}])
    (one,) = world.creatures
    advance(world, 420)
    bent = one.body_orientation.astype(float)
    assert np.abs(quaternion_to_matrix(bent)[0, :, 0] @ quaternion_to_matrix(bent)[-1, :, 0]) < 0.6
    start_coil(one, world.time)
    highest = []
    while one.life.prey[defending.MODE] == COIL:
        world.advance()
        highest.append(float(one.body_position[:, 1].max()))
    assert max(highest) < 1.3 * one.species.walk.height
    sides = quaternion_to_matrix(one.body_orientation.astype(float))[:, 1, 2]
    assert (np.sign(turn_deg) * sides < -0.9).all()  # to the left: on its right side


def find_centre(one) -> np.ndarray:
    bodies = one.body_mass @ one.body_centre.astype(float)
    nodes = one.node_mass @ one.node_position.astype(float)
    return (bodies + nodes) / (one.body_mass.sum() + one.node_mass.sum())


def test_parts_of_a_coil_keep_apart():
    creature = {"species": "millipede", "at": [0, 2, 0]}
    world = build({}, creatures=[creature])
    (one,) = world.creatures
    start_coil(one, 0.0)
    advance(world, 85)
    assert one.life.prey[defending.MODE] == COILED
    middles = one.body_position.astype(float)
    far = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    apart = np.abs(np.subtract.outer(np.arange(len(middles)), np.arange(len(middles)))) > 8
    heights = np.array([part.size[1] for part in one.plan.rigid])
    assert (far - np.add.outer(heights, heights) / 2)[apart].min() > 0
    height = float(heights.max())
    assert np.ptp(middles[:, 1]) < 0.5 * height  # flat on the ground
    head, all_of_it = middles[0], middles.mean(axis=0)
    assert np.linalg.norm(head - all_of_it) < 0.75 * np.linalg.norm(middles[-1] - all_of_it)
