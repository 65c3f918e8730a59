"""Water in scene files: what is refused, and in which words. Only the grid itself is built here."""

import numpy as np
import pytest

from skitter.errors import UserError
from skitter.scene.load import Scene, load_scene
from skitter.scene.spec import BoxTerrain, CylinderTerrain, PlaneTerrain, SphereTerrain, WaterSpec
from skitter.terrain import build_terrain
from skitter.water import Water
from skitter.water.grid import SOLID
from skitter.water.surface import NO_WATER, find_surface

SCENE = {"title": "pond", "creatures": [{"species": "chain", "at": [0, 5, 0]}]}
NOTHING = build_terrain([])


def load(**water):
    return load_scene({**SCENE, "water": water})


def make_water(terrain=(), obstacles=(), seed=0, **spec):
    spec = WaterSpec(**({"area": (16, 12), "cell": 0.4} | spec))
    beds = build_terrain(list(terrain)), build_terrain(list(obstacles))
    return Water(spec, *beds, gravity=981.0, real=np.float64, seed=seed)


@pytest.mark.parametrize(
    ("water", "words"),
    [
        ({"colour": 3}, "water.colour is not a known key"),
        ({"cell": 0}, "water.cell must be a number from 0.0001"),
        ({"edges": "shut"}, "water.edges must be one of walls, open"),
        ({"waves": 1}, "water.waves must be true or false"),
        ({"density": 0}, "water.density must be a number more than 0"),
        ({"rain": -1}, "water.rain must be a number from 0 to 10,000"),
        ({"follow": "chain"}, "water has follow but walls around it; valid: edges: open"),
        ({"follow": "eel", "edges": "open"}, "water.follow 'eel' names no creature of this scene"),
        ({"cell": 0.01}, "water has 8,000 x 8,000 cells; valid: at most 1,000 each way"),
        ({"cell": 20}, "water has 4 x 4 cells; valid: at least 8 each way"),
        ({"cell": 0.001, "area": [1, 1]}, "water.cell asks for 2,953,000,000 cells of water"),
        ({"at": [1, 2, 3]}, "water.at must be a list of 2 numbers"),
    ],
)
def test_mistakes_end_in_one_line(water, words):
    with pytest.raises(UserError) as error:
        load(**water)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_water_is_off_unless_asked_for():
    assert load_scene(SCENE).spec.water is None
    assert load().spec.water == WaterSpec()
    assert load(edges="open", follow="chain").spec.water.follow == "chain"


def test_a_scene_with_water_comes_back_from_its_dict():
    scene = load(level=2, edges="open", follow="chain", rain=3)
    assert Scene.from_dict(scene.to_dict()).spec == scene.spec


def test_land_everywhere_is_refused():
    with pytest.raises(UserError, match=r"water\.level 0 is below the terrain everywhere"):
        make_water([PlaneTerrain(shape="plane", at=(0, 1, 0))])
    with pytest.raises(UserError, match="below the terrain"):
        make_water([PlaneTerrain(shape="plane")])


def test_the_bed_is_the_terrain_down_to_the_depth():
    slope = PlaneTerrain(shape="plane", at=(0, -2, 0), normal=(-1, 1, 0))
    water = make_water([slope], depth=5)
    x = water.origin[0] + 0.4 * np.arange(40)
    assert water.pool.bed[:, 3] == pytest.approx(np.maximum(x - 2, -5))
    wet = np.isfinite(water.read()["water_surface"][:, 3])
    assert (wet == (x < 2)).all()


def test_there_is_water_under_bridges_and_over_sunken_stones():
    bridge = BoxTerrain(shape="box", at=(0, 3, 0), size=(4, 1, 40))
    stone = SphereTerrain(shape="sphere", at=(5, -3, 0), radius=1)
    water = make_water([bridge, stone], depth=6)
    assert water.pool.bed[20, 0] == -6
    assert water.pool.bed.max() == pytest.approx(-2, abs=0.1)


def test_obstacles_that_pierce_the_surface_are_solid():
    post = CylinderTerrain(shape="cylinder", at=(0, 0, 0), radius=2, length=4)
    sunken = CylinderTerrain(shape="cylinder", at=(5, -5, 0), radius=2, length=4)
    water = make_water(obstacles=[post, sunken])
    area = (water.pool.bed == SOLID).sum() * 0.4**2
    assert area == pytest.approx(np.pi * 4, rel=0.1)
    assert water.surface().height.max() == 0.0
    before = water.pool.volume
    water.set_barrier(build_terrain([post.model_copy(update={"at": (3, 0, 1)})]))
    assert water.pool.volume == pytest.approx(before, rel=1e-12)
    water.advance(0.5, np.zeros((0, 14)), gravity=981.0)
    assert water.pool.volume == pytest.approx(before, rel=1e-12)
    assert abs(water.pool.u).max() > 1  # it runs into the hole


