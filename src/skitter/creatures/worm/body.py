"""A worm's body as arrays: elements, masses, surface, midline and muscles, none of which change."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from skitter.creatures.worm.anatomy import CUTICLE, INTERIOR, MUSCLES, build_body, load_body
from skitter.elastic.anchored import Grip
from skitter.elastic.banded import BandedSystem, share_tets
from skitter.elastic.block import compute_lame, compute_node_masses
from skitter.elastic.stvk import ROW, Elements, build_elements, group
from skitter.elastic.tet_mesh import TetMesh
from skitter.species.worm import WormBody, WormSpec

STATIONS = 49  # points of the midline, head first
MIDLINE_REACH = 1.5  # steps between stations, or between slices, within which nodes count
WEIGHT = 981.0  # cm/s², for how deep it sinks, whatever the scene's gravity
WALL = 10.0  # of Young's modulus: stiffness of contact with obstacles, per cm of length
NO_MUSCLE = -1


@dataclass(frozen=True, eq=False)
class Touch:
    """The points of the surface that touch the ground."""

    node: np.ndarray  # [point, 3] nodes that each is mixed of
    weight: np.ndarray  # [point, 3]
    share: np.ndarray  # [point] cm of the length that it stands for
    station: np.ndarray  # [point] of the midline, nearest


@dataclass(frozen=True, eq=False)
class Body:
    """What a step needs to know of a worm."""

    mesh: TetMesh
    system: BandedSystem  # the matrix of its steps, in parts
    elements: tuple[Elements, ...]  # of each part
    mass: np.ndarray  # [node] g
    length: float  # cm, at rest
    radius: float  # cm, the largest at rest
    surface: np.ndarray  # [point] nodes of the surface
    share: np.ndarray  # [point] cm of the length that a node of the surface stands for
    station: np.ndarray  # [point] of the midline, nearest
    touch: Touch
    skin: Touch  # the same with the caps at both ends, which touch obstacles
    midline: csr_matrix  # [STATIONS, node] positions of nodes to points of the midline
    dorsal: csr_matrix  # [STATIONS, node] to vectors that point to the dorsal side
    muscle: tuple[np.ndarray, ...]  # [group, ROW] of each part: which of MUSCLES; NO_MUSCLE
    strength: tuple[np.ndarray, ...]  # [group, ROW] of each part: of full stress
    muscle_place: np.ndarray  # [muscle] of its middle, of the length from the head
    muscle_side: np.ndarray  # [muscle] 0 dorsal, 1 ventral

    def find_midline(self, x: np.ndarray) -> np.ndarray:
        """Points along the middle of the body [STATIONS, 3], cm, head first."""
        return np.asarray(self.midline @ x)

    def find_directions(self, midline: np.ndarray) -> np.ndarray:
        """Unit vectors towards the head at each station [STATIONS, 3]."""
        ahead = -np.gradient(midline, axis=0)
        return np.asarray(ahead / np.linalg.norm(ahead, axis=1, keepdims=True))

    def find_curvature(self, x: np.ndarray, midline: np.ndarray) -> np.ndarray:
        """Curvature of the midline [STATIONS], 1/cm, positive where it bends to the dorsal side."""
        ahead = self.find_directions(midline)
        steps = np.linalg.norm(np.diff(midline, axis=0), axis=1)
        along = -np.concatenate([[0.0], np.cumsum(steps)])  # towards the head, as `ahead` is
        bend = np.gradient(ahead, along, axis=0)
        dorsal = np.asarray(self.dorsal @ x)
        dorsal -= np.einsum("si,si->s", dorsal, ahead)[:, None] * ahead
        dorsal /= np.linalg.norm(dorsal, axis=1, keepdims=True) + 1e-30
        return np.asarray(np.einsum("si,si->s", bend, dorsal))


def build_mesh(spec: WormBody) -> TetMesh:
    """The mesh of a body, built or from its file."""
    if spec.file is not None:
        return load_body(Path(spec.file), length=spec.length, regions=spec.regions)
    return build_body(
        length=spec.length,
        radius=spec.radius,
        slabs=spec.slabs,
        around=spec.around,
        rings=spec.rings,
    )


def assemble(species: WormSpec) -> Body:
    """The body of a species, at rest along x with its head at +x."""
    mesh = build_mesh(species.body)
    nodes, tets = mesh.nodes, mesh.tets
    x = nodes[:, 0]
    length, radius = float(np.ptp(x)), float(np.hypot(nodes[:, 1], nodes[:, 2]).max())
    surface = np.unique(mesh.surface)
    stations = x.max() - length * np.linspace(0, 1, STATIONS)
    midline = weigh_midline(x, stations)
    system = BandedSystem(len(nodes), mesh.band, species.solver)
    chosen = share_tets(tets, system.parts)
    touch = find_touch(mesh, stations)
    return Body(
        mesh=mesh,
        system=system,
        elements=build_parts(mesh, species, system, chosen),
        mass=compute_node_masses(mesh.volumes, tets, len(nodes), species.density),
        length=length,
        radius=radius,
        surface=surface,
        share=share_length(x[surface], length),
        station=find_nearest(x[surface], stations),
        touch=touch,
        skin=add_caps(touch, surface, find_nearest(x[surface], stations)),
        midline=midline,
        dorsal=csr_matrix(midline.multiply(nodes[:, 2])),
        muscle=tuple(fill_groups(find_muscles(mesh)[which]) for which in chosen),
        strength=tuple(group(find_strength(mesh)[which]) for which in chosen),
        muscle_place=np.array([(one.start + one.end) / 2 for one in MUSCLES]),
        muscle_side=np.array([int(one.side == "ventral") for one in MUSCLES]),
    )


def build_parts(
    mesh: TetMesh, species: WormSpec, system: BandedSystem, chosen: list[np.ndarray]
) -> tuple[Elements, ...]:
    """The elements of each part of the matrix, numbered as the part is."""
    mu, lam = find_stiffness(mesh, species)
    return tuple(
        build_elements(
            mesh.nodes, mesh.tets[which], mu[which], lam[which], mesh.fibre[which],
            first=part.first, sign=part.sign,
        )
        for part, which in zip(system.parts, chosen, strict=True)
    )  # fmt: skip


def find_muscles(mesh: TetMesh) -> np.ndarray:
    """Which of MUSCLES each tetrahedron belongs to [tet]."""
    numbers = {one.name: index for index, one in enumerate(MUSCLES)}
    table = np.array([numbers.get(name, NO_MUSCLE) for name in mesh.region_names])
    return table[mesh.region]


def find_strength(mesh: TetMesh) -> np.ndarray:
    """How strong a muscle is at each tetrahedron [tet]: as thick as the body is there, of its most.

    The same stress bends a body the more the thinner it is, and would fold its tail.
    """
    x, off = mesh.nodes[:, 0], np.hypot(mesh.nodes[:, 1], mesh.nodes[:, 2])
    places, which = np.unique(np.round(x, 6), return_inverse=True)
    radius = np.zeros(len(places))
    np.maximum.at(radius, which, off)
    return np.interp(x[mesh.tets].mean(axis=1), places, radius) / radius.max()


def fill_groups(muscle: np.ndarray) -> np.ndarray:
    """Muscles of tetrahedra in groups [group, ROW]; what only fills the last one has none."""
    grouped = group(muscle - NO_MUSCLE) + NO_MUSCLE
    return grouped.reshape(-1, ROW)


def find_stiffness(mesh: TetMesh, species: WormSpec) -> tuple[np.ndarray, np.ndarray]:
    """Lamé's mu and lambda of each tetrahedron [tet], dyn/cm²."""
    tissues = species.tissues
    own = {INTERIOR: tissues.interior, CUTICLE: tissues.cuticle}
    table = [own.get(name, tissues.muscle) for name in mesh.region_names]
    lame = np.array([compute_lame(one.young, one.poisson) for one in table])
    return lame[mesh.region, 0], lame[mesh.region, 1]


