"""A swimmer's eyes and what it makes of them (Fang 2015 section 5.5), once a frame.

Food inside the field of view draws it. Walls inside the alert field, one fan to either side, turn
it to the side that is free; where both are blocked it takes one side, at random unless one is much
freer, and turns to it as much as it can until one of them is free. Where it cannot get away for a
while, as in a corner, it reverses its wave and backs off (ours). It hurries when it spots food,
slows down as it comes near and where a large turn must be made in a short way. Speed becomes
frequency and phase shift by the species' optimum.
"""

from dataclasses import dataclass

import numpy as np

from skitter.control.swim import (
    GOAL_FREQUENCY,
    GOAL_SHIFT,
    GOAL_TURN,
)
from skitter.control.walker import Surroundings
from skitter.species.swim import EyesSpec, SwimSpec
from skitter.terrain import Terrain
from skitter.water.surface import WaterSurface, find_surface

CRUISE, PREY, AVOID, LED, LAND = range(5)
SWIM_MODES = ("CRUISE", "PREY", "AVOID", "LED", "LAND")
# items of a pilot's memory
(
    HEADING_X,  # unit vector, smoothed over a stroke
    HEADING_Z,
    MODE,
    SIDE,  # 1 left, -1 right, while it keeps to a side; 0 not
    WANDER,  # rad/s, of its random turn
    WANDER_UNTIL,  # s
    SPEED,  # cm/s that it wants
    LED_SPEED,  # cm/s, of one that is led
    LED_TURN,  # rad/s to the left
    WET_SINCE,  # s, when it began to swim
    CLOSE_SINCE,  # s, since when a wall is close; -1 none is
    BACK_UNTIL,  # s, until when it backs off
    MEMORY_ITEMS,
) = range(13)
RAYS = 4  # of the alert field, to either side
SAMPLES = 4  # along a ray, to see where the water ends
STROKE_SHARE = 0.6  # of a stroke over which the heading is smoothed
GAIN = 1.6  # turn per radian off its goal
LEAST_TURN = 0.6  # away from a wall on one side, however far it is
HURRY, CREEP = 1.5, 0.6  # of its speed: towards food far away, and at a wall or beside food
CLOSE, CLOSE_TIME, BACK_TIME = 0.25, 2.0, 3.0  # of the alert range, s, s
FREER = 0.25  # of the alert range, by which one side must be freer to be taken
SHORE_RAYS = 36  # around it, when it looks for land
SLOW_FREQUENCY = 0.25  # Hz, at least, or it would not move at all


@dataclass(frozen=True)
class Place:
    """Where a swimmer is."""

    head: np.ndarray  # [3] cm
    forward: np.ndarray  # [3], of the front of the body
    length: float  # cm, of the body


def choose_stroke(spec: SwimSpec, speed: float) -> tuple[float, float]:
    """Frequency [Hz] and phase shift [rad] for a speed (Fang 2015 appendix C)."""
    best = spec.optimum
    if best is None:
        return spec.frequency * speed / spec.speed, float(np.radians(spec.phase_deg))
    v = float(np.clip(speed, *best.speed))
    powers = np.array([1.0, v, v * v])
    return float(powers @ best.frequency), float(np.radians(powers @ best.phase_deg))


def start_memory(forward: np.ndarray) -> np.ndarray:
    memory = np.zeros(MEMORY_ITEMS)
    memory[CLOSE_SINCE] = -1.0
    memory[[HEADING_X, HEADING_Z]] = forward[[0, 2]] / max(np.hypot(forward[0], forward[2]), 1e-9)
    return memory


def smooth_heading(memory: np.ndarray, forward: np.ndarray, blend: float) -> np.ndarray:
    """The heading with the strokes taken out [2]."""
    heading = memory[[HEADING_X, HEADING_Z]] * (1 - blend) + blend * forward[[0, 2]]
    memory[[HEADING_X, HEADING_Z]] = heading / max(np.hypot(*heading), 1e-9)
    return memory[[HEADING_X, HEADING_Z]]


