"""What is recorded of a worm: its channels, and what never changes about it."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.channel import Static
from skitter.creatures.rows import Row
from skitter.creatures.worm.anatomy import MUSCLES
from skitter.creatures.worm.body import STATIONS
from skitter.elastic.momentum import measure_net
from skitter.elastic.stvk import compute_energy

if TYPE_CHECKING:
    from skitter.creatures.worm.worm import Worm

ROWS = (
    Row("node_position", ("node", "xyz"), "float32", "cm", "nodes of the body"),
    Row("midline", ("station", "xyz"), "float64", "cm", "points along its middle, head first"),
    Row("muscle_activation", ("muscle",), "float32", "1", "0 at rest, 1 fully active"),
    Row("internal_force", (), "float64", "1", "net force of internal forces, of their sizes"),
    Row("internal_torque", (), "float64", "1", "net torque of internal forces, of their sizes"),
    Row("energy_kinetic", (), "float64", "erg", "kinetic energy"),
    Row("energy_elastic", (), "float64", "erg", "elastic energy"),
    Row("contact_force", ("xyz",), "float64", "dyn", "of the ground, at the end of the last step"),
    Row("newton", (), "int64", "1", "linear systems solved in the last step"),
    Row("drive_phase", (), "float64", "cycle", "of what drives it, since the start"),
)


def read(worm: "Worm") -> dict[str, np.ndarray]:
    """The present values of ROWS."""
    motion, body = worm.motion, worm.body
    net, torque = measure_net(motion.internal, motion.x, worm.centre)
    return {
        "node_position": motion.x.astype(np.float32),
        "midline": body.find_midline(motion.x),
        "muscle_activation": worm.drive.activation.astype(np.float32),
        "internal_force": np.array(net),
        "internal_torque": np.array(torque),
        "energy_kinetic": np.array(0.5 * float(body.mass @ (motion.v**2).sum(axis=1))),
        "energy_elastic": np.array(sum(compute_energy(one, motion.x) for one in body.elements)),
        "contact_force": motion.contact.copy(),
        "newton": np.array(motion.solves),
        "drive_phase": np.array(worm.drive.phase),
    }


def list_statics(worm: "Worm") -> list[Static]:
    """The mesh, its surface and its muscles."""
    name, body, mesh = worm.name, worm.body, worm.body.mesh
    names = list(mesh.region_names)
    regions = np.array([names.index(one.name) if one.name in names else -1 for one in MUSCLES])
    along = body.length * np.linspace(0, 1, STATIONS)
    node, tet = f"{name}.node", f"{name}.tet"
    return [
        Static(f"{name}.rest_position", (node, "xyz"), mesh.nodes, "cm", "nodes at rest"),
        Static(f"{name}.tets", (tet, "tet_corner"), mesh.tets, "1", "nodes of each tetrahedron"),
        Static(f"{name}.tet_region", (tet,), mesh.region, "1", "region of each tetrahedron"),
        Static(f"{name}.muscle_region", (f"{name}.muscle",), regions, "1", "MDL01 to MVR24"),
        Static(
            f"{name}.soft_triangles",
            (f"{name}.triangle", "corner"),
            mesh.surface,
            "1",
            "outward triangles of the skin",
        ),
        Static(f"{name}.midline_rest", (f"{name}.station",), along, "cm", "from the head"),
        Static(f"{name}.body_length", (), np.array(body.length), "cm", "at rest"),
        Static(f"{name}.body_radius", (), np.array(body.radius), "cm", "the largest, at rest"),
    ]
