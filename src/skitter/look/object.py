"""Movable objects as they are seen: boxes, balls and cylinders of wood or stone.

Wood shows the rings of the trunk that it was cut from: a colour by the distance from a line that
lies along the object and bends a little, so that grain runs on over edges. A log wears bark.
Stone is specked and a little uneven. Colours belong to points, so waves are no finer than those.
"""

import numpy as np
from numpy.typing import NDArray

from skitter.look.climber_form import fade, mix, wobble
from skitter.look.colour import read_colour
from skitter.look.mesh import (
    Mesh,
    build_rings,
    build_sphere,
    grid_triangles,
    join_meshes,
    unit_rows,
)
from skitter.look.motion import Motion
from skitter.look.read import read_look
from skitter.look.rigid import Piece, RigidSurface
from skitter.species.look import ObjectLook

Floats = NDArray[np.floating]
BOX, BALL, CYLINDER = range(3)  # of `body_form`
BEVEL = {"wood": 0.05, "stone": 0.16, "plain": 0.08}  # of the shortest edge
UNEVEN = {"wood": 0.0, "stone": 0.02, "plain": 0.0}  # of the size, how far a surface goes in
MOST_TRIANGLES = 14_000  # of an object, which has few features
MOST_CELLS = 44  # along an edge
RINGS = 9  # of a trunk, across the shortest edge
BARK = 0.45  # of the brightness of wood


def build_object(motion: Motion, *, triangle_limit: int) -> RigidSurface:
    """All bodies of an object, which mostly is one."""
    look = read_look(ObjectLook, motion.look)
    size = np.asarray(motion.static("body_size"), float)
    forms = np.asarray(motion.static("body_form")) if motion.has_static("body_form") else None
    limit = min(triangle_limit, MOST_TRIANGLES) // len(size)
    pieces = []
    for body, edges in enumerate(size):
        shape = BOX if forms is None else int(forms[body])
        mesh, turn = build_solid(shape, edges, look.style, limit)
        seed = sum(map(ord, motion.name)) + body
        mesh = dent(mesh, edges, UNEVEN[look.style], seed)
        colours = paint_solid(mesh, shape, edges, look, seed, cells=count_cells(limit))
        pieces.append(Piece(body, mesh.moved(np.zeros(3), turn), colours))
    return RigidSurface(pieces, size / 2, tight=True)


def count_cells(limit: int) -> int:
    """Cells along an edge of a box with a number of triangles."""
    return int(np.clip(np.sqrt(limit / 12) - 7, 1, MOST_CELLS))


