"""The cheapest level: a body glides over the surface while its legs play a cycle of key frames.

For animals in the background (Cenydd 2012 section 9.1). The cycle is made once for a species: the
two alternating groups of legs step in turn, every leg is solved for its default height. Playing it
costs one question to the surface and one row of angles.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.control.climbing.limbs import place_feet, reach_for
from skitter.control.climbing.model import (
    BRAKE_QUEUE,
    BRAKE_SENSE,
    CYCLE,
    RADIAL,
    SENSE_ANGLE,
    SENSE_DISTANCE,
    STANCE,
    STEP,
)
from skitter.control.climbing.regulate import place_origins
from skitter.control.climbing.steer import push_body, steer, turn_body
from skitter.control.climbing.steps import trace
from skitter.control.climbing.surface import WORLD, ask, to_host
from skitter.control.climbing.think import turn_axes
from skitter.control.climbing.vectors import (
    add,
    along,
    clip,
    column,
    cross,
    dot,
    put,
    put1,
    take,
    take1,
    times,
    unit,
    without,
)

FRAMES = 24  # of a cycle
SWING = 0.4  # of a cycle, that a leg is in the air
SETTLE = 12  # descents for each frame of a cycle
FOLLOW = 8.0  # 1/s, how fast the back turns with the surface


@kernel
def find_phase(leg, done):
    """How far a leg is in its own cycle: neighbours and pairs alternate."""
    late = 0.5 * (((leg >> 1) + (leg & 1)) & 1)
    return (done + late) % 1.0


@kernel
def place_in_cycle(figure, traits, points, leg, phase):
    """Where a foot is in the thorax's frame at a moment of its cycle: first air, then stance."""
    reach = 0.8 * figure.comfort[leg]
    at = take(figure.origin, leg)
    if phase < SWING:
        along_path, up = trace(traits, points, 0.5 * phase / SWING)
        ahead, rise = (2 * along_path - 1) * reach, up * traits.height_most
    else:
        ahead, rise = reach * (1 - 2 * (phase - SWING) / (1 - SWING)), 0.0
    c, s = np.cos(traits.gait_heading), np.sin(traits.gait_heading)
    return at[0] + c * ahead, at[1] + rise, at[2] + s * ahead


@kernel
def make_cycle(figure, traits, points, cycle, angle, room):
    """Joint angles [frame, joint] of a walk, from those at rest."""
    for _turn in range(2):  # once more from where the first ended, so that it closes
        for frame in range(len(cycle)):
            done = frame / len(cycle)
            for leg in range(len(figure.hip)):
                target = place_in_cycle(figure, traits, points, leg, find_phase(leg, done))
                for _ in range(SETTLE):
                    reach_for(figure, leg, target, angle, 1.0, 0.02, room)
            for j in range(len(angle)):
                cycle[frame, j] = angle[j]


@kernel
def play(cycle, done, angle):
    """Angles between two key frames."""
    at = done * len(cycle)
    first = int(at) % len(cycle)
    share = at - np.floor(at)
    second = (first + 1) % len(cycle)
    for j in range(len(angle)):
        angle[j] = cycle[first, j] + share * (cycle[second, j] - cycle[first, j])


@kernel
def glide(figure, traits, body, mind, surfaces, path, loops, seconds):
    """Move the body over the surface below it; the distance that it went, cm."""
    drive = mind.drive
    drive[BRAKE_SENSE] = drive[BRAKE_QUEUE] = 0.0
    drive[RADIAL], drive[SENSE_ANGLE], drive[SENSE_DISTANCE] = 1.0, 0.0, traits.sense_range
    wanted = steer(traits, body, mind, surfaces, path, loops, seconds)
    push = push_body(traits, body, mind, wanted, seconds)
    turn = turn_body(traits, body, mind)
    up = column(body.turn, 1)
    x, y, z = take1(body.place)
    d, nx, ny, nz, _, _ = ask(surfaces, x, y, z)
    if d < 3 * traits.elevation:
        put1(mind.up, (nx, ny, nz))
    spin = add(take1(body.spin), times(turn, seconds))
    spin = add(times(up, dot(spin, up)), times(cross(up, take1(mind.up)), FOLLOW))
    put1(body.spin, spin)
    velocity = without(along(take1(body.velocity), push, seconds), up)
    lift = clip(traits.elevation - d, -traits.span, traits.span) * min(FOLLOW, 1 / seconds)
    velocity = along(velocity, take1(mind.up), lift)
    put1(body.velocity, velocity)
    put1(body.place, along((x, y, z), velocity, seconds))
    turn_axes(body.turn, spin, seconds)
    return seconds * dot(velocity, unit(wanted, column(body.turn, 0)))


@kernel
def note_legs(figure, body, mind, orders, surfaces, now):
    """Where feet are, and which of them count as standing, for a finer level to go on from."""
    for leg in range(len(figure.hip)):
        swings = find_phase(leg, mind.drive[CYCLE]) < SWING
        was = mind.leg_state[leg]
        foot = take(mind.foot, leg)
        put(mind.target, leg, foot)
        if swings and was == STANCE:
            mind.leg_state[leg] = STEP
            mind.lift_time[leg] = now
            mind.steps[leg] += 1
        elif not swings:
            if was != STANCE:
                mind.land_time[leg] = now
            mind.leg_state[leg] = STANCE
            put(mind.hold, leg, foot)
            put(mind.hold_normal, leg, take1(mind.up))
        orders.held[leg], orders.host[leg] = 0, WORLD
        mind.wants[leg], mind.request[leg] = 0, np.inf


@kernel
def advance_coarse(
    figure, traits, cycle, path, loops, body, mind, orders, surfaces, now, seconds, room
):
    """A frame."""
    gone = glide(figure, traits, body, mind, surfaces, path, loops, seconds)
    stride = 2.0 * 0.8 * figure.comfort[0] / (1 - SWING)
    mind.drive[CYCLE] = (mind.drive[CYCLE] + gone / stride) % 1.0
    play(cycle, mind.drive[CYCLE], body.angle)
    for j in range(len(body.angle)):
        orders.goal[j] = body.angle[j]
        body.speed[j] = 0.0
    place_feet(figure, body, body.angle, mind.foot, room)
    place_origins(figure, traits, body, mind)
    note_legs(figure, body, mind, orders, surfaces, now)


@kernel
def come_down(figure, mind, orders, surfaces, body, now):
    """Put all feet to the nearest surface, to go on at a finer level: standing, all of them."""
    for leg in range(len(figure.hip)):
        x, y, z = take(mind.foot, leg)
        radius = figure.radius[figure.leg_first[leg + 1] - 1]
        d, nx, ny, nz, _, host = ask(surfaces, x, y, z)
        if abs(d) > 0.3 * figure.leg_length[leg]:
            d = radius
        foot = along((x, y, z), (nx, ny, nz), radius - d)
        put(mind.foot, leg, foot)
        put(mind.target, leg, foot)
        put(mind.hold, leg, foot)
        put(mind.hold_normal, leg, (nx, ny, nz))
        mind.leg_state[leg] = STANCE
        orders.held[leg], orders.host[leg] = 1, max(host, WORLD)
        put(orders.anchor, leg, to_host(surfaces.blocks, host, foot[0], foot[1], foot[2]))
