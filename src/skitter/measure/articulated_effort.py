"""Measures of what a creature of jointed links spends and bears: torques, work, loads, breaks.

Work is that of the springs and dampers of its joints, which are its muscles. Only what they put in
counts as effort: muscles do not get back what they brake.
"""

import numpy as np

from skitter.measure.articulated import (
    CENTRE,
    STILL,
    TOUCHING,
    Walk,
    ground_distance,
    walked,
    walked_by_part,
)

WORK = ("joint_work", "joint_positive_work")
FORCES = ("foot_force",)
ENERGIES = ("energy_kinetic", "energy_potential")
CLOSURES = ("closure_intact", "closure_force")


@walked("dyn cm", "of a joint's spring and damper, root mean square", needs=("joint_torque",))
def joint_torque_rms(walk: Walk) -> float:
    torque = walk.read("joint_torque")
    return float(np.sqrt((torque**2).mean())) if torque.size else np.nan


@walked("dyn cm", "the largest of any joint, mean of a frame", needs=("joint_torque",))
def joint_torque_peak(walk: Walk) -> float:
    torque = walk.read("joint_torque")
    return float(np.abs(torque).max()) if torque.size else np.nan


def count_work(walk: Walk, channel: str) -> float:
    """Of all joints in the stretch, erg."""
    work = walk.read(channel)
    return float((work[-1] - work[0]).sum()) if work.size else np.nan


@walked("erg", "that joints put in, without what they took out", needs=WORK)
def positive_work(walk: Walk) -> float:
    return count_work(walk, "joint_positive_work")


@walked("erg", "that joints put in, less what they took out", needs=WORK)
def net_work(walk: Walk) -> float:
    return count_work(walk, "joint_work")


@walked("erg/s", "positive work over time", needs=WORK)
def power(walk: Walk) -> float:
    return positive_work(walk) / walk.seconds if walk.seconds > 0 else np.nan


def find_weight(walk: Walk) -> float:
    """Of all of it, dyn."""
    return abs(float(walk.recording.scene["gravity"])) * float(walk.static("total_mass"))


@walked("1", "positive work over weight and distance along the ground", needs=(*WORK, *CENTRE))
def cost_of_transport(walk: Walk) -> float:
    way, weight = ground_distance(walk), find_weight(walk)
    if not (way > STILL * float(walk.static("body_length")) and weight > 0):
        return np.nan
    return positive_work(walk) / (weight * way)


@walked("erg", "kinetic and of height, first frame", needs=ENERGIES, whole=True)
def mechanical_energy_start(walk: Walk) -> float:
    return sum(float(walk.read(one)[0]) for one in ENERGIES)


@walked("erg", "kinetic and of height, last frame", needs=ENERGIES, whole=True)
def mechanical_energy_end(walk: Walk) -> float:
    return sum(float(walk.read(one)[-1]) for one in ENERGIES)


@walked("erg", "largest kinetic energy", needs=ENERGIES, whole=True)
def kinetic_energy_peak(walk: Walk) -> float:
    return float(walk.read("energy_kinetic").max())


@walked("g cm/s", "largest linear momentum", needs=("momentum",), whole=True)
def momentum_peak(walk: Walk) -> float:
    return float(np.linalg.norm(walk.read("momentum"), axis=1).max())


@walked_by_part("load_share", "1", "of what feet bear, what a pair of legs bears", needs=FORCES)
def find_load_shares(walk: Walk) -> dict[str, float]:
    """Upward forces of the ground; pairs are numbered from the front, from 1."""
    pair, borne = walk.static("leg_pair"), walk.read("foot_force")[:, :, 1].mean(axis=0)
    total = borne.sum()
    return {
        str(one + 1): float(borne[pair == one].sum() / total) if total > 0 else np.nan
        for one in np.unique(pair)
    }


@walked("1", "upward force on all feet over weight, mean: 1 where only they bear it", needs=FORCES)
def load_on_feet(walk: Walk) -> float:
    weight = find_weight(walk)
    up = walk.read("foot_force")[:, :, 1].sum(axis=1)
    return float(up.mean() / weight) if weight > 0 else np.nan


@walked("dyn", "largest force on a foot, mean of a frame", needs=FORCES)
def foot_force_peak(walk: Walk) -> float:
    return float(np.linalg.norm(walk.read("foot_force"), axis=2).max(initial=0.0))


SLIP = ("foot_position", *TOUCHING)


@walked("cm/s", "of feet on the ground, mean", needs=SLIP)
def slip_speed(walk: Walk) -> float:
    """Between frames in which a foot touches and has not left the ground meanwhile."""
    touching, touched = walk.read("foot_touching") > 0, walk.read("touch_time")
    stays = touching[1:] & touching[:-1] & (touched[1:] == touched[:-1])
    moves = np.linalg.norm(np.diff(walk.read("foot_position"), axis=0), axis=2)
    seconds = (np.diff(walk.time)[:, None] * stays).sum()
    return float((moves * stays).sum() / seconds) if seconds > 0 else np.nan


@walked("cm", "of a foot from touching the ground to leaving it, mean", needs=SLIP)
def slip_per_stance(walk: Walk) -> float:
    """Slip speed times the mean time on the ground, since frames seldom begin where stances do."""
    stances = [np.stack([spans[:-1, 1], spans[1:, 0]]) for spans in walk.airs.spans]
    lasting = np.concatenate([np.zeros(0), *(end - begin for begin, end in stances)])
    return slip_speed(walk) * float(lasting.mean()) if len(lasting) else np.nan


@walked("1", "of the feet on the ground, those that stick", needs=("foot_stuck", "foot_touching"))
def stuck_share(walk: Walk) -> float:
    touching = walk.read("foot_touching") > 0
    return float(walk.read("foot_stuck")[touching].mean()) if touching.any() else np.nan


@walked("1", "closures that are broken in the last frame", needs=CLOSURES, whole=True)
def closures_broken(walk: Walk) -> float:
    intact = walk.read("closure_intact")[-1]
    return float((intact == 0).sum()) if intact.size else np.nan


@walked("1", "closures that hold in the last frame", needs=CLOSURES, whole=True)
def closures_intact(walk: Walk) -> float:
    intact = walk.read("closure_intact")[-1]
    return float((intact > 0).sum()) if intact.size else np.nan


@walked("dyn", "largest force of a closure", needs=CLOSURES, whole=True)
def closure_force_peak(walk: Walk) -> float:
    force = np.abs(walk.read("closure_force"))
    return float(force.max()) if force.size else np.nan


@walked(
    "1/s", "evaluations of the dynamics in a second of its time", needs=("evaluations",), whole=True
)
def evaluation_rate(walk: Walk) -> float:
    """Those of the first frame led up to it, and do not count."""
    return float(walk.read("evaluations")[1:].sum() / walk.seconds) if walk.seconds > 0 else np.nan


@walked("s", "shortest step of the integrator", needs=("shortest_step",), whole=True)
def step_shortest(walk: Walk) -> float:
    steps = walk.read("shortest_step")[1:]
    return float(steps.min()) if len(steps) else np.nan
