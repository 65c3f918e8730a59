"""Numbers, meshes and places as POV-Ray reads them."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import to_screen
from skitter.look.mesh import Mesh
from skitter.look.placing import Places
from skitter.rotation import quaternion_to_matrix

Floats = NDArray[np.floating]
Indices = NDArray[np.integer]
MOST_COLOURS = 128  # of a mesh
FINEST = 4  # levels of the screen's 256 that count as one colour


def vector(values: Floats) -> str:
    """As `<1,2.5,0>`."""
    return vectors(np.asarray(values)[None], "%.6g")


def vectors(rows: NDArray[Any], number: str) -> str:
    """Rows [row, n] one after the other, each number in a format."""
    row = "<" + ",".join([number] * rows.shape[1]) + ">"
    return ",".join([row] * len(rows)) % tuple(rows.ravel().tolist())


def mesh2(mesh: Mesh, faces: str, scale: float = 1.0) -> str:
    """The inside of a mesh2, whose faces are written already."""
    count = len(mesh.points)
    return (
        f"vertex_vectors{{{count},{vectors(mesh.points * scale, '%.6g')}}}\n"
        f"normal_vectors{{{count},{vectors(mesh.normals, '%.5f')}}}\n{faces}\n"
    )


@dataclass(frozen=True)
class Palette:
    """A few colours for the points of a mesh."""

    colours: Floats  # [colour, 3] linear light
    index: Indices  # [point]


def choose_palette(colours: Floats) -> Palette:
    """The colours [point, 3] rounded on the screen's scale, until they are few enough."""
    bytes_, step = to_screen(colours).astype(int), FINEST
    while True:
        rounded = (bytes_ // step * step + (step - 1) / 2).clip(0, 255)
        few, index = np.unique(rounded, axis=0, return_inverse=True)
        if len(few) <= MOST_COLOURS:
            break
        step *= 2
    index = index.ravel()
    means = [colours[index == one].mean(axis=0) for one in range(len(few))]
    return Palette(np.array(means), index)


def paint(colours: Floats) -> list[str]:
    """Textures of some colours, by the macro of the scene."""
    return [f"Paint({vector(colour)})" for colour in colours]


def write_faces(triangles: Indices, palette: Palette | None = None) -> str:
    """Faces, with a texture for each of their points where there is more than one colour."""
    count = len(triangles)
    if palette is None or len(palette.colours) == 1:
        return f"face_indices{{{count},{vectors(triangles, '%d')}}}"
    textures = " ".join(paint(palette.colours))
    corner = palette.index[triangles]
    rows = np.concatenate([triangles, corner], axis=1)
    row = ",".join(["<%d,%d,%d>,%d,%d,%d"] * count)
    return (
        f"texture_list{{{len(palette.colours)},{textures}}}\n"
        f"face_indices{{{count},{row % tuple(rows.ravel().tolist())}}}"
    )


def write_texture(palette: Palette) -> str:
    """The texture of a mesh of one colour; others have theirs point by point."""
    return paint(palette.colours)[0] if len(palette.colours) == 1 else ""


def matrices(places: Places, scale: float) -> list[str]:
    """Where POV-Ray has to put each instance; its rows are where the axes go."""
    turn = quaternion_to_matrix(places.orientation)
    axes = np.swapaxes(turn * places.scale[:, None, :], 1, 2) * scale
    rows = np.concatenate([axes.reshape(-1, 9), places.position * scale], axis=1)
    return [f"matrix {vectors(row[None], '%.6g')}" for row in rows]


class Faces:
    """Faces in files of their own, one for all frames in which they are the same."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[bytes, str] = {}

    def share(self, triangles: Indices, palette: Palette | None = None) -> str:
        """What includes these faces; they are written when they are met first."""
        parts = [triangles] if palette is None else [triangles, palette.index, palette.colours]
        key = sha256(b"".join(np.ascontiguousarray(one).tobytes() for one in parts)).digest()
        if key not in self._known:
            name = f"faces_{len(self._known):04d}.inc"
            (self._folder / name).write_text(write_faces(triangles, palette))
            self._known[key] = name
        return f'#include concat(Frames, "{self._known[key]}")'
