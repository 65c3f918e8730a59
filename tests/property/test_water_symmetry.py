"""Water knows neither where its level lies nor which way is x: turned pools flow alike."""

import numpy as np
import pytest

from skitter.water.pool import Pool

ROWS, COLUMNS, CELL = 30, 24, 0.5


def make_bed() -> np.ndarray:
    """Uneven, lowest near a corner, with an island and land at two of the edges."""
    x, z = np.meshgrid(np.arange(ROWS), np.arange(COLUMNS), indexing="ij")
    bed = -4 + 0.12 * x + 0.1 * z + 0.8 * np.sin(0.7 * x) * np.cos(0.5 * z)
    bed[17:20, 8:12] = 2.0
    return bed


def make_bump() -> np.ndarray:
    x, z = np.meshgrid(np.arange(ROWS), np.arange(COLUMNS), indexing="ij")
    return np.exp(-((x - 9) ** 2 + (z - 7) ** 2) / 6.0)


def make_bar(turned: bool = False) -> np.ndarray:
    """A rod that moves aslant through the water."""
    a, b, v = np.array([3.0, -0.5, 2.0]), np.array([6.0, -0.6, 5.0]), np.array([7.0, 0, -4.0])
    if turned:
        a, b, v = a[::-1], b[::-1], v[::-1]
        a[1], b[1] = -0.5, -0.6
    return np.array([[*a, *b, 0.6, 0.4, *v, *v]])


def flow(bed, bump, *, level=0.0, is_open=True, bar=None) -> np.ndarray:
    """Depths after a tenth of a second."""
    pool = Pool(bed, CELL, level, is_open=is_open, real=np.float64)
    pool.depth[...] += np.where(pool.is_wet, bump, 0.0)
    pool.refresh()
    for _ in range(4):
        pool.advance(0.025, *(() if bar is None else (bar, 0.0, 0.0)))
    assert np.abs(pool.surface[pool.is_wet] - level).max() > 0.05  # it does move
    return pool.depth.copy()


@pytest.mark.parametrize("is_open", [False, True])
def test_the_height_of_the_level_changes_nothing(is_open):
    bed, bump = make_bed(), make_bump()
    low = flow(bed, bump, is_open=is_open)
    high = flow(bed + 3.0, bump, level=3.0, is_open=is_open)
    assert high == pytest.approx(low, abs=1e-9)


@pytest.mark.parametrize("is_open", [False, True])
def test_x_and_z_are_alike(is_open):
    bed, bump = make_bed(), make_bump()
    straight = flow(bed, bump, is_open=is_open)
    turned = flow(bed.T.copy(), bump.T.copy(), is_open=is_open)
    assert pytest.approx(straight, abs=1e-9) == turned.T


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("is_open", [False, True])
def test_both_ways_are_alike(is_open, axis):
    bed, bump = make_bed(), make_bump()
    straight = flow(bed, bump, is_open=is_open)
    mirrored = flow(np.flip(bed, axis).copy(), np.flip(bump, axis).copy(), is_open=is_open)
    assert np.flip(mirrored, axis) == pytest.approx(straight, abs=1e-9)


def test_a_body_stirs_alike_along_x_and_z():
    bed, bump = make_bed(), make_bump()
    straight = flow(bed, bump, bar=make_bar())
    turned = flow(bed.T.copy(), bump.T.copy(), bar=make_bar(turned=True))
    assert np.abs(straight - flow(bed, bump)).max() > 0.01
    assert pytest.approx(straight, abs=1e-9) == turned.T