def turn_from(heading: np.ndarray, way: np.ndarray) -> float:
    """Angle from a heading to a way [2], rad, positive to the left (towards -z)."""
    x, z = way
    return float(np.arctan2(heading[1] * x - heading[0] * z, heading[0] * x + heading[1] * z))


def spread(heading: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Level directions [n, 3] at some angles to the left of a heading."""
    c, s = np.cos(angles), np.sin(angles)
    x, z = heading
    return np.stack([c * x + s * z, np.zeros(len(angles)), c * z - s * x], axis=1)


def see_walls(
    eyes: EyesSpec,
    heading: np.ndarray,
    place: Place,
    terrain: Terrain,
    around: Surroundings,
    water: WaterSurface,
) -> np.ndarray:
    """How near something is in the left and the right fan [2], of the alert range; 1 is free."""
    fan = np.radians(eyes.alert_deg) * (np.arange(RAYS) + 0.5) / RAYS
    rays = spread(heading, np.concatenate([fan, -fan]))
    heads = np.repeat(place.head[None], len(rays), axis=0)
    far = np.full(len(rays), np.inf)
    for arrays in (terrain.arrays, around.obstacles):
        if len(arrays.kind):
            far = np.minimum(far, Terrain(arrays).cast(heads, rays)[0])
    far = np.minimum(far, see_balls(around.others, place.head, rays))
    far = np.minimum(far, see_shore(eyes.alert_range, place.head, rays, water))
    return np.asarray(np.minimum(far / eyes.alert_range, 1.0).reshape(2, RAYS).min(axis=1))


def see_balls(balls: np.ndarray, head: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """Distance to other creatures along each ray."""
    if len(balls) == 0:
        return np.full(len(rays), np.inf)
    way = balls[:, :3] - head
    along = rays @ way.T
    off = (way**2).sum(axis=1) - along**2
    hit = (along > 0) & (off < balls[:, 3] ** 2)
    return np.asarray(np.where(hit, along - balls[:, 3], np.inf).min(axis=1))


def see_shore(reach: float, head: np.ndarray, rays: np.ndarray, water: WaterSurface) -> np.ndarray:
    """Distance along each ray at which there is no water as high as the head."""
    shore = np.full(len(rays), np.inf)
    for share in np.arange(SAMPLES, 0, -1) / SAMPLES:
        for k, ray in enumerate(rays):
            x, _, z = head + share * reach * ray
            if find_surface(water, x, z) < head[1]:
                shore[k] = share * reach
    return shore


def find_food(eyes: EyesSpec, heading: np.ndarray, head: np.ndarray, food: np.ndarray) -> tuple:
    """Bearing [rad] and distance [cm] of the nearest food in view; infinitely far for none."""
    best = (0.0, np.inf)
    for row in food[food[:, 4] > 0]:
        way = row[[0, 2]] - head[[0, 2]]
        far, bearing = float(np.hypot(*way)), turn_from(heading, way)
        if far < min(eyes.food_range, best[1]) and abs(bearing) < np.radians(eyes.food_deg):
            best = (bearing, far)
    return best


def avoid(memory: np.ndarray, eyes: EyesSpec, free: np.ndarray, rng: np.random.Generator) -> float:
    """Turn, -1 to 1, away from walls; 0 where there are none."""
    left, right = free
    if max(left, right) < 1:
        memory[SIDE] = memory[SIDE] or choose_side(eyes, free, rng)
        return float(memory[SIDE])  # all at once: a gentle turn takes the whole alert range
    # the side that it has taken may be blocked by now, and the other free
    memory[SIDE] = np.sign(left - right)
    return float(memory[SIDE]) * max(LEAST_TURN, 1.0 - float(free.min()))


def choose_side(eyes: EyesSpec, free: np.ndarray, rng: np.random.Generator) -> float:
    """The side to take where both are blocked: 1 left, -1 right."""
    left, right = free
    sides = {"left": 1.0, "right": -1.0, "random": float(rng.choice([-1.0, 1.0]))}
    even = abs(left - right) < FREER
    return sides[eyes.preferred] if even else float(np.sign(left - right))


def backs_off(memory: np.ndarray, near: float, now: float) -> bool:
    """Whether it backs off, after a wall has been close for a while."""
    if near >= CLOSE:
        memory[CLOSE_SINCE] = -1.0
    elif memory[CLOSE_SINCE] < 0:
        memory[CLOSE_SINCE] = now
    elif now - memory[CLOSE_SINCE] > CLOSE_TIME and now >= memory[BACK_UNTIL]:
        memory[BACK_UNTIL], memory[CLOSE_SINCE] = now + BACK_TIME, -1.0
    return bool(now < memory[BACK_UNTIL])


def wander(memory: np.ndarray, eyes: EyesSpec, now: float, rng: np.random.Generator) -> float:
    """A random turn, -1 to 1, for a random time."""
    if now >= memory[WANDER_UNTIL]:
        memory[WANDER_UNTIL] = now + rng.uniform(1.0, 4.0)
        memory[WANDER] = np.radians(eyes.wander_deg) * rng.uniform(-1.0, 1.0)
    return float(np.clip(memory[WANDER], -1.0, 1.0))


def decide(
    spec: SwimSpec,
    eyes: EyesSpec,
    memory: np.ndarray,
    heading: np.ndarray,
    place: Place,
    now: float,
    free: np.ndarray,
    food: np.ndarray,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Speed [cm/s] and turn [-1 to 1] that it wants now."""
    bearing, far = find_food(eyes, heading, place.head, food)
    wall = avoid(memory, eyes, free, rng)
    near = float(free.min())
    if backs_off(memory, near, now):
        memory[MODE] = AVOID
        return -spec.speed, 0.0  # straight: a body that is bent stays where it is
    if wall != 0.0 and far > near * eyes.alert_range:
        memory[MODE] = AVOID
        return spec.speed * (CREEP + (1 - CREEP) * near), wall
    if np.isfinite(far):
        memory[MODE] = PREY
        ahead = np.clip(far / place.length, 0.0, 1.0)
        off = np.clip(2 * abs(bearing) / np.pi, 0.0, 1.0)
        hurry = CREEP + (HURRY - CREEP) * ahead * (1 - off)
        return spec.speed * float(hurry), float(np.clip(GAIN * bearing, -1, 1))
    memory[MODE] = CRUISE
    return spec.speed, wander(memory, eyes, now, rng)


def follow_lead(memory: np.ndarray, spec: SwimSpec) -> tuple[float, float]:
    """Speed [cm/s] and turn [-1 to 1] of one that is led."""
    memory[MODE] = LED
    turn = memory[LED_TURN] / np.radians(spec.turn_deg)
    return float(memory[LED_SPEED]), float(np.clip(turn, -1.0, 1.0))


def seek_land(
    spec: SwimSpec,
    eyes: EyesSpec,
    memory: np.ndarray,
    heading: np.ndarray,
    place: Place,
    terrain: Terrain,
) -> tuple[float, float]:
    """Speed and turn towards the nearest shore in sight, or straight on."""
    memory[MODE] = LAND
    angles = 2 * np.pi * np.arange(SHORE_RAYS) / SHORE_RAYS - np.pi
    heads = np.repeat(place.head[None], SHORE_RAYS, axis=0)
    far = terrain.cast(heads, spread(heading, angles))[0]
    nearest = int(np.argmin(far))
    if not far[nearest] < eyes.land_range:
        return spec.speed, 0.0
    bearing = angles[nearest]
    slow = CREEP if abs(bearing) > np.pi / 3 else 1.0
    return spec.speed * slow, float(np.clip(GAIN * bearing, -1.0, 1.0))


def steer(spec: SwimSpec, memory: np.ndarray, items: np.ndarray, speed: float, turn: float) -> None:
    """Let the muscles know; a wave that runs forward drives backward."""
    memory[SPEED] = speed
    frequency, shift = choose_stroke(spec, abs(speed))
    items[GOAL_FREQUENCY] = max(frequency, SLOW_FREQUENCY) if speed != 0 else 0.0
    items[GOAL_SHIFT] = shift if speed >= 0 else -shift
    items[GOAL_TURN] = spec.most_turn * turn
