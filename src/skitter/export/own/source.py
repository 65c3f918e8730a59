"""A user's rig as plain numbers, whichever file it came from.

Where the joints are is where the file has them when nothing plays; the surface is bent as they
are. Matrices act on columns, in the file's own units and axes.
"""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.export.own.map import Axis

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
GLTF, USD = (".glb", ".gltf"), (".usdc", ".usda", ".usd")


@dataclass(frozen=True)
class Surface:
    """Points of meshes that are bound to joints."""

    points: Floats  # [point, 3] in the world
    owner: Ints  # [point] the joint that each follows most


@dataclass(frozen=True)
class RigSource:
    """A rig; a joint's parent comes before it."""

    file: Path
    names: list[str]
    parents: Ints  # [joint] -1 for none
    local: Floats  # [joint, 4, 4] as the parent sees it
    top: Floats  # [4, 4] what all joints without a parent stand on
    scale: Floats  # [joint, 3] the part of `local` that is no turn
    is_bound: NDArray[np.bool_]  # [joint] whether a skin names it as a joint
    unit: float  # metres
    up: Axis
    surface: Surface
    point_count: int = 0  # of all meshes, also of those that could not be read
    triangle_count: int = 0
    notes: list[str] = field(default_factory=list)  # what a user should know

    @cached_property
    def world(self) -> Floats:
        """[joint, 4, 4]"""
        return compose(self.local, self.parents, self.top)

    @cached_property
    def position(self) -> Floats:
        """[joint, 3]"""
        return self.world[:, :3, 3]

    def children(self, joint: int) -> list[int]:
        return [int(k) for k in np.flatnonzero(self.parents == joint)]

    def find_end(self, joint: int) -> Floats | None:
        """Where a joint's bone ends: at its only child, else at the point of its skin farthest
        from it."""
        children = self.children(joint)
        if len(children) == 1 and not self.is_near(joint, children[0]):
            return self.position[children[0]]
        own = self.surface.points[self.surface.owner == joint]
        if len(own) == 0:
            return None
        return np.asarray(own[np.argmax(np.linalg.norm(own - self.position[joint], axis=1))])

    def is_near(self, one: int, other: int) -> bool:
        """Whether two joints are at one place."""
        size = float(np.ptp(self.position, axis=0).max())
        return bool(np.linalg.norm(self.position[one] - self.position[other]) < 1e-6 * size)


def compose(local: Floats, parents: Ints, top: Floats) -> Floats:
    """Matrices in the world [..., joint, 4, 4] of those that parents see."""
    world = np.empty_like(local)
    for k, parent in enumerate(parents):
        above = top if parent < 0 else world[..., parent, :, :]
        world[..., k, :, :] = above @ local[..., k, :, :]
    return world


def read_rig(path: Path) -> RigSource:
    """The rig in a .glb, .gltf or USD file."""
    suffix = path.suffix.lower()
    if suffix in GLTF:
        from skitter.export.own.gltf import read_gltf_rig

        return read_gltf_rig(path)
    if suffix in USD:
        from skitter.export.own.usd import read_usd_rig

        return read_usd_rig(path)
    raise UserError(f"{path}: is no rig that can be read; valid: {', '.join(GLTF + USD)}")
