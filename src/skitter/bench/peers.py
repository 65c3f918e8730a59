"""Forward dynamics of trees of links by Pinocchio and by MuJoCo, in our order and our axes.

They judge and race our own, in tests and benchmarks; no simulation needs them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import mujoco
import numpy as np
import pinocchio as pin
from mujoco.rollout import Rollout

from skitter.rigid.tree.model import Link

SIZES = {"ball": (4, 3), "free": (7, 6)}  # of coordinates and of speeds; the others have one
SWAP = [3, 4, 5, 0, 1, 2]  # spin, velocity to velocity, spin, and back
ROLLOUTS = 16  # side by side
HINGES = {
    "revolute": mujoco.mjtJoint.mjJNT_HINGE,
    "prismatic": mujoco.mjtJoint.mjJNT_SLIDE,
    "ball": mujoco.mjtJoint.mjJNT_BALL,
    "free": mujoco.mjtJoint.mjJNT_FREE,
}


@dataclass(frozen=True)
class Case:
    """A tree, how it moves and what acts on it, as `skitter.rigid.tree.model` has it."""

    links: list[Link]
    q: np.ndarray
    v: np.ndarray
    torque: np.ndarray  # of the joints
    force: np.ndarray  # [link, 6] torque about the link's origin, force, in the link's axes
    gravity: np.ndarray  # [3] cm/s²


class Joint(NamedTuple):
    """A link and where its joint stands among coordinates and speeds."""

    link: Link
    q: slice
    v: slice


def list_joints(links: list[Link]) -> list[Joint]:
    """The joints in the order of the links."""
    found, q, v = [], 0, 0
    for link in links:
        nq, nv = SIZES.get(link.joint, (1, 1))
        found.append(Joint(link, slice(q, q + nq), slice(v, v + nv)))
        q, v = q + nq, v + nv
    return found


def quaternion(matrix: np.ndarray) -> np.ndarray:
    return np.asarray(pin.Quaternion(matrix).coeffs()[[3, 0, 1, 2]])


def matrix(quaternion: np.ndarray) -> np.ndarray:
    return np.asarray(pin.Quaternion(*quaternion).matrix())


def make_joint(link: Link) -> Any:
    """Pinocchio's model of a joint."""
    if link.joint == "revolute":
        return pin.JointModelRevoluteUnaligned(link.axis)
    if link.joint == "prismatic":
        return pin.JointModelPrismaticUnaligned(link.axis)
    if link.joint == "screw":
        return pin.JointModelHelicalUnaligned(link.axis, link.pitch)
    return pin.JointModelSpherical() if link.joint == "ball" else pin.JointModelFreeFlyer()


class Pinocchio:
    """A tree in Pinocchio: quaternions x y z w, velocity before spin, both in the link's axes."""

    def __init__(self, links: list[Link], gravity: np.ndarray) -> None:
        self.joints, self.model = list_joints(links), pin.Model()
        self.model.gravity.linear = gravity
        for number, link in enumerate(links):
            place = pin.SE3(link.turn, link.place)
            joint = self.model.addJoint(link.parent + 1, make_joint(link), place, f"{number}")
            inertia = pin.Inertia(link.mass, link.centre, link.inertia)
            self.model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        self.data = self.model.createData()

    def give_places(self, q: np.ndarray) -> np.ndarray:
        """Coordinates as Pinocchio has them."""
        q = q.copy()
        for joint in self.joints:
            if joint.link.joint in SIZES:
                last = slice(joint.q.stop - 4, joint.q.stop)
                q[last] = np.roll(q[last], -1)
        return q

    def swap(self, v: np.ndarray) -> np.ndarray:
        """Speeds or forces of joints as Pinocchio has them; and back again."""
        v = v.copy()
        for joint in self.joints:
            if joint.link.joint == "free":
                v[joint.v] = v[joint.v][SWAP]
        return v

    def give_forces(self, force: np.ndarray) -> Any:
        """Forces on links as Pinocchio has them, the world's first."""
        forces = pin.StdVec_Force()
        forces.append(pin.Force.Zero())
        for row in force:
            forces.append(pin.Force(row[3:], row[:3]))
        return forces

    def accelerate(self, case: Case) -> np.ndarray:
        """Accelerations of the joints."""
        q, v, torque = self.give_places(case.q), self.swap(case.v), self.swap(case.torque)
        forces = self.give_forces(case.force)
        return self.swap(pin.aba(self.model, self.data, q, v, torque, forces))

    def prepare(self, case: Case) -> Callable[[], object]:
        """One evaluation, without forces on links, of what has been handed over before."""
        q, v, torque = self.give_places(case.q), self.swap(case.v), self.swap(case.torque)
        return lambda: pin.aba(self.model, self.data, q, v, torque)

    def prepare_batch(
        self, q: np.ndarray, v: np.ndarray, torque: np.ndarray, threads: int
    ) -> Callable[[], object]:
        """Evaluations of many states [state, ...] in one call."""
        pool, out = pin.ModelPool(self.model, threads), np.zeros(v.T.shape, order="F")
        places = np.array([self.give_places(row) for row in q]).T
        speeds, torques = (np.array([self.swap(row) for row in x]).T for x in (v, torque))
        return lambda: pin.abaInParallel(threads, pool, places, speeds, torques, out)


