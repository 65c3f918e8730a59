"""What is around the creatures in a USD file: things, light and a camera.

The camera sees what a film of the recording shows. A thing that moves has keys where it does, and
one that vanishes is made invisible.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Kind, Usd, UsdGeom, UsdLux

from skitter.export.props import Prop, Track
from skitter.export.usd.stage import (
    UsdFile,
    bind_material,
    define_material,
    define_mesh,
    paint,
    set_kind,
    to_matrices,
)
from skitter.look.camera import Camera
from skitter.rotation import matrices_to_quaternions

Floats = NDArray[np.floating]
Bools = NDArray[np.bool_]
FOCAL = 50.0  # mm
NEAREST, FARTHEST = 0.01, 1000.0  # that the camera sees, in distances of its target
SUN, SUN_ANGLE, SUN_TURN = 0.6, 6.0, (-52.0, 34.0, 0.0)  # light, degrees, degrees about x, y, z
SKY, SKY_COLOUR = 0.4, (0.86, 0.92, 1.0)


def define_props(file: UsdFile, path: str, props: list[Prop]) -> None:
    """Things below one prim; those that look the same share a material."""
    scenery = UsdGeom.Xform.Define(file.stage, path)
    set_kind(scenery, Kind.Tokens.component)
    UsdGeom.Scope.Define(file.stage, f"{path}/materials")
    known: dict[tuple[Any, ...], Any] = {}
    for prop in props:
        made = define_prop(file, path, prop)
        look = (prop.kind, prop.roughness, *prop.colour.tolist())
        if look not in known:
            place = file.name(prop.kind, f"{path}/materials")
            known[look] = define_material(file, place, prop.colour, prop.roughness)
        bind_material(made, known[look])


def define_prop(file: UsdFile, parent: str, prop: Prop) -> Any:
    """A mesh with a colour; where it is in every frame if that changes."""
    made = define_mesh(file, file.name(prop.name, parent), prop.mesh)
    paint(made, prop.colour)
    if prop.kind == "ground":
        made.CreateDoubleSidedAttr(True)
    if prop.track is not None:
        place_prop(file, made, prop.track)
    return made


def place_prop(file: UsdFile, made: Any, track: Track) -> None:
    """Keys where a track changes."""
    first = int(np.argmax(track.is_there))
    move, turn = made.AddTranslateOp(), made.AddOrientOp()
    move.Set(Gf.Vec3d(*(track.position[first] * file.scale).tolist()))
    turn.Set(Gf.Quatf(*track.orientation[first].tolist()))
    if track.moves:
        for frame in np.flatnonzero(mark_keys(track.position, track.orientation)):
            time = Usd.TimeCode(int(frame))
            move.Set(Gf.Vec3d(*(track.position[frame] * file.scale).tolist()), time)
            turn.Set(Gf.Quatf(*track.orientation[frame].tolist()), time)
    if track.vanishes:
        there = track.is_there
        shown = made.CreateVisibilityAttr()
        for frame in np.flatnonzero(np.diff(there, prepend=~there[:1])):
            kind = UsdGeom.Tokens.inherited if there[frame] else UsdGeom.Tokens.invisible
            shown.Set(kind, Usd.TimeCode(int(frame)))


def mark_keys(*tracks: Floats) -> Bools:
    """The frames [frame] that differ from a neighbour; between others nothing changes."""
    values = np.concatenate([track.reshape(len(track), -1) for track in tracks], axis=1)
    changes = np.any(np.diff(values, axis=0) != 0, axis=1)
    return np.asarray(np.append(changes, False) | np.append(False, changes))


def define_lights(file: UsdFile, path: str) -> None:
    """A sun and a sky."""
    UsdGeom.Xform.Define(file.stage, path)
    sun = UsdLux.DistantLight.Define(file.stage, f"{path}/sun")
    sun.CreateIntensityAttr(SUN)
    sun.CreateAngleAttr(SUN_ANGLE)
    sun.CreateNormalizeAttr(True)  # so that a wider sun is not a brighter one
    sun.AddRotateXYZOp().Set(Gf.Vec3f(*SUN_TURN))
    sky = UsdLux.DomeLight.Define(file.stage, f"{path}/sky")
    sky.CreateIntensityAttr(SKY)
    sky.CreateColorAttr(Gf.Vec3f(*SKY_COLOUR))


def define_camera(file: UsdFile, path: str, cameras: list[Camera]) -> None:
    """A camera with keys where it moves."""
    made = UsdGeom.Camera.Define(file.stage, path)
    first, scale = cameras[0], file.scale
    height = 2 * FOCAL * float(np.tan(first.angle / 2))
    made.CreateFocalLengthAttr(FOCAL)
    made.CreateVerticalApertureAttr(height)
    made.CreateHorizontalApertureAttr(height * first.aspect)
    made.CreateFocusDistanceAttr(float(first.distance * scale))
    far = max(camera.distance for camera in cameras) * scale
    made.CreateClippingRangeAttr(Gf.Vec2f(NEAREST * far, FARTHEST * far))
    matrices = place_cameras(cameras, scale)
    place = made.AddTransformOp()
    place.Set(matrices[0])
    for frame in np.flatnonzero(mark_keys(np.array(matrices))):
        place.Set(matrices[int(frame)], Usd.TimeCode(int(frame)))


def place_cameras(cameras: list[Camera], scale: float) -> Any:
    """Where cameras are, as matrices; a camera looks along its -z."""
    eyes = np.stack([camera.eye for camera in cameras]) * scale
    axes = [np.stack([*camera.axes(), camera.backward], axis=1) for camera in cameras]
    return to_matrices(eyes, matrices_to_quaternions(np.stack(axes)))
