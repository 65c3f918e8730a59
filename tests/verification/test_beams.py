"""Beams made of soft blocks approach the closed forms of beam theory as the mesh is refined."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix, diags
from scipy.sparse.linalg import eigsh, spsolve

from bodies import NO_TERRAIN, jelly
from skitter.bench.elastic import lane_arguments
from skitter.compiled import LANES
from skitter.elastic.tets import update_elastic_forces

# No lateral contraction: a clamp that hinders it stiffens a real beam, which the formula ignores.
YOUNG, POISSON, LENGTH, SIDE = 4000.0, 0.0, 8.0, 1.0
AREA, MOMENT = SIDE**2, SIDE**4 / 12
SHEAR = YOUNG / (2 * (1 + POISSON))
MESHES = [(16, 2, 2), (32, 4, 4), (64, 8, 8)]


def beam(cells, **options):
    material = {"young": YOUNG, "poisson": POISSON, "damping": 0.0}
    return jelly((LENGTH, SIDE, SIDE), cells, material=material, **options)


def nodal_forces(figure, nodes):
    figure.write_nodes(figure.soft_state.position, 0, nodes)
    for _ in range(3):
        update_elastic_forces(*lane_arguments(figure))
    return figure.read_nodes(figure.soft_scratch.force)


def stiffness(figure, cells):
    """K = -df/dx at rest by central differences; nodes three apart do not share an element, so one
    evaluation gives the columns of many of them."""
    nodes = figure.plan.soft[0].nodes
    index = np.stack(np.meshgrid(*(np.arange(n + 1) for n in cells), indexing="ij"), -1).reshape(
        -1, 3
    )
    number = {tuple(i): n for n, i in enumerate(index)}
    rows, columns, values = [], [], []
    step = 1e-4
    for colour in np.ndindex(3, 3, 3):
        moved = np.flatnonzero((index % 3 == colour).all(axis=1))
        for axis in range(3):
            change = np.zeros_like(nodes)
            change[moved, axis] = step
            slope = -(
                nodal_forces(figure, nodes + change) - nodal_forces(figure, nodes - change)
            ) / (2 * step)
            for node in moved:
                around = [
                    number.get(tuple(index[node] + d))
                    for d in np.array(list(np.ndindex(3, 3, 3))) - 1
                ]
                for other in [n for n in around if n is not None]:
                    rows += [3 * other, 3 * other + 1, 3 * other + 2]
                    columns += [3 * node + axis] * 3
                    values += slope[other].tolist()
    matrix = coo_matrix((values, (rows, columns)), shape=(nodes.size, nodes.size)).tocsc()
    return (matrix + matrix.T) / 2


def masses(figure):
    return figure.soft.mass.reshape(-1, LANES)[:, 0].astype(float)


def tip_deflection(cells):
    """Deflection of a clamped beam under a unit load spread over its end face."""
    figure = beam(cells)
    nodes = figure.plan.soft[0].nodes
    end = np.flatnonzero(nodes[:, 0] > LENGTH / 2 - 1e-9)
    load = np.zeros_like(nodes)
    share = masses(figure)[end] / masses(figure)[end].sum()
    load[end, 1] = share
    free = np.repeat(nodes[:, 0] > -LENGTH / 2 + 1e-9, 3)
    matrix = stiffness(figure, cells)[free][:, free]
    solution = np.zeros(nodes.size)
    solution[free] = spsolve(matrix, load.ravel()[free])
    return float(share @ solution.reshape(-1, 3)[end, 1])


def extrapolate(coarse, fine):
    """The limit of a value whose error falls by four when the mesh is halved."""
    return fine - (coarse - fine) / 3


def test_cantilever_converges_to_the_beam_formula():
    """Linear tetrahedra are too stiff in bending; the excess falls with the square of the mesh."""
    expected = LENGTH**3 / (3 * YOUNG * MOMENT) + LENGTH / (5 / 6 * SHEAR * AREA)
    excess = [expected / tip_deflection(cells) - 1 for cells in MESHES]
    assert excess[0] > 3.3 * excess[1] > 3.3**2 * excess[2] > 0
    assert excess[2] < 0.1
    assert abs(extrapolate(excess[1], excess[2])) < 0.01


def free_frequencies(cells, count=16):
    figure = beam(cells)
    mass = diags(np.repeat(masses(figure), 3))
    shifted = eigsh(stiffness(figure, cells), count, mass.tocsc(), sigma=-1.0, which="LM")[0]
    return np.sqrt(np.maximum(np.sort(shifted), 0)) / (2 * np.pi)


def timoshenko_factor(beta):
    """How much shear and rotary inertia lower a bending frequency, to first order."""
    slenderness = MOMENT / (AREA * LENGTH**2)
    return 1 / np.sqrt(1 + beta**2 * slenderness * (1 + YOUNG / (5 / 6 * SHEAR)))


def test_free_vibration_converges_to_the_beam_frequencies():
    """Six rigid modes at zero, then pairs of bending modes (the section is square) at the free-free
    frequencies (beta L)^2 = 22.373, 61.673 (ground truth: 4.730041, 7.853205)."""
    unit = np.sqrt(YOUNG * MOMENT / AREA) / (2 * np.pi * LENGTH**2)
    found = [free_frequencies(cells) for cells in MESHES]
    for frequencies in found:  # differences leave 1e-4 of the stiffness as noise
        assert (frequencies[:6].max() / frequencies[6]) ** 2 < 1e-4
    first = 4.730041**2 * unit * timoshenko_factor(4.730041)
    for mode in (6, 7):
        excess = [f[mode] / first - 1 for f in found]
        assert excess[0] > 3.0 * excess[1] > 3.0**2 * excess[2] > 0
        assert abs(extrapolate(excess[1], excess[2])) < 0.01
    axial = np.sqrt(YOUNG) / (2 * LENGTH)  # first axial mode, f = c / 2L
    assert np.abs(found[2] / axial - 1).min() < 0.01


def test_running_simulation_vibrates_at_the_modal_frequency():
    """A stretched and released block swings axially at c / 2L, by its own clock."""
    figure = beam((20, 2, 2))
    nodes = figure.plan.soft[0].nodes
    swing = nodes + 1e-4 * np.sin(np.pi * nodes[:, :1] / LENGTH) * [1, 0, 0]
    figure.write_nodes(figure.soft_state.position, 0, swing)
    ends = []
    for _ in range(900):
        figure.advance(3, NO_TERRAIN)
        ends.append(np.ptp(figure.node_position[:, 0]) - LENGTH)
    crossings = np.flatnonzero(np.diff(np.sign(ends)) != 0)
    period = 2 * np.diff(crossings).mean() * 3 / 3000
    assert period == pytest.approx(2 * LENGTH / np.sqrt(YOUNG), rel=0.01)
