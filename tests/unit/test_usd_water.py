"""Water in USD exports: one mesh over time, finest where the creatures are."""

import numpy as np
import pytest

pytest.importorskip("pxr")


from skitter.export.usd import scene as usd_scene
from skitter.export.usd.water import MOST, WaterShape, choose_most
from skitter.look.water import FADE_LINES, open_water


@pytest.mark.parametrize("name", ["scenes/amphibious", "scenes/floating_cubes", "scenes/swimmer"])
def test_water_keeps_its_triangles(recorded, name):
    recording = recorded(name)
    water = open_water(recording)
    terrain = recording.attributes["scene"].get("terrain") or []
    shape = WaterShape(water, terrain, middle=np.zeros(3), reach=50.0)
    meshes = [shape.at(float(t)) for t in recording.time[[0, 10, -1]]]
    for mesh in meshes[1:]:
        assert np.array_equal(mesh.triangles, meshes[0].triangles)
        assert mesh.points.shape == meshes[0].points.shape
        assert np.isfinite(mesh.points).all()


def test_dry_points_lie_below_the_ground(recorded):
    recording = recorded("scenes/amphibious")
    water = open_water(recording)
    grid = water.grid_at(float(recording.time[-1]))
    assert not grid.is_wet.all()
    terrain = recording.attributes["scene"]["terrain"]
    shape = WaterShape(water, terrain, middle=np.zeros(3), reach=50.0)
    points = shape.at(float(recording.time[-1])).points
    from skitter.look.water import open_bed

    far = np.flatnonzero(~grow(grid.is_wet, 8))
    across = np.meshgrid(grid.x, grid.z, indexing="ij")
    bed = open_bed(terrain, water).under(grid, grid).ravel()
    for k in far[:: max(len(far) // 50, 1)]:
        x, z = across[0].ravel()[k], across[1].ravel()[k]
        nearest = np.argmin(np.hypot(points[:, 0] - x, points[:, 2] - z))
        assert points[nearest, 1] < bed[k]


def grow(mask: np.ndarray, cells: int) -> np.ndarray:
    from scipy import ndimage

    return ndimage.binary_dilation(mask, np.ones((3, 3), bool), iterations=cells)


def test_points_of_water_keep_to_a_size():
    assert choose_most((200, 160), 100, 1e9, 12) == MOST
    most = choose_most((200, 160), 18_000, 1e9, 12)
    assert most < MOST and most**2 * 18_000 * 12 <= 1e9


def test_water_is_finest_around_the_creatures(recorded):
    recording = recorded("scenes/amphibious")
    terrain, middle = recording.attributes["scene"]["terrain"], np.array([40.0, 0.0, 10.0])
    water = open_water(recording)
    shape = WaterShape(water, terrain, middle=middle, reach=50.0)
    lines = np.unique(shape.at(float(recording.time[0])).points[:, 0])
    assert len(lines) <= MOST + 2 * FADE_LINES
    near = np.abs(lines[:-1] - middle[0]) < 5.0
    cell = float(recording.static("water_cell"))
    assert np.diff(lines)[near].max() < 1.01 * cell < np.diff(lines).max()


def test_water_has_a_bed_as_wide_as_it_is(recorded):
    recording = recorded("scenes/swimmer")
    water, middle = open_water(recording), np.array([3.0, 0.0, 1.0])
    for terrain in (recording.attributes["scene"]["terrain"], []):
        (bed,) = usd_scene.lay_bed([], terrain, water, middle, 10.0)
        assert np.allclose(bed.mesh.points[:, 1], water.level - water.depth)
        assert np.ptp(bed.mesh.points[:, 0]) == pytest.approx(20.0 * usd_scene.WATER_REACH)
