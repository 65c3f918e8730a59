"""What is recorded of a creature of links: its channels, and what never changes about it."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.channel import Static
from skitter.creatures.articulated.plan import Plan
from skitter.creatures.articulated.pose import pose_links
from skitter.creatures.rows import Row
from skitter.rotation import matrices_to_quaternions

if TYPE_CHECKING:
    from skitter.creatures.articulated.articulated import Articulated

REFLEXES = "step, load, elevator"
ROWS = (
    Row("body_position", ("body", "xyz"), "float32", "cm", "middles of the boxes"),
    Row("body_orientation", ("body", "wxyz"), "float32", "1", "from the box's axes to the world"),
    Row("joint_angle", ("hinge",), "float64", "rad", "of joints of one degree of freedom"),
    Row("joint_rest", ("hinge",), "float64", "rad", "where the joint's spring pulls it to"),
    Row("joint_speed", ("hinge",), "float64", "rad/s", "of the joint"),
    Row("joint_torque", ("hinge",), "float64", "dyn cm", "of spring and damper, mean of the frame"),
    Row("joint_work", ("hinge",), "float64", "erg", "done by spring and damper since the start"),
    Row("joint_positive_work", ("hinge",), "float64", "erg", "likewise, only what was given"),
    Row("centre_of_mass", ("xyz",), "float64", "cm", "of all links"),
    Row("momentum", ("xyz",), "float64", "g cm/s", "of all links"),
    Row("angular_momentum", ("xyz",), "float64", "g cm2/s", "about the centre of mass"),
    Row("energy_kinetic", (), "float64", "erg", "kinetic energy"),
    Row("energy_potential", (), "float64", "erg", "of height"),
    Row("foot_position", ("leg", "xyz"), "float64", "cm", "tips of the legs"),
    Row("foot_force", ("leg", "xyz"), "float64", "dyn", "of all that a leg touches, mean of frame"),
    Row("foot_touching", ("leg",), "uint8", "1", "1 while the leg bears a load"),
    Row("foot_stuck", ("leg",), "uint8", "1", "1 while its sticky pad holds"),
    Row("leg_stepping", ("leg",), "uint8", "1", "1 from lifting to putting down, as commanded"),
    Row("phase", ("leg",), "float64", "cycle", "of the leg's oscillator"),
    Row("lift_time", ("leg",), "float64", "s", "when its last step began, as commanded"),
    Row("land_time", ("leg",), "float64", "s", "when its last step ended, as commanded"),
    Row("touch_time", ("leg",), "float64", "s", "when it last touched down"),
    Row("leave_time", ("leg",), "float64", "s", "when it last came free"),
    Row("steps", ("leg",), "int64", "1", "steps begun"),
    Row("reflex", ("leg", "kind"), "int64", "1", f"how often each has acted: {REFLEXES}"),
    Row("drive", ("value",), "float64", "1", "frequency in Hz, stride left and right, walks"),
    Row("evaluations", (), "int64", "1", "of the dynamics in the frame"),
    Row("shortest_step", (), "float64", "s", "of the frame"),
    Row("closure_force", ("closure",), "float64", "dyn", "in the last step"),
    Row("closure_intact", ("closure",), "uint8", "1", "0 once it has broken"),
)


def read(one: "Articulated") -> dict[str, np.ndarray]:
    """The present values of the rows that it has."""
    state, felt, tree = one.body_state, one.felt, one.tree
    place, axes = tree.place_links(state.q)
    middle, turn = one.place_bodies(place, axes)
    linear, angular = tree.momentum(state.q, state.v)
    centre = tree.find_centre(state.q)
    values = {
        "body_position": middle.astype(np.float32),
        "body_orientation": matrices_to_quaternions(turn).astype(np.float32),
        "centre_of_mass": centre,
        "momentum": linear,
        "angular_momentum": angular - np.cross(centre, linear),
        "energy_kinetic": np.array(tree.kinetic_energy(state.q, state.v)),
        "energy_potential": np.array(one.plan.total_mass * one.physics.gravity * centre[1]),
        "evaluations": one.evaluations[0],
        "shortest_step": one.shortest[0],
    }
    if len(state.rest):
        values |= {
            "joint_angle": state.q[one.system.joint_q],
            "joint_rest": state.rest.copy(),
            "joint_speed": state.v[one.system.joint_v],
            "joint_torque": felt.angular / one.frame_seconds,
            "joint_work": felt.work.copy(),
            "joint_positive_work": felt.positive_work.copy(),
        }
    if len(state.intact):
        values["closure_force"] = felt.closure_force.copy()
        values["closure_intact"] = state.intact.astype(np.uint8)
    return values | read_legs(one, place, axes)


def read_legs(one: "Articulated", place: np.ndarray, axes: np.ndarray) -> dict[str, np.ndarray]:
    """What legs have besides."""
    if not one.plan.leg_name:
        return {}
    plan, gait = one.plan, one.gait_state
    tips = place[plan.foot_link] + np.einsum("lij,lj->li", axes[plan.foot_link], plan.foot_at)
    values = {
        "foot_position": tips,
        "foot_force": one.felt.impulse / one.frame_seconds,
        "foot_touching": one.touch[:, 0].astype(np.uint8),
        "foot_stuck": one.body_state.stuck.astype(np.uint8),
        "touch_time": one.touch[:, 1].copy(),
        "leave_time": one.touch[:, 2].copy(),
        "drive": one.drive.copy(),
    }
    if one.gait is not None:
        values |= {
            "leg_stepping": gait.stepping.astype(np.uint8),
            "phase": gait.phase.copy(),
            "lift_time": gait.lift_time.copy(),
            "land_time": gait.land_time.copy(),
            "steps": gait.steps.copy(),
            "reflex": gait.reflex.copy(),
        }
    return values


def list_statics(one: "Articulated") -> list[Static]:
    """Boxes, their masses, and which legs they are of."""
    name, plan = one.name, one.plan
    body, leg = f"{name}.body", f"{name}.leg"
    rest, turned = place_at_rest(plan)
    rows: list[tuple[str, tuple[str, ...], np.ndarray, str, str]] = [
        ("body_shape", (body,), np.zeros(len(plan.body_name), np.int64), "1", "0: a box"),
        ("body_size", (body, "xyz"), plan.body_size, "cm", "edges"),
        ("body_mass", (body,), plan.body_mass, "g", ""),
        ("body_link", (body,), plan.body_link, "1", "link that carries it; -1: the world"),
        ("body_leg", (body,), plan.body_leg, "1", "leg that it is of, or -1"),
        ("body_segment", (body,), plan.body_segment, "1", "of the leg from 0; trunk: -1, -2, …"),
        ("body_parent", (body,), one.body_parent, "1", "box that it hangs on, or -1"),
        ("body_joint", (body, "xyz"), find_joints(plan), "cm", "its joint, in the box's frame"),
        (
            "body_rest_position",
            (body, "xyz"),
            rest,
            "cm",
            "in the creature's frame, springs at rest",
        ),
        ("body_rest_orientation", (body, "wxyz"), turned, "1", "likewise"),
        ("total_mass", (), np.array(plan.total_mass), "g", "of all that moves"),
        ("body_length", (), np.array(plan.body_length), "cm", "of the trunk at rest"),
    ]
    if plan.leg_name:
        rows += [
            ("leg_pair", (leg,), plan.leg_pair, "1", "from the front"),
            ("leg_side", (leg,), plan.leg_side, "1", "-1 left, 1 right"),
            ("leg_foot", (leg,), plan.foot_body, "1", "its outermost box"),
        ]
    return [
        Static(f"{name}.{label}", dims, values, unit, about)
        for label, dims, values, unit, about in rows
    ]


def find_joints(plan: Plan) -> np.ndarray:
    """Where the link that carries a box has its joint, in the box's frame [body, 3], cm."""
    return np.asarray(-np.einsum("bji,bj->bi", plan.body_turn, plan.body_middle))


def place_at_rest(plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Middles [body, 3] and orientations [body, 4] of the boxes with all springs at rest."""
    place, axes = pose_links(plan.links, plan.rest_q)
    place = np.concatenate([place, np.zeros((1, 3))])  # the last: what the world holds
    axes = np.concatenate([axes, np.eye(3)[None]])[plan.body_link]
    middle = place[plan.body_link] + np.einsum("bij,bj->bi", axes, plan.body_middle)
    return middle, matrices_to_quaternions(axes @ plan.body_turn)
