"""Heightfields and triangle meshes as they are drawn: the surface that feet feel, with normals.

Normals are shared by faces that meet at a small angle and split at creases. A sheet is drawn with
both its sides, half its thickness away from the mesh, and round rims between them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.mesh import Mesh, grid_triangles, join_meshes
from skitter.rotation import matrix_from_turn
from skitter.scene.spec import HeightfieldTerrain, MeshTerrain
from skitter.terrain.heightfield import HeightGrid, compute_grid
from skitter.terrain.mesh_build import add_to, compute_corner_angles, compute_face_normals
from skitter.terrain.mesh_load import load_surface
from skitter.terrain.mesh_repair import count_edge_uses

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]

CREASE = np.cos(np.radians(50.0))  # faces that meet at a larger angle keep their edge
LEVEL_SHARE = 0.01  # of a field's height: what its border may differ and still be called level
SINK_SHARE = 0.003  # of a field's height: how much too low the level floor around it is drawn
BORDER_SHARE = 0.15  # of a field's width: where it dips into that floor
SKIRT_SHARE = 0.05  # of a field's size: how far its border hangs down
RIM_STEPS = 4  # of the half circle around the rim of a sheet


def build_field(piece: dict[str, Any]) -> Mesh:
    """A heightfield as a sheet: hills that rise from a level floor, or else with a skirt."""
    grid = compute_grid(HeightfieldTerrain.model_validate(piece))
    level = find_level(grid.height)
    return build_skirted(grid) if level is None else build_hills(grid, level)


def build_skirted(grid: HeightGrid) -> Mesh:
    """The sheet, with a skirt around it that hides its underside."""
    skirt = SKIRT_SHARE * float(max(np.ptp(grid.x), np.ptp(grid.z)))
    x, z = np.pad(grid.x, 1, mode="edge"), np.pad(grid.z, 1, mode="edge")
    height = np.pad(grid.height, 1, constant_values=float(grid.height.min()) - skirt)
    normals = np.pad(compute_normals(grid), ((1, 1), (1, 1), (0, 0)), mode="edge")
    return join_grid(HeightGrid(x, z, height), normals)


def build_hills(grid: HeightGrid, level: float) -> Mesh:
    """The sheet on a floor a hair below it, into which it dips at its border along a clean line."""
    hair = SINK_SHARE * float(np.ptp(grid.height))
    lowered = grid.height - 2 * hair * compute_nearness(grid)
    sheet = join_grid(HeightGrid(grid.x, grid.z, lowered), compute_normals(grid))
    is_seen = (sheet.points[sheet.triangles][:, :, 1] > level - hair).any(axis=1)
    return Mesh(sheet.points, sheet.normals, sheet.triangles[is_seen])


def compute_nearness(grid: HeightGrid) -> Floats:
    """1 at the border, falling to 0 inwards [nx, nz]."""
    x, z = (np.minimum(line - line[0], line[-1] - line) for line in (grid.x, grid.z))
    width = BORDER_SHARE * min(np.ptp(grid.x), np.ptp(grid.z))
    return np.clip(1 - np.minimum(x[:, None], z[None]) / width, 0, 1)


def join_grid(grid: HeightGrid, normals: Floats) -> Mesh:
    across = np.meshgrid(grid.x, grid.z, indexing="ij")
    points = np.stack([across[0], grid.height, across[1]], axis=2).reshape(-1, 3)
    triangles = grid_triangles(len(grid.x), len(grid.z))[:, ::-1]
    return Mesh(points, normals.reshape(-1, 3), triangles)


def compute_normals(grid: HeightGrid) -> Floats:
    """Unit normals of a heightfield [nx, nz, 3]."""
    along, across = np.gradient(grid.height, grid.x, grid.z)
    normal = np.stack([-along, np.ones_like(along), -across], axis=2)
    return normal / np.linalg.norm(normal, axis=2, keepdims=True)


def level_around(piece: dict[str, Any]) -> float | None:
    """Height at which the ground around a heightfield is drawn, a hair too low.

    None where that ground is uneven, or where the field has hollows.
    """
    height = compute_grid(HeightfieldTerrain.model_validate(piece)).height
    level = find_level(height)
    return None if level is None else level - SINK_SHARE * float(np.ptp(height))


def find_level(height: Floats) -> float | None:
    border = np.concatenate([height[0], height[-1], height[:, 0], height[:, -1]])
    limit, level = LEVEL_SHARE * float(np.ptp(height)), float(np.median(border))
    is_level = np.abs(border - level).max() <= limit and height.min() >= level - limit
    return level if is_level and limit > 0 else None


def build_surface(piece: dict[str, Any]) -> Mesh:
    """A triangle mesh around the origin."""
    spec = MeshTerrain.model_validate(piece)
    surface = load_surface(spec, matrix_from_turn(spec.turn_deg).T @ [0.0, 1.0, 0.0])
    mesh = smooth_mesh(surface.points, surface.triangles)
    if surface.thickness == 0.0:
        return mesh
    return thicken(mesh, surface.triangles, surface.thickness / 2)


def thicken(mesh: Mesh, triangles: Ints, half: float) -> Mesh:
    """A sheet with both its sides; `triangles` name corners that are not split at creases."""
    up, down = (mesh.points + side * half * mesh.normals for side in (1, -1))
    sides = [
        Mesh(up, mesh.normals, mesh.triangles),
        Mesh(down, -mesh.normals, mesh.triangles[:, ::-1]),
    ]
    return join_meshes([*sides, build_rim(mesh, triangles, half)])


def build_rim(mesh: Mesh, triangles: Ints, half: float) -> Mesh:
    """Half a tube along the border of a sheet, from its upper to its lower side."""
    edges, uses = count_edge_uses(triangles)
    face, side = np.nonzero(uses[edges] == 1)
    ends = np.stack([side, (side + 1) % 3], axis=1)
    split, corner = (rows[face[:, None], ends] for rows in (mesh.triangles, triangles))  # [n, 2]
    point, normal = mesh.points[split], mesh.normals[split]
    # outwards: across the border, shared by the edges that meet at a corner
    out = np.cross((point[:, 1] - point[:, 0])[:, None], normal)
    out /= np.maximum(np.linalg.norm(out, axis=2, keepdims=True), 1e-300)
    out = add_to(corner.ravel(), out.reshape(-1, 3))[corner] if len(corner) else out
    out -= np.einsum("nki,nki->nk", out, normal)[..., None] * normal
    out /= np.maximum(np.linalg.norm(out, axis=2, keepdims=True), 1e-300)
    # around it from the upper side to the lower one: rows [edge, end, step, 3]
    angle = np.linspace(np.pi / 2, -np.pi / 2, RIM_STEPS + 1)[:, None]
    away = np.cos(angle) * out[:, :, None] + np.sin(angle) * normal[:, :, None]
    points = point[:, :, None] + half * away
    step = np.arange(RIM_STEPS)
    first = (np.arange(len(face)) * 2 * (RIM_STEPS + 1))[:, None] + step
    a, b = first.ravel(), first.ravel() + RIM_STEPS + 1
    turns = [np.stack([a, a + 1, b], axis=1), np.stack([b, a + 1, b + 1], axis=1)]
    return Mesh(points.reshape(-1, 3), away.reshape(-1, 3), np.concatenate(turns))


def smooth_mesh(points: Floats, triangles: Ints) -> Mesh:
    """The mesh with a normal at each corner; corners with the same one are one point."""
    corners = points[triangles]
    face = compute_face_normals(corners)
    weighted = np.repeat(face, 3, axis=0) * compute_corner_angles(corners).reshape(-1, 1)
    flat, owner = triangles.ravel(), np.repeat(np.arange(len(triangles)), 3)
    mean = add_to(flat, weighted)[flat]
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-300)
    # a face that leans far from the mean of its corner stands at a crease, and keeps its own normal
    is_smooth = np.einsum("ij,ij->i", mean, face[owner]) > CREASE
    smooth_ids = np.unique(flat[is_smooth], return_inverse=True)
    own = np.flatnonzero(~is_smooth)
    number = np.empty(len(flat), np.int64)
    number[is_smooth] = smooth_ids[1]
    number[own] = len(smooth_ids[0]) + np.arange(len(own))
    place, normals = np.empty((number.max() + 1, 3)), np.empty((number.max() + 1, 3))
    place[number], normals[number] = points[flat], np.where(is_smooth[:, None], mean, face[owner])
    return Mesh(place, normals, number.reshape(-1, 3))
