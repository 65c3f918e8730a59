"""The cheapest level: a body glides over the surface, and its legs keep up by a cycle.

For animals in the background (Cenydd 2012 section 9.1, whose outlook is key frames). The two
alternating groups of legs step in turn, by how far the body has come and not by what any leg feels.
Key frames of joints would have feet slide over any ground but a level one; so feet stand in the
world, and joints are solved for them, as at the other levels. What is left out is what costs: rays,
rules of neighbours, forces, and steps shorter than a frame.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.control.climbing.gait import is_free_to_step
from skitter.control.climbing.limbs import REACHED, find_tip, reach_for
from skitter.control.climbing.model import (
    ALONG,
    BRAKE_QUEUE,
    BRAKE_SENSE,
    CYCLE,
    DONE,
    DURATION,
    HEIGHT,
    RADIAL,
    SENSE_ANGLE,
    SENSE_DISTANCE,
    STANCE,
    STEP,
)
from skitter.control.climbing.regulate import place_origins
from skitter.control.climbing.steer import push_body, steer, turn_body
from skitter.control.climbing.steps import find_pace, settle
from skitter.control.climbing.stops import stop_body
from skitter.control.climbing.surface import ask, from_host
from skitter.control.climbing.think import turn_axes
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
    put,
    put1,
    take,
    take1,
    times,
    unit,
    without,
)

SWING = 0.4  # of a cycle, that a leg is in the air
REACH = 0.8  # of the least comfort range: how far ahead of its origin a foot comes down
FAR = 1.3  # of its comfort range: a foot this far from its origin does not wait for its turn
IDLE = 0.1  # of its comfort range: a foot this near to where it would step stays
HALFWAY, LATEST = 0.5, 0.45  # of a path: where it is down again, and where one waits for ground
FOLLOW = 8.0  # 1/s, how fast the back turns with the surface


@kernel
def find_phase(leg, done):
    """How far a leg is in its own cycle: neighbours and pairs alternate."""
    late = 0.5 * (((leg >> 1) + (leg & 1)) & 1)
    return (done + late) % 1.0


@kernel
def find_stride(figure):
    """How far the body goes in a cycle, cm: a foot stands from REACH ahead to as far behind."""
    least = figure.comfort[0]
    for leg in range(1, len(figure.comfort)):
        least = min(least, figure.comfort[leg])
    return 2.0 * REACH * least / (1.0 - SWING)


@kernel
def glide(figure, traits, body, mind, stops, surfaces, path, loops, seconds):
    """Move the body over the surface below it."""
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
    stop_body(stops, body.velocity)
    put1(body.place, along((x, y, z), take1(body.velocity), seconds))
    turn_axes(body.turn, spin, seconds)


@kernel
def drift(body, mind, leg):
    """How fast a leg's origin moves along the ground, cm/s."""
    arm = minus(take(mind.origin, leg), take1(body.place))
    moves = add(take1(body.velocity), cross(take1(body.spin), arm))
    return without(moves, column(body.turn, 1))


@kernel
def advance_cycle(figure, traits, body, mind, seconds):
    """How much of a cycle passes: as the quickest leg goes, and a leg in the air comes down."""
    fastest, flies = 0.0, False
    for leg in range(len(figure.hip)):
        fastest = max(fastest, norm(drift(body, mind, leg)))
        flies |= mind.leg_state[leg] != STANCE
    passed = fastest * seconds / find_stride(figure)
    if flies:
        passed = max(passed, 2.0 * SWING * seconds / traits.duration_most)
    passed = min(passed, 0.5 * SWING)
    mind.drive[CYCLE] = (mind.drive[CYCLE] + passed) % 1.0
    return passed


@kernel
def find_landing(figure, traits, body, mind, surfaces, leg, rest):
    """Where a foot shall come down with so much of its way through the air to go.

    The point, the normal and friction of its surface and whose it is; and whether there is one."""
    moves = drift(body, mind, leg)
    speed = norm(moves)
    moving = min(speed / (0.1 * traits.max_speed), 1.0) / max(speed, 1e-9)
    ahead = find_stride(figure) * (0.5 * (1.0 - SWING) + SWING * rest)
    x, y, z = along(take(mind.origin, leg), moves, moving * ahead)
    d, nx, ny, nz, _, host = ask(surfaces, x, y, z)
    radius = figure.radius[figure.leg_first[leg + 1] - 1]
    near = abs(d) < 0.5 * figure.leg_length[leg]
    point = along((x, y, z), (nx, ny, nz), radius - d) if near else (x, y, z)
    return point, (nx, ny, nz), host, near


@kernel
def lift(traits, body, mind, orders, leg, now):
    """Begin a step from where the foot is."""
    pace = find_pace(traits, norm(take1(body.velocity)))
    mind.leg_state[leg] = STEP
    mind.lift_time[leg] = now
    mind.steps[leg] += 1
    mind.pace[leg, DONE] = 0.0
    mind.pace[leg, HEIGHT] = traits.height_least + (traits.height_most - traits.height_least) * pace
    orders.held[leg] = 0


