"""Creatures of links in a world: recorded, restored, led, pushed, crowded, and when they break."""

import numpy as np
import pytest
import yaml

from link_worlds import G, build_links, list_rows, make_box, make_species
from skitter.cli import main
from skitter.errors import SimulationError
from skitter.events import PlaceObstacle, Poke, SetGravity, SetParameter, Steer
from skitter.world import World
from trees import read_tree

ROACH = ("roach", {"start": "stand"})
WIRE = ("wire", {"at": [2.5, 1.45, 3.3], "turn_deg": [0, 90, 0]})


def led(speed: float, turn_deg: float, **placement) -> tuple[str, dict]:
    commands = [{"speed": speed, "turn_deg": turn_deg}]
    return "roach", {"start": "stand", "commands": commands, **placement}


def differing(one: dict, other: dict) -> list[str]:
    assert one.keys() == other.keys()
    return [k for k in one if np.asarray(one[k]).tobytes() != np.asarray(other[k]).tobytes()]


def find_heading(world, name="c0") -> np.ndarray:
    """Where the x of the first box points, from its recorded orientation."""
    w, x, y, z = world.read()[f"{name}.body_orientation"][0].astype(float)
    return np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])


# --- what is recorded


def test_channels_of_a_roach():
    """38 degrees of freedom are 6 of the root and 32 joints; 3 boxes of the trunk, 24 of legs."""
    world = build_links(ROACH)
    world.advance()
    row = world.read()
    shapes = {
        "body_position": (27, 3), "body_orientation": (27, 4), "joint_angle": (32,),
        "joint_rest": (32,), "joint_speed": (32,), "joint_torque": (32,), "joint_work": (32,),
        "joint_positive_work": (32,), "centre_of_mass": (3,), "momentum": (3,),
        "energy_kinetic": (), "energy_potential": (), "foot_position": (6, 3),
        "foot_force": (6, 3), "foot_touching": (6,), "foot_stuck": (6,), "leg_stepping": (6,),
        "phase": (6,), "lift_time": (6,), "land_time": (6,), "touch_time": (6,),
        "leave_time": (6,), "steps": (6,), "reflex": (6, 3), "drive": (4,), "evaluations": (),
        "shortest_step": (),
    }  # fmt: skip
    for name, shape in shapes.items():
        assert np.shape(row[f"c0.{name}"]) == shape, name
    assert row["c0.body_position"].dtype == np.float32
    assert {channel.name for channel in world.channels()} == set(row)
    for channel in world.channels():
        assert tuple(channel.shape) == np.shape(row[channel.name]), channel.name
    statics = {static.name: static.values for static in world.statics()}
    assert statics["c0.leg_side"].tolist() == [-1, 1] * 3
    assert statics["c0.leg_pair"].tolist() == [0, 0, 1, 1, 2, 2]
    assert statics["c0.total_mass"] == pytest.approx(2.1, rel=0.01)
    assert statics["c0.body_length"] == pytest.approx(2.9, rel=0.01)
    assert statics["c0.body_mass"].sum() == pytest.approx(statics["c0.total_mass"])
    middle = statics["c0.body_mass"] @ row["c0.body_position"] / statics["c0.total_mass"]
    assert row["c0.centre_of_mass"] == pytest.approx(middle, abs=1e-5)
    left = row["c0.foot_position"][::2, 2]
    assert (left < row["c0.foot_position"][1::2, 2]).all()  # z is to the right


def test_one_without_legs_records_none():
    world = build_links(WIRE)
    world.advance()
    row = world.read()
    assert "c0.foot_force" not in row
    assert row["c0.closure_intact"].tolist() == [1]
    assert row["c0.joint_angle"].shape == (26,)


# --- the same again


@pytest.mark.parametrize("crowd", [(ROACH,), (ROACH, WIRE)], ids=["alone", "with a wire"])
def test_a_restored_world_reads_and_goes_on_as_the_first(crowd):
    first, second = build_links(*crowd, threads=2), build_links(*crowd)
    first.advance(0.25)
    second.restore(first.state())
    assert differing(first.read(), second.read()) == []
    first.advance(0.25)
    second.advance(0.25)
    assert differing(first.state(), second.state()) == []
    assert differing(first.read(), second.read()) == []


def test_one_that_is_far_away_changes_nothing():
    alone, other = build_links(ROACH), build_links(ROACH, ("wire", {"at": [50, 9, 50]}))
    alone.advance(0.3)
    other.advance(0.3)
    theirs = {key: value for key, value in other.read().items() if key.startswith("c0.")}
    assert differing(alone.read(), theirs) == []


