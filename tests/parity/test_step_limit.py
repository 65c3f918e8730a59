"""The estimated limit of the time step against eigenvalues of the assembled stiffness matrix."""

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.sparse.linalg import eigsh

from bodies import NO_TERRAIN, figure
from skitter.creatures.plan import SoftPart, build_plan
from skitter.creatures.stability import (
    check_time_step,
    compute_cell_size,
    estimate_step_limit,
)
from skitter.elastic.block import build_nodes, build_topology
from skitter.errors import SimulationError, UserError
from skitter.scene.load import load_scene
from skitter.species.spec import Material
from skitter.start.step_limit import STABLE, check_step_limit, find_step_limit, measure_growth


def compute_stiffness(nodes, young, poisson):
    """Volume [cm³] and stiffness [12, 12] of a linear elastic tetrahedron, by the textbook."""
    edges = (nodes[1:] - nodes[0]).T
    volume = abs(np.linalg.det(edges)) / 6
    inner = np.linalg.inv(edges)
    gradients = np.vstack([-inner.sum(axis=0), inner])
    strain = np.zeros((6, 12))
    for node, (x, y, z) in enumerate(gradients):
        rows = [[x, 0, 0], [0, y, 0], [0, 0, z], [y, x, 0], [0, z, y], [z, 0, x]]
        strain[:, 3 * node : 3 * node + 3] = rows
    lame, shear = young * poisson / (1 + poisson) / (1 - 2 * poisson), young / 2 / (1 + poisson)
    moduli = np.diag([2 * shear] * 3 + [shear] * 3)
    moduli[:3, :3] += lame
    return volume, volume * strain.T @ moduli @ strain


def compute_step_limit(cells, size, material) -> float:
    """Two over the highest frequency of a free block with lumped masses."""
    nodes, tets = build_nodes(cells, np.array(size)), build_topology(cells).tets
    mass, entries = np.zeros(len(nodes)), []
    for tet in tets:
        volume, stiffness = compute_stiffness(nodes[tet], material.young, material.poisson)
        mass[tet] += material.density * volume / 4
        places = (3 * tet[:, None] + np.arange(3)).ravel()
        entries.append((np.repeat(places, 12), np.tile(places, 12), stiffness.ravel()))
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    scale = sparse.diags(1 / np.sqrt(np.repeat(mass, 3)))
    matrix = scale @ sparse.csr_matrix((values, (rows, columns))) @ scale
    return 2 / np.sqrt(eigsh(matrix, k=1, return_eigenvectors=False)[0])


BLOCKS = [
    ((2, 2, 2), (1.0, 1.0, 1.0)),
    ((4, 4, 4), (1.0, 1.0, 1.0)),
    ((2, 2, 2), (1.0, 0.5, 0.8)),
    ((4, 2, 2), (1.5, 0.5, 0.5)),
    ((4, 4, 4), (0.1, 1.0, 1.0)),
    ((2, 2, 2), (1.0, 0.01, 0.01)),
]


@pytest.mark.parametrize(("cells", "size"), BLOCKS)
@pytest.mark.parametrize("poisson", [0.0, 0.4, 0.49])
def test_estimate_is_near_the_eigenvalue(cells, size, poisson):
    material = Material(young=4000.0, poisson=poisson, density=1.3, damping=0.0)
    estimate = estimate_step_limit(material, np.array(size) / cells)
    assert 0.85 < compute_step_limit(cells, size, material) / estimate < 1.2


def test_damping_lengthens_the_step():
    cell = np.full(3, 0.5)
    free, damped = (estimate_step_limit(Material(damping=gamma), cell) for gamma in (0.0, 500.0))
    assert damped > free


def test_cell_size_is_read_off_a_turned_block():
    cells, size = (4, 3, 2), np.array([1.0, 0.6, 0.5])
    turned = build_nodes(cells, size) @ np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    block = SoftPart("block", cells, turned, None, None)
    assert compute_cell_size(block) == pytest.approx(size / cells)


@pytest.mark.parametrize("name", ["falling_chain", "ceiling_light", "jelly_drop"])
def test_built_in_scenes_are_well_within(name):
    """A step twice as long as the usual one is accepted, and rightly: every block bears it."""
    scene = load_scene(name, overrides=["time_step=1/1500"])
    check_time_step(scene)
    for species in scene.species:
        for block in build_plan(species).soft:
            size = compute_cell_size(block) * block.cells
            assert compute_step_limit(block.cells, size, species.material) > scene.step


def test_too_stiff_a_material_is_refused():
    scene = load_scene("falling_chain", overrides=["creatures.0.with.material.young=1e9"])
    with pytest.raises(UserError, match=r"time_step must be at most .* soft blocks of 'chain'"):
        check_time_step(scene)


def test_too_much_damping_is_refused():
    scene = load_scene("falling_chain", overrides=["creatures.0.with.material.damping=7000"])
    with pytest.raises(UserError, match=r"material.damping of 'chain' must be at most 6000 with"):
        check_time_step(scene)


@pytest.mark.parametrize(("cells", "size"), [*BLOCKS, ((8, 8, 8), (1.0, 1.0, 1.0))])
def test_growth_of_a_free_block_is_that_of_the_textbook(cells, size):
    material = Material(young=4000.0, poisson=0.4, density=1.3, damping=0.0)
    limit = compute_step_limit(cells, size, material)
    block = SoftPart("block", cells, build_nodes(cells, np.array(size)), None, None)
    assert measure_growth(block, material, limit) == pytest.approx(STABLE, rel=1e-3)
    assert measure_growth(block, material, limit / 2) == pytest.approx(STABLE / 4, rel=1e-3)


HELD = [
    {"name": "a", "shape": "box", "size": [0.5, 1, 1], "fixed": True},
    {"name": "b", "shape": "box", "size": [0.5, 1, 1], "parent": "a", "fixed": True,
     "joint": {"length": 1.2, "cells": [4, 2, 3]}},
]  # fmt: skip
FREE = [{"name": "cube", "shape": "jelly", "size": [1, 0.8, 1], "cells": [3, 2, 4]}]


def flies_apart(parts, **options) -> bool:
    """Whether a tremble of the tenth of a micrometre a second grows."""
    body = figure(parts, velocity_noise=1e-5, **options)
    try:
        body.advance(400, NO_TERRAIN)
    except SimulationError:
        return True
    return bool(np.abs(body.node_velocity).max() > 1e-3)


@pytest.mark.parametrize("parts", [HELD, FREE], ids=["held", "free"])
@pytest.mark.parametrize("damping", [0.0, 100.0])
@pytest.mark.parametrize("poisson", [0.0, 0.45])
def test_a_block_trembles_below_the_limit_and_flies_apart_above(parts, damping, poisson):
    """The limit found from the matrices is where the running block changes sides."""
    material = {"young": 4000.0, "poisson": poisson, "density": 1.0, "damping": damping}
    block = figure(parts).plan.soft[0]
    estimate = estimate_step_limit(Material(**material), compute_cell_size(block))
    limit = find_step_limit(block, Material(**material), 1.5 * estimate)
    assert not flies_apart(parts, dt=0.98 * limit, material=material)
    assert flies_apart(parts, dt=1.03 * limit, material=material)


def test_a_step_that_only_the_estimate_lets_through_is_refused():
    change = ["creatures.0.with.material.damping=0", "time_step=1/420"]
    scene = load_scene("falling_chain", overrides=change)
    check_time_step(scene)
    with pytest.raises(UserError, match=r"time_step must be at most 0.00\d+ for the soft block"):
        check_step_limit(scene)
