"""Measures of where a myriapod is and what it touches: its path, its feet, its posture.

Path, feet and obstacles are measured from the start; posture from the moment the creature stands.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from skitter.measure.body import build_ground, chunks, duration
from skitter.measure.gait import STANCE, find_settled
from skitter.measure.table import FEEDING, LEGGED, measured

if TYPE_CHECKING:
    from skitter.record import Recording
    from skitter.terrain import Terrain

TIP = 3  # of a leg's points: root, knee, ankle, tip
CAPSULE = 1  # body shape
LASTING = 0.5  # s an error has to last to count as lasting


def has_obstacles(recording: "Recording", name: str) -> bool:
    return bool(recording.attributes.get("obstacles"))


@measured("cm", "length of the head's path, from the start", kinds=LEGGED)
def path_length(recording: "Recording", name: str) -> float:
    head = np.asarray(recording[f"{name}.body_position"][:, 0], float)
    return float(np.linalg.norm(np.diff(head, axis=0), axis=1).sum())


@measured("cm/s", "path length over time", kinds=LEGGED)
def path_speed(recording: "Recording", name: str) -> float:
    seconds = duration(recording)
    return path_length(recording, name) / seconds if seconds > 0 else 0.0


@measured("1", "path length over body length", kinds=LEGGED)
def path_body_lengths(recording: "Recording", name: str) -> float:
    return path_length(recording, name) / float(recording.static(f"{name}.body_length"))


@measured("1", "pieces of food eaten, from the start", kinds=FEEDING)
def food_eaten(recording: "Recording", name: str) -> float:
    return float(recording[f"{name}.food_eaten"][-1])


@measured(
    "leg length", "largest move of a standing tip between frames, from the start", kinds=LEGGED
)
def slip_max(recording: "Recording", name: str) -> float:
    """A leg that left the ground and came back between two frames has not slipped."""
    length, largest = recording.static(f"{name}.leg_length"), 0.0
    for part in chunks(recording):
        frames = slice(max(part.start - 1, 0), part.stop)
        tip = recording[f"{name}.leg_point"][frames, :, TIP]
        start = recording[f"{name}.leg_stance_start"][frames]
        stands = recording[f"{name}.leg_state"][frames] == STANCE
        stayed = stands[1:] & stands[:-1] & (start[1:] == start[:-1])
        move = np.linalg.norm(np.diff(tip, axis=0), axis=2) / length
        largest = max(largest, float(move[stayed].max(initial=0.0)))
    return largest


@measured("leg length", "deepest tip inside the terrain, from the start", kinds=LEGGED)
def tip_penetration(recording: "Recording", name: str) -> float:
    ground, length = build_ground(recording), recording.static(f"{name}.leg_length")
    deepest = 0.0
    for part in chunks(recording):
        tip = recording[f"{name}.leg_point"][part, :, TIP]
        depth = -ground.sample(tip.reshape(-1, 3))[0].reshape(tip.shape[:2]) / length
        deepest = max(deepest, float(depth.max(initial=0.0)))
    return deepest


def build_obstacles(specs: list[dict[str, Any]]) -> "Terrain":
    """Obstacles of a scene as terrain that can be asked."""

    from pydantic import TypeAdapter

    from skitter.scene.spec import AnyTerrain
    from skitter.terrain import build_terrain

    return build_terrain(TypeAdapter(list[AnyTerrain]).validate_python(specs))


def compute_widths(recording: "Recording", name: str) -> np.ndarray:
    """Across each part of the body [body], cm."""
    size, shape = (recording.static(f"{name}.body_{key}") for key in ("size", "shape"))
    return np.where(shape == CAPSULE, 2 * size[:, 0], size[:, 2])


@measured(
    "1",
    "deepest part of the body inside an obstacle, relative to its width, from the start",
    kinds=LEGGED,
    where=has_obstacles,
)
def obstacle_penetration(recording: "Recording", name: str) -> float:
    """A part is taken for a ball as wide as it is."""
    obstacles = build_obstacles(recording.attributes["obstacles"])
    width, deepest = compute_widths(recording, name), 0.0
    for part in chunks(recording):
        centre = np.asarray(recording[f"{name}.body_position"][part], float)
        distance = obstacles.sample(centre.reshape(-1, 3))[0].reshape(centre.shape[:2])
        deepest = max(deepest, float(((width / 2 - distance) / width).max(initial=0.0)))
    return deepest


def find_settled_frame(recording: "Recording", name: str) -> int:
    """The first frame in which it stands."""
    return int(np.searchsorted(recording.time, find_settled(recording, name)))


def compute_height_errors(recording: "Recording", name: str) -> np.ndarray:
    """How far each segment is from its height, in leg lengths [frame, segment]."""
    height = recording[f"{name}.segment_height"][find_settled_frame(recording, name) :]
    leg_length = recording.static(f"{name}.leg_length").reshape(-1, 2).mean(axis=1)
    target = recording.static(f"{name}.segment_height_target")
    return np.asarray(np.abs(height - target) / leg_length)


@measured("leg length", "largest difference of a segment's height from its target", kinds=LEGGED)
def height_error(recording: "Recording", name: str) -> float:
    return float(compute_height_errors(recording, name).max())


@measured(
    "leg length", "largest such difference that lasts half a second on one segment", kinds=LEGGED
)
def height_error_lasting(recording: "Recording", name: str) -> float:
    """The largest that a segment's error stays above for long enough."""
    error = compute_height_errors(recording, name)
    frames = int(np.ceil(LASTING * recording.frame_rate)) + 1
    if len(error) < frames:
        return np.nan
    windows = np.lib.stride_tricks.sliding_window_view(error, frames, axis=0)
    return float(windows.min(axis=-1).max())


@measured(
    "1",
    "largest change of the length along the body from the first frame's, relative",
    kinds=LEGGED,
)
def body_length_change(recording: "Recording", name: str) -> float:
    """Of the line through the middles of all parts; the first frame is the creature at rest."""
    position = np.asarray(recording[f"{name}.body_position"][:], float)
    length = np.linalg.norm(np.diff(position, axis=1), axis=2).sum(axis=1)
    after = length[find_settled_frame(recording, name) :]
    return float(np.abs(after / length[0] - 1).max())
