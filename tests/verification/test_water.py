"""Shallow water against closed forms and conservation laws.

Numbers of the dam break and the bowl are in metres and g = 9.81, as they are published.
"""

import numpy as np
import pytest

from skitter.water.grid import SOLID
from skitter.water.pool import Pool
from skitter.water.stir import BAR_SIZE

G = 9.81


def make_channel(cells, length, depth, gravity=981.0, **options):
    """A channel along x with walls, and the middles of its cells."""
    cell = length / cells
    pool = Pool(np.full((cells, 4), -depth), cell, 0.0, gravity=gravity, **options)
    return pool, (np.arange(cells) + 0.5) * cell


def make_bars(*rows):
    """Bars [n, 14] from ends, half width, half height and one velocity each."""
    return np.array([[*a, *b, wide, high, *v, *v] for a, b, wide, high, v in rows], float)


def test_waves_run_as_fast_as_they_should():
    """√(g d), over 25 cm, by the middle of a low hump."""
    depth, errors = 4.0, []
    for cells in (200, 400):
        pool, x = make_channel(cells, 100.0, depth)
        pool.depth[...] += 1e-3 * np.exp(-(((x - 50) / 4) ** 2))[:, None]
        pool.refresh()
        pool.advance(25 / np.sqrt(981 * depth))
        height = np.where(x > 60, pool.surface[:, 0], 0.0)
        errors.append(((x * height).sum() / height.sum() - 50) / 25 - 1)
    assert abs(errors[0]) < 0.01  # measured: 0.40%, and 0.21% with cells half as large
    assert abs(errors[1]) < 0.6 * abs(errors[0])


def swing(cells):
    """Error of a standing wave after five quarters of its period, as a share of its height."""
    length, depth, height = 10.0, 1.0, 1e-4
    pool, x = make_channel(cells, length, depth, gravity=G)
    shape = height * np.cos(np.pi * x / length)
    pool.depth[...] += shape[:, None]
    pool.refresh()
    period = 2 * length / np.sqrt(G * depth)
    pool.advance(1.25 * period)
    nodes = np.arange(cells + 1) * length / cells
    speed = height * np.sqrt(G / depth) * np.sin(np.pi * nodes / length)
    return max(
        abs(pool.surface[:, 0]).max() / height, abs(pool.u[:, 0] - speed).max() / speed.max()
    )


def test_a_standing_wave_converges():
    errors = [swing(cells) for cells in (25, 50, 100)]
    rates = np.log2(np.divide(errors[:-1], errors[1:]))
    assert errors[-1] < 0.02  # measured 0.047, 0.024, 0.012: rates 0.96, 0.98
    assert (rates > 0.85).all()


def fill_bowl(cells, kind):
    """A bowl of Thacker (1981) with water that swings in it; its exact depth over time."""
    a, h0, side = 1.0, 0.1, 3.0
    middle = (np.arange(cells) + 0.5) * side / cells - side / 2
    x, z = np.meshgrid(middle, middle, indexing="ij")
    bed = h0 * ((x**2 + z**2) / a**2 - 1)
    pool = Pool(bed, side / cells, 0.0, gravity=G)
    if kind == "planar":
        omega, sway = np.sqrt(2 * G * h0) / a, 0.5

        def depth(t):
            tilt = 2 * x * np.cos(omega * t) + 2 * z * np.sin(omega * t) - sway
            return np.maximum(sway * h0 / a**2 * tilt - bed, 0.0)

        wet = depth(0) > 0
        pool.w[:, 1:-1] = np.where(wet[:, 1:] | wet[:, :-1], sway * omega, 0.0)
    else:
        omega, r0 = np.sqrt(8 * G * h0) / a, 0.8
        k = (a**4 - r0**4) / (a**4 + r0**4)

        def depth(t):
            q = 1 - k * np.cos(omega * t)
            curve = (x**2 + z**2) / a**2 * ((1 - k**2) / q**2 - 1)
            return np.maximum(h0 * (np.sqrt(1 - k**2) / q - 1 - curve) - bed, 0.0)

    pool.depth[...] = depth(0)
    pool.refresh()
    return pool, depth, 2 * np.pi / omega


@pytest.mark.parametrize(
    ("kind", "period", "worst"), [("planar", 4.485701, 0.035), ("radial", 2.242851, 0.052)]
)
def test_the_bowls_of_thacker_converge(kind, period, worst):
    """After one period, shores and all: measured 0.065, 0.030, 0.014 and 0.089, 0.046, 0.023 with
    50, 100 and 200 cells across."""
    errors = []
    for cells in (50, 100):
        pool, depth, found = fill_bowl(cells, kind)
        assert found == pytest.approx(period, abs=1e-6)
        before = pool.volume
        pool.advance(period)
        errors.append(abs(pool.depth - depth(period)).sum() / depth(period).sum())
        assert pool.volume == pytest.approx(before, rel=1e-12)
    assert errors[1] < worst
    assert np.log2(errors[0] / errors[1]) > 0.85