def test_runs_are_the_same_bytes_and_can_be_resumed(tmp_path):
    """Twice, with two threads, and in two parts."""
    scene = {
        "title": "t", "seconds": 0.4, "terrain": [{"shape": "plane"}],
        "creatures": [
            {"species": "roach", "name": "a"},
            {"species": "wire", "name": "b", **WIRE[1]},
        ],
    }  # fmt: skip
    path = tmp_path / "scene.yaml"
    path.write_text(yaml.safe_dump(scene))

    def run(name: str, *options: str):
        assert main(["run", str(path), "-o", str(tmp_path / name), *options]) == 0
        return read_tree(tmp_path / name)

    first = run("first", "--threads", "1")
    assert run("second", "--threads", "2") == first
    run("parts", "--seconds", "0.2")
    assert run("parts", "--seconds", "0.4", "--resume") == first


# --- what leads it


def walk(speed: float, turn_deg: float, seconds: float) -> tuple[np.ndarray, float]:
    """How far its middle goes, cm, and how far it turns to the left, degrees."""
    world = build_links(led(speed, turn_deg))
    start = world.read()["c0.centre_of_mass"]
    world.advance(seconds)
    ahead = find_heading(world)
    return world.read()["c0.centre_of_mass"] - start, np.degrees(np.arctan2(-ahead[2], ahead[0]))


def test_commands_lead_it():
    """Forward is along x, the left is -z, and turning to it grows the angle seen from above."""
    ahead, turned = walk(5, 0, 0.8)
    assert ahead[0] > 2
    assert abs(turned) < 20
    slow, _ = walk(2, 0, 0.8)
    assert 0.3 < slow[0] < 0.8 * ahead[0]
    back, _ = walk(-3, 0, 0.8)
    assert back[0] < -0.5
    still, turned = walk(0, 0, 0.8)
    assert np.linalg.norm(still[[0, 2]]) < 0.2
    assert abs(turned) < 1
    left, turned = walk(5, 60, 0.8)
    assert turned > 20
    assert left[2] < -0.3
    right, turned = walk(5, -60, 0.8)
    assert turned < -20
    assert right[2] > 0.3


def test_steering_goes_before_commands():
    world = build_links(led(0, 0))
    world.apply(Steer("c0", -3.0, 0.0))
    world.advance(0.8)
    assert world.read()["c0.momentum"][0] != 0
    assert world.read()["c0.centre_of_mass"][0] < -0.7


# --- what is done to it


def test_a_push_is_the_momentum_that_it_names():
    world = build_links(led(0, 0))
    world.advance(0.5)
    before, mass = world.read(), world.creatures[0].plan.total_mass
    world.apply(Poke("c0", tuple(before["c0.centre_of_mass"]), (0.0, 0.0, 20.0)))
    pushed = world.read()["c0.momentum"] - before["c0.momentum"]
    assert pushed == pytest.approx([0, 0, 20 * mass], abs=1e-6 * mass)
    world.advance(0.3)
    assert world.read()["c0.centre_of_mass"][2] > before["c0.centre_of_mass"][2] + 0.1


def test_gravity_can_change():
    world = build_links((make_box(), {"at": [0, 20, 0]}))
    world.apply(SetGravity(-300.0))
    world.advance(0.1)
    assert world.read()["c0.momentum"] == pytest.approx([0, 0.4 * 300 * 0.1, 0], rel=1e-9)
    assert world.read()["c0.energy_potential"] < 0


def test_numbers_change_while_it_lives():
    """Without friction it gets nowhere; the same once friction comes back at once."""
    world = build_links(("roach", {"start": "stand", "with": {"contact": {"friction": 0.0}}}))
    world.advance(0.5)
    slipping = world.read()["c0.centre_of_mass"][0]
    steps = world.read()["c0.steps"].copy()
    world.apply(SetParameter("c0", "contact.friction", 1.0))
    world.advance(0.5)
    assert (world.read()["c0.steps"] > steps).all()
    assert world.read()["c0.centre_of_mass"][0] - slipping > 1
    state = world.state()
    other = build_links(("roach", {"start": "stand", "with": {"contact": {"friction": 0.0}}}))
    other.restore(state)
    world.advance(0.1)
    other.advance(0.1)
    assert differing(world.read(), other.read()) == []


def test_lost_legs_are_not_there():
    lost = {"remove": ["left_middle", "right_hind.tibia"]}
    world = build_links(("roach", {"start": "stand", "with": lost}))
    world.advance(0.3)
    row = world.read()
    assert row["c0.foot_position"].shape == (5, 3)
    assert row["c0.body_position"].shape == (27 - 4 - 2, 3)
    assert all(np.isfinite(value).all() for value in row.values())
    assert row["c0.centre_of_mass"][1] > 0.2