def build_solid(shape: int, edges: Floats, style: str, limit: int) -> tuple[Mesh, Floats]:
    """A mesh along x, and the turn that lays it as the body lies."""
    cells, upright = count_cells(limit), np.eye(3)
    around = 4 * (cells // 3 + 4)
    if shape == BALL:
        ball = build_sphere(0.5, around=around, steps=around // 4)
        return ball.scaled(edges), upright
    if shape == CYLINDER:
        axis = 1 if abs(edges[0] - edges[2]) < 1e-6 < abs(edges[0] - edges[1]) else 0
        long, first, second = np.roll(edges, -axis)
        rod = build_log(0.5, long / first, 0.05, cells, around)
        return rod.scaled(np.array([first, first, second])), np.roll(np.eye(3), axis, axis=0)
    return build_block(edges, BEVEL[style] * float(edges.min()), cells), upright


def build_log(radius: float, length: float, bevel: float, cells: int, around: int) -> Mesh:
    """A cylinder along x, its side and its ends cut into cells."""
    bevel = min(bevel, 0.3 * radius, 0.3 * length)
    flat = np.linspace(0, radius - bevel, max(cells // 2, 2) + 1)[1:]
    angle = np.linspace(0, np.pi / 2, 4)[1:-1]
    out = np.concatenate([flat, radius - bevel + bevel * np.sin(angle), [radius]])
    x = np.concatenate([np.full(len(flat), length / 2), length / 2 - bevel * (1 - np.cos(angle))])
    x = np.append(x, length / 2 - bevel)
    side = np.linspace(x[-1], -x[-1], max(cells, 2) + 1)[1:-1]
    x = np.concatenate([x, side, -x[::-1]])
    out = np.concatenate([out, np.full(len(side), radius), out[::-1]])
    turn = 2 * np.pi * np.arange(around) / around
    rings = np.stack(
        [
            np.repeat(x[:, None], around, axis=1),
            np.outer(out, np.sin(turn)),
            np.outer(out, np.cos(turn)),
        ],
        axis=2,
    )
    poles = [np.broadcast_to([x[k], 0.0, 0.0], (1, around, 3)) for k in (0, -1)]
    return build_rings(np.concatenate([poles[0], rings, poles[1]]))


def build_block(size: Floats, bevel: float, cells: int) -> Mesh:
    """A box of full edges with round edges and corners, its faces cut into cells."""
    half = size / 2
    core = half - min(bevel, 0.9 * float(half.min()))
    rise = (half - core)[0] * np.tan(np.linspace(0, np.pi / 4, 4))
    lines = [
        np.concatenate([-c - rise[::-1], np.linspace(-c, c, cells + 1)[1:-1], c + rise])
        for c in core
    ]
    faces = []
    for axis in range(3):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        u, v = (g.ravel() for g in np.meshgrid(lines[first], lines[second], indexing="ij"))
        rows, columns = len(lines[first]), len(lines[second])
        for sign in (-1, 1):
            points = np.empty((len(u), 3))
            points[:, axis], points[:, first], points[:, second] = sign * half[axis], u, v
            triangles = grid_triangles(rows, columns)
            faces.append(Mesh(points, points, triangles if sign > 0 else triangles[:, ::-1]))
    box = join_meshes(faces)
    inner = np.clip(box.points, -core, core)
    normals = unit_rows(box.points - inner)
    return Mesh(inner + (half - core)[0] * normals, normals, box.triangles)


def dent(mesh: Mesh, edges: Floats, share: float, seed: int) -> Mesh:
    """An uneven surface, which goes in by a share of the size at most, and never out."""
    if share == 0:
        return mesh
    small = float(edges.min())
    deep = np.clip(0.5 + 0.4 * wobble(mesh.points, 0.5 * small, seed), 0, 1)
    return smooth(mesh, mesh.points - share * small * deep[:, None] * mesh.normals)


def smooth(mesh: Mesh, points: Floats) -> Mesh:
    """The triangles of a mesh over other points, with normals that follow them."""
    scale = float(np.ptp(points, axis=0).max())
    _, same = np.unique(np.round(points / scale, 7), axis=0, return_inverse=True)
    same = same.ravel()
    a, b, c = (points[mesh.triangles[:, k]] for k in range(3))
    facing, total = np.cross(b - a, c - a), np.zeros((same.max() + 1, 3))
    for k in range(3):
        np.add.at(total, same[mesh.triangles[:, k]], facing)
    return Mesh(points, unit_rows(total[same]), mesh.triangles)


def paint_solid(
    mesh: Mesh, shape: int, edges: Floats, look: ObjectLook, seed: int, *, cells: int
) -> Floats:
    """Colours [point, 3] of the surface of a solid, as it lies along x."""
    base = read_colour(look.colour)
    grain = 0.5 * base if look.grain is None else read_colour(look.grain)
    points, small = mesh.points, float(np.sort(edges)[1])
    if look.style == "stone":
        cloud = 0.5 + 0.5 * wobble(points, 0.6 * small, seed)
        speck = wobble(points, 3.0 * small / max(cells, 6), seed + 1)
        colour = mix(base, grain, 0.45 * np.clip(cloud, 0, 1))
        return np.clip(colour * (1 + 0.12 * speck)[:, None], 0, 1)
    if look.style == "wood":
        return paint_wood(points, mesh.normals, base, grain, shape, edges, seed, cells)
    return np.broadcast_to(base, points.shape)


def paint_wood(
    points: Floats,
    normals: Floats,
    base: Floats,
    grain: Floats,
    shape: int,
    edges: Floats,
    seed: int,
    cells: int,
) -> Floats:
    """Rings about a line along the longest edge; a log has that line in its middle, and bark."""
    rng = np.random.default_rng(seed)
    axis = 0 if shape == CYLINDER else int(np.argmax(edges))
    across = [k for k in range(3) if k != axis]
    small = float(edges[across].min()) if shape != CYLINDER else float(np.ptp(points[:, 1]))
    heart = np.zeros(2) if shape == CYLINDER else rng.uniform(-0.5, 0.5, 2) * small
    along = points[:, axis] / float(np.ptp(points[:, axis]))
    aside = points[:, across] - heart - 0.06 * small * np.outer(np.sin(3 * along), [1.0, 0.6])
    far = np.hypot(aside[:, 0], aside[:, 1]) + 0.03 * small * wobble(points, 0.8 * small, seed)
    rings = min(RINGS, max(cells / 5, 1.0))
    ring = 0.5 + 0.5 * np.sin(2 * np.pi * rings * far / small)
    colour = mix(base, grain, 0.75 * ring**3)
    stretched = points * np.where(np.arange(3) == axis, 0.15, 1.0)
    fibre = wobble(stretched, 3.2 * small / max(cells, 6), seed + 1)
    colour = colour * (1 + 0.09 * fibre)[:, None]
    if shape == CYLINDER:
        rough = wobble(stretched, 0.22 * small, seed + 2)
        bark = BARK * mix(base, grain, 0.6) * (1 + 0.4 * rough)[:, None]
        colour = mix(colour, bark, fade(np.abs(normals[:, axis]), 0.75, 0.5))
    return np.asarray(np.clip(colour, 0, 1))
