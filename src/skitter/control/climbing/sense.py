"""What a climber senses ahead, and what follows from it (Cenydd 2012 section 5.7).

Two fans of rays go out from the eyes to both sides of the heading, one level and one tilted down:
the level one meets walls, the other the ground that comes next. Where most of the first meet
something, they count, else the others. The mean of the normals that they meet gives one angle, the
mean distance one proximity. A wall of 90 degrees asks for a brake of 90/120 = 0.75, scaled by how
near it is; where most rays meet nothing there is an edge, and the brake is the most there is.
Steeper ground also widens the stance, an edge narrows it (section 8.3).

While an animal goes around an edge its eyes look into the air until it has nearly done so. What its
front feet hold there takes the place of sight, and it brakes less.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.control.climbing.model import (
    BRAKE_SENSE,
    RADIAL,
    SENSE_ANGLE,
    SENSE_DISTANCE,
    STANCE,
)
from skitter.control.climbing.surface import look
from skitter.control.climbing.vectors import (
    add,
    angle_between,
    clip,
    column,
    dot,
    outward,
    take,
    take1,
    turn_about,
    unit,
)

FULL_BRAKE_DEG = 120.0  # of the surface ahead, at which the brake would be whole
RADIAL_RATE = 4.0  # 1/s, how fast the stance is widened or narrowed
FELT = 0.7  # how much less an animal brakes at an edge whose far side its front feet hold
TURNED = 0.85  # cosine of the angle between surface and body, below which it has to turn
FLAT = 0.2  # rad, below which the ground ahead does not count as steep


@kernel
def look_ahead(figure, traits, body, surfaces, tilt):
    """Mean normal, mean distance and share of the rays of a fan that meet something in range."""
    eyes = add(take1(body.place), outward(body.turn, take1(figure.eyes)))
    up = column(body.turn, 1)
    ahead = turn_about(column(body.turn, 0), up, -traits.gait_heading)
    right = turn_about(column(body.turn, 2), up, -traits.gait_heading)
    tilted = turn_about(ahead, right, -tilt)
    rays = traits.sense_density
    met, far = 0, 0.0
    nx = ny = nz = 0.0
    for k in range(rays):
        side = 0.0 if rays == 1 else (k / (rays - 1) - 0.5) * traits.sense_fov
        way = turn_about(tilted, up, side)
        d, ax, ay, az = look(surfaces, eyes[0], eyes[1], eyes[2], way[0], way[1], way[2])
        if d < traits.sense_range:
            met += 1
            far += d
            nx, ny, nz = nx + ax, ny + ay, nz + az
    if met == 0:
        return up, traits.sense_range, 0.0
    return unit((nx, ny, nz), up), far / met, met / rays


@kernel
def sense(figure, traits, body, mind, surfaces, seconds):
    """Look ahead; brake, and widen or narrow the stance."""
    drive = mind.drive
    normal, distance, share = look_ahead(figure, traits, body, surfaces, 0.0)
    blocked = share >= 0.5
    if not blocked:
        normal, distance, share = look_ahead(figure, traits, body, surfaces, traits.sense_angle)
    angle = angle_between(normal, column(body.turn, 1))
    drive[SENSE_DISTANCE], drive[SENSE_ANGLE] = distance, angle
    near = find_nearness(traits, distance)
    wanted = 1.0
    if share < 0.5:
        brake = traits.brake_most * (1.0 - FELT * feel_ahead(body, mind))
        wanted = traits.radial_least
    else:
        brake = min(np.degrees(angle) / FULL_BRAKE_DEG * near, traits.brake_most)
        if blocked and angle > FLAT:
            wanted = 1.0 + (traits.radial_most - 1.0) * near * min(angle / (np.pi / 2), 1.0)
    drive[BRAKE_SENSE] = brake
    drive[RADIAL] += (wanted - drive[RADIAL]) * min(RADIAL_RATE * seconds, 1.0)


@kernel
def feel_ahead(body, mind):
    """Share of the front half of the legs that already stand on a surface the body must turn to."""
    half = len(mind.leg_state) // 2
    up, beyond = column(body.turn, 1), 0
    for leg in range(half):
        if mind.leg_state[leg] == STANCE and dot(take(mind.hold_normal, leg), up) < TURNED:
            beyond += 1
    return beyond / half


@kernel
def find_nearness(traits, distance):
    """1 where what is ahead is as near as a foot, 0 at the end of the range."""
    close = min(0.5 * traits.span, 0.5 * traits.sense_range)
    return clip((traits.sense_range - distance) / (traits.sense_range - close), 0.0, 1.0)


@kernel
def widen(traits, mind, origin):
    """An origin node of the thorax's frame, moved out or in by the radial scale."""
    scale = mind.drive[RADIAL]
    return origin[0] * scale, origin[1], origin[2] * scale
