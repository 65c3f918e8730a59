"""What water meets of a creature: triangles of soft blocks, patches and points of rigid parts."""

import itertools

import numpy as np

from skitter.compiled import LANES
from skitter.creatures.pack import BodyMass, Pack
from skitter.creatures.plan import BOX, BodyPlan, RigidPart, SoftPart
from skitter.creatures.wet import Wet, WetScratch
from skitter.elastic.block import BlockTopology, build_topology, compute_node_masses, compute_rest
from skitter.elastic.drag import TRIANGLE_ROWS, WetSoft
from skitter.rigid.drag import PATCH_ROWS, POINT_ROWS, WetBody
from skitter.water.surface import NO_WATER

STEADY = 0.25  # of its momentum: as much drag takes from a node in a step where it grows
# with the square of the speed; beyond, it grows with the speed only, or a step might overshoot
BODY_STEADY = 0.5  # the same for bodies, which no stiff springs shake
FASTEST = 1e6  # cm/s
PATCHES = 2  # along each edge of a face of a box
AROUND, ALONG = 8, 3  # patches of a capsule


def build_wet(
    plan: BodyPlan,
    packs: list[Pack],
    weights: list[BodyMass],
    node_density: float,
    dt: float,
    real: type,
) -> Wet:
    """What water meets of a body plan; `node_density` is that of the soft blocks, g/cm³."""
    nodes = [
        find_steady_speed(plan.soft[block], pack, node_density)
        for pack in packs
        for block in pack.blocks
    ]
    return Wet(
        build_wet_soft(plan, packs, real),
        build_wet_body(plan, weights, dt, real),
        STEADY * min(nodes, default=1.0) / dt,
    )


def find_steady_speed(part: SoftPart, pack: Pack, density: float) -> float:
    """Least mass per area of the free nodes of a block, g/cm²."""
    triangles, nodes = list_outer(pack), part.nodes
    a, b, c = (nodes[triangles[:, k]] for k in range(3))
    share = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
    area = np.zeros(len(nodes))
    np.add.at(area, triangles, share[:, None])
    free = slice(pack.carried_start, pack.free_stop)
    mass = density * share_volume(part, pack.topology)[free]
    return float((mass / np.maximum(area[free], 1e-12)).min(initial=np.inf))


def find_cell(part: SoftPart) -> np.ndarray:
    """Edges of a block's cells [3], cm, along the axes of the plan."""
    _, up, across = part.cells
    strides = np.array([(up + 1) * (across + 1), across + 1, 1])
    return np.asarray(np.abs(part.nodes[strides] - part.nodes[0]).max(axis=0))


def build_wet_soft(plan: BodyPlan, packs: list[Pack], real: type) -> WetSoft:
    """Outer triangles that no body covers, and the volume of every node."""
    node_count = sum(pack.topology.node_count for pack in packs)
    triangles, starts = [np.empty((0, 3), np.int64)], [0]
    volume, band = np.zeros((node_count, LANES)), np.ones(len(packs))
    for number, pack in enumerate(packs):
        triangles.append(pack.start + list_outer(pack))
        starts.append(starts[-1] + len(triangles[-1]))
        nodes = slice(pack.start, pack.start + pack.topology.node_count)
        band[number] = find_cell(plan.soft[pack.blocks[0]])[1]
        for lane, block in enumerate(pack.blocks):
            volume[nodes, lane] = share_volume(plan.soft[block], pack.topology)
    return WetSoft(
        np.array(starts, np.int64),
        np.concatenate(triangles),
        volume.astype(real).ravel(),
        band.astype(real),
    )


def list_outer(pack: Pack) -> np.ndarray:
    """Triangles of a pack's blocks [n, 3] but for those of the faces that bodies cover."""
    surface = pack.topology.surface
    on_start = (surface < pack.carried_start).all(axis=1)
    on_end = (surface >= pack.free_stop).all(axis=1)
    return surface[~on_start & ~on_end].astype(np.int64)


def share_volume(part: SoftPart, topology: BlockTopology) -> np.ndarray:
    """Volume that every node of a block stands for, cm³."""
    _, volumes = compute_rest(part.nodes, topology.tets)
    return compute_node_masses(volumes, topology.tets, topology.node_count, 1.0)


