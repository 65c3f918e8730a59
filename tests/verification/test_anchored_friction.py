"""Friction of anchored springs, apart along and across the body, against Coulomb's law.

A point of one node on an incline, stepped here by backward Euler with the forces of `add_contact`
and Newton's method, to convergence. It rests or slips as the worm's nodes do, without a body.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from bodies import plane
from skitter.creatures.worm.body import assemble
from skitter.creatures.worm.body import build_grip as build_worm_grip
from skitter.creatures.worm.step import Outside, Stepper, build_motion
from skitter.elastic.anchored import (
    Footing,
    Grip,
    add_contact,
    build_footing,
    compute_jacobian,
    find_ground,
    set_frame,
    settle_anchors,
)
from skitter.rotation import matrix_from_turn
from skitter.species.worm import WormSpec

G, MASS, H = 981.0, 5e-9, 0.02
MU = {"forward": 0.1, "backward": 1.0, "across": 0.6}
SINK = 8e-5  # cm, how deep the point lies in the ground under its weight
STIFFNESS = MASS * G / SINK
WAYS = ["forward", "backward", "across"]


def build_grip(**changes) -> Grip:
    fields = dict(
        node=np.zeros((1, 3), np.int64), weight=np.array([[1.0, 0.0, 0.0]]),
        share=np.array([0.01]), stiffness=np.array([STIFFNESS]), **MU, film=0.0, reach=0.002,
    )  # fmt: skip
    return Grip(**(fields | changes))


@dataclass
class Incline:
    """A slope that falls towards +x, and a point on it, pressed in as far as its weight does."""

    slope: float  # degrees
    heading: float  # degrees between downhill and the body's direction, towards +z
    friction: float = 1.0  # of the ground

    def __post_init__(self):
        a, f = np.radians(self.slope), np.radians(self.heading)
        self.normal = np.array([np.sin(a), np.cos(a), 0.0])
        self.down = np.array([np.cos(a), -np.sin(a), 0.0])
        self.side = np.array([0.0, 0.0, 1.0])
        self.direction = np.array([np.cos(f) * self.down + np.sin(f) * self.side])
        self.terrain = plane(normal=tuple(self.normal), friction=self.friction)
        self.grip, self.foot = build_grip(), build_footing(1)
        self.x = np.array([-SINK * np.cos(a) * self.normal])
        self.v = np.zeros((1, 3))

    def force(self, x, ahead=0.0):
        force, blocks = np.zeros((1, 3)), np.zeros((1, 3, 3))
        add_contact(self.grip, self.foot, x, ahead, force, blocks)
        return force[0], blocks[0]

    def slope_of_force(self, x):
        touches = self.force(x)[1].any()
        return compute_jacobian(self.grip, self.foot, 0, x[0]) if touches else np.zeros((3, 3))

    def step(self, h=H, push=(0.0, 0.0, 0.0)):
        """One step; the force of the ground at its end."""
        find_ground(self.terrain.arrays, self.grip, self.direction, self.x, self.foot)
        x, outer = self.x.copy(), np.array([0.0, -MASS * G, 0.0]) + push
        for _ in range(50):
            left = self.force(x)[0] + outer - MASS * (x - self.x - h * self.v)[0] / h**2
            change = np.linalg.solve(MASS / h**2 * np.eye(3) - self.slope_of_force(x), left)
            x = x + change
            if np.abs(change).max() < 1e-13 * max(1.0, np.abs(x).max()):
                break
        else:
            raise AssertionError("the iteration does not converge")
        settle_anchors(self.grip, self.foot, x)
        self.x, self.v = x, (x - self.x) / h
        return self.force(x)[0]

    def slips(self, steps=100) -> bool:
        for _ in range(steps):
            self.step()
        return bool(np.linalg.norm(self.x - self.x @ self.normal * self.normal) > 5 * SINK)


HEADING = {"forward": 0.0, "backward": 180.0, "across": 90.0}


def find_slip(heading: float, low: float, high: float, **options) -> float:
    """The slope from which on a point slips, degrees, by bisection."""
    assert not Incline(low, heading, **options).slips()
    assert Incline(high, heading, **options).slips()
    while high - low > 2e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if Incline(middle, heading, **options).slips() else (middle, high)
    return (low + high) / 2


@pytest.mark.parametrize("way", WAYS)
def test_point_slips_at_the_angle_of_friction(way):
    wanted = np.degrees(np.arctan(MU[way]))
    found = find_slip(HEADING[way], wanted - 2, wanted + 3)
    assert found == pytest.approx(wanted, abs=0.005)


def test_across_is_the_same_both_ways():
    wanted = np.degrees(np.arctan(MU["across"]))
    assert find_slip(-90.0, wanted - 2, wanted + 3) == pytest.approx(wanted, abs=0.005)


def test_ground_multiplies_friction():
    wanted = np.degrees(np.arctan(0.5 * MU["across"]))
    found = find_slip(90.0, wanted - 2, wanted + 3, friction=0.5)
    assert found == pytest.approx(wanted, abs=0.005)


@pytest.mark.parametrize("heading", [30.0, 75.0, 120.0, 160.0, -100.0])
def test_limits_are_two_and_not_an_ellipse(heading):
    """Each part of the pull has its own: tan a = min(mu_along / cos, mu_across / sin)."""
    f = np.radians(heading)
    along = MU["forward"] if np.cos(f) > 0 else MU["backward"]
    parts = along / abs(np.cos(f)), MU["across"] / abs(np.sin(f))
    wanted = np.degrees(np.arctan(min(parts)))
    ellipse = np.degrees(np.arctan((1 / parts[0] ** 2 + 1 / parts[1] ** 2) ** -0.5))
    assert abs(ellipse - wanted) > 0.02
    found = find_slip(heading, 0.9 * ellipse, wanted + 3)
    assert found == pytest.approx(wanted, abs=0.005)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("more", [0.5, 5.0, 20.0])
def test_acceleration_of_a_slipping_point(way, more):
    """g (sin a - mu cos a) downhill, from the first step in which it slips on."""
    slope = np.degrees(np.arctan(MU[way])) + more
    point, speeds = Incline(slope, HEADING[way]), []
    for _ in range(60):
        force = point.step()
        speeds.append(point.v[0])
    a = np.radians(slope)
    wanted = G * (np.sin(a) - MU[way] * np.cos(a))
    gains = np.diff(speeds[5:], axis=0) / H
    np.testing.assert_allclose(gains @ point.down, wanted, rtol=1e-6)
    assert np.abs(gains @ point.normal).max() < 1e-6 * wanted
    assert np.abs(np.array(speeds) @ point.side).max() < 1e-6 * wanted * H
    pressed = force @ point.normal
    assert pressed == pytest.approx(MASS * G * np.cos(a), rel=1e-7)
    assert -force @ point.down == pytest.approx(MU[way] * pressed, rel=1e-7)


def test_slip_one_way_does_not_loosen_the_other():
    """It slips along, and holds across: friction there is what the pull asks for, to no limit."""
    point = Incline(20.0, 20.0)
    for _ in range(50):
        force = point.step()
    along, across = point.direction[0], np.cross(point.normal, point.direction[0])
    pull = MASS * G * np.sin(np.radians(20.0))
    pressed = MASS * G * np.cos(np.radians(20.0))
    assert point.v[0] @ along > 10.0
    assert abs(point.v[0] @ across) < 1e-6
    assert -force @ along == pytest.approx(MU["forward"] * pressed, rel=1e-7)
    wanted = pull * abs(point.down @ across)
    assert wanted < MU["across"] * pressed
    assert abs(force @ across) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_anchor_is_dragged_just_to_the_limit(way):
    """After any large move the spring pulls with mu N: along, and across, whichever slipped."""
    point = Incline(0.0, HEADING[way])
    point.step()
    moved = point.x + 0.01 * point.down
    settle_anchors(point.grip, point.foot, moved)
    force, _ = point.force(moved)
    assert -force @ point.down == pytest.approx(MU[way] * MASS * G, rel=1e-12)
    assert abs(force @ point.side) < 1e-12 * MASS * G
    again = point.foot.anchor.copy()
    settle_anchors(point.grip, point.foot, moved)
    np.testing.assert_allclose(point.foot.anchor, again, atol=1e-18)
    small = point.x + 0.5 * MU[way] * SINK * point.down  # within the limit: nothing moves
    fresh = Incline(0.0, HEADING[way])
    fresh.step()
    anchor = fresh.foot.anchor.copy()
    settle_anchors(fresh.grip, fresh.foot, small)
    assert np.array_equal(fresh.foot.anchor, anchor)
    assert -fresh.force(small)[0] @ point.down == pytest.approx(0.5 * MU[way] * MASS * G, rel=1e-9)


def test_stick_is_a_spring_and_comes_back():
    """Below the limit nothing is lost: a push that ends leaves the point where it was."""
    point = Incline(5.0, 180.0)
    for _ in range(50):
        point.step()
    start = point.x.copy()
    for _ in range(50):
        point.step(push=0.5 * MASS * G * point.down)
    assert (point.x - start)[0] @ point.down == pytest.approx(0.5 * SINK, rel=1e-6)
    for _ in range(50):
        point.step()
    np.testing.assert_allclose(point.x, start, atol=1e-9 * SINK)


@pytest.mark.parametrize("size", [0.3, 3.0])  # of the limit, along
@pytest.mark.parametrize("side", [0.4, -2.0])  # across
@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("film", [0.0, 0.7])
def test_printed_jacobian_is_the_slope_of_the_force(size, side, way, film):
    """Mujika 2018 eq. 12 where it holds, eq. 13 where it slips, each way by itself."""
    point = Incline(17.0, 35.0)
    point.grip = build_grip(film=film)
    find_ground(point.terrain.arrays, point.grip, point.direction, point.x, point.foot)
    _, along, across = point.foot.frame[0]
    depth = SINK * np.cos(np.radians(17.0))
    limit = depth * (MU["forward"] if way > 0 else MU["backward"])
    x = point.foot.anchor - depth * point.normal
    x += way * size * limit * along + side * MU["across"] * depth * across
    wanted, step = np.zeros((3, 3)), 1e-5 * SINK
    for c in range(3):
        away = np.zeros((1, 3))
        away[0, c] = step
        wanted[:, c] = (point.force(x + away)[0] - point.force(x - away)[0]) / (2 * step)
    found = compute_jacobian(point.grip, point.foot, 0, x[0])
    np.testing.assert_allclose(found, wanted, atol=1e-7 * STIFFNESS)
    if size > 1:  # eq. 13: slipping, the force falls as the point rises, and is else the same
        assert abs(along @ found @ along) < 1e-9 * STIFFNESS
        mu = limit / depth
        assert along @ found @ point.normal == pytest.approx(way * mu * STIFFNESS, rel=1e-9)
    else:
        assert along @ found @ along == pytest.approx(-STIFFNESS, rel=1e-9)


def test_matrix_of_a_step_is_symmetric_and_positive():
    for heading in (0.0, 50.0, 200.0):
        point = Incline(12.0, heading)
        find_ground(point.terrain.arrays, point.grip, point.direction, point.x, point.foot)
        for away in (0.0, 0.3 * SINK, 30 * SINK):
            x = point.x + away * (point.down - 0.4 * point.side)
            for ahead in (0.0, 1.0):
                blocks = point.force(x, ahead)[1]
                np.testing.assert_allclose(blocks, blocks.T, atol=1e-12 * STIFFNESS)
                values = np.linalg.eigvalsh(blocks)
                assert values[0] > 0
                assert values[-1] < STIFFNESS * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_frame_is_orthonormal(seed):
    """On any slope, however the body stands on it; also where it stands upright, just about."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    axis = np.eye(3)[seed % 3] * (-1) ** seed
    for n in (normal, axis):
        tilted = n + 10.0 ** -rng.uniform(3, 12) * rng.normal(size=3)
        for direction in (rng.normal(size=3), n, -n, tilted / np.linalg.norm(tilted)):
            frame = np.zeros((3, 3))
            frame[0] = n
            direction = direction / np.linalg.norm(direction)
            set_frame(direction, frame)
            np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-6)
            assert np.linalg.det(frame) == pytest.approx(1, abs=1e-6)
            flat = direction - direction @ n * n
            if np.linalg.norm(flat) > 1e-3:
                np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
                assert frame[1] @ flat == pytest.approx(np.linalg.norm(flat), rel=1e-9)


