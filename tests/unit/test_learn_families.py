"""What actions of the Gymnasium environments do to each family."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import skitter.learn  # noqa: F401  makes the environments known
from skitter.control.build import blend_swing
from skitter.control.swim import drive_swimming
from skitter.control.walker import SB2, SF1, SF2
from skitter.creatures.physics import Physics
from skitter.creatures.school import School
from skitter.learn.swimmers import bend_strokes
from skitter.scene.spec import CreaturePlacement
from skitter.terrain import build_terrain
from skitter.water.surface import build_still_water


def make(family: str) -> Any:
    return gymnasium.make(f"skitter/{family}-v0").unwrapped


def hold(env: Any, steps: int, **actions: float) -> dict[str, float]:
    """What is seen after some steps of one action, 0 but for those that are named."""
    env.reset(seed=0, options={"variation": 0})
    names = [one.name for one in env.action_entries]
    action = np.zeros(len(names))
    for name, value in actions.items():
        action[names.index(name)] = value
    for _ in range(steps):
        seen, *_, told = env.step(action)
    entries = [one.name for one in env.observation_entries]
    return dict(zip(entries, seen.tolist(), strict=True)) | told


def test_an_eel_bends_to_the_side_that_is_asked_for() -> None:
    env = make("Swimmer")
    joints = [f"bend_{k + 1}" for k in range(11)]
    left = hold(env, 40, **dict.fromkeys(joints, 1.0))
    right = hold(env, 40, **dict.fromkeys(joints, -1.0))
    assert all(left[f"angle_{k + 1}"] > 0.1 > -0.1 > right[f"angle_{k + 1}"] for k in range(11))
    assert left["asked_3"] == pytest.approx(1, abs=1e-6)
    env.close()


def test_a_bend_changes_no_faster_than_it_may() -> None:
    env = make("Swimmer")
    seen = hold(env, 1, bend_4=1.0)
    assert seen["asked_4"] == pytest.approx(16.0 / 50)  # 1/s, of a step of 1/50 s
    assert seen["asked_5"] == pytest.approx(0, abs=1e-6)
    env.close()


@pytest.mark.parametrize("frequency, phase_deg", [(1.5, 54.0), (2.317, 70.37)])
def test_strokes_as_actions_are_the_species_own(frequency: float, phase_deg: float) -> None:
    """The muscles of the kernel, at any time, beside those that a bend asks for."""
    from skitter.control.swim import PHASE, SHIFT, SWIM_ITEMS, SwimModel

    model = SwimModel(np.zeros(1, int), np.zeros(1), 0.5, 1.0, 1.0, 0, np.zeros((0, 5)))
    items, length = np.zeros(SWIM_ITEMS), np.ones(4)
    for time in (0.0, 0.07, 0.31, 0.5, 1.234):
        items[PHASE] = 2 * np.pi * frequency * time
        items[SHIFT] = np.radians(phase_deg)
        bends = bend_strokes(time, 11, frequency, phase_deg)
        for rank, bend in enumerate(bends):
            drive_swimming.py_func(model, items, rank, 1.0, length)
            angle = np.pi / 4 * (1 - bend)
            sides = 0.5 + 0.5 * np.array([np.sin(angle), np.cos(angle)])
            assert length[:2] == pytest.approx(sides, abs=1e-9)


def test_an_eel_led_by_strokes_swims_as_by_itself() -> None:
    env = make("Swimmer")
    env.reset(seed=0, options={"variation": 0})
    for step in range(200):
        *_, told = env.step(bend_strokes((step + 1) / 50, 11, 1.5, 54.0))
    strokes = np.array([[1.5, np.radians(54.0)]])
    place = CreaturePlacement(species="eel", at=(0.0, -0.3, 0.0))
    eel = School(env.herd.loaded.species[0], place, Physics(1 / 1000, 981.0, np.float32), strokes)
    begin = eel.middles[0, 0]
    eel.advance(4000, build_terrain([]), None, build_still_water(0.0, 1.0))
    assert told["x"] - begin == pytest.approx(eel.middles[0, 0] - begin, rel=0.02)
    assert told["x"] - begin > 10
    env.close()


def test_a_worm_bends_to_the_side_of_the_muscles() -> None:
    env = make("Worm")
    sectors = [f"contract_{k + 1}" for k in range(12)]
    dorsal = hold(env, 12, **dict.fromkeys(sectors, 0.5))
    ventral = hold(env, 12, **dict.fromkeys(sectors, -0.5))
    middle = [f"bend_{k}" for k in range(6, 19)]
    assert all(dorsal[name] > 0.5 > -0.5 > ventral[name] for name in middle)
    assert dorsal["active_12"] > 0 > ventral["active_12"]
    env.close()


def test_a_roach_stands_and_lifts_the_leg_that_is_asked_for() -> None:
    env = make("Roach")
    still = hold(env, 60)
    legs = [f"{side}_{pair}" for pair in ("front", "middle", "hind") for side in ("left", "right")]
    assert all(still[f"touches_{leg}"] == 1 for leg in legs)
    assert sum(still[f"load_{leg}"] for leg in legs) == pytest.approx(1, abs=0.15)
    raised = hold(env, 60, left_front_lift=1.0)
    assert raised["touches_left_front"] == 0 and raised["touches_right_middle"] == 1
    env.close()


def test_a_tarantula_goes_and_turns_as_it_is_led() -> None:
    env = make("Tarantula")
    assert hold(env, 60, ahead=1.0)["x"] > 3
    assert hold(env, 60, ahead=-1.0)["x"] < -3
    assert hold(env, 40, turn=1.0)["heading_sin"] > 0.2
    high, low = (hold(env, 40, elevation=value)["elevation"] for value in (1.0, -1.0))
    assert high > 1.3 * low
    env.close()


def test_a_centipede_goes_and_turns_as_it_is_led() -> None:
    env = make("Centipede")
    begin = hold(env, 1, speed=-1.0)["x"]
    assert abs(hold(env, 30, speed=-1.0)["x"] - begin) < 0.5
    fast = hold(env, 30, speed=1.0)
    assert fast["x"] - begin > 3 and fast["head_speed"] > 5
    assert hold(env, 30, speed=0.0, turn=1.0)["head_turn"] > 0.3
    high, low = (hold(env, 30, height=value)["height"] for value in (1.0, -1.0))
    assert high > low
    env.close()


def test_waiting_poses_are_those_of_the_controller() -> None:
    env = make("Centipede")
    herd = env.herd
    theta = np.linspace(-0.2, 0.7, len(herd.group))
    found = herd.blend_swings(theta)
    for leg, angle in enumerate(theta):
        poses = herd.poses[leg]
        assert found[leg] == pytest.approx(
            blend_swing(poses[SB2], poses[SF1], poses[SF2], float(angle))
        )
    env.close()
