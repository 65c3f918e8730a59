"""Steps of creatures of links: implicit ones against Runge-Kutta, and going back in time."""

import numpy as np
import pytest

import skitter.creatures.articulated.company as company_module
from link_worlds import build_links
from skitter.creatures.articulated.company import gather
from skitter.rigid.tree.steps import accept_runge_kutta, try_runge_kutta

EXACT = {"method": "runge_kutta", "tolerance": 1e-7}
# Friction that comes in within 10 cm/s: sharper, a foot of 0.5 mg would need steps of 1e-7 s.
SOFT = {"slip": 10.0, "beta": 50.0}


def drop(solver: dict, height: float, seconds: float) -> np.ndarray:
    """Where all boxes of a roach are that falls and lands without walking."""
    placement = {"at": [0, height, 0], "velocity": [0, -40, 0], "commands": [{"speed": 0}],
                 "with": {"solver": solver, "contact": SOFT}}  # fmt: skip
    world = build_links(("roach", placement), frame_rate=50)
    world.advance(seconds)
    one = world.creatures[0]
    return one.place_bodies(*one.tree.place_links(one.body_state.q))[0]


@pytest.mark.parametrize(("height", "seconds"), [(3.0, 0.02), (1.1, 0.02)], ids=["falls", "lands"])
def test_implicit_steps_come_to_runge_kutta(height, seconds):
    """At the first order: half the step, half the error."""
    true = drop(EXACT, height, seconds)
    errors = [
        abs(drop({"time_step": step}, height, seconds) - true).max()
        for step in (1 / 16000, 1 / 32000)
    ]
    assert errors[1] < 0.01
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.25)


# --- back in time


def build_crowd():
    """A roach under way on pads that hold and tear, and a wire."""
    contact = {**SOFT, "sticky": {"on": True, "breaks": 300}}
    solver = {"method": "runge_kutta", "tolerance": 1e-4}
    walks = {"start": "stand", "with": {"solver": solver, "contact": contact}}
    wire = {"at": [3.3, 1.45, 3.3], "turn_deg": [0, 90, 0], "with": {"solver": solver}}
    return build_links(("roach", walks), ("wire", wire), frame_rate=100)


@pytest.fixture(scope="module")
def bold():
    """A world whose steps are judged too bold now and then, and the steps that counted."""
    world, kept, calls = build_crowd(), [], []

    def try_step(system, outside, state, seconds, tolerance, room, felt):
        error = try_runge_kutta(system, outside, state, seconds, tolerance, room, felt)
        calls.append(error)
        return 5.0 if len(calls) % 3 == 1 else error

    def accept(system, outside, state, seconds, room, felt):
        kept.append(seconds)
        accept_runge_kutta(system, outside, state, seconds, room, felt)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(company_module, "try_runge_kutta", try_step)
        patch.setattr(company_module, "accept_runge_kutta", accept)
        steps = []
        for _ in range(2):
            kept.clear()
            world.advance()
            steps.append(kept.copy())
    return world, steps, len(calls)


def replay(world, steps) -> None:
    """The same steps one after the other, none of which is ever taken back."""
    for frame in steps:
        around = world.look_around()
        for one in world.creatures:
            one.frame_seconds[0] = around.seconds
            one.obey(around.time)
        company = gather(world.creatures, [around] * len(world.creatures))
        now = around.time
        for seconds in frame:
            company.think(now, seconds)
            args = company.system, company.outside, company.state
            try_runge_kutta(*args, seconds, 1e-4, company.room, company.felt)
            accept_runge_kutta(*args, seconds, company.room, company.felt)
            now += seconds
            company.sense(now, seconds)
        company.hand_out()
        world.frame += 1


def test_steps_that_were_taken_back_leave_no_trace(bold):
    """Joints, gaits, rest angles, pads and closures are as if those steps had never been tried."""
    world, steps, tried = bold
    assert tried > 1.2 * sum(map(len, steps))
    other = build_crowd()
    replay(other, steps)
    before, after = other.state(), world.state()
    counts = {"evaluations", "shortest", "next_step"}
    for key in before.keys() - {f"c{k}.{name}" for k in range(2) for name in counts}:
        assert before[key].tobytes() == after[key].tobytes(), key
    assert after["c0.gait.steps"].any()
    assert after["c0.body.stuck"].any()
