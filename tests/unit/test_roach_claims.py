"""Claims about the hexapod: what their numbers are made of, on cases worked by hand."""

import numpy as np
import pytest
from fake_articulated import NAME, make_walk

from skitter.claims.mckenna1990 import find_farthest, find_jump, judge, list_tracks, tell
from skitter.claims.mckenna1990_drop import change_springs, find_clearance
from skitter.claims.mckenna1990_reflexes import (
    SECONDS,
    describe,
    draw_commands,
    find_certainty,
    share_balanced,
)
from skitter.claims.mckenna1990_scenes import load_gait, load_roach
from skitter.claims.registry import load_claims
from skitter.measure.articulated import read_settled_walk, read_walk
from skitter.scene.load import load_scene

IDS = {
    "wave-to-tripod", "wilson-rules", "drop-exponential-stands", "drop-linear-collapses",
    "tripod-speed", "sticky-faster", "zigzag", "uneven-by-compliance", "reflexes-help", "lesion",
    "wires-break",
}  # fmt: skip


def test_claims_about_the_hexapod_are_listed():
    listed = {one.id.partition("/")[2]: one for one in load_claims() if "mckenna1990/" in one.id}
    assert set(listed) == IDS
    assert all("McKenna 1990" in one.paper and one.scene and one.why for one in listed.values())
    assert listed["tripod-speed"].bounds == pytest.approx([4.125, 6.875])
    assert listed["sticky-faster"].bounds == pytest.approx([6, 10])


def tell_at(hertz: float, **how) -> dict[str, float]:
    return tell(read_settled_walk(make_walk(frequency=hertz, seconds=4.0, **how).record(), NAME))


def judge_walks(**how) -> dict[int, bool]:
    return judge({hertz: tell_at(hertz, **how) for hertz in (2.0, 4.0, 8.0)})


def test_steps_by_wilsons_rules_keep_all_five():
    assert judge_walks() == dict.fromkeys(range(1, 6), True)


@pytest.mark.parametrize(
    ("how", "broken"),
    [
        ({"step": 0.06}, 1),  # the leg behind still steps: a lag is 0.05 s
        ({"across": 0.4}, 2),
    ],
)
def test_each_rule_can_be_broken(how, broken):
    found = judge_walks(**how)
    assert [rule for rule, holds in found.items() if not holds] == [broken]


def test_times_that_hang_on_the_frequency_break_the_rules_about_them():
    long_steps = {hertz: tell_at(hertz, step=0.1 / hertz) for hertz in (2.0, 4.0, 8.0)}
    assert [rule for rule, holds in judge(long_steps).items() if not holds] == [3]
    long_lags = {hertz: tell_at(hertz, lag=0.45 / hertz) for hertz in (2.0, 4.0, 8.0)}
    assert [rule for rule, holds in judge(long_lags).items() if not holds] == [5]
    one_speed = {hertz: tell_at(4.0) for hertz in (2.0, 4.0, 8.0)}
    assert not judge(one_speed)[4]


def test_phases_are_followed_step_by_step():
    tracks = list_tracks(read_walk(make_walk(frequency=2.0).record(), NAME))
    assert set(tracks) == {
        f"{side} {front} after {front + 1}" for side in ("left", "right") for front in (1, 2)
    }
    for _, phase in tracks.values():
        assert phase == pytest.approx(0.1)  # 0.05 s of half a second


def test_jump_is_the_shorter_way_round():
    assert find_jump(np.array([0.1, 0.2, 0.15])) == pytest.approx(0.1)
    assert find_jump(np.array([0.95, 0.05])) == pytest.approx(0.1)
    assert np.isnan(find_jump(np.array([0.3])))


def test_farthest_of_nothing_is_unknown():
    assert find_farthest(np.array([0.45, 0.52]), 0.5) == pytest.approx(0.05)
    assert np.isnan(find_farthest(np.zeros(0), 0.5))


def test_shins_and_feet_may_touch_the_ground():
    fake = make_walk()
    fake.statics["body_segment"] = np.array([2, -1])  # a tibia, and the root
    fake.channels["body_position"][:, 0, 1] = -1.0  # the tibia is below the ground
    walk = read_walk(fake.record(), NAME)
    assert find_clearance(walk) == pytest.approx(0.6 - 0.5 / 2, abs=1e-6)
    fake.statics["body_segment"] = np.array([1, -1])  # a femur
    walk = read_walk(fake.record(), NAME)
    assert find_clearance(walk) == pytest.approx(-1.0 - 0.2 / 2, abs=1e-6)


def test_linear_springs_are_as_stiff_at_rest():
    springs = [
        [joint["spring"] for leg in legs for part in leg["segments"] for joint in part["joints"]]
        for legs in (
            [leg.model_dump(exclude_unset=True) for leg in load_roach().legs],
            change_springs(damped=True, kind="linear", scale=3.0),
            change_springs(damped=False),
        )
    ]
    for written, linear, undamped in zip(*springs, strict=True):
        slope = written["alpha"] * written["beta"]  # of alpha (exp(beta x) - 1) at zero
        assert linear["kind"] == "linear" and linear["alpha"] == pytest.approx(3 * slope)
        assert linear["damping"] == written["damping"] > 0 == undamped["damping"]
        assert undamped["alpha"] == written["alpha"] and undamped["beta"] == written["beta"]


def test_balance_is_above_the_feet_on_the_ground():
    fake = make_walk(seconds=2.0)
    feet, centre = fake.channels["foot_position"], fake.channels["centre_of_mass"]
    corners = np.array([[1, -1], [1, 1], [0, -1], [0, 1], [-1, -1], [-1, 1]], float)
    feet[..., [0, 2]] = centre[:, None, [0, 2]] + corners
    fake.channels["foot_touching"][:] = 1
    half = len(fake.time) // 2
    feet[half:, :, 0] += 5.0  # from then on all feet are far ahead
    share = share_balanced(read_walk(fake.record(), NAME))
    assert share == pytest.approx(half / len(fake.time))


def test_certainty_is_the_mean_over_its_error():
    assert find_certainty(np.array([1.0, 3.0])) == pytest.approx(2.0)  # 2 / (sqrt 2 / sqrt 2)
    assert find_certainty(np.zeros(4)) == 0.0


def test_commands_are_random_and_can_be_repeated():
    first, again, other = draw_commands(1), draw_commands(1), draw_commands(2)
    assert first == again != other
    assert first[0]["time"] == 0.0 and all(one["time"] < SECONDS for one in first)
    assert all(0 < one["speed"] <= load_gait().pace for one in first)
    scene = load_scene("roach_tripod", overrides=[f"creatures.0.commands={describe(first)}"])
    (roach,) = scene.spec.creatures
    assert [one.speed for one in roach.commands] == pytest.approx(
        [one["speed"] for one in first], abs=1e-4
    )
