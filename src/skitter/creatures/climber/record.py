"""What is recorded of a climber: its channels, and what never changes about it."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.channel import Static
from skitter.control.climbing.gait import count_standing
from skitter.control.climbing.model import (
    BRAKE_QUEUE,
    BRAKE_SENSE,
    ELEVATION,
    FALLING,
    FALLS,
    QUEUE,
    RADIAL,
    RECOVERIES,
    SEARCH,
    SENSE_ANGLE,
    SENSE_DISTANCE,
    SPEED_WANTED,
    STANCE,
    STEP,
)
from skitter.creatures.rows import Row, name_values

if TYPE_CHECKING:
    from skitter.creatures.climber.climber import Climber

STATES = name_values(["stance", "step", "search", "limbo", "loose"])
ERRORS = "imbalance, stretch, restriction, limbo"
LEVELS = name_values(["full", "kinematic", "coarse"])
ROWS = (
    Row("body_position", ("body", "xyz"), "float32", "cm", "middles of all parts"),
    Row("body_orientation", ("body", "wxyz"), "float32", "1", "from the part's axes to the world"),
    Row("joint_angle", ("hinge",), "float64", "rad", "of the legs' hinges"),
    Row("joint_goal", ("hinge",), "float64", "rad", "where they are pulled to"),
    Row("foot_position", ("leg", "xyz"), "float64", "cm", "tips of the legs"),
    Row("foot_target", ("leg", "xyz"), "float64", "cm", "where they shall be"),
    Row("foot_origin", ("leg", "xyz"), "float64", "cm", "where they would be most at ease"),
    Row("foot_held", ("leg",), "uint8", "1", "1 while the foot is anchored"),
    Row("foot_host", ("leg",), "int64", "1", "object that it stands on; -1: what never moves"),
    Row("foot_normal", ("leg", "xyz"), "float64", "1", "of the surface of its latest foothold"),
    Row("leg_stepping", ("leg",), "uint8", "1", "1 while it steps or searches"),
    Row("leg_state", ("leg",), "uint8", "1", STATES),
    Row("leg_error", ("leg", "kind"), "int64", "1", f"how often so far: {ERRORS}"),
    Row("leg_searches", ("leg",), "int64", "1", "search steps begun"),
    Row("leg_found", ("leg",), "int64", "1", "footholds that searching found"),
    Row("lift_time", ("leg",), "float64", "s", "when its last step began"),
    Row("land_time", ("leg",), "float64", "s", "when its last step ended"),
    Row("steps", ("leg",), "int64", "1", "steps begun"),
    Row("step_share", ("leg",), "float64", "1", "of its path at which its last step ended"),
    Row("slips", ("leg",), "int64", "1", "footholds that did not hold"),
    Row("slip_distance", ("leg",), "float64", "cm", "that the foot has moved since it came down"),
    Row("anchor_force", ("leg",), "float64", "dyn", "of the anchor, in the last step"),
    Row("queue_length", (), "int64", "1", "legs that wait to step, or search"),
    Row("speed", (), "float64", "cm/s", "of the thorax"),
    Row("speed_wanted", (), "float64", "cm/s", "with all brakes"),
    Row("brake_sense", (), "float64", "1", "share of the speed, for what is ahead"),
    Row("brake_queue", (), "float64", "1", "likewise, for legs that cannot keep up"),
    Row("sense_distance", (), "float64", "cm", "mean of the rays"),
    Row("sense_angle", (), "float64", "rad", "of the surface ahead to its own"),
    Row("radial_scale", (), "float64", "1", "of its stance"),
    Row("elevation", (), "float64", "cm", "of the thorax above its feet"),
    Row("up", ("xyz",), "float64", "1", "of the thorax"),
    Row("surface_normal", ("xyz",), "float64", "1", "mean of its footholds"),
    Row("heading_wanted", ("xyz",), "float64", "1", "where it would look"),
    Row("velocity", ("xyz",), "float64", "cm/s", "of the thorax"),
    Row("centre_of_mass", ("xyz",), "float64", "cm", "of all parts"),
    Row("energy_kinetic", (), "float64", "erg", "of all of it at the thorax's speed and spin"),
    Row("gravity_on", (), "uint8", "1", "1 while it falls or lies"),
    Row("detail", (), "uint8", "1", LEVELS),
    Row("falls", (), "int64", "1", "so far"),
    Row("recoveries", (), "int64", "1", "so far"),
    Row("contact_energy", (), "float64", "erg", "lost in contacts since the start"),
    Row("depth", ("body",), "float64", "cm", "of each part below any surface"),
)


def read(one: "Climber") -> dict[str, np.ndarray]:
    """The present values of all rows."""
    body, mind, plan = one.body, one.mind, one.plan
    drive, count = mind.drive, mind.count
    middle, turned = one.pose()
    mass = plan.body_mass
    return {
        "body_position": middle.astype(np.float32),
        "body_orientation": turned.astype(np.float32),
        "joint_angle": body.angle.copy(),
        "joint_goal": one.orders.goal.copy(),
        **read_legs(one),
        "queue_length": count[QUEUE],
        "speed": np.linalg.norm(body.velocity),
        "speed_wanted": drive[SPEED_WANTED],
        "brake_sense": drive[BRAKE_SENSE],
        "brake_queue": drive[BRAKE_QUEUE],
        "sense_distance": drive[SENSE_DISTANCE],
        "sense_angle": drive[SENSE_ANGLE],
        "radial_scale": drive[RADIAL],
        "elevation": drive[ELEVATION],
        "up": body.turn[:, 1].copy(),
        "surface_normal": find_normal(one),
        "heading_wanted": mind.heading.copy(),
        "velocity": body.velocity.copy(),
        "centre_of_mass": mass @ middle / mass.sum(),
        "energy_kinetic": np.array(one.find_energy()),
        "gravity_on": count[FALLING].astype(np.uint8),
        "detail": one.level.astype(np.uint8)[0],
        "falls": count[FALLS],
        "recoveries": count[RECOVERIES],
        "contact_energy": one.felt.energy[0],
        "depth": one.find_depth(middle, turned),
    }


def read_legs(one: "Climber") -> dict[str, np.ndarray]:
    mind, orders = one.mind, one.orders
    state = mind.leg_state
    return {
        "foot_position": mind.foot.copy(),
        "foot_target": mind.target.copy(),
        "foot_origin": mind.origin.copy(),
        "foot_held": (state == STANCE).astype(np.uint8),
        "foot_host": orders.host.copy(),
        "foot_normal": mind.hold_normal.copy(),
        "leg_stepping": ((state == STEP) | (state == SEARCH)).astype(np.uint8),
        "leg_state": state.astype(np.uint8),
        "leg_error": mind.error.copy(),
        "leg_searches": mind.searches.copy(),
        "leg_found": mind.found.copy(),
        "lift_time": mind.lift_time.copy(),
        "land_time": mind.land_time.copy(),
        "steps": mind.steps.copy(),
        "step_share": mind.share.copy(),
        "slips": mind.slips.copy(),
        "slip_distance": mind.slid.copy(),
        "anchor_force": one.felt.pull * orders.held,
    }


def find_normal(one: "Climber") -> np.ndarray:
    """The mean normal of its footholds; its own up while it has none."""
    mind = one.mind
    if not count_standing(mind):
        return one.body.turn[:, 1].copy()
    mean = mind.hold_normal[mind.leg_state == STANCE].sum(axis=0)
    size = float(np.linalg.norm(mean))
    return np.asarray(mean / size) if size > 1e-9 else one.body.turn[:, 1].copy()


def list_statics(one: "Climber") -> list[Static]:
    """Its parts, and whose they are."""
    name, plan, figure = one.name, one.plan, one.plan.figure
    body, leg = f"{name}.body", f"{name}.leg"
    rest, turned = plan.rest_bodies()
    shape = np.zeros(plan.count, np.int64)
    rows: list[tuple[str, tuple[str, ...], np.ndarray, str, str]] = [
        ("body_shape", (body,), shape, "1", "0: in a box"),
        ("body_size", (body, "xyz"), plan.body_size, "cm", "edges"),
        ("body_mass", (body,), plan.body_mass, "g", "0 of appendages"),
        ("body_leg", (body,), plan.body_leg, "1", "leg that it is of, or -1"),
        ("body_segment", (body,), plan.body_segment, "1", "of the leg from 0; trunk: -1, -2, …"),
        ("body_part", (body,), find_parts(one), "1", "; ".join(PARTS)),
        ("body_parent", (body,), plan.body_parent, "1", "part that it hangs on, or -1"),
        ("body_joint", (body, "xyz"), plan.body_joint, "cm", "its joint, from its middle"),
        ("body_rest_position", (body, "xyz"), rest, "cm", "in the default pose"),
        ("body_rest_orientation", (body, "wxyz"), turned, "1", "likewise"),
        ("total_mass", (), np.array(figure.total_mass), "g", ""),
        ("body_length", (), np.array(figure.body_length), "cm", "of the trunk"),
        ("leg_length", (leg,), figure.leg_length, "cm", "stretched"),
        ("leg_pair", (leg,), figure.pair, "1", "from the front"),
        ("leg_side", (leg,), figure.side, "1", "-1 left, 1 right"),
        ("leg_foot", (leg,), plan.leg_foot, "1", "its outermost part"),
    ]
    return [
        Static(f"{name}.{label}", dims, np.asarray(values), unit, about)
        for label, dims, values, unit, about in rows
    ]


PARTS = (
    "thorax", "abdomen", "head", "trunk", "leg", "palp", "chelicera", "mandible", "antenna", "claw",
    "tail", "horn", "other",
)  # fmt: skip


def find_parts(one: "Climber") -> np.ndarray:
    """What each part is of the animal, as a number of PARTS [body], by its name."""
    words = {"chelicer": 6, "pincer": 9, "pedipalp": 9} | {
        word: number for number, word in enumerate(PARTS) if number >= 5
    }
    found = []
    for name, segment in zip(one.plan.body_name, one.plan.body_segment, strict=True):
        if segment >= 0:
            found.append(4)
        elif segment > -5:
            found.append(-int(segment) - 1)
        else:
            found.append(next((k for word, k in words.items() if word in name), 12))
    return np.array(found, np.int64)
