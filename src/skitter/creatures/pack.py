"""From a body plan to the arrays of the compiled core: blocks and bodies sorted into lanes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from skitter.compiled import CELL_LANES, LANES
from skitter.creatures.physics import Physics
from skitter.creatures.plan import BOX, BOX_POINTS, CAPSULE_POINTS, BodyPlan, RigidPart, SoftPart
from skitter.elastic.block import (
    BlockTopology,
    build_topology,
    compute_lame,
    compute_node_masses,
    compute_rest,
)
from skitter.elastic.damping import NARROW, build_edges, factor_banded
from skitter.elastic.soft import NODE_ROWS, SoftModel
from skitter.rigid.bodies import MODEL_GRAVITY, MODEL_INVERSE_INERTIA, MODEL_ROWS, BodyModel
from skitter.rigid.shapes import box_mass, box_probes, capsule_mass, capsule_probes, combine_masses
from skitter.species.kinds import FiguredSpec
from skitter.species.spec import Material

NOWHERE = -1e9  # radius of a probe that never touches anything


@dataclass
class Pack:
    """Up to LANES blocks of one topology, attached alike."""

    topology: BlockTopology
    blocks: list[int]  # indices into the plan's soft parts
    start: int  # first node of the pack in the node arrays
    carried_start: int  # carried nodes of the start face
    carried_end: int  # and of the end face

    @property
    def free_stop(self) -> int:
        return self.topology.node_count - self.carried_end


def sort_into_packs(plan: BodyPlan) -> list[Pack]:
    """Blocks of equal topology and attachment, LANES at a time, in the order of the plan."""
    groups: dict[tuple, list[int]] = {}
    for index, part in enumerate(plan.soft):
        groups.setdefault((part.cells, part.start is None, part.end is None), []).append(index)
    packs, start = [], 0
    for (cells, free_start, free_end), members in groups.items():
        topology = build_topology(cells)
        face = topology.face_node_count
        for first in range(0, len(members), LANES):
            blocks = members[first : first + LANES]
            packs.append(
                Pack(topology, blocks, start, 0 if free_start else face, 0 if free_end else face)
            )
            start += topology.node_count
    return packs


def locate_nodes(packs: list[Pack], block_count: int) -> list[np.ndarray]:
    """Place of the x of every node of every block in the node arrays."""
    places: list[np.ndarray] = [np.empty(0, int)] * block_count
    for pack in packs:
        for lane, block in enumerate(pack.blocks):
            places[block] = NODE_ROWS * (pack.start + np.arange(pack.topology.node_count)) + lane
    return places


def list_cells(packs: list[Pack]) -> Iterator[tuple[int, int]]:
    """All cells as (block, cell), neighbouring lanes in neighbouring blocks."""
    for pack in packs:
        for cell in range(len(pack.topology.cell_nodes)):
            for block in pack.blocks:
                yield block, cell


def pack_cells(
    plan: BodyPlan, packs: list[Pack], material: Material
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """cell_node, cell_block and rest of the soft model.

    Spare lanes repeat the last cell without stiffness.
    """
    places = locate_nodes(packs, len(plan.soft))
    mu, lam = compute_lame(material.young, material.poisson)
    rests = [compute_rest(part.nodes, build_topology(part.cells).tets) for part in plan.soft]
    cells = list(list_cells(packs))
    rows = -(-len(cells) // CELL_LANES)
    cell_node, rest = np.zeros((rows, 8, CELL_LANES), np.int32), np.zeros((rows, 6, 12, CELL_LANES))
    cell_block = np.full((rows, CELL_LANES), -1, np.int32)
    for index in range(rows * CELL_LANES):
        block, cell = cells[min(index, len(cells) - 1)]
        row, lane = divmod(index, CELL_LANES)
        cell_node[row, :, lane] = places[block][
            build_topology(plan.soft[block].cells).cell_nodes[cell]
        ]
        inverse, volume = (values[6 * cell : 6 * cell + 6] for values in rests[block])
        rest[row, :, :9, lane] = inverse.reshape(6, 9)
        rest[row, :, 11, lane] = 1
        if index < len(cells):
            cell_block[row, lane] = block
            rest[row, :, 9, lane], rest[row, :, 10, lane] = 2 * mu * volume, lam * volume
    return cell_node.reshape(rows, -1), cell_block, rest.reshape(rows, 6, -1)


def block_masses(part: SoftPart, density: float) -> np.ndarray:
    topology = build_topology(part.cells)
    _, volumes = compute_rest(part.nodes, topology.tets)
    return compute_node_masses(volumes, topology.tets, topology.node_count, density)


def is_carried(pack: Pack, node: int) -> int:
    """0 for a free node, 1 on the start face, 2 on the end face."""
    if node < pack.carried_start:
        return 1
    return 2 if node >= pack.free_stop else 0


@dataclass
class PackDamping:
    """Damping of one pack: factor [free, bandwidth + 1, LANES], or [block, free, bandwidth + 1] for
    a narrow pack; edges and their coefficients."""

    factor: np.ndarray
    bandwidth: int
    edge_node: np.ndarray
    edge_damping: np.ndarray


def damp_block(
    part: SoftPart, pack: Pack, material: Material, dt: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Factor, carried edges and their coefficients of one block."""
    topology = pack.topology
    _, volumes = compute_rest(part.nodes, topology.tets)
    edges = {
        (i, j): dt * k
        for (i, j), k in build_edges(topology.tets, volumes, material.damping).items()
        if is_carried(pack, i) == 0 or is_carried(pack, i) != is_carried(pack, j)
    }
    mass = block_masses(part, material.density)
    factor = factor_banded(edges, mass, pack.carried_start, pack.free_stop)
    carried, values = [], []
    for (i, j), k in edges.items():
        if is_carried(pack, i) or is_carried(pack, j):
            carried.append((i, j) if is_carried(pack, i) else (j, i))
            values.append(k)
    return factor, np.array(carried, np.int64).reshape(-1, 2), np.array(values)


