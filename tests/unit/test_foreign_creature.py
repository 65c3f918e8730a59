"""A creature of another physics lives in the world by the interface alone.

It is a ball that hops: its own species, its own integration and contact, no rigid parts, no soft
blocks, no controller of ours. World, things, water, recordings and checkpoints must not notice.
"""

from typing import Literal

import numpy as np
import pytest

import skitter
from skitter.channel import Channel, Static
from skitter.control.walker import AVOIDANCE
from skitter.creatures import kinds as creature_kinds
from skitter.creatures.creature import BALL_ROW, BAR_ROW, Creature
from skitter.creatures.plan import CAPSULE
from skitter.errors import SimulationError, UserError
from skitter.events import Poke, SetGravity, SetParameter, Steer
from skitter.look.creature import build_creatures
from skitter.render import render_picture
from skitter.species import kinds as species_kinds
from skitter.species.look import Look
from skitter.species.spec import Species
from skitter.world import World

RADIUS = 0.5  # cm
HOP = 60.0  # cm/s


class HopperSpec(Species):
    """A ball that hops."""

    kind: Literal["hopper"]
    title: str
    look: Look = Look()


class Hopper(Creature):
    """It falls freely, and hops off again where it lands."""

    kind = "hopper"

    def __init__(self, name, species, placement, physics, rng):
        self.name, self.species, self.physics, self.rng = name, species, physics, rng
        self.place = np.array(placement.at, float)
        self.velocity = np.array(placement.velocity, float)
        self.eaten = np.zeros(1, np.int64)
        self.crowd = 0  # balls of others, when it was last told

    @property
    def position(self):
        return self.place.copy()

    @property
    def top_speed(self):
        return float(np.abs(self.velocity).max())

    def list_balls(self):
        return np.array([[*self.place, RADIUS]])

    def list_bars(self):
        ends = np.concatenate([self.place, self.place])
        return np.array([[*ends, RADIUS, RADIUS, *self.velocity, *self.velocity]])

    def advance_frame(self, around):
        self.crowd = len(around.others)
        dt = self.physics.dt
        for _ in range(around.steps):
            self.velocity[1] -= dt * self.physics.gravity
            self.place += dt * self.velocity
            if around.terrain.sample(self.place)[0][0] < RADIUS and self.velocity[1] < 0:
                self.velocity[1] = HOP
        if not np.isfinite(self.place).all():
            raise SimulationError(f"creature '{self.name}' is lost")

    def feed(self, things):
        self.eaten[0] += things.eat(self.place, RADIUS)

    def list_channels(self):
        name, body = self.name, f"{self.name}.body"
        return [
            Channel(f"{name}.body_position", (body, "xyz"), (1, 3), "float64", "cm"),
            Channel(f"{name}.body_orientation", (body, "wxyz"), (1, 4), "float64", "1"),
        ]

    def list_statics(self):
        name, body = self.name, f"{self.name}.body"
        size = np.array([[RADIUS, 0.0, RADIUS]])  # a capsule without a straight part is a ball
        return [
            Static(f"{name}.body_shape", (body,), np.array([CAPSULE]), "1"),
            Static(f"{name}.body_size", (body, "xyz"), size, "cm"),
        ]

    def read(self):
        return {
            f"{self.name}.body_position": self.place[None].copy(),
            f"{self.name}.body_orientation": np.array([[1.0, 0.0, 0.0, 0.0]]),
        }

    def state(self):
        return {
            "place": self.place.copy(),
            "velocity": self.velocity.copy(),
            "eaten": self.eaten.copy(),
        }

    def restore(self, state):
        self.place[:], self.velocity[:] = state["place"], state["velocity"]
        self.eaten[:] = state["eaten"]

    def push(self, at, velocity):
        self.velocity += velocity

    def set_gravity(self, gravity):
        self.physics = type(self.physics)(self.physics.dt, gravity, self.physics.real)


@pytest.fixture
def scene(monkeypatch, tmp_path):
    monkeypatch.setitem(species_kinds.KINDS, "hopper", HopperSpec)
    monkeypatch.setitem(creature_kinds.CREATURES, "hopper", Hopper)
    (tmp_path / "hopper.yaml").write_text("kind: hopper\ntitle: A ball that hops\n")
    return {
        "title": "t",
        "terrain": [{"shape": "plane"}],
        "creatures": [
            {"species": str(tmp_path / "hopper.yaml"), "name": "hopper", "at": [0, 3, 0]},
            {"species": "pauropod", "name": "walker", "at": [40, 0, 0]},
        ],
    }


