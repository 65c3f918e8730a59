"""Every myriapod on every kind of ground, and every scene: finite, alike, feet on the ground."""

import numpy as np
import pytest

from corpus import SCENES
from skitter.scene.load import list_species, load_scene
from skitter.species.myriapod import MyriapodSpec
from skitter.world import World
from walkers import HILLS, PLANE, build_world

SECONDS = 2.0
DEPTH_SHARE = 0.02  # of a leg's length, as deep as a foot may be in the ground
GROUNDS = {
    "plane": (PLANE, [0, 0, 0]),
    "hills": (HILLS, [0, 5, 0]),
    "sphere": ({"shape": "sphere", "at": [0, -40, 0], "radius": 40}, [0, 1, 0]),
    "torus": ({"shape": "mesh", "file": "torus", "at": [0, 0, 0], "size": 90}, [30, 30, 0]),
}
CHANNELS = {
    "leg_state", "leg_angle", "leg_point", "leg_stance_start", "leg_swing_start", "leg_time",
    "segment_supported", "segment_height", "brain_mode", "head_speed", "head_turn",
    "antenna_point", "antenna_touch", "antenna_food", "food_eaten", "body_position",
    "body_orientation", "node_position",
}  # fmt: skip


def load(name: str):
    return load_scene({"title": "t", "creatures": [{"species": name}]}).species[0]


MYRIAPODS = [name for name, _ in list_species() if isinstance(load(name), MyriapodSpec)]


def build(species: str, ground: str) -> World:
    terrain, at = GROUNDS[ground]
    return build_world(species, terrain=[terrain], at=at, seed=1)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("species", MYRIAPODS)
def test_walks_with_its_feet_on_the_ground(species, ground):
    world = build(species, ground)
    lengths = next(one.values for one in world.statics() if one.name == "one.leg_length")
    for _ in range(round(SECONDS * world.scene.spec.frame_rate / 4)):
        world.advance(4 * world.frame_time)
        values = world.read()
        assert all(np.isfinite(each).all() for each in values.values())
        assert {f"one.{name}" for name in CHANNELS} <= set(values)
        depth = -world.terrain.sample(values["one.leg_point"][:, 3])[0] / lengths
        assert depth.max() < DEPTH_SHARE
        standing = values["one.leg_state"] == 4
        assert np.abs(depth[standing]).max(initial=0) < DEPTH_SHARE
    assert standing.mean() > 0.4
    again = build(species, ground)
    again.advance(SECONDS)
    before, after = world.state(), again.state()
    assert all(before[name].tobytes() == after[name].tobytes() for name in before)


@pytest.mark.parametrize("name", SCENES)
def test_every_scene_begins(recorded, name):
    recording = recorded(name)
    for index in (len(recording) // 2, len(recording) - 1):
        values = dict(recording.frame(index))
        surface = values.pop("water_surface", np.zeros(1))  # nan where it is dry
        assert np.isfinite(surface).any()
        assert all(np.isfinite(each).all() for each in values.values())
