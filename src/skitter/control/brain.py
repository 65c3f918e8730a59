"""The brain: which mode the creature is in, and the speed and turn of its head (Fang 2015 4.4).

ADJUSTMENT comes first: as long as most legs have no ground the head leads nobody. A puppet is in
CONTROL. AVOIDANCE comes before TROPHOTROPISM, and RANDOM-WALK is what is left. Speed and turn are
limited together, so that the outer feet of a turn are no faster than a leg can step.
"""

import numpy as np

from skitter.compiled import kernel
from skitter.control.amphibious import is_crossing
from skitter.control.random import draw
from skitter.control.walker import (
    ADJUSTMENT,
    AVOID_SIDE,
    AVOIDANCE,
    BUMP,
    CLEAR_UNTIL,
    COMMAND_SPEED,
    COMMAND_TURN,
    CONTROL,
    GOAL_SPEED,
    GOAL_TURN,
    IN_WATER,
    LEFT,
    LOST_SINCE,
    RANDOM_WALK,
    RIGHT,
    SPEED,
    STANCE,
    STANDS,
    SWIMMING,
    TROPHOTROPISM,
    TURN,
    WANDER_LEFT,
    WATER_TO_GROUND,
)

MAJORITY = 0.5  # of the legs that must stand before it walks
LOST_SHARE = 0.2  # with fewer standing legs than this ...
LOST_TIME = 0.25  # s ... for so long, it has lost its footing
WANDER_TURN = 0.35  # of the largest turn rate, in the random walk
TURN_TIME = 0.12  # s in which speed and turn are taken up
STRETCH_WAIT, STRETCH_STOP = 1.06, 1.18  # of a link, where the head slows and where it stops
UPHILL_GAIN = 1.5  # turn per radian off the way up, of the largest
LEVEL_GROUND = 0.05  # sine of a slope that is none
BEARING_GAIN = 2.5  # turn per sine of the bearing of food, of the largest


@kernel
def standing_share(walker):
    count = 0
    for k in range(len(walker.leg_state)):
        count += walker.leg_state[k] == STANCE
    return count / max(1, len(walker.leg_state))


@kernel
def cross(walk, walker, R):
    """Straight ahead into the water, and uphill out of it."""
    head, n = walker.head, walker.normal
    head[GOAL_SPEED], head[GOAL_TURN] = walk.speed, 0.0
    head[LOST_SINCE] = -1.0
    if walker.body_mode[0] != WATER_TO_GROUND:
        return
    # t: the way up along the surface; the turn from x to it is about n
    nx, ny, nz = n[0, 0], n[0, 1], n[0, 2]
    tx, ty, tz = -ny * nx, 1.0 - ny * ny, -ny * nz
    across = nx * (R[3] * tz - R[6] * ty) + ny * (R[6] * tx - R[0] * tz)
    across += nz * (R[0] * ty - R[3] * tx)
    ahead = R[0] * tx + R[3] * ty + R[6] * tz
    steep = np.sqrt(max(ty, 0.0))  # |t|
    turn = np.arctan2(across, ahead) if steep > LEVEL_GROUND else 0.0
    head[GOAL_TURN] = walk.head_turn * min(max(UPHILL_GAIN * turn, -1.0), 1.0)


@kernel
def has_footing(walker):
    """Whether enough legs stand; a walking creature may lack them for a moment, and one that is
    partly in water does not need them."""
    if is_crossing(walker):
        return True
    share, head, now = standing_share(walker), walker.head, walker.clock[0]
    if walker.mode[0] == ADJUSTMENT:
        return share > MAJORITY
    if share > LOST_SHARE:
        head[LOST_SINCE] = -1.0
    elif head[LOST_SINCE] < 0.0:
        head[LOST_SINCE] = now
    return head[LOST_SINCE] < 0.0 or now - head[LOST_SINCE] < LOST_TIME


@kernel
def choose_mode(walk, walker, around):
    """The mode by priority."""
    head, now = walker.head, walker.clock[0]
    if not has_footing(walker):
        return ADJUSTMENT
    if around.is_puppet:
        return CONTROL
    left, right = walker.antenna_touch[LEFT] > 0, walker.antenna_touch[RIGHT] > 0
    left |= walker.head[BUMP] < 0.0
    right |= walker.head[BUMP] > 0.0
    if left or right:
        if now >= head[CLEAR_UNTIL]:  # a new obstacle: turn away from the side that felt it
            felt = walk.preferred if left and right else (LEFT if left else RIGHT)
            head[AVOID_SIDE] = -1.0 if felt == LEFT else 1.0
        head[CLEAR_UNTIL] = now + walk.clear_time
    if now < head[CLEAR_UNTIL]:
        return AVOIDANCE
    if max(walker.antenna_food[LEFT], walker.antenna_food[RIGHT]) > walk.food_threshold:
        return TROPHOTROPISM
    return RANDOM_WALK


