"""Worlds in which the claims about climbers are measured, and how they are watched.

Many short runs are watched frame by frame and end as soon as what is waited for has happened, so
nothing of them is written to disk. Axes: x forward, y up, z to the right; cm and s.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.world.world import World

Floats = NDArray[np.floating]
Now = Mapping[str, np.ndarray]  # the values of all channels at a moment

TARANTULA = "tarantula"
ROUGH, GLASS = (
    2.0,
    0.05,
)  # friction of surfaces that hold any foot, and of one that holds hardly any
TIME_STEP = 1 / 500  # s
START = 4.0  # cm, from which it is put down
ON_IT, NEAR = 0.8, 4.0  # cosine of its up with a surface's normal, and cm from it: it is on it
UP = (0.0, 1.0, 0.0)
ROOT2 = 2**0.5


@dataclass(frozen=True)
class Track:
    """A creature of a run, frame by frame."""

    name: str
    time: Floats  # [frame] s
    values: dict[str, Floats]  # by channel [frame, ...]
    statics: dict[str, Floats]

    def read(self, channel: str) -> Floats:
        return self.values[channel]

    def static(self, name: str) -> Floats:
        return self.statics[name]


def build_scene(
    terrain: Sequence[Mapping[str, Any]], creatures: Sequence[Mapping[str, Any]], **more: Any
) -> dict[str, Any]:
    """A scene of a claim."""
    words = {"title": "a claim", "time_step": TIME_STEP}
    return words | {"terrain": list(terrain), "creatures": list(creatures)} | more


def put(
    x: float, z: float = 0.0, *, speed: float | None = None, yaw: float = 0.0, **more: Any
) -> dict[str, Any]:
    """A tarantula above the ground, which walks straight on where it has a speed, cm/s; `yaw` in
    degrees to the left."""
    words = {"species": TARANTULA, "at": [x, START, z], "turn_deg": [0.0, yaw, 0.0]}
    led = {} if speed is None else {"commands": [{"speed": speed}]}
    return words | led | more


def build_plane(at: Sequence[float], normal: Sequence[float], friction: float) -> dict[str, Any]:
    return {"shape": "plane", "at": list(at), "normal": list(normal), "friction": friction}


FLOOR = build_plane([0, 0, 0], UP, ROUGH)


def build_room(edge: float, friction: float = ROUGH) -> list[dict[str, Any]]:
    """The inside of a cube that stands on the origin."""
    half = edge / 2
    faces = [FLOOR | {"friction": friction}, build_plane([0, edge, 0], [0, -1, 0], friction)]
    for side in (-1, 1):
        faces.append(build_plane([side * half, 0, 0], [-side, 0, 0], friction))
        faces.append(build_plane([0, 0, side * half], [0, 0, -side], friction))
    return faces


def watch(
    scene: Mapping[str, Any],
    channels: Sequence[str],
    *,
    seconds: float,
    seed: int = 0,
    until: Callable[[Now], bool] | None = None,
    every: float | None = None,
) -> dict[str, Track]:
    """Run a scene, at most so long; what was seen of every creature that has the first channel, in
    each frame or now and then."""
    world = World.from_scene(scene, seed=seed)
    frames, times = [], []
    try:
        while True:
            now = world.read()
            frames.append({name: np.array(now[name]) for name in list_wanted(now, channels)})
            times.append(world.time)
            if world.time >= seconds - 1e-9 or (until is not None and until(now)):
                break
            world.advance(every)
        statics = {one.name: np.asarray(one.values) for one in world.statics()}
    finally:
        world.close()
    return gather_tracks(channels, frames, np.array(times), statics)


def list_wanted(now: Now, channels: Sequence[str]) -> list[str]:
    return [name for name in now if name.rpartition(".")[2] in channels]


def gather_tracks(
    channels: Sequence[str],
    frames: list[dict[str, np.ndarray]],
    times: Floats,
    statics: Mapping[str, np.ndarray],
) -> dict[str, Track]:
    """What was seen, by creature."""
    found = {}
    for whole in frames[0]:
        name, _, channel = whole.rpartition(".")
        if channel == channels[0]:
            own = [one for one in frames[0] if one.rpartition(".")[0] == name]
            values = {
                one.rpartition(".")[2]: np.stack([frame[one] for frame in frames]).astype(float)
                for one in own
            }
            still = {
                one.rpartition(".")[2]: np.asarray(value, float)
                for one, value in statics.items()
                if one.rpartition(".")[0] == name
            }
            found[name] = Track(name, times, values, still)
    return found


def is_on(now: Now, name: str, normal: Sequence[float]) -> bool:
    """Whether it stands square on a surface of this normal, with all its weight on its feet."""
    level = float(np.dot(now[f"{name}.up"], normal)) > ON_IT
    return level and not bool(np.any(now[f"{name}.gravity_on"]))


def list_faces(place: Floats, up: Floats, edge: float) -> list[str]:
    """Which faces of a room it was on, one after the other, from where it was and its up [frame,
    3]; what lies between two is left out. On a face it is near, with its back away from it; where
    two walls meet it may be on both."""
    half = edge / 2
    inward = np.array([[0, 1, 0], [0, -1, 0], [1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1]])
    gaps = (place - [0, half, 0]) @ inward.T + half
    facing = up @ inward.T
    facing[:, 2:] *= np.where(np.linalg.norm(up[:, [0, 2]], axis=1) > ON_IT, ROOT2, 1)[:, None]
    is_on_it = (gaps < NEAR) & (facing > ON_IT)
    names = np.array(["floor", "ceiling", "wall", "wall", "wall", "wall"])
    named = [str(names[np.argmax(row)]) for row in is_on_it if row.any()]
    return [face for k, face in enumerate(named) if k == 0 or face != named[k - 1]]


def goes_through(faces: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether some faces came in this order, with or without others between."""
    rest = iter(faces)
    return all(face in rest for face in wanted)


def find_first(happened: NDArray[np.bool_], time: Floats) -> float:
    """When something first was so; infinite where never."""
    return float(time[np.argmax(happened)]) if happened.any() else np.inf
