"""Drives of a worm on a planar body: the body against closed forms, then what gaits come about."""

import numpy as np
import pytest

from planar_worm import (
    AGAR,
    LENGTH,
    STATIONS,
    WATER,
    Drive,
    PlanarWorm,
    Track,
    mix_media,
    read_gait,
    run_worm,
)
from skitter.control.crawl import Crawl
from skitter.species.crawl import ReflexDrive, WaveDrive

WAVES = 3


def sine_run(ratio, bend, seconds=4.0, dt=0.01):
    """A worm of little drag with three waves on its body, one cycle a second; bend times length."""
    spec = WaveDrive(
        frequency=1.0, waves=WAVES, amplitude=1.0, envelope=(1.0, 1.0), lag=1e-3, ramp=0.02
    )
    worm = PlanarWorm(drag=(0.01, 0.01 * ratio), bend_full=bend, damping=0.0, links=72)
    return run_worm(Crawl(spec, LENGTH), worm, seconds, dt=dt)


@pytest.mark.parametrize("ratio", [1.5, 2.0, 10.0, 40.0])
def test_planar_worm_goes_as_resistive_forces_say(ratio):
    """U/V = (K - 1) q/(1 + K q), q = (k b)²/2, for small slopes (Gray and Hancock 1955). Stations
    cut the tops of a wave, so its height b is the one that the body took."""
    track = sine_run(ratio, 7.0)
    gait = read_gait(track, skip=1.0)
    assert gait.waves == pytest.approx(WAVES, rel=1e-3)
    slope = gait.bend / (2 * np.pi * WAVES)  # k b, as the bend is b k²
    q = slope**2 / 2
    expected = (ratio - 1) * q / (1 + ratio * q)
    assert gait.way * WAVES == pytest.approx(expected, rel=0.1)


def test_equal_drag_leads_nowhere():
    track = sine_run(1.0, 9.0)
    assert np.abs(track.middle).max() < 1e-9 * LENGTH


def test_planar_worm_bends_as_its_muscles_tell():
    """Nothing drags much: the bend of one side fully active, on all the body."""
    worm = PlanarWorm(drag=WATER)
    for _ in range(50):
        worm.step(np.tile([1.0, 0.0], (STATIONS, 1)), 0.02)
    np.testing.assert_allclose(worm.read_joints() * LENGTH, 13.0, rtol=1e-3)


def test_planar_worm_straightens_at_its_slowest_mode():
    """A free beam in a medium: C y_t = -B y_xxxx, so exp(-B beta⁴ t/C), beta L = 4.730041."""
    worm = PlanarWorm(drag=AGAR, damping=0.0, links=96)
    place = worm.joint_place
    beta = 4.730041
    ratio = (np.cosh(beta) - np.cos(beta)) / (np.sinh(beta) - np.sin(beta))
    bend = np.cosh(beta * place) - np.cos(beta * place)
    bend -= ratio * (np.sinh(beta * place) - np.sin(beta * place))
    worm.heading[1:] = -np.cumsum(0.01 * bend / bend.max()) / worm.links
    worm.heading -= worm.heading.mean()
    start = np.ptp(worm.read_joints())
    for _ in range(500):
        worm.step(np.zeros((STATIONS, 2)), 0.001)
    fall = -np.log(np.ptp(worm.read_joints()) / start) / 0.5
    assert fall == pytest.approx(worm.stiffness * (beta / LENGTH) ** 4 / AGAR[1], rel=0.02)


@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_wave_crawls_on_agar(speed):
    """Forward and backward alike: 0.1 to 0.3 mm/s is what worms do."""
    worm = PlanarWorm()
    track = run_worm(Crawl(WaveDrive(), LENGTH), worm, 12.0, orders=Drive(speed=lambda _: speed))
    gait = read_gait(track, skip=4.0)
    assert gait.waves * speed == pytest.approx(1.68, rel=0.05)
    assert 0.01 < gait.way * gait.frequency * LENGTH * speed < 0.03  # cm/s


def reflex_gait(drag, seconds, *, skip, spec=None, **orders):
    """Gait of a reflex-driven worm in a medium."""
    crawl = Crawl(spec or ReflexDrive(), LENGTH)
    orders = Drive(**{name: lambda _, value=value: value for name, value in orders.items()})
    return read_gait(run_worm(crawl, PlanarWorm(drag=drag), seconds, orders=orders), skip=skip)


@pytest.fixture(scope="module")
def gaits():
    """In water, between, and on agar."""
    return [
        reflex_gait(mix_media(share), 24 * share + 8, skip=8 * share + 4) for share in (0, 0.75, 1)
    ]


def test_gait_follows_the_medium(gaits):
    """Frequency and wavelength both fall as load rises (Fang-Yen et al. 2010)."""
    water, gel, agar = gaits
    assert water.frequency > 1.2 * gel.frequency > 1.2**2 * agar.frequency
    assert 1.2**2 * water.waves < 1.2 * gel.waves < agar.waves


def test_reflex_swims_in_water(gaits):
    """1.7 to 2 Hz and about one and a half lengths a wave (Fang-Yen et al. 2010)."""
    assert 1.6 < gaits[0].frequency < 2.1
    assert 1.3 < 1 / gaits[0].waves < 1.8
    assert gaits[0].way > 0.05


def test_reflex_crawls_on_agar(gaits):
    """Quartiles of a recorded worm: 0.26 to 0.48 Hz, 1.31 to 1.97 waves."""
    agar = gaits[-1]
    assert 0.26 < agar.frequency < 0.48
    assert 1.31 < agar.waves < 1.97
    assert 8 < agar.bend < 10
    assert 0.01 < agar.way * agar.frequency * LENGTH < 0.03  # cm/s


def test_reflex_crawls_backward():
    gait = reflex_gait(AGAR, 20.0, skip=8.0, speed=-1.0)
    assert -1.97 < gait.waves < -1.31
    assert gait.way < -0.3


@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_reflex_turns(turn):
    """Towards dorsal, which raises headings, and away from it."""
    worm = PlanarWorm()
    crawl = Crawl(ReflexDrive(), LENGTH)
    track = run_worm(crawl, worm, 20.0, orders=Drive(turn=lambda _: turn))
    assert (track.heading[-1] - track.heading[400]) * turn > np.radians(90)


def test_without_load_sense_media_are_alike():
    """What the load does: a body this stiff feels too little of agar to slow down by itself."""
    spec = ReflexDrive(load={"slow": 0.0})
    water = reflex_gait(WATER, 6.0, skip=3.0, spec=spec)
    agar = reflex_gait(AGAR, 10.0, skip=5.0, spec=spec)
    assert agar.frequency > 0.7 * water.frequency


def test_gait_changes_with_the_medium_under_way():
    """From agar into water, with no order given."""
    crawl, worm = Crawl(ReflexDrive(), LENGTH), PlanarWorm()
    run_worm(crawl, worm, 8.0)
    worm.drag = WATER
    track: Track = run_worm(crawl, worm, 12.0)
    assert 1.6 < read_gait(track, skip=7.0).frequency < 2.1
