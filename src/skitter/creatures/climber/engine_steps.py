"""What is told to the engine before a step and read from it afterwards, for all in one call.

Forces on the thorax and gravity go into the engine's forces along its degrees of freedom. Of a free
body those are a force through its origin and, in its own axes, a torque about it; of a ball joint a
torque in the outer body's axes; of a hinge a torque about it.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.creatures.climber.plates import lay_plates

# columns of Layout.member: numbers in the engine's arrays, and in those of all climbers
BODY, Q, V, JNT, ABDOMEN, JOINT, JOINTS, LEG, LEGS = range(9)
NOBODY = -1
OBJECT_BIT = 1  # of what may touch (`find_masks` in engine_model.py)
BIG = 1e8  # no position or speed is beyond it
FASTEST = 30.0  # rad/s, of a goal that is followed by running ahead of it


class Wires(NamedTuple):
    """Arrays of the engine that stay where they are."""

    qpos: np.ndarray
    qvel: np.ndarray
    qfrc_applied: np.ndarray
    qfrc_constraint: np.ndarray
    qpos_spring: np.ndarray
    jnt_stiffness: np.ndarray
    jnt_axis: np.ndarray
    dof_armature: np.ndarray
    eq_active: np.ndarray
    eq_obj2id: np.ndarray
    eq_data: np.ndarray
    xpos: np.ndarray
    xmat: np.ndarray
    xipos: np.ndarray
    body_mass: np.ndarray
    body_parent: np.ndarray
    geom_conaffinity: np.ndarray


@inlined
def turn_in(m, k, v):
    """From the world's axes to those of body k; rows of m have its matrix."""
    return (
        m[k, 0] * v[0] + m[k, 3] * v[1] + m[k, 6] * v[2],
        m[k, 1] * v[0] + m[k, 4] * v[1] + m[k, 7] * v[2],
        m[k, 2] * v[0] + m[k, 5] * v[1] + m[k, 8] * v[2],
    )


@inlined
def turn_out(m, k, v):
    return (
        m[k, 0] * v[0] + m[k, 1] * v[1] + m[k, 2] * v[2],
        m[k, 3] * v[0] + m[k, 4] * v[1] + m[k, 5] * v[2],
        m[k, 6] * v[0] + m[k, 7] * v[1] + m[k, 8] * v[2],
    )


@inlined
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def add_at(row, k, v):
    row[k] += v[0]
    row[k + 1] += v[1]
    row[k + 2] += v[2]


@kernel
def prepare(layout, packed, parts, planes, wires, ground, barrier, gravity, step):
    """Everything for a step: plates, servos, anchors, forces."""
    lay_plates(parts, packed.held, wires.xpos, wires.xmat, ground, barrier, planes)
    for k in range(len(wires.qvel)):
        packed.speed_before[k] = wires.qvel[k]
        wires.qfrc_applied[k] = 0.0
    for m in range(len(layout.member)):
        set_servos(layout, packed, wires, m, step)
        push_thorax(layout, packed, wires, m)
        if packed.weight[m] > 0.0:
            weigh(layout, wires, m, -gravity * packed.weight[m])
    block = layout.block
    for b in range(block[3]):
        wires.qfrc_applied[block[2] + 6 * b + 1] -= gravity * layout.block_mass[b]
    for leg in range(len(packed.held)):
        set_anchor(layout, packed, wires, leg)


@kernel
def set_servos(layout, packed, wires, m, step):
    """Rests and strengths of the springs of a climber's joints, and its dampers."""
    row = layout.member[m]
    strength = packed.strength[m]
    damp = np.sqrt(strength)
    jnt, q, v = row[JNT] + 1, row[Q] + 7, row[V] + 6
    if row[ABDOMEN]:
        wires.jnt_stiffness[jnt] = strength * layout.pedicel[m, 0]
        for k in range(3):
            set_damper(wires, v + k, 0.0, damp * layout.pedicel[m, 1], step)
        for k in range(4):
            wires.qpos_spring[q + k] = packed.pedicel_goal[m, k]
        jnt, q, v = jnt + 1, q + 4, v + 3
    for k in range(row[JOINTS]):
        j = row[JOINT] + k
        goal, speed = packed.goal[j], 0.0
        if packed.goal_before[j] == packed.goal_before[j]:
            speed = min(max((goal - packed.goal_before[j]) / step, -FASTEST), FASTEST)
        packed.goal_before[j] = goal
        goal = min(max(goal, layout.limit[j, 0]), layout.limit[j, 1])
        wires.qpos_spring[q + k] = goal + layout.lead[j] * speed
        wires.jnt_stiffness[jnt + k] = strength * layout.stiffness[j]
        set_damper(wires, v + k, layout.armature[j], damp * layout.damping[j], step)


@inlined
def set_damper(wires, v, armature, damping, step):
    """What acts at the end of a step, as a force at its beginning (see engine_model.py)."""
    wires.dof_armature[v] = armature + step * damping
    wires.qfrc_applied[v] -= damping * wires.qvel[v]


