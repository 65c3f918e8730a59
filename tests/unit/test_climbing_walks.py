"""Climbers of all levels in worlds: what holds however they walk."""

import numpy as np
import pytest
import yaml

from skitter.control.climbing.limbs import place_feet
from skitter.control.climbing.model import (
    BRAKE_SENSE,
    ELEVATION,
    FALLING,
    SENSE_ANGLE,
    SENSE_DISTANCE,
    STANCE,
)
from skitter.world import World

FLOOR = {"shape": "plane", "friction": 1.0}
WALL = {"shape": "plane", "at": [20, 0, 0], "normal": [-1, 0, 0], "friction": 1.0}
LEVELS = ("full", "kinematic", "coarse")
RATE = 60
HILLS = {
    "shape": "heightfield",
    "random": {"count": 200, "height": [0.2, 1.2], "width": [2, 5], "area": [90, 90], "seed": 5},
    "friction": 1.2,
}


def place(species, level="kinematic", commands=(), **more):
    changes = {"detail": {"level": level}, **more.pop("changes", {})}
    return {"species": species, "with": changes, "commands": [*commands], **more}


def build(*creatures, terrain=(FLOOR,), seed=0, **more):
    scene = {"title": "t", "frame_rate": RATE, "terrain": [*terrain], "creatures": [*creatures]}
    return World.from_scene({**scene, **more}, seed=seed)


def read_all(world, names):
    """Frames of some channels of the first creature, from now on."""
    values = world.read()
    return [values[f"{world.creatures[0].name}.{name}"].copy() for name in names]


def same(one, other):
    return [key for key in one if not np.array_equal(one[key], other[key], equal_nan=True)] == []


# -- runs that are repeated --------------------------------------------------------------------


def build_three(seed=0):
    """One of each level, which wander, and an object that the first may meet."""
    ants = [place("ant", level, at=[6 * k, 0.5, 0]) for k, level in enumerate(LEVELS)]
    return build(*ants, {"species": "pebble", "at": [-3, 1, 0]}, seed=seed)


@pytest.fixture(scope="module")
def three():
    """A state in the midst of a run, what came after it, and the world."""
    world = build_three()
    world.advance(0.2)
    state = world.state()
    world.advance(0.2)
    return world, state, world.read()


class TestRepeated:
    def test_a_run_is_repeated_to_the_last_bit(self, three):
        again = build_three()
        again.advance(0.4)
        assert same(three[2], again.read())

    def test_a_state_goes_on_to_the_last_bit_in_its_world_and_in_another(self, three):
        world, state, after = three
        world.restore(state)
        assert [one.level[0] for one in world.creatures[:3]] == [0, 1, 2]
        world.advance(0.2)
        assert same(after, world.read())
        other = build_three(seed=5)
        other.advance(0.1)
        other.restore(state)
        other.advance(0.2)
        assert same(after, other.read())

    def test_another_seed_leads_elsewhere_at_every_level(self, three):
        other = build_three(seed=1)
        other.advance(0.4)
        now = other.read()
        for name in ("ant", "ant_2", "ant_3"):
            key = f"{name}.body_position"
            assert not np.allclose(three[2][key], now[key], atol=1e-3)


# -- laws of walking ---------------------------------------------------------------------------


