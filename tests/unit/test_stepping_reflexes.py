"""Reflexes of legs, with what they feel made up: step, load, elevator, and their calibration."""

import numpy as np
import pytest

from skitter.control.stepping.calibrate import calibrate_reflexes
from skitter.control.stepping.model import ELEVATOR, LOAD, STEP
from skitter.species.gait import GaitSpec
from steppers import INTERVAL, Walk, make_spec

STEP_TIME = 0.05  # s
PAIRS = ["front", "middle", "hind"]


def make_walk(frequency=2.0, **reflexes):
    return Walk(make_spec(reflexes=reflexes), frequency=frequency)


def step_reflex(degrees=-25.0, **more):
    return {"on": True, "angle_deg": dict.fromkeys(PAIRS, degrees), **more}


def load_reflex(**more):
    return {"on": True, "most": dict.fromkeys(PAIRS, 500.0), **more}


def elevator(**more):
    return {"on": True, "force": dict.fromkeys(PAIRS, 200.0), **more}


def until(walk, condition, most=2.0):
    """Run until a condition holds; fails if it never does."""
    while not condition(walk):
        walk.advance()
        assert walk.time < most
    return walk


def all_stand(walk):
    since = walk.time - walk.state.land_time.max()
    return not walk.state.stepping.any() and walk.state.steps.min() > 0 and since > 0.03


def stretch(walk, leg, degrees=-30.0):
    walk.sense.angle[walk.leg(leg)] = np.radians(degrees)


def test_a_stretched_leg_steps_at_once():
    walk = until(make_walk(step=step_reflex()), all_stand)
    leg, steps = walk.leg("left_middle"), walk.state.steps.copy()
    stretch(walk, "left_middle")
    now = walk.time
    walk.advance()
    assert walk.state.stepping[leg] and walk.state.lift_time[leg] == now
    assert walk.state.steps[leg] == steps[leg] + 1
    assert walk.state.reflex[leg].tolist() == [1, 0, 0]
    assert walk.state.reflex.sum() == 1
    # its oscillator is where that of a leg is that has just stepped
    assert walk.state.phase[leg] % 1 == pytest.approx(2.0 * INTERVAL, abs=2 * INTERVAL)


def test_a_stretched_leg_pulls_the_one_before_it():
    """The leg before follows the reset oscillator: it steps earlier than it would have."""

    def next_step(disturbed):
        walk = until(make_walk(step=step_reflex()), all_stand)
        if disturbed:
            stretch(walk, "left_hind")
            walk.advance()
            walk.sense.angle[:] = 0
        begin = walk.time
        walk.run(0.6)
        return next(time for time in walk.lifts[walk.leg("left_front")] if time > begin)

    assert next_step(True) < next_step(False) - 0.02


@pytest.mark.parametrize("degrees, steps", [(-24.0, 0), (-26.0, 1)])
def test_the_limit_is_that_of_the_pair(degrees, steps):
    limits = {"front": 90.0, "middle": -25.0, "hind": -90.0}
    walk = make_walk(step={"on": True, "angle_deg": limits})
    walk.sense.angle[:] = np.pi  # far forward
    until(walk, all_stand)
    for pair in ("middle", "hind"):
        stretch(walk, f"left_{pair}", degrees)
    walk.advance()
    assert walk.state.reflex[walk.leg("left_middle"), STEP] == steps
    assert walk.state.reflex[:, STEP].sum() == steps


def test_walking_backward_the_limit_is_mirrored():
    """Swing of -20..30 has its middle at 5 degrees: a limit of -25 becomes 35."""
    walk = make_walk(step=step_reflex())
    walk.drive[1:3] = -1
    until(walk, all_stand)
    stretch(walk, "left_middle", -60.0)
    walk.advance()
    assert not walk.state.reflex.any()
    stretch(walk, "left_middle", 36.0)
    walk.advance()
    assert walk.state.reflex[walk.leg("left_middle"), STEP] == 1


