"""From the plan of a body of links to the arrays that steps work on."""

from dataclasses import dataclass, replace

import numpy as np

from skitter.creatures.articulated.plan import Plan
from skitter.rigid.shapes import box_probes
from skitter.rigid.tree.model import Link, Tree, build_tree
from skitter.rigid.tree.system import BODY_INTS, SPRING_SIZE, State, System
from skitter.species.touch import ContactSpec

TRUNK_PROBES, LEG_PROBES = 3, 2  # along an edge of a box
MOST_BARS = 5  # side by side in a flat box


@dataclass(frozen=True)
class Place:
    """Where a creature's own frame is in the world."""

    at: np.ndarray  # [3] cm
    turn: np.ndarray  # [3, 3]


def place_tree(plan: Plan, place: Place) -> Tree:
    """The tree of a plan, hung into the world where the creature is placed."""
    return build_tree([hang_link(link, place) for link in plan.links])


def hang_link(link: Link, place: Place) -> Link:
    if link.parent >= 0:
        return link
    return replace(link, place=place.at + place.turn @ link.place, turn=place.turn @ link.turn)


def build_state(plan: Plan, tree: Tree) -> State:
    """Everything at rest."""
    legs = len(plan.leg_name)
    return State(
        q=plan.rest_q.copy(),
        v=np.zeros(tree.v_size),
        rest=plan.spring[:, 4].copy(),
        rest_speed=np.zeros(len(plan.spring)),
        anchor=np.zeros((legs, 3)),
        stuck=np.zeros(legs, np.int64),
        standing=np.ones(legs, np.int64),
        intact=np.ones(len(plan.closure_name), np.int64),
    )


def build_system(plan: Plan, tree: Tree, place: Place, contact: ContactSpec) -> System:
    """All that forces need to know of a body."""
    bodies = [b for b, link in enumerate(plan.body_link) if link >= 0]
    probes = [probe_body(plan, tree, b) for b in bodies]
    ends = np.cumsum([0, *(len(one) for one in probes)])
    body = np.zeros((len(bodies), BODY_INTS), np.int64)
    body[:] = np.column_stack(
        [plan.body_link[bodies], ends[:-1], ends[1:], plan.body_leg[bodies], 0 * ends[1:]]
    )
    bars = [bar_body(plan, tree, b) for b in bodies]
    bar_body_of = np.repeat(bodies, [len(one) for one in bars])
    bar = np.column_stack(
        [plan.body_link[bar_body_of], np.zeros(len(bar_body_of), int), plan.body_leg[bar_body_of]]
    )
    return System(
        links=tree.index,
        number=tree.number,
        joint_q=np.asarray(plan.joint_q, np.int64),
        joint_v=np.asarray(plan.joint_v, np.int64),
        spring=build_springs(plan.spring, plan.limit),
        ball=np.column_stack([plan.ball_q, plan.ball_v]).astype(np.int64).reshape(-1, 2),
        ball_spring=build_springs(plan.ball_spring, np.zeros((len(plan.ball_spring), 3))),
        body=body,
        body_ball=np.array([ball_body(plan, tree, b) for b in bodies]).reshape(-1, 4),
        probe=np.concatenate([np.zeros((0, 3)), *probes]),
        bar=bar.astype(np.int64).reshape(-1, 3),
        bar_ends=np.concatenate([np.zeros((0, 7)), *bars]),
        foot=np.column_stack([plan.foot_link, 0 * plan.foot_link]).astype(np.int64).reshape(-1, 2),
        foot_at=turn_own(tree, plan.foot_link, plan.foot_at),
        closure=np.column_stack([plan.closure_link, plan.closure_to])
        .astype(np.int64)
        .reshape(-1, 2),
        closure_number=build_closures(plan, tree, place),
        touch=build_touch(contact)[None],
    )


def turn_own(tree: Tree, links: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points [n, 3] of links in the axes of the tree's arrays."""
    points = np.asarray(points, float).reshape(-1, 3)
    return np.einsum("nij,ni->nj", tree.own[np.asarray(links, int)], points)


def build_springs(spring: np.ndarray, limit: np.ndarray) -> np.ndarray:
    rows = np.zeros((len(spring), SPRING_SIZE))
    rows[:, :4], rows[:, 4:7] = spring[:, :4], limit
    return rows


def build_touch(contact: ContactSpec) -> np.ndarray:
    """A row of `System.touch`."""
    pad = contact.sticky
    return np.array(
        [
            contact.spring != "linear", contact.alpha, contact.beta, contact.damping,
            contact.restitution, contact.friction, contact.slip, pad.on, pad.stiffness,
            pad.sharpness, pad.damping, pad.breaks, pad.pull,
        ],
        float,
    )  # fmt: skip


def build_closures(plan: Plan, tree: Tree, place: Place) -> np.ndarray:
    """Rows of `System.closure_number`."""
    count = len(plan.closure_name)
    at = turn_own(tree, np.maximum(plan.closure_link, 0), plan.closure_at)
    to = turn_own(tree, np.maximum(plan.closure_to, 0), plan.closure_to_at)
    world = place.at + plan.closure_to_at.reshape(-1, 3) @ place.turn.T
    to = np.where((plan.closure_to < 0)[:, None], world, to) if count else to
    return np.column_stack([at, to, plan.closure_spring]).reshape(count, 9)


def to_link(plan: Plan, tree: Tree, b: int, points: np.ndarray) -> np.ndarray:
    """Points of a box, in its own axes about its middle, on its link as arrays have it."""
    on_link = plan.body_middle[b] + points @ plan.body_turn[b].T
    return np.asarray(on_link @ tree.own[plan.body_link[b]])


def probe_body(plan: Plan, tree: Tree, b: int) -> np.ndarray:
    count = TRUNK_PROBES if plan.body_leg[b] < 0 else LEG_PROBES
    return to_link(plan, tree, b, box_probes(plan.body_size[b], count)[:, :3])


def ball_body(plan: Plan, tree: Tree, b: int) -> np.ndarray:
    middle = to_link(plan, tree, b, np.zeros((1, 3)))[0]
    return np.array([*middle, np.linalg.norm(plan.body_size[b]) / 2])


def bar_body(plan: Plan, tree: Tree, b: int) -> np.ndarray:
    """Bars [n, 7] with round ends that fill a box: along its longest edge, side by side."""
    size = plan.body_size[b]
    thin, wide, long = np.argsort(size, kind="stable")
    radius = size[thin] / 2
    count = int(np.clip(round(size[wide] / size[thin]), 1, MOST_BARS))
    across = np.linspace(-1, 1, count) * (size[wide] / 2 - radius) if count > 1 else np.zeros(1)
    ends = np.zeros((count, 2, 3))
    ends[:, :, wide] = across[:, None]
    ends[:, 0, long], ends[:, 1, long] = radius - size[long] / 2, size[long] / 2 - radius
    placed = to_link(plan, tree, b, ends.reshape(-1, 3)).reshape(count, 6)
    return np.column_stack([placed, np.full(count, radius)])
