"""How a body of links meets others: the shapes of its boxes, how they answer, what pushes them.

Every box is a part. An impulse pushes the link that carries it, as a force through the steps of the
coming part of the frame; a box that the world holds gives way to nothing.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import kernel
from skitter.creatures.articulated.build import Place, turn_own
from skitter.creatures.articulated.plan import Plan
from skitter.creatures.creature import Touched
from skitter.meeting.shapes import (
    AXES,
    CENTRE,
    HALF,
    LIMB,
    PART,
    RADIUS,
    VELOCITY,
    Shapes,
    allocate_shapes,
    round_box,
)
from skitter.rigid.tree.algebra import add, load3, load9, multiply, store3, store9, turn_out
from skitter.rigid.tree.forward import sweep_speeds
from skitter.rigid.tree.model import Tree
from skitter.rigid.tree.place import place_links
from skitter.rigid.tree.pushing import (
    PUSH_AT,
    PUSH_FORCE,
    PUSH_LEG,
    PUSH_LINK,
    PUSH_NORMAL,
    PUSH_ROW,
)
from skitter.rigid.tree.springs import point_speed


class Outline(NamedTuple):
    """The boxes of a body on their links, and room to place them."""

    shapes: Shapes
    link: np.ndarray  # [body] int64; -1: held by the world
    middle: np.ndarray  # [body, 3] cm, on the link, in the axes of the tree's arrays
    turn: np.ndarray  # [body, 9] the box's axes there
    work: np.ndarray  # [link + 1, WORK_SIZE]
    place: np.ndarray  # [link, 3]
    axes: np.ndarray  # [link, 3, 3]


def build_outline(plan: Plan, tree: Tree, place: Place) -> Outline:
    """The outline of a plan; what the world holds is where it stays."""
    shapes, link = allocate_shapes(len(plan.body_name)), plan.body_link
    for body, size in enumerate(plan.body_size):
        shapes.row[body, HALF : HALF + 3], shapes.row[body, RADIUS] = round_box(size)
    shapes.tag[:, PART], shapes.tag[:, LIMB] = np.arange(len(link)), plan.body_leg >= 0
    held = link < 0
    shapes.row[held, CENTRE : CENTRE + 3] = place.at + plan.body_middle[held] @ place.turn.T
    shapes.row[held, AXES : AXES + 9] = (place.turn @ plan.body_turn[held]).reshape(-1, 9)
    own = np.swapaxes(tree.own[np.maximum(link, 0)], 1, 2)
    links = len(tree.index)
    return Outline(
        shapes=shapes,
        link=np.asarray(link, np.int64),
        middle=turn_own(tree, np.maximum(link, 0), plan.body_middle),
        turn=np.ascontiguousarray((own @ plan.body_turn).reshape(-1, 9)),
        work=tree.work(),
        place=np.zeros((links, 3)),
        axes=np.zeros((links, 3, 3)),
    )


@kernel
def place_shapes(index, number, q, v, link, middle, turn, work, place, axes, row):
    """Bring the shapes to where the links are."""
    sweep_speeds(index, number, q, v, work)
    place_links(index, work, place, axes)
    flat = axes.reshape(len(axes), 9)
    for b in range(len(link)):
        i = link[b]
        if i < 0:
            continue
        R, x = load9(flat[i], 0), load3(middle[b], 0)
        store3(row[b], CENTRE, add(load3(place[i], 0), turn_out(R, x)))
        store9(row[b], AXES, multiply(R, load9(turn[b], 0)))
        store3(row[b], VELOCITY, turn_out(R, point_speed(work[i], x)))


def list_pushes(plan: Plan, touched: Touched) -> np.ndarray:
    """Rows of impulses on the links of a body, for the steps of a part; see `pushing.py`."""
    rows = np.zeros((len(touched.part), PUSH_ROW))
    rows[:, PUSH_LINK] = plan.body_link[touched.part]
    rows[:, PUSH_LEG] = plan.body_leg[touched.part]
    rows[:, PUSH_AT : PUSH_AT + 3] = touched.point
    rows[:, PUSH_FORCE : PUSH_FORCE + 3] = touched.impulse
    rows[:, PUSH_NORMAL : PUSH_NORMAL + 3] = touched.normal
    return rows[rows[:, PUSH_LINK] >= 0]


def join_pushes(pushes: list[np.ndarray], links: list[int], legs: list[int]) -> np.ndarray:
    """Rows of several bodies, whose links and legs are numbered one after the other."""
    rows = []
    for own, link, leg in zip(pushes, links, legs, strict=True):
        row = own.copy()
        row[:, PUSH_LINK] += link
        row[:, PUSH_LEG] += np.where(own[:, PUSH_LEG] < 0, 0, leg)
        rows.append(row)
    return np.concatenate(rows)
