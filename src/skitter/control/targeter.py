"""The Targeter: where a carried segment goes (Fang 2015 section 4.2, figure 4.2).

Every body that legs carry, and the head while it leads, is moved kinematically. The paper writes
the goal of a step; here it is the speed that leads there, which the body keeps when its legs let go
of it, so that it passes between the two kinds of motion without a jump:

    Follower   v = k1 (|l| - l0) l + the speed of the head along l,
               turn about y so that x points along l
    Balancer   v = k2 (h_goal - h) n, less its part along l: before a wall, height would hinder
               following; turn about x and z so that y points along n

with l the link to the segment before and n the surface's normal below. Departures: the speed of the
head is added, which the nerve cord tells everyone, or links would have to be stretched to be
followed (with the speed of the segment before instead, every follower exaggerates what the one
before does, and the rear of a millipede trembles); the turns are
proportional to what is left and limited to omega, where the paper's +-omega trembles about its
goal; n is that below the segment and its neighbours, and leaves the joints between them unbroken;
pitch follows the link as well, or joints would be sheared where the ground is broken;
and speeds are taken up over a few milliseconds, as legs give way when a body lands on them. Between
two looks at the terrain, the surface below is taken to be flat.

Unsupported bodies move by the dynamics. The paper has soft blocks stiff enough to hold them in
line, at a hundredth of the earth's gravity; at full gravity a stable step does not allow that. An
animal holds its body in line by its muscles: an unsupported segment close to carried ones has its
weight borne and is drawn, not put, to the motion that its Targeter wants.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.control.amphibious import is_crossing
from skitter.control.bodies import (
    from_body,
    read_axes,
    read_position,
    read_spin,
    read_velocity,
    to_body,
    write_vector,
)
from skitter.control.look import height_over, look
from skitter.control.walker import (
    ADJUSTMENT,
    LIES,
    SPEED,
    TURN,
    WATER_TO_GROUND,
)
from skitter.rigid.bodies import ANGULAR_MOMENTUM, VELOCITY
from skitter.terrain.surface import sample

DRIVEN = 6  # item of WalkerState.drive
LINK_SHARE = 0.5  # of a segment's pitch that follows its link; the rest follows the ground
STRETCH = 1.08  # of a link, beyond which the body behind holds back the one before
CALM = 2.0  # times the largest speed and turn rate that a body near carried ones may have
TONE_TIME = 0.012  # s in which muscles bring an unsupported segment to the motion of the body
TONE_REACH = 3  # bodies; farther from any that legs carry, muscles hold nothing
LOOK_STEPS = 8  # between two looks at the terrain below a body
BARRIER_RATE = 40.0  # 1/s, how fast a body gives way to an obstacle, per depth
BARRIER_MARGIN = 1.25  # half widths that a body keeps from obstacles
WADE_TIME = 0.15  # s in which a submerged body takes up what those on land do
NORMAL_TIME = 0.04  # s in which the body takes up a new surface normal


@inlined
def write_plane(planes, b, d, nx, ny, nz, x, y, z):
    """Keep the nearest surface as a plane: a point and the normal."""
    planes[b, 0], planes[b, 1], planes[b, 2] = x - d * nx, y - d * ny, z - d * nz
    planes[b, 3], planes[b, 4], planes[b, 5] = nx, ny, nz


@inlined
def blend_normal(normal, b, nx, ny, nz, blend):
    """Follow the surface's normal smoothly; edges of stones would otherwise jerk the body."""
    ax = normal[b, 0] + blend * (nx - normal[b, 0])
    ay = normal[b, 1] + blend * (ny - normal[b, 1])
    az = normal[b, 2] + blend * (nz - normal[b, 2])
    length = np.sqrt(ax * ax + ay * ay + az * az)
    if length < 0.1:  # the way from a normal to its opposite leads through nothing
        ax, ay, az, length = nx, ny, nz, 1.0
    normal[b, 0], normal[b, 1], normal[b, 2] = ax / length, ay / length, az / length