def gather_rows(links: list[Link]) -> list[list[int]]:
    """Links that are one body to MuJoCo: massless ones, and the heavy one at their end."""
    rows: list[list[int]] = []
    for number, link in enumerate(links):
        if link.parent >= 0 and links[link.parent].mass == 0:
            next(row for row in rows if row[-1] == link.parent).append(number)
        else:
            rows.append([number])
    return rows


def add_body(parent: Any, links: list[Link], row: list[int]) -> Any:
    """A body of MuJoCo on a row of joints, which it wants in the body's own frame."""
    last = links[row[-1]]
    moments, principal = np.linalg.eigh(last.inertia)
    body = parent.add_body(
        name=f"{row[-1]}", mass=last.mass, ipos=last.centre, inertia=moments,
        iquat=quaternion(principal * np.linalg.det(principal)), explicitinertial=True,
    )  # fmt: skip
    place, turn, joints = np.zeros(3), np.eye(3), []  # of the body, seen from link after link
    for k in reversed(row):
        link = links[k]
        joints.append((k, turn.T @ link.axis, -turn.T @ place))
        place, turn = link.place + link.turn @ place, link.turn @ turn
    body.pos, body.quat = place, quaternion(turn)
    for k, axis, at in reversed(joints):
        body.add_joint(name=f"{k}", type=HINGES[links[k].joint], axis=axis, pos=at)
    return body


class Mujoco:
    """A tree in MuJoCo: a free joint's velocity is before its spin and in the world's axes.

    It knows no screws. Forces on massless links are left out.
    """

    def __init__(self, links: list[Link], gravity: np.ndarray) -> None:
        self.joints = list_joints(links)
        spec = mujoco.MjSpec()
        spec.option.gravity = gravity
        spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        bodies = {-1: spec.worldbody}
        for row in gather_rows(links):
            bodies[row[-1]] = add_body(bodies[links[row[0]].parent], links, row)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        found = [self.model.joint(f"{k}") for k in range(len(links))]
        self.at = [(int(one.qposadr[0]), int(one.dofadr[0])) for one in found]

    def list_joints(self) -> Iterator[tuple[Joint, slice, slice]]:
        """Joints, and where MuJoCo has them: it orders bodies branch by branch."""
        for joint, (q, v) in zip(self.joints, self.at, strict=True):
            nq, nv = joint.q.stop - joint.q.start, joint.v.stop - joint.v.start
            yield joint, slice(q, q + nq), slice(v, v + nv)

    def set_state(self, case: Case) -> None:
        """Coordinates, speeds and joint forces."""
        for joint, to_q, to_v in self.list_joints():
            place, speed, torque = case.q[joint.q], case.v[joint.v], case.torque[joint.v]
            if joint.link.joint == "free":
                turn = joint.link.turn
                axes = turn @ matrix(place[3:])
                place = np.concatenate([joint.link.place + turn @ place[:3], quaternion(axes)])
                speed = np.concatenate([axes @ speed[3:], speed[:3]])
                torque = np.concatenate([axes @ torque[3:], torque[:3]])
            self.data.qpos[to_q], self.data.qvel[to_v] = place, speed
            self.data.qfrc_applied[to_v] = torque

    def set_forces(self, case: Case) -> None:
        """Forces on links, at their centres of mass and in the world's axes."""
        mujoco.mj_kinematics(self.model, self.data)
        for number, link in enumerate(case.links):
            if link.mass:
                body = self.model.body(f"{number}").id
                axes = self.data.xmat[body].reshape(3, 3)
                torque, force = case.force[number].reshape(2, 3)
                about = torque - np.cross(link.centre, force)
                self.data.xfrc_applied[body] = np.concatenate([axes @ force, axes @ about])

    def accelerate(self, case: Case) -> np.ndarray:
        """Accelerations of the joints."""
        self.set_state(case)
        self.set_forces(case)
        mujoco.mj_forward(self.model, self.data)
        found = np.empty_like(case.v)
        for joint, _, at in self.list_joints():
            a = self.data.qacc[at]
            if joint.link.joint == "free":  # the link's axes turn
                spin, speed = case.v[joint.v].reshape(2, 3)
                axes = joint.link.turn @ matrix(case.q[joint.q][3:])
                a = np.concatenate([a[3:], axes.T @ a[:3] - np.cross(spin, speed)])
            found[joint.v] = a
        return found

    def prepare(self, case: Case) -> Callable[[], object]:
        """One evaluation of what has been handed over before."""
        self.set_state(case)
        self.set_forces(case)
        return lambda: mujoco.mj_forward(self.model, self.data)

    def prepare_batch(
        self, q: np.ndarray, v: np.ndarray, torque: np.ndarray, threads: int
    ) -> Callable[[], object]:
        """As many steps of rollouts as there are states [state, ...], from the first of them."""
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        state, workers = np.zeros(size), [mujoco.MjData(self.model) for _ in range(threads)]
        mujoco.mj_getState(self.model, self.data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        states, steps = np.tile(state, (ROLLOUTS, 1)), len(q) // ROLLOUTS
        pool = Rollout(nthread=threads if threads > 1 else 0)
        return lambda: pool.rollout(self.model, workers, states, nstep=steps)
