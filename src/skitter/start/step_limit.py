"""The longest stable time step of a soft block, from its matrices.

A step is explicit in the forces and implicit in the damping,

    (M + dt D) (x_next - x) = M (x - x_last) - dt^2 K x ,

which is stable exactly while  dt^2 K - 2 dt D <= 4 M.  With the nodes that bodies carry held still
this is the least that a block asks for: a step that fails here flies apart, whatever the bodies.
`creatures.stability` has an estimate that costs nothing; only near its limit is this one needed.
"""

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import eigsh

from skitter.creatures.plan import SoftPart, build_plan
from skitter.creatures.stability import compute_cell_size, estimate_step_limit, list_figures
from skitter.elastic.block import build_topology, compute_lame, compute_node_masses, compute_rest
from skitter.errors import UserError
from skitter.scene.load import Scene
from skitter.species.kinds import take_figured
from skitter.species.spec import Material

STABLE = 4.0  # the largest eigenvalue with which no mode grows
NEAR = 0.8  # of the estimated limit; below it the estimate is enough
DENSE = 60  # rows up to which all eigenvalues are found at once
SHORTER = 0.9  # what is proposed, as a share of the limit of small motions: large ones need less


def check_step_limit(scene: Scene) -> None:
    """Refuse a time step with which a soft block is unstable even in the smallest motion."""
    known: dict[tuple[object, ...], float] = {}
    for index in list_figures(scene):
        name, species = scene.creature_names[index], take_figured(scene.species[index])
        material = species.material
        for block in build_plan(species).soft:
            cell = compute_cell_size(block)
            if scene.step < NEAR * estimate_step_limit(material, cell):
                continue
            ends = (block.start is None, block.end is None)
            key = (tuple(cell.round(9)), block.cells, ends, material)
            if key not in known:
                known[key] = measure_growth(block, material, scene.step)
            if known[key] > STABLE:
                raise UserError(describe_limit(scene, name, block, material))


def describe_limit(scene: Scene, name: str, block: SoftPart, material: Material) -> str:
    limit = find_step_limit(block, material, scene.step)
    return (
        f"time_step must be at most {SHORTER * limit:.2g} for the soft block '{block.name}' of"
        f" '{name}', or it must be softer or of larger cells; found {scene.spec.time_step:.3g}"
    )


def find_step_limit(block: SoftPart, material: Material, step: float) -> float:
    """The longest stable step [s], by halving; `step` is known to be too long."""
    low, high = 0.0, step
    for _ in range(8):
        middle = (low + high) / 2
        if measure_growth(block, material, middle) > STABLE:
            high = middle
        else:
            low = middle
    return low


def measure_growth(block: SoftPart, material: Material, step: float) -> float:
    """The largest eigenvalue of dt^2 K - 2 dt D against M."""
    topology = build_topology(block.cells)
    inverse, volumes = compute_rest(block.nodes, topology.tets)
    masses = compute_node_masses(volumes, topology.tets, topology.node_count, material.density)
    elements = step**2 * compute_stiffness(inverse, volumes, material)
    elements -= 2 * step * compute_damping(volumes, material)
    free = list_free_rows(block)
    if len(free) == 0:
        return 0.0
    scale = sparse.diags_array(1 / np.sqrt(np.repeat(masses, 3)[free]))
    matrix = scale @ assemble(elements, topology.tets)[free][:, free] @ scale
    return largest_eigenvalue(matrix)


def compute_stiffness(inverse: np.ndarray, volumes: np.ndarray, material: Material) -> np.ndarray:
    """Stiffness of each tetrahedron about its rest shape [tet, 4, 3, 4, 3], dyn/cm."""
    mu, lam = compute_lame(material.young, material.poisson)
    slopes = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)
    pressure = lam * np.einsum("tai,tbj->taibj", slopes, slopes)
    shear = np.einsum("taj,tbi->taibj", slopes, slopes)
    shear += np.einsum("tak,tbk,ij->taibj", slopes, slopes, np.eye(3))
    return np.asarray(volumes[:, None, None, None, None] * (pressure + mu * shear))


def compute_damping(volumes: np.ndarray, material: Material) -> np.ndarray:
    """Fang 2015 eq. A.23 for each tetrahedron [tet, 4, 3, 4, 3], g/s."""
    spread = np.einsum("ab,ij->aibj", np.eye(4) - 0.25, np.eye(3))
    return np.asarray(material.damping * volumes[:, None, None, None, None] * spread)


def assemble(elements: np.ndarray, tets: np.ndarray) -> sparse.csr_array:
    """Sum of the matrices of all tetrahedra; row 3n + i belongs to axis i of node n."""
    rows = (3 * tets[:, :, None] + np.arange(3)).reshape(len(tets), 12)
    places = np.repeat(rows, 12, axis=1).ravel(), np.tile(rows, (1, 12)).ravel()
    return sparse.csr_array(sparse.coo_array((elements.ravel(), places)))


def list_free_rows(block: SoftPart) -> np.ndarray:
    topology = build_topology(block.cells)
    count, face = topology.node_count, topology.face_node_count
    first = 0 if block.start is None else face
    stop = count if block.end is None else count - face
    return np.arange(3 * first, 3 * stop)


def largest_eigenvalue(matrix: sparse.csr_array) -> float:
    size = matrix.shape[0]
    if size <= DENSE:
        return float(np.linalg.eigvalsh(matrix.toarray())[-1])
    start = np.random.default_rng(0).normal(size=size)
    return float(eigsh(matrix, k=1, which="LA", v0=start, tol=1e-4, return_eigenvectors=False)[0])
