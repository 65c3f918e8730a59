"""Antennae: how they move and what they feel (Fang 2015 sections 3.5 and 3.6).

The root link turns at a constant speed towards random goals; each further link bends by

    angle_i = A sin(omega t - lambda i) + B ,

a wave that runs outwards. An antenna that touches something draws back along the normal of what it
has touched, faster than it wanders. Food is smelt at the tip, as the sum of strength / distance².
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.control.bodies import from_body, read_axes, read_position, to_body
from skitter.control.look import height_over
from skitter.control.random import draw
from skitter.control.walker import BUMP, LEFT
from skitter.terrain.surface import sample

RETREAT_HASTE = 3.0  # speed of drawing back, of that of wandering
RETREAT_TURN = 0.6  # rad, how far it draws back at a time
HEAD_MARGIN = 2.0  # half widths of the head at which it feels an obstacle ahead
LINK_MOST = 1.001  # of a link's length: as long as rounding may make it
NEAREST = 0.01  # cm², below which food does not smell stronger


@kernel
def wander(model, walker, k, dt):
    """Turn the root link; a new goal when the last is reached."""
    arrived = True
    most = dt * model.speed * walker.antenna_haste[k]
    for axis in range(2):
        left = walker.antenna_goal[k, axis] - walker.antenna_root[k, axis]
        walker.antenna_root[k, axis] += min(max(left, -most), most)
        arrived &= abs(left) <= most
    if arrived:
        walker.antenna_haste[k] = 1.0
        walker.antenna_goal[k, 0] = draw(walker.random, model.theta[0], model.theta[1])
        walker.antenna_goal[k, 1] = draw(walker.random, model.phi[0], model.phi[1])


@kernel
def place_antenna(model, walker, k, R, x, y, z):
    """All joints of an antenna in the world."""
    side = -1.0 if k == LEFT else 1.0
    points, root = walker.antenna_point[k], model.root[k]
    ax, ay, az = from_body(R, root[0], root[1], root[2])
    points[0, 0], points[0, 1], points[0, 2] = x + ax, y + ay, z + az
    theta, phi = walker.antenna_root[k, 0], walker.antenna_root[k, 1]
    for i in range(1, len(points)):
        lx = model.link * np.cos(phi) * np.cos(theta)
        ly = model.link * np.sin(phi)
        lz = model.link * np.cos(phi) * np.sin(theta) * side
        wx, wy, wz = from_body(R, lx, ly, lz)
        points[i, 0] = points[i - 1, 0] + wx
        points[i, 1] = points[i - 1, 1] + wy
        points[i, 2] = points[i - 1, 2] + wz
        bend = model.wave * np.sin(model.rate * walker.clock[0] - model.shift * i) + model.curl
        theta += bend
        phi -= 0.6 * bend


@kernel
def retreat(model, walker, k, R, nx, ny, nz):
    """Draw the root link back along a normal of the world."""
    side = -1.0 if k == LEFT else 1.0
    ax, ay, az = to_body(R, nx, ny, nz)
    theta, phi = walker.antenna_root[k, 0], walker.antenna_root[k, 1]
    # how theta and phi move the tip, and how much of that is along the normal
    out = -np.sin(theta) * ax + np.cos(theta) * az * side
    up = np.cos(phi) * ay - np.sin(phi) * (np.cos(theta) * ax + np.sin(theta) * az * side)
    walker.antenna_goal[k, 0] = min(max(theta + RETREAT_TURN * out, -0.3), 2.4)
    walker.antenna_goal[k, 1] = min(max(phi + RETREAT_TURN * up, -0.6), 1.4)
    walker.antenna_haste[k] = RETREAT_HASTE


@inlined
def feel_ball(ball, x, y, z):
    """Distance from a ball and the direction away from it."""
    dx, dy, dz = x - ball[0], y - ball[1], z - ball[2]
    length = max(np.sqrt(dx * dx + dy * dy + dz * dz), 1e-9)
    return length - ball[3], dx / length, dy / length, dz / length


@kernel
def feel(model, walker, around, k, R):
    """Whether any joint touches an obstacle or another creature; draws back from the nearest."""
    nearest, nx, ny, nz = model.radius, 0.0, 0.0, 0.0
    points, clear = walker.antenna_point[k], 0.0
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        if len(around.obstacles.kind) > 0 and clear <= 0.0:
            d, ax, ay, az, _ = sample(around.obstacles, x, y, z)
            clear = d - model.radius
            if d < nearest:
                nearest, nx, ny, nz = d, ax, ay, az
        clear -= LINK_MOST * model.link  # no joint before that is near enough to touch
        for j in range(len(around.others)):
            d, ax, ay, az = feel_ball(around.others[j], x, y, z)
            if d < nearest:
                nearest, nx, ny, nz = d, ax, ay, az
    touches = nearest < model.radius
    walker.antenna_touch[k] = touches
    if touches:
        retreat(model, walker, k, R, nx, ny, nz)


@kernel
def keep_off_ground(model, walker, terrain, k, R):
    """Raise an antenna whose tip is about to enter the ground."""
    last = len(walker.antenna_point[k]) - 1
    for i in (last, last // 2):
        x, y, z = walker.antenna_point[k, i]
        d, nx, ny, nz, _ = sample(terrain, x, y, z)
        if d < 3.0 * model.radius:
            retreat(model, walker, k, R, nx, ny, nz)


@kernel
def smell(walker, around, k):
    """Intensity of the food at the tip."""
    tip = walker.antenna_point[k, len(walker.antenna_point[k]) - 1]
    total = 0.0
    for j in range(len(around.food)):
        food = around.food[j]
        far = (tip[0] - food[0]) ** 2 + (tip[1] - food[1]) ** 2 + (tip[2] - food[2]) ** 2
        total += food[4] / max(far, NEAREST)
    walker.antenna_food[k] = total


@kernel
def feel_with_head(goal, walker, R, x, y, z):
    """Obstacles that have passed between the antennae are felt by the head itself."""
    out = walker.barrier
    gap = height_over(out, 0, x, y, z)
    ahead, _, across = to_body(R, out[0, 3], out[0, 4], out[0, 5])
    near = gap < HEAD_MARGIN * goal.half_width[0] and ahead < 0.0
    walker.head[BUMP] = (1.0 if across < 0.0 else -1.0) if near else 0.0


@kernel
def update_antennae(terrain, around, model, goal, walker, dt, bodies, frame):
    """Move both antennae; what they and the head feel, and what they smell."""
    R = read_axes(frame, 0)
    x, y, z = read_position(bodies, 0)
    for k in range(2):
        wander(model, walker, k, dt)
        place_antenna(model, walker, k, R, x, y, z)
        keep_off_ground(model, walker, terrain, k, R)
        feel(model, walker, around, k, R)
        smell(walker, around, k)
    if len(around.obstacles.kind) > 0:
        feel_with_head(goal, walker, R, x, y, z)