@pytest.mark.parametrize("support", ["left_hind", "right_middle"])
def test_a_stretched_leg_waits_for_the_legs_behind_and_across(support):
    walk = make_walk(step=step_reflex())
    until(walk, lambda now: now.state.stepping[now.leg(support)] and now.state.steps.min() > 0)
    stretch(walk, "left_middle")
    leg = walk.leg("left_middle")
    while walk.state.stepping[walk.leg(support)]:
        assert walk.state.reflex[leg, STEP] == 0
        walk.advance()
    walk.run(2 * INTERVAL)
    assert walk.state.reflex[leg, STEP] == 1


@pytest.mark.parametrize("lifted", ["left_middle", "left_hind", "right_middle"])
def test_in_the_air_nothing_steps_by_reflex(lifted):
    walk = until(make_walk(step=step_reflex()), all_stand)
    walk.sense.touching[walk.leg(lifted)] = 0
    stretch(walk, "left_middle")
    walk.advance()
    assert not walk.state.reflex.any()


def test_a_leg_that_stays_stretched_stands_between_its_steps():
    """For half a step time at least: 25 ms; and by reflex, much before half a second is over."""
    walk = until(make_walk(step=step_reflex()), all_stand)
    stretch(walk, "left_hind")
    begin = walk.time
    walk.run(0.4)
    leg = walk.leg("left_hind")
    down = np.array([time for time in walk.lands[leg] if time > begin])
    up = np.array([time for time in walk.lifts[leg] if time > down[0]])
    stance = up - down[: len(up)]
    assert len(stance) > 3
    assert np.all((stance > 0.025 - 1e-9) & (stance < 0.03))


def test_a_leg_that_was_due_anyway_does_not_count_as_stretched():
    walk = make_walk(step=step_reflex(), load=load_reflex(longest=0.4))
    leg = walk.leg("right_hind")
    walk.sense.load[leg] = 501.0
    until(walk, lambda now: now.state.waiting[leg])
    stretch(walk, "right_hind")
    walk.run(0.01)
    walk.sense.load[leg] = 0.0
    walk.run(0.01)
    assert walk.state.stepping[leg]
    assert walk.state.reflex[leg].tolist() == [0, 1, 0]


def test_the_step_reflex_can_be_switched_off():
    walk = until(make_walk(step=step_reflex(on=False)), all_stand)
    stretch(walk, "left_middle")
    walk.run(0.02)
    assert not walk.state.reflex.any()


def test_a_supporting_leg_does_not_step_by_reflex():
    """McKenna 1990 section 4.1: load keeps the step reflex from lifting a supporting leg."""
    walk = until(make_walk(step=step_reflex(), load=load_reflex()), all_stand)
    stretch(walk, "left_middle")
    walk.sense.load[:] = 501.0
    walk.advance()
    assert not walk.state.reflex.any()


def test_load_holds_a_leg_back_until_it_bears_less():
    free, held = make_walk(), make_walk(load=load_reflex(longest=0.4))
    leg = held.leg("right_hind")
    held.sense.load[leg] = 501.0
    free.run(0.4)
    due = free.lifts[leg][0]
    held.run(due + 0.08)
    assert held.state.steps[leg] == 0 and held.state.waiting[leg]
    assert held.state.due_time[leg] == pytest.approx(due, abs=1e-9)
    held.sense.load[leg] = 499.0
    now = held.time
    held.advance()
    assert held.state.lift_time[leg] == now
    assert held.state.reflex[leg].tolist() == [0, 1, 0]
    held.run(0.2)
    # the one before it waited too
    assert held.lifts[held.leg("right_middle")][0] > now + STEP_TIME - 1e-9


def test_load_holds_a_leg_no_longer_than_the_longest_wait():
    free, held = make_walk(), make_walk(load=load_reflex(longest=0.07))
    held.sense.load[:] = 1e4
    free.run(3.0)
    held.run(3.0)
    assert held.lifts[-2][0] == pytest.approx(free.lifts[-2][0] + 0.07, abs=1e-9)
    assert held.state.steps.min() >= 4
    assert np.all(held.state.reflex[:, LOAD] >= held.state.steps)
    assert np.all(held.state.reflex[:, LOAD] <= held.state.steps + 1)