class TestWalking:
    @pytest.mark.parametrize(
        ("level", "seconds"), [("kinematic", 3.0), ("full", 0.6)], ids=["kinematic", "full"]
    )
    def test_at_least_half_of_the_legs_stand_and_feet_that_stand_stay(self, level, seconds):
        """Of three, four and five pairs, as fast as they can."""
        names = ("beetle", "tarantula", "skitterling")
        world = build(*(place(one, level, at=[0, 2, 30 * k]) for k, one in enumerate(names)))
        before = world.read()
        for _ in range(round(seconds * RATE)):
            world.advance()
            now = world.read()
            for name in names:
                held = now[f"{name}.foot_held"]
                assert 2 * held.sum() >= len(held)
                stood = now[f"{name}.land_time"] < world.time - 2 / RATE
                stays = (held & before[f"{name}.foot_held"]).astype(bool) & stood
                moved = now[f"{name}.foot_position"] - before[f"{name}.foot_position"]
                length = world.creatures[names.index(name)].figure.leg_length
                assert (np.linalg.norm(moved, axis=1)[stays] < 0.01 * length[stays]).all()
            before = now
        assert all(now[f"{name}.steps"].min() > 0 and now[f"{name}.falls"] == 0 for name in names)

    @pytest.mark.parametrize("level", ["kinematic", "coarse"])
    def test_on_hills_legs_end_where_feet_stand_and_those_stay(self, level):
        """By the joints of each leg, as it is drawn: no foot stands by decree, out of reach."""
        names = ("tarantula", "house_spider", "beetle")
        world = build(
            *(place(one, level, at=[0, 3, 24 * k]) for k, one in enumerate(names)), terrain=[HILLS]
        )
        came_down = {}
        for _ in range(round(1.5 * RATE)):
            world.advance()
            for one in world.creatures:
                tips = np.empty_like(one.mind.foot)
                place_feet(one.figure, one.body, one.body.angle, tips, one.room)
                for leg in np.flatnonzero(one.mind.leg_state == STANCE):
                    since = (one.name, leg, float(one.mind.land_time[leg]))
                    slip = np.linalg.norm(tips[leg] - came_down.setdefault(since, tips[leg]))
                    assert slip < 0.01 * one.figure.leg_length[leg]
        assert all(one.mind.steps.min() > 0 for one in world.creatures)
        assert all(
            np.linalg.norm(one.position[[0, 2]] - [0, 24 * k]) > 2
            for k, one in enumerate(world.creatures)
        )

    def test_it_is_not_rigid_while_an_edge_is_in_its_legs(self):
        """Kinematic legs reach through an edge; rigid ones are pushed out, and lose their hold."""
        table = {"shape": "box", "at": [-40, -30, 0], "size": [80, 60, 160], "friction": 2.0}
        it = {"species": "tarantula", "at": [-13, 4, 0], "commands": [{"speed": 8}]}
        world = build(it, terrain=[table])
        levels = set()
        for _ in range(round(1.8 * RATE)):
            world.advance()
            now = world.read()
            levels.add(int(now["tarantula.detail"]))
            assert now["tarantula.falls"] == 0
        assert levels == {0, 1}

    def test_who_stands_at_the_start_reaches_its_footholds(self):
        """Also on a log, where some places below its feet are too far."""
        for one in World.from_scene("forest_floor").creatures[:3]:
            tips = np.empty_like(one.mind.foot)
            place_feet(one.figure, one.body, one.body.angle, tips, one.room)
            off = np.linalg.norm(tips - one.mind.hold, axis=1) / one.figure.leg_length
            assert 2 * (one.mind.leg_state == STANCE).sum() >= len(off)
            assert off[one.mind.leg_state == STANCE].max() < 0.01

    @pytest.mark.parametrize("finer", ["kinematic", "full"])
    def test_a_crowd_comes_near_without_a_foot_that_jumps(self, finer):
        """From the coarse level to a finer one: feet that stand stay, others go on their way."""
        coarse, fine = (
            build(place("tarantula", level, at=[0, 3, 0]), terrain=[HILLS])
            for level in ("coarse", finer)
        )
        for _ in range(8):
            coarse.advance(0.1)
            before, one = coarse.read(), fine.creatures[0]
            fine.restore(coarse.state())
            fine.advance()
            held = (before["tarantula.foot_held"] > 0) & (one.mind.leg_state == STANCE)
            moved = np.linalg.norm(one.mind.foot - before["tarantula.foot_position"], axis=1)
            assert (moved[held] < 0.01 * one.figure.leg_length[held]).all()
            assert (moved < 0.2 * one.figure.leg_length).all()
            assert one.mind.count[FALLING] == 0

    def test_on_level_ground_it_goes_as_fast_as_told_and_straight(self):
        world = build(place("tarantula", commands=[{"speed": 6}], at=[0, 2, 0]))
        world.advance(1.5)
        start = world.creatures[0].position
        world.advance(2.0)
        gone = world.creatures[0].position - start
        assert gone[0] == pytest.approx(12, rel=0.05)
        assert np.linalg.norm(gone[1:]) < 0.3

    def test_movement_is_independent_of_heading(self):
        world = build(place("tarantula", commands=[{"speed": 0, "side": 4}], at=[0, 2, 0]))
        world.advance(2.0)
        one = world.creatures[0]
        assert np.allclose(one.body.velocity, [0, 0, 4], atol=0.4)
        assert one.body.turn[0, 0] > 0.995

    @pytest.mark.parametrize("level", ["kinematic", "full"])
    def test_a_steady_turn_lags_by_what_the_papers_torque_needs(self, level):
        """tau = c1 delta - c2 omega = 0: told to turn by omega, it looks delta = omega c2 / c1
        aside."""
        rate = 0.5
        command = {"speed": 3, "turn_deg": float(np.degrees(rate))}
        world = build(place("tarantula", level, commands=[command], at=[0, 2, 0]))
        world.advance(1.5)
        one = world.creatures[0]
        before = one.body.turn[:, 0].copy()
        world.advance(0.5)
        turned = np.arccos(before @ one.body.turn[:, 0])
        assert turned == pytest.approx(0.5 * rate, rel=0.05)
        ahead, wanted = one.body.turn[:, 0], one.mind.heading
        lag = np.arctan2(np.cross(ahead, wanted)[1], ahead @ wanted)
        assert lag == pytest.approx(rate * one.traits.turn_c2 / one.traits.turn_c1, rel=0.1)


