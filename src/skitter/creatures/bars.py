"""What of a figure stirs the water: bars with round ends, rows as `Creature.list_bars` has them."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.compiled import LANES
from skitter.creatures.creature import BAR_ROW
from skitter.creatures.plan import BOX
from skitter.creatures.walker_frame import compute_leg_points
from skitter.elastic.block import build_topology
from skitter.rotation import quaternion_to_matrix

if TYPE_CHECKING:
    from skitter.creatures.figure import Figure
    from skitter.creatures.myriapod import Myriapod


def list_legs(one: "Myriapod") -> np.ndarray:
    """The three links of every leg. A root moves with its segment, a tip as it has moved since the
    last frame, and what lies between them by its share."""
    points, tips = compute_leg_points(one), one.walker_state.leg_tip
    body = np.arange(len(tips)) // 2 + 1
    arm = points[:, 0] - one.body_position[body]
    root = one.body_velocity[body] + np.cross(one.body_spin[body], arm)
    tip = one.measure_tips()
    share = np.linspace(0, 1, 4)[:, None, None]
    speeds = ((1 - share) * root + share * tip).transpose(1, 0, 2)
    thick = one.species.leg.thickness * one.walker.leg.length / one.species.leg.length
    rows = [
        np.concatenate(
            [
                points[:, k],
                points[:, k + 1],
                np.stack([thick, thick], axis=1),
                speeds[:, k],
                speeds[:, k + 1],
            ],
            axis=1,
        )
        for k in range(3)
    ]
    return np.concatenate(rows)


def list_bodies(figure: "Figure") -> np.ndarray:
    """Every rigid part, along its x axis; half a width inside, as a bar's ends are round."""
    size = np.reshape([part.size for part in figure.plan.rigid], (-1, 3))
    is_box = np.array([part.shape == BOX for part in figure.plan.rigid], bool)
    reach = np.where(is_box, np.maximum(size[:, 0] - size[:, 2], 0), size[:, 1]) / 2
    half = np.where(is_box[:, None], size[:, [2, 1]] / 2, size[:, [0, 0]])
    axes = quaternion_to_matrix(figure.body_orientation.astype(float)).reshape(-1, 3, 3)[:, :, 0]
    arms = reach[:, None, None] * np.array([-1.0, 1.0])[:, None] * axes[:, None]
    spin = np.cross(figure.body_spin.astype(float)[:, None], arms)
    ends = (figure.body_position[:, None] + arms).reshape(-1, 6)
    speeds = (figure.body_velocity[:, None] + spin).reshape(-1, 6)
    return np.concatenate([ends, half, speeds], axis=1)


def list_blocks(figure: "Figure") -> np.ndarray:
    """Every soft block, from its start face to its end face."""
    if not figure.plan.soft:
        return np.zeros((0, BAR_ROW))
    faces = [build_topology(part.cells).face_node_count for part in figure.plan.soft]
    ends = [
        nodes
        for places, face in zip(figure.node_places, faces, strict=True)
        for nodes in (places[:face], places[-face:])
    ]
    # means over the nodes of each face, all faces at once
    start = np.cumsum([0, *(len(nodes) for nodes in ends)])[:-1]
    at = np.concatenate(ends) + LANES * np.arange(3)[:, None]
    count = np.repeat(faces, 2)
    means = [
        (np.add.reduceat(array[at].astype(float), start, axis=1) / count).T.reshape(-1, 6)
        for array in (figure.soft_state.position, figure.soft_state.velocity)
    ]
    half = np.array([np.ptp(part.nodes, axis=0)[[2, 1]] / 2 for part in figure.plan.soft])
    return np.concatenate([means[0], half, means[1]], axis=1)
