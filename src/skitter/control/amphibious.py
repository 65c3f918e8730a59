"""Life on land and in water (Fang 2015 section 6.3): submerged segments and the body's mode.

A segment that is submerged moves by the dynamics in water, its legs TUCKED and the muscles at its
ends driven. When that begins and ends depends on what the body is about. On the way into water a
segment is submerged once its middle is. On the way out it is free of the water once its legs reach
the ground or a wall, above the surface or below: so it walks out, and the way out lasts until all
middles are above the surface. The head is the first to come out, and only when it wants to.

The modes are the six of figure 6.4; the text speaks of seven. One that falls into water has no mode
of its own there and stays IN-AIR until it is all submerged. One that tries to come out and does not
get on for a while goes back to swimming.
"""

from skitter.compiled import LANES, inlined, kernel
from skitter.control.bodies import read_position
from skitter.control.look import height_over
from skitter.control.walker import (
    ADJUSTMENT,
    AIR_TO_GROUND,
    EXIT_SINCE,
    GROUND_TO_WATER,
    IN_AIR,
    IN_WATER,
    ON_GROUND,
    UNDER,
    WANTS_LAND,
    WATER_TO_GROUND,
)

ENTER = 0.1  # of its walking height: a middle so far below the surface is submerged
LEAVE = 0.3  # of its walking height: a middle so far above it is not
REACH = 1.25  # walking heights: legs reach the ground from there
EXIT_TIME = 6.0  # s without another segment out of the water, after which it swims again


@inlined
def update_body(model, walker, level, bodies, b):
    """Whether body b is submerged from now on."""
    x, y, z = read_position(bodies, b)
    height = model.goal.height[b]
    mode = walker.body_mode[0]
    below = level - y
    if mode in (IN_WATER, WATER_TO_GROUND):
        if not walker.submerged[b]:
            return 0
        reaches = height_over(walker.surface, b, x, y, z) < REACH * height
        wants = walker.head[WANTS_LAND] > 0.0 or below < 0.0  # or has run ashore
        may = wants if b == 0 else walker.submerged[b - 1] == 0
        return 0 if reaches and may else 1
    if walker.submerged[b]:
        return 0 if below < -LEAVE * height else 1
    return 1 if below > ENTER * height else 0


@kernel
def choose_body_mode(walker):
    """The body's mode by the rules of figure 6.4."""
    mode, bodies, wet = walker.body_mode[0], len(walker.submerged), 0
    for b in range(bodies):
        wet += walker.submerged[b]
    if wet == bodies:
        return IN_WATER
    if wet > 0:
        if mode in (IN_WATER, WATER_TO_GROUND):
            return WATER_TO_GROUND
        return mode if mode == IN_AIR else GROUND_TO_WATER
    if mode in (IN_WATER, WATER_TO_GROUND) and walker.head[UNDER] > 0.0:
        return WATER_TO_GROUND  # its legs carry it, but some walk below the surface
    if walker.mode[0] != ADJUSTMENT:
        return ON_GROUND
    stands = 0
    for b in range(1, bodies - 1):
        stands += walker.supported[b] > 0
    return AIR_TO_GROUND if stands > 0 else IN_AIR


@inlined
def swim_again(walker, came_out):
    """Give up coming out of the water after a while without progress."""
    head, now = walker.head, walker.clock[0]
    if walker.body_mode[0] != WATER_TO_GROUND or came_out:
        head[EXIT_SINCE] = now
    elif now - head[EXIT_SINCE] > EXIT_TIME:
        head[EXIT_SINCE] = now
        for b in range(len(walker.submerged)):
            walker.submerged[b] = 1


@inlined
def is_crossing(walker):
    """Whether some of the body is on land and some in water."""
    mode = walker.body_mode[0]
    return mode in (GROUND_TO_WATER, WATER_TO_GROUND)


@kernel
def update_submerged(model, walker, surface, bodies, goal_active):
    """Which bodies are submerged, and which muscles are driven."""
    came_out, under = False, 0.0
    for b in range(len(walker.submerged)):
        before = walker.submerged[b]
        level = float(surface[b // LANES, b % LANES])
        under += level - read_position(bodies, b)[1] > ENTER * model.goal.height[b]
        walker.submerged[b] = update_body(model, walker, level, bodies, b)
        came_out |= before > walker.submerged[b]
    walker.head[UNDER] = under
    swim_again(walker, came_out)
    for k in range(len(goal_active)):
        goal_active[k] = 1.0 if walker.submerged[k] and walker.submerged[k + 1] else 0.0
