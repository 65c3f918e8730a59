"""Recordings of climbers that stand and wave by formula, to test what shows them.

Every limb is a chain of bodies along x that bends in its own plane, so that a test knows where each
joint must be. Angles are above the horizon, headings to the right of straight ahead, both in deg.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from articulated_recordings import FRAME_RATE, MIRROR, to_quaternions
from skitter.channel import Channel, Static
from skitter.record import Recording
from skitter.record.writer import RecordingWriter
from skitter.rotation import matrix_from_turn

PERIOD, WAVE = 0.5, 6.0  # s, deg
PARTS = ("thorax", "abdomen", "head", "trunk", "leg", "palp", "chelicera", "mandible", "antenna")
PART = {name: k for k, name in enumerate((*PARTS, "claw", "tail", "horn", "other"))}  # body_part


@dataclass(frozen=True)
class Chain:
    """A limb of the right side, or of both: where it begins and how its bodies lie."""

    at: tuple[float, float, float]  # cm, in the frame of the body it hangs on
    heading: float
    bodies: list[tuple[float, float, float]]  # length and radius, cm; angle
    part: str = "leg"
    parent: str = "thorax"
    paired: bool = True


@dataclass(frozen=True)
class Animal:
    """Boxes of a trunk, and limbs."""

    thorax: tuple[float, float, float]
    abdomen: tuple[float, float, float] | None
    limbs: list[Chain]
    head: tuple[float, float, float] | None = None
    look: dict[str, Any] = field(default_factory=dict)
    height: float = 1.0  # cm, of the thorax


def lay_legs(
    roots: list[tuple[float, float, float]], headings: list[float], bodies: list[Any]
) -> list[Chain]:
    return [Chain(at, turn, bodies) for at, turn in zip(roots, headings, strict=True)]


TARANTULA = Animal(
    thorax=(2.2, 0.9, 1.9),
    abdomen=(2.9, 1.8, 2.1),
    limbs=[
        *lay_legs(
            [(0.7, -0.1, 0.55), (0.28, -0.1, 0.68), (-0.15, -0.1, 0.68), (-0.55, -0.1, 0.55)],
            [28, 68, 112, 150],
            [
                *[(0.55, 0.26, -10), (0.25, 0.24, 10), (1.6, 0.25, 42), (0.8, 0.22, 4)],
                *[(1.3, 0.2, -28), (1.2, 0.16, -52), (0.75, 0.14, -30)],
            ],
        ),
        Chain(
            (0.95, -0.05, 0.35),
            14,
            [
                *[(0.35, 0.2, -5), (0.2, 0.18, 10), (0.85, 0.18, 30), (0.5, 0.17, -10)],
                *[(0.6, 0.15, -50), (0.5, 0.14, -60)],
            ],
            "palp",
        ),
        Chain((0.95, 0.0, 0.2), 3, [(0.75, 0.25, -28)], "chelicera"),
    ],
    look={
        "style": "spider",
        "back": "#2c231f",
        "rim": "#b08c66",
        "belly": "#17110e",
        "abdomen": "#15110f",
        "leg": "#1c1613",
        "knee": "#c8541b",
        "band": "#c79a6b",
        "foot": "#15110f",
        "limb": "#1e1815",
        "hair": "#8a5a3a",
        "hairiness": 1.0,
        "eyes": "tubercle",
    },
    height=1.35,
)


EVERYTHING = Animal(  # an animal that has all there is
    thorax=(2.0, 0.9, 1.5),
    abdomen=(2.5, 1.2, 1.4),
    head=(0.8, 0.6, 0.9),
    limbs=[
        *lay_legs(
            [(0.6, -0.1, 0.4), (0.0, -0.1, 0.5), (-0.6, -0.1, 0.4)],
            [40, 90, 140],
            [(0.4, 0.14, -20), (1.2, 0.12, 40), (1.2, 0.09, -50), (0.7, 0.06, -60)],
        ),
        Chain((0.8, 0.0, 0.5), 30, [(0.6, 0.1, 0), (0.5, 0.1, -30)], "palp"),
        Chain((0.3, -0.1, 0.15), 5, [(0.4, 0.12, -30), (0.2, 0.03, -80)], "chelicera", "head"),
        Chain((0.35, -0.1, 0.2), 10, [(0.3, 0.05, 0)], "mandible", "head"),
        Chain(
            (0.3, 0.1, 0.2),
            25,
            [(0.5, 0.04, 30), (0.6, 0.03, 0), (0.6, 0.02, -20)],
            "antenna",
            "head",
        ),
        Chain((0.8, 0.0, 0.6), 45, [(0.8, 0.15, 10), (0.9, 0.3, 0), (0.7, 0.1, 0)], "claw"),
        Chain((-1.2, 0.1, 0.0), 180, [(0.6, 0.2, 20), (0.6, 0.18, 50)], "tail", "abdomen", False),
        Chain((0.2, 0.2, 0.3), 20, [(0.5, 0.08, 20), (0.4, 0.05, 10)], "horn", "head"),
        Chain((-1.2, -0.2, 0.2), 185, [(0.3, 0.05, 0)], "other", "abdomen"),
    ],
    look={"style": "insect", "eyes": "compound", "spines": 2},
)


@dataclass
class Bodies:
    """What is there, in the order of a recording."""

    size: list[Any] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    leg: list[int] = field(default_factory=list)
    segment: list[int] = field(default_factory=list)
    joint: list[Any] = field(default_factory=list)
    part: list[int] = field(default_factory=list)
    side: list[int] = field(default_factory=list)  # [leg]
    pair: list[int] = field(default_factory=list)
    places: list[Any] = field(default_factory=list)  # [time, 3] for each body
    turns: list[Any] = field(default_factory=list)

    def add(
        self, size: Any, parent: int, part: str, joint: Any, leg: int = -1, number: int = -5
    ) -> int:
        rows = (self.size, self.parent, self.leg, self.segment, self.joint, self.part)
        values = (size, parent, leg, number, joint, PART[part])
        for column, value in zip(rows, values, strict=True):
            column.append(value)
        return len(self.size) - 1

    def put(self, places: Any, turns: Any) -> None:
        self.places.append(places)
        self.turns.append(turns)

    def statics(self) -> dict[str, np.ndarray]:
        legs = range(len(self.side))
        foot = [max(k for k, one in enumerate(self.leg) if one == leg) for leg in legs]
        return {
            "body_shape": np.zeros(len(self.size), np.int64),
            "body_size": np.array(self.size, float),
            "body_parent": np.array(self.parent),
            "body_joint": np.array(self.joint, float),
            "body_leg": np.array(self.leg),
            "body_segment": np.array(self.segment),
            "body_part": np.array(self.part),
            "leg_pair": np.array(self.pair),
            "leg_side": np.array(self.side),
            "leg_foot": np.array(foot),
            "body_rest_position": np.array([one[0] for one in self.places]),
            "body_rest_orientation": to_quaternions(np.array([one[0] for one in self.turns])),
        }


def build_bodies(animal: Animal, times: np.ndarray) -> Bodies:
    """All bodies at all times."""
    found = Bodies()
    middle = np.stack([2.0 * times, np.full(len(times), animal.height), 0 * times], axis=1)
    level = np.broadcast_to(np.eye(3), (len(times), 3, 3))
    trunk = {"thorax": found.add(animal.thorax, -1, "thorax", (0, 0, 0), number=-1)}
    found.put(middle, level)
    if animal.abdomen is not None:
        long = animal.abdomen[0]
        trunk["abdomen"] = found.add(animal.abdomen, 0, "abdomen", (long / 2, 0, 0), number=-2)
        found.put(middle - [animal.thorax[0] / 2 + long / 2, -0.1 * animal.abdomen[1], 0], level)
    if animal.head is not None:
        long = animal.head[0]
        trunk["head"] = found.add(animal.head, 0, "head", (-long / 2, 0, 0), number=-3)
        found.put(middle + np.array([animal.thorax[0] / 2 + 0.42 * long, 0, 0]), level)
    legs = [one for one in animal.limbs if one.part == "leg"]
    for pair, chain in enumerate(legs):
        for side in (-1, 1):
            found.side.append(side)
            found.pair.append(pair)
            add_chain(found, chain, side, trunk, times, leg=len(found.side) - 1)
    for chain in animal.limbs:
        for side in (-1, 1) if chain.paired else (1,):
            if chain.part != "leg":
                add_chain(found, chain, side, trunk, times)
    return found


def add_chain(
    found: Bodies, chain: Chain, side: int, trunk: dict[str, int], times: np.ndarray, leg: int = -1
) -> None:
    """The bodies of a limb, which waves up and down."""
    parent = trunk[chain.parent]
    flip = MIRROR if side < 0 else np.eye(3)
    root = found.places[parent] + np.array(chain.at) @ flip
    wave = WAVE * (np.sin(2 * np.pi * times / PERIOD + leg) - np.sin(leg))
    for number, (length, radius, angle) in enumerate(chain.bodies):
        turns = np.array(
            [
                flip
                @ matrix_from_turn((0, -chain.heading, 0))
                @ matrix_from_turn((0, 0, angle + one * number / len(chain.bodies)))
                @ flip
                for one in wave
            ]
        )
        size = (length, 2 * radius, 2 * radius)
        joint = (-length / 2, 0, 0)
        own = number if leg >= 0 else -5
        parent = found.add(size, parent, chain.part, joint, leg, own)
        along = length * turns[:, :, 0]
        found.put(root + along / 2, turns)
        root = root + along


def write_climber(
    folder: Path,
    animal: Animal = TARANTULA,
    *,
    seconds: float = 0.5,
    look: dict[str, Any] | None = None,
    without: tuple[str, ...] = (),
    camera: dict[str, Any] | None = None,
    count: int = 1,
) -> Recording:
    """A recording of one or more climbers; `without` names statics that are not recorded."""
    times = np.arange(round(seconds * FRAME_RATE) + 1) / FRAME_RATE
    bodies = build_bodies(animal, times)
    names = ["climber"] if count == 1 else [f"climber_{k + 1}" for k in range(count)]
    statics = {k: v for k, v in bodies.statics().items() if k not in without}
    shift = np.zeros((count, 3))
    shift[:, 2] = 3 * np.arange(count) * np.ptp(np.array(bodies.places)[:, 0, 2])
    legs = np.arange(len(bodies.side))
    values = {}
    for name, aside in zip(names, shift, strict=True):
        at = np.swapaxes(np.array(bodies.places), 0, 1) + aside
        turn = np.swapaxes(np.array(bodies.turns), 0, 1)
        values[f"{name}.body_position"] = np.float32(at)
        values[f"{name}.body_orientation"] = np.float32(to_quaternions(turn))
        values |= {f"{name}.{k}": v for k, v in step_channels(times, legs).items()}
    channels = [
        Channel(key, tuple(f"{key}_{k}" for k in range(v.ndim - 1)), v.shape[1:], str(v.dtype), "")
        for key, v in values.items()
    ]
    fixed = [
        Static(f"{name}.{key}", tuple(f"{name}.{key}_{k}" for k in range(v.ndim)), v, "")
        for name in names
        for key, v in statics.items()
    ]
    look = animal.look | (look or {})
    attributes = {
        "scene": {
            "title": "Climbers by formula",
            "creatures": [{"species": "climber", "name": name} for name in names],
            "terrain": [{"shape": "plane", "at": [0, 0, 0], "normal": [0, 1, 0]}],
            "camera": camera or {},
            "creature_names": names,
            "species": [],
        },
        "creatures": [
            {"name": name, "species": "climber", "kind": "climber", "look": look} for name in names
        ],
        "obstacles": [],
        "frame_rate": FRAME_RATE,
    }
    with RecordingWriter.create(folder, channels, fixed, attributes, FRAME_RATE) as writer:
        for k, time in enumerate(times):
            writer.append(float(time), {key: value[k] for key, value in values.items()})
    return Recording.open(folder)


def step_channels(times: np.ndarray, legs: np.ndarray) -> dict[str, np.ndarray]:
    """Every second leg steps in the first half of a period, the others in the second."""
    cycle = times[:, None] / PERIOD + 0.5 * (legs // 2 + legs) % 1.0
    phase = cycle % 1.0
    state = np.where(phase < 0.5, 1, 0).astype(np.uint8)
    lift = times[:, None] - phase * PERIOD
    land = np.where(phase < 0.5, lift - 0.5 * PERIOD, lift + 0.5 * PERIOD)
    return {
        "leg_state": state,
        "leg_stepping": (state > 0).astype(np.uint8),
        "foot_held": (state == 0).astype(np.uint8),
        "lift_time": lift,
        "land_time": land,
    }
