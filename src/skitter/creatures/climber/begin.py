"""How a climber comes to stand where a scene puts it."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.control.climbing.limbs import place_feet, solve_limbs
from skitter.control.climbing.model import STANCE, Surfaces
from skitter.control.climbing.posture import aim_up
from skitter.control.climbing.regulate import place_origins
from skitter.control.climbing.surface import ask, look
from skitter.creatures.climber.company import let_go

if TYPE_CHECKING:
    from skitter.creatures.climber.climber import Climber

SOLVES = 200  # of all legs, until they stand in their pose
FOUND = 0.5  # of the legs, that must find ground


def stand_on(one: "Climber", surfaces: Surfaces) -> bool:
    """Put it on the nearest surface with its feet down; whether there was one."""
    body, traits = one.body, one.traits
    d, nx, ny, nz, _, _ = ask(surfaces, *body.place)
    normal = np.array([nx, ny, nz])
    if abs(d) > 1e6:
        return False
    lean_to(body.turn, normal)
    body.place[:] += (traits.elevation - d) * normal
    place_origins(one.figure, traits, body, one.mind)
    found = [put_foot(one, leg, surfaces) for leg in range(len(one.figure.hip))]
    if sum(found) < FOUND * len(found):
        return False
    for _ in range(SOLVES):
        solve_limbs(one.figure, traits, body, one.mind, one.orders, one.stops, 0.01, True, one.room)
    body.angle[:] = one.orders.goal
    place_feet(one.figure, body, body.angle, one.mind.foot, one.room)
    let_go(one)
    standing = one.mind.leg_state == STANCE
    one.mind.foot[standing] = one.mind.hold[standing]
    one.mind.land_time[:] = 0.0
    one.mind.heading[:] = body.turn[:, 0]
    aim_up(one.figure, traits, body, one.mind)
    return True


def lean_to(turn: np.ndarray, normal: np.ndarray) -> None:
    """Turn axes so that y is a normal, and x as near to where it was as that allows."""
    ahead = turn[:, 0] - normal * (normal @ turn[:, 0])
    if np.linalg.norm(ahead) < 1e-6:
        ahead = turn[:, 1] - normal * (normal @ turn[:, 1])
    ahead /= np.linalg.norm(ahead)
    turn[:, 0], turn[:, 1], turn[:, 2] = ahead, normal, np.cross(ahead, normal)


def put_foot(one: "Climber", leg: int, surfaces: Surfaces) -> bool:
    """A foot on the ground below its origin, or where it is nearest; whether it can reach it."""
    mind, figure, up = one.mind, one.figure, one.body.turn[:, 1]
    radius = figure.radius[figure.leg_first[leg + 1] - 1]
    reach = 0.5 * figure.leg_length[leg]
    above = mind.origin[leg] + up * reach
    far, nx, ny, nz = look(surfaces, *above, *(-up))
    at, normal = above - far * up, np.array([nx, ny, nz])
    if far > 2 * reach:
        d, nx, ny, nz, _, _ = ask(surfaces, *mind.origin[leg])
        normal = np.array([nx, ny, nz])
        at = mind.origin[leg] - d * normal
        if abs(d) > reach:
            mind.foot[leg] = mind.target[leg] = mind.hold[leg] = mind.origin[leg]
            return False
    foot = at + radius * normal
    mind.foot[leg] = mind.target[leg] = mind.hold[leg] = foot
    mind.hold_normal[leg] = normal
    mind.leg_state[leg] = STANCE
    one.orders.held[leg], one.orders.host[leg] = 1, -1
    one.orders.anchor[leg] = foot
    return True
