"""The place itself, in the browser: ground with some grain, solids, light, sky and haze.

A floor without any grain gives no sense of motion when the camera follows; this one has the look
of fine soil, made here from random waves that repeat without a seam.
"""

import io
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skitter.look.colour import read_colour
from skitter.look.habitat import find_habitat
from skitter.look.mesh import Mesh, build_sphere, grid_triangles
from skitter.look.nest import build_nest
from skitter.look.terrain import Floor, Solid, build_floors, build_solids
from skitter.rotation import matrices_to_quaternions
from skitter.view.glb import write_glb

Floats = NDArray[np.floating]
SKY_TOP, SKY_LOW = "#8fb4d8", "#e3e9ec"  # overhead, and at the horizon
REACH = 60.0  # of the floor, in units of the view
HAZE = (14.0, 52.0)  # units from the middle between which the floor melts into the sky
GRAIN_SIZE = 512  # pixels
GRAIN_WIDTH = 2.4  # units that a picture of the grain covers
STRIDE = 4  # pictures of the grain that a floor moves at a time
VEIL = 0.004  # units that the haze lies above a floor
GRAIN_FROM = 8.0  # units: a solid as wide as that is ground, and has grain too
SOIL = (0.02, 0.035, 0.045)  # strengths of coarse, middle and fine grains
CLOUDS = (0.008, 0.007, 0.0)  # the same of agar
LEVEL = 0.999  # height of a floor's normal
DOME = 500.0  # units, radius of the sky
SUN = (4.0, 9.0, 5.0)  # towards the light


def add_light(scene: Any, *, shadows: bool) -> Any:
    """A low sun with shadows, and a wide sky; returns the sun."""
    scene.configure_default_lights(enabled=False)
    scene.configure_environment_map(None)
    sun = scene.add_light_directional(
        "/light/sun", color=(255, 244, 226), intensity=4.2, cast_shadow=shadows, position=SUN
    )
    scene.add_light_directional(
        "/light/fill", color=(214, 228, 255), intensity=0.35, position=(-5.0, 4.0, -6.0)
    )
    scene.add_light_hemisphere(
        "/light/sky", sky_color=(222, 234, 250), ground_color=(176, 160, 140), intensity=0.9
    )
    return sun


def add_sky(scene: Any) -> None:
    """A dome with a horizon, in its own light."""
    ball = build_sphere(DOME)
    inward = Mesh(ball.points, -ball.normals, ball.triangles[:, ::-1])
    height = np.clip(ball.points[:, 1] / DOME, 0, 1)[:, None] ** 0.6
    colours = (1 - height) * read_colour(SKY_LOW) + height * read_colour(SKY_TOP)
    scene.add_glb(
        "/sky/dome", write_glb(inward, colours, unlit=True), cast_shadow=False, receive_shadow=False
    )


def build_place(scene: dict[str, Any]) -> tuple[list[Floor], list[Solid]]:
    """The floors of a scene, of level ones only the first, and its solids, a nest among them."""
    terrain, habitat = list(scene.get("terrain") or []), find_habitat(scene)
    floors = build_floors(terrain, habitat)
    solids = build_solids(terrain, habitat) + build_nest(scene)
    return floors[:1] + [one for one in floors[1:] if one.normal[1] < LEVEL], solids


class FloorNodes:
    """A floor without end: its square goes along with whom the view follows, in whole grains."""

    def __init__(self, floor: Floor, nodes: list[tuple[Any, float]], scale: float) -> None:
        """Each node with how far it lies above the floor, units; `scale` is units per cm."""
        self._floor, self._nodes, self._scale = floor, nodes, scale
        self._cell = (0, 0)

    def follow(self, middle: Floats) -> None:
        """Lie under a point, cm."""
        axes = np.stack(self._floor.axes())
        step = STRIDE * GRAIN_WIDTH
        away = axes @ (middle - self._floor.point) * self._scale / step
        cell = (int(np.rint(away[0])), int(np.rint(away[1])))
        if cell == self._cell:
            return
        self._cell = cell
        place = self._scale * self._floor.point + step * np.array(cell) @ axes
        for node, rise in self._nodes:
            node.position = tuple(place + rise * self._floor.normal)


def add_terrain(
    scene: Any, floors: list[Floor], solids: list[Solid], scale: float
) -> list[FloorNodes]:
    """Floors, which are returned, and solids; `scale` is units of the view per cm."""
    laid = [
        add_floor(scene, f"/world/ground/floor_{number}", floor, scale)
        for number, floor in enumerate(floors)
    ]
    for number, solid in enumerate(solids):
        mesh = Mesh(scale * solid.mesh.points, solid.mesh.normals, solid.mesh.triangles)
        colours = np.tile(solid.colour, (len(mesh.points), 1)) * mottle(mesh.points)[:, None]
        grain = draw_grain() if np.ptp(mesh.points[:, ::2], axis=0).min() > GRAIN_FROM else None
        data = write_glb(mesh, colours, roughness=0.95, texture=grain, places=spread_grain(mesh))
        scene.add_glb(f"/world/ground/solid_{number}", data)
    return laid


