"""A tree of links that moves by the steps of the package, without a species or a world."""

import numpy as np

from skitter.rigid.tree.layout import INT_SIZE, Q_AT, V_AT
from skitter.rigid.tree.model import build_tree
from skitter.rigid.tree.steps import (
    NO_PUSHES,
    Outside,
    accept_runge_kutta,
    build_room,
    step_implicit,
    try_runge_kutta,
    undo_runge_kutta,
)
from skitter.rigid.tree.system import (
    ALPHA,
    BODY_INTS,
    BREAKS,
    CLOSURE_SIZE,
    DAMPING,
    HIGH,
    LOW,
    SPRING_SIZE,
    STIFFNESS,
    TOUCH_SIZE,
    State,
    System,
    build_felt,
)
from skitter.terrain import build_terrain

NOTHING = build_terrain([]).arrays
DOWN = (0.0, -981.0, 0.0)
NONE = dict(  # fields of a system, where it has no such thing
    ball=np.zeros((0, 2), np.int64), ball_spring=np.zeros((0, SPRING_SIZE)),
    body=np.zeros((0, BODY_INTS), np.int64), body_ball=np.zeros((0, 4)), probe=np.zeros((0, 3)),
    bar=np.zeros((0, 3), np.int64), bar_ends=np.zeros((0, 7)),
    foot=np.zeros((0, 2), np.int64), foot_at=np.zeros((0, 3)), touch=np.zeros((0, TOUCH_SIZE)),
)  # fmt: skip


def make_springs(springs) -> np.ndarray:
    rows = np.zeros((len(springs), SPRING_SIZE))
    rows[:, LOW], rows[:, HIGH] = -np.inf, np.inf
    for row, (_, stiffness, damping, _) in zip(rows, springs, strict=True):
        row[ALPHA], row[DAMPING] = stiffness, damping
    return rows


def make_closures(closures) -> np.ndarray:
    rows = np.zeros((len(closures), CLOSURE_SIZE))
    rows[:, BREAKS] = np.inf
    for row, (_, _, stiffness) in zip(rows, closures, strict=True):
        row[STIFFNESS] = stiffness
    return rows


class Motion:
    """A tree that moves: linear springs of its single joints, closures, gravity, nothing else."""

    def __init__(self, links, q=None, v=None, *, gravity=DOWN, springs=(), closures=()):
        """`springs`: joint (of the links), stiffness, damping, rest. `closures`: link, other,
        stiffness, between the origins of both."""
        self.links, self.tree = links, build_tree(links)
        rows = self.tree.index[[spring[0] for spring in springs]].reshape(-1, INT_SIZE)
        self.system = System(
            links=self.tree.index, number=self.tree.number,
            joint_q=rows[:, Q_AT], joint_v=rows[:, V_AT], spring=make_springs(springs),
            closure=np.array([c[:2] for c in closures], np.int64).reshape(-1, 2),
            closure_number=make_closures(closures), **NONE,
        )  # fmt: skip
        q = self.tree.neutral() if q is None else np.array(q, float)
        v = np.zeros(self.tree.v_size) if v is None else np.array(v, float)
        rest = np.array([spring[3] for spring in springs], float)
        none = np.zeros(0, np.int64)
        intact = np.ones(len(closures), np.int64)
        self.state = State(
            q, v, rest, np.zeros_like(rest), np.zeros((0, 3)), none, none.copy(), intact
        )
        self.outside = Outside(np.array(gravity, float), NOTHING, NOTHING, NO_PUSHES)
        self.room, self.felt = build_room(self.system, len(q), len(v)), build_felt(self.system)

    def step_implicit(self, seconds: float, steps: int) -> None:
        done = step_implicit(
            self.system, self.outside, self.state, seconds, steps, self.room, self.felt
        )
        assert done == steps

    def try_step(self, seconds: float, tolerance: float) -> float:
        return try_runge_kutta(
            self.system, self.outside, self.state, seconds, tolerance, self.room, self.felt
        )

    def step(self, seconds: float, steps: int) -> None:
        """Steps of the fifth order, as long as they are told to be."""
        for _ in range(steps):
            self.try_step(seconds, 1.0)
            accept_runge_kutta(self.system, self.outside, self.state, seconds, self.room, self.felt)

    def fly(self, seconds: float, tolerance: float) -> int:
        """Steps as long as their error allows; returns how many were taken back."""
        left, step, undone = seconds, 1e-3, 0
        while left > 1e-12:
            step = min(step, left)
            error = self.try_step(step, tolerance)
            if error > 1:
                undo_runge_kutta(self.state, self.room)
                undone += 1
            else:
                accept_runge_kutta(
                    self.system, self.outside, self.state, step, self.room, self.felt
                )
                left -= step
            step *= min(max(0.9 * max(error, 1e-9) ** -0.2, 0.2), 3.0)
        return undone

    def energy(self) -> float:
        q, v = self.state.q, self.state.v
        gravity = self.outside.gravity
        return self.tree.kinetic_energy(q, v) + self.tree.potential_energy(q, gravity)
