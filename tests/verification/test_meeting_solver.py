"""The solver of meetings: conservation, friction, motors, and an order that changes nothing."""

import numpy as np
import pytest

from skitter.meeting.find import CONTACT_ROW, GAP, GRIP, NORMAL, POINT
from skitter.meeting.solve import HOLD, MOTOR_ROW, NOBODY, SLACK, SWEEPS, WANT, Touches, solve

H = 1 / 300  # s


class Ball:
    """A rigid ball as an owner: mass, radius, place, velocity, spin."""

    def __init__(self, mass, radius, place, velocity, spin=(0, 0, 0)):
        self.mass, self.inertia = mass, 0.4 * mass * radius**2
        self.place, self.velocity = np.array(place, float), np.array(velocity, float)
        self.spin = np.array(spin, float)

    def momentum(self):
        linear = self.mass * self.velocity
        return np.concatenate([linear, np.cross(self.place, linear) + self.inertia * self.spin])

    def energy(self):
        return 0.5 * self.mass * self.velocity @ self.velocity + 0.5 * self.inertia * (
            self.spin @ self.spin
        )

    def speed_at(self, point):
        return self.velocity + np.cross(self.spin, point - self.place)

    def answer(self, points):
        arms = points - self.place
        rows = np.zeros((len(points), 3, len(points), 3))
        for i, r in enumerate(arms):
            for j, s in enumerate(arms):
                for c, unit in enumerate(np.eye(3)):
                    turn = np.cross(s, unit) / self.inertia
                    rows[i, :, j, c] = unit / self.mass + np.cross(turn, r)
        return rows.reshape(3 * len(points), 3 * len(points))

    def take(self, point, impulse):
        self.velocity += impulse / self.mass
        self.spin += np.cross(point - self.place, impulse) / self.inertia


def contact(point, normal, gap=0.0, grip=0.0):
    row = np.zeros(CONTACT_ROW)
    row[POINT : POINT + 3], row[NORMAL : NORMAL + 3], row[GAP], row[GRIP] = point, normal, gap, grip
    return row


def settle(owners, contacts, pairs, motors=()):
    """Solve some contacts between owners (None: what does not move) and hand out the impulses;
    motors are (owner, want, hold, slack), each at its owner's middle."""
    count = len(contacts)
    owner = [NOBODY if k is None else k for pair in pairs for k in pair] + [m[0] for m in motors]
    point = [row[POINT : POINT + 3] for row in contacts for _ in range(2)]
    point += [owners[m[0]].place for m in motors]
    owner, point = np.array(owner), np.array(point)
    slot, order, response = np.zeros(len(owner), np.int64), [], []
    first, many, start = (np.zeros(len(owners), np.int64) for _ in range(3))
    for k, one in enumerate(owners):
        mine = np.flatnonzero(owner == k)
        slot[mine] = np.arange(len(mine))
        first[k], many[k], start[k] = sum(map(len, response)), len(mine), sum(map(len, order))
        order.append(mine)
        response.append(one.answer(point[mine]).ravel())
    velocity = np.array(
        [
            np.zeros(3) if k == NOBODY else owners[k].speed_at(p)
            for k, p in zip(owner, point, strict=True)
        ]
    )
    motor = np.zeros((len(motors), MOTOR_ROW))
    for k, (_, want, hold, slack) in enumerate(motors):
        motor[k, WANT : WANT + 3], motor[k, HOLD], motor[k, SLACK] = want, hold, slack
    touches = Touches(
        owner=owner, slot=slot, first=first, many=many, point=np.concatenate(order), start=start,
        velocity=velocity, response=np.concatenate(response), motor=motor,
        impulse=np.zeros((count, 3)), drive=np.zeros((len(motors), 3)),
    )  # fmt: skip
    solve(np.array(contacts), count, touches, H, np.zeros(count), SWEEPS)
    for k in range(count):
        for side, sign in ((0, 1.0), (1, -1.0)):
            if owner[2 * k + side] != NOBODY:
                owners[owner[2 * k + side]].take(point[2 * k], sign * touches.impulse[k])
    for k, m in enumerate(motors):
        owners[m[0]].take(owners[m[0]].place, touches.drive[k])
    return touches


def test_two_balls_head_on_go_on_together():
    """Without restitution: (m1 v1 + m2 v2) / (m1 + m2)."""
    a, b = Ball(2.0, 1.0, (1, 0, 0), (-3, 0, 0)), Ball(5.0, 1.0, (-1, 0, 0), (4, 0, 0))
    settle([a, b], [contact((0, 0, 0), (1, 0, 0))], [(0, 1)])
    assert a.velocity == pytest.approx([2, 0, 0], abs=1e-9)
    assert b.velocity == pytest.approx([2, 0, 0], abs=1e-9)


