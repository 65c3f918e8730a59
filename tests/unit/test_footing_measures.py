"""Measures of a myriapod's path, feet and posture, each on a fault of known size."""

import numpy as np
import pytest
from fake_myriapod import LEG_LENGTH, STANCE, WIDTH, build_walk, touchdowns_of

from skitter.measure import measure

SECONDS, PERIOD = 4.0, 0.437


@pytest.fixture
def walk():
    return build_walk(touchdowns_of(5, SECONDS, PERIOD, 0.1, 0.0), SECONDS, 0.6)


def measure_walk(tmp_path, walk) -> dict[str, float]:
    found = measure(walk.write(tmp_path / "walk"))
    return {name.removeprefix("bug."): one.value for name, one in found.items()}


def test_faultless_walk_has_no_faults(tmp_path, walk):
    found = measure_walk(tmp_path, walk)
    faults = ("slip_max", "tip_penetration", "height_error", "height_error_lasting")
    for key in (*faults, "body_length_change", "food_eaten", "path_length"):
        assert found[key] == 0, key
    assert "obstacle_penetration" not in found


def test_path_there_and_back(tmp_path, walk):
    """3 cm/s, out for half the time and back again; the rest of the body stays."""
    walk.channels["body_position"][:, 0, 2] += 3 * (2 - np.abs(walk.time - 2))
    found = measure_walk(tmp_path, walk)
    assert found["path_length"] == pytest.approx(12, rel=1e-4)
    assert found["path_speed"] == pytest.approx(3, rel=1e-4)
    assert found["path_body_lengths"] == pytest.approx(12 / 7, rel=1e-4)  # five segments and ends
    assert found["distance"] == pytest.approx(0, abs=1e-5)


def test_slip_of_a_standing_tip(tmp_path, walk):
    """Tips fly far between two stances; that is no slip."""
    state, entered = walk.channels["leg_state"][:, 4], walk.channels["leg_stance_start"][:, 4]
    stands = np.flatnonzero((state[1:] == STANCE) & (state[:-1] == STANCE) & (entered[1:] > 1))
    frame = stands[3] + 1
    same = np.flatnonzero(entered == entered[frame])
    walk.channels["leg_point"][same[same >= frame], 4, 3, 2] += 0.03
    assert measure_walk(tmp_path, walk)["slip_max"] == pytest.approx(0.03 / LEG_LENGTH)


@pytest.mark.parametrize("frame", [200, 255, 256])
def test_slip_is_seen_where_frames_are_read_in_parts(tmp_path, frame):
    walk = build_walk(np.array([[0.1, 20.0], [0.1, 20.0]]), 5.0, 0.9)
    walk.channels["leg_point"][frame:, 1, 3, 0] += 0.05
    assert measure_walk(tmp_path, walk)["slip_max"] == pytest.approx(0.05 / LEG_LENGTH)


def test_depth_of_a_tip(tmp_path, walk):
    flies = np.flatnonzero(walk.channels["leg_state"][:, 7] != STANCE)
    walk.channels["leg_point"][flies[20], 7, 3, 1] = -0.08
    assert measure_walk(tmp_path, walk)["tip_penetration"] == pytest.approx(0.08 / LEG_LENGTH)


def test_height_errors_short_and_lasting(tmp_path, walk):
    height, time = walk.channels["segment_height"], walk.time
    height[(time > 1) & (time < 1.4), 0] += 0.5
    height[(time > 2) & (time < 2.7), 3] -= 0.2
    found = measure_walk(tmp_path, walk)
    assert found["height_error"] == pytest.approx(0.5 / LEG_LENGTH)
    assert found["height_error_lasting"] == pytest.approx(0.2 / LEG_LENGTH)


def test_height_before_standing_does_not_count(tmp_path, walk):
    walk.channels["segment_height"][walk.time < 1] = 5.0
    walk.channels["brain_mode"][walk.time < 1] = 0
    assert measure_walk(tmp_path, walk)["height_error"] == 0


def test_body_that_stretches(tmp_path, walk):
    """Sideways bends that keep the distances are no change; 3 % longer is."""
    place = walk.channels["body_position"]
    place[100, :, 0], place[100, :, 2] = -0.6 * np.arange(7), 0.8 * np.arange(7)
    assert measure_walk(tmp_path, walk)["body_length_change"] == pytest.approx(0, abs=1e-6)
    place[150, :, 0] *= 1.03
    longer = measure(walk.write(tmp_path / "longer"))["bug.body_length_change"].value
    assert longer == pytest.approx(0.03, abs=1e-6)


def test_depth_in_an_obstacle(tmp_path, walk):
    """A post of radius 1 whose side is 0.1 cm from the middle of the head, half a width too near;
    the box is out of reach."""
    gap = 0.1
    walk.obstacles = [
        {
            "shape": "cylinder",
            "at": [1 + gap, 0, 0],
            "radius": 1.0,
            "length": 4,
            "turn_deg": [0] * 3,
        },
        {"shape": "box", "at": [0, 0, 5], "size": [1, 1, 1], "colour": "#808080"},
    ]
    depth = measure_walk(tmp_path, walk)["obstacle_penetration"]
    assert depth == pytest.approx((WIDTH / 2 - gap) / WIDTH, abs=1e-6)
    walk.obstacles = walk.obstacles[1:]
    assert measure(walk.write(tmp_path / "far"))["bug.obstacle_penetration"].value == 0


def test_food_eaten_is_the_last_count(tmp_path, walk):
    walk.channels["food_eaten"][walk.time > 1] = 2
    walk.channels["food_eaten"][walk.time > 3] = 3
    assert measure_walk(tmp_path, walk)["food_eaten"] == 3