def test_point_between_nodes_hands_its_force_on():
    """To its three nodes by their weights, also where those go beyond the nodes (are negative)."""
    weight = np.array([0.6, 0.55, -0.15])
    single, mixed = Incline(15.0, 40.0), Incline(15.0, 40.0)
    mixed.grip = build_grip(node=np.array([[4, 1, 2]]), weight=weight[None])
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 3)) * 0.01
    x[4] += (single.x[0] - weight @ x[[4, 1, 2]]) / weight[0]  # the point is where the other is
    for one, at in ((single, single.x), (mixed, x)):
        find_ground(one.terrain.arrays, one.grip, one.direction, at, one.foot)
    away = 0.3 * SINK * single.direction[0]
    blocks, force = np.zeros((2, 1, 3, 3)), np.zeros((5, 3))
    alone = np.zeros((1, 3))
    add_contact(single.grip, single.foot, single.x + away, 0.0, alone, blocks[0])
    add_contact(mixed.grip, mixed.foot, x + away, 0.0, force, blocks[1])
    np.testing.assert_allclose(force[[4, 1, 2]], np.outer(weight, alone[0]), rtol=1e-9)
    assert not force[[0, 3]].any()
    np.testing.assert_allclose(blocks[1], blocks[0], rtol=1e-9, atol=1e-9 * STIFFNESS)
    settle_anchors(single.grip, single.foot, single.x + away)
    settle_anchors(mixed.grip, mixed.foot, x + away)
    np.testing.assert_allclose(mixed.foot.anchor, single.foot.anchor, atol=1e-15)