def damp_pack(plan: BodyPlan, pack: Pack, material: Material, dt: float) -> PackDamping:
    """Damping of all blocks of a pack; spare lanes repeat the last block."""
    blocks = [damp_block(plan.soft[block], pack, material, dt) for block in pack.blocks]
    blocks += [blocks[-1]] * (LANES - len(blocks))
    factor = np.stack([b[0] for b in blocks], axis=-1)
    bandwidth = factor.shape[1] - 1
    if len(pack.blocks) <= NARROW:
        factor = np.stack([b[0] for b in blocks[: len(pack.blocks)]])
    coefficients = np.stack([b[2] for b in blocks], axis=-1)
    return PackDamping(factor, bandwidth, blocks[0][1], coefficients)


def build_soft_model(
    plan: BodyPlan, packs: list[Pack], species: FiguredSpec, physics: Physics
) -> SoftModel:
    """Arrays of all soft blocks of a creature."""
    material, real = species.material, physics.real
    node_count = sum(pack.topology.node_count for pack in packs)
    mass = np.ones((node_count, LANES))
    inverse_mass, down = np.zeros((node_count, 3, LANES)), np.zeros((node_count, 3, LANES))
    end_body = np.full((len(packs), 2, LANES), -1, np.int64)
    for number, pack in enumerate(packs):
        nodes = slice(pack.start, pack.start + pack.topology.node_count)
        free = slice(pack.start + pack.carried_start, pack.start + pack.free_stop)
        mass[nodes] = block_masses(plan.soft[pack.blocks[0]], material.density)[:, None]
        for lane, block in enumerate(pack.blocks):
            part = plan.soft[block]
            mass[nodes, lane] = block_masses(part, material.density)
            inverse_mass[free, :, lane] = 1 / mass[free, lane][:, None]
            down[free, 1, lane] = -physics.gravity
            end_body[number, :, lane] = [-1 if b is None else b for b in (part.start, part.end)]
    damping = [damp_pack(plan, pack, material, physics.dt) for pack in packs]
    sizes = [d.factor.size for d in damping]
    cell_node, cell_block, rest = pack_cells(plan, packs, material) if packs else no_cells()
    return SoftModel(
        cell_node=cell_node,
        cell_block=cell_block,
        rest=rest.astype(real),
        pack_start=np.array([pack.start for pack in packs] + [node_count], np.int64),
        free_start=np.array([pack.carried_start for pack in packs], np.int64),
        free_stop=np.array([pack.free_stop for pack in packs], np.int64),
        lane_count=np.array([len(pack.blocks) for pack in packs], np.int64),
        end_body=end_body,
        mass=mass.astype(real).ravel(),
        inverse_mass=inverse_mass.astype(real).ravel(),
        gravity=down.astype(real).ravel(),
        local=np.zeros(node_count * NODE_ROWS, real),
        factor=np.concatenate([d.factor.ravel() for d in damping] or [np.empty(0)]).astype(real),
        factor_start=np.cumsum([0, *sizes])[:-1].astype(np.int64),
        bandwidth=np.array([d.bandwidth for d in damping], np.int64),
        edge_start=np.cumsum([0] + [len(d.edge_node) for d in damping]).astype(np.int64),
        edge_node=np.concatenate([d.edge_node for d in damping] or [np.empty((0, 2), np.int64)]),
        edge_damping=np.concatenate(
            [d.edge_damping for d in damping] or [np.empty((0, LANES))]
        ).astype(real),
        friction=species.friction,
    )


