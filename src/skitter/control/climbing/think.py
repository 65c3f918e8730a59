"""A step of a climber's controller, and a frame of one that has no rigid bodies."""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.control.climbing.fall import fall, lose_hold
from skitter.control.climbing.gait import advance_gait, count_standing, is_stepping
from skitter.control.climbing.limbs import REACHED, find_tip, place_feet, solve_limbs
from skitter.control.climbing.model import FALLING, FIRM, LOOSE, STANCE, STRETCH
from skitter.control.climbing.patience import lose_patience
from skitter.control.climbing.posture import (
    aim_up,
    flex_abdomen,
    level_body,
    lift_body,
    stay_out,
)
from skitter.control.climbing.regulate import place_origins, regulate
from skitter.control.climbing.sense import sense
from skitter.control.climbing.steer import push_body, steer, turn_body
from skitter.control.climbing.steps import advance_step, begin_step
from skitter.control.climbing.stops import stop_body
from skitter.control.climbing.surface import ask, from_host
from skitter.control.climbing.vectors import (
    add,
    along,
    column,
    cross,
    dot,
    inward,
    minus,
    norm,
    outward,
    put,
    put1,
    take,
    take1,
    times,
    unit,
)

GRAVITY = 981.0  # cm/s2, of the load on what carries it
HINGES = 3  # the fewest of a leg whose foot can stand still while the body moves
PULLS, PULL_MOST = 3, 0.012  # rounds, and of a leg's length: how far feet hold a thorax back
TEARS = 0.03  # s, over which a pull must last to tear a foot off


@kernel
def feel_feet(figure, traits, body, mind, orders, felt, surfaces, seconds, free, room):
    """Where feet are now; anchors on objects go with them, and break above their strength."""
    if not free:
        place_feet(figure, body, body.angle, mind.foot, room)
    for leg in range(len(figure.hip)):
        if mind.leg_state[leg] != STANCE:
            continue
        x, y, z = take(orders.anchor, leg)
        hold = from_host(surfaces.blocks, orders.host[leg], x, y, z)
        put(mind.hold, leg, hold)
        put(mind.target, leg, hold)
        if free:
            put(mind.foot, leg, hold)
        else:
            mind.slid[leg] = max(mind.slid[leg], norm(minus(take(mind.foot, leg), hold)))
            mind.strain[leg] += (felt.pull[leg] - mind.strain[leg]) * min(seconds / TEARS, 1.0)
            if mind.strain[leg] > traits.anchor_strength:
                mind.slips[leg] += 1
                mind.leg_state[leg] = LOOSE
                orders.held[leg] = 0


@kernel
def step_legs(figure, traits, points, body, mind, orders, surfaces, now, seconds, free):
    """Move all feet that are in the air; whether one came down."""
    landed = False
    for leg in range(len(figure.hip)):
        if is_stepping(mind, leg):
            landed |= advance_step(
                figure, traits, points, body, mind, orders, surfaces, leg, now, seconds, free
            )
    return landed


@kernel
def move_body(figure, traits, body, mind, orders, surfaces, path, loops, seconds, free):
    """Force and torque on the thorax; rigid legs throw it about, so there it is held firmly."""
    firm = 1.0 if free else FIRM
    wanted = steer(traits, body, mind, surfaces, path, loops, seconds)
    lift = times(lift_body(figure, traits, body, mind), firm)
    push = add(push_body(traits, body, mind, wanted, seconds), lift)
    push = add(push, stay_out(figure, traits, body, mind, surfaces))
    level = times(level_body(traits, body, mind), firm)
    turn = add(turn_body(traits, body, mind), level)
    put1(orders.force, times(push, traits.moved))
    x, y, z = inward(body.turn, turn)
    torque = (traits.roll * x, traits.yaw * y, traits.pitch * z)
    put1(orders.torque, outward(body.turn, torque))


