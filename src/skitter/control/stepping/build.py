"""From a species file to the arrays of a gait.

A leg that is missing is not among the legs: its neighbours on that side become neighbours of each
other, one lag apart, and its partner across has none. So do insects that have lost their middle
legs: those before and behind step in turn then, as neighbours do.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Protocol

import numpy as np

from skitter.control.stepping.model import LEFT, RIGHT, GaitModel, GaitState
from skitter.species.gait import GaitSpec, LegProgram, Pose

MIDDLE = 0.5  # of stance: the standing pose


class LegPlan(Protocol):
    """What a gait has to know of a body: its legs, pair by pair from the front, left first."""

    @property
    def leg_name(self) -> Sequence[str]: ...  # side and pair, such as left_front
    @property
    def leg_side(self) -> Sequence[int] | np.ndarray: ...  # -1 left, 1 right
    @property
    def leg_joint(self) -> np.ndarray: ...  # [leg, slot] joint, or -1
    @property
    def joint_name(self) -> Sequence[str]: ...  # such as left_front.swing


def name_pair(leg_name: str) -> str:
    return leg_name.removeprefix("left_").removeprefix("right_")


def build_gait(spec: GaitSpec, plan: LegPlan) -> GaitModel:
    """A gait for a body; that they suit each other has been checked (`check_gait`)."""
    pairs = [name_pair(name) for name in plan.leg_name]
    sides = [int(side) for side in plan.leg_side]
    reflexes = spec.reflexes
    step, load, elevator = reflexes.step, reflexes.load, reflexes.elevator
    prolong = elevator.prolong * spec.step_time
    lift, back = np.radians([elevator.lift_deg, elevator.back_deg])
    across = find_across(pairs, sides)
    return GaitModel(
        timing=np.array(
            [spec.step_time, spec.lag, spec.coupling, spec.stand_time, spec.fastest, spec.master]
        ),
        limits=np.array([load.longest, lift, back, prolong, float(elevator.retries)]),
        order=np.arange(len(pairs))[::-1].copy(),
        behind=find_behind(sides),
        across=across,
        across_phase=np.array([spec.across * side for side in sides], float),
        side=np.array([LEFT if side < 0 else RIGHT for side in sides], np.int64),
        **build_programs(spec, plan, pairs),
        step_angle=np.radians(list_limits(pairs, step.angle_deg if step.on else {}, -np.inf)),
        load_most=list_limits(pairs, load.most if load.on else {}, np.inf),
        elevator_force=list_limits(pairs, elevator.force if elevator.on else {}, np.inf),
    )


def find_behind(sides: list[int]) -> np.ndarray:
    """The next leg behind on the same side, however many are missing between."""
    found = [
        next((other for other in range(leg + 1, len(sides)) if sides[other] == side), -1)
        for leg, side in enumerate(sides)
    ]
    return np.array(found, np.int64)


def find_across(pairs: list[str], sides: list[int]) -> np.ndarray:
    places = {(pair, side): leg for leg, (pair, side) in enumerate(zip(pairs, sides, strict=True))}
    found = [places.get((pair, -side), -1) for pair, side in zip(pairs, sides, strict=True)]
    return np.array(found, np.int64)


def list_limits(pairs: list[str], by_pair: dict[str, float], none: float) -> np.ndarray:
    return np.array([by_pair.get(pair, none) for pair in pairs], float)


def build_programs(spec: GaitSpec, plan: LegPlan, pairs: list[str]) -> dict[str, np.ndarray]:
    """The poses of all legs: those of the step, those of stance, and the standing one."""
    programs = [spec.programs.get(pair) or idle_program() for pair in pairs]
    given = np.asarray(plan.leg_joint, np.int64).reshape(len(pairs), -1)
    slots = given.shape[1]
    most = max((len(one.step) + len(one.stance) + 1 for one in programs), default=1)
    pose_end = np.ones((len(pairs), most))
    pose_angle, pose_way = np.zeros((2, len(pairs), most, slots))
    leg_joint = np.full_like(given, -1)
    swing_slot, lift_slot = np.full((2, len(pairs)), -1)
    middle, stand_next = np.zeros(len(pairs)), np.zeros(len(pairs), np.int64)
    for leg, program in enumerate(programs):
        ends = [*add_shares(program.step), *add_shares(program.stance)]
        pose_end[leg, : len(ends)] = ends
        stand_next[leg] = find_next(ends, len(program.step))
        for slot, joint in enumerate(given[leg]):
            name = plan.joint_name[joint].rpartition(".")[2] if joint >= 0 else ""
            angles = fill_angles(program, name)
            if angles is None:
                continue  # a lesion took it, or no pose names it
            leg_joint[leg, slot] = joint
            pose_angle[leg, : len(angles), slot] = np.radians(angles)
            if name == spec.swing_joint:
                swing_slot[leg], middle[leg] = slot, np.radians((min(angles) + max(angles)) / 2)
            if name == spec.lift_joint:
                lift_slot[leg] = slot
        pose_angle[leg, len(ends)] = stand_halfway(program, ends, pose_angle[leg])
        pose_way[leg] = find_ways(program, ends, pose_angle[leg], int(swing_slot[leg]))
    return {
        "leg_joint": leg_joint,
        "swing_slot": swing_slot,
        "lift_slot": lift_slot,
        "swing_middle": middle,
        "step_poses": np.array([len(one.step) for one in programs], np.int64),
        "stand_pose": np.array([len(one.step) + len(one.stance) for one in programs], np.int64),
        "stand_next": stand_next,
        "pose_end": pose_end,
        "pose_angle": pose_angle,
        "pose_way": pose_way,
    }


def idle_program() -> LegProgram:
    """Of a pair without one: it moves no joint."""
    return LegProgram(step=(Pose(),), stance=(Pose(),))


def add_shares(poses: tuple[Pose, ...]) -> list[float]:
    """The share of a program's time at which each pose is reached; the last is exactly 1."""
    ends = np.cumsum([pose.share for pose in poses])
    return [float(end) for end in ends / ends[-1]]


