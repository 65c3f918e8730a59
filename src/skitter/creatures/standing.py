"""A walker's first place: standing along a surface of any shape, its feet on it."""

from dataclasses import dataclass

import numpy as np

from skitter.control.leg import compute_tip, stands_there
from skitter.control.walker import STANCE, WalkerModel, WalkerState
from skitter.rotation import matrix_from_turn
from skitter.scene.spec import CreaturePlacement
from skitter.terrain import Terrain

SMOOTHINGS = 4
TRIES = 8  # to find a place at the right distance behind the body before


@dataclass
class Pose:
    """Middle [3] cm of a body and its axes as columns [3, 3]."""

    middle: np.ndarray
    axes: np.ndarray


def lay_on_surface(
    model: WalkerModel, placement: CreaturePlacement, terrain: Terrain
) -> list[Pose]:
    """Poses of all bodies, head first, each at its height and its distance behind the last."""
    heading = matrix_from_turn(placement.turn_deg)[:, 0]
    point, normal = stand_at(terrain, np.array(placement.at), model.goal.height[0])
    points, normals = [point], [normal]
    back = -align(heading, normal)[:, 0]
    for height, link in zip(model.goal.height[1:], model.goal.link[1:], strict=True):
        ahead, point = points[-1], points[-1] + link * back
        for _ in range(TRIES):
            place, normal = stand_at(terrain, point, height)
            point = ahead + (place - ahead) * link / max(np.linalg.norm(place - ahead), 1e-9)
        back = (point - ahead) / link
        points.append(point)
        normals.append(normal)
    ups = smooth(np.array(normals))
    links = np.array([align(heading, normals[0])[:, 0], *(-np.diff(points, axis=0))])
    return [Pose(p, turn_axes(x, up)) for p, x, up in zip(points, links, ups, strict=True)]


def smooth(normals: np.ndarray) -> np.ndarray:
    """Normals that change gently along the body, as its joints want it."""
    for _ in range(SMOOTHINGS):
        padded = np.concatenate([normals[:1], normals, normals[-1:]])
        normals = padded[:-2] + 2 * padded[1:-1] + padded[2:]
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    return normals


def turn_axes(ahead: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Axes with x straight ahead and y as near to up as that allows."""
    x = ahead / np.linalg.norm(ahead)
    y = up - (up @ x) * x
    y = y / max(np.linalg.norm(y), 1e-9)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def stand_at(terrain: Terrain, point: np.ndarray, height: float) -> tuple[np.ndarray, np.ndarray]:
    """The place above the surface nearest to a point, and the normal there."""
    distance, normal, _ = terrain.sample(point)
    return point + (height - distance[0]) * normal[0], normal[0]


def align(forward: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Axes with y along the normal and x as near to forward as that allows."""
    ahead = forward - (forward @ normal) * normal
    if np.linalg.norm(ahead) < 1e-6:
        ahead = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    ahead = ahead / np.linalg.norm(ahead)
    return np.stack([ahead, normal, np.cross(ahead, normal)], axis=1)


def set_feet(
    model: WalkerModel,
    state: WalkerState,
    centres: np.ndarray,
    axes: np.ndarray,
    terrain: Terrain,
    rng: np.random.Generator,
) -> None:
    """Let every leg that can stand at a random moment of its stance."""
    legs = model.leg
    for k in range(len(legs.side)):
        body, pose = k // 2 + 1, legs.pose[k, STANCE]
        front = np.arctan(legs.slope_front[k])
        theta = rng.uniform(0.9 * pose[0], 0.6 * front)
        shape = (legs.upper[k], legs.rod[k], legs.psi[k], legs.side[k])
        local = legs.root[k] + compute_tip(*shape, theta, pose[1], pose[2])
        tip = terrain.closest_point(centres[body] + axes[body] @ local)[0]
        reach = axes[body].T @ (tip - centres[body]) - legs.root[k]
        if stands_there(legs, k, *reach):
            state.leg_state[k], state.leg_tip[k] = STANCE, tip
            state.leg_stance_start[k] = 0.0
            state.supported[body] = model.goal.free[body]