@kernel
def load_hosts(traits, mind, orders):
    """What feet put on the objects that they stand on: weight, and the reaction to the drive."""
    standing = max(count_standing(mind), 1)
    for leg in range(len(mind.leg_state)):
        bears = traits.carries > 0 and mind.leg_state[leg] == STANCE and orders.host[leg] >= 0
        for k in range(3):
            weight = traits.mass * GRAVITY if k == 1 else 0.0
            orders.load[leg, k] = -(orders.force[k] + weight) / standing if bears else 0.0


@kernel
def think(
    figure, traits, points, path, loops, body, mind, orders, felt, stops, surfaces, now, seconds,
    free, room,
):  # fmt: skip
    """One step of the controller: reads the body, changes what is in mind and what is ordered."""
    feel_feet(figure, traits, body, mind, orders, felt, surfaces, seconds, free, room)
    if mind.count[FALLING]:
        fall(figure, traits, body, mind, orders, surfaces, now, seconds, room)
        return
    sense(figure, traits, body, mind, surfaces, seconds)
    place_origins(figure, traits, body, mind)
    regulate(figure, traits, body, mind, surfaces, felt, now, free, room)
    advance_gait(figure, traits, body, mind, orders, surfaces, now, seconds)
    landed = step_legs(figure, traits, points, body, mind, orders, surfaces, now, seconds, free)
    if landed or traits.on_termination == 0.0:
        aim_up(figure, traits, body, mind)
    move_body(figure, traits, body, mind, orders, surfaces, path, loops, seconds, free)
    flex_abdomen(figure, traits, body, mind, orders)
    if not free:
        solve_limbs(figure, traits, body, mind, orders, stops, seconds, free, room)
    load_hosts(traits, mind, orders)
    if 2 * count_standing(mind) < len(figure.hip):
        lose_hold(mind, orders, now)
        return
    lose_patience(traits, body, mind, orders, now, seconds)


@kernel
def turn_axes(turn, spin, seconds):
    """Turn a body's axes by a spin, and keep them square."""
    x = along(column(turn, 0), cross(spin, column(turn, 0)), seconds)
    y = along(column(turn, 1), cross(spin, column(turn, 1)), seconds)
    x = unit(x, (1.0, 0.0, 0.0))
    z = unit(cross(x, y), (0.0, 0.0, 1.0))
    y = cross(z, x)
    for k in range(3):
        turn[k, 0], turn[k, 1], turn[k, 2] = x[k], y[k], z[k]


@kernel
def find_gap(figure, body, mind, orders, leg, room):
    """From where a leg gets to where its foot shall be, cm."""
    return minus(take(mind.target, leg), find_tip(figure, body, orders, leg, room))


@kernel
def hold_back(figure, body, mind, orders, room):
    """Feet that stand pull the thorax back to where their legs reach: by little, where they can
    step instead."""
    few = 2 * count_standing(mind) <= len(figure.hip)
    for leg in range(len(figure.hip)):
        gap = find_gap(figure, body, mind, orders, leg, room)
        size = norm(gap)
        off = size / figure.leg_length[leg]
        pulls = off > REACHED and (few or off < PULL_MOST)
        if pulls and mind.leg_state[leg] == STANCE and is_able(figure, leg):
            way = times(gap, 1.0 / size)
            put1(body.place, along(take1(body.place), way, 0.5 * size))
            away = min(dot(take1(body.velocity), way), 0.0)
            put1(body.velocity, along(take1(body.velocity), way, -away))


@kernel
def keep_out(figure, surfaces, leg, p):
    """A point for a foot, or the nearest that is not inside of anything."""
    d, nx, ny, nz, _, _ = ask(surfaces, p[0], p[1], p[2])
    radius = figure.radius[figure.leg_first[leg + 1] - 1]
    return along(p, (nx, ny, nz), max(radius - d, 0.0))


@inlined
def is_able(figure, leg):
    """Whether a leg has hinges enough for a foot that stands still while the body moves."""
    return figure.leg_first[leg + 1] - figure.leg_first[leg] >= HINGES


