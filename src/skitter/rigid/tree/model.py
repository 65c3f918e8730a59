"""A tree of links: from a description in any axes to the arrays of `layout.py`, and its questions.

What is here is for building, tests and measures; steps use the kernels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from skitter.rigid.tree import forward
from skitter.rigid.tree.layout import (
    ABOUT,
    ALONG,
    BALL,
    FORCE,
    FREE,
    INERTIA,
    INT_SIZE,
    KIND,
    MASS,
    MOMENT,
    NUMBER_SIZE,
    PARENT,
    PLACE,
    Q_AT,
    SINGLE,
    SIZES,
    SPEED,
    TURN,
    V_AT,
    WORK_SIZE,
)
from skitter.rigid.tree.place import integrate, place_links
from skitter.rotation import matrix_y_to

KINDS = {"revolute": SINGLE, "prismatic": SINGLE, "screw": SINGLE, "ball": BALL, "free": FREE}
GRAVITY = (0.0, -981.0, 0.0)  # cm/s²
UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Link:
    """A rigid link and the joint that holds it; its frame has its origin on the joint."""

    parent: int  # an earlier link; -1: the world
    joint: str  # revolute, prismatic, screw, ball or free
    place: np.ndarray  # [3] of the joint in the parent's frame, cm
    turn: np.ndarray  # [3, 3] the link's axes in the parent's frame when q is zero
    axis: np.ndarray  # [3] unit, in the link's frame; of no meaning for ball and free
    pitch: float = 0.0  # cm/rad, of a screw
    mass: float = 0.0  # g; none is fine where something heavy hangs on it
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))  # [3] of mass, link's frame
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about it, g cm²


@dataclass(frozen=True)
class Tree:
    """Links as arrays; `own` [link, 3, 3] are the axes of the arrays in those of the links.

    q of a link: an angle or a way; of a ball a quaternion w, x, y, z; of a free link its place and
    a quaternion. v: a speed; of a ball the angular velocity in the link's axes; of a free link that
    and the velocity of its origin, in the link's axes.
    """

    index: np.ndarray  # [link, INT_SIZE]
    number: np.ndarray  # [link, NUMBER_SIZE]
    own: np.ndarray  # [link, 3, 3]
    q_size: int
    v_size: int

    def neutral(self) -> np.ndarray:
        """All joints at zero."""
        q = np.zeros(self.q_size)
        for kind, at in self.index[:, [KIND, Q_AT]]:
            if kind != SINGLE:
                q[at + (3 if kind == FREE else 0)] = 1.0
        return q

    def accelerate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        torque: ArrayLike,
        *,
        gravity: ArrayLike = GRAVITY,
        force: ArrayLike | None = None,
    ) -> np.ndarray:
        """Accelerations [v_size] under joint forces, gravity and `force` [link, 6].

        A force is a torque about the link's origin and a force, in the link's axes.
        """
        q, v, torque, gravity = (np.asarray(one, float) for one in (q, v, torque, gravity))
        work, gain, extra = self.work(), np.empty(self.v_size), np.zeros(self.v_size)
        forward.sweep_speeds(self.index, self.number, q, v, work)
        if force is not None:
            parts = np.asarray(force, float).reshape(-1, 2, 3)
            own = np.einsum("lij,lpi->lpj", self.own, parts)
            work[:-1, FORCE : FORCE + 6] -= own.reshape(-1, 6)
        forward.sweep_inertias(self.index, self.number, torque, extra, work)
        forward.sweep_accelerations(self.index, self.number, torque, extra, gravity, work, gain)
        return gain

    def accelerate_many(
        self, q: ArrayLike, v: ArrayLike, torque: ArrayLike, *, gravity: ArrayLike = GRAVITY
    ) -> np.ndarray:
        """Accelerations [n, v_size] of many states, in one compiled call without the lock."""
        q, v, torque, gravity = (
            np.ascontiguousarray(one, float) for one in (q, v, torque, gravity)
        )
        gain, extra = np.empty((len(q), self.v_size)), np.zeros(self.v_size)
        forward.accelerate_rows(
            self.index, self.number, q, v, torque, gravity, extra, self.work(), gain
        )
        return gain

    def work(self) -> np.ndarray:
        """Room for the sweeps; the last row takes what the world takes."""
        return np.zeros((len(self.index) + 1, WORK_SIZE))

    def place_links(self, q: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Origins [link, 3] and axes [link, 3, 3] of all links in the world."""
        count, work = len(self.index), self.work()
        forward.sweep_speeds(
            self.index, self.number, np.asarray(q, float), np.zeros(self.v_size), work
        )
        place, axes = np.empty((count, 3)), np.empty((count, 3, 3))
        place_links(self.index, work, place, axes)
        return place, axes @ np.swapaxes(self.own, 1, 2)

    def integrate(self, q: ArrayLike, v: ArrayLike, seconds: float) -> np.ndarray:
        """q after so long at speed v."""
        out = np.array(q, float)
        integrate(self.index, self.number, out, np.asarray(v, float), seconds)
        return out

    def _momenta(self, q: ArrayLike, v: ArrayLike) -> tuple[np.ndarray, ...]:
        """By link: place, speeds, and momentum (angular about its origin, linear), world axes."""
        work, count = self.work(), len(self.index)
        forward.sweep_speeds(
            self.index, self.number, np.asarray(q, float), np.asarray(v, float), work
        )
        place, axes = np.empty((count, 3)), np.empty((count, 3, 3))
        place_links(self.index, work, place, axes)
        speed = work[:-1, SPEED : SPEED + 6].reshape(-1, 2, 3)
        spin, way = (np.einsum("lij,lj->li", axes, speed[:, k]) for k in range(2))
        turning = fill_symmetric(self.number[:, INERTIA : INERTIA + 6])
        turning = axes @ turning @ np.swapaxes(axes, 1, 2)
        moment = np.einsum("lij,lj->li", axes, self.number[:, MOMENT : MOMENT + 3])
        linear = self.number[:, MASS, None] * way + np.cross(spin, moment)
        angular = np.einsum("lij,lj->li", turning, spin) + np.cross(moment, way)
        return place, spin, way, angular, linear

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> float:
        """erg."""
        _, spin, way, angular, linear = self._momenta(q, v)
        return 0.5 * float((spin * angular).sum() + (way * linear).sum())

    def potential_energy(self, q: ArrayLike, gravity: ArrayLike = GRAVITY) -> float:
        """erg, zero where all masses are at the world's origin."""
        centre = self.find_centre(q)
        return -float(self.number[:, MASS].sum() * (np.asarray(gravity, float) @ centre))

    def find_centre(self, q: ArrayLike) -> np.ndarray:
        """Centre of mass [3], cm."""
        place, axes = self.place_links(q)
        own = np.einsum("lij,lj->li", axes @ self.own, self.number[:, MOMENT : MOMENT + 3])
        mass = self.number[:, MASS]
        return np.asarray((mass @ place + own.sum(axis=0)) / mass.sum())

    def momentum(self, q: ArrayLike, v: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Linear [g cm/s], and angular about the world's origin [g cm²/s]."""
        place, _, _, angular, linear = self._momenta(q, v)
        return linear.sum(axis=0), (angular + np.cross(place, linear)).sum(axis=0)


def fill_symmetric(numbers: np.ndarray) -> np.ndarray:
    """Matrices [n, 3, 3] of xx xy xz yy yz zz."""
    return numbers[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)


def build_tree(links: Sequence[Link]) -> Tree:
    """The arrays of a tree."""
    index = np.zeros((len(links), INT_SIZE), np.int64)
    number, own = np.zeros((len(links), NUMBER_SIZE)), np.empty((len(links), 3, 3))
    q_at = v_at = 0
    for i, link in enumerate(links):
        kind = KINDS[link.joint]
        own[i] = z_along(link.axis) if kind == SINGLE else np.eye(3)
        above = own[link.parent] if link.parent >= 0 else np.eye(3)
        index[i, [PARENT, KIND, Q_AT, V_AT]] = link.parent, kind, q_at, v_at
        number[i, PLACE : PLACE + 3] = above.T @ link.place
        number[i, TURN : TURN + 9] = (above.T @ link.turn @ own[i]).ravel()
        number[i, ABOUT] = 0.0 if link.joint == "prismatic" else 1.0
        number[i, ALONG] = {"prismatic": 1.0, "screw": link.pitch}.get(link.joint, 0.0)
        write_inertia(number[i], link, own[i])
        q_at, v_at = q_at + SIZES[kind][0], v_at + SIZES[kind][1]
    return Tree(index, number, own, q_at, v_at)


def write_inertia(number: np.ndarray, link: Link, own: np.ndarray) -> None:
    """Mass, its moment, and the inertia about the link's origin, in the axes of the arrays."""
    centre = own.T @ link.centre
    about = own.T @ link.inertia @ own
    about = about + link.mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    number[MASS] = link.mass
    number[MOMENT : MOMENT + 3] = link.mass * centre
    number[INERTIA : INERTIA + 6] = [about[i, j] for i, j in UPPER]


def z_along(axis: np.ndarray) -> np.ndarray:
    """Axes whose z is a joint's axis; those of the link itself where they fit."""
    if tuple(axis) == (0.0, 0.0, 1.0):
        return np.eye(3)
    return np.asarray(np.roll(matrix_y_to(axis), 1, axis=1))