def test_point_that_lifts_forgets_its_anchor():
    point = Incline(0.0, 0.0)
    for _ in range(5):
        point.step(push=2.0 * MASS * G * point.down)
    assert point.foot.touching[0]
    point.x = point.x + np.array([[0.0, 0.01, 0.0]])
    point.step(h=1e-4)
    assert not point.foot.touching[0]
    point.x = np.array([[3.0, -SINK, 2.0]])
    point.v[:] = 0.0
    force = point.step()
    assert point.foot.touching[0]
    np.testing.assert_allclose(point.foot.anchor[0], [3.0, 0.0, 2.0], atol=1e-9)
    np.testing.assert_allclose(force, [0.0, MASS * G, 0.0], atol=1e-9 * MASS * G)


def test_film_pulls_as_far_as_it_reaches():
    """Its force per cm of length at the ground, half as much half way up, none further up."""
    for gap, share in ((0.0, 1.0), (0.001, 0.5), (0.0015, 0.25), (0.002, 0.0), (0.1, 0.0)):
        point = Incline(30.0, 10.0)
        point.grip = build_grip(film=0.7)
        x = gap * point.normal[None]
        find_ground(point.terrain.arrays, point.grip, point.direction, x, point.foot)
        force, _ = point.force(x)
        np.testing.assert_allclose(force, -0.7 * 0.01 * share * point.normal, atol=1e-12)
    below = Incline(0.0, 0.0)
    below.grip = build_grip(film=0.7)
    find_ground(below.terrain.arrays, below.grip, below.direction, below.x, below.foot)
    assert below.force(below.x)[0][1] == pytest.approx(MASS * G - 0.7 * 0.01, rel=1e-9)


