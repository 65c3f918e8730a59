"""A block whose nodes are scrambled, flattened or turned inside out returns to its rest shape."""

import numpy as np
import pytest

from bodies import NO_TERRAIN, jelly
from skitter.creatures.measures import compute_momentum
from skitter.elastic.block import build_topology


def scramble(nodes, rng):
    return rng.uniform(nodes.min(), nodes.max(), nodes.shape)


def flatten(nodes, rng):
    return nodes * [1, 0, 1]


def squash_to_a_line(nodes, rng):
    return nodes * [1, 0, 0]


def collapse(nodes, rng):
    return nodes * 1e-6


def turn_inside_out(nodes, rng):
    return nodes * [-1, 1, 1]


def shape_error(figure):
    """Largest difference of an edge length from rest, as a share of the block's size."""
    rest, now = figure.plan.soft[0].nodes, figure.node_position.astype(float)
    pairs = [np.linalg.norm(x[:, None] - x[None], axis=-1) for x in (rest, now)]
    return np.abs(pairs[0] - pairs[1]).max()


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("cells", [(1, 1, 1), (2, 2, 2), (4, 4, 4)])
@pytest.mark.parametrize("ruin", [scramble, flatten, squash_to_a_line, collapse, turn_inside_out])
def test_block_recovers(ruin, cells, real):
    for seed in range(8 if ruin is scramble else 1):
        figure = jelly(cells=cells, real=real)
        nodes = ruin(figure.plan.soft[0].nodes, np.random.default_rng(seed))
        figure.write_nodes(figure.soft_state.position, 0, nodes)
        for _ in range(200):
            figure.advance(50, NO_TERRAIN)
        assert shape_error(figure) < 0.01
        assert signed_volume(figure) == pytest.approx(1.0, rel=0.02)  # not its mirror image


def signed_volume(figure):
    corners = figure.node_position.astype(float)[build_topology(figure.plan.soft[0].cells).tets]
    return np.linalg.det(corners[:, 1:] - corners[:, :1]).sum() / 6


def test_momentum_is_kept_while_untangling():
    figure = jelly(cells=(2, 2, 2), spin_deg=(0, 90, 30), velocity=(1, 2, 3))
    nodes = figure.plan.soft[0].nodes
    rng = np.random.default_rng(0)
    figure.write_nodes(figure.soft_state.position, 0, scramble(nodes, rng))
    linear, angular = compute_momentum(figure)
    figure.advance(50, NO_TERRAIN)
    assert figure.soft_state.tangled[0] == 1
    for _ in range(100):
        figure.advance(50, NO_TERRAIN)
    assert figure.soft_state.tangled[0] == 0
    after = compute_momentum(figure)
    assert after[0] == pytest.approx(linear, rel=1e-9)
    assert after[1] == pytest.approx(angular, rel=1e-6, abs=1e-6)
