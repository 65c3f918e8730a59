"""The parts of a climber's controller, each on a case worked by hand."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from skitter.control.climbing.build import (
    build_traits,
    make_body,
    make_mind,
    make_orders,
)
from skitter.control.climbing.gait import is_free_to_step
from skitter.control.climbing.limbs import place_leg, reach_for
from skitter.control.climbing.model import BEZIER, ELLIPSE, STANCE, STEP, make_room
from skitter.control.climbing.steer import push_body, turn_body
from skitter.control.climbing.steps import find_duration, find_grip, trace
from skitter.control.climbing.think import turn_axes
from skitter.creatures.climber.plan import build_plan
from skitter.scene.load import load_scene

GRAVITY = 981.0
POINTS = np.array([(0.0, 0.0), (-0.1, 1.3), (0.9, 1.5), (1.0, 0.0)])
GLASS, ROUGH = 0.2, 1.0  # friction


class Parts:
    """A climber without a world."""

    def __init__(self, name, **changes):
        scene = {"title": "t", "creatures": [{"species": name, "with": changes}]}
        plan = build_plan(load_scene(scene).species[0])
        self.plan, self.figure = plan, plan.figure
        self.traits = build_traits(plan.species, plan.figure, GRAVITY)
        self.body = make_body(plan.figure, np.zeros(3), np.eye(3))
        self.orders = make_orders(plan.figure)
        self.mind = make_mind(plan.species, plan.figure, np.random.default_rng(0))
        self.room = make_room(int(np.diff(plan.figure.leg_first).max()))

    def find_tip(self, leg, angle):
        room = self.room
        n = place_leg(self.figure, leg, angle, room.at, room.axis, room.ahead)
        return room.at[n].copy()


@pytest.fixture(scope="module")
def spider():
    return Parts("tarantula")


def tilt(degrees):
    """The normal of a surface that leans so far; 180: a ceiling."""
    angle = np.radians(degrees)
    return float(np.sin(angle)), float(np.cos(angle)), 0.0


class TestLegs:
    def test_a_foot_is_where_the_turns_of_its_joints_lead(self, spider):
        figure, random = spider.figure, np.random.default_rng(1)
        for leg in range(len(figure.hip)):
            angle = random.uniform(figure.limit[:, 0], figure.limit[:, 1])
            at, turn = figure.hip[leg], Rotation.from_matrix(figure.hip_turn[leg])
            for j in range(figure.leg_first[leg], figure.leg_first[leg + 1]):
                turn = turn * Rotation.from_rotvec(figure.axis[j] * angle[j])
                at = at + turn.apply([figure.length[j], 0, 0])
            assert np.allclose(spider.find_tip(leg, angle), at, atol=1e-12)

    @pytest.mark.parametrize("name", ["tarantula", "ant", "stick_insect", "skitterling"])
    def test_any_place_in_comfort_is_reached_at_once(self, name):
        one, random = Parts(name), np.random.default_rng(2)
        figure = one.figure
        for leg in range(len(figure.hip)):
            for _ in range(40):
                way = random.normal(size=3)
                way *= figure.comfort[leg] * random.random() ** (1 / 3) / np.linalg.norm(way)
                angle, target = figure.rest.copy(), figure.origin[leg] + way
                reach_for(figure, leg, tuple(target), angle, 1.0, 0.002, one.room)
                missed = np.linalg.norm(one.find_tip(leg, angle) - target)
                assert missed < 1e-3 * figure.leg_length[leg]

    @pytest.mark.parametrize("name", ["tarantula", "ant", "scorpion"])
    def test_nearly_any_place_that_a_pose_reaches_is_found_within_the_limits(self, name):
        """From rest, with joints that stop at their limits, a few places stay hidden."""
        one, random = Parts(name), np.random.default_rng(2)
        figure, missed = one.figure, []
        for leg in range(len(figure.hip)):
            for _ in range(50):
                pose = random.uniform(figure.limit[:, 2], figure.limit[:, 3])
                angle, target = figure.rest.copy(), one.find_tip(leg, pose)
                for _ in range(60):
                    reach_for(figure, leg, tuple(target), angle, 1.0, 0.002, one.room)
                missed.append(np.linalg.norm(one.find_tip(leg, angle) - target))
                missed[-1] /= figure.leg_length[leg]
                assert (angle >= figure.limit[:, 0]).all() and (angle <= figure.limit[:, 1]).all()
        assert np.mean(np.array(missed) < 1e-3) > 0.95

    def test_what_is_out_of_reach_is_pointed_at(self, spider):
        """The nearest point of a leg stretched out straight lies on the way to the target."""
        figure, leg = spider.figure, 3
        target = figure.hip[leg] + 10 * (figure.origin[leg] - figure.hip[leg])
        angle = figure.rest.copy()
        for _ in range(60):
            off = reach_for(figure, leg, tuple(target), angle, 1.0, 0.002, spider.room)
        least = np.linalg.norm(target - figure.hip[leg]) - figure.leg_length[leg]
        assert least <= off < 1.03 * least

    def test_no_joint_turns_faster_than_told(self, spider):
        figure, leg, most = spider.figure, 0, 0.03
        angle = figure.rest.copy()
        reach_for(figure, leg, (5.0, 5.0, -5.0), angle, most, 0.002, spider.room)
        moved = np.abs(angle - figure.rest)
        assert moved.max() == pytest.approx(most)
        assert (moved[figure.leg_first[1] :] == 0).all(), "of other legs"


class TestPaths:
    def trace(self, spider, path, shares):
        traits = spider.traits._replace(path=path)
        return np.array([trace(traits, POINTS, float(share)) for share in shares])

    def test_an_ellipse_rises_comes_down_at_its_end_and_returns_below(self, spider):
        found = self.trace(spider, ELLIPSE, [0, 0.25, 0.5, 0.75, 1])
        assert np.allclose(found, [[0, 0], [0.5, 1], [1, 0], [0.5, -1], [0, 0]])
        shares = np.linspace(0, 1, 41)
        along, up = self.trace(spider, ELLIPSE, shares).T
        assert np.allclose((2 * along - 1) ** 2 + up**2, 1)

    def test_a_bezier_is_that_of_its_control_points_and_returns_below(self, spider):
        shares = np.linspace(0, 1, 41)
        found = self.trace(spider, BEZIER, shares)
        for share, point in zip(shares, found, strict=True):
            t, rows = (2 * share, POINTS) if share <= 0.5 else (2 - 2 * share, POINTS * [1, -1])
            while len(rows) > 1:  # de Casteljau
                rows = (1 - t) * rows[:-1] + t * rows[1:]
            assert np.allclose(point, rows[0])
        assert np.allclose(found[[0, 20, 40]], [[0, 0], [1, 0], [0, 0]])
        assert (found[1:20, 1] > 0).all() and (found[21:40, 1] < 0).all()

    def test_steps_take_as_long_as_the_species_says(self, spider):
        traits, body = spider.traits, spider.body
        for speed, duration in [
            (0.0, traits.duration_most),
            (0.5 * traits.max_speed, (traits.duration_most + traits.duration_least) / 2),
            (traits.max_speed, traits.duration_least),
            (9 * traits.max_speed, traits.duration_least),
        ]:
            body.velocity[:] = [0, 0, speed]
            assert find_duration(traits, body, spider.mind, 0) == pytest.approx(duration)


class TestGrip:
    @pytest.mark.parametrize(
        ("friction", "degrees", "share"),
        [
            (GLASS, 0, 1),
            (GLASS, 49, 1),
            (GLASS, 70, 0.5),
            (GLASS, 89.9, 0.0025),
            (GLASS, 91, 0),
            (GLASS, 180, 0),
            (0.0, 91, 0),
            (ROUGH, 90, 1),
            (ROUGH, 180, 1),
        ],
    )
    def test_glass_holds_to_50_degrees_and_not_from_90_and_what_is_rough_anywhere(
        self, spider, friction, degrees, share
    ):
        found = find_grip(spider.traits, friction, tilt(degrees))
        assert found == pytest.approx(share, abs=1e-9)

    def test_rougher_never_holds_worse_and_steeper_never_better(self, spider):
        slopes, frictions = range(0, 181, 15), np.linspace(0, 1, 11)
        found = np.array(
            [[find_grip(spider.traits, float(f), tilt(s)) for s in slopes] for f in frictions]
        )
        assert (np.diff(found, axis=0) >= 0).all() and (np.diff(found, axis=1) <= 0).all()

    def test_a_slope_may_be_the_last_that_holds_and_the_first_that_does_not(self):
        one = Parts("tarantula", grip={"full_deg": 60, "none_deg": 60})
        assert find_grip(one.traits, GLASS, tilt(59.9)) == 1
        assert find_grip(one.traits, GLASS, tilt(60.1)) == 0


class TestNeighbours:
    """Legs are L1 R1 L2 R2 ...; the paper: R2 waits for R1, R3 and L2, and R1 for R4, R2 and L1."""

    @pytest.mark.parametrize(
        ("name", "leg", "neighbours"),
        [
            ("tarantula", 3, {1, 5, 2}),
            ("tarantula", 1, {7, 3, 0}),
            ("tarantula", 6, {4, 0, 7}),
            ("ant", 0, {1, 2}),  # a tripod L1 R2 L3 has both ends of a side
            ("ant", 3, {1, 5, 2}),
            ("ant", 5, {3, 4}),
        ],
    )
    def test_a_leg_waits_for_its_neighbours_alone(self, name, leg, neighbours):
        one = Parts(name)
        legs = len(one.figure.hip)
        found = set()
        for other in {*range(legs)} - {leg}:
            one.mind.leg_state[:] = STANCE
            one.mind.leg_state[other] = STEP
            if not is_free_to_step.py_func(one.figure, one.traits, one.mind, leg, 0.0):
                found.add(other)
        assert found == neighbours

    @pytest.mark.parametrize(("name", "pairs"), [("ant", 3), ("tarantula", 4), ("skitterling", 5)])
    def test_one_of_two_groups_can_be_up_at_once_and_nothing_more(self, name, pairs):
        one = Parts(name)
        legs = np.arange(len(one.figure.hip))
        assert len(legs) == 2 * pairs
        group = (legs // 2 + legs) % 2
        for up in (0, 1):
            one.mind.leg_state[:] = STANCE
            for leg in legs[group == up]:
                assert is_free_to_step.py_func(one.figure, one.traits, one.mind, leg, 0.0)
                one.mind.leg_state[leg] = STEP
            for leg in legs[group != up]:
                assert not is_free_to_step.py_func(one.figure, one.traits, one.mind, leg, 0.0)

    def test_a_leg_leaves_the_turn_to_a_neighbour_that_has_waited_long(self):
        """All stand; R1 has asked at once, its neighbour L1 later, and R4, no neighbour, never."""
        one = Parts("tarantula")
        left, right, far = 0, 1, 3
        one.mind.leg_state[:] = STANCE
        one.mind.request[[left, right]] = 0.5, 0.0
        quick = one.traits.duration_least

        def may_step(leg, now):
            return bool(is_free_to_step.py_func(one.figure, one.traits, one.mind, leg, now))

        assert may_step(left, 0.9 * quick), "it has not waited long"
        assert not may_step(left, 1.1 * quick)
        assert may_step(right, 1.1 * quick), "who asked first goes"
        one.mind.request[right] = np.inf
        assert may_step(left, 1.1 * quick) and may_step(far, 1.1 * quick)


class TestBody:
    def test_a_heading_in_reach_is_approached_by_the_papers_torque(self, spider):
        """delta c1 - omega c2 vanishes where omega = delta c1 / c2."""
        traits, body, mind = spider.traits, spider.body, spider.mind
        body.turn[:] = Rotation.from_euler("xyz", [20, 40, -70], degrees=True).as_matrix()
        up, delta = body.turn[:, 1], 0.3
        mind.heading[:] = Rotation.from_rotvec(delta * up).apply(body.turn[:, 0])
        body.spin[:] = 0
        assert np.allclose(turn_body(traits, body, mind), up * delta * traits.turn_c1)
        body.spin[:] = up * delta * traits.turn_c1 / traits.turn_c2 + 5 * body.turn[:, 0]
        assert np.allclose(turn_body(traits, body, mind), 0, atol=1e-9 * traits.turn_c1)
        body.turn[:] = np.eye(3)

    def test_speed_grows_by_its_rate_and_within_the_largest_acceleration(self, spider):
        traits = spider.traits._replace(max_acceleration=8.0, acceleration_rate=4.0)
        body, mind, step = spider.body, spider.mind, 1e-3
        body.velocity[:] = body.spin[:] = mind.wish[:] = 0
        push_body(traits, body, mind, (10.0, 0.0, 0.0), step)
        assert np.allclose(mind.wish, [8.0 * step, 0, 0])  # 4 * 10 would be more
        mind.wish[:] = [9.0, 0, 0]
        push_body(traits, body, mind, (10.0, 0.0, 0.0), step)
        assert np.allclose(mind.wish, [9.0 + 4.0 * step, 0, 0])

    def test_axes_stay_square_and_turn_as_far_as_they_spin(self):
        turn, spin, steps = np.eye(3), np.array([1.0, 2.0, -2.0]), 1000
        for _ in range(steps):
            turn_axes(turn, tuple(spin), 1 / steps)
        assert np.allclose(turn.T @ turn, np.eye(3), atol=1e-12)
        assert np.linalg.det(turn) == pytest.approx(1)
        assert np.allclose(turn, Rotation.from_rotvec(spin).as_matrix(), atol=0.01)