def weigh_midline(x: np.ndarray, stations: np.ndarray) -> csr_matrix:
    """Weights [station, node] of points along the middle, from places x [node] along the body.

    Hat functions of the distance, corrected so that a straight body has its midline on the axis and
    every station in its place: weights w (1 + b (x - mean)) with b from the second moment. They
    reach far enough for every station to have nodes on both sides, however few slices there are.
    """
    slices = np.diff(np.sort(x)).max()
    reach = MIDLINE_REACH * max(abs(stations[1] - stations[0]), slices)
    away = x[None, :] - stations[:, None]
    weight = np.clip(1 - np.abs(away) / reach, 0, None)
    weight /= weight.sum(axis=1, keepdims=True)
    mean = (weight * away).sum(axis=1, keepdims=True)
    spread = (weight * (away - mean) ** 2).sum(axis=1, keepdims=True)
    return csr_matrix(weight * (1 - mean * (away - mean) / spread))


def find_touch(mesh: TetMesh, stations: np.ndarray) -> Touch:
    """Middles of the sides of a body built of slices, put out onto its circle; or all nodes.

    With the centre c of a slice and neighbours a, b of its outer ring the middle of their side is
    put out by s = |a - c| / |(a + b) / 2 - c|: s (a + b) / 2 + (1 - s) c.
    """
    x, surface = mesh.nodes[:, 0], np.unique(mesh.surface)
    edges = find_ring_edges(mesh, surface)
    centre = np.flatnonzero(np.hypot(mesh.nodes[:, 1], mesh.nodes[:, 2]) < 1e-9)
    if len(edges) and len(centre) == len(np.unique(np.round(x, 9))):
        middle = centre[np.abs(x[centre] - x[edges[:, :1]]).argmin(axis=1)]
        out = [np.linalg.norm(mesh.nodes[k] - mesh.nodes[middle], axis=1) for k in edges.T]
        half = (mesh.nodes[edges[:, 0]] + mesh.nodes[edges[:, 1]]) / 2 - mesh.nodes[middle]
        s = (out[0] + out[1]) / 2 / np.linalg.norm(half, axis=1)
        node = np.column_stack([edges, middle])
        weight = np.column_stack([s / 2, s / 2, 1 - s])
    else:
        node = np.repeat(surface[:, None], 3, axis=1)
        weight = np.tile([1.0, 0.0, 0.0], (len(surface), 1))
    at = x[node[:, 0]]
    return Touch(node, weight, share_length(at, float(np.ptp(x))), find_nearest(at, stations))


