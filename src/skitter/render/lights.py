"""Where the lights stand, and what the bodies take from them at a moment."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skitter.look.camera import Camera
from skitter.look.mesh import Mesh
from skitter.look.terrain import Floor
from skitter.render.light_map import (
    FINE,
    Cover,
    Heights,
    MapFrame,
    blur_by_height,
    draw_surface,
    gather_cover,
)

Floats = NDArray[np.floating]

# Azimuth from the camera, positive to its right, and height of each light, degrees. The key light
# stands behind: its shadows fall towards the viewer, and jelly glows.
KEY, FILL, RIM = (140.0, 50.0), (-40.0, 35.0), (-125.0, 35.0)
KEY_SPREAD = 0.09  # tangent of the key light's half width: how fast shadows soften
SKY_SPREAD = 0.55  # the same of the whole sky
LOWEST_KEY = 0.35  # least cosine between key light and floor normal
SKY_TEXELS = 128  # the sky takes light away so softly that a coarse map will do
DISK = [(0.0, 0.0)] + [  # places to look for occluders, in widths of the penumbra
    (r * np.cos(a), r * np.sin(a))
    for r, a in zip([0.55, 1.0] * 4, 0.3 + np.pi * np.arange(8) / 4, strict=True)
]


@dataclass(frozen=True)
class Lights:
    """Unit directions towards the lights."""

    key: Floats
    fill: Floats
    rim: Floats


def place_lights(camera: Camera, floor: Floor) -> Lights:
    """Lights for a camera."""
    key, fill, rim = (_direction(camera, turn, rise) for turn, rise in (KEY, FILL, RIM))
    missing = LOWEST_KEY - float(key @ floor.normal)
    if missing > 0:  # a steep floor: lift the light until it grazes no more
        key = key + (missing + LOWEST_KEY) * floor.normal
        key /= np.linalg.norm(key)
    return Lights(key, fill, rim)


def _direction(camera: Camera, azimuth_deg: float, rise_deg: float) -> Floats:
    """A direction by azimuth from the camera and rise towards the picture's top."""
    a, r = np.radians([azimuth_deg, rise_deg])
    right, _ = camera.axes()
    level = np.sin(a) * right + np.cos(a) * np.cross(right, camera.up)
    return np.asarray(np.cos(r) * level + np.sin(r) * camera.up)


@dataclass(frozen=True)
class Occluder:
    """A surface that takes light away; jelly lets some through, in its own colour."""

    mesh: Mesh
    through: Floats | None = None  # [3] linear light; None: opaque


@dataclass(frozen=True)
class LightMaps:
    """What surfaces need to know about shadows."""

    frame: MapFrame
    opaque: Heights  # [row, column] cm
    jelly: Heights  # [row, column] cm
    floor: NDArray[np.uint8]  # [row, column, 4] key light left on the floor; share of sky taken

    @property
    def height_bytes(self) -> NDArray[np.uint8]:
        """Opaque heights for the shaders [row, column, 4], 255 at the top of the map."""
        scaled = (self.opaque * np.float32(255 / self.top) + np.float32(0.5)).astype(np.uint8)
        return np.repeat(scaled[:, :, None], 4, axis=2)

    @property
    def top(self) -> float:
        """Height of the highest opaque point, cm."""
        return max(float(self.opaque.max()), 1e-6)

    def uniforms(self, name: str) -> dict[str, Any]:
        """The numbers that go with the maps, for shaders that know them by a name."""
        frame = self.frame
        values = {
            "Origin": frame.origin,
            "U": frame.u / frame.extent,
            "V": frame.v / frame.extent,
            "Texel": frame.texel,
            "Texels": frame.texels,
            "Top": self.top,
            "Spread": KEY_SPREAD / frame.lean / frame.texel,
        }
        return {name + key: value for key, value in values.items()}


@dataclass(frozen=True)
class JellyLight:
    """Light at the points of jelly."""

    share: Floats  # [point] of the key light that is left past opaque bodies
    way: Floats  # [point] cm of jelly that it has come through


def light_in_jelly(maps: list[LightMaps], mesh: Mesh, thickness: Floats) -> JellyLight:
    """The key light at every point; of a longer way than the thickness there, most is air."""
    share, way = np.ones(len(mesh.points)), np.zeros(len(mesh.points))
    for one in maps:
        frame, shade = one.frame, np.zeros(len(mesh.points))
        place = frame.slide(mesh.points + 1.5 * frame.texel * mesh.normals)
        for offset in DISK[::2]:
            spot = (place[:, :2] + 4 * np.array(offset)).astype(int).clip(0, frame.texels - 1)
            above = one.opaque[spot[:, 1], spot[:, 0]] - place[:, 2]
            shade += np.clip(above / (1.5 * frame.texel), 0, 1)
            inside = one.jelly[spot[:, 1], spot[:, 0]] - place[:, 2] - frame.texel
            way += np.clip(inside / frame.lean, 0, 1.2 * thickness)
        share *= 1 - shade / len(DISK[::2])
    return JellyLight(share, way / len(DISK[::2]))


