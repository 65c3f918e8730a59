"""Measures that make sense for any body: where it went, how fast, and its energy and momentum."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from skitter.measure.table import has, measured, measured_once
from skitter.rotation import quaternion_to_matrix

if TYPE_CHECKING:
    from skitter.record import Recording
    from skitter.terrain import Terrain

CHUNK = 256  # frames read at a time
STAY_EVERY = 0.5  # s, between places that are compared


def chunks(recording: "Recording") -> Iterator[slice]:
    """All frames, some at a time, so that a long recording never lies in memory."""
    for start in range(0, recording.frame_count, CHUNK):
        yield slice(start, min(start + CHUNK, recording.frame_count))


@measured_once("duration", "s", "from the first frame to the last")
def duration(recording: "Recording") -> float:
    return float(recording.time[-1] - recording.time[0])


has_energies = has("energy_kinetic", "energy_elastic", "energy_gravity")
has_nodes, has_bodies = has("node_position"), has("body_position")
has_placed_bodies = has("body_position", "body_orientation")


def has_points(recording: "Recording", name: str) -> bool:
    return has_bodies(recording, name) or has_nodes(recording, name)


def has_outline(recording: "Recording", name: str) -> bool:
    known = all(recording.has_static(f"{name}.{one}") for one in ("body_shape", "body_size"))
    return (known and has_placed_bodies(recording, name)) or has_nodes(recording, name)


def middle_path(recording: "Recording", name: str) -> np.ndarray:
    """The mean of all rigid parts, or of all nodes where there are none [frame, 3]."""
    channel = (
        f"{name}.body_position" if f"{name}.body_position" in recording else f"{name}.node_position"
    )
    return np.concatenate(
        [np.asarray(recording[channel][part], float).mean(axis=1) for part in chunks(recording)]
    )


@measured("cm", "from the first to the last place of its middle", where=has_points)
def distance(recording: "Recording", name: str) -> float:
    path = middle_path(recording, name)
    return float(np.linalg.norm(path[-1] - path[0]))


@measured("cm/s", "distance over time", where=has_points)
def speed(recording: "Recording", name: str) -> float:
    seconds = duration(recording)
    return distance(recording, name) / seconds if seconds > 0 else 0.0


@measured("cm/s", "largest speed of its middle between frames", where=has_points)
def speed_peak(recording: "Recording", name: str) -> float:
    steps = np.linalg.norm(np.diff(middle_path(recording, name), axis=0), axis=1)
    return float((steps / np.diff(recording.time)).max(initial=0.0))


@measured("s", "longest that its middle stayed within half its length of a place", where=has_points)
def longest_stay(recording: "Recording", name: str) -> float:
    """How long it was stuck, or stood still; told to half a second."""
    stride = max(1, round(STAY_EVERY / mean_frame(recording)))
    path, times = middle_path(recording, name)[::stride], np.asarray(recording.time[:])[::stride]
    return find_stay(path, times, body_length(recording, name) / 2)


def mean_frame(recording: "Recording") -> float:
    """s from frame to frame."""
    return duration(recording) / max(1, recording.frame_count - 1) or 1.0


def body_length(recording: "Recording", name: str) -> float:
    """As recorded; else the largest extent of its parts, or of its nodes, as it begins, cm."""
    if recording.has_static(f"{name}.body_length"):
        return float(recording.static(f"{name}.body_length"))
    channel = "body_position" if has_bodies(recording, name) else "node_position"
    points = np.asarray(recording[f"{name}.{channel}"][0], float)
    far = float(np.ptp(points, axis=0).max())
    if recording.has_static(f"{name}.body_size"):
        far += float(np.max(recording.static(f"{name}.body_size"), initial=0.0))
    return far


def find_stay(path: np.ndarray, times: np.ndarray, radius: float) -> float:
    """Longest time from a place [place, 3] to the last one that is still within a radius of it,
    none before it farther, s."""
    longest = 0.0
    for start in range(len(path)):
        if times[-1] - times[start] <= longest:
            break
        far = np.flatnonzero(np.linalg.norm(path[start:] - path[start], axis=1) > radius)
        last = start + int(far[0]) - 1 if len(far) else len(path) - 1
        longest = max(longest, float(times[last] - times[start]))
    return longest


def outline(recording: "Recording", name: str, frames: slice) -> np.ndarray:
    """Points that outline the creature [frame, point, 3]: nodes, box corners, capsule ends."""
    points = []
    if f"{name}.node_position" in recording:
        points.append(np.asarray(recording[f"{name}.node_position"][frames], float))
    if has_placed_bodies(recording, name):
        centre = np.asarray(recording[f"{name}.body_position"][frames], float)
        turn = quaternion_to_matrix(recording[f"{name}.body_orientation"][frames])
        corners = body_corners(
            recording.static(f"{name}.body_shape"), recording.static(f"{name}.body_size")
        )
        placed = centre[:, :, None] + np.einsum("fbij,bcj->fbci", turn, corners)
        points.append(placed.reshape(len(placed), -1, 3))
    return np.concatenate(points, axis=1)


def body_corners(shapes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Eight points of each part [body, 8, 3]: a box's corners; of a capsule, those of the box
    inside it."""
    signs = np.array(list(np.ndindex(2, 2, 2))) * 2 - 1
    edges = np.array(sizes, float)
    capsules = np.asarray(shapes) == 1
    inscribed = sizes[capsules, 0] * np.sqrt(2)
    edges[capsules] = np.stack([sizes[capsules, 1], inscribed, inscribed], axis=1)
    return edges[:, None] * signs / 2


