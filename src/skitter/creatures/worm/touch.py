"""How a worm meets others: capsules along its midline, and how its step answers to forces there.

A capsule moves as the piece of the body around it does, taken as rigid: with weights h_i of its
nodes, of sum 1, c their centre and d_i = x_i - c,

    V = sum h_i v_i ,   w = I^-1 sum h_i d_i x v_i ,   I = sum h_i (|d_i|² - d_i d_i^T) ,

and a point r from the centre has the velocity V + w x r. An impulse p there becomes the forces

    f_i = h_i (p + (I^-1 (r x p)) x d_i) / h

of a step of h seconds: the transpose of the same map, so that force and torque are exactly those of
p at its point. A step of backward Euler changes the angular momentum by sum x_i(start) x h f_i,
therefore d_i are those of the start of the step.

A body of a milligram in a viscous medium does not answer to a push by its mass but by drag,
friction and stiffness, so the response is that of the implicit step, J A^-1 J^T / h² with its
matrix A (`Stepper.respond`), and the velocity that of the step which nobody disturbs. Friction of
the ground gives way where it is exceeded, which one matrix does not say: with the impulses of a
first solution the step is linearised again at where it then ends, and so on (Newton's method for
body and contacts together). The last such end is where the step ends.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from skitter.creatures.worm.body import STATIONS, Body, find_nearest
from skitter.meeting.shapes import (
    AXES,
    CENTRE,
    FRICTION,
    HALF,
    PART,
    RADIUS,
    VELOCITY,
    Shapes,
    allocate_shapes,
)

LENGTH = 1.6  # radii of the body that a capsule is long, about
COUNTS = (8, 12, 16, 24, 48)  # capsules of a worm: those that stations divide into
TAPER = 0.06  # of the radius that the body changes by along a capsule, beyond which it is divided
SAMPLES = 5  # places along a capsule at which its radius is looked at
OVERLAP = 0.75  # lengths of a capsule that the piece which moves it reaches from its middle


@dataclass(frozen=True, eq=False)
class Capsules:
    """The capsules of a body; none of it changes."""

    station: np.ndarray  # [capsule + 1] of the midline, where they end
    cut: np.ndarray  # [capsule, 2] of its length, taken off where the body ends
    node: tuple[np.ndarray, ...]  # [n] of each: the nodes that it moves with
    weight: tuple[np.ndarray, ...]  # [n] of each: of sum 1
    shapes: Shapes  # to be placed

    @property
    def count(self) -> int:
        return len(self.node)


class Piece(NamedTuple):
    """The piece of the body around a capsule, at the start of a step."""

    centre: np.ndarray  # [3] cm
    arm: np.ndarray  # [n, 3] cm, from there to the nodes
    inverse: np.ndarray  # [3, 3] 1/cm², I^-1


def build_capsules(body: Body, friction: float) -> Capsules:
    """Capsules along a body at rest, as thick as it is there."""
    station = divide_body(body)
    ends = body.mesh.nodes[:, 0].max() - body.length * station / (STATIONS - 1)
    count, length = len(station) - 1, -np.diff(ends)
    shapes = allocate_shapes(count)
    shapes.tag[:, PART] = np.arange(count)
    shapes.row[:, FRICTION] = friction
    shapes.row[:, RADIUS] = measure_radius(body, ends)
    # the round ends of the first and the last end where the body does
    cut = np.zeros((count, 2))
    cut[0, 0] = min(shapes.row[0, RADIUS] / length[0], 1.0)
    cut[-1, 1] = min(shapes.row[-1, RADIUS] / length[-1], 1.0)
    near = weigh_pieces(body, (ends[1:] + ends[:-1]) / 2, length)
    rows = [near.getrow(k) for k in range(count)]
    node, weight = tuple(row.indices for row in rows), tuple(row.data for row in rows)
    return Capsules(station, cut, node, weight, shapes)


def divide_body(body: Body) -> np.ndarray:
    """Stations at which capsules end: all of them where the body tapers."""
    slender = body.length / (LENGTH * body.radius)
    count = next((n for n in COUNTS if n >= slender), COUNTS[-1])
    step = (STATIONS - 1) // count
    every = body.mesh.nodes[:, 0].max() - body.length * np.linspace(0, 1, STATIONS)
    radius = measure_radius(body, every)  # between one station and the next
    station = [0]
    for first in range(0, STATIONS - 1, step):
        is_tapered = np.ptp(radius[first : first + step]) > TAPER * body.radius
        station += range(first + 1, first + step) if is_tapered else ()
        station.append(first + step)
    return np.array(station)


def measure_radius(body: Body, ends: np.ndarray) -> np.ndarray:
    """Mean radius between places along the body at rest [capsule], cm."""
    skin, middle = body.mesh.nodes[body.surface], body.find_midline(body.mesh.nodes)
    off = np.linalg.norm((skin - middle[find_nearest(skin[:, 0], middle[:, 0])])[:, 1:], axis=1)
    # the largest of each slice, or of what takes its place in a mesh without slices
    slices = np.unique(np.round(skin[:, 0], 9))
    window = max(body.length / (2 * STATIONS), np.diff(slices).max() / 2)
    places = slices if len(slices) < 2 * STATIONS else np.linspace(slices[0], slices[-1], STATIONS)
    reach = 1e-6 * body.length if places is slices else window
    near = np.abs(skin[:, 0] - places[:, None]) <= reach
    outline = np.where(near, off, 0.0).max(axis=1)
    share = (np.arange(SAMPLES) + 0.5) / SAMPLES
    at = ends[:-1, None] + share * np.diff(ends)[:, None]
    return np.asarray(np.interp(at, places, outline).mean(axis=1))


def weigh_pieces(body: Body, middle: np.ndarray, length: np.ndarray) -> csr_matrix:
    """Weights of the nodes around each capsule's middle [capsule, node], of sum 1."""
    x = body.mesh.nodes[:, 0]
    reach = np.maximum(OVERLAP * length, 1.5 * np.diff(np.unique(x)).max())[:, None]
    hat = np.clip(1 - np.abs(x - middle[:, None]) / reach, 0, None) * body.mass
    return csr_matrix(hat / hat.sum(axis=1, keepdims=True))