def break_dam(cells, left, right, seconds=6.0):
    pool = Pool(np.zeros((cells, 4)), 10 / cells, left, gravity=G)
    x = (np.arange(cells) + 0.5) * 10 / cells
    pool.depth[...] = np.where(x < 5, left, right)[:, None]
    pool.refresh()
    pool.advance(seconds)
    return x, pool.depth[:, 0], pool.u[:, 0]


def test_the_dam_break_of_stoker():
    """Measured with 400 cells: the shock 1.0% too slow, depth behind it 0.4%, speed 0.6% off."""
    x, depth, u = break_dam(400, 0.005, 0.001)
    middle, speed, shock = 0.002539, 0.127280, 0.209963
    half = (middle + 0.001) / 2
    last = int(np.flatnonzero(depth > half).max())
    share = (depth[last] - half) / (depth[last] - depth[last + 1])
    found = (x[last] + share * (x[1] - x[0]) - 5) / 6
    behind = (x > 5.2) & (x < 5.8)
    assert found == pytest.approx(shock, rel=0.02)
    assert depth[behind].mean() == pytest.approx(middle, rel=0.01)
    assert u[:-1][behind].mean() == pytest.approx(speed, rel=0.015)


def test_the_dry_dam_break_of_ritter_converges():
    errors = []
    for cells in (200, 400):
        x, depth, _ = break_dam(cells, 0.005, 0.0)
        c, xi = np.sqrt(G * 0.005), (x - 5) / 6
        fan = 4 / (9 * G) * (c - xi / 2) ** 2
        exact = np.where(xi < -c, 0.005, np.where(xi > 2 * c, 0.0, fan))
        errors.append(abs(depth - exact).sum() / exact.sum())
    assert errors[1] < 0.007 and errors[1] < 0.65 * errors[0]  # measured 0.0106, 0.0060


def make_rough_pool(real=np.float64, n=80, **options):
    """A random bed with islands, and a wall in it."""
    bed = np.random.default_rng(0).uniform(-6, 1.5, (n, n))
    bed[20:24, 30:40] = SOLID
    return Pool(bed, 0.4, 0.0, real=real, **options)


@pytest.mark.parametrize("is_open", [False, True])
def test_a_lake_at_rest_stays_at_rest(is_open):
    """Over islands, around a wall and under a floating body."""
    pool = make_rough_pool(is_open=is_open)
    bars = make_bars(((10, 0, 10), (20, 0, 12), 1.5, 0.5, (0, 0, 0)))
    pool.settle(bars, 0.0, 0.0)
    assert pool.inside(pool.sheet.body[1]).max() > 0.4
    for _ in range(60):
        pool.advance(1 / 60, bars, 0.0, 0.0)
    assert max(abs(pool.u).max(), abs(pool.w).max()) < 1e-12


def stir(time, speed=12.0, x0=-15.0, count=24, length=24.0):
    """An eel made of bars at some time, which swims along x."""
    s = np.linspace(0, length, count + 1)
    wide = 0.25 + 2.25 * (s / length) ** 1.5

    def place(t):
        z = wide * np.sin(2 * np.pi * (1.5 * t - s / 20))
        return np.stack([x0 + speed * t - s, np.zeros_like(s), z], axis=1)

    now, velocity = place(time), (place(time + 1e-4) - place(time - 1e-4)) / 2e-4
    half = np.full((count, 2), 0.5)
    return np.hstack([now[:-1], now[1:], half, velocity[:-1], velocity[1:]])


@pytest.mark.parametrize(("real", "most"), [(np.float64, 1e-12), (np.float32, 1e-5)])
def test_walls_keep_all_of_the_water(real, most):
    """Sixty seconds, with a body that stirs and rain."""
    pool = Pool(np.full((60, 40), -5.0), 1.0, 0.0, real=real, seed=1)
    pool.settle(stir(0, x0=6.0), -30.0, -20.0)
    before = pool.volume
    for frame in range(1200):
        pool.rain(2.0, 1.0)
        pool.advance(1 / 20, stir(frame / 20, speed=0.0, x0=6.0), -30.0, -20.0)
    assert abs(pool.volume / before - 1) < most
    assert abs(pool.u).max() > 0.1 and pool.depth.min() >= 0


@pytest.mark.parametrize("axis", [0, 1])
def test_waves_leave_through_open_edges(axis):
    """A wave front that meets an edge squarely: what comes back, as a share of what went out. The
    other edges are too far away to matter in the middle. Measured: 0.5%; the limit is 5%."""
    pool = Pool(np.full((150, 400) if axis == 0 else (400, 150), -5.0), 0.4, 0.0, is_open=True)
    x = (np.arange(150) + 0.5) * 0.4
    front = 0.2 * np.exp(-(((x - 40) / 2) ** 2))
    pool.depth[...] += front[:, None] if axis == 0 else front
    pool.refresh()
    middle = pool.surface[:, 200] if axis == 0 else pool.surface[200]
    wave = np.sqrt(981 * 5)
    pool.advance(10 / wave)  # now one half is 10 cm before the edge, the other going away
    height = middle[x > 42].max()
    assert height > 0.08
    pool.advance(16 / wave)
    assert abs(middle[x > 30]).max() < 0.01 * height


