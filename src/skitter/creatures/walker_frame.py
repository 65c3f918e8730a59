"""What is recorded of a walker besides its bodies: legs, support, antennae, brain."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.channel import Static
from skitter.control.walker import BODY_MODES, BRAIN_MODES, GOAL_SPEED, GOAL_TURN, LEG_STATES
from skitter.creatures.rows import Row, name_values
from skitter.creatures.swim_frame import FOOD_ROW
from skitter.rotation import quaternion_to_matrix

if TYPE_CHECKING:
    from skitter.creatures.myriapod import Myriapod

ROWS = (
    Row("leg_state", ("leg",), "uint8", "1", name_values(LEG_STATES)),
    Row("leg_angle", ("leg", "angle"), "float64", "rad", "theta, alpha, beta"),
    Row("leg_point", ("leg", "joint", "xyz"), "float64", "cm", "root, knee, ankle, tip"),
    Row("leg_stance_start", ("leg",), "float64", "s", "when it last came to stand; -1 never"),
    Row("leg_swing_start", ("leg",), "float64", "s", "when it last left the ground; -1 never"),
    Row("leg_time", ("leg", "state"), "float64", "s", "time spent in each state so far"),
    Row("segment_supported", ("segment",), "uint8", "1", "1 where legs carry the segment"),
    Row("segment_submerged", ("segment",), "uint8", "1", "1 where it is in water and swims"),
    Row("segment_height", ("segment",), "float64", "cm",
        "height over the surface, along its normal"),
    Row("brain_mode", (), "uint8", "1", name_values(BRAIN_MODES)),
    Row("body_mode", (), "uint8", "1", name_values(BODY_MODES)),
    Row("head_speed", (), "float64", "cm/s", "that the brain asks for"),
    Row("head_turn", (), "float64", "rad/s", "that the brain asks for, positive to the left"),
    Row("antenna_point", ("antenna", "antenna_joint", "xyz"), "float64", "cm", "left, right"),
    Row("antenna_touch", ("antenna",), "uint8", "1", "1 where it touches something"),
    Row("antenna_food", ("antenna",), "float64", "1/cm2", "intensity of food at the tip"),
    FOOD_ROW,
)  # fmt: skip


def read(one: "Myriapod") -> dict[str, np.ndarray]:
    """The present values of ROWS."""
    state = one.walker_state
    return {
        "leg_state": state.leg_state.astype(np.uint8),
        "leg_angle": state.leg_angle,
        "leg_point": compute_leg_points(one),
        "leg_stance_start": state.leg_stance_start,
        "leg_swing_start": state.leg_swing_start,
        "leg_time": state.leg_time,
        "segment_supported": (state.supported[1:-1] > 0).astype(np.uint8),
        "segment_submerged": state.submerged[1:-1],
        "segment_height": compute_heights(one)[1:-1],
        "brain_mode": state.mode[0].astype(np.uint8),
        "body_mode": state.body_mode[0].astype(np.uint8),
        "head_speed": state.head[GOAL_SPEED],
        "head_turn": state.head[GOAL_TURN],
        "antenna_point": state.antenna_point,
        "antenna_touch": state.antenna_touch,
        "antenna_food": state.antenna_food,
        "food_eaten": np.array(one.food_eaten, np.int32),
    }


def compute_leg_points(one: "Myriapod") -> np.ndarray:
    """Root, knee, ankle and tip of every leg [leg, 4, 3], cm, world.

    The tip is the one kept in the state, which for a standing leg does not move at all.
    """
    legs, state = one.walker.leg, one.walker_state
    body = np.arange(len(legs.side)) // 2 + 1
    axes = quaternion_to_matrix(one.body_orientation.astype(float))[body]
    theta, alpha, beta = state.leg_angle.T
    out = np.stack([np.sin(theta), np.zeros_like(theta), legs.side * np.cos(theta)], axis=1)
    scale = legs.length / one.species.leg.length
    middle = scale * one.species.leg.links[1]
    knee = legs.root + in_plane(out, alpha, legs.upper)
    ankle = knee + in_plane(out, alpha - beta, middle)
    local = np.stack([legs.root, knee, ankle], axis=1)
    world = one.body_centre[body][:, None] + np.einsum("lij,lpj->lpi", axes, local)
    return np.concatenate([world, state.leg_tip[:, None]], axis=1)


def in_plane(out: np.ndarray, angle: np.ndarray, length: np.ndarray) -> np.ndarray:
    """A link of each leg that rises by an angle in the leg's plane."""
    up = np.array([0.0, 1.0, 0.0])
    return np.asarray(
        length[:, None] * (np.cos(angle)[:, None] * out + np.sin(angle)[:, None] * up)
    )


def compute_heights(one: "Myriapod") -> np.ndarray:
    """Height of every body over the surface that its Targeter sees [body], cm."""
    surface = one.walker_state.surface
    return np.asarray(np.einsum("bi,bi->b", one.body_centre - surface[:, :3], surface[:, 3:]))


def list_statics(one: "Myriapod") -> list[Static]:
    """What a recording keeps once about a walker."""
    name, legs, species = one.name, one.walker.leg, one.species
    leg = (f"{name}.leg",)
    radius = species.leg.thickness * legs.length / species.leg.length
    sizes = np.array([part.size for part in one.plan.rigid])
    length = sizes[:, 0].sum() + species.joint.length * (len(sizes) - 1)
    target = one.walker.goal.height[1:-1]
    return [
        Static(f"{name}.leg_length", leg, legs.length, "cm", "of the links together"),
        Static(f"{name}.leg_radius", leg, radius, "cm", "at the root"),
        Static(
            f"{name}.segment_height_target", (f"{name}.segment",), target, "cm", "while it walks"
        ),
        Static(
            f"{name}.antenna_radius", (), np.array(species.antenna.thickness), "cm", "at the root"
        ),
        Static(f"{name}.body_length", (), np.array(length), "cm", "head to tail, at rest"),
    ]


def list_arrays(one: "Myriapod") -> dict[str, np.ndarray]:
    """Everything that changes about a walker; the arrays themselves."""
    arrays = {f"walker_{label}": array for label, array in one.walker_state._asdict().items()}
    return arrays | {
        "tips_before": one.tips_before,
        "tips_time": one.tips_time,
        "tip_speed": one.tip_speed,
    }