def place_capsules(capsules: Capsules, midline: np.ndarray, speed: np.ndarray) -> None:
    """Bring the shapes to a midline [STATIONS, 3] that moves so [STATIONS, 3]."""
    row, cut = capsules.shapes.row, capsules.cut
    ends, speeds = midline[capsules.station], speed[capsules.station]
    way = np.diff(ends, axis=0)
    first, last = ends[:-1] + cut[:, :1] * way, ends[1:] - cut[:, 1:] * way
    axis = way / np.linalg.norm(way, axis=1, keepdims=True)
    # any two directions at right angles to it
    least = np.eye(3)[np.abs(axis).argmin(axis=1)]
    side = np.cross(axis, least)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    row[:, CENTRE : CENTRE + 3] = (first + last) / 2
    row[:, AXES : AXES + 9] = np.stack([axis, side, np.cross(axis, side)], axis=2).reshape(-1, 9)
    row[:, HALF] = np.maximum(np.einsum("ki,ki->k", last - first, axis), 0.0) / 2
    row[:, VELOCITY : VELOCITY + 3] = (speeds[:-1] + speeds[1:]) / 2


def cut_piece(capsules: Capsules, k: int, x: np.ndarray) -> Piece:
    """The piece of a body in shape x [node, 3] that moves capsule k."""
    at, weight = x[capsules.node[k]], capsules.weight[k]
    centre = weight @ at
    arm = at - centre
    spread = (weight * arm.T) @ arm
    return Piece(centre, arm, np.linalg.inv(np.trace(spread) * np.eye(3) - spread))


def turn_matrix(r: np.ndarray) -> np.ndarray:
    """[r]x, the matrix of the cross product with r from the left [3, 3]."""
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


class Reply:
    """How the touched capsules of a worm answer within a step from `start` to near `end`.

    `lack` is what is missing to the end of the step with nobody pushing, `shift` what unit forces
    and torques on the pieces add, both linearised at `end`.
    """

    def __init__(
        self, capsules: Capsules, part: np.ndarray, start: np.ndarray, end: np.ndarray, h: float
    ):
        self.capsules, self.h, self.start, self.end = capsules, h, start, end
        self.passes = 0  # linearisations so far
        self.parts = [int(k) for k in np.unique(part)]
        self.pieces = {k: cut_piece(capsules, k, start) for k in self.parts}
        self.force = self._spread(
            len(start)
        )  # [6 piece, node, 3] of a unit force or torque on each
        self.shift = np.zeros_like(self.force)  # [6 piece, node, 3] cm
        self.lack = np.zeros_like(start)  # [node, 3] cm

    def _spread(self, nodes: int) -> np.ndarray:
        force = np.zeros((6 * len(self.parts), nodes, 3))
        for k, one in enumerate(self.parts):
            node, weight = self.capsules.node[one], self.capsules.weight[one]
            piece = self.pieces[one]
            for axis, unit in enumerate(np.eye(3)):
                turn = np.cross(piece.inverse @ unit, piece.arm)
                force[6 * k + axis][node] = weight[:, None] * unit
                force[6 * k + 3 + axis][node] = weight[:, None] * turn
        return force

    def _reach(self, part: np.ndarray, point: np.ndarray) -> np.ndarray:
        """From the motion of all touched pieces to the velocity of points [3 point, 6 piece]."""
        reach = np.zeros((len(part), 3, 6 * len(self.parts)))
        for i, (one, at) in enumerate(zip(part, point, strict=True)):
            k = 6 * self.parts.index(int(one))
            reach[i, :, k : k + 3] = np.eye(3)
            reach[i, :, k + 3 : k + 6] = -turn_matrix(at - self.pieces[int(one)].centre)
        return reach.reshape(3 * len(part), -1)

    def answer(self, part: np.ndarray, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Velocities of points [3 point] in the step, and how they answer to impulses at each
        other [3 point, 3 point]."""
        reach, many = self._reach(part, point), len(self.force)
        force, shift = self.force.reshape(many, -1), self.shift.reshape(many, -1)
        moved = self.end + self.lack - self.start
        mobility = force @ shift.T / self.h**2
        mobility = (mobility + mobility.T) / 2
        return reach @ (force @ moved.reshape(-1)) / self.h, reach @ mobility @ reach.T

    def reach_end(self, part: np.ndarray, point: np.ndarray, impulse: np.ndarray) -> np.ndarray:
        """Where the step ends [node, 3], with impulses at points [point, 3], g cm/s."""
        given = self._reach(part, point).T @ impulse.reshape(-1) / self.h
        return self.end + self.lack + np.einsum("m,mni->ni", given, self.shift)
