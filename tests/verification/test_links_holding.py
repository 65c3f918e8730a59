"""What holds bodies of links: sticky pads, closures, springs and stops of joints."""

import numpy as np
import pytest
from scipy.optimize import brentq

from link_worlds import EXACT, G, build_links, list_rows, make_box, make_species

WALL = {"shape": "plane", "normal": [0, 0, 1]}
CEILING = {"shape": "plane", "normal": [0, -1, 0]}
SOLVERS = {"implicit": {}, "runge_kutta": EXACT}
FEET = 4
MASS = 1.0 * 0.4 * 0.8 + FEET * 0.2 * 0.05 * 0.05  # g, of a table


# --- sticky pads


def make_table(**pads) -> dict:
    """A box on four stiff legs with pads under them, 0.4 cm below its middle."""
    legs = [
        {"name": name, "parent": "box", "at": [x, -0.2, 0.3], "turn_deg": [0, 0, -90],
         "segments": [{"name": "pin", "length": 0.2, "section": [0.05, 0.05]}]}
        for name, x in (("front", 0.4), ("hind", -0.4))
    ]  # fmt: skip
    return make_species(
        links=[{"name": "box", "size": [1, 0.4, 0.8]}], legs=legs,
        contact={"friction": 0, "sticky": {"on": True, "breaks": 1e6, "pull": 1e6, **pads}},
    )  # fmt: skip


def hang(turn_deg, at, terrain, **pads):
    return build_links((make_table(**pads), {"at": at, "turn_deg": turn_deg}), terrain=[terrain])


def test_pads_hold_on_a_wall_as_their_springs_do():
    """Without friction all of the weight hangs on four pads, a spring of stiffness k each, and so
    small a stretch that sharpness does not count: the middle of the pads sinks by m g/(4 k)."""
    world = hang([90, 0, 0], [0, 5, 0.395], WALL, stiffness=4e5, sharpness=0)
    world.advance(0.4)
    row, before = world.read(), np.array([5.3, 4.7, 5.3, 4.7])
    assert row["c0.foot_stuck"].tolist() == [1, 1, 1, 1]
    sunk = (before - row["c0.foot_position"][:, 1]).mean()
    assert sunk == pytest.approx(MASS * G / FEET / 4e5, rel=0.01)
    assert row["c0.foot_force"].sum(axis=0) == pytest.approx([0, MASS * G, 0], abs=1e-3 * MASS * G)
    assert world.creatures[0].body_state.anchor[:, 1] == pytest.approx(before, abs=1e-3)


def test_torn_pads_slide_and_catch_again():
    """Springs that bear 50 dyn each slow the fall, by 200 of 316 dyn at the very most."""
    world = hang([90, 0, 0], [0, 5, 0.395], WALL, breaks=50, damping=0)
    heights, stuck = list_rows(world, 12, "c0.centre_of_mass", "c0.foot_stuck")
    fall = 5 - heights[-1][1]
    free = 0.5 * G * 0.2**2
    assert free * (1 - FEET * 50 / (MASS * G)) < fall < 0.99 * free
    anchors = world.creatures[0].body_state.anchor
    assert (anchors[:, 1] < np.array([5.3, 4.7, 5.3, 4.7]) - 0.9 * fall).all()
    assert (stuck.sum(axis=1) > 0).all()


@pytest.mark.parametrize("pull", [170, 70])
def test_pads_under_a_ceiling_hold_until_they_are_pulled_off(pull):
    """Each bears a quarter of the weight: 79 dyn, and at most twice that, as it comes suddenly."""
    world = hang([180, 0, 0], [0, -0.4001, 0], CEILING, pull=pull)
    heights, stuck, momentum = list_rows(
        world, 18, "c0.centre_of_mass", "c0.foot_stuck", "c0.momentum"
    )
    if pull > 2 * MASS * G / FEET:
        assert abs(heights[:, 1] + 0.4001).max() < 0.01
        assert stuck.all()
    else:
        assert not stuck[3:].any()
        gain = (momentum[-1] - momentum[5])[1] / (MASS * 0.2)
        assert gain == pytest.approx(-G, rel=1e-6)


