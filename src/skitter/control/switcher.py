"""The Switcher: the state of every leg (Fang 2015 section 4.3).

1. A free leg goes SF1 -> SF2 -> SB1 -> SB2 -> SF1.
2. A tip that touches the ground stands: STANCE.
3. A standing leg that can no longer hold its tip lifts: SF1.
4. When the leg before comes to stand, this one goes to ADJUST, whatever it does.
5. At the end of ADJUST it goes on with SF2.

Left and right may keep time, by a rule of the first segment alone: together, the right leg lifts
when the left one does (section 4.3.3); apart, the right leg lifts when the left one stands, so that
one of them always carries (ours). The tail is carried with the last segment. A segment that lies
on its belly, on a ridge too narrow for its feet, is carried by the ground (ours). In water legs are
TUCKED (section 6.3).

The paper leaves open what "touches" means for a foot that has just been lifted: here a foot counts
only once it has been clear of the ground, and not so far back that it would have to lift at once; a
foot that meets the ground before slides over it. And as long as the creature has not found its feet
(ADJUSTMENT), a leg that stands goes on standing, or the legs would never all come to stand.

A tip is looked at only when it has moved as far as it was clear of the ground, which is exact and
saves nearly all looks.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.control.bodies import (
    from_body,
    read_axes,
    read_position,
    read_spin,
    read_velocity,
    to_body,
)
from skitter.control.leg import can_stand, compute_bend, compute_tip, move_pose
from skitter.control.look import height_over, look_from
from skitter.control.walker import (
    ADJUST,
    ADJUST_CALL,
    ADJUSTMENT,
    LIES,
    LIFT_CALL,
    SB2,
    SF1,
    SF2,
    STANCE,
    STANDS,
    TUCKED,
)

ARM_SHARE = 0.01  # of the leg's length: a tip so far from the ground may touch it again
RAISE = 0.15  # rad by which a leg that is stuck in the ground is raised, as often as it takes
RAISES = 12


@inlined
def lift_leg(walker, k, state):
    """Let a leg leave the ground, or start its loop anew."""
    if walker.leg_state[k] == STANCE:
        walker.leg_swing_start[k] = walker.clock[0]
        walker.leg_armed[k] = 0
        walker.leg_clear[k] = 0.0
    walker.leg_state[k] = state


@inlined
def call_partner(legs, walker, k):
    """Left-right synchronisation: the partner lifts when this leg does."""
    p = legs.partner[k]
    if p >= 0 and walker.leg_state[p] != SF1:
        walker.leg_called[p] = LIFT_CALL


@inlined
def tip_in_segment(legs, walker, k, R, x, y, z):
    """The tip of leg k from its root, in the segment's axes."""
    tip, root = walker.leg_tip, legs.root
    ax, ay, az = to_body(R, tip[k, 0] - x, tip[k, 1] - y, tip[k, 2] - z)
    return ax - root[k, 0], ay - root[k, 1], az - root[k, 2]


@inlined
def bend_leg(legs, walker, k, ax, ay, az):
    """Set the angles of a leg from its tip."""
    theta, alpha, beta = compute_bend(
        legs.upper[k], legs.rod[k], legs.psi[k], legs.side[k], ax, ay, az
    )
    walker.leg_angle[k, 0], walker.leg_angle[k, 1], walker.leg_angle[k, 2] = theta, alpha, beta


@inlined
def set_tip(legs, walker, k, R, x, y, z):
    """Set the tip of a leg from its angles."""
    angle, root, tip = walker.leg_angle, legs.root, walker.leg_tip
    ax, ay, az = compute_tip(
        legs.upper[k], legs.rod[k], legs.psi[k], legs.side[k],
        angle[k, 0], angle[k, 1], angle[k, 2],
    )  # fmt: skip
    wx, wy, wz = from_body(R, root[k, 0] + ax, root[k, 1] + ay, root[k, 2] + az)
    tip[k, 0], tip[k, 1], tip[k, 2] = x + wx, y + wy, z + wz


