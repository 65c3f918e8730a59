"""Meshes from files (OBJ, STL, PLY) or from the built-in shapes, clean and of the right size."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skitter.disk import BadFile, read_regular
from skitter.errors import UserError
from skitter.rotation import matrix_from_turn
from skitter.scene.spec import MESH_NAMES, MeshTerrain
from skitter.scene.terrain_files import FILE_LIMIT, check_content
from skitter.terrain.mesh_read import Triangles, read_obj, read_ply, read_stl
from skitter.terrain.mesh_repair import (
    NotRepairable,
    Surface,
    find_surface,
    make_solid,
    repair_surface,
)
from skitter.terrain.shapes import build_shape

Floats = NDArray[np.floating]

UP = np.array([0.0, 1.0, 0.0])
READERS = {".obj": read_obj, ".stl": read_stl, ".ply": read_ply}
VALID = "an OBJ, STL or PLY file, or a built-in mesh"
THICKNESS_SHARE = 0.005  # of the longest edge of its box, where a scene names no thickness


def load_surface(spec: MeshTerrain, up: Floats) -> Surface:
    """The mesh of a scene, centred, in cm; `up` is the world's upwards in the mesh's own frame.

    What it is not said to be is found: closed ones are solid, all others sheets. One that is said
    to be solid is closed.
    """
    surface = load_clean(spec.file, spec.sha256, spec.solid)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    scale = spec.scale if spec.size is None else spec.size / float((high - low).max())
    points = (surface.points - (low + high) / 2) * scale
    check_size(spec.file, float(np.abs(points).max()))
    placed = replace(surface, points=points)
    if spec.solid is False or (spec.solid is None and not placed.is_closed):
        return replace(placed, thickness=find_thickness(spec, float((high - low).max()) * scale))
    if spec.thickness is not None:
        raise UserError(
            f"mesh '{spec.file}': is closed, so it is solid and has no thickness of its own;"
            " valid: no thickness, or solid: false"
        )
    try:
        return placed if placed.is_closed else make_solid(placed, up)
    except NotRepairable as error:
        raise UserError(f"mesh '{spec.file}': {error}") from None


def find_thickness(spec: MeshTerrain, length: float) -> float:
    """Of a sheet so long, cm."""
    if spec.thickness is None:
        return THICKNESS_SHARE * length
    if spec.thickness > length:
        raise UserError(
            f"mesh '{spec.file}': has a thickness of {spec.thickness:g} cm, but is only"
            f" {length:.3g} cm long; valid: up to that"
        )
    return spec.thickness


def measure_box(spec: MeshTerrain) -> tuple[float, float, float]:
    """Edges of the box around a mesh before it is turned, cm."""
    surface = load_surface(spec, matrix_from_turn(spec.turn_deg).T @ UP)
    x, y, z = np.ptp(surface.points, axis=0) + surface.thickness
    return float(x), float(y), float(z)


def describe_sheet(spec: MeshTerrain) -> str:
    """What is told of a mesh that was found to be a sheet; nothing of any other."""
    if spec.solid is not None:
        return ""
    surface = load_surface(spec, matrix_from_turn(spec.turn_deg).T @ UP)
    if surface.thickness == 0.0:
        return ""
    return (
        f"mesh '{spec.file}' {surface.flaw}, so it is a sheet of two sides,"
        f" {surface.thickness:.3g} cm thick; valid: solid: false to say so, or a closed mesh"
    )


def check_size(file: str, reach: float) -> None:
    if not 1e-4 <= reach <= 1e5:
        raise UserError(
            f"mesh '{file}': reaches {reach:.3g} cm from its middle; valid: 0.0001 to 100,000 cm,"
            " which scale or size can set"
        )


@lru_cache(maxsize=8)
def load_clean(file: str, sha256: str | None, solid: bool | None) -> Surface:
    """The mesh in its own units, repaired; kept, as one file often stands in several places."""
    if file in MESH_NAMES:
        return build_shape(file)
    try:
        points, triangles = read_mesh(Path(file), sha256)
        if solid is None:
            return find_surface(points, triangles)
        return repair_surface(points, triangles, shell=not solid)
    except NotRepairable as error:
        raise UserError(f"mesh '{file}': {error}") from None


def read_mesh(path: Path, sha256: str | None) -> Triangles:
    """Points and triangles as they are in the file."""
    kind = path.suffix.lower()
    if kind not in READERS:
        raise NotRepairable(f"is not a mesh file by its name; valid: {', '.join(READERS)}")
    try:
        data = read_regular(path, FILE_LIMIT, valid=VALID)
    except BadFile as error:
        raise NotRepairable(str(error)) from None
    if not data:
        raise NotRepairable("is empty; valid: a mesh of triangles")
    check_content(path, data, sha256)
    try:
        return READERS[kind](data)
    except BadFile as error:
        raise NotRepairable(f"is not understood as {kind[1:].upper()}: it {error}") from None