def fill_angles(program: LegProgram, joint: str) -> list[float] | None:
    """Degrees of a joint at all poses in their order; where none is said, that of the pose before.

    None if no pose says any. The pose before the first of the step is the last of stance.
    """
    said = [pose.angles_deg.get(joint) for pose in chain(program.step, program.stance)]
    last = next((angle for angle in reversed(said) if angle is not None), None)
    if last is None:
        return None
    angles = []
    for angle in said:
        last = last if angle is None else angle
        angles.append(last)
    return angles


def find_next(ends: list[float], first: int) -> int:
    """The pose of stance to which a leg is on its way in the middle of stance."""
    return next(pose for pose in range(first, len(ends)) if ends[pose] > MIDDLE)


def stand_halfway(program: LegProgram, ends: list[float], angles: np.ndarray) -> np.ndarray:
    """Angles [slot] in the middle of stance, from those of all poses [pose, slot]."""
    first = len(program.step)
    pose = find_next(ends, first)
    begin = ends[pose - 1] if pose > first else 0.0
    share = (MIDDLE - begin) / (ends[pose] - begin)
    return angles[pose - 1] + share * (angles[pose] - angles[pose - 1])


def find_ways(program: LegProgram, ends: list[float], angles: np.ndarray, swing: int) -> np.ndarray:
    """How far [pose, slot] joints are from the standing pose because of the stride.

    In stance all of their way is. In a step that of its beginning and of its end is, mixed by how
    far the leg has swung forward; the rest is lifting. `swing` is a slot, or -1.
    """
    first, stand = len(program.step), len(ends)
    ways = angles - angles[stand]
    rear, front = ways[stand - 1].copy(), ways[first - 1].copy()
    for pose in range(first):
        forward = ends[pose]
        if swing >= 0 and front[swing] != rear[swing]:
            forward = (ways[pose, swing] - rear[swing]) / (front[swing] - rear[swing])
        ways[pose] = rear + np.clip(forward, 0.0, 1.0) * (front - rear)
    ways[stand:] = 0.0
    return ways


def stand_angles(model: GaitModel, angles: np.ndarray) -> np.ndarray:
    """Angles [joint] of the body with its legs in their standing pose; the others as given."""
    found = np.array(angles, float)
    for leg, pose in enumerate(model.stand_pose):
        moved = model.leg_joint[leg] >= 0
        found[model.leg_joint[leg, moved]] = model.pose_angle[leg, pose, moved]
    return found


def start_gait(
    model: GaitModel, angles: np.ndarray, *, frequency: float | None = None, time: float = 0.0
) -> GaitState:
    """All legs stand, with rest angles [joint] in rad; oscillators keep the relations of a gait.

    Those hold at a frequency in Hz; without one at the gait's own. The rearmost left leg steps
    first. A leg that has never stepped counts as one that has just landed.
    """
    legs = len(model.order)
    step_time, lag, _, stand_time, fastest, master = model.timing
    hertz = float(np.clip(master if frequency is None else frequency, 0, fastest))
    phase = start_phases(model, lag * hertz)

    def full(value: float) -> np.ndarray:
        return np.full(legs, float(value))

    def none(*more: int) -> np.ndarray:
        return np.zeros((legs, *more), np.int64)

    rest = np.array(angles, float)
    return GaitState(
        phase=phase, rate=full(0), peak=np.ceil(phase),
        stepping=none(), waiting=none(), held=none(), resting=none() + 1, steps=none(),
        reflex=none(3), lift_time=full(time - step_time), land_time=full(time),
        step_end=full(time), due_time=full(time), pose=model.stand_pose.copy(),
        stance_start=phase.copy(), stance_end=np.ceil(phase),
        settle_end=full(time + stand_time), tries=none(), raised=full(0),
        back_end=full(time), back_angle=np.zeros((legs, 2)),
        rest=rest, rest_speed=np.zeros(len(rest)), rest_next=rest.copy(),
    )  # fmt: skip


def start_phases(model: GaitModel, lag: float) -> np.ndarray:
    """Phases [leg] in (0, 1] of the pattern in which legs follow by `lag` cycles."""
    phase = np.where(model.side == RIGHT, np.abs(model.across_phase), 0.0)
    for leg in model.order:
        if model.behind[leg] >= 0:
            phase[leg] = phase[model.behind[leg]] - lag
    phase -= np.floor(phase)
    return np.where(phase > 1e-12, phase, 1.0)
