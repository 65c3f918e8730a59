"""The primitives that an item of a scene's terrain is made of."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from skitter.rotation import matrix_from_turn, matrix_y_to
from skitter.scene.spec import (
    AnyTerrain,
    BoxTerrain,
    CylinderTerrain,
    HeightfieldTerrain,
    MeshTerrain,
    PlaneTerrain,
    SphereTerrain,
)
from skitter.terrain.heightfield import build_sheet, compute_grid
from skitter.terrain.made import expand
from skitter.terrain.mesh_build import build_mesh
from skitter.terrain.mesh_load import load_surface
from skitter.terrain.mesh_query import BOX_SIZE, BOXES, GROUND, HALF, SHEET, SOLID, MeshArrays
from skitter.terrain.surface import BOX, CYLINDER, FAR, MESH, PLANE, SPHERE

UP = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class Primitive:
    """One row of `TerrainArrays`."""

    kind: int
    centre: tuple[float, float, float]
    axes: np.ndarray  # [3, 3]
    extent: tuple[float, float, float] = (0.0, 0.0, 0.0)
    reach: float = FAR
    mesh: MeshArrays | None = None


def describe_item(spec: AnyTerrain) -> list[Primitive]:
    """All primitives of an item."""
    return [describe_simple(one) for one in expand(spec)]


def describe_simple(spec: AnyTerrain) -> Primitive:
    """An item that is one primitive."""
    if isinstance(spec, HeightfieldTerrain):
        return Primitive(MESH, spec.at, np.eye(3), mesh=build_field(strip(spec)))
    if isinstance(spec, MeshTerrain):
        mesh = build_mesh_item(strip(spec))
        axes, reach = matrix_from_turn(spec.turn_deg), measure_reach(mesh)
        return Primitive(MESH, spec.at, axes, reach=reach, mesh=mesh)
    if isinstance(spec, PlaneTerrain):
        return Primitive(PLANE, spec.at, matrix_y_to(spec.normal))
    if isinstance(spec, SphereTerrain):
        return Primitive(SPHERE, spec.at, np.eye(3), (spec.radius, 0.0, 0.0), hold(spec.radius))
    assert isinstance(spec, BoxTerrain | CylinderTerrain), f"{spec.shape}: see terrain/made.py"
    axes = matrix_from_turn(spec.turn_deg)
    if isinstance(spec, BoxTerrain):
        x, y, z = spec.size
        half = (x / 2, y / 2, z / 2)
        return Primitive(BOX, spec.at, axes, half, hold(*half))
    extent = (spec.radius, spec.length / 2, 0.0)
    return Primitive(CYLINDER, spec.at, axes, extent, hold(*extent))


def hold(*half: float) -> float:
    """Radius of the ball about a box of half edges, with room for rounding."""
    return float(np.linalg.norm(half)) * (1 + 1e-9)


def strip(spec: HeightfieldTerrain | MeshTerrain) -> str:
    """What of an item makes its shape; the same mesh often stands in several places."""
    other = {"at", "friction", "restitution", "colour"}
    return spec.model_dump_json(exclude=other)


@lru_cache(maxsize=4)
def build_field(shape: str) -> MeshArrays:
    spec = HeightfieldTerrain.model_validate_json(shape)
    points, triangles, core = build_sheet(compute_grid(spec))
    return build_mesh(points, triangles, side=GROUND, core=core)


@lru_cache(maxsize=4)
def build_mesh_item(shape: str) -> MeshArrays:
    spec = MeshTerrain.model_validate_json(shape[:-1] + ',"at":[0,0,0]}')
    up = matrix_from_turn(spec.turn_deg).T @ UP
    surface = load_surface(spec, up)
    side = SHEET if surface.thickness > 0 else SOLID
    return build_mesh(surface.points, surface.triangles, side=side, thickness=surface.thickness)


def measure_reach(mesh: MeshArrays) -> float:
    """Radius of the ball about the origin that holds a mesh."""
    box = mesh.numbers[BOXES : BOXES + BOX_SIZE].reshape(2, 3)
    return hold(*np.abs(box).max(axis=0) + mesh.numbers[HALF])
