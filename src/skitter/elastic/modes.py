"""Vibration modes of a free elastic body, and how a mode goes on beyond small amplitudes.

Mujika 2018 section 5 takes its undulation from the modes of the free body, with modal derivatives
after Barbic and James 2005. With K the stiffness at rest and M the lumped masses, modes solve
K u = w² M u. A free body has six of zero frequency, its rigid motions, then the elastic ones.
Shapes are mass-normalised, u M u = 1.

The paper counts modes with the six rigid ones, and so do we: number 7 is the first elastic one.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr
from scipy.sparse import coo_array, csc_array, diags_array
from scipy.sparse.linalg import eigsh, splu

from skitter.elastic.block import compute_node_masses
from skitter.elastic.stvk import build_elements, compute_forces
from skitter.elastic.tet_mesh import TetMesh
from skitter.errors import UserError

RIGID = 6
SHIFT = -0.05  # of a first guess of the lowest elastic w²: close to all that is asked for
SAME = 1e-4  # of w²: any mixture of modes this close is as good a mode
CLOSE = 0.05  # of w²: so far apart are the two bending modes of a round body whose mesh is uneven
STRAIGHT = 0.8  # of the motion is in one plane where a mode counts as bending in it
HEAD = 0.05  # of the length, where a mode's sign is read


@dataclass(frozen=True, eq=False)
class Material:
    """What a mesh is made of, for each tetrahedron.

    mu, lam: Lamé's constants [tet] dyn/cm². density: [tet] g/cm³.
    """

    mu: np.ndarray
    lam: np.ndarray
    density: np.ndarray


@dataclass(frozen=True, eq=False)
class Modes:
    """Modes from the lowest on, the six rigid ones first.

    omega_squared: [mode] 1/s². shapes: mass-normalised [mode, node, 3] 1/√g.
    """

    omega_squared: np.ndarray
    shapes: np.ndarray

    @property
    def frequency(self) -> np.ndarray:
        """Of each mode [mode] Hz."""
        return np.sqrt(np.maximum(self.omega_squared, 0)) / (2 * np.pi)


def compute_masses(mesh: TetMesh, material: Material) -> np.ndarray:
    """Lumped masses [node] g."""
    weighted = material.density * mesh.volumes
    return compute_node_masses(weighted, mesh.tets, len(mesh.nodes), 1.0)


def build_stiffness(mesh: TetMesh, material: Material) -> csc_array:
    """Stiffness at rest [3 node, 3 node] dyn/cm: the tangent of `elastic/stvk.py`, F = 1, S = 0."""
    edges = (mesh.nodes[mesh.tets[:, 1:]] - mesh.nodes[mesh.tets[:, :1]]).transpose(0, 2, 1)
    inner = np.linalg.inv(edges)
    g = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)  # [tet, corner, 3]
    outer = np.einsum("tai,tbj->taibj", g, g)
    turned = outer.transpose(0, 1, 4, 3, 2)
    dots = np.einsum("tai,tbi->tab", g, g)
    spread = np.einsum("tab,ij->taibj", dots, np.eye(3))
    lam, mu = (v[:, None, None, None, None] for v in (material.lam, material.mu))
    blocks = (lam * outer + mu * (turned + spread)) * mesh.volumes[:, None, None, None, None]
    freedom = (3 * mesh.tets[:, :, None] + np.arange(3)).reshape(-1, 12)
    rows, columns = np.repeat(freedom, 12, axis=1).ravel(), np.tile(freedom, 12).ravel()
    size = 3 * len(mesh.nodes)
    return coo_array((blocks.ravel(), (rows, columns)), (size, size)).tocsc()


def build_rigid_motions(nodes: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Mass-normalised translations and small rotations [6, node, 3] 1/√g."""
    centre = masses @ nodes / masses.sum()
    axes = np.eye(3)
    moves = [np.broadcast_to(axis, nodes.shape) for axis in axes]
    moves += [np.cross(axis, nodes - centre) for axis in axes]
    weight = np.sqrt(np.repeat(masses, 3))
    spans, _ = np.linalg.qr((np.stack(moves).reshape(RIGID, -1) * weight).T)
    return (spans / weight[:, None]).T.reshape(RIGID, *nodes.shape)


def compute_modes(nodes: np.ndarray, stiffness: csc_array, masses: np.ndarray, count: int) -> Modes:
    """The six rigid motions and the lowest `count` elastic modes of a free body.

    Lanczos' method on (K - s M)^-1 with s < 0, so that what is factorised is positive definite; it
    begins with the same vector always.
    """
    mass = np.repeat(masses, 3)
    if len(mass) < count + RIGID + 1:
        raise UserError(f"{count} modes asked for, but {len(nodes)} nodes have fewer")
    guess = guess_lowest(nodes, stiffness, mass)
    start = np.random.default_rng(0).standard_normal(len(mass))
    values, vectors = eigsh(
        stiffness, k=count + RIGID, M=diags_array(mass).tocsc(), sigma=SHIFT * guess, v0=start
    )
    vectors = vectors[:, np.argsort(values)].T[RIGID:]
    rigid = build_rigid_motions(nodes, masses)
    flat = rigid.reshape(RIGID, -1)
    vectors = vectors - (vectors * mass) @ flat.T @ flat  # free of rigid motion to the last bit
    vectors /= np.sqrt(np.sum(vectors**2 * mass, axis=1))[:, None]
    shapes = straighten(vectors.reshape(-1, *nodes.shape), stiffness, masses)
    shapes = np.stack([turn_sign(shape, nodes) for shape in shapes])
    shapes = np.concatenate([rigid, shapes])
    return Modes(measure_stiffness(shapes, stiffness), shapes)


