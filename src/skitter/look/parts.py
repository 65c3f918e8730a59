"""A creature as instances: few meshes, each drawn at many places and in many sizes.

A viewer that moves instances sends a handful of numbers per part and frame instead of all points.
The meshes are those that pictures show. Only the soft blocks between the shells of a myriapod,
mostly hidden, are drawn simpler here: as sleeves that span from shell to shell. The skin of a
swimmer is cut into thin slices, which overlap; its snout and tail do not bend.
"""

import numpy as np
from numpy.typing import NDArray

from skitter.look.carapace import build_shell
from skitter.look.creature import CreatureSurface
from skitter.look.mesh import Mesh, unit_rows
from skitter.look.motion import Pose
from skitter.look.myriapod import Limb
from skitter.look.placing import Part, Places, Source, flatten_places
from skitter.look.rigid import Piece
from skitter.look.slices import Slices, cut_ends
from skitter.look.soft import SoftSurface
from skitter.rotation import matrices_to_quaternions, quaternion_to_matrix

Floats = NDArray[np.floating]
Indices = NDArray[np.integer]
ALIKE = 1e-4  # of its size: shapes that differ less are one shape
SLEEVE_PROFILE = np.array([(0.0, 0.0), (0.0, 0.94), (0.25, 1.0), (0.5, 1.02), (0.75, 1.0)])
SLEEVE_REACH = 0.5  # of its length: how far a sleeve goes on inside the shells
SLEEVE_AROUND = 18
MOST_SHAPES = 5  # of the links of a limb


class Actor:
    """What a viewer draws of a creature: parts, and a skin where blocks are drawn in full.

    A pose may be that of many creatures that look alike, its arrays stacked [creature, …]; their
    instances then follow each other.
    """

    def __init__(self, sources: list[Source], skin: SoftSurface | None) -> None:
        self._sources = sources
        self.parts = [part for source in sources for part in source.parts]
        self.skin = skin

    def place(self, pose: Pose) -> list[Places]:
        """Where a pose has each of the parts."""
        return [places for source in self._sources for places in source.place(pose)]


def build_actor(creature: CreatureSurface) -> Actor:
    """Parts of all that is stiff; soft blocks as sleeves between shells, else as a skin."""
    sources: list[Source] = []
    if creature.rigid is not None:
        groups: dict[tuple[bool, bytes], list[Piece]] = {}
        for piece in creature.rigid.pieces:
            groups.setdefault((piece.leg >= 0, describe_shape(piece)), []).append(piece)
        sources += [Pieces(pieces) for pieces in groups.values()]
    if creature.skin is not None:
        sources += [Pieces([piece]) for piece in cut_ends(creature.skin)]
        sources.append(Slices(creature.skin))
    sources += [Links(limb) for limb in creature.limbs]
    if creature.soft is None or not creature.limbs:
        return Actor(sources, creature.soft)
    rest = creature.motion.rest
    return Actor([*sources, Sleeves(creature.soft, rest, creature.soft_colour)], None)


def describe_shape(piece: Piece) -> bytes:
    """The same for pieces that differ in size and place only."""
    middle, size = measure_box(piece.mesh.points)
    shape = np.round((piece.mesh.points - middle) / size / ALIKE).astype(np.int64)
    colours = np.round(np.broadcast_to(piece.colour, shape.shape) / ALIKE).astype(np.int64)
    return shape.tobytes() + colours.tobytes() + piece.mesh.triangles.tobytes()


