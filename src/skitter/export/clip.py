"""A stretch of a recording as an animation: which moments, and where the joints are at each.

Baked frames are those of a joint as its parent sees it, batch by batch, so that a long recording
never lies in memory as a whole. `in_place` keeps the root where it is at rest; what else moves is
seen as before. A loop is one cycle of a gait (see loop.py); what its end lacks to meet its
beginning is made up for evenly along the way.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from skitter.errors import UserError
from skitter.look.rig import Frames, Rig, keep_signs, localise
from skitter.rotation import matrices_to_quaternions, quaternion_to_matrix

Floats = NDArray[np.floating]
Told = Callable[[int, int], None]  # frames done, frames in all
BATCH = 128  # frames that are baked at a time
MOST_FRAMES = 1_000_000
STANDING = 1e-4  # cm, that a standing foot may move from one frame to the next
CALM = 0.25  # s, over which the way of a body is smoothed for a clip in place


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
    valid = f"valid: {time[0]:g} to {time[-1]:g} s"
    for flag, moment in (("start", first), ("end", last)):
        if not time[0] - slack <= moment <= time[-1] + slack:
            raise UserError(f"--{flag} {moment:g}: is not in the recording; {valid}")
    if first > last:
        raise UserError(f"--start {first:g}: is after the end, {last:g}; {valid}, the start first")
    count = int((last - first) * fps + slack) + 1
    if count > MOST_FRAMES:
        raise UserError(f"--fps {fps:g}: makes {count} frames; valid: {MOST_FRAMES} at most")
    return Clip(first + np.arange(count) / fps, fps)


def bake(rig: Rig, clip: Clip, *, progress: Told | None = None) -> Iterator[Frames]:
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


def share_progress(progress: Told | None, number: int, count: int) -> Told | None:
    """The progress of one creature as that of all."""
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, count * total)


def _bake_batches(rig: Rig, clip: Clip) -> Iterator[Frames]:
    path, done = plan_root(rig, clip), 0
    for times in clip.batches():
        world = rig.place(rig.motion.poses(times))
        if path is not None:
            world = put_root(world, part_of(path, slice(done, done + len(times))))
        local = localise(world, rig.parents)
        yield hold_root(local, rig) if clip.in_place else local
        done += len(times)


def _bake_loop(rig: Rig, clip: Clip) -> Iterator[Frames]:
    """All of a cycle at once; it is short."""
    path = plan_root(rig, clip)
    assert path is not None
    poses = rig.motion.poses(clip.times)
    local = localise(put_root(rig.place(poses), path), rig.parents)
    local = Frames(local.position, keep_signs(local.orientation, None))
    share = spread_gap(rig.names, len(clip.times), poses.leg_point[:, :, -1])
    closed = close_loop(hold_root(local, rig), share)
    yield closed if clip.in_place else put_root(closed, path)


def plan_root(rig: Rig, clip: Clip) -> Frames | None:
    """Where a clip's root is in every frame [frame, …], if that is not where the body is.

    In a loop it moves on evenly and keeps its heading, and in place it is the body's way without
    its swings. What the body does besides is then the motion of its joints, so that feet stay
    where they are on the ground.
    """
    if not clip.is_loop and not clip.in_place:
        return None
    batches = [rig.place_root(rig.motion.poses(times)) for times in clip.batches()]
    position = np.concatenate([one.position for one in batches])
    orientation = np.concatenate([one.orientation for one in batches])
    orientation = keep_signs(orientation[:, None], None)[:, 0]
    if clip.is_loop:
        share = np.linspace(0, 1, len(position))[:, None]
        position = position[0] + share * (position[-1] - position[0])
        orientation = np.broadcast_to(orientation.mean(axis=0), orientation.shape)
    else:
        position, orientation = (calm(one, CALM * clip.fps) for one in (position, orientation))
    return Frames(position, orientation / np.linalg.norm(orientation, axis=1, keepdims=True))


def calm(values: Floats, spread: float) -> Floats:
    """Values [frame, …] without swings, the first and the last as they are.

    Beyond either end they go on as if turned about it by half a turn, so that an even motion stays
    even up to the ends.
    """
    more = min(int(4 * spread), len(values) - 1)
    if more < 1:
        return values
    before = 2 * values[0] - values[more:0:-1]
    behind = 2 * values[-1] - values[-2 : -2 - more : -1]
    longer = np.concatenate([before, values, behind])
    return np.asarray(gaussian_filter1d(longer, spread, axis=0, mode="nearest")[more:-more])


def part_of(frames: Frames, some: slice) -> Frames:
    """Some of the frames."""
    return Frames(frames.position[some], frames.orientation[some])


def put_root(frames: Frames, root: Frames) -> Frames:
    """The same with the root, which is the first joint, elsewhere."""
    position, orientation = frames.position.copy(), frames.orientation.copy()
    position[:, 0], orientation[:, 0] = root.position, root.orientation
    return Frames(position, orientation)


def hold_root(local: Frames, rig: Rig) -> Frames:
    """The same with the root where it is at rest."""
    return put_root(local, Frames(rig.bind.position[0], rig.bind.orientation[0]))


def spread_gap(names: list[str], count: int, tips: Floats) -> Floats:
    """How much of its gap each joint has made up for in every frame [frame, joint].

    Most do so evenly. A leg does so only while its foot [frame, leg, 3] moves, and has nothing to
    make up for while it stands: otherwise it would be pressed into the ground, or slip.
    """
    even = np.linspace(0, 1, count)
    share = np.tile(even[:, None], (1, len(names)))
    moved = np.linalg.norm(np.diff(tips, axis=0), axis=2) > STANDING  # [frame - 1, leg]
    for k, name in enumerate(names):
        leg = re.match(r"seg_(\d+)_leg_([LR])", name)
        if leg is not None:
            share[:, k] = spread_in_air(moved[:, 2 * int(leg[1]) - 2 + "LR".index(leg[2])], even)
    return share


def spread_in_air(moved: NDArray[np.bool_], even: Floats) -> Floats:
    """Grows by one in all, only where a foot has moved, and is zero where it stands longest."""
    if not moved.any():
        return even
    grown = np.concatenate([[0.0], np.cumsum(moved) / moved.sum()])
    stands = np.flatnonzero(~moved)
    if len(stands) == 0:
        return even
    values, counts = np.unique(grown[stands], return_counts=True)
    return np.asarray(grown - values[np.argmax(counts)])


def close_loop(local: Frames, share: Floats) -> Frames:
    """Frames whose last is their first: the gap is made up for by shares [frame, joint]."""
    gap = local.position[-1] - local.position[0]
    position = local.position - share[..., None] * gap
    turn = quaternion_to_matrix(local.orientation)
    back = matrices_to_quaternions(np.swapaxes(turn[-1], -1, -2) @ turn[0])
    part = share_turns(back, share)
    return Frames(position, matrices_to_quaternions(turn @ quaternion_to_matrix(part)))


def share_turns(turns: Floats, share: Floats) -> Floats:
    """Shares [frame, joint] of turns [joint, 4], about the same axes; they add up exactly."""
    turns = np.where(turns[:, :1] < 0, -turns, turns)
    sine = np.linalg.norm(turns[:, 1:], axis=1)
    half = share * np.arctan2(sine, turns[:, 0])
    axis = turns[:, 1:] / np.maximum(sine, 1e-30)[:, None]
    return np.concatenate([np.cos(half)[..., None], np.sin(half)[..., None] * axis], axis=-1)