@kernel
def look_down(terrain, obstacles, step, dt, bodies, walker):
    """Look at the surface and the obstacles near the bodies whose turn it is."""
    blend = min(1.0, dt * LOOK_STEPS / NORMAL_TIME)
    for b in range(step % LOOK_STEPS, len(walker.supported), LOOK_STEPS):
        x, y, z = read_position(bodies, b)
        d, nx, ny, nz, _ = look(terrain, x, y, z)
        write_plane(walker.surface, b, d, nx, ny, nz, x, y, z)
        blend_normal(walker.normal, b, nx, ny, nz, blend)
        if len(obstacles.kind) > 0:
            d, nx, ny, nz, _ = sample(obstacles, x, y, z)
            write_plane(walker.barrier, b, d, nx, ny, nz, x, y, z)


@kernel
def look_everywhere(terrain, obstacles, bodies, walker):
    """Look below all bodies, before the first step."""
    for turn in range(LOOK_STEPS):
        look_down(terrain, obstacles, turn, 1.0, bodies, walker)


@inlined
def limit(value, most):
    return min(max(value, -most), most)


@inlined
def turn_towards(across, ahead, walk):
    """Rate of a turn about an axis, from what the goal has across and ahead: the sine of what is
    left, or all of it where the goal lies behind."""
    left = across if ahead > 0.0 else np.copysign(1.0, across)
    return limit(walk.turn_gain * left, walk.turn_rate)


@inlined
def follow(walk, goal, walker, b, bodies, x, y, z):
    """Velocity of the Follower, and the direction of the link."""
    px, py, pz = read_position(bodies, b - 1)
    lx, ly, lz = px - x, py - y, pz - z
    length = max(np.sqrt(lx * lx + ly * ly + lz * lz), 1e-9)
    lx, ly, lz = lx / length, ly / length, lz / length
    along = walker.head[SPEED] + walk.follow_rate * (length - goal.link[b])
    along = limit(along, 2.0 * walk.speed_limit)
    return along * lx, along * ly, along * lz, lx, ly, lz


@inlined
def lead(head, R):
    """Velocity of the head along its x axis."""
    v = head[SPEED]
    return v * R[0], v * R[3], v * R[6]


@kernel
def find_stretch(goal, bodies):
    """The largest stretch of any link, of its length at rest."""
    worst = 0.0
    for b in range(1, len(goal.link)):
        x, y, z = read_position(bodies, b)
        px, py, pz = read_position(bodies, b - 1)
        length = np.sqrt((x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2)
        worst = max(worst, length / goal.link[b])
    return worst


@inlined
def hold_back(walk, goal, b, bodies, x, y, z):
    """Velocity towards the body behind while the link to it is stretched too far: what is held up
    somewhere holds back those before it."""
    if b + 1 == len(goal.link):
        return 0.0, 0.0, 0.0
    px, py, pz = read_position(bodies, b + 1)
    lx, ly, lz = px - x, py - y, pz - z
    length = max(np.sqrt(lx * lx + ly * ly + lz * lz), 1e-9)
    over = max(length - STRETCH * goal.link[b + 1], 0.0)
    pull = limit(walk.follow_rate * over, 2.0 * walk.speed_limit) / length
    return pull * lx, pull * ly, pull * lz


@inlined
def give_way(walker, half_width, b, x, y, z):
    """Velocity away from an obstacle that is too near, along the ground."""
    near = BARRIER_MARGIN * half_width - height_over(walker.barrier, b, x, y, z)
    rate = BARRIER_RATE * max(near, 0.0)
    n, out = walker.normal, walker.barrier
    up = out[b, 3] * n[b, 0] + out[b, 4] * n[b, 1] + out[b, 5] * n[b, 2]
    return (
        rate * (out[b, 3] - up * n[b, 0]),
        rate * (out[b, 4] - up * n[b, 1]),
        rate * (out[b, 5] - up * n[b, 2]),
    )


@inlined
def find_upright(normal, b, flex, frame):
    """Where the y axis of body b should point: along the normals below it and its neighbours, but
    no farther from the y axis of the body next to it than the joint between them can bend."""
    last = len(normal) - 1
    before, behind = max(b - 1, 0), min(b + 1, last)
    nx = 2.0 * normal[b, 0] + normal[before, 0] + normal[behind, 0]
    ny = 2.0 * normal[b, 1] + normal[before, 1] + normal[behind, 1]
    nz = 2.0 * normal[b, 2] + normal[before, 2] + normal[behind, 2]
    length = max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-9)
    nx, ny, nz = nx / length, ny / length, nz / length
    S = read_axes(frame, b - 1 if b > 0 else 1)
    along = nx * S[1] + ny * S[4] + nz * S[7]
    if along >= np.cos(flex):
        return nx, ny, nz
    ax, ay, az = nx - along * S[1], ny - along * S[4], nz - along * S[7]
    side = np.sin(flex) / max(np.sqrt(ax * ax + ay * ay + az * az), 1e-9)
    return (
        np.cos(flex) * S[1] + side * ax,
        np.cos(flex) * S[4] + side * ay,
        np.cos(flex) * S[7] + side * az,
    )


