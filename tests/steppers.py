"""Legs without a body: a gait is driven and what it does is noted."""

from types import SimpleNamespace

import numpy as np

from skitter.control.stepping.build import build_gait, stand_angles, start_gait
from skitter.control.stepping.gait import advance_gait
from skitter.control.stepping.model import make_sense
from skitter.species.gait import GaitSpec

INTERVAL = 5e-4  # s
JOINTS = ("swing", "lift", "knee")
PAIRS = {1: ["only"], 2: ["fore", "hind"], 3: ["front", "middle", "hind"]}
PROGRAM = {
    "step": [
        {"share": 0.3, "angles_deg": {"lift": 40.0}},
        {"share": 0.4, "angles_deg": {"swing": 30.0}},
        {"share": 0.3, "angles_deg": {"lift": -5.0}},
    ],
    "stance": [{"share": 1.0, "angles_deg": {"swing": -20.0, "lift": 0.0}}],
}


def name_pairs(number):
    return PAIRS.get(number) or [f"pair{i}" for i in range(number)]


def make_spec(pairs=3, *, program=PROGRAM, **more):
    names = name_pairs(pairs)
    return GaitSpec.model_validate({"programs": dict.fromkeys(names, program), **more})


def make_plan(pairs=3, *, missing=(), joints=JOINTS):
    """Legs as a body's plan lists them: pair by pair from the front, left first."""
    legs = [f"{side}_{pair}" for pair in name_pairs(pairs) for side in ("left", "right")]
    legs = [leg for leg in legs if leg not in missing]
    return SimpleNamespace(
        leg_name=legs,
        leg_side=[-1 if leg.startswith("left") else 1 for leg in legs],
        leg_joint=np.arange(len(legs) * len(joints)).reshape(len(legs), -1),
        joint_name=[f"{leg}.{joint}" for leg in legs for joint in joints],
    )


class Walk:
    """A gait with what it feels and is driven by; `run` notes every step of every leg."""

    def __init__(self, spec=None, plan=None, *, frequency=None, interval=INTERVAL):
        self.spec, self.plan = spec or make_spec(), plan or make_plan()
        self.model = build_gait(self.spec, self.plan)
        angles = stand_angles(self.model, np.zeros(len(self.plan.joint_name)))
        frequency = self.spec.master if frequency is None else frequency
        self.state = start_gait(self.model, angles, frequency=frequency)
        self.sense = make_sense(len(self.plan.leg_name))
        self.sense.touching[:] = 1
        self.drive = np.array([frequency, 1.0, 1.0, 1.0])
        self.interval, self.count = interval, 0
        self.lifts = [[] for _ in self.plan.leg_name]
        self.lands = [[] for _ in self.plan.leg_name]
        self.seen = np.zeros(len(self.lifts))

    @property
    def time(self):
        return self.count * self.interval

    def leg(self, name):
        return self.plan.leg_name.index(name)

    def joint(self, name):
        return self.plan.joint_name.index(name)

    def advance(self):
        advance_gait(self.model, self.state, self.sense, self.drive, self.time, self.interval)
        self.count += 1
        state = self.state
        if (state.steps + state.stepping != self.seen).any():
            for leg in np.flatnonzero(state.steps > 0):
                note(self.lifts[leg], state.lift_time[leg])
            for leg in np.flatnonzero(state.steps > state.stepping):
                note(self.lands[leg], state.land_time[leg])
            self.seen = state.steps + state.stepping

    def run(self, seconds, watch=None):
        for _ in range(round(seconds / self.interval)):
            self.advance()
            if watch:
                watch(self)
        return self


def note(times, time):
    if not times or times[-1] != time:
        times.append(float(time))


def find_lag(behind, before):
    """Seconds [step] from each step of one leg to the next one of another."""
    place = np.searchsorted(before, np.array(behind) - 1e-9)
    found = place < len(before)
    return np.array(before)[place[found]] - np.array(behind)[found]