@pytest.mark.parametrize("seed", range(1001, 1011))
def test_momentum_stays_and_energy_does_not_grow(seed):
    """Many balls, many contacts at once, at places and normals of any kind, with friction."""
    rng = np.random.default_rng(seed)
    balls = [
        Ball(
            10 ** rng.uniform(-2, 2),
            1.0,
            rng.normal(0, 2, 3),
            rng.normal(0, 9, 3),
            rng.normal(0, 9, 3),
        )
        for _ in range(5)
    ]
    before = sum(one.momentum() for one in balls)
    energy = sum(one.energy() for one in balls)
    contacts, pairs = [], []
    for _ in range(8):
        i, j = rng.choice(5, 2, replace=False)
        normal = balls[i].place - balls[j].place
        point = (balls[i].place + balls[j].place) / 2 + rng.normal(0, 0.2, 3)
        contacts.append(contact(point, normal / np.linalg.norm(normal), grip=rng.uniform(0, 1)))
        pairs.append((i, j))
    settle(balls, contacts, pairs)
    after = sum(one.momentum() for one in balls)
    assert after == pytest.approx(before, rel=1e-12, abs=1e-11 * np.abs(before).max())
    assert sum(one.energy() for one in balls) <= energy * (1 + 1e-9)


def test_friction_is_mu_times_the_normal_impulse_or_stops_the_sliding():
    """A ball on a floor that moves along it: below the cone it rolls, above it slides."""
    for grip, speed in ((0.1, 10.0), (2.0, 10.0)):
        ball = Ball(3.0, 1.0, (0, 1, 0), (speed, -5, 0))
        touches = settle([ball], [contact((0, 0, 0), (0, 1, 0), grip=grip)], [(0, None)])
        normal, along = touches.impulse[0, 1], abs(touches.impulse[0, 0])
        assert normal == pytest.approx(15)
        sliding = ball.speed_at(np.zeros(3))[0]
        if grip == 0.1:
            assert along == pytest.approx(1.5) and sliding > 0
        else:
            assert sliding == pytest.approx(0, abs=1e-5) and along < grip * normal


def test_a_gap_may_close_and_no_more():
    ball = Ball(1.0, 1.0, (0, 1.1, 0), (0, -60, 0))
    settle([ball], [contact((0, 0.05, 0), (0, 1, 0), gap=0.1)], [(0, None)])
    assert ball.velocity[1] == pytest.approx(-0.1 / H)


def test_a_motor_pushes_with_the_force_that_its_law_gives():
    """Against a wall that does not move, force is hold (1 - v/slack) at v = 0 that is asked for."""
    ball = Ball(2.0, 1.0, (0, 0, 0), (0, 0, 0))
    wall = contact((1, 0, 0), (-1, 0, 0))
    touches = settle([ball], [wall], [(0, None)], [(0, (6, 0, 0), 4.0, 12.0)])
    assert ball.velocity == pytest.approx([0, 0, 0], abs=1e-9)
    assert touches.drive[0] == pytest.approx([2.0, 0, 0], abs=1e-6)  # 4 x 6 / 12
    assert touches.impulse[0, 0] == pytest.approx(-2.0, abs=1e-6)


def test_two_motors_against_each_other_stand_if_they_are_alike():
    a, b = Ball(2.0, 1.0, (1, 0, 0), (-8, 0, 0)), Ball(2.0, 1.0, (-1, 0, 0), (8, 0, 0))
    motors = [(0, (-8, 0, 0), 4.0, 16.0), (1, (8, 0, 0), 4.0, 16.0)]
    settle([a, b], [contact((0, 0, 0), (1, 0, 0))], [(0, 1)], motors)
    assert abs(a.velocity[0]) < 1e-6 and abs(b.velocity[0]) < 1e-6


def test_a_motor_moves_nothing_faster_than_it_can_push():
    """A heavy thing before it: it is given hold at the most."""
    walker, block = Ball(1.0, 1.0, (-1, 0, 0), (8, 0, 0)), Ball(1000.0, 1.0, (1, 0, 0), (0, 0, 0))
    settle([block, walker], [contact((0, 0, 0), (1, 0, 0))], [(0, 1)], [(1, (8, 0, 0), 4.0, 8.0)])
    given = 1000.0 * block.velocity[0]
    assert given <= 8.0 + 4.0 + 1e-6  # its momentum, and what its feet hold
    assert walker.velocity[0] == pytest.approx(block.velocity[0], abs=1e-6)