def add_caps(touch: Touch, surface: np.ndarray, station: np.ndarray) -> Touch:
    """With the nodes of the surface [point], at their stations, that belong to no ring: each stands
    for as much as the touching point next to it."""
    is_cap = ~np.isin(surface, touch.node[:, :2])
    cap = surface[is_cap]
    away = np.abs(touch.station - station[is_cap][:, None])
    return Touch(
        np.concatenate([touch.node, np.repeat(cap[:, None], 3, axis=1)]),
        np.concatenate([touch.weight, np.tile([1.0, 0.0, 0.0], (len(cap), 1))]),
        np.concatenate([touch.share, touch.share[away.argmin(axis=1)]]),
        np.concatenate([touch.station, station[is_cap]]),
    )


def find_ring_edges(mesh: TetMesh, surface: np.ndarray) -> np.ndarray:
    """Edges of the side surface that lie in one slice [edge, 2]."""
    corners = np.concatenate([mesh.surface[:, [i, j]] for i, j in ((0, 1), (1, 2), (2, 0))])
    edges = np.unique(np.sort(corners, axis=1), axis=0)
    places = np.unique(np.round(mesh.nodes[surface, 0], 9))
    outer = surface[np.hypot(*mesh.nodes[surface, 1:].T) > 0]
    flat = np.abs(np.diff(mesh.nodes[edges, 0], axis=1)[:, 0]) < 1e-9
    radius = np.hypot(mesh.nodes[edges, 1], mesh.nodes[edges, 2])
    largest = np.zeros(len(places))
    np.maximum.at(largest, np.searchsorted(places, np.round(mesh.nodes[outer, 0], 9)),
                  np.hypot(*mesh.nodes[outer, 1:].T))  # fmt: skip
    at = np.searchsorted(places, np.round(mesh.nodes[edges[:, 0], 0], 9))
    on_ring = (radius > 0.999 * largest[np.clip(at, 0, len(places) - 1)][:, None]).all(axis=1)
    return edges[flat & on_ring]


def find_nearest(x: np.ndarray, stations: np.ndarray) -> np.ndarray:
    """The station nearest to each place along the body [n]."""
    return np.asarray(np.abs(stations - x[:, None]).argmin(axis=1))


def share_length(x: np.ndarray, length: float) -> np.ndarray:
    """The part of the length that each node of the surface stands for [point], cm."""
    places, which, count = np.unique(np.round(x, 9), return_inverse=True, return_counts=True)
    edges = np.concatenate([places[:1], (places[1:] + places[:-1]) / 2, places[-1:]])
    share = np.diff(edges) / count
    return np.asarray(share[which] * length / np.diff(edges).sum())


def build_grip(species: WormSpec, body: Body) -> Grip:
    """Contact and friction; springs are so stiff that the body sinks in as far as its grip says."""
    grip = species.grip
    weight = WEIGHT * body.mass.sum() / body.length
    touch = body.touch
    around = count_around(body)
    stiffness = (weight + grip.film) / (grip.sink * body.radius)  # dyn/cm per cm of length
    reach = body.radius / 2
    return Grip(
        node=touch.node,
        weight=touch.weight,
        share=touch.share,
        stiffness=stiffness * around * touch.share / 2,
        forward=grip.forward,
        backward=grip.backward,
        across=grip.across,
        film=grip.film / find_film_share(body.radius, reach),
        reach=reach,
    )


def build_wall_grip(species: WormSpec, body: Body, grip: Grip) -> Grip:
    """The same against obstacles: no film pulls, and springs are as stiff as the body's tissue, as
    it may push against one with all its strength at its tip."""
    tissues = species.tissues
    young = max(one.young for one in (tissues.interior, tissues.cuticle, tissues.muscle))
    skin = body.skin
    around = count_around(body)
    stiffness = np.maximum(WALL * young, grip.stiffness[0] / grip.share[0] / around)
    return grip._replace(
        node=skin.node, weight=skin.weight, share=skin.share, film=0.0,
        stiffness=stiffness * around * skin.share,
    )  # fmt: skip


def count_around(body: Body) -> float:
    """Points that touch the ground in each slice."""
    node = body.touch.node[:, 0]
    return len(node) / len(np.unique(np.round(body.mesh.nodes[node, 0], 9)))


def find_film_share(radius: float, reach: float) -> float:
    """Of the skin around a body that lies on a plane, how much the film pulls at."""
    gap = radius * (1 - np.cos(np.linspace(0, np.pi, 721)))
    return float(np.clip(1 - gap / reach, 0, 1).mean())
