"""What a worm's elements and steps do to beams and bodies in fall, against closed forms."""

from dataclasses import dataclass
from math import pi

import numpy as np
import pytest
from scipy.integrate import solve_bvp

from bodies import NO_TERRAIN
from skitter.creatures.worm.body import assemble, build_grip
from skitter.creatures.worm.step import Outside, Stepper, build_motion
from skitter.elastic.banded import BandedSystem, add_diagonal, share_tets
from skitter.elastic.block import (
    CELL_TETS,
    build_nodes,
    build_topology,
    compute_lame,
    compute_node_masses,
)
from skitter.elastic.stvk import ROW, WORK, add_tangent, build_elements, compute_forces
from skitter.rotation import matrix_from_turn
from skitter.species.worm import WormSpec

# No lateral contraction: a clamp that hinders it stiffens a real beam, which the formulae ignore.
YOUNG, DENSITY, LENGTH = 1.1e6, 1.05, 0.1
# end load P L² / EI: how far the end goes across and how much nearer it comes, of the length
ELASTICA = {
    0.5: (0.162144, 0.015919),
    1.0: (0.301721, 0.056433),
    2.0: (0.493457, 0.160642),
    5.0: (0.713792, 0.387628),
    10.0: (0.810609, 0.554996),
}


@dataclass
class Beam:
    """A beam along x, held at its start, of `fine` cells up and two across.

    It is wider than high: a narrow one would yield to the side. Cells are mirror images of each
    other, so that nothing else makes it go there.
    """

    fine: int
    slender: float  # length by height

    def __post_init__(self):
        self.height = LENGTH / self.slender
        width, cells = 1.5 * self.height, (round(self.slender / 2) * self.fine, self.fine, 2)
        self.tets = mirror_cells(cells)
        self.nodes = build_nodes(cells, np.array((LENGTH, self.height, width)))
        self.nodes[:, 0] += LENGTH / 2
        self.held = self.nodes[:, 0] < 1e-9 * LENGTH
        self.end = self.nodes[:, 0] > (1 - 1e-9) * LENGTH
        self.moment, self.area = width * self.height**3 / 12, width * self.height
        self.share = self.share_end()
        reach = int(np.ptp(self.tets, axis=1).max())
        self.system = BandedSystem(len(self.nodes), reach)
        self.elements = self.build_elements()

    def build_elements(self):
        parts = self.system.parts
        mu, lam = (np.full(len(self.tets), value) for value in compute_lame(YOUNG, 0.0))
        return [
            build_elements(
                self.nodes, self.tets[w], mu[w], lam[w], first=part.first, sign=part.sign
            )
            for part, w in zip(parts, share_tets(self.tets, parts), strict=True)
        ]

    def share_end(self):
        """How much of a load on the end each node takes [node]: by the area that it stands for."""
        share = np.ones(len(self.nodes)) * self.end
        for axis in (1, 2):
            edge = np.abs(np.abs(self.nodes[:, axis]) - np.abs(self.nodes[:, axis]).max()) < 1e-9
            share[edge] /= 2
        return share / share.sum()

    def find_rest(self, x, load):
        """What is out of balance [node, 3]."""
        left = load + sum(compute_forces(one, x) for one in self.elements)
        left[self.held] = 0.0
        return left

    def solve(self, load, start=None, most=40):
        """Where the nodes are under a load [node, 3], by Newton's method with the exact tangent."""
        x = self.nodes.copy() if start is None else start.copy()
        left = self.find_rest(x, load)
        for _ in range(most):
            self.factor(x)
            change = self.system.solve(left)
            x = x + change
            left = self.find_rest(x, load)
            if np.abs(change).max() < 1e-9 * LENGTH:
                return x
        raise AssertionError("Newton's method does not converge")

    def factor(self, x):
        for part, one in zip(self.system.parts, self.elements, strict=True):
            part.band[:] = 0.0
            groups = len(one.volume)
            none = np.zeros((groups, ROW)), np.zeros((groups, 6 * ROW))
            add_tangent(one, x, *none, 0.0, False, np.zeros(WORK), part.band)
            count = part.count if part.owner else part.inner
            add_diagonal(part.pick(self.held * 1e9 * YOUNG * LENGTH)[:count], part.band)
        self.system.factor()

    def find_end(self, x):
        return self.share @ (x - self.nodes)


