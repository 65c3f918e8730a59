"""A worm beside a real one: what is asked, and when it holds."""

from pathlib import Path

import numpy as np
import pytest
from fake_worms import BEND, HERTZ, WAVES, bend, crawl

from skitter.errors import UserError
from skitter.measure.eigenworms import load_eigenworms
from skitter.measure.real import compare, load_real_worm
from skitter.measure.worm import follow

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "worm"
at_hand = pytest.mark.skipif(not DATA.exists(), reason="the real worm is not at hand")
SEGMENTS = 100


@pytest.fixture
def tables(tmp_path):
    """A worm that crawls faster and slower by turns, as a table in rad per segment, and modes that
    hold all its shapes."""
    time = np.arange(0, 40, 0.02)
    turns = time + 2.0 * np.sin(0.3 * time)  # between 0.4 and 1.6 times the frequency
    places = (np.arange(SEGMENTS) + 0.5) / SEGMENTS
    np.savetxt(tmp_path / "bend.csv", bend(turns, places) / SEGMENTS, delimiter=",")
    np.savetxt(tmp_path / "time.csv", time)
    along = 2 * np.pi * WAVES * (np.arange(48) + 0.5) / 48
    modes = [np.cos(along), np.sin(along), np.ones(48), np.cos(7 * along)]
    np.savetxt(tmp_path / "modes.csv", modes, delimiter=",")
    real = load_real_worm(tmp_path / "bend.csv", tmp_path / "time.csv")
    return real, load_eigenworms(tmp_path / "modes.csv")


def compare_crawl(tables, **wave):
    rows = compare(follow(*crawl(**wave)), *tables)
    return {one.name: one for one in rows}


def test_one_like_the_other(tables):
    rows = compare_crawl(tables)
    assert rows["curvature amplitude"].real == pytest.approx(BEND, rel=0.02)
    assert rows["waves per body"].real == pytest.approx(WAVES, rel=0.01)
    assert rows["frequency"].low < HERTZ < rows["frequency"].high
    assert rows["share of four eigenworms"].found > 0.95
    held = [one.holds for one in rows.values() if one.is_asked]
    assert held[0] and all(held[2:])
    assert rows["speed"].found == pytest.approx(0.02, rel=0.01) and not rows["speed"].is_asked


@pytest.mark.parametrize(
    ("name", "wave"),
    [
        ("frequency", {"hertz": 3 * HERTZ}),
        ("waves per body", {"waves": 1.0}),
        ("curvature amplitude", {"size": 0.65 * BEND}),
        ("curvature amplitude", {"size": 1.35 * BEND}),
        ("share of four eigenworms", {"waves": 3.0}),
        ("frequency", {"hertz": 0.0}),
    ],
)
def test_one_unlike_the_other(tables, name, wave):
    assert not compare_crawl(tables, **wave)[name].holds


@pytest.mark.parametrize("size", [0.75, 1.25])
def test_an_amplitude_may_be_nearly_a_third_off(tables, size):
    assert compare_crawl(tables, size=size * BEND)["curvature amplitude"].holds


def test_tables_that_do_not_fit(tmp_path):
    np.savetxt(tmp_path / "a.csv", np.zeros((20, 5)), delimiter=",")
    np.savetxt(tmp_path / "t.csv", np.arange(19.0))
    with pytest.raises(UserError, match=r"has 20 moments and .* has 19; valid: as many"):
        load_real_worm(tmp_path / "a.csv", tmp_path / "t.csv")
    np.savetxt(tmp_path / "t.csv", np.arange(20.0))
    with pytest.raises(UserError, match="has no wave"):
        load_real_worm(tmp_path / "a.csv", tmp_path / "t.csv")
    with pytest.raises(UserError, match="cannot be read"):
        load_real_worm(tmp_path / "none.csv", tmp_path / "t.csv")


@at_hand
@pytest.mark.parametrize("order", [1, -1])
def test_real_worm(order):
    """A wave of its middle numbers is like it; which end of the eigenworms is the head does not
    matter."""
    real = load_real_worm(DATA / "curve_data.csv", DATA / "TimeElapsed.csv")
    modes = load_eigenworms(DATA / "master_eigen_worms_N2.csv")[:, ::order]
    rows = compare(follow(*crawl(hertz=0.37, waves=1.6, size=9.0)), real, modes)
    assert all(one.holds for one in rows if one.is_asked)
    shares = [one for one in rows if one.name.startswith("share")]
    assert shares[0].real == pytest.approx(0.962, abs=0.005)
    assert shares[0].found > 0.97
