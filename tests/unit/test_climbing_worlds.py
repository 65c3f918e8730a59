"""Climbers and objects in worlds that change, and in odd ones."""

import numpy as np
import pytest

from skitter.control.climbing.model import WANDER
from skitter.errors import UserError
from skitter.events import (
    AddCreature,
    Poke,
    Release,
    RemoveCreature,
    SetGravity,
    SetParameter,
    Steer,
)
from skitter.world import World

FLOOR = {"shape": "plane", "friction": 1.0}
RATE = 60


def place(species, level="full", **more):
    return {"species": species, "with": {"detail": {"level": level}}, **more}


def build(*creatures, terrain=(FLOOR,), **more):
    scene = {"title": "t", "frame_rate": RATE, "terrain": [*terrain], "creatures": [*creatures]}
    return World.from_scene({**scene, **more})


def is_finite(world):
    return all(
        np.isfinite(value).all()
        for key, value in world.read().items()
        if value.dtype.kind == "f" and not key.endswith(("lift_time", "land_time"))
    )


class TestFalling:
    @pytest.mark.parametrize("gravity", [981.0, 162.0])
    def test_in_the_air_it_falls_by_half_g_t_squared(self, gravity):
        world = build(place("tarantula", at=[0, 500, 0]), terrain=[], gravity=gravity)
        one = world.creatures[0]
        start = world.read()["tarantula.centre_of_mass"]
        world.advance(0.5)
        now = world.read()
        fallen = start - now["tarantula.centre_of_mass"]
        # steps of 1/500 s that move by their last speed fall g t h / 2 further
        assert fallen[1] == pytest.approx(gravity * (0.125 + 0.5 * 0.5 / 500), rel=0.01)
        assert np.abs(fallen[[0, 2]]).max() < 0.01
        assert now["tarantula.gravity_on"] == 1 and not one.orders.held.any()
        assert now["tarantula.detail"] == 0

    def test_who_is_dropped_lands_and_walks_again_and_it_is_counted_once(self):
        world = build(place("tarantula", at=[0, 6, 0], start="free"))
        world.advance(2.0)
        now = world.read()
        assert now["tarantula.gravity_on"] == 0 and now["tarantula.recoveries"] >= 1
        assert 2 * now["tarantula.foot_held"].sum() >= 8
        assert now["tarantula.speed"] > 0.5

    def test_a_hard_poke_tears_it_off_and_a_soft_one_does_not(self):
        world = build(place("tarantula", at=[0, 2, 0]))
        world.advance(0.3)
        world.apply(Poke("tarantula", at=(0, 1, 0), velocity=(0, 3, 0)))
        world.advance(0.1)
        assert world.read()["tarantula.falls"] == 0
        world.apply(Poke("tarantula", at=(0, 1, 0), velocity=(0, 150, 0)))
        world.advance(0.1)
        now = world.read()
        assert now["tarantula.falls"] == 1 and now["tarantula.centre_of_mass"][1] > 3
        assert is_finite(world)


class TestChanges:
    def test_members_come_and_go_while_others_move(self):
        """The first of the company keeps the engine: without it, the others go on."""
        pebble = {"species": "pebble", "at": [0, 3, 8]}
        world = build(place("tarantula", at=[0, 2, 0]), pebble, place("beetle", at=[0, 2, 20]))
        world.advance(0.2)
        world.apply(RemoveCreature("tarantula"))
        before = world.creatures[-1].position.copy()
        world.advance(0.4)
        assert np.linalg.norm(world.creatures[-1].position - before) > 0.05
        world.apply(AddCreature({"species": "tarantula", "at": (0, 2, -20)}))
        world.advance(0.2)
        world.apply(RemoveCreature("pebble"))
        world.advance(0.1)
        assert is_finite(world)
        assert sorted(one.species.kind for one in world.creatures) == ["climber", "climber"]

    def test_who_is_steered_turns_left_and_goes_on_by_itself_when_released(self):
        world = build(place("tarantula", "kinematic", at=[0, 2, 0]))
        world.apply(Steer("tarantula", speed=4.0, turn=0.3))
        world.advance(1.5)
        one = world.creatures[0]
        assert one.body.spin[1] == pytest.approx(0.3, abs=0.03)  # y is up: to the left
        assert np.linalg.norm(one.body.velocity) == pytest.approx(4, rel=0.15)
        world.apply(Release("tarantula"))
        assert one.mind.behaviour[0] == WANDER
        world.advance(1.0)
        assert np.linalg.norm(one.body.velocity) > 5, "as fast as it likes"

    def test_gravity_changes_for_those_who_fall(self):
        world = build(place("tarantula", at=[0, 500, 0]), terrain=[])
        world.advance(0.1)
        world.apply(SetGravity(0.0))
        speed = world.creatures[0].body.velocity[1]
        world.advance(0.2)
        assert world.creatures[0].body.velocity[1] == pytest.approx(speed, abs=1.0)

    def test_numbers_that_nothing_listens_to_are_refused(self):
        world = build(place("tarantula", "kinematic", at=[0, 2, 0]))
        with pytest.raises(UserError, match="set parameter"):
            world.apply(SetParameter("tarantula", "steering.max_speed", 3.0))


class TestOddWorlds:
    @pytest.mark.parametrize("rate", [10, 1000])
    def test_any_frame_rate_walks(self, rate):
        """About as far, since a frame is cut into steps that are short enough."""
        gone = []
        for frame_rate in (rate, RATE):
            world = build(
                place("tarantula", "kinematic", at=[0, 2, 0], commands=[{"speed": 6}]),
                frame_rate=frame_rate,
            )
            world.advance(2.0)
            gone.append(world.creatures[0].position[0])
        assert gone[0] == pytest.approx(gone[1], rel=0.1)

    def test_precision_of_soft_bodies_does_not_change_climbers(self):
        gone = []
        for precision in ("float32", "float64"):
            world = build(place("beetle", at=[0, 2, 0]), precision=precision)
            world.advance(0.1)
            gone.append(world.creatures[0].body.place.copy())
        assert np.array_equal(*gone)

    def test_it_walks_on_a_ceiling_as_on_a_floor(self):
        """Whoever holds on does not feel gravity: upside down is the same, turned by half."""
        ceiling = {"shape": "plane", "at": [0, 20, 0], "normal": [0, -1, 0], "friction": 1.0}
        places = []
        for terrain, y, turn in ((FLOOR, 1, 0), (ceiling, 19, 180)):
            world = build(
                place(
                    "tarantula",
                    "kinematic",
                    at=[0, y, 0],
                    turn_deg=[turn, 0, 0],
                    commands=[{"speed": 6}],
                ),
                terrain=[terrain],
            )
            world.advance(1.0)
            places.append(world.creatures[0].body.place.copy())
        floor, above = places
        assert np.allclose(above, [floor[0], 20 - floor[1], -floor[2]], atol=0.05)

    def test_families_share_a_world_and_their_order_does_not_matter(self):
        """A climber beside a centipede goes the same way whoever is named first."""
        gone = []
        led = place("beetle", at=[0, 2, 0], commands=[{"speed": 4}])
        two = [led, {"species": "pauropod", "at": [0, 0, 3]}]
        for creatures in (two, two[::-1]):
            world = build(*creatures)
            world.advance(0.1)
            gone.append(next(one.position for one in world.creatures if one.kind == "climber"))
        assert np.allclose(*gone, atol=1e-9)