def test_the_surface_that_creatures_meet():
    walls, still = make_water().surface(), make_water(waves=False, level=3).surface()
    assert find_surface(walls, 0.0, 0.0) == 0.0
    assert find_surface(walls, 100.0, 0.0) == NO_WATER
    assert find_surface(make_water(edges="open", level=1).surface(), 100.0, 0.0) == 1.0
    assert find_surface(still, 1e5, 0.0) == 3.0 and still.density == 1.0


def test_the_grid_follows_and_the_water_stays():
    water = make_water(edges="open", follow="chain")
    water.pool.depth[10:20, 8:12] += 1.0
    water.pool.refresh()
    water.advance(0.05, np.zeros((0, 14)), gravity=981.0)
    before, moved, velocity = water.surface(), water.pool.depth.copy(), water.pool.u.copy()
    water.follow(np.array([0.25, 9.0, 0.1]))  # less than a cell
    assert (water.origin == before.origin).all()
    water.follow(np.array([0.9, 9.0, -0.5]))
    assert water.moved.tolist() == [2, -1]
    assert (water.pool.depth[:-2, 1:] == moved[2:, :-1]).all()
    assert (water.pool.u[:-2, 1:] == velocity[2:, :-1]).all()
    assert (water.pool.depth[-2:] == 8).all() and (water.pool.depth[:, 0] == 8).all()
    for x, z in ((0.0, 0.0), (-2.13, 1.7), (3.3, -2.9)):
        assert find_surface(water.surface(), x, z) == pytest.approx(find_surface(before, x, z))
    water.follow(np.array([1e4, 0.0, 0.0]))
    assert (water.pool.depth == 8).all() and not water.pool.u.any()


@pytest.mark.parametrize("away", [(2.0, 3.0), (-2.0, 3.0), (1.5, -2.5), (0.0, 2.0), (-60.0, 1.0)])
def test_a_grid_that_has_followed_has_the_bed_below_it(away):
    """A slope across both axes, of the height it has in the middle of each cell."""
    slope = PlaneTerrain(shape="plane", at=(0, -6, 0), normal=(0.1, 1.0, -0.05))
    water = make_water([slope], edges="open", depth=30, follow="chain")
    water.follow(np.array([away[0], 0.0, away[1]]))
    rows, columns = np.indices(water.pool.shape)
    x, z = water.origin[0] + rows * water.spec.cell, water.origin[1] + columns * water.spec.cell
    assert water.moved.any()
    assert water.pool.bed == pytest.approx(-6 - 0.1 * x + 0.05 * z, abs=1e-4)


def test_rain_is_the_same_with_the_same_seed_and_keeps_the_volume():
    found = []
    for seed in (5, 5, 6):
        water = make_water(rain=200, seed=seed)
        before = water.pool.volume
        for _ in range(30):
            water.advance(1 / 60, np.zeros((0, 14)), gravity=981.0)
        assert water.pool.volume == pytest.approx(before, rel=1e-12)
        assert abs(water.pool.surface).max() > 0.01
        found.append(water.pool.depth.tobytes())
    assert found[0] == found[1] != found[2]


def test_a_state_is_enough_to_go_on_from():
    water, other = (make_water(edges="open", follow="chain", rain=100, seed=2) for _ in range(2))
    bars = np.array([[0, 0, 0, 3, 0, 1, 0.5, 0.5, 9, 0, 2, 9, 0, 2]], float)
    for frame in range(20):
        if frame == 8:
            other.restore(water.state())
        water.follow(bars[0, :3])
        water.advance(1 / 60, bars, gravity=981.0)
        if frame >= 8:
            other.follow(bars[0, :3])
            other.advance(1 / 60, bars, gravity=981.0, threads=2)
        bars[0, [0, 3]] += 0.15
    state = other.state()
    assert all(np.array_equal(state[key], array) for key, array in water.state().items())
    assert water.moved[0] > 3


def test_what_is_recorded():
    water = make_water(record_velocity=True)
    values, channels = water.read(), water.list_channels()
    assert [one.name for one in channels] == list(values)
    assert values["water_surface"].shape == (40, 30) and values["water_origin"].shape == (2,)
    assert values["water_velocity"].shape == (40, 30, 2)
    assert values["water_volume"] == pytest.approx(16 * 12 * 8)
    assert values["water_origin"] == pytest.approx([-7.8, -5.8])
    assert "water_velocity" not in make_water().read()
    assert make_water(waves=False).list_channels() == [] == make_water(waves=False).list_statics()


def test_no_gravity_is_no_waves():
    water = make_water()
    water.pool.depth[5] += 1
    water.pool.refresh()
    for gravity in (0.0, -981.0):
        water.advance(0.1, np.zeros((0, 14)), gravity=gravity)
    assert not water.pool.u.any()