# --- together with others


def test_a_crowd_of_several_kinds():
    """Three roaches, of which two meet, a wire and a centipede that walks into one of them."""
    world = build_links(
        ROACH,
        ("roach", {"start": "stand", "at": [3.4, 0, 0.2], "turn_deg": [0, 180, 0]}),
        led(0, 0, at=[0, 0, 12]),
        WIRE,
        ("centipede18", {"start": "stand", "at": [-7, 0, 12]}),
        threads=2,
    )
    world.advance(0.5)
    row = world.read()
    assert all(np.isfinite(value).all() for value in row.values())
    for name in ("c0", "c1", "c2"):
        assert 0.2 < row[f"{name}.centre_of_mass"][1] < 1.5
    alone = build_links(ROACH)
    alone.advance(0.5)
    assert row["c0.centre_of_mass"][0] < alone.read()["c0.centre_of_mass"][0] - 0.1  # it was met


def test_obstacles_that_are_put_up_are_in_the_way():
    """A post before it, and a slab laid over it, in a world with room for things."""
    scene = {"title": "t", "terrain": [{"shape": "plane"}],
             "creatures": [{"species": "roach", "name": "c0"}]}  # fmt: skip
    world, free = (World.from_scene(scene, threads=1, spare=4) for _ in range(2))
    post = {"shape": "box", "at": [2.2, 1, 0], "size": [0.6, 2, 6]}
    world.apply(PlaceObstacle(post))
    world.advance(1.0)
    free.advance(1.0)
    assert free.read()["c0.centre_of_mass"][0] > 3.5
    assert world.read()["c0.body_position"][:, 0].max() < 2.2
    slab = {"shape": "box", "at": [*free.creatures[0].position], "size": [1, 0.3, 1]}
    free.apply(PlaceObstacle(slab))
    free.advance(0.3)
    assert all(np.isfinite(value).all() for value in free.read().values())


# --- mistakes


def make_torn(solver: dict) -> dict:
    """An arm whose spring is absurd: 1e9 (exp(1e4 x) - 1) dyn cm, half a turn from rest."""
    spring = {"alpha": 1e9, "beta": 1e4, "rest_deg": 170}
    joints = [{"name": "a", "axis": [0, 0, 1], "spring": spring}]
    links = [{"name": "arm", "size": [2, 0.1, 0.1], "middle": [1, 0, 0], "joints": joints}]
    return make_species(links=links, solver=solver)


def test_one_that_flies_apart_is_named(capsys, tmp_path):
    """Not the one beside it; with the time and what to try, and a run says so in one line."""
    bold = {"method": "runge_kutta", "shortest_step": 1e-6}
    torn = make_torn(bold)
    world = build_links((make_box(), {"at": [9, 9, 0]}), (torn, {"at": [0, 9, 0]}), terrain=[])
    world.creatures[1].body_state.q[0] = 0.0
    with pytest.raises(SimulationError, match=r"'c1' flies apart at .* s; try .*solver"):
        world.advance(0.1)
    (tmp_path / "torn.yaml").write_text(yaml.safe_dump(torn))
    scene = {"title": "t", "seconds": 0.1, "creatures": [{"species": "torn.yaml", "name": "one"}]}
    (tmp_path / "scene.yaml").write_text(yaml.safe_dump(scene))
    code = main(["run", str(tmp_path / "scene.yaml"), "-o", str(tmp_path / "out")])
    said = capsys.readouterr().err
    assert code in (1, 2)
    assert "'one' flies apart" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("speed", [np.nan, np.inf, 1e300])
def test_what_is_no_number_is_noticed(speed):
    world = build_links((make_box(), {"at": [0, 9, 0]}), (make_box(), {"at": [9, 9, 0]}))
    world.creatures[1].body_state.v[1] = speed
    with pytest.raises(SimulationError, match=r"'c1' flies apart at .* s; try .*time_step"):
        world.advance(0.1)


def test_rest_is_rest():
    """A box that stands stays where it is, to a hundredth of a micron."""
    world = build_links((make_box(), {"start": "stand", "at": [1, 0, 2]}))
    world.advance(0.5)
    place, _ = list_rows(world, 30, "c0.centre_of_mass", "c0.momentum")
    assert abs(place - place[0]).max() < 1e-6
    assert place[0][[0, 2]] == pytest.approx([1, 2], abs=1e-6)
    assert 0.4 * G * place[0][1] == pytest.approx(float(world.read()["c0.energy_potential"]))
