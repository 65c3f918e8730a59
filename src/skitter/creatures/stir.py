"""What of a creature stirs the water: bars with round ends.

A row has both ends of the axis [cm], half width and half height [cm], and the velocities of the
ends [cm/s]: one row for every rigid part, every soft block and every link of a leg.
"""

import numpy as np

from skitter.creatures.figure import Figure
from skitter.creatures.myriapod import Myriapod
from skitter.creatures.plan import BOX, SoftPart
from skitter.creatures.walker_frame import compute_leg_points
from skitter.elastic.block import build_topology
from skitter.rotation import quaternion_to_matrix

ROW = 14


def list_stirrers(figure: Figure) -> np.ndarray:
    """All bars of a creature [n, ROW]."""
    ends, speeds = find_ends(figure)
    rows = []
    for part, end, speed in zip(figure.plan.rigid, ends, speeds, strict=True):
        half = part.size[[2, 1]] / 2 if part.shape == BOX else part.size[[0, 0]]
        rows.append(np.concatenate([end.ravel(), half, speed.ravel()]))
    rows += [span_block(figure, block, part) for block, part in enumerate(figure.plan.soft)]
    bars = np.array(rows).reshape(-1, ROW)
    return np.concatenate([bars, list_legs(figure)]) if isinstance(figure, Myriapod) else bars


def list_legs(one: Myriapod) -> np.ndarray:
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


def find_ends(figure: Figure) -> tuple[np.ndarray, np.ndarray]:
    """Rear and front of every rigid part along its x axis, and their velocities [body, 2, 3]; half
    a width inside, as a bar's ends are round."""
    size = np.reshape([part.size for part in figure.plan.rigid], (-1, 3))
    is_box = np.array([part.shape == BOX for part in figure.plan.rigid], bool)
    reach = np.where(is_box, np.maximum(size[:, 0] - size[:, 2], 0), size[:, 1]) / 2
    axes = quaternion_to_matrix(figure.body_orientation.astype(float)).reshape(-1, 3, 3)[:, :, 0]
    arms = reach[:, None, None] * np.array([-1.0, 1.0])[:, None] * axes[:, None]
    spin = np.cross(figure.body_spin.astype(float)[:, None], arms)
    return figure.body_position[:, None] + arms, figure.body_velocity[:, None] + spin


def span_block(figure: Figure, block: int, part: SoftPart) -> np.ndarray:
    """The bar of a soft block, from its start face to its end face."""
    face = build_topology(part.cells).face_node_count
    state, row = figure.soft_state, []
    for array in (state.position, state.velocity):
        nodes = figure.read_block(array, block)
        row += [nodes[:face].mean(axis=0), nodes[-face:].mean(axis=0)]
    size = np.ptp(part.nodes, axis=0)
    return np.concatenate([row[0], row[1], [size[2] / 2, size[1] / 2], row[2], row[3]])