@pytest.mark.parametrize("way", ["forward", "backward"])
def test_whole_body_holds_below_the_angle_and_slides_above(way):
    """A worm at rest on a slope, head downhill or uphill; across it would roll."""
    limit = np.degrees(np.arctan(MU[way]))
    held, slid = (slide_body(limit + more, way) for more in (-1.0, 1.0))
    assert 0 < held < 0.05 * 0.1  # a small part of its length
    assert slid > 0.1


def slide_body(slope: float, way: str) -> float:
    """How far a passive worm gets down a slope in a second, cm."""
    incline = Incline(slope, 0.0)
    spec = WormSpec.model_validate(
        {"kind": "worm", "title": "t", "body": {"slabs": 16, "around": 8}, "grip": MU}
    )
    body = assemble(spec)
    turns = matrix_from_turn((0.0, 0.0, -slope)) @ matrix_from_turn((0.0, HEADING[way], 0.0))
    x = body.mesh.nodes @ turns.T
    x -= (x @ incline.normal).min() * incline.normal + SINK * incline.normal
    motion = build_motion(body, x, np.zeros_like(x))
    stepper = Stepper(body, build_worm_grip(spec, body), spec.damping)
    for _ in range(50):
        outside = Outside(weight=G, activity=None, along=0.0, across=0.0)
        stepper.advance(motion, H, incline.terrain.arrays, outside)
    return float(body.mass @ (motion.x - x) @ incline.down / body.mass.sum())


def test_footing_is_all_zero_at_first():
    assert all(not field.any() for field in build_footing(4))
    assert isinstance(build_footing(4), Footing)
