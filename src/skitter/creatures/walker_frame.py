"""What is recorded of a walker besides its bodies: legs, support, antennae, brain."""

import numpy as np

from skitter.channel import Channel, Static
from skitter.control.walker import GOAL_SPEED, GOAL_TURN
from skitter.creatures.myriapod import Myriapod
from skitter.rotation import quaternion_to_matrix

# name, dimensions after the creature's, type, unit, what it is
CHANNELS: tuple[tuple[str, tuple[str, ...], str, str, str], ...] = (
    ("leg_state", ("leg",), "uint8", "1",
     "0 SF1, 1 SF2, 2 SB1, 3 SB2, 4 STANCE, 5 ADJUST, 6 TUCKED"),
    ("leg_angle", ("leg", "angle"), "float64", "rad", "theta, alpha, beta"),
    ("leg_point", ("leg", "joint", "xyz"), "float64", "cm", "root, knee, ankle, tip"),
    ("leg_stance_start", ("leg",), "float64", "s", "when it last came to stand; -1 never"),
    ("leg_swing_start", ("leg",), "float64", "s", "when it last left the ground; -1 never"),
    ("leg_time", ("leg", "state"), "float64", "s", "time spent in each state so far"),
    ("segment_supported", ("segment",), "uint8", "1", "1 where legs carry the segment"),
    ("segment_submerged", ("segment",), "uint8", "1", "1 where it is in water and swims"),
    ("segment_height", ("segment",), "float64", "cm", "height over the surface, along its normal"),
    ("brain_mode", (), "uint8", "1",
     "0 ADJUSTMENT, 1 RANDOM_WALK, 2 AVOIDANCE, 3 TROPHOTROPISM, 4 CONTROL, 5 SWIMMING"),
    ("body_mode", (), "uint8", "1",
     "0 IN_AIR, 1 ON_GROUND, 2 IN_WATER, 3 AIR_TO_GROUND, 4 GROUND_TO_WATER, 5 WATER_TO_GROUND"),
    ("head_speed", (), "float64", "cm/s", "that the brain asks for"),
    ("head_turn", (), "float64", "rad/s", "that the brain asks for, positive to the left"),
    ("antenna_point", ("antenna", "antenna_joint", "xyz"), "float64", "cm", "left, right"),
    ("antenna_touch", ("antenna",), "uint8", "1", "1 where it touches something"),
    ("antenna_food", ("antenna",), "float64", "1/cm2", "intensity of food at the tip"),
    ("food_eaten", (), "int32", "1", "pieces of food eaten so far"),
)  # fmt: skip
SHARED_DIMS = ("xyz", "angle", "joint", "state", "antenna")  # the same for all creatures


def read_walker(one: Myriapod) -> dict[str, np.ndarray]:
    """The present values of all channels of a walker."""
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


def compute_leg_points(one: Myriapod) -> np.ndarray:
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


def compute_heights(one: Myriapod) -> np.ndarray:
    """Height of every body over the surface that its Targeter sees [body], cm."""
    surface = one.walker_state.surface
    return np.asarray(np.einsum("bi,bi->b", one.body_centre - surface[:, :3], surface[:, 3:]))


def list_walker_channels(one: Myriapod) -> list[Channel]:
    values = read_walker(one)
    return [
        Channel(f"{one.name}.{label}", name_dims(one, dims), values[label].shape, kind, unit, about)
        for label, dims, kind, unit, about in CHANNELS
    ]


def name_dims(one: Myriapod, dims: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dim if dim in SHARED_DIMS else f"{one.name}.{dim}" for dim in dims)


def list_walker_statics(one: Myriapod) -> list[Static]:
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


def walker_arrays(one: Myriapod) -> dict[str, np.ndarray]:
    """Everything that changes about a walker; the arrays themselves."""
    arrays = {f"walker_{label}": array for label, array in one.walker_state._asdict().items()}
    return arrays | {
        "tips_before": one.tips_before,
        "tips_time": one.tips_time,
        "tip_speed": one.tip_speed,
    }