def test_pads_let_go_of_feet_that_step():
    """And hold most of those that stand."""
    species = ("roach", {"start": "stand", "with": {"contact": {"sticky": {"on": True}}}})
    world = build_links(species, frame_rate=250)
    stuck, stepping = list_rows(world, 125, "c0.foot_stuck", "c0.leg_stepping")
    assert 0.3 < stepping.mean() < 0.7
    assert not (stuck & stepping).any()
    assert stuck[stepping == 0].mean() > 0.7


# --- closures


@pytest.mark.parametrize("share", [0.99, 1.01])
@pytest.mark.parametrize("method", ["implicit", "runge_kutta"])
def test_a_closure_breaks_above_its_limit_and_not_below(share, method):
    """A box hangs in balance on a spring that bears a little less, or a little more, than it."""
    mass, stiffness = 0.4, 5e4
    closure = {"name": "hook", "link": "box", "stiffness": stiffness, "breaks": share * mass * G,
               "to_at": [0, mass * G / stiffness, 0]}  # fmt: skip
    species = make_box(solver=SOLVERS[method]) | {"closures": [closure]}
    world = build_links((species, {"at": [0, 9, 0]}), terrain=[])
    world.advance(0.1)
    row = world.read()
    assert row["c0.closure_intact"] == (share > 1)
    fall = 9 - row["c0.centre_of_mass"][1]
    if share > 1:
        assert abs(fall) < 1e-6
        assert row["c0.closure_force"] == pytest.approx(mass * G, rel=1e-6)
    else:
        assert fall == pytest.approx(0.5 * G * 0.1**2, rel=0.02)
        assert row["c0.closure_force"] == 0


def test_a_loop_of_four_bars_gives_by_what_it_bears():
    """A swing: two rods of 2 cm that hang 3 cm from each other, and a seat between their ends. The
    pin that closes the loop bears a rod and half of the seat."""
    thin, stiffness = 0.1, 1e5
    hinge = [{"name": "a", "axis": [0, 0, 1], "spring": {"damping": 30}}]
    rod = {"size": [thin, 2, thin], "middle": [0, -1, 0]}
    up = {"size": [thin, 2, thin], "middle": [0, 1, 0]}
    links = [
        {"name": "left", "joints": hinge, **rod},
        {"name": "seat", "parent": "left", "at": [0, -2, 0], "size": [3, thin, thin],
         "middle": [1.5, 0, 0], "joints": [{**hinge[0], "name": "b"}]},
        {"name": "right", "parent": "seat", "at": [3, 0, 0], **up,
         "joints": [{**hinge[0], "name": "c"}]},
    ]  # fmt: skip
    closure = {"name": "pin", "link": "right", "at": [0, 2, 0], "to_at": [3, 0, 0],
               "stiffness": stiffness, "damping": 20}  # fmt: skip
    species = make_species(links=links, closures=[closure])
    world = build_links((species, {"at": [0, 9, 0]}), terrain=[])
    world.advance(1.0)
    row, one = world.read(), world.creatures[0]
    place, axes = one.tree.place_links(one.body_state.q)
    gap = place[2] + axes[2] @ [0, 2, 0] - [3, 9, 0]
    true = (2 + 3 / 2) * thin**2 * G
    assert row["c0.closure_force"] == pytest.approx(true, rel=1e-3)
    assert np.linalg.norm(gap) == pytest.approx(true / stiffness, rel=1e-3)
    assert row["c0.closure_intact"].all()


# --- springs of joints


def make_arm(spring: dict, *, axis=(0, 0, 1), kind="revolute", **joint) -> dict:
    """A rod of 2 cm along x, 0.02 g."""
    joint = {"name": "a", "type": kind, "spring": spring, **joint}
    if kind != "ball":
        joint["axis"] = list(axis)
    links = [{"name": "arm", "size": [2, 0.1, 0.1], "middle": [1, 0, 0], "joints": [joint]}]
    return make_species(links=links)


