"""Who meets whom: the list of encounters behind `world/nobody-passes`, written down and complete.

On land every pair of six animals, in water eels and a centipede that swims, worms among themselves;
each of them against obstacles of four shapes and a movable block; head on and from the side, each
with three seeds, which move the one by up to a fifth of its width.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from skitter.meeting.shapes import CENTRE, find_half_width, find_reach
from skitter.world import World

SEEDS = (1001, 1002, 1003)
WAYS = ("head on", "from the side")


@dataclass(frozen=True)
class Animal:
    """How one takes part."""

    species: str
    speed: float  # cm/s it is led at
    depth: float = 0.0  # cm under water


LAND = {
    "centipede": Animal("giant_centipede", 8.0),
    "millipede": Animal("millipede", 3.0),
    "roach": Animal("roach", 6.0),
    "tarantula": Animal("tarantula", 8.0),
    "ant": Animal("ant", 4.0),
    "scorpion": Animal("scorpion", 6.0),
}
WATER = {
    "eel": Animal("eel", 8.0, 4.0),
    "swimming centipede": Animal("waterfall_centipede", 8.0, 4.0),
}
WORMS = {"worm": Animal("c_elegans", 0.03)}
OBSTACLES = ("box", "sphere", "cylinder", "mesh")
AGAINST_OBSTACLES = LAND | {"eel": WATER["eel"]} | WORMS


@dataclass(frozen=True)
class Extent:
    """An animal that stands at the origin and looks along x."""

    front: float  # cm
    back: float
    half_width: float


Plan = tuple[dict[str, Any], float]


@dataclass(frozen=True)
class Encounter:
    """One run of the matrix."""

    name: str
    seed: int
    plan: Callable[[], Plan]  # what is simulated, and for how many seconds


def list_encounters(seeds: tuple[int, ...] = SEEDS) -> Iterator[Encounter]:
    """All of the matrix."""
    pairs = list(combinations_with_replacement(LAND.items(), 2))
    pairs += [(("eel", WATER["eel"]), other) for other in WATER.items()]
    pairs += list(combinations_with_replacement(WORMS.items(), 2))
    for (name, one), (other_name, other) in pairs:
        for way in WAYS:
            for seed in seeds:
                plan = partial(meet_animals, one, other, way, seed)
                yield Encounter(f"{name} and {other_name}, {way}", seed, plan)
    for name, one in AGAINST_OBSTACLES.items():
        for shape in OBSTACLES:
            for way in WAYS:
                for seed in seeds:
                    plan = partial(meet_obstacle, one, shape, way, seed)
                    yield Encounter(f"{name} and {shape}, {way}", seed, plan)
    for name, one in LAND.items():
        for seed in seeds:
            yield Encounter(f"{name} and block", seed, partial(meet_block, one, seed))


@cache
def find_extent(animal: Animal) -> Extent:
    """From the shapes of one that is alone."""
    world = World.from_scene(build_scene(animal, [place(animal, "one", 0.0, 0.0)]))
    shapes = world.creatures[0].show_shapes()
    trunk = shapes.tag[:, 1] == 0
    middle, reach = shapes.row[trunk, CENTRE], find_reach(shapes)[trunk]
    extent = Extent(
        float((middle + reach).max()), float((middle - reach).min()), find_half_width(shapes)
    )
    world.close()
    return extent


def build_scene(animal: Animal, creatures: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A plain scene for an animal: level ground, or a pond."""
    scene: dict[str, Any] = {"title": "a meeting", "seconds": 10, "creatures": creatures}
    if animal.depth:
        scene |= {"terrain": [{"shape": "plane", "at": [0, -20, 0]}], "water": {"waves": False}}
    else:
        scene["terrain"] = [{"shape": "plane", "friction": 1.0}]
    return scene | more


def place(animal: Animal, name: str, x: float, z: float, turn: float = 0.0) -> dict[str, Any]:
    return {
        "species": animal.species,
        "name": name,
        "at": [x, -animal.depth, z],
        "turn_deg": [0, turn, 0],
        "commands": [{"time": 0, "speed": animal.speed}],
    }


def draw_aside(width: float, seed: int) -> float:
    """How far aside of each other they walk, cm."""
    return float(np.random.default_rng(seed).uniform(-0.2, 0.2)) * width


def meet_animals(one: Animal, other: Animal, way: str, seed: int) -> Plan:
    """Two that are led into each other."""
    a, b = find_extent(one), find_extent(other)
    gap = 2.0 * max(a.half_width, b.half_width)
    aside = draw_aside(min(a.half_width, b.half_width), seed)
    if way == "head on":
        seconds = gap / (one.speed + other.speed)
        second = place(other, "other", a.front + gap + b.front, aside, 180.0)
    else:
        # the first arrives where the other's middle crosses its way
        seconds = gap / one.speed
        ahead = other.speed * seconds + (b.front + b.back) / 2
        second = place(other, "other", a.front + gap + b.half_width, ahead + aside, 90.0)
    length = max(a.front - a.back, b.front - b.back)
    lasting = seconds + min(2.0, 0.6 * length / min(one.speed, other.speed))
    scene = build_scene(one, [place(one, "one", 0.0, 0.0), second])
    return scene, lasting


def meet_obstacle(one: Animal, shape: str, way: str, seed: int) -> Plan:
    """One that is led into an obstacle: its middle, or its edge, which its side has to pass."""
    a = find_extent(one)
    size, gap = 4.0 * a.half_width, 2.0 * a.half_width
    aside = draw_aside(a.half_width, seed)
    if way == "from the side":
        aside += size / 2 + 0.6 * a.half_width
    at = [a.front + gap + size / 2, -one.depth + size / 4, aside]
    obstacle: dict[str, Any] = {"shape": shape, "at": at}
    if shape == "box":
        obstacle["size"] = [size, 2 * size, size]
    elif shape == "mesh":
        obstacle |= {"file": "pebble", "size": 1.5 * size}
    else:
        obstacle["radius"] = size / 2
        if shape == "cylinder":
            obstacle["length"] = 3 * size
    seconds = gap / one.speed + min(2.0, 0.6 * (a.front - a.back) / one.speed)
    scene = build_scene(one, [place(one, "one", 0.0, 0.0)], obstacles=[obstacle])
    return scene, seconds


def meet_block(one: Animal, seed: int) -> Plan:
    """One that is led into a movable block of twice its width."""
    a = find_extent(one)
    edge, gap = 2.0 * a.half_width, 2.0 * a.half_width
    block = {
        "species": "block",
        "name": "block",
        "at": [a.front + gap + edge / 2, edge / 2, draw_aside(a.half_width, seed)],
        "with": {"size": [edge, edge, edge]},
    }
    seconds = gap / one.speed + min(2.0, 0.6 * (a.front - a.back) / one.speed)
    return build_scene(one, [place(one, "one", 0.0, 0.0), block]), seconds


def find_overlap(encounter: Encounter) -> tuple[float, float]:
    """The deepest overlap of a run, of half a width, and the longest time above a tenth, s."""
    scene, seconds = encounter.plan()
    world = World.from_scene(scene, seed=encounter.seed)
    deepest = longest = now = 0.0
    for _ in range(round(seconds / world.frame_time)):
        world.advance()
        deep = max(float(world.read()[f"{one.name}.overlap"]) for one in world.creatures)
        now = now + world.frame_time if deep > 0.1 else 0.0
        deepest, longest = max(deepest, deep), max(longest, now)
    world.close()
    return deepest, longest