@measured("cm", "lowest point of its surface", where=has_outline)
def height_min(recording: "Recording", name: str) -> float:
    return min(float(outline(recording, name, part)[..., 1].min()) for part in chunks(recording))


def build_ground(recording: "Recording") -> "Terrain":
    """The terrain of its scene, without obstacles."""
    from skitter.scene.load import Scene
    from skitter.terrain import build_terrain

    return build_terrain(Scene.from_dict(recording.scene).spec.terrain)


@measured("cm", "deepest point of it inside the terrain", where=has_outline)
def penetration(recording: "Recording", name: str) -> float:
    terrain, deepest = build_ground(recording), 0.0
    for part in chunks(recording):
        depth = -terrain.sample(outline(recording, name, part).reshape(-1, 3))[0].min()
        deepest = max(deepest, float(depth))
    return deepest


def total_energy(recording: "Recording", name: str) -> np.ndarray:
    """Energy in every frame [frame], erg."""
    kinds = ("kinetic", "elastic", "gravity")
    return np.sum([recording[f"{name}.energy_{kind}"][:] for kind in kinds], axis=0)


@measured("erg", "kinetic, elastic and of height, first frame", where=has_energies)
def energy_start(recording: "Recording", name: str) -> float:
    return float(total_energy(recording, name)[0])


@measured("erg", "kinetic, elastic and of height, last frame", where=has_energies)
def energy_end(recording: "Recording", name: str) -> float:
    return float(total_energy(recording, name)[-1])


@measured("erg", "largest elastic energy", where=has_energies)
def energy_elastic_peak(recording: "Recording", name: str) -> float:
    return float(np.max(recording[f"{name}.energy_elastic"][:]))


def drift(values: np.ndarray) -> float:
    """Largest departure from the first row, relative to its size; 0 where nothing moves."""
    change = np.linalg.norm(values - values[0], axis=1).max()
    size = np.linalg.norm(values[0])
    return float(change / size) if size > 0 else float(change)


def is_isolated(recording: "Recording", name: str) -> bool:
    """Whether nothing from outside acts on the creature, so that its momentum must stay."""
    fixed = f"{name}.body_fixed"
    is_held = recording.has_static(fixed) and bool(np.any(recording.static(fixed)))
    scene, knows = recording.scene, has("momentum")(recording, name)
    return knows and scene["gravity"] == 0 and not scene["terrain"] and not is_held


@measured("1", "of a creature on which nothing acts: largest change, relative", where=is_isolated)
def momentum_drift(recording: "Recording", name: str) -> float:
    return drift(np.asarray(recording[f"{name}.momentum"][:], float))


def is_isolated_with_spin(recording: "Recording", name: str) -> bool:
    return is_isolated(recording, name) and has("angular_momentum")(recording, name)


@measured("1", "the same of its angular momentum", where=is_isolated_with_spin)
def angular_momentum_drift(recording: "Recording", name: str) -> float:
    return drift(np.asarray(recording[f"{name}.angular_momentum"][:], float))
