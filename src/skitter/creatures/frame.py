"""What is recorded of a figure: its channels, what never changes about it, and its full state."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.channel import Static
from skitter.creatures.measures import compute_energies, compute_momentum
from skitter.creatures.rows import REAL, Row
from skitter.elastic.block import build_topology

if TYPE_CHECKING:
    from skitter.creatures.figure import Figure

ROWS = (
    Row("body_position", ("body", "xyz"), REAL, "cm", "middles of the rigid parts"),
    Row("body_orientation", ("body", "wxyz"), REAL, "1",
        "w x y z, from the part's axes to the world"),
    Row("body_velocity", ("body", "xyz"), REAL, "cm/s", "velocities of the middles"),
    Row("body_spin", ("body", "xyz"), REAL, "rad/s", "angular velocities, in the world"),
    Row("node_position", ("node", "xyz"), REAL, "cm", "nodes of the soft blocks"),
    Row("node_velocity", ("node", "xyz"), REAL, "cm/s", "velocities of the nodes"),
    Row("energy_kinetic", (), "float64", "erg", "kinetic energy"),
    Row("energy_elastic", (), "float64", "erg", "elastic energy of the soft blocks"),
    Row("energy_gravity", (), "float64", "erg", "energy of height"),
    Row("momentum", ("xyz",), "float64", "g cm/s", "linear momentum"),
    Row("angular_momentum", ("xyz",), "float64", "g cm2/s", "angular momentum about the origin"),
    Row("water_work", (), "float64", "erg", "work done on the water so far"),
)  # fmt: skip
BODY_LABELS = ("body_position", "body_orientation", "body_velocity", "body_spin")
NODE_LABELS = ("node_position", "node_velocity")


def read(figure: "Figure") -> dict[str, np.ndarray]:
    """The present values of ROWS."""
    labels = BODY_LABELS * bool(figure.plan.rigid) + NODE_LABELS * bool(figure.plan.soft)
    kinetic, elastic, gravity = compute_energies(figure)
    momentum, angular = compute_momentum(figure)
    return {label: getattr(figure, label) for label in labels} | {
        "energy_kinetic": np.array(kinetic),
        "energy_elastic": np.array(elastic),
        "energy_gravity": np.array(gravity),
        "momentum": momentum,
        "angular_momentum": angular,
        "water_work": figure.water_work[0],
    }


def list_statics(figure: "Figure") -> list[Static]:
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


def soft_surface(figure: "Figure") -> tuple[np.ndarray, np.ndarray]:
    """Outer triangles of all soft blocks, and the block that each node belongs to."""
    triangles, block, start = [], [], 0
    for index, part in enumerate(figure.plan.soft):
        topology = build_topology(part.cells)
        triangles.append(topology.surface + start)
        block.append(np.full(topology.node_count, index))
        start += topology.node_count
    return np.concatenate(triangles).astype(np.int32), np.concatenate(block).astype(np.int32)


def list_arrays(figure: "Figure") -> dict[str, np.ndarray]:
    """Everything that changes; the arrays themselves, not copies."""
    return {
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