@inlined
def drive_body(model, walker, has_obstacles, b, blend, bodies, frame):
    """Give one carried body the velocity and spin of its Targeter."""
    walk, goal = model.walk, model.goal
    R = read_axes(frame, b)
    x, y, z = read_position(bodies, b)
    if b == 0:
        vx, vy, vz = lead(walker.head, R)
        lx, ly, lz, ay = 0.0, 0.0, 0.0, 0.0
        yaw = walker.head[TURN]
    else:
        vx, vy, vz, lx, ly, lz = follow(walk, goal, walker, b, bodies, x, y, z)
        ax, ay, az = to_body(R, lx, ly, lz)
        yaw = turn_towards(-az, ax, walk)
    surface, normal = walker.surface, walker.normal
    height = 0.95 * goal.belly[b] if walker.supported[b] == LIES else goal.height[b]
    rise = walk.height_rate * (height - height_over(surface, b, x, y, z))
    rise = limit(rise, 2.0 * walk.speed_limit)
    back = surface[b, 3] * lx + surface[b, 4] * ly + surface[b, 5] * lz
    vx += rise * (surface[b, 3] - back * lx)
    vy += rise * (surface[b, 4] - back * ly)
    vz += rise * (surface[b, 5] - back * lz)
    hx, hy, hz = hold_back(walk, goal, b, bodies, x, y, z)
    vx, vy, vz = vx + hx, vy + hy, vz + hz
    if has_obstacles:
        gx, gy, gz = give_way(walker, goal.half_width[b], b, x, y, z)
        vx, vy, vz = vx + gx, vy + gy, vz + gz
    # balance: turn y towards the normal
    nx, ny, nz = find_upright(normal, b, walk.flex, frame)
    nx, ny, nz = to_body(R, nx, ny, nz)
    lean = -nx if b == 0 else (1.0 - LINK_SHARE) * -nx + LINK_SHARE * ay
    roll, pitch = turn_towards(nz, ny, walk), turn_towards(lean, ny, walk)
    # take up the speeds: at once what was given before, gradually what is wanted now
    drive = walker.drive
    if drive[b, DRIVEN] == 0.0 or not walker.supported[b]:
        start_drive(drive, b, R, bodies, frame)
        calm(drive, b, walk)
    drive[b, 0] += blend * (vx - drive[b, 0])
    drive[b, 1] += blend * (vy - drive[b, 1])
    drive[b, 2] += blend * (vz - drive[b, 2])
    drive[b, 3] += blend * (roll - drive[b, 3])
    drive[b, 4] += blend * (yaw - drive[b, 4])
    drive[b, 5] += blend * (pitch - drive[b, 5])
    write_vector(bodies.rows, VELOCITY, b, drive[b, 0], drive[b, 1], drive[b, 2])
    write_spin(goal.inertia, R, b, drive[b, 3], drive[b, 4], drive[b, 5], bodies, frame)


