"""Where the joints of a user's rig are in every frame, as their parents see them."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from skitter.export.clip import Clip, Told, bake
from skitter.export.own.check import list_above
from skitter.export.own.fit import Fit
from skitter.export.own.source import RigSource
from skitter.look.rig import Frames, Rig, keep_signs, localise
from skitter.rotation import matrices_to_quaternions, quaternion_to_matrix

Floats = NDArray[np.floating]
UNEVEN = 1e-3  # a matrix so far from a turn leans


@dataclass
class LocalTracks:
    """Tracks of some joints of a rig; they lie in a file until they are asked for."""

    joints: list[int]
    values: Floats  # [joint, frame, 7] position, and orientation w, x, y, z
    leaning: set[int] = field(default_factory=set)  # joints that could not be followed exactly

    def __iter__(self) -> Iterator[tuple[int, Floats, Floats]]:
        for k, joint in enumerate(self.joints):
            values = np.asarray(self.values[k], float)
            yield joint, values[:, :3], values[:, 3:]


def build_tracks(
    rig: Rig,
    source: RigSource,
    joint_of: dict[str, int],
    fit: Fit,
    clip: Clip,
    progress: Told | None = None,
) -> LocalTracks:
    """Moves the rig's joints as ours move."""
    follower = Follower(rig, source, joint_of, fit)
    file = tempfile.TemporaryFile()  # noqa: SIM115  closed with the array
    shape = (len(follower.joints), len(clip.times), 7)
    tracks = LocalTracks(follower.joints, np.memmap(file, np.float32, "w+", shape=shape))
    done, before = 0, None
    for local in bake(rig, clip, progress=progress):
        position, orientation = follower.follow(local, tracks.leaning)
        orientation = keep_signs(orientation, before)
        before = orientation[-1]
        some = slice(done, done + len(position))
        tracks.values[:, some, :3] = np.swapaxes(position, 0, 1)
        tracks.values[:, some, 3:] = np.swapaxes(orientation, 0, 1)
        done = some.stop
    return tracks


class Follower:
    """Turns frames of our joints into those of a user's rig.

    In the rig's space:  theirs = ours ours_bind^-1 theirs_rest,  ours_bind being posed as theirs.
    """

    def __init__(self, rig: Rig, source: RigSource, joint_of: dict[str, int], fit: Fit) -> None:
        self._rig, self._source, self._fit = rig, source, fit
        self._name_of = {joint_of[name]: name for name in fit.bind}
        self.joints = sorted(self._name_of)
        self._offset = {
            joint: np.linalg.inv(fit.bind[name]) @ source.world[joint]
            for joint, name in self._name_of.items()
        }
        self._walked = list_above(source, self.joints)
        self._rest = localise(rig.bind, rig.parents)

    def follow(self, local: Frames, leaning: set[int]) -> tuple[Floats, Floats]:
        """Positions [frame, joint, 3] and orientations [frame, joint, 4], as parents see them."""
        ours = self._place_ours(local)
        world: dict[int, Floats] = {}
        position = np.empty((len(ours), len(self.joints), 3))
        orientation = np.empty((len(ours), len(self.joints), 4))
        for joint in self._walked:
            parent = int(self._source.parents[joint])
            above = self._source.top if parent < 0 else world[parent]
            if joint not in self._name_of:
                world[joint] = above @ self._source.local[joint]
                continue
            here = self._place(joint, ours, above, local)
            world[joint] = here
            seen = np.linalg.solve(np.broadcast_to(above, here.shape), here)
            k = self.joints.index(joint)
            position[:, k] = seen[:, :3, 3]
            orientation[:, k] = self._read_turn(joint, seen, leaning)
        return position, orientation

    def _place(self, joint: int, ours: Floats, above: Floats, local: Frames) -> Floats:
        """A joint in the world [frame, 4, 4]."""
        name = self._name_of[joint]
        here = np.asarray(ours[:, self._rig.number[name]] @ self._offset[joint])
        if name in self._fit.turns_only:
            here[:, :3, 3] = (above @ self._source.local[joint])[..., :3, 3]
            here[:, :3, 3] += self._find_slip(name, ours, local)
        return here

    def _find_slip(self, name: str, ours: Floats, local: Frames) -> Floats:
        """How far a joint of ours has left its place on its parent [frame, 3]."""
        k = self._rig.number[name]
        slip = (local.position[:, k] - self._rest.position[k]) / self._fit.cm
        return np.einsum("fij,fj->fi", ours[:, self._rig.parents[k], :3, :3], slip)

    def _place_ours(self, local: Frames) -> Floats:
        """Our joints in the rig's space [frame, joint, 4, 4]."""
        turn = quaternion_to_matrix(local.orientation)
        position = local.position.copy()
        for k, parent in enumerate(self._rig.parents):
            if parent >= 0:
                position[:, k] = position[:, parent] + np.einsum(
                    "fij,fj->fi", turn[:, parent], local.position[:, k]
                )
                turn[:, k] = turn[:, parent] @ turn[:, k]
        back = self._fit.axes.turn.T
        matrix = np.zeros((*position.shape[:2], 4, 4))
        matrix[..., :3, :3] = back @ turn
        matrix[..., :3, 3] = position @ back.T / self._fit.cm
        matrix[..., 3, 3] = 1.0
        return matrix

    def _read_turn(self, joint: int, seen: Floats, leaning: set[int]) -> Floats:
        """The turn in matrices [frame, 4, 4] whose scale is known."""
        scale = self._source.scale[joint]
        turn = seen[:, :3, :3] / np.where(scale == 0, 1.0, scale)
        u, stretch, v = np.linalg.svd(turn)
        if np.abs(stretch - 1).max() > UNEVEN:
            leaning.add(joint)
        return matrices_to_quaternions(u @ v)
