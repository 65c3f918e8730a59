"""Creatures in a USD file: a skeleton, its motion, skins, and exact surfaces of what is soft.

    /World/<creature>             SkelRoot; variant set `soft` where anything of it is soft
        <creature>_rig            Skeleton, bound at rest
        <creature>_motion         SkelAnimation
        <creature>_body, _leg …   skins
        <creature>_soft, _skin …  variant `cache`: the surface of every frame as it was simulated,
                                  without a skeleton; variant `skinned`: bound to the skeleton.
                                  Organs are soft too; colours that change do so in both
        materials

A mesh never has both, joints and points that change: programs disagree on what that would mean.
A clip in place, or a loop, is made of what the root sees; its surfaces are too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Kind, Usd, UsdGeom, UsdSkel, Vt

from skitter.export.clip import Clip, bake, part_of, plan_root
from skitter.export.usd.stage import (
    UsdFile,
    bind_material,
    define_material,
    define_mesh,
    paint,
    set_kind,
    set_mesh,
    to_matrices,
    to_quaternions,
    to_vectors,
)
from skitter.look.creature import CreatureSurface
from skitter.look.mesh import Mesh
from skitter.look.motion import EMPTY, Pose
from skitter.look.rig import Frames, Rig, localise
from skitter.look.skin import STIFF, SkinPart, build_skin_parts, find_surface
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
VARIANTS, CACHE, SKINNED = "soft", "cache", "skinned"
POINT_BYTES = 24  # of a point and its normal in one frame; a skin has no normals


@dataclass(frozen=True)
class Cache:
    """The exact surface of a creature."""

    surface: Any  # has at(pose)
    mesh: Any  # of the stage
    target: Any  # what is written within its variant, and nowhere else
    is_smooth: bool  # then without normals


@dataclass(frozen=True)
class Tinted:
    """A surface whose colours change."""

    surface: Any  # has colours_at(pose)
    path: Any  # of its mesh, which may be another one in the variant that is chosen
    target: Any  # what is written within its variant, if it is in one


class UsdCreature:
    """A creature on its way into the file; `cached` is the same one, its surfaces maybe coarser."""

    def __init__(
        self, file: UsdFile, creature: CreatureSurface, cached: CreatureSurface | None, level: int
    ) -> None:
        self.rig = Rig(creature.motion, level=level)
        self.parts = build_skin_parts(creature, self.rig)
        self._file = file
        self.root = UsdSkel.Root.Define(file.stage, file.name(creature.motion.name))
        self._path = str(self.root.GetPath())
        self._stem = f"{self._path}/{self.root.GetPrim().GetName()}"
        set_kind(self.root, Kind.Tokens.component)
        UsdGeom.Scope.Define(file.stage, f"{self._path}/materials")
        self._motion = define_motion(file, f"{self._stem}_motion", self.rig)
        self._skeleton = define_skeleton(file, f"{self._stem}_rig", self.rig, self._motion)
        self._materials = {part.kind: self._define_material(part) for part in self.parts}
        self._creature = creature
        self._caches: list[Cache] = []
        self._tinted: list[Tinted] = []
        for part in self.parts:
            if cached is not None and part.kind not in STIFF:
                self._define_variants(part, cached)
            else:
                self._define_skin(part)
        self._baked = bake(self.rig, file.clip)
        self._root = plan_root(self.rig, file.clip)

    def write_next(self, frames: range) -> None:
        """The joints, and the exact surfaces, in the frames that come next."""
        local, motion = next(self._baked), self._motion
        for frame, position, turn in zip(frames, local.position, local.orientation, strict=True):
            time = Usd.TimeCode(frame)
            motion.GetTranslationsAttr().Set(to_vectors(position * self._file.scale), time)
            motion.GetRotationsAttr().Set(to_quaternions(turn), time)
        if self._caches:
            self._write_caches(frames, Frames(local.position[:, 0], local.orientation[:, 0]))
        if self._tinted:
            self._write_tints(frames)

    def _write_tints(self, frames: range) -> None:
        stage, times = self._file.stage, self._file.clip.times[frames.start : frames.stop]
        poses = list(split_poses(self.rig.motion.poses(times)))
        for tinted in self._tinted:
            with Usd.EditContext(stage, tinted.target):
                made = UsdGeom.Mesh.Get(stage, tinted.path)
                for frame, pose in zip(frames, poses, strict=True):
                    paint(made, tinted.surface.colours_at(pose), frame=frame)

    def _write_caches(self, frames: range, root: Frames) -> None:
        clip = self._file.clip
        poses = self.rig.motion.poses(clip.times[frames.start : frames.stop])
        for cache in self._caches:
            meshes: Any = (cache.surface.at(pose) for pose in split_poses(poses))
            if self._root is not None:
                seen = part_of(self._root, slice(frames.start, frames.stop))
                meshes = carry_meshes(list(meshes), seen, root, clip)
            with Usd.EditContext(self._file.stage, cache.target):
                for frame, mesh in zip(frames, meshes, strict=True):
                    normals = None if cache.is_smooth else mesh.normals
                    points = mesh.points * self._file.scale
                    set_mesh(cache.mesh, points, normals, frame=frame)

    def _define_material(self, part: SkinPart) -> Any:
        return define_material(
            self._file,
            f"{self._path}/materials/{part.kind}",
            part.colours.mean(axis=0),
            part.roughness,
            opacity=part.opacity,
            is_painted=part.is_painted,
        )

    def _define_variants(self, part: SkinPart, cached: CreatureSurface) -> None:
        """A soft part both ways; of the two, the exact one is chosen."""
        choices = self.root.GetPrim().GetVariantSets().AddVariantSet(VARIANTS)
        for name in (SKINNED, CACHE):
            choices.AddVariant(name)
            choices.SetVariantSelection(name)
            target = choices.GetVariantEditTarget()  # asked for within, it would be nested
            with choices.GetVariantEditContext():
                if name == SKINNED:
                    self._define_skin(part, target)
                else:
                    self._define_cache(part, cached, target)

    def _define_cache(self, part: SkinPart, cached: CreatureSurface, target: Any) -> None:
        surface: Any = find_surface(cached, part.kind)
        path, how = f"{self._stem}_{part.kind}", {"is_smooth": part.kind == "skin"}
        made = define_mesh(self._file, path, surface.at(self.rig.rest), is_moving=True, **how)
        paint(made, surface.colours if part.is_painted else part.colours[0])
        self._finish(made, part)
        self._caches.append(Cache(surface, made, target, **how))
        if part.is_recoloured:
            self._tinted.append(Tinted(surface, made.GetPath(), target))

    def _define_skin(self, part: SkinPart, target: Any = None) -> None:
        made = define_mesh(self._file, f"{self._stem}_{part.kind}", part.mesh)
        paint(made, part.colours)
        self._finish(made, part)
        bind_skin(made, part, self._skeleton)
        if part.is_recoloured:
            surface, anywhere = find_surface(self._creature, part.kind), self._file.stage
            self._tinted.append(Tinted(surface, made.GetPath(), target or anywhere.GetEditTarget()))

    def _finish(self, made: Any, part: SkinPart) -> None:
        bind_material(made, self._materials[part.kind])
        if part.opacity < 1:
            made.CreateDoubleSidedAttr(True)


def list_joints(rig: Rig) -> list[str]:
    """Joints as paths: root/seg_00/…"""
    paths: list[str] = []
    for name, parent in zip(rig.names, rig.parents, strict=True):
        paths.append(name if parent < 0 else f"{paths[parent]}/{name}")
    return paths


def define_motion(file: UsdFile, path: str, rig: Rig) -> Any:
    """The animation, without samples yet."""
    motion = UsdSkel.Animation.Define(file.stage, path)
    motion.CreateJointsAttr(list_joints(rig))
    motion.CreateTranslationsAttr()
    motion.CreateRotationsAttr()
    motion.CreateScalesAttr(Vt.Vec3hArray(len(rig.names), Gf.Vec3h(1, 1, 1)))
    return motion


def define_skeleton(file: UsdFile, path: str, rig: Rig, motion: Any) -> Any:
    """The joints: bound in the world, and at rest each as its parent sees it."""
    skeleton = UsdSkel.Skeleton.Define(file.stage, path)
    skeleton.CreateJointsAttr(list_joints(rig))
    local = localise(rig.bind, rig.parents)
    bind = to_matrices(rig.bind.position * file.scale, rig.bind.orientation)
    skeleton.CreateBindTransformsAttr(bind)
    skeleton.CreateRestTransformsAttr(to_matrices(local.position * file.scale, local.orientation))
    binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([motion.GetPath()])
    return skeleton


def bind_skin(made: Any, part: SkinPart, skeleton: Any) -> None:
    """A mesh follows joints, with as many weights as any of its points has."""
    most = int(np.count_nonzero(part.weights, axis=1).max())
    joints = np.ascontiguousarray(part.joints[:, :most], np.int32).reshape(-1)
    weights = np.ascontiguousarray(part.weights[:, :most], np.float32).reshape(-1)
    binding = UsdSkel.BindingAPI.Apply(made.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateJointIndicesPrimvar(False, most).Set(Vt.IntArray.FromNumpy(joints))
    binding.CreateJointWeightsPrimvar(False, most).Set(Vt.FloatArray.FromNumpy(weights))
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1))


def split_poses(poses: Pose) -> Iterator[Pose]:
    """Moments stacked in one pose, one by one."""
    for k in range(len(poses.body_position)):
        yield Pose(**{key: getattr(poses, key)[k] for key in EMPTY})


def carry_meshes(meshes: list[Mesh], seen: Frames, root: Frames, clip: Clip) -> Iterator[Mesh]:
    """Surfaces as a root sees them, put where another root is; a loop's end meets its beginning."""
    back = np.swapaxes(quaternion_to_matrix(seen.orientation), -1, -2)
    turn = quaternion_to_matrix(root.orientation)
    local = [mesh.moved(-back[k] @ seen.position[k], back[k]) for k, mesh in enumerate(meshes)]
    gap = local[-1].points - local[0].points if clip.is_loop else 0.0
    for k, mesh in enumerate(local):
        closed = mesh.points - k / max(len(local) - 1, 1) * gap
        yield Mesh(closed, mesh.normals, mesh.triangles).moved(root.position[k], turn[k])


def count_cached(creatures: list[CreatureSurface]) -> int:
    """Points of all exact surfaces."""
    pairs = [(one, c.motion.rest) for c in creatures for one in (c.soft, c.skin, *c.organs)]
    return sum(len(one.at(rest).points) for one, rest in pairs if one is not None)
