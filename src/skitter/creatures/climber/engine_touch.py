"""How climbers in the engine answer to impulses from outside, and how they take them.

An impulse p over a part of a frame is the force p / H through all steps of the part, always at the
same point of the world, so that what its giver gets is exactly the opposite. The answer is that of
two steps h = H/2 of the engine, whose dampers D are implicit and whose springs K are not: with
B = M + h D each changes the speeds by B^-1 h (F - D v - K x), and both together, to first order in
hD and h^2 K, by

    (M + 3/4 H D + 1/8 H^2 K) dv = J' p ,

in which feet that are held do not move, nor hinges at their limits that are pressed against them,
nor a trunk into the ground that it is pressed against.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skitter.compiled import kernel
from skitter.creatures.climber.engine_steps import (
    ABDOMEN,
    BODY,
    JOINT,
    JOINTS,
    LEG,
    LEGS,
    Q,
    V,
    push_thorax,
    weigh,
)

if TYPE_CHECKING:
    from skitter.creatures.climber.engine import Engine

HELD = 1e-6  # of a held foot's mobility, that is left of it
DAMPED, SPRUNG = 0.75, 0.125  # shares of H D and H^2 K that resist
SLACK = 0.02  # rad, from which a hinge is at its limit


class Touches(NamedTuple):
    """Forces from outside, until the end of a part."""

    body: np.ndarray  # [n] int64, of the engine
    point: np.ndarray  # [n, 3] cm
    force: np.ndarray  # [n, 3] dyn


class Support(NamedTuple):
    """Where the ground carries parts of a climber."""

    part: np.ndarray  # [n] int64; in the engine: its bodies
    point: np.ndarray  # [n, 3] cm
    normal: np.ndarray  # [n, 3]


NO_TOUCHES = Touches(np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros((0, 3)))


@kernel
def push_bodies(touches, xipos, wrench):
    """Forces at fixed points as forces and torques at centres of mass."""
    body, point, force = touches.body, touches.point, touches.force
    for i in range(len(body)):
        for k in range(6):
            wrench[body[i], k] = 0.0
    for i in range(len(body)):
        b = body[i]
        x, y, z = force[i, 0], force[i, 1], force[i, 2]
        rx, ry, rz = point[i, 0] - xipos[b, 0], point[i, 1] - xipos[b, 1], point[i, 2] - xipos[b, 2]
        wrench[b, 0] += x
        wrench[b, 1] += y
        wrench[b, 2] += z
        wrench[b, 3] += ry * z - rz * y
        wrench[b, 4] += rz * x - rx * z
        wrench[b, 5] += rx * y - ry * x


@kernel
def stiffen(layout, packed, wires, seconds):
    """Springs and dampers of all joints as inertia, for a part of so many seconds."""
    for m in range(len(layout.member)):
        row, strength = layout.member[m], packed.strength[m]
        damp, v = np.sqrt(strength), row[V] + 6
        if row[ABDOMEN]:
            hard = strength * layout.pedicel[m, 0]
            for k in range(3):
                wires.dof_armature[v + k] = seconds * (
                    DAMPED * damp * layout.pedicel[m, 1] + SPRUNG * seconds * hard
                )
            v += 3
        for k in range(row[JOINTS]):
            j = row[JOINT] + k
            hard = strength * layout.stiffness[j]
            wires.dof_armature[v + k] = layout.armature[j] + seconds * (
                DAMPED * damp * layout.damping[j] + SPRUNG * seconds * hard
            )


@kernel
def push_along(layout, packed, wires, m, gravity, seconds, rest):
    """What drives a climber, its weight and its servos, along the engine's degrees of freedom.

    Of servos with their rest at r: K (r - q - H v / 4) - D v, on average over both steps.
    """
    force = wires.qfrc_applied
    for k in range(len(force)):
        force[k] = 0.0
    push_thorax(layout, packed, wires, m)
    if packed.weight[m] > 0.0:
        weigh(layout, wires, m, -gravity * packed.weight[m])
    row, strength = layout.member[m], packed.strength[m]
    q, v = row[Q] + 7 + 4 * row[ABDOMEN], row[V] + 6 + 3 * row[ABDOMEN]
    for k in range(row[JOINTS]):
        j = row[JOINT] + k
        hard, damp = strength * layout.stiffness[j], np.sqrt(strength) * layout.damping[j]
        speed = wires.qvel[v + k]
        angle = wires.qpos[q + k] + 0.25 * seconds * speed
        force[v + k] += hard * (rest[j] - angle) - damp * speed


class Answering:
    """The engine's matrices, for answers until its next step."""

    def __init__(self, engine: "Engine", seconds: float):
        import mujoco

        self.engine, self.seconds, self.mujoco = engine, seconds, mujoco
        model, data = engine.model, engine.data
        stiffen(engine.layout, engine.packed, engine.wires, seconds)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_factorM(model, data)

    def find_rows(self, bodies: np.ndarray, points: np.ndarray) -> np.ndarray:
        """How points on bodies move with the degrees of freedom [3 n, dof]."""
        model, data = self.engine.model, self.engine.data
        rows = np.zeros((len(bodies), 3, model.nv))
        for row, body, point in zip(rows, bodies, points, strict=True):
            self.mujoco.mj_jac(model, data, row, None, point, int(body))
        return rows.reshape(-1, model.nv)

    def solve(self, rows: np.ndarray) -> np.ndarray:
        """What some impulses along the degrees of freedom [n, dof] do to their speeds."""
        found = np.zeros_like(rows)
        if len(rows):
            self.mujoco.mj_solveM(self.engine.model, self.engine.data, found, rows)
        return found

    def find_feet(self, number: int) -> np.ndarray:
        """Rows of the feet of a climber that are held."""
        engine, row = self.engine, self.engine.layout.member[number]
        legs = np.arange(row[LEG], row[LEG] + row[LEGS])
        legs = legs[engine.packed.held[legs] != 0]
        bodies = engine.model.eq_obj1id[legs]
        turns = engine.data.xmat[bodies].reshape(-1, 3, 3)
        tips = np.einsum("nij,nj->ni", turns, engine.model.eq_data[legs, :3])
        return self.find_rows(bodies, engine.data.xpos[bodies] + tips)

    def find_stuck(self, number: int, pressed: np.ndarray) -> np.ndarray:
        """Rows of the hinges of a climber that are at their limits, and that pushes [dof] press
        against them."""
        engine, row = self.engine, self.engine.layout.member[number]
        joint = slice(row[JOINT], row[JOINT] + row[JOINTS])
        angle, limit = engine.packed.angle[joint], engine.layout.limit[joint]
        first = int(row[V] + 6 + 3 * row[ABDOMEN])
        way = pressed[first : first + len(angle)]
        low, high = angle < limit[:, 0] + SLACK, angle > limit[:, 1] - SLACK
        stuck = np.flatnonzero((low & (way < 0)) | (high & (way > 0)))
        rows = np.zeros((len(stuck), engine.model.nv))
        rows[np.arange(len(stuck)), first + stuck] = 1.0
        return rows

    def answer(
        self,
        number: int,
        bodies: np.ndarray,
        points: np.ndarray,
        normals: np.ndarray,
        support: Support,
        gravity: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Velocities of points of a climber after the part, if nothing touched it, and its
        response."""
        engine = self.engine
        rows = self.find_rows(bodies, points)
        force = np.zeros(engine.model.nv)
        wires = engine.wires._replace(qfrc_applied=force)
        push_along(engine.layout, engine.packed, wires, number, gravity, self.seconds, engine.rest)
        moved = self.solve(np.concatenate([rows, self.seconds * force[None]]))
        stuck = self.find_stuck(number, normals.ravel() @ moved[:-1])
        ground = self.find_rows(support.part, support.point).reshape(-1, 3, engine.model.nv)
        ground = np.einsum("nk,nkv->nv", support.normal, ground)
        fixed = np.concatenate([self.find_feet(number), stuck, ground])
        if len(fixed):
            held = self.solve(fixed)
            own = fixed @ held.T
            own[np.diag_indices_from(own)] *= 1 + HELD
            moved = moved - (moved @ fixed.T) @ np.linalg.solve(own, held)
        velocity = rows @ (engine.wires.qvel + moved[-1])
        return velocity.reshape(-1, 3), rows @ moved[:-1].T


def find_body(layout: Any, number: int, lumps: int, part: np.ndarray) -> np.ndarray:
    """The engine's bodies of some parts of a climber: thorax and what is welded to it are one."""
    row = layout.member[number]
    body, has = int(row[BODY]), int(row[ABDOMEN])
    trunk = np.where((part == lumps - 1) & (has > 0), body + 1, body)
    return np.asarray(np.where(part >= lumps, body + 1 + has + part - lumps, trunk))


def find_block(layout: Any, number: int) -> int:
    """The engine's body of an object."""
    return int(layout.block[0]) + number


class Momentum(NamedTuple):
    """What touched roots and all that hangs on them should have after a step; world frame."""

    root: list[int]  # [n] bodies of the engine
    linear: np.ndarray  # [n, 3] g cm/s
    angular: np.ndarray  # [n, 3] g cm2/s, about the origin


def list_roots(engine: "Engine") -> list[int]:
    """The roots of touched climbers that hold on to nothing. The momentum of one that does goes to
    the ground, and a kick to its root would only tear at its feet."""
    touched = set(engine.model.body_rootid[engine.touches.body].tolist())
    free = []
    for row in engine.layout.member.tolist():
        held = engine.packed.held[row[LEG] : row[LEG] + row[LEGS]]
        if row[BODY] in touched and not held.any():
            free.append(row[BODY])
    return free


def expect_momentum(engine: "Engine") -> Momentum | None:
    """Momentum at the end of a step that has just been taken, from what acted on it; None where
    nobody who is free is touched.

    With all that hangs on it a root obeys  (M a + b)[root] = force and torque from outside,  and
    (M v)[root] is its momentum, in the root's own coordinates and the pose before the step: so it
    should be  (M v)[root] + h (M a + b)[root],  in which v + h a are the speeds after the step.
    """
    roots = list_roots(engine) if len(engine.touches.body) else []
    if not roots:
        return None
    model, data, moving = engine.model, engine.data, np.zeros(engine.model.nv)
    engine.mujoco.mj_mulM(model, data, moving, data.qvel)
    moving += engine.seconds * data.qfrc_bias
    linear, angular = np.zeros((len(roots), 3)), np.zeros((len(roots), 3))
    for k, root in enumerate(roots):
        first, turn = model.body_dofadr[root], data.xmat[root].reshape(3, 3)
        linear[k] = moving[first : first + 3]
        angular[k] = turn @ moving[first + 3 : first + 6] + np.cross(data.xpos[root], linear[k])
    return Momentum(roots, linear, angular)


def keep_momentum(engine: "Engine", wanted: Momentum) -> None:
    """Give touched roots the velocity that they lack for their momentum, joints locked.

    The engine's steps keep the momentum of what swings about only to the first order, and whoever
    is hit swings about. Trees of our own do the same (`rigid/tree/pushing.py`).
    """
    mujoco, model, data = engine.mujoco, engine.model, engine.data
    mujoco.mj_comPos(model, data)
    mujoco.mj_makeM(model, data)
    inertia, moving = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    mujoco.mj_fullM(model, data, inertia)
    mujoco.mj_mulM(model, data, moving, data.qvel)
    for root, linear, angular in zip(*wanted, strict=True):
        first = model.body_dofadr[root]
        own = slice(first, first + 6)
        turn, at = data.xmat[root].reshape(3, 3), data.xpos[root]
        torque = turn.T @ (angular - np.cross(at, linear))
        lack = np.concatenate([linear, torque]) - moving[own]
        data.qvel[own] += np.linalg.solve(inertia[own, own], lack)
