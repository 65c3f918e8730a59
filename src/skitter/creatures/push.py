"""A push that a creature gets: velocity where it is touched, and a walker's footing there lost.

The motion of a carried body is prescribed by its legs, so a push alone would be gone within
milliseconds. Here the legs around the place let go: the bodies there move by the dynamics until
their feet have found the ground again, as after a fall.
"""

from typing import TYPE_CHECKING

import numpy as np

from skitter.compiled import LANES
from skitter.control.targeter import DRIVEN
from skitter.control.walker import ADJUSTMENT, SF1, STANCE, WalkerState
from skitter.errors import UserError
from skitter.rigid.bodies import VELOCITY

if TYPE_CHECKING:
    from skitter.creatures.figure import Figure

REACH_SHARE = 0.55  # of a creature's longest extent: as far from its place a push is felt
SPEED_LIMIT = 150.0  # cm/s; no push makes a part faster, however many follow each other


def push_parts(one: "Figure", at: np.ndarray, velocity: np.ndarray) -> None:
    """Push a creature where it is nearest to a point: fully there, less and less around it."""
    bodies, nodes = one.body_position.astype(float), one.node_position.astype(float)
    body_free, node_free = one.body_mass > 0, one.node_mass > 0
    points = np.concatenate([bodies[body_free], nodes[node_free & (len(bodies) == 0)]])
    if len(points) == 0:
        raise UserError(f"poke: all parts of '{one.name}' are held where they are")
    place = points[np.linalg.norm(points - at, axis=1).argmin()]
    size = measure_size(one)
    reach, most = REACH_SHARE * size, min(SPEED_LIMIT, one.push_rate * size)
    body_share = share_push(bodies - place, reach) * body_free
    node_share = share_push(nodes - place, reach) * node_free
    one.lose_footing(body_share > 0)
    for index in np.flatnonzero(body_share):
        pack, lane = divmod(int(index), LANES)
        rows = one.body_state.rows[pack][VELOCITY + lane : VELOCITY + 3 * LANES : LANES]
        rows[:] = add_limited(rows[None].astype(float), body_share[index] * velocity, most)[0]
    moved = add_limited(one.node_velocity.astype(float), node_share[:, None] * velocity, most)
    for axis in range(3):
        one.soft_state.velocity[one.places + axis * LANES] = moved[:, axis]


def measure_size(one: "Figure") -> float:
    """The longest extent of a creature at rest, cm."""
    points = [part.nodes for part in one.plan.soft]
    points += [part.centre + side * part.size / 2 for part in one.plan.rigid for side in (-1, 1)]
    return float(np.ptp(np.vstack(points), axis=0).max())


def add_limited(speeds: np.ndarray, more: np.ndarray, limit: float) -> np.ndarray:
    """Velocities [n, 3] with something added, which makes none faster than a limit."""
    most = np.maximum(np.linalg.norm(speeds, axis=1), limit)
    new = speeds + more
    length = np.linalg.norm(new, axis=1)
    return np.asarray(new * np.minimum(1.0, most / np.maximum(length, 1e-9))[:, None])


def share_push(away: np.ndarray, reach: float) -> np.ndarray:
    """The share of a push that is felt at some ways from its place [n, 3]: 1 there, 0 beyond."""
    far = np.linalg.norm(away, axis=1) / reach
    return np.clip(1 - far**2, 0.0, None) ** 2


def free_legs(state: WalkerState, pushed: np.ndarray) -> None:
    """Let the legs of pushed bodies go, and the creature look for its footing anew."""
    legs = np.flatnonzero(np.repeat(pushed[1:-1], 2))
    standing = legs[state.leg_state[legs] == STANCE]
    state.leg_swing_start[standing] = state.clock[0]
    state.leg_state[legs] = SF1
    state.leg_armed[legs] = 0  # a foot counts again once it has been clear of the ground
    state.leg_clear[legs] = 0.0
    state.leg_called[legs] = 0
    state.supported[pushed] = 0
    state.drive[pushed, DRIVEN] = 0.0
    state.mode[0] = ADJUSTMENT
    state.supported[0] = 0
