"""Meshes from files (OBJ, STL, PLY) or from the built-in shapes, clean and of the right size."""

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skitter.disk import BadFile, read_regular
from skitter.errors import UserError
from skitter.scene.spec import MESH_NAMES, MeshTerrain
from skitter.scene.terrain_files import FILE_LIMIT, check_content
from skitter.terrain.mesh_read import Triangles, read_obj, read_ply, read_stl
from skitter.terrain.mesh_repair import (
    NotRepairable,
    Surface,
    is_sheet,
    repair_surface,
    thicken_sheet,
)
from skitter.terrain.shapes import build_shape

Floats = NDArray[np.floating]

READERS = {".obj": read_obj, ".stl": read_stl, ".ply": read_ply}
VALID = "an OBJ, STL or PLY file, or a built-in mesh"


def load_surface(spec: MeshTerrain, up: Floats) -> Surface:
    """The mesh of a scene, centred, in cm; `up` is the world's upwards in the mesh's own frame.

    An open mesh that faces up everywhere is ground, and made solid downwards.
    """
    surface = load_clean(spec.file, spec.sha256, not spec.solid)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    scale = spec.scale if spec.size is None else spec.size / float((high - low).max())
    points = (surface.points - (low + high) / 2) * scale
    check_size(spec.file, float(np.abs(points).max()))
    placed = Surface(points, surface.triangles, surface.is_closed)
    if not spec.solid or placed.is_closed:
        return placed
    turned = Surface(points, surface.triangles[:, ::-1], False)
    for sheet in (placed, turned):
        if is_sheet(sheet, up):
            return thicken_sheet(sheet, up)
    return placed


def check_size(file: str, reach: float) -> None:
    if not 1e-4 <= reach <= 1e5:
        raise UserError(
            f"mesh '{file}': reaches {reach:.3g} cm from its middle; valid: 0.0001 to 100,000 cm,"
            " which scale or size can set"
        )


@lru_cache(maxsize=8)
def load_clean(file: str, sha256: str | None, shell: bool) -> Surface:
    """The mesh in its own units, repaired; kept, as one file often stands in several places."""
    if file in MESH_NAMES:
        return build_shape(file)
    try:
        points, triangles = read_mesh(Path(file), sha256)
        return repair_surface(points, triangles, shell=shell)
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
