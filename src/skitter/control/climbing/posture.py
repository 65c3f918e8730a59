"""How the body is turned and lifted by where its feet are (Cenydd 2012 sections 5.4 to 5.6).

Everything is in the thorax's frame, x ahead, y up, z to the right. Pitch is the mean direction from
each foothold to the next one ahead on its side, without its part across; roll the mean direction
from left to right feet, without its part ahead. The bias gives the front a larger say in pitch.

Places alone fail at an edge: feet that grasp just around it stand close together, at one height,
and the body walks out into the air. So the wanted orientation is the mean of what places say and of
what the surfaces under the feet say, which the paper leaves out.

The paper's equation for the elevation reads a = (k/m)(s - d) - (b/m) v with s the place and d the
rest: as printed it pushes away from rest. We take k/m (d - s).

A ridge between the feet can stand higher than their mean. Where the body's middle or the abdomen's
comes nearer to any surface than its clearance, it is pushed out along that surface's normal, by a
spring of the same rate: the failure that the paper reports, a thorax caught on an edge, is answered
by the elevation itself.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.control.climbing.model import CATCH, ELEVATION, STANCE, TAIL
from skitter.control.climbing.surface import ask
from skitter.control.climbing.vectors import (
    add,
    along,
    clip,
    column,
    cross,
    dot,
    inward,
    minus,
    norm,
    outward,
    put1,
    take,
    take1,
    times,
    unit,
    without,
)

STEEPEST = np.radians(75.0)  # to which pitch and roll are turned at once
NORMALS = 1.0  # how much the normals of footholds count beside their places
ASKANCE = 0.05  # the least that a foot counts for the body's height


@kernel
def foothold(body, mind, leg):
    """Where a foot stands, or last stood, in the thorax's frame."""
    return inward(body.turn, minus(take(mind.hold, leg), take1(body.place)))


@kernel
def find_pitch(figure, traits, body, mind):
    """Mean way from hind feet to front feet, as ahead and up.

    Feet that lag behind a quick turn may pass each other. Then the way ahead would vanish and any
    unevenness be a cliff: it counts as a third of that of the default pose at least.
    """
    pairs = len(figure.hip) // 2
    ahead, up, usual = 0.0, 0.0, 0.0
    for pair in range(pairs - 1):
        weight = 1.0 + traits.frontal_bias * (pairs - 1) if pair == 0 else 1.0
        for side in range(2):
            first, second = 2 * pair + side, 2 * pair + 2 + side
            front, hind = foothold(body, mind, first), foothold(body, mind, second)
            ahead += weight * (front[0] - hind[0])
            up += weight * (front[1] - hind[1])
            usual += weight * (figure.origin[first, 0] - figure.origin[second, 0])
    return max(ahead, usual / 3), up


@kernel
def find_roll(figure, body, mind):
    """Mean way from left to right feet, as right and up; the same holds."""
    pairs = len(figure.hip) // 2
    right, up, usual = 0.0, 0.0, 0.0
    for pair in range(pairs):
        left = foothold(body, mind, 2 * pair)
        other = foothold(body, mind, 2 * pair + 1)
        right += other[2] - left[2]
        up += other[1] - left[1]
        usual += figure.origin[2 * pair + 1, 2] - figure.origin[2 * pair, 2]
    return max(right, usual / 3), up


@kernel
def aim_up(figure, traits, body, mind):
    """Which way the thorax's back shall point, from its footholds."""
    ahead, rise = find_pitch(figure, traits, body, mind)
    pitch = clip(np.arctan2(rise, max(ahead, 1e-9)), -STEEPEST, STEEPEST)
    right, tilt = find_roll(figure, body, mind)
    roll = clip(np.arctan2(tilt, max(right, 1e-9)), -STEEPEST, STEEPEST)
    x = (np.cos(pitch), np.sin(pitch), 0.0)
    z = (0.0, np.sin(roll), np.cos(roll))
    up = outward(body.turn, unit(cross(z, x), (0.0, 1.0, 0.0)))
    up = along(up, face_surfaces(figure, traits, body, mind), NORMALS)
    put1(mind.up, unit(up, column(body.turn, 1)))


@kernel
def face_surfaces(figure, traits, body, mind):
    """Mean normal of all footholds, with the same bias to the front."""
    pairs = len(figure.hip) // 2
    mean = (0.0, 0.0, 0.0)
    for leg in range(len(figure.hip)):
        weight = 1.0 + traits.frontal_bias * (pairs - 1) if leg < 2 else 1.0
        mean = along(mean, take(mind.hold_normal, leg), weight)
    return unit(mean, column(body.turn, 1))


