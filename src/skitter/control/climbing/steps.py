"""One step of a leg: its path, and what ends it (Cenydd 2012 sections 5.1, 5.2 and 6.3).

A path starts at the foot, rises, comes down at its far end after half of it, goes on below, and
would return to its start. Nothing but a surface ends it: steps are blind.

Where the paper steps to the origin node, ours steps beyond it by a share of the comfort range in
the way that the body goes, and by as far as the body gets meanwhile: otherwise a foot would only
ever stand behind its origin. A species may set that lead to 0.
"""

import numpy as np

from skitter.compiled import inlined, kernel
from skitter.control.climbing.model import (
    ALONG,
    BEZIER,
    DONE,
    DURATION,
    HEIGHT,
    LIMBO,
    LOST,
    SEARCH,
    STANCE,
    STEP,
)
from skitter.control.climbing.surface import WORLD, ask, ask_from, to_host
from skitter.control.climbing.vectors import (
    add,
    along,
    clip,
    column,
    cross,
    dot,
    minus,
    norm,
    put,
    take,
    take1,
    times,
    turn_about,
    unit,
    without,
)
from skitter.control.random import draw, next_random
from skitter.friction import pair_friction

LEAST_DONE = 0.02  # of a path, before which a touch does not end it
SKIN = 0.02  # of a leg's length, within which a foot counts as touching
AHEAD_SEARCH = 0.5  # how often a search goes ahead, not down and back
GLASS, ROUGH = 0.2, 0.6  # friction at and below which a foot holds as on glass, and wholly
ROUGH_FULL, ROUGH_NONE = np.radians(180.0), np.radians(220.0)
SEARCHES = 14  # in a row, after which the search begins anew


@kernel
def find_pace(traits, speed):
    """How lively the legs are, from 0 at rest to 1 at the highest speed."""
    return clip(speed / traits.max_speed, 0.0, 1.0)


@inlined
def find_drift(traits, body, mind, leg):
    """How fast the body carries a leg's origin on, cm/s: its velocity, and what its turn adds.

    The turn is the one that it wants: how it is shaken to and fro says nothing of where it goes.
    """
    up, ahead = column(body.turn, 1), column(body.turn, 0)
    heading = take1(mind.heading)
    angle = np.arctan2(dot(cross(ahead, heading), up), dot(ahead, heading))
    yaw = times(up, angle * traits.turn_c1 / traits.turn_c2)
    arm = minus(take(mind.origin, leg), take1(body.place))
    return add(take1(body.velocity), cross(yaw, arm))


@kernel
def find_duration(traits, body, mind, leg):
    """How long a whole path takes now, s."""
    pace = find_pace(traits, norm(find_drift(traits, body, mind, leg)))
    return traits.duration_most + (traits.duration_least - traits.duration_most) * pace


@kernel
def aim(traits, figure, body, mind, leg, seconds):
    """Where a step shall come down: beyond the origin, the way that the body goes."""
    velocity = without(find_drift(traits, body, mind, leg), column(body.turn, 1))
    speed = norm(velocity)
    way = times(velocity, 1.0 / max(speed, 1e-9))
    moving = min(speed / (0.1 * traits.max_speed), 1.0)
    lead = traits.lead * figure.comfort[leg] * moving
    ahead = min(speed * 0.5 * seconds, figure.comfort[leg])
    return along(take(mind.origin, leg), way, lead + ahead)


@kernel
def begin_step(traits, figure, body, mind, orders, leg, now):
    """A standard step to a comfortable place."""
    pace = find_pace(traits, norm(find_drift(traits, body, mind, leg)))
    duration = find_duration(traits, body, mind, leg)
    height = traits.height_least + (traits.height_most - traits.height_least) * pace
    goal = aim(traits, figure, body, mind, leg, duration)
    way = minus(goal, take(mind.foot, leg))
    start_path(body, mind, orders, leg, way, norm(way), height, duration, STEP, now)


