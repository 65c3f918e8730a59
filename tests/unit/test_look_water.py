"""Water as a surface: where it is, where it is not, and that no edge of it shows."""

import numpy as np
import pytest
from fake_recordings import FLOOR, make_chain
from fake_water import CELL, add_water, make_swimmer, rings

from skitter.look.camera import view_direction
from skitter.look.creature import build_creatures
from skitter.look.shots import plan_shots
from skitter.look.water import (
    FADE_LINES,
    Sheet,
    build_sheet,
    build_sides,
    build_top,
    calm_shore,
    carry_on,
    close_sheet,
    extend_sheet,
    find_height,
    open_bed,
    open_water,
    reach_shore,
    refine_sheet,
    thin_around,
    thin_sheet,
)
from skitter.look.water.recorded import mix_heights

MIDDLE = np.zeros(3)


def wave_sheet(n=40, length=6.0, height=0.3) -> Sheet:
    """Waves along x over a square of n cells of 0.5 cm."""
    x = 0.5 * np.arange(n)
    heights = np.repeat(height * np.cos(2 * np.pi * x / length)[:, None], n, axis=1)
    return build_sheet(heights, np.zeros(2), 0.5, 0.0)


def shore_sheet() -> Sheet:
    """Level water at y = 1, land where x > 5."""
    heights = np.full((20, 12), 1.0)
    heights[11:] = np.nan
    return build_sheet(heights, np.zeros(2), 0.5, 1.0)


def test_no_water_no_sheet():
    assert open_water(make_chain(frames=1)) is None