@pytest.mark.parametrize("method", ["implicit", "runge_kutta"])
@pytest.mark.parametrize("kind", ["linear", "exponential"])
def test_an_arm_sags_until_its_spring_bears_it(kind, method):
    """alpha (exp(beta x) - 1), or alpha x, is the torque of the weight 1 cm out from the joint."""
    alpha, beta, rest, weight = 15.0, 2.0, np.radians(20), 0.02 * G

    def left(x: float) -> float:
        torque = alpha * x if kind == "linear" else alpha * (np.exp(beta * x) - 1)
        return torque - weight * np.cos(rest - x)

    spring = {"kind": kind, "alpha": alpha, "beta": beta, "rest_deg": 20, "damping": 1.5}
    species = make_arm(spring) | {"solver": {"method": method}}
    world = build_links((species, {"at": [0, 9, 0]}), terrain=[])
    world.advance(2.0)
    row, true = world.read(), brentq(left, 0, 2)
    assert true > 0.3
    assert row["c0.joint_angle"] == pytest.approx([rest - true], abs=1e-4)
    assert row["c0.joint_torque"] == pytest.approx([weight * np.cos(rest - true)], rel=1e-3)


@pytest.mark.parametrize("side", [-1, 1])
def test_a_stop_bears_an_arm_at_the_end_of_its_range(side):
    """It hangs down to 30 degrees and by its weight beyond; mirrored, up is down."""
    stop, weight = 200.0, 0.02 * G
    joint = {"range_deg": [-30, 50] if side > 0 else [-50, 30], "stop": stop}
    species = make_arm({"damping": 1.5}, axis=(0, 0, side), **joint)
    world = build_links((species, {"at": [0, 9, 0]}), terrain=[])
    world.advance(2.0)
    low = np.radians(30)
    true = brentq(lambda x: stop * (x - low) - weight * np.cos(x), low, 1.5)
    assert side * world.read()["c0.joint_angle"] == pytest.approx([-true], abs=1e-4)


@pytest.mark.parametrize("push", [[0, 0, 1], [0, 1, 0], [0, 0.6, -0.8]])
def test_a_ball_joint_swings_at_its_frequency(push):
    """w² = k/I, I of a rod about its end; half a period later the speed is the opposite, and the
    arm is straight. Stiff along any axis across it."""
    stiffness, mass = 500.0, 0.02
    inertia = mass * (2**2 / 3 + 0.1**2 / 12)
    w = np.sqrt(stiffness / inertia)
    species = make_arm({"kind": "linear", "alpha": stiffness}, kind="ball") | {"solver": EXACT}
    world = build_links(
        (species, {"at": [0, 9, 0]}), terrain=[], gravity=0, frame_rate=float(4 * w / np.pi)
    )
    one = world.creatures[0]
    one.push(np.array([1.0, 9, 0]), 0.1 * np.array(push))
    start = one.body_state.v.copy()
    assert np.linalg.norm(start) == pytest.approx(0.1 * mass / inertia, rel=1e-6)  # arm of 1 cm
    world.advance(world.frame_time * 2)
    out = 2 * one.body_state.q[1:]  # a quarter of a period: all the way out
    assert out == pytest.approx(start / w, abs=1e-4 * np.linalg.norm(start) / w)
    world.advance(world.frame_time * 2)
    assert one.body_state.v == pytest.approx(-start, abs=1e-4 * np.linalg.norm(start))
    assert abs(one.body_state.q[1:]).max() < 1e-4 * np.linalg.norm(start) / w


FINE = [pytest.param({"time_step": 1e-5}, id="implicit")]
FINE += [pytest.param(EXACT, id="runge_kutta")]


@pytest.mark.parametrize("solver", FINE)
def test_springs_work_as_much_as_the_arm_gains(solver):
    """Let go 40 degrees from rest without gravity, x = A cos(w t): what the joint has given is what
    the arm has, k A² sin²(w t)/2."""
    stiffness, inertia = 500.0, 0.02 * (2**2 / 3 + 0.1**2 / 12)
    species = make_arm({"kind": "linear", "alpha": stiffness, "rest_deg": 40}) | {"solver": solver}
    world = build_links((species, {"at": [0, 9, 0]}), terrain=[], gravity=0, frame_rate=200)
    world.creatures[0].body_state.q[0] = 0.0
    work, energy = list_rows(world, 6, "c0.joint_work", "c0.energy_kinetic")
    most = 0.5 * stiffness * np.radians(40) ** 2
    true = most * np.sin(np.sqrt(stiffness / inertia) * np.arange(1, 7) / 200) ** 2
    assert energy == pytest.approx(true, abs=0.01 * most)
    assert work[:, 0] == pytest.approx(true, abs=0.01 * most)
