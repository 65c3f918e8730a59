"""A stretch of a recording as an animation: which moments, and where the joints are at each.

Baked frames are those of a joint as its parent sees it, batch by batch, so that a long recording
never lies in memory as a whole. `in_place` keeps the root where it is at rest; what else moves is
seen as before. A loop is one cycle of a gait (see loop.py); what its end lacks to meet its
beginning is made up for evenly along the way.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.look.rig import Frames, Rig, keep_signs, localise
from skitter.rotation import matrices_to_quaternions, quaternion_to_matrix

Floats = NDArray[np.floating]
BATCH = 128  # frames that are baked at a time
MOST_FRAMES = 1_000_000


@dataclass(frozen=True)
class Clip:
    """The moments of an animation."""

    times: Floats  # [frame] s, of the recording
    fps: float
    in_place: bool = False
    is_loop: bool = False  # the last frame is the first again

    @property
    def seconds(self) -> float:
        return (len(self.times) - 1) / self.fps

    def batches(self) -> Iterator[Floats]:
        """The times, some at a time."""
        for first in range(0, len(self.times), BATCH):
            yield self.times[first : first + BATCH]


def plan_clip(
    recording: Any, *, fps: float, start: float | None = None, end: float | None = None
) -> Clip:
    """The moments from start to end, so many a second."""
    time = recording.time
    if len(time) == 0:
        raise UserError("the recording has no frames yet, so there is nothing to export")
    first = float(time[0]) if start is None else start
    last = float(time[-1]) if end is None else end
    slack = 1e-6
    if not time[0] - slack <= first <= last <= time[-1] + slack:
        raise UserError(
            f"--start {first:g} and --end {last:g}: are not in the recording;"
            f" valid: {time[0]:g} to {time[-1]:g} s, the start first"
        )
    count = int((last - first) * fps + slack) + 1
    if count > MOST_FRAMES:
        raise UserError(f"--fps {fps:g}: makes {count} frames; valid: {MOST_FRAMES} at most")
    return Clip(first + np.arange(count) / fps, fps)


def bake(
    rig: Rig, clip: Clip, *, progress: Callable[[int, int], None] | None = None
) -> Iterator[Frames]:
    """The joints as their parents see them, [frame, joint, …], in batches."""
    batches = _bake_loop(rig, clip) if clip.is_loop else _bake_batches(rig, clip)
    done, before = 0, None
    for frames in batches:
        orientation = keep_signs(frames.orientation, before)
        before = orientation[-1]
        yield Frames(frames.position, orientation)
        done += len(frames.position)
        if progress is not None:
            progress(done, len(clip.times))


def _bake_batches(rig: Rig, clip: Clip) -> Iterator[Frames]:
    for times in clip.batches():
        local = localise(rig.place(rig.motion.poses(times)), rig.parents)
        yield hold_root(local, rig) if clip.in_place else local


def _bake_loop(rig: Rig, clip: Clip) -> Iterator[Frames]:
    """All of a cycle at once; it is short."""
    local = localise(rig.place(rig.motion.poses(clip.times)), rig.parents)
    local = Frames(local.position, keep_signs(local.orientation, None))
    closed = close_loop(hold_root(local, rig), np.linspace(0, 1, len(clip.times)))
    yield closed if clip.in_place else carry_root(closed, local)


def hold_root(local: Frames, rig: Rig) -> Frames:
    """The same with the root, which is the first joint, where it is at rest."""
    position, orientation = local.position.copy(), local.orientation.copy()
    position[:, 0], orientation[:, 0] = rig.bind.position[0], rig.bind.orientation[0]
    return Frames(position, orientation)


def carry_root(closed: Frames, open_: Frames) -> Frames:
    """The same with a root that moves on evenly, by as much as it did, and keeps its heading."""
    share = np.linspace(0, 1, len(open_.position))[:, None]
    way = open_.position[-1, 0] - open_.position[0, 0]
    position, orientation = closed.position.copy(), closed.orientation.copy()
    position[:, 0] = open_.position[0, 0] + share * way
    orientation[:, 0] = open_.orientation[0, 0]
    return Frames(position, orientation)


def close_loop(local: Frames, share: Floats) -> Frames:
    """Frames whose last is their first: the gap between the two is spread over all."""
    gap = local.position[-1] - local.position[0]
    position = local.position - share[:, None, None] * gap
    turn = quaternion_to_matrix(local.orientation)
    back = matrices_to_quaternions(np.swapaxes(turn[-1], -1, -2) @ turn[0])
    back = np.where(back[:, :1] < 0, -back, back)
    none = np.array([1.0, 0.0, 0.0, 0.0])
    part = (1 - share[:, None, None]) * none + share[:, None, None] * back
    part /= np.linalg.norm(part, axis=-1, keepdims=True)
    return Frames(position, matrices_to_quaternions(turn @ quaternion_to_matrix(part)))