@kernel
def hold_on(figure, traits, body, mind, orders, stops, surfaces, now, seconds, room):
    """Solve all legs. Feet that stand hold the thorax back, one that it has left behind steps, or
    that others push, and one in the air is no farther than its leg reaches; those of few hinges
    stand by decree."""
    standing = count_standing(mind)
    for leg in range(len(figure.hip)):
        stands = mind.leg_state[leg] == STANCE and is_able(figure, leg)
        if stops.pushed[leg] and stands and 2 * standing > len(figure.hip):
            standing -= 1
            begin_step(traits, figure, body, mind, orders, leg, now)
    worst = solve_limbs(figure, traits, body, mind, orders, stops, seconds, True, room)
    for _ in range(PULLS):
        if worst > REACHED:
            hold_back(figure, body, mind, orders, room)
            worst = solve_limbs(figure, traits, body, mind, orders, stops, 0.0, True, room)
    standing = count_standing(mind)
    for leg in range(len(figure.hip)):
        if not is_able(figure, leg):
            continue
        gap = find_gap(figure, body, mind, orders, leg, room)
        is_off = norm(gap) > REACHED * figure.leg_length[leg]
        if is_off and (mind.leg_state[leg] != STANCE or 2 * standing > len(figure.hip)):
            put(mind.foot, leg, minus(take(mind.target, leg), gap))
            put(mind.target, leg, keep_out(figure, surfaces, leg, take(mind.foot, leg)))
            if mind.leg_state[leg] == STANCE:
                standing -= 1
                mind.error[leg, STRETCH] += 1
                begin_step(traits, figure, body, mind, orders, leg, now)
        elif mind.leg_state[leg] == STANCE:
            mind.slid[leg] = max(mind.slid[leg], norm(gap))


@kernel
def move_free(figure, traits, body, mind, orders, stops, surfaces, now, seconds, room):
    """Thorax as one free body; legs solved for where it is then; the abdomen on its way."""
    x, y, z = inward(body.turn, take1(orders.torque))
    turn = outward(body.turn, (x / traits.roll, y / traits.yaw, z / traits.pitch))
    for k in range(3):
        body.velocity[k] += seconds * orders.force[k] / traits.moved
        body.spin[k] += seconds * turn[k]
    stop_body(stops, body.velocity)
    for k in range(3):
        body.place[k] += seconds * body.velocity[k]
    turn_axes(body.turn, take1(body.spin), seconds)
    least = 0.5 * min(figure.thorax_size[1], traits.clearance)
    x, y, z = take1(body.place)
    d, nx, ny, nz, _, _ = ask(surfaces, x, y, z)
    if d < least:  # what a force has not kept out is put out
        put1(body.place, along((x, y, z), (nx, ny, nz), least - d))
    hold_on(figure, traits, body, mind, orders, stops, surfaces, now, seconds, room)
    for j in range(len(body.angle)):
        body.speed[j] = (orders.goal[j] - body.angle[j]) / seconds
        body.angle[j] = orders.goal[j]
    size = 0.0
    for k in range(4):
        lack = orders.pedicel_goal[k] - body.pedicel[k]
        body.pedicel[k] += lack * min(5.0 * seconds, 1.0)
        size += body.pedicel[k] ** 2
    for k in range(4):
        body.pedicel[k] /= np.sqrt(size)


@kernel
def advance_climber(
    figure, traits, points, path, loops, body, mind, orders, felt, stops, surfaces, now, seconds,
    steps, free, room,
):  # fmt: skip
    """Some steps of the controller; of a `free` body also its motion, until it loses hold.

    One kernel for both: the controller is most of it, and is compiled once.
    """
    for k in range(steps):
        if free and mind.count[FALLING]:
            return
        think(
            figure, traits, points, path, loops, body, mind, orders, felt, stops, surfaces,
            now + k * seconds, seconds, free, room,
        )  # fmt: skip
        if free:
            move_free(
                figure, traits, body, mind, orders, stops, surfaces, now + k * seconds, seconds,
                room,
            )  # fmt: skip