def mirror_cells(cells: tuple[int, int, int]) -> np.ndarray:
    """Tetrahedra [tet, 4] of a block; those of every other cell are mirrored, along each axis."""
    odd = np.stack(np.meshgrid(*(np.arange(n) % 2 for n in cells), indexing="ij"), -1)
    flips = odd.reshape(-1, 3) @ (4, 2, 1)
    corners = CELL_TETS[None] ^ flips[:, None, None]
    return np.take_along_axis(
        build_topology(cells).cell_nodes, corners.reshape(len(flips), -1), axis=1
    ).reshape(-1, 4)


def bend(beam: Beam, load: float) -> np.ndarray:
    """Nodes on the elastica: only where to start from, what comes out is the beam's own."""
    s = np.linspace(0, 1, 101)

    def slope(_, y):
        return np.array([y[1], -load * np.cos(y[0])])

    found = solve_bvp(slope, lambda a, b: np.array([a[0], b[1]]), s, np.vstack([s, 1 - s]))
    at = np.linspace(0, 1, 2001)
    angle = found.sol(at)[0]
    steps = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    middle = np.concatenate([[[0, 0]], np.cumsum((steps[1:] + steps[:-1]) / 4000, axis=0)])
    along, up = beam.nodes[:, 0] / LENGTH, beam.nodes[:, 1]
    turn = np.interp(along, at, angle)
    x = beam.nodes.copy()
    x[:, 0] = LENGTH * np.interp(along, at, middle[:, 0]) - up * np.sin(turn)
    x[:, 1] = LENGTH * np.interp(along, at, middle[:, 1]) + up * np.cos(turn)
    return x


def find_order(errors, ratio=2.0) -> float:
    return float(np.log(abs(errors[0] / errors[1])) / np.log(ratio))


def extrapolate(values):
    """From two meshes, the finer last, that converge with the square of the size."""
    return values[1] + (values[1] - values[0]) / 3


@pytest.mark.parametrize("load", ELASTICA)
def test_beam_approaches_the_elastica(load):
    ends = []
    for fine in (4, 8, 16):
        beam = Beam(fine, 40)
        force = load * YOUNG * beam.moment / LENGTH**2
        pull = np.zeros_like(beam.nodes)
        pull[:, 1] = force * beam.share
        x = beam.solve(pull, bend(beam, load))
        ends.append(beam.find_end(x) / LENGTH)
    (away, across, aside), (wanted_across, wanted_nearer) = np.array(ends).T, ELASTICA[load]
    nearer = -away
    assert np.abs(aside).max() < 1e-12
    assert extrapolate(across[1:]) == pytest.approx(wanted_across, rel=2e-3)
    assert extrapolate(nearer[1:]) == pytest.approx(wanted_nearer, rel=7e-3)
    errors = np.array([across - wanted_across, nearer - wanted_nearer])
    assert (errors < 0).all()  # linear tetrahedra are too stiff
    for error in errors:
        assert find_order(error[:2]) > 1.3
        assert find_order(error[1:]) > 1.6