@kernel
def find_near(surfaces, p, depth):
    """A point a little below the surface nearest to another one."""
    d, nx, ny, nz, _, _ = ask(surfaces, p[0], p[1], p[2])
    return along(p, (nx, ny, nz), -d - depth)


@kernel
def begin_search(traits, figure, body, mind, orders, surfaces, leg, now):
    """A step to a random place about the origin, wider, higher and deeper with every try.

    Every third one goes to what is nearest to the origin.
    """
    tries = mind.tries[leg] % SEARCHES
    mind.tries[leg] += 1
    mind.searches[leg] += 1
    growth = traits.search_growth ** (1 + tries)
    size = min(0.4 * growth * figure.comfort[leg], 0.6 * figure.leg_length[leg])
    height = min(traits.height_most * growth, 0.5 * figure.leg_length[leg])
    up, origin = column(body.turn, 1), take(mind.origin, leg)
    turned = draw(mind.random, -traits.search_spread, traits.search_spread)
    if tries % 3 == 1:
        goal = find_near(surfaces, origin, 0.4 * figure.comfort[leg])
    elif next_random(mind.random) < AHEAD_SEARCH:
        way = turn_about(column(body.turn, 0), up, turned - traits.gait_heading)
        goal = along(origin, way, size)
    else:  # down, and back under the body: around an edge
        inner = unit(without(minus(take1(body.place), origin), up), column(body.turn, 0))
        goal = along(along(origin, turn_about(inner, up, turned), size), up, -0.5 * size)
        height = -height
    way = minus(goal, take(mind.foot, leg))
    start_path(
        body, mind, orders, leg, way, norm(way), height, 0.5 * traits.duration_most, SEARCH, now
    )


@kernel
def start_path(body, mind, orders, leg, way, length, height, duration, state, now):
    """Lift a foot."""
    up = column(body.turn, 1)
    way = unit(way, column(body.turn, 0))
    rise = without(up, way)
    rise = unit(rise, column(body.turn, 0))
    put(mind.start, leg, take(mind.foot, leg))
    put(mind.target, leg, take(mind.foot, leg))
    put(mind.way, leg, way)
    put(mind.rise, leg, rise)
    mind.pace[leg, ALONG], mind.pace[leg, HEIGHT] = length, height
    mind.pace[leg, DURATION], mind.pace[leg, DONE] = duration, 0.0
    mind.leg_state[leg] = state
    mind.steps[leg] += 1
    mind.lift_time[leg] = now
    mind.wants[leg], mind.request[leg] = 0, np.inf
    mind.slipped[leg] = 0
    orders.held[leg] = 0


@kernel
def trace(traits, points, done):
    """Where a path is at a share of it: along and up, of its length and height."""
    if traits.path == BEZIER:
        low = done > 0.5
        along, up = evaluate_bezier(points, 2 * (1 - done) if low else 2 * done)
        return along, -up if low else up
    angle = 2 * np.pi * done
    return 0.5 * (1 - np.cos(angle)), np.sin(angle)


@kernel
def evaluate_bezier(points, t):
    """A Bézier curve over control points [n, 2], by its weights."""
    n = len(points) - 1
    x, y, choose = 0.0, 0.0, 1.0
    for k in range(n + 1):
        share = choose * t**k * (1 - t) ** (n - k)
        x += share * points[k, 0]
        y += share * points[k, 1]
        choose = choose * (n - k) / (k + 1)
    return x, y


@kernel
def find_grip(traits, friction, normal):
    """How likely a foot holds on a surface, by its friction and how far it leans (section 5.2).

    Glass holds up to 50 degrees and not at all from 90; what is rough holds anywhere.
    """
    rough = clip((pair_friction(friction, traits.hold) - GLASS) / (ROUGH - GLASS), 0.0, 1.0)
    full = traits.grip_full + (ROUGH_FULL - traits.grip_full) * rough
    none = traits.grip_none + (ROUGH_NONE - traits.grip_none) * rough
    leaning = np.arccos(clip(normal[1], -1.0, 1.0))
    return clip((none - leaning) / (none - full), 0.0, 1.0)