@kernel
def swing(figure, traits, body, mind, orders, surfaces, leg, passed, seconds, now, room):
    """Move a foot in the air on, over half an ellipse to a goal that moves; put it down there.

    A finer level can go on from its path at any time.
    """
    pace, up = mind.pace, column(body.turn, 1)
    before = min(pace[leg, DONE], LATEST)
    after = min(before + HALFWAY * passed / SWING, HALFWAY)
    goal, normal, host, near = find_landing(
        figure, traits, body, mind, surfaces, leg, 1.0 - after / HALFWAY
    )
    if after >= HALFWAY and not (near and reaches(figure, body, orders, leg, goal, room)):
        after = LATEST
    height = pace[leg, HEIGHT]
    base = along(take(mind.foot, leg), up, -height * np.sin(2 * np.pi * before))
    done, was = 0.5 - 0.5 * np.cos(2 * np.pi * after), 0.5 - 0.5 * np.cos(2 * np.pi * before)
    base = along(base, minus(goal, base), (done - was) / (1.0 - was))
    foot = along(base, up, height * np.sin(2 * np.pi * after))
    pace[leg, DONE] = after
    if after >= HALFWAY:
        put(mind.foot, leg, goal)
        settle(mind, orders, surfaces, leg, host, normal, now)
        return
    radius = figure.radius[figure.leg_first[leg + 1] - 1]
    d, nx, ny, nz, _, _ = ask(surfaces, foot[0], foot[1], foot[2])
    foot = along(foot, (nx, ny, nz), max(radius - d, 0.0))
    rest = minus(goal, base)
    put(mind.foot, leg, foot)
    put(mind.target, leg, foot)
    put(mind.start, leg, base)
    put(mind.way, leg, unit(rest, column(body.turn, 0)))
    put(mind.rise, leg, up)
    pace[leg, ALONG] = norm(rest) / (1.0 - done)
    pace[leg, DURATION] = seconds / max(after - before, 1e-3)


@kernel
def reaches(figure, body, orders, leg, goal, room):
    """Solve a leg for a point of the world; whether it gets there."""
    local = inward(body.turn, minus(goal, take1(body.place)))
    return reach_for(figure, leg, local, orders.goal, 1.0, 0.0, room) < (
        REACHED * figure.leg_length[leg]
    )


@kernel
def is_due(figure, traits, body, mind, surfaces, leg, passed):
    """Whether it is the turn of a standing leg, or its foot is far, and a step would change it."""
    turn = find_phase(leg, mind.drive[CYCLE]) < passed
    off = norm(minus(take(mind.foot, leg), take(mind.origin, leg)))
    if not turn and (
        off < FAR * figure.comfort[leg] or not is_free_to_step(figure, traits, mind, leg, 0.0)
    ):
        return False
    goal, _, _, near = find_landing(figure, traits, body, mind, surfaces, leg, 1.0)
    return near and norm(minus(goal, take(mind.foot, leg))) > IDLE * figure.comfort[leg]


@kernel
def stand_or_step(
    figure, traits, body, mind, orders, stops, surfaces, leg, passed, seconds, now, room
):  # fmt: skip
    """A leg through a frame; its joints are solved for where its foot then is."""
    if mind.leg_state[leg] == STANCE:
        x, y, z = take(orders.anchor, leg)
        hold = from_host(surfaces.blocks, orders.host[leg], x, y, z)
        put(mind.hold, leg, hold)
        put(mind.target, leg, hold)
        put(mind.foot, leg, hold)
        if is_due(figure, traits, body, mind, surfaces, leg, passed):
            lift(traits, body, mind, orders, leg, now)
            passed = min(passed, find_phase(leg, mind.drive[CYCLE]))
    elif mind.leg_state[leg] != STEP:
        lift(traits, body, mind, orders, leg, now)
    if mind.leg_state[leg] != STANCE:
        swing(figure, traits, body, mind, orders, surfaces, leg, passed, seconds, now, room)
    if stops.pushed[leg]:  # others push it: it steps aside
        if mind.leg_state[leg] == STANCE:
            lift(traits, body, mind, orders, leg, now)
        put(mind.foot, leg, add(take(mind.foot, leg), take(stops.shift, leg)))
    target = inward(body.turn, minus(take(mind.foot, leg), take1(body.place)))
    off = reach_for(figure, leg, target, orders.goal, 1.0, seconds, room)
    if mind.leg_state[leg] != STANCE:
        put(mind.foot, leg, find_tip(figure, body, orders, leg, room))
    elif off > REACHED * figure.leg_length[leg]:  # it has been left behind
        lift(traits, body, mind, orders, leg, now)
        put(mind.foot, leg, find_tip(figure, body, orders, leg, room))
    else:
        mind.slid[leg] = max(mind.slid[leg], off)


@kernel
def advance_coarse(
    figure, traits, path, loops, body, mind, orders, stops, surfaces, now, seconds, room
):  # fmt: skip
    """A frame, or a part of one."""
    glide(figure, traits, body, mind, stops, surfaces, path, loops, seconds)
    place_origins(figure, traits, body, mind)
    passed = advance_cycle(figure, traits, body, mind, seconds)
    for leg in range(len(figure.hip)):
        stand_or_step(
            figure, traits, body, mind, orders, stops, surfaces, leg, passed, seconds, now, room
        )
        mind.wants[leg], mind.request[leg] = 0, np.inf
    for j in range(len(body.angle)):
        body.speed[j] = (orders.goal[j] - body.angle[j]) / seconds
        body.angle[j] = orders.goal[j]