@inlined
def wade(model, walker, b, blend, bodies, frame):
    """Draw a submerged body along while others are on land: the head leads straight ahead, the
    rest follow their links; water carries them and muscles bend them."""
    R = read_axes(frame, b)
    x, y, z = read_position(bodies, b)
    vx, vy, vz = read_velocity(bodies, b)
    if b == 0:
        gx, _, gz = lead(walker.head, R)
        gy = vy
    else:
        gx, gy, gz, _, _, _ = follow(model.walk, model.goal, walker, b, bodies, x, y, z)
    if walker.body_mode[0] != WATER_TO_GROUND:
        gy = vy
    write_vector(
        bodies.rows, VELOCITY, b, vx + blend * (gx - vx), vy + blend * (gy - vy),
        vz + blend * (gz - vz),
    )  # fmt: skip


@inlined
def start_drive(drive, b, R, bodies, frame):
    """Begin with the motion that the body has."""
    drive[b, 0], drive[b, 1], drive[b, 2] = read_velocity(bodies, b)
    sx, sy, sz = read_spin(frame, b)
    drive[b, 3], drive[b, 4], drive[b, 5] = to_body(R, sx, sy, sz)
    drive[b, DRIVEN] = 1.0


@inlined
def calm(drive, b, walk):
    """Limit the motion of a body that is taken up by others: joints and muscles would not let a
    strained neighbour fling it about."""
    speed = np.sqrt(drive[b, 0] ** 2 + drive[b, 1] ** 2 + drive[b, 2] ** 2)
    spin = np.sqrt(drive[b, 3] ** 2 + drive[b, 4] ** 2 + drive[b, 5] ** 2)
    slower = min(1.0, CALM * walk.speed_limit / max(speed, 1e-9))
    calmer = min(1.0, CALM * walk.turn_rate / max(spin, 1e-9))
    for item in range(3):
        drive[b, item] *= slower
        drive[b, item + 3] *= calmer


@inlined
def is_near_carried(walker, b):
    """Whether legs carry a body within the reach of the body's muscles."""
    first, last = max(b - TONE_REACH, 0), min(b + TONE_REACH, len(walker.supported) - 1)
    near = False
    for other in range(first, last + 1):
        near |= walker.supported[other] > 0
    return near


@inlined
def write_spin(inertia, R, b, wx, wy, wz, bodies, frame):
    """Set the angular momentum of a body from its spin in its own axes."""
    sx, sy, sz = from_body(R, wx, wy, wz)
    write_vector(frame, 0, b, sx, sy, sz)
    lx, ly, lz = from_body(
        R,
        inertia[b, 0] * wx + inertia[b, 1] * wy + inertia[b, 2] * wz,
        inertia[b, 1] * wx + inertia[b, 3] * wy + inertia[b, 4] * wz,
        inertia[b, 2] * wx + inertia[b, 4] * wy + inertia[b, 5] * wz,
    )
    write_vector(bodies.rows, ANGULAR_MOMENTUM, b, lx, ly, lz)


@kernel
def drive_bodies(model, walker, has_obstacles, dt, gravity, bodies, frame):
    """Move all carried bodies, the rearmost first: each follows where the one before still is."""
    blend = min(1.0, dt / model.walk.settle_time)
    tone = min(1.0, dt / TONE_TIME) if walker.mode[0] != ADJUSTMENT else 0.0
    wades = is_crossing(walker)
    for back in range(len(walker.supported)):
        b = len(walker.supported) - 1 - back
        if walker.submerged[b]:
            walker.drive[b, DRIVEN] = 0.0
            if wades and model.goal.free[b]:
                wade(model, walker, b, min(1.0, dt / WADE_TIME), bodies, frame)
        elif walker.supported[b]:
            drive_body(model, walker, has_obstacles, b, blend, bodies, frame)
        elif tone > 0.0 and model.goal.free[b] and is_near_carried(walker, b):
            vx, vy, vz = read_velocity(bodies, b)
            write_vector(bodies.rows, VELOCITY, b, vx, vy + dt * gravity, vz)
            drive_body(model, walker, has_obstacles, b, tone, bodies, frame)
            walker.drive[b, DRIVEN] = 0.0
        else:
            walker.drive[b, DRIVEN] = 0.0
