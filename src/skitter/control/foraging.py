"""Bringing food home, and the trails that tell others where there is more.

SEARCH: it goes about as it does anyway. FETCH: it goes to food that it smells. HOME: it carries a
piece straight to the nest, which it knows the way to, as ants do by path integration, and lays
pheromone. FOLLOW: on a trail it turns towards the stronger side, as its two antennae tell it
(tropotaxis), and away from the nest rather than to it, for a trail has no direction of its own.
"""

from typing import NamedTuple

import numpy as np

from skitter.control.behaviour import FETCH, FOLLOW, HOME, SEARCH
from skitter.scene.trails import NestSpec
from skitter.species.behaviour import ForageSpec
from skitter.things import Things
from skitter.trails import Trails

# items of a forager's memory
MODE, CARRIES, FETCHED, BROUGHT, FELT_LEFT, FELT_RIGHT, LAID, FORAGE_ITEMS = range(8)
FACING_NEST = -0.2  # cosine of its heading and the way out, below which it turns round


class Forager(NamedTuple):
    """Where one is that forages, in the world."""

    place: np.ndarray  # [3] cm
    ahead: np.ndarray  # [3] unit, along the ground
    up: np.ndarray  # [3] unit
    feelers: np.ndarray  # [2, 3] cm, tips of the left and the right antenna
    stride: float  # cm: goals are set so far away


def forage(
    spec: ForageSpec,
    memory: np.ndarray,
    one: Forager,
    nest: NestSpec,
    things: Things,
    trails: Trails | None,
) -> np.ndarray | None:
    """Where to go during the next frame [3], cm; none: as it does anyway."""
    home = np.array(nest.at)
    feel(memory, one, trails)
    if memory[CARRIES]:
        if measure_way(one.place, home, one.up) >= nest.radius:
            memory[MODE] = HOME
            return home
        memory[CARRIES] = 0
        memory[BROUGHT] += 1
    food = find_food(things, one.place, spec.food_range)
    if food is not None:
        memory[MODE] = FETCH
        return food
    if max(memory[FELT_LEFT], memory[FELT_RIGHT]) >= spec.threshold:
        memory[MODE] = FOLLOW
        return one.place + one.stride * follow(spec, memory, one, home, nest.radius)
    memory[MODE] = SEARCH
    far = measure_way(one.place, home, one.up) > spec.roam
    return home if far else None


def feel(memory: np.ndarray, one: Forager, trails: Trails | None) -> None:
    for item, tip in zip((FELT_LEFT, FELT_RIGHT), one.feelers, strict=True):
        memory[item] = trails.sense(tip) if trails is not None else 0.0


def follow(
    spec: ForageSpec, memory: np.ndarray, one: Forager, home: np.ndarray, near: float
) -> np.ndarray:
    """Direction on a trail [3]: towards the stronger side, and outward."""
    left, right = memory[FELT_LEFT], memory[FELT_RIGHT]
    angle = np.radians(spec.gain_deg) * (left - right) / (left + right)
    aside = np.cross(one.up, one.ahead)  # to the left
    way = np.cos(angle) * one.ahead + np.sin(angle) * aside
    out = flatten(one.place - home, one.up)
    size = float(np.linalg.norm(out))
    if size < near:  # in the nest a trail leads anywhere
        return way
    out = out / size
    if one.ahead @ out < FACING_NEST:
        return out
    return way + spec.outward * out


def flatten(vector: np.ndarray, up: np.ndarray) -> np.ndarray:
    """What of a vector lies along the ground."""
    return np.asarray(vector - (vector @ up) * up)


def measure_way(place: np.ndarray, goal: np.ndarray, up: np.ndarray) -> float:
    """How far a goal is along the ground, cm."""
    return float(np.linalg.norm(flatten(goal - place, up)))


def find_food(things: Things, place: np.ndarray, reach: float) -> np.ndarray | None:
    """The nearest piece of food within reach [3], cm."""
    if not things.left.any():
        return None
    far = np.linalg.norm(things.food[:, :3] - place, axis=1) - things.food[:, 3]
    far[things.left == 0] = np.inf
    k = int(far.argmin())
    return things.food[k, :3].copy() if far[k] < reach else None


def pick_up(memory: np.ndarray, things: Things, mouth: np.ndarray, reach: float) -> bool:
    """Take a piece of food that it has come to, if it carries none."""
    if memory[CARRIES] or not things.take(mouth, reach):
        return False
    memory[CARRIES] = 1
    memory[FETCHED] += 1
    return True


def lay(
    spec: ForageSpec, memory: np.ndarray, trails: Trails, place: np.ndarray, seconds: float
) -> None:
    """Mark the way home."""
    if memory[CARRIES] and spec.lay > 0:
        trails.lay(place, spec.lay * seconds)
        memory[LAID] += spec.lay * seconds