@pytest.mark.parametrize("slender", [6, 12])
def test_small_loads_bend_and_shear_a_beam(slender):
    """By an end load P L³ / 3 E I + P L / k G A, by weight w L⁴ / 8 E I + w L² / 2 k G A."""
    ends, sags = [], []
    for fine in (8, 16):
        beam = Beam(fine, slender)
        bending, shear = YOUNG * beam.moment, 5 / 6 * YOUNG / 2 * beam.area
        pull, weight = np.zeros_like(beam.nodes), np.zeros_like(beam.nodes)
        load = 1e-4 * bending / LENGTH**2
        pull[:, 1] = load * beam.share
        end = beam.find_end(beam.solve(pull))[1]
        ends.append(end / (load * LENGTH**3 / (3 * bending) + load * LENGTH / shear))
        volumes = np.abs(np.linalg.det(np.diff(beam.nodes[beam.tets], axis=1))) / 6
        mass = compute_node_masses(volumes, beam.tets, len(beam.nodes), DENSITY)
        gravity = load / (DENSITY * beam.area * LENGTH)
        weight[:, 1] = -gravity * mass
        sag, w = beam.find_end(beam.solve(weight))[1], DENSITY * beam.area * gravity
        sags.append(-sag / (w * LENGTH**4 / (8 * bending) + w * LENGTH**2 / (2 * shear)))
    for found in (ends, sags):
        assert found[0] < found[1] < 1
        assert extrapolate(found) == pytest.approx(1, abs=4e-3)


# --- a body that nothing holds -------------------------------------------------------------------


def build_worm(**changes):
    """Its body, and what steps it."""
    body = {"slabs": 16, "around": 8} | changes.pop("body", {})
    tree = {"kind": "worm", "title": "t", "body": body, "grip": {"film": 0.0}, **changes}
    spec = WormSpec.model_validate(tree)
    worm = assemble(spec)
    return worm, Stepper(worm, build_grip(spec, worm), spec.damping)


def fall(stepper, motion, steps, h, *, weight=981.0, along=0.0, across=0.0):
    """Speeds after each step [step, 3]: of the centre of mass, and of the middle of the length.

    A body that is thicker in front turns as it falls through a medium. The drag, so much for each
    cm, is then that of the speed of the middle.
    """
    body, found = stepper.body, []
    for _ in range(steps):
        outside = Outside(weight, None, along, across)
        stepper.advance(motion, h, NO_TERRAIN.arrays, outside)
        middle = body.share @ motion.v[body.surface] / body.share.sum()
        found.append((body.mass @ motion.v / body.mass.sum(), middle))
    return np.array(found).transpose(1, 0, 2)


@pytest.mark.parametrize(("h", "weight"), [(0.02, 2.0), (0.001, 981.0)])
def test_free_fall_is_that_of_backward_euler(h, weight):
    """v = n h g, and the way g h² n (n + 1) / 2; the body keeps its shape.

    To the round-off of a matrix whose stiffness is 1e9 times a mass by h².
    """
    worm, stepper = build_worm()
    motion = build_motion(worm, worm.mesh.nodes, np.zeros_like(worm.mesh.nodes))
    n = np.arange(1, 13)
    found, _ = fall(stepper, motion, len(n), h, weight=weight)
    np.testing.assert_allclose(found[:, 1], -n * h * weight, rtol=1e-7)
    assert np.abs(found[:, [0, 2]]).max() < 1e-7 * h * weight
    way = weight * h**2 * 12 * 13 / 2
    np.testing.assert_allclose(motion.x[:, 1] - worm.mesh.nodes[:, 1], -way, rtol=1e-7)
    assert np.abs(motion.x - worm.mesh.nodes)[:, [0, 2]].max() < 1e-7 * way


def test_fast_fall_has_the_right_speed_however_steps_are_divided():
    worm, stepper = build_worm()
    motion = build_motion(worm, worm.mesh.nodes, np.zeros_like(worm.mesh.nodes))
    found, _ = fall(stepper, motion, 3, 0.02)
    np.testing.assert_allclose(found[:, 1], -np.arange(1, 4) * 0.02 * 981.0, rtol=1e-7)
    way = (worm.mesh.nodes - motion.x)[:, 1] / (981.0 * 0.02**2)
    assert (way > 9 / 2 - 1e-6).all() and (way < 6 + 1e-6).all()  # t² / 2 and n (n + 1) / 2
    assert np.ptp(way) < 1e-6


