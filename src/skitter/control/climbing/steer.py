"""Where a climber wants to go, and the pushes that take it there (Cenydd 2012 section 4).

The body moves first, and the legs keep up with it. A wanted velocity lies in the plane of the
thorax; the speed follows by a limited acceleration, and the heading by the paper's torque
tau = v_a delta c1 - omega c2. Steering behaviours are those of Reynolds 1999.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.control.climbing.model import (
    AWAY_FOR,
    BRAKE_QUEUE,
    BRAKE_SENSE,
    FLEE,
    FOLLOW,
    LED,
    LED_SIDE,
    LED_SPEED,
    LED_TURN,
    SEEK,
    SPEED_WANTED,
    WANDER,
    WANDER_ANGLE,
    WAYPOINT,
)
from skitter.control.climbing.vectors import (
    along,
    clip,
    column,
    cross,
    dot,
    minus,
    norm,
    put1,
    take,
    take1,
    times,
    turn_about,
    unit,
    without,
)
from skitter.control.random import draw

ROOT3 = 3**0.5
ALARM = 3.0  # spans, within which it flees
ARRIVED = 0.3  # spans
ASIDE = 2.0  # rad, to which it turns away from where it was stuck
MOST_LEAN = 1.0  # rad, between where it looks and where it is led
TRACK = 40.0  # 1/s, how closely the body follows the velocity that it would have


@kernel
def wander(traits, body, mind, seconds):
    """A heading towards a point that strolls on a circle ahead."""
    angle = mind.drive[WANDER_ANGLE]
    angle += traits.steering_rate * np.sqrt(seconds) * draw(mind.random, -ROOT3, ROOT3)
    angle -= 2 * np.pi * np.floor((angle + np.pi) / (2 * np.pi))
    mind.drive[WANDER_ANGLE] = angle
    up = column(body.turn, 1)
    ahead = turn_about(column(body.turn, 0), up, -traits.gait_heading)
    right = turn_about(column(body.turn, 2), up, -traits.gait_heading)
    forward = traits.wander_displacement + traits.wander_radius * np.cos(angle)
    return along(times(ahead, forward), right, traits.wander_radius * np.sin(angle))


@kernel
def follow(traits, body, mind, path, loops):
    """The way to the next point of a path; none at its end."""
    number = mind.count[WAYPOINT]
    place = take1(body.place)
    for _ in range(len(path)):
        if number >= len(path):
            if not loops:
                return 0.0, 0.0, 0.0
            number = 0
        way = without(minus(take(path, number), place), column(body.turn, 1))
        if norm(way) > ARRIVED * traits.span:
            break
        number += 1
    mind.count[WAYPOINT] = number
    if number >= len(path):
        return 0.0, 0.0, 0.0
    return minus(take(path, number), place)


@kernel
def choose_way(traits, body, mind, path, loops, seconds):
    """Which way to go, any length, and how fast; all but what leads it by hand."""
    kind = mind.behaviour[0]
    if kind == WANDER:
        return wander(traits, body, mind, seconds), traits.max_speed
    way = minus(take1(mind.goal), take1(body.place))
    if kind == SEEK:
        near = norm(without(way, column(body.turn, 1))) / traits.span
        return way, traits.max_speed * clip((near - 0.5 * ARRIVED) / ARRIVED, 0.0, 1.0)
    if kind == FLEE:
        return times(way, -1.0), traits.max_speed if norm(way) < ALARM * traits.span else 0.0
    if kind == FOLLOW:
        way = follow(traits, body, mind, path, loops)
        return way, traits.max_speed if norm(way) > 0 else 0.0
    return turn_about(column(body.turn, 0), column(body.turn, 1), -traits.gait_heading), 0.0


@kernel
def dodge(traits, body, others, way):
    """A way bent around others that are near and ahead."""
    place, up = take1(body.place), column(body.turn, 1)
    for k in range(len(others)):
        off = minus((others[k, 0], others[k, 1], others[k, 2]), place)
        far = norm(off) - others[k, 3]
        if far > traits.span or far < 1e-6:
            continue
        off = unit(without(off, up), way)
        facing = dot(off, way)
        if facing > 0.0:
            aside = without(way, off)
            aside = unit(aside, cross(up, off))
            way = unit(along(way, aside, 2.0 * facing * (1.0 - far / traits.span)), way)
    return way


@kernel
def keep_heading(traits, mind, up, ahead, seconds):
    """The heading of one that is led: it turns as told, and else stays, carried over any surface.

    It never runs far ahead of the body.
    """
    turned = mind.drive[LED_TURN]
    heading = unit(without(take1(mind.heading), up), ahead)
    heading = turn_about(heading, up, turned * seconds)
    angle = np.arctan2(dot(cross(ahead, heading), up), dot(ahead, heading))
    return turn_about(ahead, up, clip(angle, -MOST_LEAN, MOST_LEAN))


@kernel
def turn_away(mind, up, ahead, seconds):
    """To the side, for as long as it is left to do."""
    left = mind.drive[AWAY_FOR]
    side = 1.0 if left > 0.0 else -1.0
    mind.drive[AWAY_FOR] = side * max(abs(left) - seconds, 0.0)
    return turn_about(ahead, up, side * ASIDE)


@kernel
def steer(traits, body, mind, surfaces, path, loops, seconds):
    """Set the wanted heading; the wanted velocity [3], cm/s, with all brakes."""
    up, ahead = column(body.turn, 1), column(body.turn, 0)
    drive = mind.drive
    if mind.behaviour[0] == LED:
        heading = keep_heading(traits, mind, up, ahead, seconds)
        forward = times(turn_about(ahead, up, -traits.gait_heading), drive[LED_SPEED])
        wanted = along(forward, column(body.turn, 2), drive[LED_SIDE])
        speed = min(norm(wanted), traits.max_speed)
        way = unit(wanted, ahead)
    else:
        way, speed = choose_way(traits, body, mind, path, loops, seconds)
        way = unit(without(way, up), ahead)
        if drive[AWAY_FOR] != 0.0:
            way = turn_away(mind, up, ahead, seconds)
        if traits.avoids > 0 and len(surfaces.others) > 0:
            way = dodge(traits, body, surfaces.others, way)
        heading = turn_about(way, up, traits.gait_heading)
        way = turn_about(ahead, up, -traits.gait_heading)
    put1(mind.heading, heading)
    brake = max(drive[BRAKE_SENSE], drive[BRAKE_QUEUE])
    drive[SPEED_WANTED] = min(speed, traits.max_speed) * (1.0 - brake)
    return times(way, drive[SPEED_WANTED])


@kernel
def push_body(traits, body, mind, wanted, seconds):
    """Acceleration of the thorax in its plane, cm/s2.

    The velocity that it would have by now approaches the wanted one by the rates and within the
    largest acceleration of its species; the push makes the body follow that, against whatever its
    legs do.
    """
    up = column(body.turn, 1)
    wish = without(take1(mind.wish), up)
    lack = minus(wanted, wish)
    rate = traits.deceleration_rate
    if norm(wanted) > norm(wish):
        rate = traits.acceleration_rate
    change = times(lack, rate)
    size = norm(change)
    change = times(change, min(1.0, traits.max_acceleration / max(size, 1e-9)))
    wish = along(wish, change, seconds)
    put1(mind.wish, wish)
    return times(minus(wish, without(take1(body.velocity), up)), min(TRACK, 0.5 / seconds))


@kernel
def turn_body(traits, body, mind):
    """Angular acceleration towards the wanted heading, rad/s2, about the thorax's up."""
    up, ahead = column(body.turn, 1), column(body.turn, 0)
    wanted = unit(without(take1(mind.heading), up), ahead)
    angle = np.arctan2(dot(cross(ahead, wanted), up), dot(ahead, wanted))
    return times(up, traits.turn_c1 * angle - traits.turn_c2 * dot(take1(body.spin), up))