@kernel
def push_thorax(layout, packed, wires, m):
    body, v = layout.member[m, BODY], layout.member[m, V]
    force, torque = packed.force, packed.torque
    add_at(wires.qfrc_applied, v, (force[m, 0], force[m, 1], force[m, 2]))
    turned = turn_in(wires.xmat, body, (torque[m, 0], torque[m, 1], torque[m, 2]))
    add_at(wires.qfrc_applied, v + 3, turned)


@inlined
def pull_down(wires, body, mass, x, z, fall):
    """Torque about a body's origin of a weight: masses, and their moments along x and z."""
    x, z = x - mass * wires.xpos[body, 0], z - mass * wires.xpos[body, 2]
    return -z * fall, 0.0, x * fall


@kernel
def weigh(layout, wires, m, fall):
    """Add the weight of a climber, of so many cm/s2 along y."""
    row = layout.member[m]
    root, force = row[BODY], wires.qfrc_applied
    mass, xi = wires.body_mass, wires.xipos
    whole, all_x, all_z = mass[root], mass[root] * xi[root, 0], mass[root] * xi[root, 2]
    jnt, v, body = row[JNT] + 1, row[V] + 6, root + 1
    if row[ABDOMEN]:
        x, z = mass[body] * xi[body, 0], mass[body] * xi[body, 2]
        turned = turn_in(wires.xmat, body, pull_down(wires, body, mass[body], x, z, fall))
        add_at(force, v, turned)
        whole, all_x, all_z = whole + mass[body], all_x + x, all_z + z
        jnt, v, body = jnt + 1, v + 3, body + 1
    # from the feet to the hips: a segment whose next one does not hang on it is a leg's last
    beyond, x, z = 0.0, 0.0, 0.0
    for i in range(row[JOINTS] - 1, -1, -1):
        k = body + i
        beyond, x, z = beyond + mass[k], x + mass[k] * xi[k, 0], z + mass[k] * xi[k, 2]
        torque = turn_in(wires.xmat, k, pull_down(wires, k, beyond, x, z, fall))
        axis = wires.jnt_axis
        force[v + i] += (
            torque[0] * axis[jnt + i, 0]
            + torque[1] * axis[jnt + i, 1]
            + torque[2] * axis[jnt + i, 2]
        )
        if wires.body_parent[k] == root:
            whole, all_x, all_z = whole + beyond, all_x + x, all_z + z
            beyond, x, z = 0.0, 0.0, 0.0
    force[row[V] + 1] += whole * fall
    turned = turn_in(wires.xmat, root, pull_down(wires, root, whole, all_x, all_z, fall))
    add_at(force, row[V] + 3, turned)


@kernel
def set_anchor(layout, packed, wires, leg):
    """Hold a foot, or not, and put its load on what it stands on."""
    is_held, host = packed.held[leg] != 0, packed.host[leg]
    wires.eq_active[leg] = is_held
    meets = layout.foot_meets[leg]  # one that is held touches no object: it stands on it
    wires.geom_conaffinity[layout.foot_geom[leg]] = meets & ~OBJECT_BIT if is_held else meets
    body = 0 if host < 0 else layout.block[0] + host
    anchor = packed.anchor
    if is_held:
        wires.eq_obj2id[leg] = body
        for k in range(3):
            wires.eq_data[leg, 3 + k] = anchor[leg, k]
    if is_held and host >= 0:
        load = (packed.load[leg, 0], packed.load[leg, 1], packed.load[leg, 2])
        v = layout.block[2] + 6 * host
        arm = (anchor[leg, 0], anchor[leg, 1], anchor[leg, 2])
        add_at(wires.qfrc_applied, v, load)
        add_at(wires.qfrc_applied, v + 3, cross(arm, turn_in(wires.xmat, body, load)))


@kernel
def read_back(layout, packed, wires, geom, address, efc_force, step):
    """States and senses after a step; the first climber or object that is no number, or -1."""
    read_states(layout, packed, wires)
    read_felt(layout, packed, geom, address, efc_force)
    for m in range(len(layout.member)):
        row = layout.member[m]
        dofs = 6 + 3 * row[ABDOMEN] + row[JOINTS]
        work = 0.0
        for k in range(row[V], row[V] + dofs):
            work += wires.qfrc_constraint[k] * (packed.speed_before[k] + wires.qvel[k])
            if not abs(wires.qvel[k]) < BIG:
                return m
        packed.energy[m] -= 0.5 * step * work
    block = layout.block
    for b in range(block[3]):
        for k in range(6):
            if not abs(wires.qvel[block[2] + 6 * b + k]) < BIG:
                return len(layout.member) + b
    return -1


