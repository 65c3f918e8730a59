"""Steps of a system: linearly implicit Euler, for speed, and fifth-order Runge-Kutta, to judge it.

The implicit step is the way to speed that McKenna 1990 section 4.2 names: springs and contacts of
any stiffness are stable, and a step costs one forward dynamics. Runge-Kutta is Dormand and Prince's
pair of orders five and four: its error says how long the next step may be, and a step that was too
bold is taken back.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.rigid.tree.forward import sweep_accelerations, sweep_inertias, sweep_speeds
from skitter.rigid.tree.holding import break_loops, close_loops, hold_pads, settle_pads
from skitter.rigid.tree.layout import (
    BALL,
    KIND,
    PARENT,
    Q_AT,
    SINGLE,
    V_AT,
    WORK_SIZE,
)
from skitter.rigid.tree.place import integrate, place_links
from skitter.rigid.tree.pushing import (
    PUSH_ROW,
    expect_momentum,
    keep_momentum,
    mark_pushed,
    note_momentum,
    push_links,
)
from skitter.rigid.tree.springs import (
    TOUCH_ROW,
    feel_touches,
    follow_rests,
    level_pairs,
    pull_balls,
    pull_joints,
    push_pairs,
    sweep_drift,
)
from skitter.rigid.tree.system import System
from skitter.rigid.tree.touching import touch_each_other, touch_terrain
from skitter.terrain.surface import TerrainArrays

# Dormand and Prince 1980: the stages' times and weights, the fifth-order result, and its error
TIMES = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
STAGES = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
BROKEN = 1e12  # rad/s or cm/s
ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


class Room(NamedTuple):
    """Scratch for steps."""

    work: np.ndarray  # [link + 1, WORK_SIZE]
    place: np.ndarray  # [link, 3]
    axes: np.ndarray  # [link, 3, 3]
    torque: np.ndarray  # [v]
    extra: np.ndarray  # [v]
    gain: np.ndarray  # [v]
    bars: np.ndarray  # [bar, 6]
    slope_q: np.ndarray  # [7, q]
    slope_v: np.ndarray  # [7, v]
    q: np.ndarray  # [2, q] at the start of a step, and scratch
    v: np.ndarray  # [2, v]
    touches: np.ndarray  # [n, TOUCH_ROW] forces that legs feel
    touch_count: np.ndarray  # [1] of them
    pairs: np.ndarray  # [n, TOUCH_ROW] forces between two links, which are made equal
    pair_count: np.ndarray  # [1] of them
    done: np.ndarray  # [2, joint] of a Runge-Kutta step: mean torque, mean power
    seen: np.ndarray  # [2, body + probe, 4] terrain and obstacles: see touching.touch_terrain
    root: np.ndarray  # [link] int64, the link of its tree that hangs on the world
    pushed: np.ndarray  # [link] int64, 1 for free roots of trees that are pushed
    momentum: np.ndarray  # [link, 6] of these: about the world's origin, and linear


class Outside(NamedTuple):
    """What is around a system during a frame."""

    gravity: np.ndarray  # [3] cm/s²
    terrain: TerrainArrays
    barrier: TerrainArrays  # obstacles
    pushes: np.ndarray  # [n, PUSH_ROW] of those whom it meets: see pushing.py


NO_PUSHES = np.zeros((0, PUSH_ROW))


def count_touches(system: System) -> int:
    """Room for all that may touch in one step."""
    corners, bars = 2 * len(system.probe), 8 * len(system.bar)  # pushes are among the latter
    return corners + bars + len(system.foot) + 2 * len(system.closure)


def build_room(system: System, q_size: int, v_size: int) -> Room:
    links = len(system.links)
    return Room(
        np.zeros((links + 1, WORK_SIZE)),
        np.zeros((links, 3)),
        np.zeros((links, 3, 3)),
        np.zeros(v_size),
        np.zeros(v_size),
        np.zeros(v_size),
        np.zeros((len(system.bar), 6)),
        np.zeros((7, q_size)),
        np.zeros((7, v_size)),
        np.zeros((2, q_size)),
        np.zeros((2, v_size)),
        np.zeros((count_touches(system), TOUCH_ROW)),
        np.zeros(1, np.int64),
        np.zeros((count_touches(system), TOUCH_ROW)),
        np.zeros(1, np.int64),
        np.zeros((2, len(system.joint_v))),
        np.full((2, len(system.body) + len(system.probe), 4), -1.0),
        find_roots(system.links),
        np.zeros(links, np.int64),
        np.zeros((links, 6)),
    )


def find_roots(links: np.ndarray) -> np.ndarray:
    """The link of its tree that hangs on the world [link]."""
    root = np.arange(len(links), dtype=np.int64)
    for link, parent in enumerate(links[:, PARENT]):
        if parent >= 0:
            root[link] = root[parent]
    return root


@inlined
def copy_row(source, target):
    for k in range(len(source)):
        target[k] = source[k]


@kernel
def find_gain(system, outside, state, ahead, follow, seconds, room, felt):
    """Accelerations of a state; `seconds` is the length of an implicit step, or zero: plain ones.

    `ahead` is how far rest angles have travelled since those of the state; for how long springs
    `follow` them on, as stiff as they are now. Implicit forces between
    two links need a second solve, in which they are equal and opposite.
    """
    place, axes, work = room.place, room.axes, room.work
    touches, count, pairs, pair_count = room.touches, room.touch_count, room.pairs, room.pair_count
    for again in range(2):
        sweep_speeds(system.links, system.number, state.q, state.v, work)
        place_links(system.links, work, place, axes)
        sweep_drift(system.links, outside.gravity, work)
        pull_joints(system, state, ahead, seconds, room.torque, room.extra)
        if follow > 0.0:
            follow_rests(system, state, follow, seconds, room.torque, room.extra)
        pull_balls(system, state, seconds, room.torque, room.extra)
        count[0] = 0
        for k in range(2):
            terrain, seen = outside.terrain if k == 0 else outside.barrier, room.seen[k]
            if len(terrain.row):
                touch_terrain(system, terrain, place, axes, seconds, seen, work, touches, count)
        push_links(outside.pushes, place, axes, seconds, work, touches, count)
        hold_pads(system, state, place, axes, seconds, work, touches, count)
        close_loops(system, state, place, axes, seconds, again, work, touches, count, felt)
        if again:
            push_pairs(work, axes, pairs, pair_count, seconds, touches, count)
        elif len(system.touch) > 1:
            touch_each_other(system, place, axes, seconds, room.bars, work, touches, count)
        sweep_inertias(system.links, system.number, room.torque, room.extra, work)
        sweep_accelerations(
            system.links, system.number, room.torque, room.extra, outside.gravity, work, room.gain
        )
        if (
            again
            or seconds == 0.0
            or not level_pairs(work, axes, touches, count, pairs, pair_count)
        ):
            return


@kernel
def count_work(system, state, before, after, seconds, room, felt):
    """Torques that acted, and what they did, between two speeds [v]."""
    for j in range(len(system.joint_v)):
        at = system.joint_v[j]
        torque = room.torque[at] - room.extra[at] * room.gain[at]
        note_work(felt, j, torque, torque * 0.5 * (before[at] + after[at]), seconds)
    count_forces(seconds, room, felt)


@inlined
def note_work(felt, j, torque, power, seconds):
    felt.torque[j] = torque
    felt.work[j] += power * seconds
    felt.positive_work[j] += max(power * seconds, 0.0)
    felt.angular[j] += seconds * torque


@kernel
def count_forces(seconds, room, felt):
    """Forces that legs felt at the end of a step."""
    for leg in range(len(felt.impulse)):
        felt.leg_load[leg] = 0.0
        for k in range(3):
            felt.leg_force[leg, k] = 0.0
    feel_touches(room.work, room.axes, room.touches, room.touch_count, felt)
    for leg in range(len(felt.impulse)):
        for k in range(3):
            felt.impulse[leg, k] += seconds * felt.leg_force[leg, k]


@kernel
def settle(system, outside, state, seconds, room, felt):
    """What happens at the end of a step that counts."""
    for j in range(len(state.rest)):
        state.rest[j] += seconds * state.rest_speed[j]
    settle_pads(system, state, outside.terrain, outside.barrier, room.place, room.axes)
    break_loops(system, state, felt)


@kernel
def step_implicit(system, outside, state, seconds, steps, room, felt):
    """Some linearly implicit Euler steps; returns how many were good."""
    is_pushed = len(outside.pushes) > 0
    if is_pushed:
        mark_pushed(system.links, room.root, outside.pushes, room.pushed)
    for step in range(steps):
        find_gain(system, outside, state, seconds, 0.0, seconds, room, felt)
        if is_pushed:
            expect_push(system, outside, seconds, step == 0, room)
        copy_row(state.v, room.v[0])
        for k in range(len(state.v)):
            state.v[k] += seconds * room.gain[k]
            if not abs(state.v[k]) < BROKEN:  # also what is not a number
                return step
        integrate(system.links, system.number, state.q, state.v, seconds)
        count_work(system, state, room.v[0], state.v, seconds, room, felt)
        settle(system, outside, state, seconds, room, felt)
        if is_pushed:
            keep_momentum(
                system.links, system.number, room.root, room.pushed, room.momentum, state,
                room.work, room.torque, room.extra,
            )  # fmt: skip
    return steps


@kernel
def expect_push(system, outside, seconds, is_first, room):
    """The momentum that pushed trees will have after a step."""
    number, root, pushed, momentum = system.number, room.root, room.pushed, room.momentum
    if is_first:
        note_momentum(number, root, pushed, room.place, room.axes, room.work, momentum)
    expect_momentum(
        number, root, pushed, room.place, room.axes, outside.gravity, seconds, room.work, momentum
    )


@kernel
def find_slope(index, q, v, slope):
    """How fast q changes at speed v."""
    for i in range(len(index)):
        kind, at, to = index[i, KIND], index[i, V_AT], index[i, Q_AT]
        if kind == SINGLE:
            slope[to] = v[at]
            continue
        if kind != BALL:
            w, x, y, z = q[to + 3], q[to + 4], q[to + 5], q[to + 6]
            s = 2.0 / (w * w + x * x + y * y + z * z)
            vx, vy, vz = v[at + 3], v[at + 4], v[at + 5]
            tx, ty, tz = s * (y * vz - z * vy), s * (z * vx - x * vz), s * (x * vy - y * vx)
            slope[to] = vx + w * tx + y * tz - z * ty
            slope[to + 1] = vy + w * ty + z * tx - x * tz
            slope[to + 2] = vz + w * tz + x * ty - y * tx
            to += 3
        w, x, y, z = q[to], q[to + 1], q[to + 2], q[to + 3]
        a, b, c = 0.5 * v[at], 0.5 * v[at + 1], 0.5 * v[at + 2]
        slope[to], slope[to + 1] = -x * a - y * b - z * c, w * a + y * c - z * b
        slope[to + 2], slope[to + 3] = w * b + z * a - x * c, w * c + x * b - y * a


@kernel
def normalise(index, q):
    """Make unit quaternions of all."""
    for i in range(len(index)):
        if index[i, KIND] == SINGLE:
            continue
        at = index[i, Q_AT] + (0 if index[i, KIND] == BALL else 3)
        size = np.sqrt(q[at] ** 2 + q[at + 1] ** 2 + q[at + 2] ** 2 + q[at + 3] ** 2)
        for k in range(4):
            q[at + k] /= size


@kernel
def add_slopes(start, slope, weights, count, seconds, out):
    for k in range(len(start)):
        total = 0.0
        for s in range(count):
            total += weights[s] * slope[s, k]
        out[k] = start[k] + seconds * total


@kernel
def measure_error(start, end, slope, seconds, tolerance):
    """Sum of squares of the errors, each by what is allowed for it."""
    total = 0.0
    for k in range(len(start)):
        error = 0.0
        for s in range(7):
            error += ERROR[s] * slope[s, k]
        allowed = tolerance * (1.0 + max(abs(start[k]), abs(end[k])))
        total += (seconds * error / allowed) ** 2
    return total


@kernel
def try_runge_kutta(system, outside, state, seconds, tolerance, room, felt):
    """Take a step of Dormand and Prince; returns its error, of what is allowed.

    The state is moved in any case; room.q[0] and room.v[0] hold where it was.
    """
    copy_row(state.q, room.q[0])
    copy_row(state.v, room.v[0])
    for s in range(7):
        add_slopes(room.q[0], room.slope_q, STAGES[s], s, seconds, state.q)
        add_slopes(room.v[0], room.slope_v, STAGES[s], s, seconds, state.v)
        find_gain(system, outside, state, TIMES[s] * seconds, 0.0, 0.0, room, felt)
        copy_row(room.gain, room.slope_v[s])
        for j in range(len(system.joint_v)):
            torque, weight = room.torque[system.joint_v[j]], STAGES[6, s] if s < 6 else 0.0
            room.done[0, j] = weight * torque + (room.done[0, j] if s else 0.0)
            power = torque * state.v[system.joint_v[j]]
            room.done[1, j] = weight * power + (room.done[1, j] if s else 0.0)
        find_slope(system.links, state.q, state.v, room.slope_q[s])
    error = measure_error(room.q[0], state.q, room.slope_q, seconds, tolerance)
    error += measure_error(room.v[0], state.v, room.slope_v, seconds, tolerance)
    return np.sqrt(error / (len(state.q) + len(state.v)))


@kernel
def accept_runge_kutta(system, outside, state, seconds, room, felt):
    """Keep a step that was tried."""
    normalise(system.links, state.q)
    for j in range(len(system.joint_v)):
        note_work(felt, j, room.done[0, j], room.done[1, j], seconds)
    count_forces(seconds, room, felt)
    settle(system, outside, state, seconds, room, felt)


@kernel
def undo_runge_kutta(state, room):
    """Go back to where a tried step began."""
    copy_row(room.q[0], state.q)
    copy_row(room.v[0], state.v)
