"""Meshes that tests make: shells, leaves, strips and damaged solids."""

from pathlib import Path

import numpy as np
import trimesh

COLUMNS, ROWS = 40, 24  # of a leaf


def make_shell(radius: float = 1.0, subdivisions: int = 3) -> trimesh.Trimesh:
    """The upper half of a ball, open below."""
    ball = trimesh.creation.icosphere(subdivisions, radius)
    return trimesh.Trimesh(ball.vertices, ball.faces[ball.triangles_center[:, 1] > 0])


def make_leaf(length: float = 60.0, width: float = 40.0, bend: float = 5.0) -> trimesh.Trimesh:
    """A sheet along x that narrows to blunt ends, arched along and hollow across."""
    u, v = np.meshgrid(np.linspace(-1, 1, COLUMNS), np.linspace(-1, 1, ROWS), indexing="ij")
    across = 0.25 + 0.75 * np.cos(np.pi / 2 * u) ** 0.7  # of its half width
    x, z = length / 2 * u, width / 2 * v * across
    y = bend * (0.4 * (v * across) ** 2 - u**2)
    first = (np.arange(COLUMNS - 1)[:, None] * ROWS + np.arange(ROWS - 1)).ravel()
    faces = np.concatenate([
        np.stack([first, first + 1, first + ROWS + 1], axis=1),
        np.stack([first, first + ROWS + 1, first + ROWS], axis=1),
    ])  # fmt: skip
    points = np.stack([x, y, z], axis=2).reshape(-1, 3)
    return trimesh.Trimesh(points, faces, process=False)


def lean(mesh: trimesh.Trimesh, angle: float) -> trimesh.Trimesh:
    """The mesh turned about x by an angle in rad: what faces up everywhere looks like ground."""
    return mesh.apply_transform(trimesh.transformations.rotation_matrix(angle, [1, 0, 0]))


def make_strip(count: int = 48, half: float = 0.3) -> trimesh.Trimesh:
    """A band with half a twist, which has one side only."""
    turn = np.linspace(0, 2 * np.pi, count, endpoint=False)
    rims = []
    for side in (-half, half):
        radius = 1 + side * np.cos(turn / 2)
        height = side * np.sin(turn / 2)
        rims.append(np.stack([radius * np.cos(turn), height, radius * np.sin(turn)], axis=1))
    a, b = np.arange(count), np.arange(count) + count
    c, d = np.roll(a, -1), np.roll(b, -1)
    c[-1], d[-1] = count, 0  # the rims change places where the band meets itself
    faces = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
    return trimesh.Trimesh(np.concatenate(rims), faces, process=False)


def make_bad_solid() -> trimesh.Trimesh:
    """A closed ball with one face more within it, so that three faces meet at one of its edges."""
    ball = trimesh.creation.icosphere(3, 1.0)
    a, b = ball.faces[0][:2]
    inner = len(ball.vertices)
    points = np.concatenate([ball.vertices, [[0.1, 0.2, 0.0]]])
    faces = np.concatenate([ball.faces, [[a, b, inner]]])
    return trimesh.Trimesh(points, faces, process=False)


def make_walled() -> trimesh.Trimesh:
    """Two boxes with a wall between them: closed, but for the four edges of the wall."""
    other = trimesh.creation.box().apply_translation([1, 0, 0])
    both = trimesh.util.concatenate([trimesh.creation.box(), other])
    both.merge_vertices()
    return both


def make_plate(length: float, width: float, depth: float) -> trimesh.Trimesh:
    """A closed plate of a leaf's outline with both sides modelled, `depth` apart."""
    leaf = make_leaf(length, width)
    count, lower = len(leaf.vertices), leaf.vertices - np.array([0.0, depth, 0.0])
    edges = leaf.edges[trimesh.grouping.group_rows(leaf.edges_sorted, require_count=1)]
    a, b = edges.T
    walls = [np.stack([b, a, a + count], axis=1), np.stack([b, a + count, b + count], axis=1)]
    faces = np.concatenate([leaf.faces, leaf.faces[:, ::-1] + count, *walls])
    return trimesh.Trimesh(np.concatenate([leaf.vertices, lower]), faces, process=False)


def write_mesh(mesh: trimesh.Trimesh, path: Path) -> str:
    """The mesh as a file; its path."""
    mesh.export(path)
    return str(path)