def build_wet_body(plan: BodyPlan, weights: list[BodyMass], dt: float, real: type) -> WetBody:
    """Patches and points of all rigid parts, sorted into lanes."""
    packs = -(-len(plan.rigid) // LANES)
    patches = [list_patches(plan, index) for index in range(len(plan.rigid))]
    points = [list_points(part) for part in plan.rigid]
    patch = np.zeros((packs, max(map(len, patches), default=0), 7, LANES))
    point = np.zeros((packs, max(map(len, points), default=0), 4, LANES))
    per_band, limit = np.ones((packs, LANES)), np.ones((packs, LANES))
    for index, (part, weight) in enumerate(zip(plan.rigid, weights, strict=True)):
        pack, lane = divmod(index, LANES)
        middle = part.centre - weight.centre
        patches[index][:, :3] += middle
        points[index][:, :3] += middle
        patch[pack, : len(patches[index]), :, lane] = patches[index]
        point[pack, : len(points[index]), :, lane] = points[index]
        per_band[pack, lane] = 2 / (part.size[1] if part.shape == BOX else 2 * part.size[0])
        facing = np.maximum(patches[index][:, 3:6], 0) * patches[index][:, 6:]
        limit[pack, lane] = BODY_STEADY * weight.mass / max(facing.sum(axis=0).max(), 1e-12) / dt
    return WetBody(
        patch.reshape(packs, patch.shape[1], PATCH_ROWS).astype(real),
        point.reshape(packs, point.shape[1], POINT_ROWS).astype(real),
        per_band.astype(real),
        np.minimum(limit, FASTEST).astype(real),
    )


def list_points(part: RigidPart) -> np.ndarray:
    """Eight points that share a part's volume evenly [8, 4]: place and volume."""
    corners = np.array(list(itertools.product((-0.25, 0.25), repeat=3)))
    if part.shape == BOX:
        places, volume = corners * part.size, float(np.prod(part.size))
    else:
        radius, length = part.size[0], part.size[1]
        places = corners * [length + radius, 1.5 * radius, 1.5 * radius]
        volume = np.pi * radius**2 * (length + 4 / 3 * radius)
    return np.column_stack([places, np.full(8, volume / 8)])


def list_patches(plan: BodyPlan, index: int) -> np.ndarray:
    """Patches of a rigid part [n, 7]: middle, outward normal, area that water can reach."""
    part = plan.rigid[index]
    if part.shape != BOX:
        return cover_capsule(part.size[0], part.size[1])
    open_share = find_open_shares(plan, index)
    steps = (np.arange(PATCHES) + 0.5) / PATCHES - 0.5
    patches = []
    for axis, side in itertools.product(range(3), (-1, 1)):
        others = [k for k in range(3) if k != axis]
        area = part.size[others[0]] * part.size[others[1]] / PATCHES**2
        for a, b in itertools.product(steps, repeat=2):
            place, normal = np.zeros(3), np.zeros(3)
            place[axis], place[others[0]], place[others[1]] = 0.5 * side, a, b
            normal[axis] = side
            patches.append([*(place * part.size), *normal, area * open_share[axis, side]])
    return np.array(patches)


def find_open_shares(plan: BodyPlan, index: int) -> dict[tuple[int, int], float]:
    """Share of each face of a box that no soft block covers, by axis and side."""
    part = plan.rigid[index]
    shares = {(axis, side): 1.0 for axis in range(3) for side in (-1, 1)}
    for block in plan.soft:
        face = build_topology(block.cells).face_node_count
        for body, nodes in ((block.start, block.nodes[:face]), (block.end, block.nodes[-face:])):
            if body != index:
                continue
            away = (nodes.mean(axis=0) - part.centre) / part.size
            axis = int(np.argmax(np.abs(away)))
            others = [k for k in range(3) if k != axis]
            covered = np.prod(np.ptp(nodes, axis=0)[others]) / np.prod(part.size[others])
            key = (axis, 1 if away[axis] > 0 else -1)
            shares[key] = max(0.0, shares[key] - float(covered))
    return shares


def cover_capsule(radius: float, length: float) -> np.ndarray:
    """Patches of a capsule along x [n, 7]: rings on the straight part, and on either round end."""
    rows = []
    for ring in range(AROUND):
        angle = 2 * np.pi * (ring + 0.5) / AROUND
        out = np.array([0.0, np.cos(angle), np.sin(angle)])
        for part in range(ALONG) if length > 0 else ():
            at = length * ((part + 0.5) / ALONG - 0.5)
            area = 2 * np.pi * radius * length / (AROUND * ALONG)
            rows.append([*(radius * out + [at, 0, 0]), *out, area])
        # the round ends in two zones of equal height, thus of equal area
        for side, height in itertools.product((-1, 1), (0.25, 0.75)):
            normal = np.sqrt(1 - height**2) * out + [side * height, 0.0, 0.0]
            place = radius * normal + [side * length / 2, 0.0, 0.0]
            rows.append([*place, *normal, np.pi * radius**2 / AROUND])
    return np.array(rows)


def build_wet_scratch(packs: int, body_packs: int, real: type) -> WetScratch:
    return WetScratch(
        soft_surface=np.full((packs, LANES), NO_WATER, real),
        body_surface=np.full((body_packs, LANES), NO_WATER, real),
        triangle=np.zeros(TRIANGLE_ROWS, real),
        third=np.zeros(3 * LANES, real),
        soft_work=np.zeros((packs, LANES), real),
        body_work=np.zeros((body_packs, LANES), real),
    )