def spread_grain(mesh: Mesh) -> Floats:
    """Where on the picture of the grain points lie [point, 2], as seen from above."""
    return np.asarray(mesh.points[:, ::2] / GRAIN_WIDTH)


def mottle(points: Floats) -> Floats:
    """A slow change of brightness over a surface [point], so that its shape reads."""
    waves = np.sin(points @ np.array([[2.1, 0.7, 3.3], [1.3, 5.1, -2.2], [-4.0, 1.1, 1.7]]).T)
    return 1 + 0.035 * waves.sum(axis=1)


def add_floor(scene: Any, name: str, floor: Floor, scale: float) -> FloorNodes:
    """A wide square of soil, and haze over its far part."""
    u, v = floor.axes()
    place = tuple(scale * floor.point)
    turn = tuple(matrices_to_quaternions(np.stack([u, floor.normal, v], axis=1)))
    square, places = build_square()
    colours = np.tile(floor.colour, (len(square.points), 1))
    dull, grain = (0.35, draw_grain(CLOUDS)) if floor.is_agar else (1.0, draw_grain())
    soil = write_glb(square, colours, roughness=dull, texture=grain, places=places)
    ground = scene.add_glb(f"{name}/soil", soil, position=place, wxyz=turn, cast_shadow=False)
    ring, alpha = build_ring()
    haze = np.column_stack([np.tile(read_colour(SKY_LOW), (len(alpha), 1)), alpha])
    veil = scene.add_glb(
        f"{name}/haze",
        write_glb(ring, haze, unlit=True, see_through=True),
        position=tuple(np.array(place) + VEIL * floor.normal),
        wxyz=turn,
        cast_shadow=False,
        receive_shadow=False,
    )
    return FloorNodes(floor, [(ground, 0.0), (veil, VEIL)], scale)


def build_square() -> tuple[Mesh, Floats]:
    """A level square, and where on the picture of the grain its corners lie."""
    corner = np.array([[-1, 0, -1], [-1, 0, 1], [1, 0, 1], [1, 0, -1]], float) * REACH
    normals = np.tile([0.0, 1.0, 0.0], (4, 1))
    return Mesh(corner, normals, np.array([[0, 1, 2], [0, 2, 3]])), corner[:, ::2] / GRAIN_WIDTH


def build_ring() -> tuple[Mesh, Floats]:
    """A level disc whose opacity [point] grows outwards."""
    radius = np.array([HAZE[0], *np.linspace(HAZE[0], HAZE[1], 9)[1:], 1.5 * REACH])
    angle = np.linspace(0, 2 * np.pi, 49)
    circle = np.stack([np.cos(angle), np.zeros_like(angle), -np.sin(angle)], axis=1)
    points = (radius[:, None, None] * circle).reshape(-1, 3)
    share = np.clip((radius - HAZE[0]) / (HAZE[1] - HAZE[0]), 0, 1)
    mesh = Mesh(
        points, np.tile([0.0, 1.0, 0.0], (len(points), 1)), grid_triangles(len(radius), len(angle))
    )
    return mesh, np.repeat(share * share * (3 - 2 * share), len(angle))


@cache
def draw_grain(strengths: tuple[float, float, float] = SOIL) -> bytes:
    """Soil as a PNG that repeats: noise of some strengths, made in frequency space."""
    from PIL import Image

    rng = np.random.default_rng(7)
    frequency = np.hypot(*np.meshgrid(*[np.fft.fftfreq(GRAIN_SIZE) * GRAIN_SIZE] * 2))
    layers = [_noise(rng, frequency, low, high) for low, high in ((2, 9), (12, 60), (60, 220))]
    strong = [one * layer for one, layer in zip(strengths, layers, strict=True)]
    shade = 0.88 + sum(strong[1:], strong[0])
    tint = 0.6 * strengths[0] * _noise(rng, frequency, 2, 14)
    rgb = np.stack([shade + tint, shade, shade - tint], axis=2)
    picture = Image.fromarray((255 * np.clip(rgb, 0, 1)).astype(np.uint8))
    data = io.BytesIO()
    picture.save(data, "PNG")
    return data.getvalue()


def _noise(rng: np.random.Generator, frequency: Floats, low: float, high: float) -> Floats:
    """Random waves between two frequencies [row, column], spread 1."""
    spectrum = np.fft.fft2(rng.normal(size=frequency.shape))
    waves = np.fft.ifft2(spectrum * ((frequency >= low) & (frequency < high))).real
    return np.asarray(waves / waves.std())
