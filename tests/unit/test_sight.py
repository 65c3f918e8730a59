"""What a swimmer sees, and what it makes of it (Fang 2015 section 5.5)."""

import numpy as np
import pytest

from skitter.control import sight
from skitter.control.build import build_surroundings
from skitter.control.swim import GOAL_FREQUENCY, GOAL_SHIFT, GOAL_TURN, SWIM_ITEMS
from skitter.control.walker import Surroundings
from skitter.scene.spec import BoxTerrain
from skitter.species.swim import EyesSpec, Optimum, SwimSpec
from skitter.terrain import build_terrain
from skitter.water.surface import WaterSurface, build_still_water

EYES = EyesSpec(alert_range=10.0, food_range=30.0, food_deg=60.0)
SPEC = SwimSpec(speed=6.0)
AHEAD = np.array([1.0, 0.0])
PLACE = sight.Place(np.array([0.0, -0.3, 0.0]), np.array([1.0, 0.0, 0.0]), 20.0)
LAKE = build_still_water(0.0, 1.0)
NOTHING = build_terrain([])


def wall(x: float, z: float) -> BoxTerrain:
    return BoxTerrain(shape="box", at=(x, 0.0, z), size=(2.0, 10.0, 2.0))


def food(*places: tuple[float, float]) -> np.ndarray:
    return np.array([[x, 0.0, z, 0.5, 1.0] for x, z in places]).reshape(-1, 5)


def memory() -> np.ndarray:
    return sight.start_memory(PLACE.forward)


def see(terrain=NOTHING, around: Surroundings | None = None, water: WaterSurface = LAKE):
    around = around or build_surroundings()
    return sight.see_walls(EYES, AHEAD, PLACE, terrain, around, water)


def test_open_water_is_free():
    assert see().tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("z", "blocked"), [(-3.0, 0), (3.0, 1)])
def test_a_wall_blocks_the_fan_on_its_side(z, blocked):
    """Left is towards -z."""
    free = see(build_terrain([wall(6.0, z)]))
    assert free[blocked] < 0.8 and free[1 - blocked] == 1.0


def test_another_creature_is_seen():
    ball = np.array([[5.0, -0.3, -2.0, 1.0]])
    around = build_surroundings()._replace(others=ball)
    assert see(around=around)[0] < 0.6


def test_the_end_of_the_water_is_a_wall():
    height = np.zeros((50, 50))
    pool = WaterSurface(height, np.array([-21.0, -12.5]), 0.5, -1e9, 1.0)  # ends at x = 3.75
    assert see(water=pool).max() < 1.0


@pytest.mark.parametrize(
    ("places", "bearing"),
    [
        ([(10, -10)], np.pi / 4),
        ([(10, 10), (20, -5)], -np.pi / 4),  # the nearest
        ([(-5, 1)], None),  # behind
        ([(40, 0)], None),  # too far
    ],
)
def test_the_nearest_food_in_view_draws(places, bearing):
    found, far = sight.find_food(EYES, AHEAD, PLACE.head, food(*places))
    if bearing is None:
        assert far == np.inf
    else:
        assert found == pytest.approx(bearing) and np.isfinite(far)


def test_eaten_food_does_not_draw():
    eaten = food((10, 0)) * [1, 1, 1, 1, 0]
    assert sight.find_food(EYES, AHEAD, PLACE.head, eaten)[1] == np.inf


def choose(mind, now=0.0, free=(1.0, 1.0), pieces=()):
    rng = np.random.default_rng(0)
    args = (SPEC, EYES, mind, AHEAD, PLACE, now, np.array(free), food(*pieces), rng)
    return sight.decide(*args)


def test_it_turns_to_food_and_hurries_when_that_is_far():
    mind = memory()
    far_speed, turn = choose(mind, pieces=[(25, -5)])
    near_speed, _ = choose(mind, pieces=[(3, -0.5)])
    assert turn > 0 and far_speed > SPEC.speed > near_speed
    assert mind[sight.MODE] == sight.PREY


def test_a_wall_nearer_than_food_comes_first():
    mind = memory()
    _, turn = choose(mind, free=(1.0, 0.4), pieces=[(20, 5)])
    assert turn > 0 and mind[sight.MODE] == sight.AVOID


def test_it_keeps_to_a_side_while_both_are_blocked():
    mind = memory()
    first = np.sign(choose(mind, free=(0.5, 0.5))[1])
    for free in ((0.3, 0.6), (0.6, 0.3)):
        assert np.sign(choose(mind, free=free)[1]) == first
    choose(mind, free=(1.0, 1.0))
    assert mind[sight.SIDE] == 0


@pytest.mark.parametrize(("free", "side"), [((1.0, 0.5), 1), ((0.5, 1.0), -1)])
@pytest.mark.parametrize("taken", [1, -1])
def test_it_turns_to_the_side_that_is_free_whichever_it_had_taken(free, side, taken):
    """Fang 2015 section 5.5: towards the side that is not yet hitting the wall."""
    mind = memory()
    mind[sight.SIDE] = taken
    assert np.sign(choose(mind, free=free)[1]) == side


def test_a_wall_ahead_asks_for_the_whole_turn_at_once():
    assert abs(choose(memory(), free=(0.95, 0.95))[1]) == 1.0
    assert abs(choose(memory(), free=(1.0, 0.95))[1]) < 1.0


def test_it_backs_off_where_it_is_stuck_and_goes_on_after_that():
    mind = memory()
    assert choose(mind, now=0.0, free=(0.1, 0.1))[0] > 0
    speed, turn = choose(mind, now=sight.CLOSE_TIME + 0.1, free=(0.1, 0.1))
    assert speed < 0 and turn == 0  # a bent body would stay where it is
    later = sight.CLOSE_TIME + sight.BACK_TIME + 0.2
    assert choose(mind, now=later, free=(1.0, 1.0))[0] > 0


def test_a_wave_that_runs_forward_drives_backward():
    items = np.zeros(SWIM_ITEMS)
    sight.steer(SPEC, memory(), items, 6.0, 0.5)
    ahead = items[GOAL_SHIFT]
    assert items[GOAL_TURN] == pytest.approx(0.5 * SPEC.most_turn)
    sight.steer(SPEC, memory(), items, -6.0, 0.0)
    assert items[GOAL_SHIFT] == -ahead and items[GOAL_FREQUENCY] > 0


def test_the_optimum_gives_the_stroke_and_is_not_left():
    best = Optimum(
        speed=(2.0, 8.0), frequency=(0.1, 0.2, 0.0), phase_deg=(50.0, 1.0, 0.0), power=(0, 0, 1)
    )
    spec = SwimSpec(optimum=best)
    assert sight.choose_stroke(spec, 5.0) == pytest.approx((1.1, np.radians(55)))
    assert sight.choose_stroke(spec, 50.0) == sight.choose_stroke(spec, 8.0)


def test_land_is_sought_where_it_is_nearest():
    shore = build_terrain([wall(0.0, 30.0), wall(60.0, 0.0)])
    _, turn = sight.seek_land(SPEC, EYES, memory(), AHEAD, PLACE, shore)
    assert turn < 0  # to the right
    _, turn = sight.seek_land(SPEC, EYES, memory(), AHEAD, PLACE, NOTHING)
    assert turn == 0


def test_turns_are_positive_to_the_left():
    assert sight.turn_from(AHEAD, np.array([0.0, -1.0])) == pytest.approx(np.pi / 2)
    left = sight.spread(AHEAD, np.array([np.pi / 2]))[0]
    assert left == pytest.approx([0, 0, -1], abs=1e-12)