def test_load_below_the_limit_changes_nothing():
    free, light = make_walk(), make_walk(load=load_reflex())
    light.sense.load[:] = 499.0
    assert free.run(2.0).lifts == light.run(2.0).lifts
    assert not light.state.reflex.any()


def meet(walk, name, since=0.02):
    """Run until a leg has been stepping for some time, and let it meet something."""
    leg = walk.leg(name)
    until(walk, lambda now: now.state.stepping[leg] and now.time - now.state.lift_time[leg] > since)
    walk.sense.blocked[leg] = 250.0
    return leg


def test_a_blocked_leg_retreats_lifts_higher_and_tries_again():
    walk = make_walk(elevator=elevator(lift_deg=20.0, back_deg=5.0, prolong=0.5))
    leg = meet(walk, "left_hind")
    joints = [walk.joint("left_hind.swing"), walk.joint("left_hind.lift")]
    before = np.degrees(walk.state.rest_next[joints])
    begin, lifted = walk.time, walk.state.lift_time[leg]
    walk.advance()
    walk.sense.blocked[leg] = 0.0
    assert walk.state.reflex[leg].tolist() == [0, 0, 1]
    until(walk, lambda now: now.time >= begin + 0.0125)  # half of half a step
    retreated = np.degrees(walk.state.rest_next[joints])
    assert retreated[0] < before[0] - 4.5
    assert retreated[1] == pytest.approx(before[1] + 20.0, abs=1.0)
    rows = []
    until(walk, lambda now: rows.append(now.state.rest[joints]) or not now.state.stepping[leg])
    swing, lift = np.degrees(np.array(rows)).T
    assert lift.max() == pytest.approx(60.0, abs=1e-6)  # 40 of the program and 20 more
    assert lift[np.argmax(swing > 29.9)] > 55.0  # all the way over the obstacle
    assert walk.state.land_time[leg] - lifted == pytest.approx(0.075, abs=1e-12)
    walk.advance()
    assert np.degrees(walk.state.rest[joints]) == pytest.approx([30.0, -5.0], abs=0.5)


def test_a_leg_gives_up_after_some_tries():
    walk = make_walk(elevator=elevator(retries=2, prolong=0.4))
    leg = meet(walk, "left_hind")
    lifted = walk.state.lift_time[leg]
    until(walk, lambda now: not now.state.stepping[leg])
    assert walk.state.reflex[leg, ELEVATOR] == 2
    assert walk.state.land_time[leg] - lifted == pytest.approx(0.09, abs=1e-12)
    walk.sense.blocked[:] = 0
    joint, heights = walk.joint("left_hind.lift"), []
    walk.run(1.0, lambda now: heights.append(now.state.rest_next[joint]))
    up, down = walk.lifts[leg], walk.lands[leg]
    assert down[1] - up[1] == pytest.approx(STEP_TIME, abs=1e-12)  # forgotten at the next step
    assert 39 < np.degrees(max(heights)) < 40 + 1e-6
    meet(walk, "left_hind")
    walk.run(0.1)
    assert walk.state.reflex[leg, ELEVATOR] == 4


def test_a_leg_does_not_try_again_while_it_retreats():
    """Half of 25 ms it goes back, for 5 ms more it is blind; then what is still there counts."""
    walk = make_walk(elevator=elevator(prolong=0.5))
    leg = meet(walk, "left_hind")
    begin = walk.time
    until(walk, lambda now: now.time > begin + 0.017)
    assert walk.state.reflex[leg, ELEVATOR] == 1
    until(walk, lambda now: now.time > begin + 0.019)
    assert walk.state.reflex[leg, ELEVATOR] == 2


