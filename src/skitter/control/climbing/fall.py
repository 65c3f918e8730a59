"""Losing hold, falling, landing and getting up (Cenydd 2012 section 7).

Gravity acts while fewer than half of the feet hold. Joints then keep their last goals, weakly.
Once half of the feet touch what they can hold on to, with the belly towards it, the animal stands.

An animal that lies still and cannot stand stretches its legs to their default pose; if that does
not help it pulses its limbs at random, as the paper has it, and turns its body over by a torque on
the thorax: the body leads, here as everywhere.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.control.climbing.model import (
    FALL_TIME,
    FALLING,
    FALLS,
    HOLD_FOR,
    LOOSE,
    RECOVERIES,
    RIGHTING_FOR,
    STILL_FOR,
)
from skitter.control.climbing.posture import aim_up
from skitter.control.climbing.steps import SKIN, find_grip, settle
from skitter.control.climbing.surface import ask
from skitter.control.climbing.vectors import (
    along,
    clip,
    column,
    cross,
    dot,
    minus,
    norm,
    put,
    put1,
    take,
    take1,
    times,
    unit,
)
from skitter.control.random import draw

WEAK = 0.25  # of their strength, that joints keep in a fall
LANDED = 0.03  # s, that half of the feet must touch
STILL = 0.5  # spans/s, below which it counts as lying
LYING = 0.12  # s, after which it tries to get up
PULSE = 0.3  # s, of a pulse of the limbs
KICK = 0.7  # rad, the most that a pulse adds to a joint
UPRIGHT = 0.35  # cosine of the angle between back and ground's normal, from which it can stand
RIGHTING = 0.25  # of its weight at its span: the torque that turns it over
UNLOAD = 0.5  # of its weight, that is taken off its back meanwhile
LEVEL = 0.4  # rad from upright, within which it no longer turns
RIGHTING_DRAG = 8.0  # 1/s
GRAVITY = 981.0  # cm/s2


@kernel
def lose_hold(mind, orders, now):
    """Begin to fall."""
    mind.count[FALLING] = 1
    mind.count[FALLS] += 1
    mind.drive[FALL_TIME] = now
    mind.drive[STILL_FOR] = mind.drive[RIGHTING_FOR] = mind.drive[HOLD_FOR] = 0.0
    for leg in range(len(mind.leg_state)):
        mind.leg_state[leg] = LOOSE
        mind.wants[leg], mind.request[leg] = 0, np.inf
        orders.held[leg] = 0
    orders.weight[0], orders.strength[0] = 1.0, WEAK


@kernel
def feel_ground(figure, traits, mind, surfaces, normal):
    """How many feet touch what they could hold on to; the mean normal there."""
    touching = 0
    nx = ny = nz = 0.0
    for leg in range(len(figure.hip)):
        foot = take(mind.foot, leg)
        d, ax, ay, az, friction, _ = ask(surfaces, foot[0], foot[1], foot[2])
        radius = figure.radius[figure.leg_first[leg + 1] - 1]
        near = d < radius + SKIN * figure.leg_length[leg]
        if near and find_grip(traits, friction, (ax, ay, az)) > 0.5:
            touching += 1
            nx, ny, nz = nx + ax, ny + ay, nz + az
    put1(normal, unit((nx, ny, nz), (0.0, 1.0, 0.0)))
    return touching


@kernel
def stand(figure, traits, body, mind, orders, surfaces, now):
    """Hold on with all feet that touch; the others search."""
    for leg in range(len(figure.hip)):
        foot = take(mind.foot, leg)
        d, ax, ay, az, friction, host = ask(surfaces, foot[0], foot[1], foot[2])
        radius = figure.radius[figure.leg_first[leg + 1] - 1]
        put(mind.hold, leg, along(foot, (ax, ay, az), min(radius - d, 0.0)))
        near = d < radius + SKIN * figure.leg_length[leg]
        if near and find_grip(traits, friction, (ax, ay, az)) > 0.5:
            settle(mind, orders, surfaces, leg, host, (ax, ay, az), now)
        else:
            mind.leg_state[leg] = LOOSE
            put(mind.target, leg, foot)
    mind.count[FALLING] = 0
    mind.count[RECOVERIES] += 1
    orders.weight[0], orders.strength[0] = 0.0, 1.0
    put1(mind.wish, (0.0, 0.0, 0.0))
    put1(mind.heading, column(body.turn, 0))
    put(mind.frame, 0, take1(body.place))
    put(mind.frame, 1, column(body.turn, 0))
    put(mind.frame, 2, column(body.turn, 1))
    aim_up(figure, traits, body, mind)


@kernel
def get_up(figure, traits, body, mind, orders, surfaces, seconds):
    """Turn over, kicking: pulses of the limbs, and a torque on the thorax."""
    drive = mind.drive
    place, up = take1(body.place), column(body.turn, 1)
    d, nx, ny, nz, _, _ = ask(surfaces, place[0], place[1], place[2])
    wanted = (nx, ny, nz) if d < traits.span else (0.0, 1.0, 0.0)
    before = drive[RIGHTING_FOR]
    drive[RIGHTING_FOR] += seconds
    orders.strength[0] = 1.0
    if np.floor(before / PULSE) != np.floor(drive[RIGHTING_FOR] / PULSE) or before == 0.0:
        wild = KICK if dot(up, wanted) < UPRIGHT else 0.25 * KICK
        for j in range(len(orders.goal)):
            kick = figure.rest[j] + draw(mind.random, -wild, wild)
            orders.goal[j] = clip(kick, figure.limit[j, 0], figure.limit[j, 1])
    axis = cross(up, wanted)
    angle = np.arctan2(norm(axis), dot(up, wanted))
    axis = unit(axis, column(body.turn, 0))
    if angle > 2.8:  # on its back: over its side
        axis = column(body.turn, 0)
    weight = traits.mass * GRAVITY
    heave = RIGHTING * weight * traits.span * (0.3 + angle / np.pi) if angle > LEVEL else 0.0
    drag = times(take1(body.spin), RIGHTING_DRAG * traits.pitch)
    put1(orders.torque, minus(times(axis, heave), drag))
    put1(orders.force, times(wanted, UNLOAD * weight if angle > LEVEL else 0.0))


@kernel
def fall(figure, traits, body, mind, orders, surfaces, now, seconds, room):
    """A step of falling or lying; whether it stands again."""
    drive = mind.drive
    for k in range(3):
        orders.force[k] = orders.torque[k] = 0.0
    normal = room.before3
    touching = feel_ground(figure, traits, mind, surfaces, normal)
    upright = dot(column(body.turn, 1), take1(normal)) > UPRIGHT
    slow = norm(take1(body.velocity)) < STILL * traits.span
    if 2 * touching >= len(figure.hip) and upright:
        drive[HOLD_FOR] += seconds
        if drive[HOLD_FOR] > LANDED:
            stand(figure, traits, body, mind, orders, surfaces, now)
            return True
    else:
        drive[HOLD_FOR] = min(drive[HOLD_FOR] + seconds, 0.0)
    drive[STILL_FOR] = drive[STILL_FOR] + seconds if slow else 0.0
    if drive[STILL_FOR] > LYING or drive[RIGHTING_FOR] > 0.0:
        get_up(figure, traits, body, mind, orders, surfaces, seconds)
    return False