@inlined
def hold_tip(legs, walker, k, R, x, y, z):
    """Rule 3: a standing leg keeps its tip as long as it can."""
    ax, ay, az = tip_in_segment(legs, walker, k, R, x, y, z)
    if not can_stand(legs, k, ax, ay, az, legs.slope_back[k]):
        bend_leg(legs, walker, k, ax, ay, az)
        lift_leg(walker, k, SF1)
        call_partner(legs, walker, k)


@inlined
def answer_call(legs, walker, k, R, x, y, z):
    """Rule 4, and the right leg's answer to the left."""
    call = walker.leg_called[k]
    walker.leg_called[k] = 0
    if walker.leg_state[k] == STANCE:
        if walker.mode[0] == ADJUSTMENT:
            return
        ax, ay, az = tip_in_segment(legs, walker, k, R, x, y, z)
        bend_leg(legs, walker, k, ax, ay, az)
    lift_leg(walker, k, ADJUST if call == ADJUST_CALL else SF1)


@inlined
def sway(legs, walker, k, state, most):
    """Rules 1 and 5: turn a free leg towards the pose of its state; returns how far it turned."""
    turned, arrived = move_pose(legs, walker.leg_angle, k, state, most)
    if arrived:
        if state == ADJUST:
            walker.leg_state[k] = SF2
        elif state == SB2:
            walker.leg_state[k] = SF1
            call_partner(legs, walker, k)
        else:
            walker.leg_state[k] = state + 1
    return turned


@inlined
def stand(legs, walker, k):
    """Rule 2, rule 4 for the leg behind, and relief for the right leg where sides keep apart."""
    walker.leg_state[k] = STANCE
    walker.leg_stance_start[k] = walker.clock[0]
    if legs.follower[k] >= 0:
        walker.leg_called[legs.follower[k]] = ADJUST_CALL
    other = legs.relief[k]
    if other >= 0 and walker.leg_state[other] == STANCE:
        walker.leg_called[other] = LIFT_CALL


@kernel
def keep_out(terrain, legs, walker, k, R, x, y, z):
    """Raise a leg until its tip is out of the ground, and tell how far it is clear then."""
    tip = walker.leg_tip
    for _ in range(RAISES):
        set_tip(legs, walker, k, R, x, y, z)
        d, _, _, _, _ = look_from(terrain, x, y, z, tip[k, 0], tip[k, 1], tip[k, 2])
        walker.leg_clear[k] = max(d, 0.0)
        if d >= -1e-6 * legs.length[k]:
            return
        walker.leg_angle[k, 1] += RAISE


@kernel
def meet_ground(terrain, legs, walker, k, R, x, y, z):
    """Look where the tip is; stand on the ground, or keep out of it."""
    set_tip(legs, walker, k, R, x, y, z)
    tip = walker.leg_tip
    d, nx, ny, nz, _ = look_from(terrain, x, y, z, tip[k, 0], tip[k, 1], tip[k, 2])
    walker.leg_clear[k] = max(d, 0.0)
    if d > ARM_SHARE * legs.length[k]:
        walker.leg_armed[k] = 1
    if d > 0.0:
        return
    tip[k, 0], tip[k, 1], tip[k, 2] = tip[k, 0] - d * nx, tip[k, 1] - d * ny, tip[k, 2] - d * nz
    ax, ay, az = tip_in_segment(legs, walker, k, R, x, y, z)
    bend_leg(legs, walker, k, ax, ay, az)
    if walker.leg_armed[k] and can_stand(legs, k, ax, ay, az, legs.slope_late[k]):
        stand(legs, walker, k)
        return
    keep_out(terrain, legs, walker, k, R, x, y, z)
    walker.leg_clear[k] = 0.0


