"""Meshes from files (OBJ, STL, PLY) or from the built-in shapes, clean and of the right size."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.errors import UserError
from skitter.scene.spec import MESH_NAMES, MeshTerrain
from skitter.scene.terrain_files import check_content, describe_os_error
from skitter.terrain.mesh_repair import (
    NotRepairable,
    Surface,
    is_sheet,
    repair_surface,
    thicken_sheet,
)
from skitter.terrain.shapes import build_shape

Floats = NDArray[np.floating]

FORMATS = (".obj", ".stl", ".ply")
TRIANGLE_LIMIT = 1_000_000
FILE_LIMIT = 500_000_000  # bytes


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


def read_mesh(path: Path, sha256: str | None) -> tuple[Floats, NDArray[np.int64]]:
    """Points and triangles as they are in the file."""
    if path.suffix.lower() not in FORMATS:
        raise NotRepairable(f"is not a mesh file by its name; valid: {', '.join(FORMATS)}")
    try:
        check_file_size(path)
        check_content(path, sha256)
        mesh = parse_mesh(path)
    except OSError as error:
        raise NotRepairable(f"cannot be read: {describe_os_error(error)}") from None
    points = np.asarray(mesh.vertices, float).reshape(-1, 3)
    triangles = np.asarray(mesh.faces, np.int64).reshape(-1, 3)
    if len(triangles) > TRIANGLE_LIMIT:
        raise NotRepairable(f"has {len(triangles):,} triangles; valid: at most {TRIANGLE_LIMIT:,}")
    return points, triangles


def check_file_size(path: Path) -> None:
    if not path.is_file():
        raise NotRepairable("is not a file; valid: an OBJ, STL or PLY file, or a built-in mesh")
    size = path.stat().st_size
    if size == 0:
        raise NotRepairable("is empty; valid: a mesh of triangles")
    if size > FILE_LIMIT:
        raise NotRepairable(f"has {size:,} bytes; valid: at most {FILE_LIMIT:,}")


def parse_mesh(path: Path) -> Any:
    """What trimesh makes of a file. It raises nearly anything when a file is damaged."""
    import trimesh  # takes a while to load, and most scenes have no mesh

    kind = path.suffix.lower()[1:]
    options: dict[str, Any] = {"skip_materials": True} if kind == "obj" else {}
    try:
        with path.open("rb") as file:
            mesh = trimesh.load_mesh(file, file_type=kind, process=False, **options)
    except OSError:
        raise
    except Exception as error:
        words = str(error).strip() or type(error).__name__
        raise NotRepairable(
            f"is not understood as {kind.upper()} ({words[:80]}); valid: an intact mesh file"
        ) from None
    if not hasattr(mesh, "faces"):
        raise NotRepairable("has no faces; valid: a mesh of triangles")
    return mesh