def guess_lowest(nodes: np.ndarray, stiffness: csc_array, mass: np.ndarray) -> float:
    """About the lowest elastic w², from above: that of bending into a parabola, 1/s²."""
    along = nodes[:, 0] - nodes[:, 0].mean()
    bent = np.zeros_like(nodes)
    bent[:, 2] = along**2
    bent[:, 0] = -2 * along * nodes[:, 2]  # sections stay at right angles
    rigid = build_rigid_motions(nodes, mass[::3]).reshape(RIGID, -1)
    flat = bent.ravel() - (rigid @ (mass * bent.ravel())) @ rigid
    return float(flat @ (stiffness @ flat) / (flat @ (mass * flat)))


def measure_stiffness(shapes: np.ndarray, stiffness: csc_array) -> np.ndarray:
    """w² of mass-normalised shapes [mode] 1/s²."""
    flat = shapes.reshape(len(shapes), -1)
    return np.einsum("mi,mi->m", flat, (stiffness @ flat.T).T)


def straighten(shapes: np.ndarray, stiffness: csc_array, masses: np.ndarray) -> np.ndarray:
    """Among modes of nearly the same frequency, those that are as horizontal or vertical as can be.

    Modes of a body with mirror planes are straight, and stay as they are.
    """
    values = measure_stiffness(shapes, stiffness)
    shapes, values = shapes[np.argsort(values)], np.sort(values)
    first = 0
    for last in range(1, len(values) + 1):
        if last < len(values) and values[last] - values[last - 1] < CLOSE * values[last]:
            continue
        is_same = values[last - 1] - values[first] < SAME * values[first]
        turned, share = turn_cluster(shapes[first:last], masses)
        if is_same or np.all(share > STRAIGHT):
            shapes[first:last] = turned
        first = last
    return shapes[np.argsort(measure_stiffness(shapes, stiffness), kind="stable")]


def turn_cluster(shapes: np.ndarray, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mixtures that diagonalise the form m (u_y² - u_z²), and how much of each is in one plane."""
    y, z = (shapes[:, :, axis] * np.sqrt(masses) for axis in (1, 2))
    _, turn = np.linalg.eigh(y @ y.T - z @ z.T)  # horizontal first
    turned = np.einsum("km,knc->mnc", turn, shapes)
    return turned, np.max(np.einsum("n,mnc->mc", masses, turned**2)[:, 1:], axis=1)


def turn_sign(shape: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """The shape or its opposite: the head goes to the positive side."""
    x = nodes[:, 0]
    head = shape[x >= x.max() - HEAD * np.ptp(x)].mean(axis=0)
    leading = head[np.argmax(np.abs(head))]
    if abs(leading) < 1e-6 * np.abs(shape).max():  # a twist, or another that moves no section
        large = np.abs(shape.ravel()) > 0.99 * np.abs(shape).max()
        leading = shape.ravel()[np.argmax(large)]
    return shape if leading > 0 else -shape


def compute_derivative(
    mesh: TetMesh, material: Material, stiffness: csc_array, shape: np.ndarray
) -> np.ndarray:
    """The modal derivative of a mode [node, 3] cm/(cm² g): how it curves as its amplitude p grows.

    Barbic and James 2005 section 5: u(p) = p shape + p² D / 2 is, to second order, the path along
    which loads K shape p hold the body. Restoring forces R of St. Venant and Kirchhoff's material
    are a cubic polynomial, R(u) = K u + Q(u, u) + C(u, u, u), so that for any amplitude e, exactly,

        Q(u, u) = (R(e u) + R(-e u)) / (2 e²),

    because K and C are odd. The second-order part of R(p shape + p² D / 2) = K shape p is then
    K D / 2 + Q(shape, shape) = 0. The body is free: what would accelerate it is taken by its
    inertia, and D holds no rigid motion.
    """
    elements = build_elements(mesh.nodes, mesh.tets, material.mu, material.lam)
    size = np.ptp(mesh.nodes[:, 0]) / (10 * np.abs(shape).max())  # keeps rounding small
    pushed = [compute_forces(elements, mesh.nodes + s * size * shape) for s in (1, -1)]
    load = (pushed[0] + pushed[1]).ravel() / size**2  # -2 Q
    mass = np.repeat(compute_masses(mesh, material), 3)
    rigid = build_rigid_motions(mesh.nodes, mass[::3]).reshape(RIGID, -1)
    load -= mass * ((rigid @ load) @ rigid)
    solved = solve_free(stiffness, rigid, load)
    return (solved - (rigid @ (mass * solved)) @ rigid).reshape(shape.shape)


def solve_free(stiffness: csc_array, rigid: np.ndarray, load: np.ndarray) -> np.ndarray:
    """Displacements of a free body under a balanced load, up to a rigid motion [3 node].

    Six freedoms are held, those that fix the body best: as the load is balanced they bear nothing.
    """
    held = qr(rigid, mode="r", pivoting=True)[1][:RIGID]
    free = np.setdiff1d(np.arange(len(load)), held)
    solved = np.zeros_like(load)
    solved[free] = splu(stiffness[free][:, free].tocsc()).solve(load[free])
    return solved
