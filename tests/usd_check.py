"""Whether a USD file is sound: by the validators that USD brings, and by our own.

Those of USD look at schemas, materials and metadata, but take any face for good. Here meshes are
looked at, all their samples over time, and rigs: joints, weights and poses. Every variant is looked
at in its turn.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdSkel, UsdValidation

Array = NDArray[Any]
WEIGHT_ERROR, UNIT_ERROR = 1e-5, 1e-3


def check_usd(path: Path) -> list[str]:
    """All that is wrong with a file, one line each; nothing if it is sound."""
    try:
        stage = Usd.Stage.Open(str(path))
    except Tf.ErrorException as error:
        return [f"{path}: cannot be opened: {str(error).strip().splitlines()[-1].strip()}"]
    found: dict[str, None] = {}
    for _ in choose_variants(stage):
        found |= dict.fromkeys([*validate(stage), *check_stage(stage)])
    return list(found)


def choose_variants(stage: Any) -> Iterator[None]:
    """The stage as it is, then with each variant of each set chosen; its file stays as it is."""
    yield
    stage.SetEditTarget(stage.GetSessionLayer())
    names: dict[tuple[str, str], None] = {}
    for prim in stage.Traverse():
        sets = prim.GetVariantSets()
        names |= {
            (name, one): None
            for name in sets.GetNames()
            for one in sets.GetVariantSet(name).GetVariantNames()
        }
    for name, one in names:
        for prim in list(stage.Traverse()):
            if prim.GetVariantSets().HasVariantSet(name):
                prim.GetVariantSets().GetVariantSet(name).SetVariantSelection(one)
        yield


def validate(stage: Any) -> list[str]:
    """What the validators of USD say."""
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    return [" ".join(error.GetErrorAsString().split()) for error in errors]


def check_stage(stage: Any) -> Iterator[str]:
    """What is wrong with the stage and its prims."""
    if not stage.GetDefaultPrim():
        yield "the stage has no default prim"
    for key in ("upAxis", "metersPerUnit", "timeCodesPerSecond"):
        if not stage.HasAuthoredMetadata(key):
            yield f"the stage does not say its {key}"
    checks = {
        UsdGeom.Mesh: check_mesh,
        UsdSkel.Skeleton: check_skeleton,
        UsdSkel.Animation: check_animation,
    }
    for prim in stage.Traverse():
        yield from check_numbers(prim)
        for schema, check in checks.items():
            if prim.IsA(schema):
                yield from (f"{prim.GetPath()}: {problem}" for problem in check(schema(prim)))


def read_samples(attribute: Any) -> Iterator[tuple[Any, Array]]:
    """All values of an array attribute over time; one if it does not change."""
    for time in attribute.GetTimeSamples() or [Usd.TimeCode.Default()]:
        value = attribute.Get(time)
        yield time, to_array(value)


def to_array(value: Any) -> Array:
    """Numbers of any kind that USD has."""
    if value is None:
        return np.zeros(0)
    if isinstance(value, Gf.Quatf | Gf.Quatd | Gf.Quath):
        return np.array([value.GetReal(), *value.GetImaginary()], float)
    return np.asarray(value)


def check_numbers(prim: Any) -> Iterator[str]:
    """Numbers that are none."""
    for attribute in prim.GetAuthoredAttributes():
        if not is_of_floats(attribute):
            continue
        for time, value in read_samples(attribute):
            if not np.isfinite(value.astype(float)).all():
                yield f"{attribute.GetPath()}: is not finite at {time}"
                break


def is_of_floats(attribute: Any) -> bool:
    scalar = str(attribute.GetTypeName().cppTypeName)
    return any(part in scalar for part in ("float", "double", "half", "Vec", "Quat", "Matrix"))


def check_mesh(mesh: Any) -> Iterator[str]:
    """Faces, and as many values of everything as there are points, in all samples."""
    counts = read_one(mesh.GetFaceVertexCountsAttr())
    corners = read_one(mesh.GetFaceVertexIndicesAttr())
    sizes = {len(value) for _, value in read_samples(mesh.GetPointsAttr())}
    if len(sizes) != 1:
        yield f"has {sorted(sizes)} points at different times"
        return
    points = sizes.pop()
    if points == 0 or len(counts) == 0:
        yield "has no points or no faces"
    if (counts < 3).any():
        yield "has faces of fewer than three corners"
    if counts.sum() != len(corners):
        yield f"has {len(corners)} corners of faces, and {counts.sum()} are counted"
    if len(corners) and not (corners.min() >= 0 and corners.max() < points):
        yield f"has a face with point {corners.max()} or {corners.min()}, of {points} points"
    yield from check_normals(mesh, points)
    yield from check_primvars(mesh, points)
    yield from check_extents(mesh)
    if mesh.GetPrim().HasAPI(UsdSkel.BindingAPI):
        yield from check_binding(mesh, points)


def read_one(attribute: Any) -> Array:
    return next(read_samples(attribute))[1]


def check_normals(mesh: Any, points: int) -> Iterator[str]:
    for time, normals in read_samples(mesh.GetNormalsAttr()):
        if len(normals) == 0:
            return
        if len(normals) != points:
            yield f"has {len(normals)} normals and {points} points at {time}"
        elif np.abs(np.linalg.norm(normals, axis=1) - 1).max() > UNIT_ERROR:
            yield f"has normals that are not of length one at {time}"
            return


def check_primvars(mesh: Any, points: int) -> Iterator[str]:
    for primvar in UsdGeom.PrimvarsAPI(mesh).GetAuthoredPrimvars():
        kind, each = primvar.GetInterpolation(), max(primvar.GetElementSize(), 1)
        if not primvar.GetTypeName().isArray:
            continue
        expected = {"constant": 1, "vertex": points}.get(kind)
        for time, value in read_samples(primvar.GetAttr()):
            if expected is not None and len(value) != expected * each:
                name = primvar.GetPrimvarName()
                yield f"has {len(value)} of {name} instead of {expected * each} at {time}"


def check_extents(mesh: Any) -> Iterator[str]:
    """Boxes that do not hold the points."""
    boxes = dict(read_samples(mesh.GetExtentAttr()))
    for time, points in read_samples(mesh.GetPointsAttr()):
        box = boxes.get(time, np.zeros(0))
        slack = 1e-5 * max(float(np.abs(points).max(initial=0)), 1.0)
        if len(box) != 2:
            yield f"has no extent at {time}"
        elif (points < box[0] - slack).any() or (points > box[1] + slack).any():
            yield f"has points outside its extent at {time}"
        else:
            continue
        return


def check_binding(mesh: Any, points: int) -> Iterator[str]:
    """Joints and weights of a skin."""
    binding = UsdSkel.BindingAPI(mesh)
    if mesh.GetPointsAttr().GetNumTimeSamples():
        yield "has a skeleton and points that change"
    skeleton = binding.GetInheritedSkeleton()
    joints = len(skeleton.GetJointsAttr().Get() or []) if skeleton else 0
    primvars = binding.GetJointIndicesPrimvar(), binding.GetJointWeightsPrimvar()
    index, weight = (np.asarray(one.Get() or []) for one in primvars)
    if not joints or len(index) != len(weight) or len(index) % max(points, 1):
        yield f"has {len(index)} joints and {len(weight)} weights for {points} points"
        return
    if len(index) and not (index.min() >= 0 and index.max() < joints):
        yield f"follows joint {index.max()} or {index.min()}, of {joints}"
    total = weight.reshape(points, -1).sum(axis=1)
    if (weight < 0).any() or np.abs(total - 1).max() > WEIGHT_ERROR:
        yield "has weights that do not sum to one"


def check_skeleton(skeleton: Any) -> Iterator[str]:
    """Joints after their parents, and a transform for each."""
    joints = [str(joint) for joint in skeleton.GetJointsAttr().Get() or []]
    yield from check_order(joints)
    for name in ("bindTransforms", "restTransforms"):
        value = np.asarray(skeleton.GetPrim().GetAttribute(name).Get() or [])
        if len(value) != len(joints):
            yield f"has {len(value)} {name} for {len(joints)} joints"
        elif len(value) and np.abs(np.abs(np.linalg.det(value)) - 1).max() > UNIT_ERROR:
            yield f"has {name} that are scaled"


def check_order(joints: list[str]) -> Iterator[str]:
    known: set[str] = set()
    for joint in joints:
        path = Sdf.Path(joint)
        if joint in known:
            yield f"has joint {joint} twice"
        if path.pathElementCount > 1 and str(path.GetParentPath()) not in known:
            yield f"has joint {joint} before its parent"
        known.add(joint)
    if not joints:
        yield "has no joints"


def check_animation(motion: Any) -> Iterator[str]:
    """A pose for all joints in all samples, unit rotations, and scales of one."""
    joints = [str(joint) for joint in motion.GetJointsAttr().Get() or []]
    yield from check_order(joints)
    for attribute in (motion.GetTranslationsAttr(), motion.GetRotationsAttr()):
        for time, value in read_samples(attribute):
            if len(value) != len(joints):
                yield f"has {len(value)} {attribute.GetName()} for {len(joints)} joints at {time}"
                break
    for time, turns in read_samples(motion.GetRotationsAttr()):
        if np.abs(np.linalg.norm(turns.reshape(-1, 4), axis=1) - 1).max(initial=0) > UNIT_ERROR:
            yield f"has rotations that are not of length one at {time}"
            break
    for time, scales in read_samples(motion.GetScalesAttr()):
        if len(scales) != len(joints) or (scales != 1).any():
            yield f"has scales that are not one at {time}"
            break