def test_it_falls_by_its_own_physics(scene):
    world = World.from_scene(scene)
    world.advance(0.05)
    fallen = 0.5 * 981 * 0.05**2  # and half a step, by its integration
    assert 3 - world.creatures[0].position[1] == pytest.approx(fallen, rel=0.02)
    assert world.creatures[0].crowd == len(world.creatures[1].list_balls()) > 1
    world.advance(1.0)
    assert world.creatures[0].position[1] > 0


def test_others_feel_it(scene):
    """One that hops right before a walker's antennae makes it turn away."""
    head = World.from_scene(scene).creatures[1].position
    scene["creatures"][0] |= {"at": [float(head[0]) + 1.5, 0.6, float(head[2]) + 0.3]}
    scene["gravity"] = 0
    world = World.from_scene(scene)
    modes = set()
    for _ in range(60):
        world.advance()
        modes.add(int(world.creatures[1].walker_state.mode[0]))
    assert AVOIDANCE in modes


def test_it_eats(scene):
    scene["food"] = [{"at": [0, 0, 0]}]
    world = World.from_scene(scene)
    world.advance(0.5)
    assert world.creatures[0].eaten[0] == 1
    assert world.things.left.sum() == 0


def test_it_stirs_water(scene):
    scene["water"] = {"level": 2, "area": [20, 20], "cell": 0.5}
    world = World.from_scene(scene)
    still = world.water.pool.surface.copy()
    world.advance(0.3)
    assert np.abs(world.water.pool.surface - still).max() > 0.01


def test_a_run_of_it_is_recorded_and_resumed(scene, tmp_path):
    whole = skitter.run(scene, seconds=0.4, output=tmp_path / "whole")
    skitter.run(scene, seconds=0.2, output=tmp_path / "parts")
    parts = skitter.run(scene, seconds=0.4, output=tmp_path / "parts", resume=True)
    for name in ("hopper.body_position", "walker.body_position"):
        assert (np.asarray(whole[name][:]) == np.asarray(parts[name][:])).all()


def test_it_is_seen_and_measured(scene, tmp_path):
    recording = skitter.run(scene, seconds=0.05)
    hopper, _ = build_creatures(recording)
    outline = hopper.outline(hopper.motion.pose(0.0))
    assert outline.mean(axis=0) == pytest.approx([0, 3, 0], abs=1e-3)
    assert np.ptp(outline, axis=0) == pytest.approx([2 * RADIUS] * 3, rel=0.1)
    measures = recording.measure()
    assert measures["hopper.distance"].value == pytest.approx(981 * 0.05**2 / 2, rel=0.02)
    assert "hopper.energy_end" not in measures and "walker.energy_end" in measures
    render_picture(recording, tmp_path / "both.png", size=(160, 90), supersample=1)
    with pytest.raises(UserError, match="which parts 'hopper' has"):
        recording.export(tmp_path / "both.glb")


def test_what_a_person_does_to_it(scene):
    world = World.from_scene(scene)
    world.apply(Poke("hopper", (0, 3, 0), (30.0, 0.0, 0.0)))
    world.apply(SetGravity(0.0))
    world.advance(0.1)
    assert world.creatures[0].position == pytest.approx([3.0, 3.0, 0.0])
    for event in (Steer("hopper", 1.0, 0.0), SetParameter("hopper", "walk.speed", 1.0)):
        with pytest.raises(UserError, match="'hopper'"):
            world.apply(event)


def test_it_may_fail_alone(scene):
    scene["creatures"][0]["velocity"] = [0, 0, 0]
    world = World.from_scene(scene)
    world.creatures[0].velocity[0] = np.inf
    with pytest.raises(SimulationError, match=r"frame 1 .*'hopper' is lost"):
        world.advance()


def test_rows_are_as_wide_as_the_interface_says(scene):
    for one in World.from_scene(scene).creatures:
        assert one.list_balls().shape[1] == BALL_ROW
        assert one.list_bars().shape[1] == BAR_ROW