def no_cells() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rest = np.empty((0, 6, 12 * CELL_LANES))
    return np.empty((0, 8 * CELL_LANES), np.int32), np.empty((0, CELL_LANES), np.int32), rest


@dataclass
class BodyMass:
    """A rigid part with the soft nodes it carries: mass [g], centre of mass [cm], inertia."""

    mass: float
    centre: np.ndarray
    inertia: np.ndarray


def weigh_bodies(plan: BodyPlan, density: float) -> list[BodyMass]:
    """Mass properties of every rigid part with the mass of the nodes that ride on it."""
    points: list[list[np.ndarray]] = [[np.empty((0, 3))] for _ in plan.rigid]
    masses: list[list[np.ndarray]] = [[np.empty(0)] for _ in plan.rigid]
    for part in plan.soft:
        face = build_topology(part.cells).face_node_count
        node_mass = block_masses(part, density)
        for body, nodes in ((part.start, slice(0, face)), (part.end, slice(-face, None))):
            if body is not None:
                points[body].append(part.nodes[nodes])
                masses[body].append(node_mass[nodes])
    return [
        weigh_body(part, np.concatenate(p), np.concatenate(m))
        for part, p, m in zip(plan.rigid, points, masses, strict=True)
    ]


def weigh_body(part: RigidPart, points: np.ndarray, point_masses: np.ndarray) -> BodyMass:
    if part.shape == BOX:
        mass, inertia = box_mass(part.size, part.density)
    else:
        mass, inertia = capsule_mass(part.size[0], part.size[1], part.density)
    centre = part.centre - [0.0, part.ballast, 0.0]
    return BodyMass(*combine_masses(mass, centre, inertia, points, point_masses))


def probe_body(part: RigidPart, centre_of_mass: np.ndarray) -> np.ndarray:
    """Contact probes of a part about its centre of mass [probe, 4]; fixed parts touch nothing."""
    if part.shape == BOX:
        probes = box_probes(part.size, BOX_POINTS)
    else:
        probes = capsule_probes(part.size[0], part.size[1], CAPSULE_POINTS)
    probes[:, :3] += part.centre - centre_of_mass
    if part.fixed:
        probes[:, 3] = NOWHERE
    return probes


def build_body_model(
    plan: BodyPlan, weights: list[BodyMass], species: FiguredSpec, real: type
) -> BodyModel:
    """Arrays of all rigid parts of a creature."""
    packs = -(-len(plan.rigid) // LANES)
    probes = [probe_body(p, w.centre) for p, w in zip(plan.rigid, weights, strict=True)]
    probe_count = max([len(p) for p in probes], default=0)
    rows, probe = np.zeros((packs, MODEL_ROWS)), np.zeros((packs, probe_count, 4, LANES))
    probe[:, :, 3] = NOWHERE
    reach = np.full((packs, LANES), -1.0)  # nothing there, or nothing that moves
    for index, (part, weight) in enumerate(zip(plan.rigid, weights, strict=True)):
        pack, lane = divmod(index, LANES)
        probe[pack, : len(probes[index]), :, lane] = probes[index]
        if part.fixed:
            continue
        reach[pack, lane] = (
            np.linalg.norm(probes[index][:, :3], axis=1) + np.maximum(probes[index][:, 3], 0)
        ).max()
        inverse = np.linalg.inv(weight.inertia)
        rows[pack, lane] = 1 / weight.mass
        rows[pack, lane + MODEL_GRAVITY] = 1
        rows[pack, lane + MODEL_INVERSE_INERTIA : MODEL_GRAVITY : LANES] = inverse[
            np.triu_indices(3)
        ]
    corner_count = max([8 if part.shape == BOX else 2 for part in plan.rigid], default=0)
    return BodyModel(
        rows=rows.astype(real),
        probe=probe.reshape(packs, probe_count, 4 * LANES).astype(real),
        body_count=len(plan.rigid),
        corner_count=corner_count,
        reach=reach.astype(real),
        friction=species.friction,
        restitution=species.restitution,
    )