def test_after_a_prolonged_step_a_leg_goes_back_no_faster_than_others():
    """At 10 Hz stance takes 50 ms for 50 degrees; this one has only 25 ms left."""
    spec = make_spec(coupling=0.0, reflexes={"elevator": elevator(retries=3, prolong=0.5)})
    walk = Walk(spec, frequency=10.0)
    leg = meet(walk, "left_hind")
    until(walk, lambda now: not now.state.stepping[leg])
    joint = walk.joint("left_hind.swing")
    speeds = []
    until(walk, lambda now: speeds.append(now.state.rest_speed[joint]) or now.state.stepping[leg])
    assert 40 < len(speeds) < 60
    assert np.degrees(speeds[2:-2]) == pytest.approx(-1000.0, rel=1e-6)


def test_the_leg_before_waits_for_a_prolonged_step():
    walk = make_walk(10.0, elevator=elevator(retries=3, prolong=0.5))
    leg = meet(walk, "left_hind")
    until(walk, lambda now: not now.state.stepping[leg])
    walk.sense.blocked[:] = 0
    walk.run(0.01)
    middle = walk.leg("left_middle")
    assert walk.state.lift_time[middle] == walk.state.land_time[leg]
    walk.run(3.0)
    lag = np.array(walk.lifts[middle][-5:]) - np.array(walk.lifts[leg][-5:])
    assert np.abs(lag % 0.1) == pytest.approx(0.05, abs=1e-3)  # back in step


@pytest.mark.parametrize("since", [0.002, 0.04])
def test_the_ground_is_no_obstacle(since):
    """While it lifts off and while it is put down, what brakes a foot is the ground."""
    walk = make_walk(elevator=elevator())
    leg = meet(walk, "left_hind", since)
    walk.run(0.005)
    assert walk.state.reflex[leg, ELEVATOR] == 0


def test_the_elevator_reflex_can_be_switched_off():
    walk = make_walk(elevator=elevator(on=False))
    walk.sense.blocked[:] = 1e5
    walk.run(1.0)
    assert not walk.state.reflex.any()


def test_calibration_lies_beyond_undisturbed_walking():
    """A record made by hand: four moments, two pairs of one leg each, and one that never steps."""
    stepping = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]])
    angle = np.radians([[10, 40, 0], [-30, 60, 0], [-90, 20, 0], [5, 0, 0]])
    load = np.array([[900, 300, 5], [100, 700, 5], [0, 800, 5], [900, 900, 5]], float)
    blocked = np.array([[999, 0, 0], [999, 0, 0], [50, 0, 0], [999, 0, 0]], float)
    found = calibrate_reflexes(
        ["left_front", "left_hind", "left_third"],
        stepping=stepping, angle=angle, load=load, blocked=blocked, margin=0.1, least=2.0,
    )  # fmt: skip
    assert found["step"]["angle_deg"] == pytest.approx({"front": -34.0, "hind": -4.0})
    assert found["load"]["most"] == pytest.approx({"front": 110.0, "hind": 330.0})
    assert found["elevator"]["force"] == pytest.approx({"front": 55.0, "hind": 2.0})


def test_calibrated_reflexes_rest_in_the_walk_they_come_from():
    """Angles that follow the rest angles, loads and forces of a made-up body, recorded and used."""

    def feel(walk):
        swing = walk.model.leg_joint[:, 0]
        walk.sense.angle[:] = walk.state.rest_next[swing]
        walk.sense.load[:] = np.where(walk.state.stepping, 0, 300 + 50 * np.sin(walk.state.phase))
        walk.sense.blocked[:] = np.where(walk.state.stepping, 40.0, 0.0)

    rows = []

    def record(walk):
        feel(walk)
        rows.append([walk.state.stepping.copy(), *(array.copy() for array in walk.sense)])

    walk = Walk(frequency=8.0).run(1.0, record)
    stepping, load, blocked, _, angle = map(np.array, zip(*rows, strict=True))
    limits = calibrate_reflexes(
        walk.plan.leg_name, stepping=stepping, angle=angle, load=load, blocked=blocked
    )
    spec = walk.spec.model_dump(mode="json")
    spec["reflexes"] = {name: {"on": True, **limit} for name, limit in limits.items()}
    again = Walk(GaitSpec.model_validate(spec), frequency=8.0)
    again.run(3.0, feel)
    assert again.state.steps.min() > 20
    assert not again.state.reflex.any()
