"""A USD file that is being written: its units, names, meshes, materials, and samples over time.

Time samples of a layer lie in memory until the layer is saved. A binary layer that is saved again
and again only grows at its end and lets go of what it has written, so a long clip needs little
memory: `UsdFile.flush` is called now and then.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Kind, Sdf, Tf, Usd, UsdGeom, UsdShade, Vt

from skitter.export.clip import Clip
from skitter.look.mesh import Mesh, unit_rows
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
METRES = 0.01  # in a unit of the file
WORLD = "World"
PROBE = 1 << 24  # bytes for which a disk is asked when USD has failed


@contextmanager
def failing_as_files_do(path: Path) -> Iterator[None]:
    """What USD cannot write at a path fails like any other file."""
    try:
        yield
    except Tf.ErrorException as error:
        raise find_reason(path) from error


def find_reason(path: Path) -> OSError:
    """Why nothing can be written at a path: USD names its own source, so the disk is asked."""
    probe = path.with_name(f"{path.name}.probe")
    try:
        with probe.open("wb") as file:
            file.write(bytes(PROBE))
    except OSError as error:
        return error
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
    return OSError("USD could not write it")


class UsdFile:
    """A stage in a binary file."""

    def __init__(self, path: Path, clip: Clip, scale: float) -> None:
        self.clip, self.scale, self.path = clip, scale, path
        with failing_as_files_do(path):
            self.layer = Sdf.Layer.CreateNew(str(path))
        self.stage = Usd.Stage.Open(self.layer)
        self.world = UsdGeom.Xform.Define(self.stage, f"/{WORLD}")
        self.stage.SetDefaultPrim(self.world.GetPrim())
        set_kind(self.world, Kind.Tokens.assembly)
        UsdGeom.SetStageUpAxis(self.stage, UsdGeom.Tokens.y)
        UsdGeom.SetStageMetersPerUnit(self.stage, METRES)
        self.stage.SetTimeCodesPerSecond(clip.fps)
        self.stage.SetFramesPerSecond(clip.fps)
        self.stage.SetStartTimeCode(0)
        self.stage.SetEndTimeCode(len(clip.times) - 1)
        self.layer.comment = "written by Skitter; centimetres, y up"

    def name(self, wanted: str, parent: str = f"/{WORLD}") -> str:
        """A path below a parent that is free, as near to a name as USD allows."""
        stem = Tf.MakeValidIdentifier(wanted)
        path, again = f"{parent}/{stem}", 1
        while self.stage.GetPrimAtPath(path):
            again += 1
            path = f"{parent}/{stem}_{again}"
        return path

    def flush(self) -> None:
        """Writes what there is and frees its memory."""
        with failing_as_files_do(self.path):
            self.layer.Save()


def set_kind(prim: Any, kind: str) -> None:
    """What a prim is to those who browse a file: an assembly, a component."""
    Usd.ModelAPI(prim.GetPrim()).SetKind(kind)


def to_vectors(rows: Floats) -> Any:
    """Rows [n, 3] as USD has them."""
    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(rows, np.float32))


def to_quaternions(rows: Floats) -> Any:
    """Rows [n, 4] of w, x, y, z as USD has them: it keeps the real part last in memory."""
    return Vt.QuatfArray.FromNumpy(np.ascontiguousarray(np.roll(rows, -1, axis=-1), np.float32))


def to_matrices(position: Floats, orientation: Floats) -> Any:
    """Places [n, 3] and w, x, y, z [n, 4] as matrices, whose rows are where the axes go."""
    matrices = np.tile(np.eye(4), (len(position), 1, 1))
    matrices[:, :3, :3] = np.swapaxes(quaternion_to_matrix(orientation), -1, -2)
    matrices[:, 3, :3] = position
    return Vt.Matrix4dArray.FromNumpy(matrices)


def measure_extent(points: Floats) -> Any:
    """The box around points, as two corners."""
    return to_vectors(np.stack([points.min(axis=0), points.max(axis=0)]))


def fill_normals(normals: Floats) -> Floats:
    """Unit normals; one of no length points up."""
    unit = unit_rows(np.asarray(normals, float))
    return np.where(np.any(unit, axis=1, keepdims=True), unit, [0.0, 1.0, 0.0])


def define_mesh(
    file: UsdFile, path: str, mesh: Mesh, *, is_moving: bool = False, is_smooth: bool = False
) -> Any:
    """A mesh; one that moves gets its points frame by frame, by `set_mesh`.

    One that is smooth everywhere needs no normals: programs that subdivide it find their own.
    """
    made = UsdGeom.Mesh.Define(file.stage, path)
    tokens = UsdGeom.Tokens
    made.CreateSubdivisionSchemeAttr(tokens.catmullClark if is_smooth else tokens.none)
    if is_smooth:
        made.CreateTriangleSubdivisionRuleAttr(tokens.smooth)
    made.CreateFaceVertexCountsAttr(Vt.IntArray(len(mesh.triangles), 3))
    corners = np.ascontiguousarray(mesh.triangles, np.int32).reshape(-1)
    made.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(corners))
    made.CreatePointsAttr()
    made.CreateExtentAttr()
    if not is_smooth:
        made.CreateNormalsAttr()
        made.SetNormalsInterpolation(tokens.vertex)
    if not is_moving:
        set_mesh(made, mesh.points * file.scale, None if is_smooth else mesh.normals)
    return made


def set_mesh(
    made: Any, points: Floats, normals: Floats | None = None, *, frame: int | None = None
) -> None:
    """Points, and normals where a mesh has them, for all time or in a frame."""
    time = Usd.TimeCode.Default() if frame is None else Usd.TimeCode(frame)
    made.GetPointsAttr().Set(to_vectors(points), time)
    if normals is not None:
        made.GetNormalsAttr().Set(to_vectors(fill_normals(normals)), time)
    made.GetExtentAttr().Set(measure_extent(points), time)


def paint(made: Any, colours: Floats, *, frame: int | None = None) -> None:
    """One colour [3] or one for each point [point, 3], in linear light, for all time or a frame."""
    is_one = colours.ndim == 1
    kind = UsdGeom.Tokens.constant if is_one else UsdGeom.Tokens.vertex
    values = to_vectors(np.clip(np.atleast_2d(colours), 0, 1))
    time = Usd.TimeCode.Default() if frame is None else Usd.TimeCode(frame)
    made.CreateDisplayColorPrimvar(kind).Set(values, time)


def define_material(
    file: UsdFile,
    path: str,
    colour: Floats,
    roughness: float,
    *,
    opacity: float = 1.0,
    ior: float = 1.5,
    gloss: float = 0.0,
    is_painted: bool = False,
) -> Any:
    """A plain surface of one colour, or of the colours that its mesh has."""
    material = UsdShade.Material.Define(file.stage, path)
    shader = UsdShade.Shader.Define(file.stage, f"{path}/surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    diffuse = shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
    diffuse.Set(to_colour(colour))
    values = {"roughness": roughness, "opacity": opacity, "ior": ior, "clearcoat": gloss}
    for name, value in values.items():
        shader.CreateInput(name, Sdf.ValueTypeNames.Float).Set(value)
    if is_painted:
        diffuse.ConnectToSource(define_reader(file, f"{path}/colours", colour))
    surface = shader.CreateOutput("surface", Sdf.ValueTypeNames.Token)
    material.CreateSurfaceOutput().ConnectToSource(surface)
    return material


def define_reader(file: UsdFile, path: str, fallback: Floats) -> Any:
    """What gives a shader the colours of a mesh."""
    reader = UsdShade.Shader.Define(file.stage, path)
    reader.CreateIdAttr("UsdPrimvarReader_float3")
    reader.CreateInput("varname", Sdf.ValueTypeNames.String).Set("displayColor")
    reader.CreateInput("fallback", Sdf.ValueTypeNames.Float3).Set(to_colour(fallback))
    return reader.CreateOutput("result", Sdf.ValueTypeNames.Float3)


def to_colour(colour: Floats) -> Any:
    """A colour in linear light, as USD has it."""
    return Gf.Vec3f(*(float(part) for part in np.clip(colour, 0, 1)))


def bind_material(made: Any, material: Any) -> None:
    UsdShade.MaterialBindingAPI.Apply(made.GetPrim()).Bind(material)