def frame_floor(floor: Floor, toward: Floats, extent: float, texels: int) -> MapFrame:
    """A map of a given size somewhere on a floor."""
    u, v = floor.axes()
    return MapFrame(floor.point, u, v, floor.normal, toward, extent, texels)


def measure_extent(floor: Floor, toward: Floats, outlines: list[Floats]) -> float:
    """How large a map must be to hold each of some sets of points and its soft shadow, cm."""
    bare = frame_floor(floor, toward, 1.0, 1)
    slid = [bare.slide(points) for points in outlines]
    widest = max(float(np.ptp(one[:, :2], axis=0).max()) for one in slid)
    highest = max(float(one[:, 2].max()) for one in slid)
    return 1.1 * widest + min(6 * KEY_SPREAD / bare.lean * max(highest, 0.0), widest) + 1e-6


def draw_light_maps(
    frame: MapFrame, occluders: list[Occluder], land: Sequence[Mesh] = ()
) -> LightMaps:
    """All maps of a moment; shadows fall on the land where there is some, else on the floor.

    Along a ray of light only the first surface can receive a shadow, so one map does for all: an
    occluder's height counts from whatever it shades.
    """
    ground = _draw(frame, land)
    opaque = _cover(frame, [one.mesh for one in occluders if one.through is None], ground)
    jelly = np.zeros_like(ground)
    spread = KEY_SPREAD / frame.lean / frame.texel
    left = np.empty((4, *ground.shape), dtype=np.float32)  # red, green, blue, sky
    left[:3] = 1 - blur_by_height(opaque.above, spread, opaque.share)
    for through, meshes in _by_colour(occluders):
        own = _cover(frame, meshes, ground)
        np.maximum(jelly, own.top, out=jelly)
        stain = blur_by_height(own.above, spread, own.share)
        for channel in range(3):
            left[channel] *= 1 - np.float32(1 - through[channel]) * stain
    left[3] = _sky_taken(frame, occluders, land)
    rounded = (255 * left + np.float32(0.5)).astype(np.uint8)
    return LightMaps(frame, opaque.top, jelly, np.moveaxis(rounded, 0, 2))


def _cover(frame: MapFrame, meshes: Sequence[Mesh], ground: Heights) -> Cover:
    return gather_cover(_draw(replace(frame, texels=FINE * frame.texels), meshes), ground)


def _draw(frame: MapFrame, meshes: Sequence[Mesh]) -> Heights:
    heights = np.zeros((frame.texels, frame.texels), dtype=np.float32)
    for mesh in meshes:
        draw_surface(frame, mesh.points, mesh.triangles, heights)
    return heights


def _by_colour(occluders: list[Occluder]) -> list[tuple[Floats, list[Mesh]]]:
    """Jelly of one colour casts one shadow, which saves time and doubles no overlap."""
    groups: dict[tuple[float, ...], list[Mesh]] = {}
    for one in occluders:
        if one.through is not None:
            groups.setdefault(tuple(one.through.tolist()), []).append(one.mesh)
    return [(np.array(through), meshes) for through, meshes in groups.items()]


def _sky_taken(
    frame: MapFrame, occluders: list[Occluder], land: Sequence[Mesh]
) -> NDArray[np.float32]:
    """The share of the sky that the bodies hide from floor and land."""
    plumb = replace(frame, toward=frame.normal, texels=SKY_TEXELS)
    above = _draw(plumb, [one.mesh for one in occluders]) - _draw(plumb, land)
    taken = blur_by_height(np.maximum(above, 0), SKY_SPREAD / plumb.texel)
    finer = _interpolation(frame.texels, SKY_TEXELS)
    return np.asarray((finer @ (finer @ taken).T).T, dtype=np.float32)


@cache
def _interpolation(fine: int, coarse: int) -> sparse.csr_matrix:
    """The matrix that interpolates linearly from the centres of coarse texels to fine ones."""
    place = (np.arange(fine) + 0.5) * coarse / fine - 0.5
    distance = np.abs(place.clip(0, coarse - 1)[:, None] - np.arange(coarse))
    return sparse.csr_matrix(np.maximum(0, 1 - distance).astype(np.float32))