@kernel
def read_felt(layout, packed, geom, address, efc_force):
    """Forces of anchors, three rows each and first of all, and of contacts."""
    row = 0
    for leg in range(len(packed.held)):
        packed.pull[leg] = 0.0
        if packed.held[leg] != 0:
            x, y, z = efc_force[row], efc_force[row + 1], efc_force[row + 2]
            packed.pull[leg] = np.sqrt(x * x + y * y + z * z)
            row += 3
    for k in range(len(packed.press)):
        packed.press[k] = 0.0
    for c in range(len(address)):
        at = address[c]
        if at < 0:
            continue
        x, y, z = efc_force[at], efc_force[at + 1], efc_force[at + 2]
        size = np.sqrt(x * x + y * y + z * z)
        for side in range(2):
            if geom[c, side] >= 0 and layout.geom_felt[geom[c, side]] != NOBODY:
                packed.press[layout.geom_felt[geom[c, side]]] += size


@kernel
def read_states(layout, packed, wires):
    qpos, qvel = wires.qpos, wires.qvel
    for m in range(len(layout.member)):
        row = layout.member[m]
        q, v = row[Q], row[V]
        read_free(
            qpos, qvel, q, v, packed.place[m], packed.turn[m], packed.velocity[m], packed.spin[m]
        )
        q, v = q + 7, v + 6
        if row[ABDOMEN]:
            for k in range(4):
                packed.pedicel[m, k] = qpos[q + k]
            for k in range(3):
                packed.pedicel_speed[m, k] = qvel[v + k]
            q, v = q + 4, v + 3
        for k in range(row[JOINTS]):
            packed.angle[row[JOINT] + k] = qpos[q + k]
            packed.speed[row[JOINT] + k] = qvel[v + k]
    block = layout.block
    for b in range(block[3]):
        read_free(
            qpos, qvel, block[1] + 7 * b, block[2] + 6 * b, packed.block_place[b],
            packed.block_turn[b], packed.block_velocity[b], packed.block_spin[b],
        )  # fmt: skip


@kernel
def read_free(qpos, qvel, q, v, place, turn, velocity, spin):
    """A free body's place, axes, velocity and spin in the world."""
    w, x, y, z = qpos[q + 3], qpos[q + 4], qpos[q + 5], qpos[q + 6]
    fill_axes(turn, w, x, y, z)
    for k in range(3):
        place[k], velocity[k] = qpos[q + k], qvel[v + k]
        spin[k] = turn[k, 0] * qvel[v + 3] + turn[k, 1] * qvel[v + 4] + turn[k, 2] * qvel[v + 5]


@kernel
def fill_axes(turn, w, x, y, z):
    turn[0, 0], turn[0, 1], turn[0, 2] = (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    )  # fmt: skip
    turn[1, 0], turn[1, 1], turn[1, 2] = (
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    )  # fmt: skip
    turn[2, 0], turn[2, 1], turn[2, 2] = (
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip


@kernel
def write_states(layout, packed, wires):
    """Put all states into the engine."""
    qpos, qvel = wires.qpos, wires.qvel
    for m in range(len(layout.member)):
        row = layout.member[m]
        q, v = row[Q], row[V]
        write_free(
            qpos, qvel, q, v, packed.place[m], packed.turn[m], packed.velocity[m], packed.spin[m]
        )
        q, v = q + 7, v + 6
        if row[ABDOMEN]:
            for k in range(4):
                qpos[q + k] = packed.pedicel[m, k]
            for k in range(3):
                qvel[v + k] = packed.pedicel_speed[m, k]
            q, v = q + 4, v + 3
        for k in range(row[JOINTS]):
            qpos[q + k] = packed.angle[row[JOINT] + k]
            qvel[v + k] = packed.speed[row[JOINT] + k]
    block = layout.block
    for b in range(block[3]):
        write_free(
            qpos, qvel, block[1] + 7 * b, block[2] + 6 * b, packed.block_place[b],
            packed.block_turn[b], packed.block_velocity[b], packed.block_spin[b],
        )  # fmt: skip


@kernel
def write_free(qpos, qvel, q, v, place, turn, velocity, spin):
    """Put a free body into the engine."""
    write_quaternion(qpos, q + 3, turn)
    for k in range(3):
        qpos[q + k], qvel[v + k] = place[k], velocity[k]
        qvel[v + 3 + k] = turn[0, k] * spin[0] + turn[1, k] * spin[1] + turn[2, k] * spin[2]


@kernel
def write_quaternion(row, at, m):
    """Of a rotation matrix, from its largest component (Shepperd 1978)."""
    a, b, c = m[0, 0], m[1, 1], m[2, 2]
    w, x, y, z = 1 + a + b + c, 1 + a - b - c, 1 - a + b - c, 1 - a - b + c
    if w >= x and w >= y and w >= z:
        x, y, z = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    elif x >= y and x >= z:
        w, y, z = m[2, 1] - m[1, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]
    elif y >= z:
        w, x, z = m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], m[1, 2] + m[2, 1]
    else:
        w, x, y = m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    size = np.sqrt(w * w + x * x + y * y + z * z)
    row[at], row[at + 1], row[at + 2], row[at + 3] = w / size, x / size, y / size, z / size