def test_a_wide_ring_leaves_too():
    """Most of it meets the edges aslant, which a first-order condition reflects more of."""
    n, wave = 100, np.sqrt(981 * 5)
    middle = (np.arange(n) - n / 2 + 0.5) * 0.4
    distance = np.hypot(*np.meshgrid(middle, middle))
    pool = Pool(np.full((n, n), -5.0), 0.4, 0.0, is_open=True)
    pool.depth[...] += np.exp(-((distance / 2) ** 2))
    pool.refresh()
    pool.advance(18 / wave)
    height = pool.surface.max()
    pool.advance(40 / wave)
    assert abs(pool.surface).max() < 0.1 * height


def test_a_long_step_is_taken_in_many():
    pool = Pool(np.full((40, 40), -5.0), 0.4, 0.0)
    pool.depth[10:20, 10:20] += 2.0
    pool.refresh()
    before = pool.volume
    pool.advance(5.0)
    assert pool.steps > 5.0 * np.sqrt(981 * 5) / (0.5 * 0.4)
    assert abs(pool.surface).max() < 2 and pool.volume == pytest.approx(before, rel=1e-12)


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_a_body_thrown_in_does_no_harm(real):
    """At 200 cm/s, from above and then along the bed, in shallow water and back. Water that gets
    all of that speed rises by v² / 2g = 20 cm."""
    pool = Pool(np.full((60, 60), -2.0), 0.4, 0.0, real=real)
    for frame in range(60):
        x, y = (-10 + 200 / 60 * frame) % 20 + 2, max(10 - 200 / 60 * frame, -1.5)
        velocity = (200, -200 if y > -1.5 else 0, 50)
        bars = make_bars(((x, y, 8), (x + 2, y, 12), 1.0, 1.0, velocity))
        pool.advance(1 / 60, bars, 0.2, 0.2)
        assert np.isfinite(pool.surface).all()
        assert pool.surface.max() < 25 and abs(pool.u).max() < 1.5 * pool.numbers.fastest


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_threads_change_nothing(real):
    """To the last bit, with everything going on at once."""
    found = []
    for threads in (1, 2, 3):
        pool = make_rough_pool(real, is_open=True, seed=7)
        for frame in range(30):
            pool.rain(0.7, 0.6)
            pool.advance(1 / 60, stir(frame / 60, x0=25.0), 0.0, -16.0, threads=threads)
        pool.close()
        found.append(b"".join(pool.state()[key].tobytes() for key in ("u", "w", "depth")))
    assert found[0] == found[1] == found[2]


def test_a_swimmer_leaves_two_rows_of_vortices():
    """Fang 2015 fig. 5.7: behind an eel, vortices of one sense on one side, of the other on the
    other, by turns."""
    pool = Pool(np.full((200, 80), -5.0), 0.4, 0.0, real=np.float32, is_open=True)
    pool.settle(stir(0), -40.0, -16.0)
    for frame in range(210):
        pool.advance(1 / 60, stir((frame + 1) / 60), -40.0, -16.0)
    spin = np.diff(pool.w[:, 1:-1], axis=0) - np.diff(pool.u[1:-1], axis=1)
    x, z = -40.0 + 0.4 * (np.arange(199) + 0.5), -16.0 + 0.4 * (np.arange(79) + 0.5)
    wake = (x > -28) & (x < 0)
    left, right = spin[wake][:, (z < 0) & (z > -5)], spin[wake][:, (z > 0) & (z < 5)]
    assert left.sum() * right.sum() < 0
    for row in (left, right):
        along = row.sum(axis=1) * np.sign(row.sum())
        peaks = (along[1:-1] > along[:-2]) & (along[1:-1] > along[2:])
        assert (peaks & (along[1:-1] > 0.5 * along.max())).sum() >= 2  # one each 8 cm


def test_a_leg_thinner_than_a_cell_stirs():
    pool = Pool(np.full((40, 40), -1.0), 0.4, 0.0)
    for frame in range(10):
        x = 4 + 20 / 60 * frame
        leg = make_bars(((x, 1, 8), (x, -1, 8), 0.03, 0.03, (20, 0, 0)))
        pool.advance(1 / 60, leg, 0.0, 0.0)
    assert pool.u.max() > 0.2


def test_no_bars_is_no_body():
    pool = Pool(np.full((20, 20), -5.0), 0.4, 0.0)
    pool.advance(0.1, np.zeros((0, BAR_SIZE)))
    assert pool.u.max() == 0 and pool.steps > 0