def test_normals_lean_as_the_waves_do():
    sheet = wave_sheet(n=200)
    top = build_top(sheet)
    x = top.points[:, 0]
    slope = -0.3 * 2 * np.pi / 6.0 * np.sin(2 * np.pi * x / 6.0)
    inner = (x > 1) & (x < 98)
    assert (-top.normals[:, 0] / top.normals[:, 1])[inner] == pytest.approx(slope[inner], abs=0.02)
    corners = top.points[top.triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (faces[:, 1] > 0).all(), "all triangles are seen from above"


def test_the_top_reaches_one_cell_into_the_land_and_no_farther():
    top = build_top(shore_sheet())
    used = top.points[np.unique(top.triangles)]
    assert used[:, 0].max() == pytest.approx(5.5)  # the first dry middle
    assert used[:, 1] == pytest.approx(1.0), "and stays level there"


def test_the_edge_lies_in_the_land_but_not_behind_a_dam():
    sheet = shore_sheet()
    land = np.where(sheet.is_wet, -2.0, 0.97)  # drawn a little lower than the water
    assert reach_shore(sheet, land, 0.05).is_wet[:14].all()
    assert not reach_shore(sheet, land, 0.05).is_wet[14:].any()
    hollow = np.where(sheet.is_wet, -2.0, -1.0)
    assert (reach_shore(sheet, hollow, 0.05).is_wet == sheet.is_wet).all()


def test_dry_cells_take_the_height_of_their_neighbours():
    heights = np.array([[2.0, 2.0, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan]] * 3)
    filled = carry_on(heights, 0.5)
    assert filled[1, :5] == pytest.approx(2.0)
    assert filled[1, -1] == 0.5, "far inland it does not matter"


def test_thinning_keeps_place_and_mean():
    sheet = wave_sheet(n=41)
    thin = thin_sheet(sheet, 20)
    assert max(thin.height.shape) <= 20
    assert (thin.low == sheet.low).all() and (thin.high == sheet.high).all()
    assert thin.x[0] == pytest.approx(sheet.x[:3].mean())
    assert thin.height[0, 0] == pytest.approx(sheet.height[:3, :3].mean())
    assert thin.x[-1] <= sheet.x[-1]


def test_thinning_does_not_mix_land_into_water():
    thin = thin_sheet(shore_sheet(), 8)
    assert thin.height[thin.is_wet] == pytest.approx(1.0)
    assert thin.is_wet.any() and not thin.is_wet.all()


def test_thinning_spares_what_is_near():
    sheet = wave_sheet(n=300)
    counts = set()
    for place in (-20.0, 30.0, 75.0, 400.0):
        thin = thin_around(sheet, 110, np.array([place, 0.0, place]))
        counts.add(thin.height.shape)
        assert max(thin.height.shape) <= 110
        assert (np.diff(thin.x) > 0).all()
        near = np.abs(thin.x - np.clip(place, 15.0, 130.0)) < 10
        assert np.diff(thin.x[near]) == pytest.approx(0.5), "all cells"
    assert len(counts) == 1, "as many points wherever one looks"


def test_refining_rounds_waves_off():
    sheet = wave_sheet()
    fine = refine_sheet(sheet, 160)
    assert len(fine.x) == 39 * 4 + 1
    inner = (fine.x > 2) & (fine.x < 17)
    exact = 0.3 * np.cos(2 * np.pi * fine.x[inner] / 6.0)
    assert fine.height[inner, 20] == pytest.approx(exact, abs=2e-3)


def test_the_sheet_beyond_joins_without_a_seam():
    sheet = wave_sheet()
    wide = extend_sheet(sheet, 0.0, MIDDLE, 500.0)
    inside = slice(FADE_LINES, -FADE_LINES)
    assert (wide.height[inside, inside] == sheet.height).all()
    assert wide.x[0] == -500 and wide.z[-1] == 500
    assert (np.diff(wide.x) > 0).all() and (np.diff(wide.z) > 0).all()
    assert wide.height[0] == pytest.approx(0.0) and wide.height[:, -1] == pytest.approx(0.0)
    step = np.abs(np.diff(wide.height[:, inside], axis=0)[: FADE_LINES + 1]).max()
    assert step < 0.6 * 0.3, "no cliff at the edge of the grid"
    assert wide.is_wet[0].all()


def test_a_pool_has_walls_down_to_its_bed():
    recording = add_water(make_chain(frames=1), rings, area=(12, 8), edges="walls", depth=5.0)
    water = open_water(recording)
    grid = water.grid_at(0.0)
    sheet = close_sheet(grid)
    assert (sheet.x[0], sheet.x[-1], sheet.z[0], sheet.z[-1]) == pytest.approx((-6, 6, -4, 4))
    bed = open_bed([FLOOR | {"at": (0, -3, 0)}], water).under(sheet, grid)
    assert bed == pytest.approx(-3.0), "the floor, which is above the greatest depth"
    sides = build_sides(sheet, bed)
    assert sides.points[:, 1].min() == pytest.approx(-3.0)
    corners = sides.points[sides.triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outward = (faces * sides.normals[sides.triangles[:, 0]]).sum(axis=1)
    assert (outward > 0).all(), "seen from outside"
    area = np.linalg.norm(faces, axis=1).sum() / 2
    assert area == pytest.approx(3 * 40, rel=0.05)


def test_without_ground_the_bed_is_as_deep_as_the_scene_says():
    recording = add_water(make_chain(frames=1), rings, area=(12, 8), depth=5.0)
    water = open_water(recording)
    grid = water.grid_at(0.0)
    assert open_bed([], water).under(grid, grid) == pytest.approx(-5.0)


def test_heights_between_points_and_on_land():
    sheet = shore_sheet()
    points = np.array([[1.2, 9.0, 2.3], [9.0, 9.0, 2.0], [-50.0, 0.0, 0.0]])
    assert find_height(sheet, points) == pytest.approx([1.0, -np.inf, -np.inf])


def test_between_frames_a_front_moves_by_whole_cells():
    before, after = np.array([1.0, 1.0, np.nan]), np.array([2.0, np.nan, 3.0])
    assert mix_heights(before, after, 0.25) == pytest.approx([1.25, 1.0, np.nan], nan_ok=True)
    assert mix_heights(before, after, 0.75) == pytest.approx([1.75, np.nan, 3.0], nan_ok=True)


def test_a_grid_that_follows_is_shown_where_it_is():
    recording = make_swimmer(frames=2, speed=CELL * 30)
    recording._channels["water_origin"][1, 0] += CELL
    water = open_water(recording)
    early, late = (water.grid_at(share / 30) for share in (0.3, 0.7))
    assert late.x[0] - early.x[0] == pytest.approx(CELL)
    assert (early.height == np.float64(recording["water_surface"][0])).all()


def test_flat_water_is_a_level_sheet_around_the_view():
    water = open_water(add_water(make_chain(frames=1), None, level=2.0))
    assert water.grid_at(0.0) is None
    sheet = water.surround(None, np.array([3.0, 0, 4.0]), 100.0)
    assert (sheet.height == 2.0).all()
    assert (sheet.x[0], sheet.z[-1]) == (-97.0, 104.0)


@pytest.mark.parametrize("elevation", [-30.0, 5.0, 60.0])
def test_the_camera_stays_above_the_water(elevation):
    recording = make_swimmer(frames=2)
    recording.scene["camera"] = {"elevation_deg": elevation, "azimuth_deg": -70.0}
    times = np.array([0.0, 1 / 30])
    creatures = build_creatures(recording)
    for shot in plan_shots(creatures, times, aspect=1.6, scene=recording.scene):
        assert shot.camera.eye[1] > 0.3 * shot.camera.distance
        wished = view_direction(-70.0, max(elevation, 24.0))
        assert shot.camera.backward == pytest.approx(wished)


def test_room_is_left_for_the_waves():
    wet, dry = make_swimmer(frames=1), make_swimmer(frames=1)
    wet.scene["camera"] = dry.scene["camera"] = {"elevation_deg": 40.0}
    del dry.scene["water"]
    far, near = (
        plan_shots(build_creatures(one), np.zeros(1), aspect=1.6, scene=one.scene)[0]
        for one in (wet, dry)
    )
    assert far.camera.distance > 1.05 * near.camera.distance


def test_a_film_on_land_is_left_out_and_water_meets_it_level():
    """A beach that rises by 1 in 4, with waves of single cells and a film above its edge."""
    x = 0.5 * np.arange(60)
    bed = np.tile((0.25 * (x - 20.0))[:, None], (1, 40))
    rough = 0.06 * (-1.0) ** np.arange(40)
    height = np.where(bed < 0, 0.0 + rough * np.exp(bed), bed + 0.05)
    height[bed > 1.0] = np.nan
    grid = build_sheet(height, np.zeros(2), 0.5, 0.0)
    calm = calm_shore(grid, bed)
    assert not calm.is_wet[bed > 0.05].any()
    edge = (bed > -0.3) & (bed < 0.3)
    inside = (slice(None), slice(8, -8))
    assert np.abs(calm.height[inside][edge[inside]]).max() < 0.05  # was 0.06 and 0.35
    assert calm.height[:10] == pytest.approx(grid.height[:10])  # far from land nothing changes


def test_water_without_land_stays_as_it_is():
    grid = build_sheet(np.random.default_rng(1).normal(size=(9, 9)), np.zeros(2), 0.5, 0.0)
    assert calm_shore(grid, np.full((9, 9), -5.0)) is grid
