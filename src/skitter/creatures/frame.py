"""What is recorded of a figure: its channels, what never changes about it, and its full state."""

import numpy as np

from skitter.channel import Channel, Static
from skitter.creatures.figure import Figure
from skitter.creatures.measures import compute_energies, compute_momentum
from skitter.creatures.myriapod import Myriapod
from skitter.creatures.swim_frame import (
    list_muscle_channels,
    list_muscle_statics,
    read_muscles,
    swimmer_arrays,
)
from skitter.creatures.walker_frame import (
    list_walker_channels,
    list_walker_statics,
    read_walker,
    walker_arrays,
)
from skitter.elastic.block import build_topology

BODY_CHANNELS = (
    ("body_position", 3, "cm", "middles of the rigid parts"),
    ("body_orientation", 4, "1", "w x y z, from the part's axes to the world"),
    ("body_velocity", 3, "cm/s", "velocities of the middles"),
    ("body_spin", 3, "rad/s", "angular velocities, in the world"),
)
NODE_CHANNELS = (
    ("node_position", 3, "cm", "nodes of the soft blocks"),
    ("node_velocity", 3, "cm/s", "velocities of the nodes"),
)
SUM_CHANNELS = (
    ("energy_kinetic", (), "erg", "kinetic energy"),
    ("energy_elastic", (), "erg", "elastic energy of the soft blocks"),
    ("energy_gravity", (), "erg", "energy of height"),
    ("momentum", (3,), "g cm/s", "linear momentum"),
    ("angular_momentum", (3,), "g cm2/s", "angular momentum about the origin"),
    ("water_work", (), "erg", "work done on the water so far"),
)
AXES = {3: "xyz", 4: "wxyz"}


def list_channels(figure: Figure) -> list[Channel]:
    """The arrays that each frame of this creature adds to a recording."""
    walker = list_walker_channels(figure) if isinstance(figure, Myriapod) else []
    return list_figure_channels(figure) + walker + list_muscle_channels(figure)


def list_figure_channels(figure: Figure) -> list[Channel]:
    """What every creature has: bodies, nodes, energies."""
    name, real = figure.name, np.dtype(figure.physics.real).name
    bodies, nodes = len(figure.plan.rigid), sum(len(p) for p in figure.node_places)
    channels = []
    for count, kind, group in ((bodies, "body", BODY_CHANNELS), (nodes, "node", NODE_CHANNELS)):
        for label, width, unit, about in group if count else ():
            dims = (f"{name}.{kind}", AXES[width])
            channels.append(Channel(f"{name}.{label}", dims, (count, width), real, unit, about))
    for label, shape, unit, about in SUM_CHANNELS:
        axes = ("xyz",) if shape else ()
        channels.append(Channel(f"{name}.{label}", axes, shape, "float64", unit, about))
    return channels


def read_frame(figure: Figure) -> dict[str, np.ndarray]:
    """The present values of all channels."""
    groups = BODY_CHANNELS * bool(figure.plan.rigid) + NODE_CHANNELS * bool(figure.plan.soft)
    values = {label: getattr(figure, label) for label, *_ in groups}
    kinetic, elastic, gravity = compute_energies(figure)
    momentum, angular = compute_momentum(figure)
    values |= {
        "energy_kinetic": np.array(kinetic),
        "energy_elastic": np.array(elastic),
        "energy_gravity": np.array(gravity),
        "momentum": momentum,
        "angular_momentum": angular,
        "water_work": figure.water_work[0],
    }
    values |= read_walker(figure) if isinstance(figure, Myriapod) else {}
    values |= read_muscles(figure)
    return {f"{figure.name}.{label}": value for label, value in values.items()}


def list_statics(figure: Figure) -> list[Static]:
    """What a recording keeps once of a creature."""
    walker = list_walker_statics(figure) if isinstance(figure, Myriapod) else []
    return list_figure_statics(figure) + walker + list_muscle_statics(figure)


def list_figure_statics(figure: Figure) -> list[Static]:
    """Shapes, sizes, masses, the surface of the soft blocks."""
    name, parts = figure.name, figure.plan.rigid
    body = (f"{name}.body",)
    statics = []
    if parts:
        sizes = np.array([p.size for p in parts])
        masses = np.array([w.mass for w in figure.weights])
        shapes, fixed = (
            np.array([getattr(p, key) for p in parts], np.int32) for key in ("shape", "fixed")
        )
        statics += [
            Static(f"{name}.body_shape", body, shapes, "1", "0 box, 1 capsule along x"),
            Static(
                f"{name}.body_size",
                (*body, "xyz"),
                sizes,
                "cm",
                "box: edges; capsule: radius, straight length, radius",
            ),
            Static(
                f"{name}.body_mass", body, masses, "g", "with the soft nodes that a part carries"
            ),
            Static(f"{name}.body_fixed", body, fixed, "1", "1 where a part is held"),
        ]
    if figure.plan.soft:
        triangles, block = soft_surface(figure)
        statics += [
            Static(
                f"{name}.soft_triangles",
                (f"{name}.triangle", "corner"),
                triangles,
                "1",
                "outward triangles of the soft blocks, as nodes",
            ),
            Static(f"{name}.soft_block", (f"{name}.node",), block, "1", "block of each node"),
        ]
    return statics


def soft_surface(figure: Figure) -> tuple[np.ndarray, np.ndarray]:
    """Outer triangles of all soft blocks, and the block that each node belongs to."""
    triangles, block, start = [], [], 0
    for index, part in enumerate(figure.plan.soft):
        topology = build_topology(part.cells)
        triangles.append(topology.surface + start)
        block.append(np.full(topology.node_count, index))
        start += topology.node_count
    return np.concatenate(triangles).astype(np.int32), np.concatenate(block).astype(np.int32)


def state_arrays(figure: Figure) -> dict[str, np.ndarray]:
    """Everything that changes; the arrays themselves, not copies."""
    walker = walker_arrays(figure) if isinstance(figure, Myriapod) else {}
    return (
        walker
        | swimmer_arrays(figure)
        | {
            "node_position": figure.soft_state.position,
            "node_velocity": figure.soft_state.velocity,
            "rotation": figure.soft_state.rotation,
            "rest": figure.soft.rest,
            "block_rotation": figure.soft_state.block_rotation,
            "tangled": figure.soft_state.tangled,
            "body": figure.body_state.rows,
            "contact": figure.body_state.impulse,
            "frame": figure.body_scratch.frame,
            "water_work": figure.water_work,
        }
    )