def test_free_flight_keeps_momentum_and_comes_to_rest_in_itself():
    worm, stepper = build_worm()
    rng = np.random.default_rng(0)
    v = rng.normal(size=worm.mesh.nodes.shape) + np.array((3.0, -2.0, 1.0))
    motion = build_motion(worm, worm.mesh.nodes, v)
    before = worm.mass @ v / worm.mass.sum()
    found, _ = fall(stepper, motion, 20, 0.02, weight=0.0)
    np.testing.assert_allclose(found, np.broadcast_to(before, found.shape), rtol=1e-7)
    inner = motion.v - found[-1]
    assert np.abs(inner).max() < 0.05 * np.abs(v - before).max()


SPEED_CASES = {  # turn_deg: the body's direction and how it falls
    "head up": ((0.0, 0.0, 90.0), "along"),
    "head down": ((0.0, 0.0, -90.0), "along"),
    "lying": ((0.0, 0.0, 0.0), "across"),
    "lying on its back": ((90.0, 37.0, 0.0), "across"),
}


@pytest.mark.parametrize("case", SPEED_CASES)
def test_terminal_speed(case):
    """Weight by drag: each cm of the body has the drag of the medium, along or across.

    The weight is a small part of the real one, lest the body bends as it falls.
    """
    turn, way = SPEED_CASES[case]
    drag, weight = {"along": 0.033, "across": 0.052}, 0.1
    worm, stepper = build_worm()
    x = worm.mesh.nodes @ matrix_from_turn(turn).T
    motion = build_motion(worm, x, np.zeros_like(x))
    _, found = fall(stepper, motion, 30, 0.02, weight=weight, **drag)
    wanted = weight * worm.mass.sum() / (drag[way] * 0.1)
    assert -found[-1, 1] == pytest.approx(wanted, rel=1e-5)
    assert np.abs(found[-1, [0, 2]]).max() < 1e-4 * wanted  # it has turned a little


def test_speed_on_the_way_to_the_terminal_one():
    """v' = g - (D L / m) v by backward Euler: v_n = v_inf (1 - (1 + h / t)^-n)."""
    worm, stepper = build_worm()
    x = worm.mesh.nodes @ matrix_from_turn((0.0, 0.0, 90.0)).T
    motion = build_motion(worm, x, np.zeros_like(x))
    h, n = 2e-4, np.arange(1, 31)
    found, _ = fall(stepper, motion, len(n), h, weight=0.1, along=0.033, across=0.052)
    last = worm.mass.sum() / (0.033 * 0.1)  # t, s
    wanted = 0.1 * last * (1 - (1 + h / last) ** -n)
    np.testing.assert_allclose(-found[:, 1], wanted, rtol=5e-3)


def test_oblique_body_drifts_towards_its_axis():
    """At 45 degrees each part of the weight has a drag of its own."""
    worm, stepper = build_worm()
    x = worm.mesh.nodes @ matrix_from_turn((0.0, 0.0, -45.0)).T  # head forward and down
    motion = build_motion(worm, x, np.zeros_like(x))
    found = fall(stepper, motion, 20, 0.02, weight=0.1, along=0.033, across=0.052)[1, -1]
    part = 0.1 * worm.mass.sum() * np.sqrt(0.5) / 0.1
    along, across = part / 0.033, part / 0.052
    wanted = np.sqrt(0.5) * np.array([along - across, -along - across, 0.0])
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5 * along)


def test_body_weighs_what_its_volume_does():
    """Lumped masses: all of the density times the volume; the centre is that of the volume."""
    worm, _ = build_worm(density=1.2)
    volumes = worm.mesh.volumes
    assert worm.mass.sum() == pytest.approx(1.2 * volumes.sum(), rel=1e-12)
    centres = worm.mesh.nodes[worm.mesh.tets].mean(axis=1)
    wanted = volumes @ centres / volumes.sum()
    np.testing.assert_allclose(worm.mass @ worm.mesh.nodes / worm.mass.sum(), wanted, atol=1e-12)
    assert 0.4 < volumes.sum() / (pi * 0.004**2 * 0.1) < 1.0
    assert worm.share.sum() == pytest.approx(0.1, rel=1e-12)
