"""What moves together: trees of links with their springs, their touching parts and their closures.

A system is one creature, or several that may touch each other, one after the other in one forest.
Places on a link are in the axes of the tree's arrays (`Tree.own`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skitter.rigid.tree.layout import KIND, PARENT, Q_AT, SIZES, V_AT

# columns of `spring`: how the torque of a joint follows from its angle, McKenna 1990 section 3.3
LAW, ALPHA, BETA, DAMPING, LOW, HIGH, STOP, SPRING_SIZE = range(8)
LINEAR, EXPONENTIAL = 0, 1
# columns of `body`
BODY_LINK, PROBE_FROM, PROBE_TO, BODY_LEG, BODY_OWNER, BODY_INTS = range(6)
# columns of `bar`, `foot` and `closure`
BAR_LINK, BAR_OWNER, BAR_LEG = range(3)
FOOT_LINK, FOOT_OWNER = range(2)
CLOSURE_LINK, CLOSURE_OTHER = range(2)
# columns of `closure_number`: where on the link, where on the other or in the world, and the spring
AT, TO, STIFFNESS, CLOSURE_DAMPING, BREAKS, CLOSURE_SIZE = 0, 3, 6, 7, 8, 9
# columns of `touch`
(
    TOUCH_LAW, TOUCH_ALPHA, TOUCH_BETA, TOUCH_DAMPING, RESTITUTION, FRICTION, SLIP,
    STICKY, PAD_STIFFNESS, PAD_SHARPNESS, PAD_DAMPING, PAD_BREAKS, PAD_PULL, TOUCH_SIZE,
) = range(14)  # fmt: skip


class System(NamedTuple):
    """What does not change during a frame."""

    links: np.ndarray  # [link, INT_SIZE], as in layout.py
    number: np.ndarray  # [link, NUMBER_SIZE]
    joint_q: np.ndarray  # [joint] of those with one degree of freedom: where in q
    joint_v: np.ndarray  # [joint]
    spring: np.ndarray  # [joint, SPRING_SIZE]
    ball: np.ndarray  # [ball, 2] of those with three: where in q and in v
    ball_spring: np.ndarray  # [ball, SPRING_SIZE]; they rest as they were built
    body: np.ndarray  # [body, BODY_INTS] parts that touch; their probes stand together
    body_ball: np.ndarray  # [body, 4] a ball around each, on its link, cm
    probe: np.ndarray  # [probe, 3] points on the link, cm
    bar: np.ndarray  # [bar, 3]
    bar_ends: np.ndarray  # [bar, 7] both ends on the link, and the radius, cm
    foot: np.ndarray  # [leg, 2]
    foot_at: np.ndarray  # [leg, 3] on the link, cm
    closure: np.ndarray  # [closure, 2]; other is -1 for the world
    closure_number: np.ndarray  # [closure, CLOSURE_SIZE]
    touch: np.ndarray  # [owner, TOUCH_SIZE]


class State(NamedTuple):
    """What changes."""

    q: np.ndarray
    v: np.ndarray
    rest: np.ndarray  # [joint] rad, where its spring pulls it to at the start of the next step
    rest_speed: np.ndarray  # [joint] rad/s
    anchor: np.ndarray  # [leg, 3] where a sticky pad holds, cm, world
    stuck: np.ndarray  # [leg] 1 while it holds
    standing: np.ndarray  # [leg] 1 while its program is stance
    intact: np.ndarray  # [closure] 1 until it breaks


class Felt(NamedTuple):
    """What steps find out on their way."""

    leg_force: np.ndarray  # [leg, 3] dyn, of all that the leg touches
    leg_load: np.ndarray  # [leg] dyn, along the normals
    torque: np.ndarray  # [joint] dyn cm
    work: np.ndarray  # [joint] erg
    positive_work: np.ndarray  # [joint] erg
    closure_force: np.ndarray  # [closure] dyn
    impulse: np.ndarray  # [leg, 3] dyn s, since the frame began
    angular: np.ndarray  # [joint] dyn cm s, likewise


def build_felt(system: System) -> Felt:
    legs, joints = len(system.foot), len(system.joint_v)
    return Felt(
        np.zeros((legs, 3)),
        np.zeros(legs),
        np.zeros(joints),
        np.zeros(joints),
        np.zeros(joints),
        np.zeros(len(system.closure)),
        np.zeros((legs, 3)),
        np.zeros(joints),
    )


def join_systems(systems: Sequence[System]) -> System:
    """One system of several, which keep to themselves but for what they touch."""
    if len(systems) == 1:
        return systems[0]
    links = count_before([len(one.links) for one in systems])
    qs = count_before([sum_sizes(one, Q_AT) for one in systems])
    vs = count_before([sum_sizes(one, V_AT) for one in systems])
    probes = count_before([len(one.probe) for one in systems])
    legs = count_before([len(one.foot) for one in systems])
    owners = count_before([len(one.touch) for one in systems])
    moved = []
    for k, one in enumerate(systems):
        index, body = one.links.copy(), one.body.copy()
        index[:, PARENT] = shift(index[:, PARENT], links[k])
        index[:, Q_AT] += qs[k]
        index[:, V_AT] += vs[k]
        body[:, BODY_LINK] += links[k]
        body[:, [PROBE_FROM, PROBE_TO]] += probes[k]
        body[:, BODY_LEG] = shift(body[:, BODY_LEG], legs[k])
        body[:, BODY_OWNER] += owners[k]
        bar, foot = one.bar.copy(), one.foot + np.array([links[k], owners[k]])
        bar[:, [BAR_LINK, BAR_OWNER]] += links[k], owners[k]
        bar[:, BAR_LEG] = shift(bar[:, BAR_LEG], legs[k])
        closure = shift(one.closure, links[k])
        moved.append(
            one._replace(
                links=index,
                joint_q=one.joint_q + qs[k],
                joint_v=one.joint_v + vs[k],
                ball=one.ball + np.array([qs[k], vs[k]]),
                body=body,
                bar=bar,
                foot=foot,
                closure=closure,
            )
        )
    return System(*(np.concatenate(parts) for parts in zip(*moved, strict=True)))


def join_states(states: Sequence[State]) -> State:
    """Copies of several states, one after the other."""
    return State(*(np.concatenate(parts) for parts in zip(*states, strict=True)))


def part_rows(joined: State | Felt, parts_of: Sequence[State] | Sequence[Felt]) -> None:
    """Give each of several its part of a joined one."""
    for whole, parts in zip(joined, zip(*parts_of, strict=True), strict=True):
        at = 0
        for part in parts:
            part[:] = whole[at : at + len(part)]
            at += len(part)


def shift(numbers: np.ndarray, by: int) -> np.ndarray:
    """Numbers that count something, of which negative ones mean none."""
    return np.where(numbers < 0, numbers, numbers + by)


def count_before(sizes: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)


def sum_sizes(system: System, column: int) -> int:
    """The size of q or of v."""
    return sum(SIZES[int(kind)][0 if column == Q_AT else 1] for kind in system.links[:, KIND])