class TestElevation:
    def test_a_body_that_was_lifted_comes_down_critically_damped(self):
        """h (1 + w t) exp(-w t), with w the root of the stiffness: it never goes below."""
        thorax = {"elevation_damping": 1.0, "elevation_stiffness": 100.0}
        world = build(
            place("tarantula", commands=[{"speed": 0}], at=[0, 2, 0], changes={"thorax": thorax})
        )
        one = world.creatures[0]
        world.advance(1.0)
        rest, lift, rate = one.body.place[1], 0.3, 10.0
        assert one.mind.drive[ELEVATION] == pytest.approx(one.traits.elevation, rel=0.01)
        one.body.place[1] += lift
        for frame in range(1, RATE + 1):
            world.advance()
            t = frame / RATE
            expected = lift * (1 + rate * t) * np.exp(-rate * t)
            above = one.body.place[1] - rest
            assert above == pytest.approx(expected, abs=0.06 * lift)
            assert above > -0.01 * lift
        assert above < 0.01 * lift


class TestSense:
    def look(self, gap, reach=12.0):
        """A spider whose eyes are so far from a wall; it stands."""
        sense = {"range": reach, "at": [1.0, 0.2, 0.0], "density": 5, "fov_deg": 60}
        spider = place(
            "tarantula",
            commands=[{"speed": 0}],
            at=[20 - gap - 1.0, 1.2, 0],
            changes={"sense": sense},
        )
        world = build(spider, terrain=[FLOOR, WALL])
        world.advance()
        return world.creatures[0]

    def test_a_wall_at_its_feet_takes_three_quarters_of_the_speed(self):
        one = self.look(4.0, reach=30.0)
        assert one.mind.drive[SENSE_ANGLE] == pytest.approx(np.pi / 2, abs=0.02)
        assert one.mind.drive[BRAKE_SENSE] == pytest.approx(0.75, abs=0.01)

    def test_the_brake_grows_as_the_wall_comes_nearer(self):
        """By (range - mean distance) / (range - half its span), times 90 / 120."""
        one = self.look(7.0)
        rays = 7.0 / np.cos(np.radians([-30, -15, 0, 15, 30]))
        assert one.mind.drive[SENSE_DISTANCE] == pytest.approx(rays.mean(), abs=0.05)
        near = (12 - rays.mean()) / (12 - min(one.figure.span / 2, 6))
        assert one.mind.drive[BRAKE_SENSE] == pytest.approx(0.75 * near, abs=0.01)

    def test_open_level_ground_asks_for_no_brake(self):
        world = build(place("tarantula", commands=[{"speed": 0}], at=[0, 2, 0]))
        world.advance()
        assert world.creatures[0].mind.drive[BRAKE_SENSE] == pytest.approx(0, abs=0.01)

    def test_a_precipice_asks_for_the_largest_brake(self):
        slab = {"shape": "box", "at": [-20, -10, 0], "size": [40, 20, 40], "friction": 1.0}
        sense = {"range": 15.0, "angle_deg": -10.0}  # which reach beyond the edge, feet do not
        spider = place(
            "tarantula", commands=[{"speed": 0}], at=[-6, 1.2, 0], changes={"sense": sense}
        )
        world = build(spider, terrain=[slab])
        world.advance()
        one = world.creatures[0]
        assert one.mind.foot[:, 0].max() < 0
        assert one.mind.drive[BRAKE_SENSE] == pytest.approx(one.traits.brake_most)