@kernel
def wander_about(walk, walker, dt):
    """Turn by random angles, one after the other."""
    head = walker.head
    if abs(head[WANDER_LEFT]) < 1e-3:
        head[WANDER_LEFT] = draw(walker.random, -walk.wander, walk.wander)
    turn = WANDER_TURN * walk.head_turn
    done = min(abs(head[WANDER_LEFT]), turn * dt)
    sign = 1.0 if head[WANDER_LEFT] > 0 else -1.0
    head[WANDER_LEFT] -= sign * done
    head[GOAL_SPEED], head[GOAL_TURN] = walk.speed, sign * turn


@kernel
def head_for_food(walk, walker):
    """Turn up the gradient. For one source of strength 1 the intensity tells the distance, and the
    difference between the tips, over their distance, the sine of the bearing."""
    head = walker.head
    left, right = walker.antenna_food[LEFT], walker.antenna_food[RIGHT]
    last = walker.antenna_point.shape[1] - 1
    a, b = walker.antenna_point[LEFT, last], walker.antenna_point[RIGHT, last]
    apart = np.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
    far = 2.0 / np.sqrt(0.5 * (left + right))
    bearing = 0.5 * far * np.log(left / right) / max(apart, 1e-6)
    bearing = min(max(bearing, -1.0), 1.0)
    head[GOAL_TURN] = walk.head_turn * min(max(BEARING_GAIN * bearing, -1.0), 1.0)
    radius = walk.speed / walk.head_turn
    slow = min(1.0, far / (3.0 * radius))  # near food to the side, turn on the spot
    head[GOAL_SPEED] = walk.speed * max(0.3, 1.0 - (1.0 - slow) * abs(bearing))


@kernel
def turn_away(walk, walker):
    head = walker.head
    head[GOAL_SPEED] = walk.speed * walk.avoid_speed
    head[GOAL_TURN] = head[AVOID_SIDE] * walk.head_turn


@kernel
def take_up(walk, walker, stretch, dt):
    """Let the head follow its goals, within what the feet can do; it waits for a body that is held
    up somewhere and stretched."""
    head = walker.head
    wait = min(max(1.0 - (stretch - STRETCH_WAIT) / (STRETCH_STOP - STRETCH_WAIT), 0.0), 1.0)
    turn = min(max(head[GOAL_TURN], -walk.head_turn), walk.head_turn)
    speed = min(max(head[GOAL_SPEED], 0.0), max(walk.speed_limit - abs(turn) * walk.foot, 0.0))
    blend = min(1.0, dt / TURN_TIME)
    head[SPEED] += blend * (wait * speed - head[SPEED])
    head[TURN] += blend * (turn - head[TURN])


@kernel
def think(around, walk, walker, stretch, free, R, dt):
    """One decision; `stretch` is that of the body's worst link, `free` 0 for a head that is held
    and R its axes."""
    mode = choose_mode(walk, walker, around)
    head = walker.head
    if walker.body_mode[0] == IN_WATER:
        mode = SWIMMING
        cross(walk, walker, R)
    elif mode == ADJUSTMENT:
        head[GOAL_SPEED], head[GOAL_TURN] = 0.0, 0.0
        head[SPEED], head[TURN] = 0.0, 0.0
        head[LOST_SINCE] = -1.0
    elif is_crossing(walker) and mode != CONTROL:
        cross(walk, walker, R)
    elif mode == CONTROL:
        head[GOAL_SPEED], head[GOAL_TURN] = head[COMMAND_SPEED], head[COMMAND_TURN]
    elif mode == AVOIDANCE:
        turn_away(walk, walker)
    elif mode == TROPHOTROPISM:
        head_for_food(walk, walker)
    else:
        wander_about(walk, walker, dt)
    take_up(walk, walker, stretch, dt)
    walker.mode[0] = mode
    leads = mode != ADJUSTMENT and not walker.submerged[0]
    walker.supported[0] = STANDS * leads * free
