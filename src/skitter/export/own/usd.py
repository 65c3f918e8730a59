"""Users' rigs in USD files: a Skeleton is read, and bound to an animation of ours.

A skeleton's joints are taken as they are bound to the skin, below the skeleton's own place in the
stage. Its axes and units are the stage's, and stay as they are.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.console import muted
from skitter.disk import BadFile, open_regular
from skitter.errors import UserError
from skitter.export.clip import Clip
from skitter.export.own.gltf import split_matrix
from skitter.export.own.source import RigSource, Surface, compose
from skitter.export.own.tracks import LocalTracks
from skitter.render.output import replacing
from skitter.rotation import matrices_to_quaternions
from skitter.scene.describe import quote

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
FILE_LIMIT = 1 << 28  # bytes
MEMORY = 1 << 29  # bytes that opening a rig may take
MEMORY_OF_THREAD = 80 << 20  # bytes of addresses that each thread of USD sets aside
SINGULAR = 1e-30  # determinant of a transform that cannot be undone
INSTALL = "pip install 'skitter[export]'"


UNREADABLE = "cannot be read as USD; valid: .usdc, .usda, .usd"


def load_usd() -> None:
    """Import all of USD that is needed, which takes memory of its own."""
    try:
        from pxr import Tf, Usd, UsdGeom, UsdSkel, Vt  # noqa: F401
    except ImportError as error:
        raise UserError(f"USD files need usd-core, which is not installed: {INSTALL}") from error


def open_stage(path: Path) -> Any:
    """The stage of a USD file; refuses one that is none."""
    load_usd()
    from pxr import Tf, Usd

    try:
        return Usd.Stage.Open(str(path))
    except Tf.ErrorException as error:
        raise UserError(f"{path}: {UNREADABLE}") from error


def read_usd_rig(path: Path) -> RigSource:
    """The only skeleton of a stage, and the points that are bound to it.

    A damaged file can make USD's library ask for gigabytes, and tell so in its own words.
    """
    try:
        open_regular(path, FILE_LIMIT, valid=".usdc, .usda, .usd").close()
    except BadFile as error:
        raise UserError(f"{path}: {error}") from error
    load_usd()
    from pxr import Tf

    try:
        with muted(), bounded(MEMORY + (os.cpu_count() or 1) * MEMORY_OF_THREAD):
            return read_stage(path)
    except MemoryError as error:
        raise UserError(f"{path}: asks for more memory than a rig needs") from error
    except (Tf.ErrorException, UnicodeDecodeError) as error:  # values are unpacked when asked for
        raise UserError(f"{path}: {UNREADABLE}") from error


def read_stage(path: Path) -> RigSource:
    """The rig in a file that may be opened."""
    from pxr import UsdGeom

    stage = open_stage(path)
    skeleton = find_skeleton(stage, path)
    joints = [str(name) for name in skeleton.GetJointsAttr().Get() or []]
    bind = read_bind(skeleton, len(joints), path)
    meshes = [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    unit = float(UsdGeom.GetStageMetersPerUnit(stage))
    if not 0 < unit < np.inf:
        raise UserError(f"{path}: has a metersPerUnit of {unit:g}; valid: above 0")
    top = to_columns(UsdGeom.XformCache().GetLocalToWorldTransform(skeleton.GetPrim()))
    number = {name: k for k, name in enumerate(joints)}
    above = [number.get(name.rpartition("/")[0], -1) for name in joints]
    parents = np.array(above, dtype=np.int64)
    if any(parent >= k for k, parent in enumerate(above)):
        raise UserError(f"{path}: {skeleton.GetPath()} has a joint before its parent")
    local = np.array([bind[k] if p < 0 else np.linalg.solve(bind[p], bind[k]) for k, p in
                      enumerate(above)]).reshape(-1, 4, 4)  # fmt: skip
    world = compose(local, parents, top)
    return RigSource(
        file=path,
        names=[name.rpartition("/")[2] for name in joints],
        parents=parents,
        local=local,
        top=top,
        scale=np.array([split_matrix(one)[2] for one in local]).reshape(-1, 3),
        is_bound=np.ones(len(joints), dtype=bool),
        unit=unit,
        up="+z" if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z else "+y",
        surface=read_surface(stage, joints, world, bind, path),
        point_count=sum(len(mesh.GetPointsAttr().Get() or []) for mesh in meshes),
        triangle_count=sum(count_triangles(mesh) for mesh in meshes),
    )


@contextmanager
def bounded(most: int) -> Iterator[None]:
    """Let this process have only so many bytes of addresses more than now, where that can be."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + most
    if soft == resource.RLIM_INFINITY or wanted < soft:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def find_skeleton(stage: Any, path: Path) -> Any:
    """The only skeleton of a stage."""

    from pxr import Usd, UsdSkel

    prims = stage.Traverse(Usd.TraverseInstanceProxies())
    found = [UsdSkel.Skeleton(prim) for prim in prims if prim.IsA(UsdSkel.Skeleton)]
    if len(found) != 1:
        raise UserError(f"{path}: has {len(found)} skeletons; valid: a file with one")
    return found[0]


def to_columns(matrix: Any) -> Floats:
    """USD's matrices act on rows."""
    return np.array(matrix, float).T