@kernel
def find_level(body, mind):
    """Mean height of all standing feet in the thorax's frame, and their number.

    Feet on a surface that the body does not face say little about its height: between a floor and a
    wall, those which are still on the floor would keep the body away from the wall.
    """
    level, weight, number = 0.0, 0.0, 0
    up = column(body.turn, 1)
    for leg in range(len(mind.leg_state)):
        if mind.leg_state[leg] == STANCE:
            facing = max(dot(take(mind.hold_normal, leg), up), ASKANCE)
            level += facing * foothold(body, mind, leg)[1]
            weight += facing
            number += 1
    return level / max(weight, 1e-9), number


@kernel
def lift_body(figure, traits, body, mind):
    """Acceleration that keeps the thorax at its height above the feet, cm/s2."""
    up = column(body.turn, 1)
    level, number = find_level(body, mind)
    mind.drive[ELEVATION] = -level
    if number == 0:
        return 0.0, 0.0, 0.0
    short = level + traits.elevation
    if mind.drive[CATCH] > 0.0:  # an edge holds it up: its feet do not pull it onto that
        short = max(short, 0.0)
    pull = traits.elevation_stiffness * clip(short, -traits.span, traits.span)
    speed = dot(take1(body.velocity), up)
    return times(up, pull - traits.elevation_damping * speed)


@kernel
def keep_clear(traits, body, mind, surfaces, point, room):
    """Acceleration away from a surface that a point of the body is too near to."""
    d, nx, ny, nz, _, _ = ask(surfaces, point[0], point[1], point[2])
    near = room - d
    if near <= 0:
        return 0.0, 0.0, 0.0
    mind.drive[CATCH] += near
    normal = (nx, ny, nz)
    speed = dot(take1(body.velocity), normal)
    push = 2.0 * traits.elevation_stiffness * near - traits.elevation_damping * min(speed, 0.0)
    return times(normal, push)


@kernel
def stay_out(figure, traits, body, mind, surfaces):
    """Acceleration that keeps thorax and abdomen free of edges."""
    mind.drive[CATCH] = 0.0
    middle = take1(body.place)
    push = keep_clear(traits, body, mind, surfaces, middle, traits.clearance)
    for k in (-1.0, 1.0):
        end = along(middle, column(body.turn, 0), 0.4 * k * figure.thorax_size[0])
        push = add(push, keep_clear(traits, body, mind, surfaces, end, 0.9 * traits.clearance))
    mind.drive[TAIL] = 0.0
    if figure.has_abdomen:
        push = add(push, lift_tail(figure, traits, body, mind, surfaces))
    return push


@kernel
def lift_tail(figure, traits, body, mind, surfaces):
    """The same for the abdomen, as it is bent; how near it is it remembers, to bend away."""
    w, x, y, z = body.pedicel[0], body.pedicel[1], body.pedicel[2], body.pedicel[3]
    back = (2 * (y * y + z * z) - 1, -2 * (x * y + w * z), 2 * (w * y - x * z))
    back = outward(body.turn, back)
    start = add(take1(body.place), outward(body.turn, take1(figure.pedicel)))
    thick = 0.5 * min(figure.abdomen_size[1], figure.abdomen_size[2])
    push, before = (0.0, 0.0, 0.0), mind.drive[CATCH]
    for k in range(1, 3):
        at = along(start, back, (0.1 + 0.4 * k) * figure.abdomen_size[0])
        room = thick * (1.2 - 0.2 * k) + 0.15 * traits.clearance
        push = add(push, keep_clear(traits, body, mind, surfaces, at, room))
    mind.drive[TAIL] = mind.drive[CATCH] - before
    return push


@kernel
def level_body(traits, body, mind):
    """Angular acceleration that turns the thorax's back to where it shall point, rad/s2."""
    up, wanted = column(body.turn, 1), take1(mind.up)
    axis = cross(up, wanted)
    size = norm(axis)
    angle = np.arctan2(size, dot(up, wanted))
    spin = without(take1(body.spin), up)
    turn = times(axis, traits.orientation_c1 * angle / max(size, 1e-9))
    return along(turn, spin, -traits.orientation_c2)


@kernel
def flex_abdomen(figure, traits, body, mind, orders):
    """Align the abdomen with the slope of the hind two pairs of feet (section 5.6)."""
    legs = len(figure.hip)
    if not figure.has_abdomen or legs < 4:
        return
    ahead, rise = 0.0, 0.0
    for side in range(2):
        hind, front = foothold(body, mind, legs - 2 + side), foothold(body, mind, legs - 4 + side)
        ahead += front[0] - hind[0]
        rise += front[1] - hind[1]
    pitch = traits.flex * clip(np.arctan2(rise, max(ahead, 1e-9)), -STEEPEST, STEEPEST)
    pitch -= min(4.0 * mind.drive[TAIL] / figure.abdomen_size[0], 0.6)  # away from what it touches
    orders.pedicel_goal[0], orders.pedicel_goal[3] = np.cos(pitch / 2), np.sin(pitch / 2)
    orders.pedicel_goal[1] = orders.pedicel_goal[2] = 0.0