def measure_box(points: Floats) -> tuple[Floats, Floats]:
    """Middle and edges of the box around some points; a flat one is given some thickness."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, np.maximum(high - low, 1e-9)


class Pieces:
    """Pieces of one shape and colour, on one or many bodies; all are of legs, or none is."""

    def __init__(self, pieces: list[Piece]) -> None:
        boxes = [measure_box(piece.mesh.points) for piece in pieces]
        self._offset, self._scale = (np.array(column) for column in zip(*boxes, strict=True))
        self._body = np.array([piece.body for piece in pieces])
        mesh = unit_mesh(pieces[0].mesh, *boxes[0])
        colours = np.broadcast_to(pieces[0].colour, mesh.points.shape)
        if pieces[0].leg >= 0:
            legs = np.array([piece.leg for piece in pieces])
            self.parts = [Part("leg", mesh, colours, legs)]
        else:
            self.parts = [Part("body", mesh, colours, self._body)]

    def place(self, pose: Pose) -> list[Places]:
        orientation = pose.body_orientation[..., self._body, :]
        arm = np.einsum("...nij,nj->...ni", quaternion_to_matrix(orientation), self._offset)
        position = pose.body_position[..., self._body, :] + arm
        return [flatten_places(position, orientation, np.broadcast_to(self._scale, position.shape))]


def unit_mesh(mesh: Mesh, middle: Floats, size: Floats) -> Mesh:
    """The mesh in a box of edge one; its normals are right again once it is scaled."""
    normals = mesh.normals * size
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    return Mesh((mesh.points - middle) / size, normals, mesh.triangles)


class Links:
    """Legs or antennae; the first links of all legs are one part, and so on.

    The many links of an antenna are alike: a few shapes serve for all, the nearest for each.
    """

    def __init__(self, limb: Limb) -> None:
        self._limb = limb
        shapes, count = limb.surface.shapes, limb.surface.limb_count
        self._runs = np.array_split(np.arange(len(shapes)), min(len(shapes), MOST_SHAPES))
        kind = "leg" if limb.key == "leg_point" else "antenna"
        chosen = [shapes[run[len(run) // 2]] for run in self._runs]
        owners = [np.tile(np.arange(count), len(run)) for run in self._runs]
        pairs = zip(chosen, owners, strict=True)
        self.parts = [Part(kind, shape.mesh, shape.colours, owner) for shape, owner in pairs]

    def place(self, pose: Pose) -> list[Places]:
        places = self._limb.surface.place(getattr(pose, self._limb.key))
        orientation = matrices_to_quaternions(places.turn)
        return [
            flatten_places(
                *(_gather(one, run) for one in (places.position, orientation, places.scale))
            )
            for run in self._runs
        ]


def _gather(values: Floats, run: Indices) -> Floats:
    """Values [link, …, limb, width] of some links as […, link, limb, width]."""
    return np.moveaxis(values[run], 0, -3)


def _build_sleeve() -> Mesh:
    mirrored = SLEEVE_PROFILE[::-1].copy()
    mirrored[:, 0] = 1 - mirrored[:, 0]
    profile = np.concatenate([SLEEVE_PROFILE, mirrored[1:]])
    return build_shell(np.ones(3), profile, around=SLEEVE_AROUND)


SLEEVE = _build_sleeve()


class Sleeves:
    """The soft blocks between shells, each a tube from one to the next."""

    def __init__(self, skin: SoftSurface, rest: Pose, colour: Floats) -> None:
        """Finds each block's two glued faces, and how wide it is."""
        tuck, block_of = skin.tuck, skin.block
        joined = np.stack([block_of[tuck.node], tuck.body], axis=1)
        pairs, counts = np.unique(joined, axis=0, return_counts=True)
        self.block = np.array([b for b in np.unique(pairs[:, 0]) if (pairs[:, 0] == b).sum() > 1])
        self._body = np.array([_find_ends(pairs, counts, block) for block in self.block], int)
        self._faces = [
            [tuck.node[(joined == (one, body)).all(axis=1)] for body in bodies]
            for one, bodies in zip(self.block, self._body, strict=True)
        ]
        self._mean = np.zeros((len(self.block), 2, len(block_of)))  # of a face, from all nodes
        for number, faces in enumerate(self._faces):
            for end, nodes in enumerate(faces):
                self._mean[number, end, nodes] = 1 / len(nodes)
        self._width = np.array([self._measure(k, rest) for k in range(len(self.block))])
        colours = np.broadcast_to(colour, SLEEVE.points.shape)
        self.parts = [Part("sleeve", SLEEVE, colours, self.block)]

    def _measure(self, k: int, rest: Pose) -> Floats:
        """Height and width of a block, across its length: those of its larger end."""
        turn = quaternion_to_matrix(rest.body_orientation[self._body[k, :1]])[0]
        sizes = [np.ptp(rest.node_position[face] @ turn, axis=0) for face in self._faces[k]]
        return np.asarray(np.max(sizes, axis=0)[1:])

    def place(self, pose: Pose) -> list[Places]:
        ends = np.tensordot(pose.node_position, self._mean, axes=(-2, 2))  # […, xyz, block, end]
        ends = np.moveaxis(ends, -3, -1)
        front, back = ends[..., 0, :], ends[..., 1, :]
        along = front - back
        length = np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-9)
        x = along / length
        backs = quaternion_to_matrix(pose.body_orientation)[..., 1]
        up = backs[..., self._body, :].mean(axis=-2)
        z = unit_rows(np.cross(x, up))
        turn = np.stack([x, np.cross(z, x), z], axis=-1)
        width = np.broadcast_to(self._width, (*length.shape[:-1], 2))
        scale = np.concatenate([(1 + 2 * SLEEVE_REACH) * length, width], axis=-1)
        return [flatten_places((front + back) / 2, matrices_to_quaternions(turn), scale)]


def _find_ends(pairs: Indices, counts: Indices, block: int) -> Indices:
    """The two bodies that a block is glued to, the front one first.

    Those with most nodes: a large body may hold a stray node of a block that is not its own.
    """
    own = pairs[:, 0] == block
    most = np.argsort(-counts[own], kind="stable")[:2]
    return np.sort(pairs[own, 1][most])
