"""A figure at rest is put into the scene: where its parts are, and how they move at first."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.compiled import CELL_LANES, LANES
from skitter.elastic.block import build_topology
from skitter.rigid.bodies import ORIENTATION
from skitter.rotation import matrix_from_turn, matrix_to_quaternion
from skitter.scene.spec import CreaturePlacement

if TYPE_CHECKING:
    from skitter.creatures.figure import Figure


def place_figure(one: "Figure", placement: CreaturePlacement) -> None:
    """Put the body plan into the scene and give it its first velocities."""
    turn, at = matrix_from_turn(placement.turn_deg), np.array(placement.at)
    quaternion = matrix_to_quaternion(turn)
    for row, value in enumerate(quaternion):
        one.soft_state.rotation[:, :, row * CELL_LANES : (row + 1) * CELL_LANES] = value
    one.soft_state.block_rotation[:] = quaternion
    one.body_state.rows[:, ORIENTATION : ORIENTATION + LANES] = 1  # spare lanes too
    attach_nodes(one)
    centre = at + turn @ find_centre(one)
    velocity, spin = np.array(placement.velocity), np.radians(placement.spin_deg)
    noise = placement.velocity_noise
    for index, weight in enumerate(one.weights):
        position = at + turn @ weight.centre
        own = velocity + np.cross(spin, position - centre) + draw_noise(one, noise, (3,))
        own_spin = spin + draw_noise(one, noise / float(one.plan.rigid[index].size.max()), (3,))
        one.set_body(index, position, quaternion, own, own_spin)
    for block, part in enumerate(one.plan.soft):
        nodes = at + part.nodes @ turn.T
        own = velocity + np.cross(spin, nodes - centre) + draw_noise(one, noise, nodes.shape)
        one.write_nodes(one.soft_state.position, block, nodes)
        one.write_nodes(one.soft_state.velocity, block, own)
    one.settle()


def attach_nodes(one: "Figure") -> None:
    """Where the carried nodes sit on their bodies."""
    for block, part in enumerate(one.plan.soft):
        face = build_topology(part.cells).face_node_count
        for body, nodes in ((part.start, slice(0, face)), (part.end, slice(-face, None))):
            if body is not None:
                local = part.nodes[nodes] - one.weights[body].centre
                for axis in range(3):
                    one.soft.local[one.node_places[block][nodes] + axis * LANES] = local[:, axis]


def find_centre(one: "Figure") -> np.ndarray:
    """Centre of mass in the plan's frame, fixed parts left out unless all are."""
    points = [w.centre for w in one.weights] + [p for part in one.plan.soft for p in part.nodes]
    masses = np.concatenate([one.body_mass, one.node_mass])
    return np.average(points, axis=0, weights=masses if masses.any() else None)


def draw_noise(one: "Figure", spread: float, shape: tuple[int, ...]) -> np.ndarray:
    return one.rng.normal(0.0, spread, shape) if spread > 0 else np.zeros(shape)