@kernel
def settle(mind, orders, surfaces, leg, host, normal, now):
    """End a step: the foot stands where it is, and is anchored."""
    foot = take(mind.foot, leg)
    if mind.leg_state[leg] == SEARCH:
        mind.found[leg] += 1
    mind.leg_state[leg] = STANCE
    mind.tries[leg] = 0
    mind.share[leg] = mind.pace[leg, DONE]
    mind.land_time[leg] = now
    mind.slid[leg] = mind.strain[leg] = 0.0
    put(mind.target, leg, foot)
    put(mind.hold, leg, foot)
    put(mind.hold_normal, leg, normal)
    orders.held[leg], orders.host[leg] = 1, max(host, WORLD)
    put(orders.anchor, leg, to_host(surfaces.blocks, host, foot[0], foot[1], foot[2]))


@kernel
def advance_path(figure, traits, points, mind, leg, seconds):
    """Move a target along its path; where it was and where it wants to be."""
    pace = mind.pace
    before = trace(traits, points, pace[leg, DONE])
    pace[leg, DONE] = min(pace[leg, DONE] + seconds / pace[leg, DURATION], 1.0)
    after = trace(traits, points, pace[leg, DONE])
    dx = (after[0] - before[0]) * pace[leg, ALONG]
    dy = (after[1] - before[1]) * pace[leg, HEIGHT]
    return along(times(take(mind.way, leg), dx), take(mind.rise, leg), dy)


@kernel
def advance_step(figure, traits, points, body, mind, orders, surfaces, leg, now, seconds, free):
    """Move a stepping foot on; whether it came down.

    With `free` the foot goes where its target goes; else it has been moved by its joints, and an
    object only ends the step if it stopped the foot.
    """
    move = advance_path(figure, traits, points, mind, leg, seconds)
    target = add(take(mind.target, leg), move)
    radius = figure.radius[figure.leg_first[leg + 1] - 1]
    skin = 0.0 if free else SKIN * figure.leg_length[leg]
    foot = target if free else take(mind.foot, leg)
    x, y, z = take(mind.target, leg) if free else foot  # what it comes from
    d, nx, ny, nz, friction, host = ask_from(surfaces, x, y, z, foot[0], foot[1], foot[2])
    normal = (nx, ny, nz)
    touches = d < radius + skin and mind.pace[leg, DONE] > LEAST_DONE
    if touches:
        step = norm(move)
        into = -dot(move, normal)
        firm = is_firm(traits, surfaces, host, normal) and not mind.slipped[leg]
        if firm and into >= traits.sensitivity * step:
            if next_random(mind.random) < find_grip(traits, friction, normal):
                if free:
                    foot = along(foot, normal, radius - d)
                    put(mind.foot, leg, foot)
                settle(mind, orders, surfaces, leg, host, normal, now)
                return True
            mind.slips[leg] += 1
            mind.slipped[leg] = 1  # and slides on, until it has searched for another place
        if free and into > 0:  # it glides along what it has met
            target = along(target, normal, radius - d)
        elif into > 0:  # likewise: a target far below would be met by a leap
            deep = ask(surfaces, target[0], target[1], target[2])[0]
            target = along(target, normal, max(-deep - radius, 0.0))
    put(mind.target, leg, target)
    if free:
        put(mind.foot, leg, target)
    if mind.pace[leg, DONE] >= 1.0:
        mind.leg_state[leg] = LIMBO
        mind.error[leg, LOST] += 1
    return False


@kernel
def is_firm(traits, surfaces, host, normal):
    """Whether what a foot has met would stop it: ground, heavy objects, and any stepped on."""
    if host < 0:
        return True
    return surfaces.block_mass[host] >= traits.heavy or normal[1] > 0.7