def read_bind(skeleton: Any, count: int, path: Path) -> Floats:
    """Joints as they were bound [joint, 4, 4], or as they rest."""
    from pxr import UsdSkel

    values = skeleton.GetBindTransformsAttr().Get()
    if not values or len(values) != count:
        topology = UsdSkel.Topology(skeleton.GetJointsAttr().Get() or [])
        rest = skeleton.GetRestTransformsAttr().Get()
        if not rest or len(rest) != count:
            raise UserError(f"{path}: {skeleton.GetPath()} has no bindTransforms for its joints")
        values = UsdSkel.ConcatJointTransforms(topology, rest)
    bind = np.array([to_columns(one) for one in values]).reshape(-1, 4, 4)
    if not np.isfinite(bind).all() or (np.abs(np.linalg.det(bind)) < SINGULAR).any():
        problem = "has bindTransforms that are not finite, or cannot be undone"
        raise UserError(f"{path}: {skeleton.GetPath()} {problem}; valid: scales that are not 0")
    return bind


def count_triangles(mesh: Any) -> int:
    """A face of n corners is n - 2 triangles."""
    corners = np.array(mesh.GetFaceVertexCountsAttr().Get() or [], int)
    return int(np.maximum(corners - 2, 0).sum())


def read_surface(stage: Any, joints: list[str], world: Floats, bind: Floats, path: Path) -> Surface:
    """Points of all meshes that are bound to the skeleton, as they were bound."""
    from pxr import UsdGeom, UsdSkel

    points, owners = [np.zeros((0, 3))], [np.zeros(0, np.int64)]
    place = {name: k for k, name in enumerate(joints)}
    lift = world[0] @ np.linalg.inv(bind[0]) if len(joints) else np.eye(4)
    for prim in stage.Traverse():
        if not prim.IsA(UsdGeom.Mesh) or not prim.HasAPI(UsdSkel.BindingAPI):
            continue
        binding = UsdSkel.BindingAPI(prim)
        at = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get() or [], float).reshape(-1, 3)
        order = [str(name) for name in binding.GetJointsAttr().Get() or joints]
        which = np.array(binding.GetJointIndicesAttr().Get() or [], int)
        weight = np.array(binding.GetJointWeightsAttr().Get() or [], float)
        if len(at) == 0 or which.size == 0 or which.size % len(at) or which.size != weight.size:
            continue
        which, weight = (values.reshape(len(at), -1) for values in (which, weight))
        most = which[np.arange(len(at)), np.argmax(weight, axis=1)]
        if not set(order) <= set(joints) or not 0 <= most.min() <= most.max() < len(order):
            raise UserError(f"{path}: {prim.GetPath()} follows joints that its skeleton has not")
        geometry = binding.GetGeomBindTransformAttr().Get()
        matrix = lift @ (np.eye(4) if geometry is None else to_columns(geometry))
        points.append(at @ matrix[:3, :3].T + matrix[:3, 3])
        owners.append(np.array([place[order[k]] for k in most], np.int64))
    return Surface(np.concatenate(points), np.concatenate(owners))


def write_usd_rig(
    source: RigSource, tracks: LocalTracks, output: Path, *, clip: Clip, name: str, replace: bool
) -> list[str]:
    """The user's stage, flattened into one file, with its skeleton bound to our animation; returns
    notes."""
    from pxr import Sdf, Usd, UsdSkel, Vt

    stage = Usd.Stage.Open(open_stage(source.file).Flatten())
    skeleton = find_skeleton(stage, source.file)
    notes = leave_animation(stage, skeleton, replace=replace)
    path = choose_path(stage, skeleton, name)
    animation = UsdSkel.Animation.Define(stage, path)
    animation.CreateJointsAttr(skeleton.GetJointsAttr().Get())
    stage.SetTimeCodesPerSecond(clip.fps)
    stage.SetFramesPerSecond(clip.fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(clip.times) - 1)
    rest = [split_matrix(one) for one in source.local]
    scale = np.array([part[2] for part in rest]).reshape(-1, 3)
    animation.CreateScalesAttr(Vt.Vec3hArray.FromNumpy(scale.astype(np.float16)))
    position = np.array([part[0] for part in rest]).reshape(-1, 3)
    turn = matrices_to_quaternions(np.array([part[1] for part in rest]).reshape(-1, 3, 3))
    places, turns = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
    with Sdf.ChangeBlock():
        for frame in range(len(clip.times)):
            position[tracks.joints] = tracks.values[:, frame, :3]
            turn[tracks.joints] = tracks.values[:, frame, 3:]
            places.Set(Vt.Vec3fArray.FromNumpy(position.astype(np.float32)), frame)
            turns.Set(to_quaternions(turn), frame)
    binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([path])
    with replacing(output) as draft:
        stage.GetRootLayer().Export(str(draft))
    return notes


def leave_animation(stage: Any, skeleton: Any, *, replace: bool) -> list[str]:
    """What the skeleton was bound to is dropped, or told of."""
    from pxr import UsdSkel

    before = UsdSkel.BindingAPI(skeleton.GetPrim()).GetInheritedAnimationSource()
    if not before:
        return []
    if replace:
        stage.RemovePrim(before.GetPath())
        return []
    name = quote(before.GetName())
    return [f"your rig's animation {name} is kept, but no longer bound; --replace drops it"]


def choose_path(stage: Any, skeleton: Any, name: str) -> Any:
    """A place for an animation below its skeleton where nothing is yet."""
    from pxr import Tf

    stem = Tf.MakeValidIdentifier(name)
    tried = (stem if k == 1 else f"{stem}_{k}" for k in count(1))
    paths = (skeleton.GetPath().AppendChild(one) for one in tried)
    return next(path for path in paths if not stage.GetPrimAtPath(path))


def to_quaternions(turn: Floats) -> Any:
    """As USD keeps them; its arrays are imaginary part first."""
    from pxr import Vt

    return Vt.QuatfArray.FromNumpy(np.roll(turn, -1, axis=-1).astype(np.float32))
