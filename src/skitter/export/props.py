"""What is exported besides the creatures: ground, solids, obstacles, food and a nest.

Floors have no end; here they reach around everything that moves. What can move or vanish has a
track: where it is in every frame of the clip, and whether it is there.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.export.clip import Clip
from skitter.look.habitat import find_habitat
from skitter.look.mesh import Mesh, build_capsule
from skitter.look.motion import open_motions
from skitter.look.nest import build_nest
from skitter.look.scenery import Food, Obstacles, open_food, open_obstacles
from skitter.look.terrain import Floor, build_floors, build_solids
from skitter.rotation import matrices_to_quaternions, matrix_from_turn

Floats = NDArray[np.floating]
LOOKED_AT = 200  # frames at which the reach of all that moves is measured
MARGIN = 3.0  # how much wider than that a floor is
LEAST_REACH = 10.0  # cm, and of the longest creature's length where all are small
IN_PLACE_NOTE = "the clip is in place, so what is around the creatures is left out"
ROUGHNESS = {"ground": 0.95, "terrain": 0.9, "nest": 0.95, "obstacle": 0.85, "food": 0.6}


@dataclass(frozen=True)
class Track:
    """Where a thing is in every frame."""

    position: Floats  # [frame, 3] cm
    orientation: Floats  # [frame, 4] w, x, y, z
    is_there: NDArray[np.bool_]  # [frame]

    @property
    def moves(self) -> bool:
        """Whether it is anywhere else than at first."""
        shown = self.is_there
        seen = [values[shown] for values in (self.position, self.orientation)]
        return any(len(values) > 1 and bool(np.ptp(values, axis=0).any()) for values in seen)

    @property
    def vanishes(self) -> bool:
        return not bool(self.is_there.all())


@dataclass(frozen=True)
class Prop:
    """A thing of a scene."""

    name: str
    kind: str  # a key of ROUGHNESS
    mesh: Mesh  # cm; in the world, or about its own middle if it has a track
    colour: Floats  # [3] linear light
    track: Track | None = None

    @property
    def roughness(self) -> float:
        return ROUGHNESS[self.kind]


def build_props(recording: Any, clip: Clip) -> list[Prop]:
    """All things of a recording's scene."""
    scene = recording.attributes.get("scene") or {}
    terrain, habitat = list(scene.get("terrain") or []), find_habitat(scene)
    middle, reach = measure_stage(recording, clip)
    props = [
        Prop(f"ground_{k}", "ground", cut_floor(floor, middle, reach), floor.colour)
        for k, floor in enumerate(build_floors(terrain, habitat))
    ]
    props += [
        Prop(f"terrain_{k}", "terrain", solid.mesh, solid.colour)
        for k, solid in enumerate(build_solids(terrain, habitat))
    ]
    props += [
        Prop(f"nest_{k}", "nest", solid.mesh, solid.colour)
        for k, solid in enumerate(build_nest(scene))
    ]
    props += list_obstacles(open_obstacles(recording), clip)
    food = open_food(recording)
    return props if food is None else props + list_food(food, clip)


def measure_stage(recording: Any, clip: Clip) -> tuple[Floats, float]:
    """The middle of all that creatures pass, and how far they get from it, cm."""
    times = clip.times[:: 1 + len(clip.times) // LOOKED_AT]
    points: list[Floats] = []
    longest = 0.0
    for motion in open_motions(recording):
        pose = motion.poses(times)
        all_ = np.concatenate([pose.body_position, pose.node_position], axis=1)
        longest = max(longest, float(np.ptp(all_[0], axis=0).max()))
        points.append(all_.reshape(-1, 3))
    found = np.concatenate(points)
    low, high = found.min(axis=0), found.max(axis=0)
    least = LEAST_REACH * min(longest or 1.0, 1.0)  # one body alone has no length to go by
    return (low + high) / 2, max(MARGIN * float((high - low).max()) / 2, least)


def cut_floor(floor: Floor, middle: Floats, reach: float) -> Mesh:
    """A square of a plane."""
    u, v = floor.axes()
    foot = floor.foot(middle)
    points = np.stack([foot + a * reach * u + b * reach * v for a in (-1, 1) for b in (-1, 1)])
    triangles = np.array([[0, 1, 3], [0, 3, 2]])
    a, b, c = points[triangles[0]]
    if np.cross(b - a, c - a) @ floor.normal < 0:
        triangles = triangles[:, ::-1]
    return Mesh(points, np.tile(floor.normal, (4, 1)), triangles)


@dataclass
class _Slot:
    """An obstacle of one shape, and the frames in which it is there."""

    piece: dict[str, Any]
    frames: list[int] = field(default_factory=list)
    places: list[dict[str, Any]] = field(default_factory=list)


def list_obstacles(obstacles: Obstacles, clip: Clip) -> list[Prop]:
    """Obstacles; those that can be moved are followed by their shape, size and colour."""
    if not obstacles.moves:
        return [
            Prop(f"obstacle_{k}", "obstacle", solid.mesh, solid.colour)
            for k, solid in enumerate(build_solids(obstacles.pieces_at(float(clip.times[0]))))
        ]
    slots: dict[str, _Slot] = {}
    for frame, time in enumerate(clip.times):
        seen: dict[str, int] = {}
        for piece in obstacles.pieces_at(float(time)):
            shape = repr({key: piece[key] for key in piece if key not in ("at", "turn_deg")})
            seen[shape] = seen.get(shape, -1) + 1
            slot = slots.setdefault(f"{shape} {seen[shape]}", _Slot(piece))
            slot.frames.append(frame)
            slot.places.append(piece)
    return [_follow(k, slot, clip) for k, slot in enumerate(slots.values())]


def _follow(number: int, slot: _Slot, clip: Clip) -> Prop:
    still = slot.piece | {"at": [0.0, 0.0, 0.0], "turn_deg": [0.0, 0.0, 0.0]}
    solid = build_solids([still])[0]
    count = len(clip.times)
    held = np.maximum.accumulate(np.isin(np.arange(count), slot.frames) * np.arange(count))
    index = np.clip(np.searchsorted(slot.frames, held, side="right") - 1, 0, None)
    at = np.array([piece["at"] for piece in slot.places], float)[index]
    turns = np.array([matrix_from_turn(p.get("turn_deg") or (0, 0, 0)) for p in slot.places])
    there = np.isin(np.arange(count), slot.frames)
    track = Track(at, matrices_to_quaternions(turns)[index], there)
    return Prop(f"obstacle_{number}", "obstacle", solid.mesh, solid.colour, track)


def list_food(food: Food, clip: Clip) -> list[Prop]:
    """A ball for every piece; it vanishes when it is eaten."""
    balls = food.balls_over(clip.times)
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (len(balls), 1))
    props = []
    for k in range(balls.shape[1]):
        there = balls[:, k, 3] > 0
        if not there.any():
            continue
        radius = float(balls[:, k, 3].max())
        ball = build_capsule(radius, 0.0, around=24, steps=9)
        track = Track(balls[:, k, :3], upright, there)
        props.append(Prop(f"food_{k}", "food", ball, food.colour, track))
    return props
