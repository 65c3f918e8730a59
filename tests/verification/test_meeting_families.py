"""Three families in one scene, climbers in the air, and who pushes what: across all families."""

import numpy as np
import pytest

from motions import find_engine_motion, find_figure_motion
from skitter.creatures.climber.engine import Engine
from skitter.creatures.climber.rig import describe
from skitter.meeting.find import FIRST_OWNER, GAP
from skitter.rigid.tree.layout import MASS
from skitter.world import World
from skitter.world.meeting import Meetings
from states import same_state

SEEDS = (1001, 1002, 1003)
LIGHT = 0.1  # of an animal's mass: a thing that it pushes
TOUCHES = 0.01  # cm
WAY = 0.5  # cm, that it is pushed at least


def build(creatures, seed, threads=1, **more):
    scene = {"title": "a meeting", "seconds": 3, "terrain": [{"shape": "plane"}], **more}
    return World.from_scene(scene | {"creatures": creatures}, seed=seed, threads=threads)


def lead(species, name, at, turn, speed):
    commands = [{"time": 0, "speed": speed}]
    return {
        "species": species, "name": name, "at": at, "turn_deg": [0, turn, 0], "commands": commands
    }  # fmt: skip


def list_touched(world):
    """Owners with a contact that is closed, in the last part of a frame."""
    contacts = world._meetings.contacts
    count = contacts.found[0]
    closed = contacts.row[:count, GAP] < TOUCHES
    owners = contacts.pair[:count, FIRST_OWNER : FIRST_OWNER + 2][closed]
    return {int(one) for one in owners.ravel() if one >= 0}


# -- the same bytes ----------------------------------------------------------------------------


def test_three_families_that_collide_have_the_same_bytes_for_any_threads_and_when_resumed():
    """A centipede, a roach and a tarantula walk into one spot, with a thing there."""
    thing = {"species": "block", "name": "thing", "at": [11, 0, 1], "with": {"size": [1, 1, 1]}}
    some = [
        lead("giant_centipede", "centipede", [0, 0, 0], 0, 8),
        lead("roach", "roach", [7, 0, 0], 180, 6),
        lead("tarantula", "tarantula", [2, 1.2, 9], 90, 8),
        thing,
    ]
    worlds = [build(some, 1004, threads) for threads in (1, 2)]
    touched = np.zeros(len(some), bool)
    for _ in range(60):
        for world in worlds:
            world.advance()
        for owner in list_touched(worlds[0]):
            touched[owner] = True
    assert touched[:3].all()
    assert same_state(worlds[0].state(), worlds[1].state())
    resumed = build(some, 1004, 2)
    resumed.restore(worlds[0].state())
    for world in (worlds[0], resumed):
        world.advance(0.5)
    assert same_state(worlds[0].state(), resumed.state())


# -- free flight -------------------------------------------------------------------------------


def find_climber_motion(one):
    engine = Engine([describe(one)], gravity=0.0, step=1 / 600)
    engine.read_in([one.body])
    return find_engine_motion(engine)


def find_total(world):
    pairs = find_climber_motion(world.creatures[0]), find_figure_motion(world.creatures[1])
    return [sum(each) for each in zip(*pairs, strict=True)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_climber_in_the_air_gives_what_it_takes(seed, monkeypatch):
    """In each part of a frame with contacts, without gravity and ground; kinetic energy never
    passes that of the start."""
    side = float(np.random.default_rng(seed).uniform(-0.4, 0.4))
    spider = lead("tarantula", "spider", [0, 20, 0], 0, 0) | {"velocity": [20, 0, 0]}
    spider |= {"with": {"detail": {"level": "full"}}, "start": "free"}
    chain = {"species": "chain", "name": "chain", "at": [14, 20, side], "velocity": [-20, 0, 0]}
    world = build(
        [spider, chain | {"start": "free"}], seed, terrain=[], gravity=0, precision="float64"
    )
    find, parts, met = Meetings.find_contacts, [], 0

    def note(*args):
        parts.append((find(*args), find_total(world)))
        return parts[-1][0]

    monkeypatch.setattr(Meetings, "find_contacts", note)
    start = find_total(world)
    sizes, worst, most = [np.linalg.norm(one) for one in start], [0.0, 0.0], 0.0
    for _ in range(45):
        parts.clear()
        world.advance()
        ends = [total for _, total in parts[1:]] + [find_total(world)]
        for (count, first), last in zip(parts, ends, strict=False):
            most = max(most, last[2] / start[2])
            if count:
                met += 1
                for k in range(2):
                    worst[k] = max(worst[k], np.linalg.norm(last[k] - first[k]) / sizes[k])
    assert met > 3
    assert worst[0] < 1e-6
    assert worst[1] < 1e-4
    assert most <= 1 + 1e-4


# -- who pushes what ---------------------------------------------------------------------------


def test_a_roach_pushes_a_tenth_of_its_mass():
    roach = lead("roach", "roach", [0, 0, 0], 0, 6)
    alone = build([roach], 0)
    mass = float(alone.creatures[0].tree.number[:, MASS].sum())
    block = {"species": "block", "name": "thing", "at": [4, 0, 0],
             "with": {"mass": LIGHT * mass, "density": None, "size": [0.8, 0.6, 0.8]}}  # fmt: skip
    world = build([roach, block], 1001)
    at = world.creatures[1].position[0]
    world.advance(3.0)
    assert world.creatures[1].position[0] > at + WAY
