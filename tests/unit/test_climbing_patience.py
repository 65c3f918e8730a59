"""A climber that is stuck lets go, after as long as its species says; others do not."""

import numpy as np
import pytest
from test_climbing_parts import Parts

from skitter.control.climbing.model import (
    AWAY_FOR,
    BRAKE_SENSE,
    FALLING,
    LED,
    SPEED_WANTED,
    STANCE,
)
from skitter.control.climbing.patience import lose_patience
from skitter.world import World

STEP, PATIENCE = 0.01, 3.0  # s


@pytest.fixture
def spider():
    one = Parts("tarantula", steering={"patience": PATIENCE})
    one.mind.leg_state[:] = STANCE
    one.mind.drive[SPEED_WANTED] = 0.1 * one.traits.max_speed
    one.mind.drive[BRAKE_SENSE] = 0.9  # it would go at full speed
    return one


def wait(one, seconds, speed=0.0):
    """Time passes while it goes along x; when it let go, s."""
    for k in range(round(seconds / STEP)):
        one.body.place[0] += speed * STEP
        lose_patience(one.traits, one.body, one.mind, one.orders, k * STEP, STEP)
        if one.mind.count[FALLING]:
            return (k + 1) * STEP
    return None


def test_it_lets_go_when_its_patience_is_over_and_turns_away(spider):
    spider.orders.held[:] = 1
    assert wait(spider, 10.0) == pytest.approx(PATIENCE, abs=2 * STEP)
    assert not spider.orders.held.any()
    assert spider.orders.weight[0] == 1.0
    # as long as a turn by about half a circle takes at sqrt(c1) rad/s
    assert abs(spider.mind.drive[AWAY_FOR]) * np.sqrt(spider.traits.turn_c1) == pytest.approx(3.0)


def test_one_that_gets_on_does_not(spider):
    half = 0.5 * spider.traits.span
    assert wait(spider, 10.0, speed=1.1 * half / PATIENCE) is None


def test_one_that_treads_the_spot_does(spider):
    half = 0.5 * spider.traits.span
    assert wait(spider, 10.0, speed=0.9 * half / PATIENCE) is not None


def test_one_that_wants_to_stay_or_is_led_does_not(spider):
    spider.mind.drive[SPEED_WANTED] = 0.0
    assert wait(spider, 10.0) is None
    spider.mind.drive[SPEED_WANTED] = 0.1 * spider.traits.max_speed
    spider.mind.behaviour[0] = LED
    assert wait(spider, 10.0) is None


def watch_height(world):
    world.advance(0.25)
    return float(world.creatures[0].position[1])


def test_an_ant_gets_down_from_a_perch_that_its_legs_cannot_round():
    """Without patience it stays up there for good, half of its legs searching."""
    heights = {}  # cm, the least
    for patience in (3.0, 1e6):
        world = World.from_scene(
            {
                "title": "an ant on a needle",
                "terrain": [{"shape": "plane"}],
                "obstacles": [{"shape": "cylinder", "at": [0, 1.5, 0], "radius": 0.2, "length": 5}],
                "creatures": [
                    {
                        "species": "ant",
                        "at": [0, 4.6, 0],
                        "with": {"steering": {"patience": patience}},
                    }
                ],
            }
        )
        heights[patience] = min(watch_height(world) for _ in range(40))
    assert heights[3.0] < 1.0
    assert heights[1e6] > 3.0