@inlined
def tuck(legs, walker, k, is_submerged, R, x, y, z):
    """The legs of a submerged segment are tucked; those of one that comes out begin with SF1."""
    if is_submerged:
        walker.leg_called[k] = 0
        if walker.leg_state[k] == STANCE:
            ax, ay, az = tip_in_segment(legs, walker, k, R, x, y, z)
            bend_leg(legs, walker, k, ax, ay, az)
        lift_leg(walker, k, TUCKED)
    elif walker.leg_state[k] == TUCKED:
        lift_leg(walker, k, SF1)
        walker.leg_armed[k] = 1
        walker.leg_clear[k] = 0.0


@inlined
def update_leg(terrain, legs, walker, k, dt, R, x, y, z, speed, spin):
    """One step of one leg."""
    if walker.leg_called[k] > 0:
        answer_call(legs, walker, k, R, x, y, z)
    state = walker.leg_state[k]
    walker.leg_time[k, state] += dt
    length = legs.length[k]
    if state == TUCKED:
        most = dt * legs.pose_speed[k, TUCKED] * (1 - walker.leg_blocked[k])
        turned, _ = move_pose(legs, walker.leg_angle, k, TUCKED, most)
        walker.leg_clear[k] -= dt * (speed + 3.0 * spin * length) + 3.0 * turned * length
        if walker.leg_clear[k] <= 0.0:
            keep_out(terrain, legs, walker, k, R, x, y, z)
        return
    if state == STANCE:
        hold_tip(legs, walker, k, R, x, y, z)
        return
    turned = 0.0
    if walker.leg_blocked[k] == 0:
        turned = sway(legs, walker, k, state, dt * legs.pose_speed[k, state])
    walker.leg_clear[k] -= dt * (speed + 3.0 * spin * length) + 3.0 * turned * length
    if walker.leg_clear[k] <= 0.0:
        meet_ground(terrain, legs, walker, k, R, x, y, z)


@inlined
def lies(belly, walker, b, x, y, z):
    """Whether a walking creature's segment lies on the ground, which then carries it."""
    walks = walker.mode[0] != ADJUSTMENT
    return walks & (height_over(walker.surface, b, x, y, z) < belly[b])


@kernel
def update_legs(terrain, model, walker, dt, bodies, frame):
    """One step of all legs, and which segments they carry from now on."""
    legs, free = model.leg, model.goal.free
    for segment in range(len(legs.side) // 2):
        b = segment + 1
        R = read_axes(frame, b)
        x, y, z = read_position(bodies, b)
        vx, vy, vz = read_velocity(bodies, b)
        sx, sy, sz = read_spin(frame, b)
        speed = np.sqrt(vx * vx + vy * vy + vz * vz)
        spin = np.sqrt(sx * sx + sy * sy + sz * sz)
        left, right = 2 * segment, 2 * segment + 1
        for k in range(left, right + 1):
            tuck(legs, walker, k, walker.submerged[b], R, x, y, z)
            update_leg(terrain, legs, walker, k, dt, R, x, y, z, speed, spin)
        stands = (walker.leg_state[left] == STANCE) | (walker.leg_state[right] == STANCE)
        carried = LIES if lies(model.goal.belly, walker, b, x, y, z) else 0
        carried *= 1 - walker.submerged[b]
        walker.supported[b] = (STANDS if stands else carried) * free[b]
    last = len(walker.supported) - 1
    wet = walker.submerged[last]
    walker.supported[last] = walker.supported[last - 1] * free[last] * (1 - wet)


@kernel
def settle_legs(model, walker, bodies, frame):
    """Angles of standing legs and tips of free ones, for whoever looks at a frame."""
    for k in range(len(model.leg.side)):
        b = k // 2 + 1
        R = read_axes(frame, b)
        x, y, z = read_position(bodies, b)
        if walker.leg_state[k] == STANCE:
            ax, ay, az = tip_in_segment(model.leg, walker, k, R, x, y, z)
            bend_leg(model.leg, walker, k, ax, ay, az)
        else:
            set_tip(model.leg, walker, k, R, x, y, z)
