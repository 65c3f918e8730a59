"""Pheromone against closed forms: exponential decay, variance 2 D t, and nothing lost at edges."""

import numpy as np
import pytest

from skitter.scene.trails import TrailsSpec
from skitter.trails import Trails

FOREVER = 1e9  # s, so long a half-life that nothing fades


def build(**fields) -> Trails:
    return Trails(TrailsSpec(**{"area": (40.0, 30.0), "cell": 0.5, **fields}))


def find_variance(trails: Trails) -> np.ndarray:
    """Second central moments along x and z, cm²."""
    c = trails.amount / trails.amount.sum()
    axes = [np.arange(size) * trails.spec.cell for size in c.shape]
    shares = [c.sum(axis=1), c.sum(axis=0)]
    means = [share @ axis for share, axis in zip(shares, axes, strict=True)]
    pairs = zip(shares, axes, means, strict=True)
    return np.array([share @ (axis - mean) ** 2 for share, axis, mean in pairs])


def test_half_is_gone_after_a_half_life():
    trails = build(half_life=10.0, diffusion=0.3)
    trails.lay(np.array([1.3, 5.0, -2.2]), 7.0)
    assert trails.total == pytest.approx(7.0, rel=1e-12)
    for _ in range(600):
        trails.advance(1 / 60)
    assert trails.total == pytest.approx(3.5, rel=1e-9)
    assert np.exp(-10 / trails.life) == pytest.approx(0.5)


@pytest.mark.parametrize("diffusion", [0.05, 0.8, 9.0])  # the last takes several steps a frame
def test_a_drop_spreads_as_a_gaussian_does(diffusion):
    trails = build(half_life=FOREVER, diffusion=diffusion, area=(120.0, 110.0))
    trails.lay(np.array([0.25, 0.0, 0.25]), 1.0)
    seconds = 2.0
    before = find_variance(trails)
    for _ in range(120):
        trails.advance(seconds / 120)
    grown = find_variance(trails) - before
    assert grown == pytest.approx([2 * diffusion * seconds] * 2, rel=2e-3)
    assert (trails.amount >= 0).all()


def test_the_profile_is_the_heat_kernel():
    trails = build(half_life=FOREVER, diffusion=1.0, cell=0.25)
    corner = trails.corner
    trails.lay(np.array([corner[0] + 80 * 0.25, 0.0, corner[1] + 60 * 0.25]), 1.0)
    for _ in range(240):
        trails.advance(1 / 60)
    x = (np.arange(trails.amount.shape[0]) - 80) * 0.25
    profile = trails.amount.sum(axis=1) * 0.25  # over z
    exact = np.exp(-(x**2) / (4 * 4.0)) / np.sqrt(4 * np.pi * 4.0)
    assert np.abs(profile - exact).max() < 2e-3 * exact.max()


def test_nothing_crosses_the_edges():
    trails = build(half_life=FOREVER, diffusion=100.0)
    rng = np.random.default_rng(0)
    for x, z in rng.uniform([-19, -14], [19, 14], (20, 2)):
        trails.lay(np.array([x, 0.0, z]), 1.0)
    for _ in range(300):
        trails.advance(1 / 60)
    assert trails.total == pytest.approx(20 * 0.5 ** (5 / FOREVER), rel=1e-12)
    assert np.ptp(trails.amount) < 0.2 * trails.amount.mean()  # all but even by now


def test_what_is_laid_is_felt_there_and_not_outside():
    trails = build()
    point = np.array([3.1, 9.0, -4.4])
    trails.lay(point, 2.0)
    around = [
        trails.sense(point + np.array([dx, 0, dz]))
        for dx in (-1.1, 0, 1.1)
        for dz in (-1.1, 0, 1.1)
    ]
    assert np.argmax(around) == 4 and around[4] > 0 and sum(around) == around[4]
    before = trails.amount.copy()
    trails.lay(np.array([30.0, 0.0, 0.0]), 5.0)
    assert np.array_equal(trails.amount, before)
    assert trails.sense(np.array([30.0, 0.0, 0.0])) == 0


def test_a_field_comes_back_to_the_last_bit():
    trails = build(diffusion=0.4)
    trails.lay(np.zeros(3), 1.0)
    trails.advance(0.1)
    kept = trails.state()
    trails.advance(0.1)
    after = trails.amount.copy()
    other = build(diffusion=0.4)
    other.restore(kept)
    other.advance(0.1)
    assert np.array_equal(other.amount, after)