def test_a_heading_is_carried_from_the_floor_to_the_wall():
    """The way is as slanted on the wall as it was on the floor: as on one sheet of paper, bent."""
    slant = 25.0
    world = build(
        place("tarantula", commands=[{"speed": 8}], at=[10, 2, 0], turn_deg=[0, -slant, 0]),
        terrain=[FLOOR, WALL],
    )
    one = world.creatures[0]
    before = one.body.turn[2, 0]
    assert before == pytest.approx(np.sin(np.radians(slant)), abs=0.02)
    for _ in range(8 * RATE):
        world.advance()
        if one.body.place[1] > 10:
            break
    assert one.body.turn[0, 1] < -0.97, "it is on the wall"
    slanted = np.degrees(np.arcsin(one.body.turn[2, 0]))
    assert slanted == pytest.approx(slant, abs=8)
    assert one.body.turn[1, 0] > 0.8, "it looks up"


# -- bodies of any make ------------------------------------------------------------------------


def write_animal(folder, joints):
    """Three pairs of legs of so many joints, all of them 2 cm long."""
    bends = {1: [-35.0], 7: [20.0, 20.0, -30.0, -30.0, -30.0, -20.0, 10.0]}[joints]
    segments = [
        {
            "name": f"part_{k}",
            "length": 2.0 / joints,
            "radius": 0.05,
            "joint": {
                "axis": [0, 1, 0] if k == 0 and joints > 1 else [0, 0, 1],
                "rest_deg": 0.0 if k == 0 and joints > 1 else bend,
                "min_deg": -100.0,
                "max_deg": 80.0,
            },
        }
        for k, bend in enumerate(bends)
    ]
    legs = [
        {"name": name, "at": [x, 0, 0.4], "turn_deg": [0, -90, 0], "segments": segments}
        for name, x in (("front", 0.8), ("middle", 0.0), ("hind", -0.8))
    ]
    animal = {
        "kind": "climber",
        "title": "A test",
        "thorax": {"size": [2.0, 0.6, 0.8], "mass": 1.0},
        "legs": legs,
    }
    path = folder / f"legs_of_{joints}.yaml"
    path.write_text(yaml.safe_dump(animal))
    return str(path)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("joints", [1, 7])
def test_legs_of_one_joint_and_of_seven_walk(tmp_path, joints, level):
    species = write_animal(tmp_path, joints)
    world = build(place(species, level, at=[0, 1, 0], name="one", commands=[{"speed": 1}]))
    world.advance(1.0)
    now = world.read()
    for key, value in now.items():
        if not key.endswith(("lift_time", "land_time")):
            assert np.isfinite(value).all(), key
    assert now["one.foot_position"].shape == (6, 3)
    assert now["one.falls"] == 0
    assert world.creatures[0].position[0] > 0.2


# -- objects -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "moves"), [(0.03, True), (20.0, False)])
def test_a_light_block_is_pushed_and_a_heavy_one_is_not(share, moves):
    size, mass = [2.0, 3.0, 6.0], 18.0
    density = share * mass / float(np.prod(size))
    block = {
        "species": "block",
        "name": "block",
        "at": [6.0, size[1] / 2, 0],
        "with": {"size": size, "density": density},
    }
    walker = place("tarantula", "full", commands=[{"speed": 8}], at=[-1, 2, 0])
    world = build(walker, block)
    one, other = world.creatures
    assert one.figure.total_mass == pytest.approx(mass, rel=0.1)
    world.advance(0.2)
    start = other.position.copy()
    world.advance(4.0)
    moved = float(np.linalg.norm(other.position - start))
    assert moved > 0.5 if moves else moved < 0.05 * max(size)
