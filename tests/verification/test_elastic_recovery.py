"""A block whose nodes are scrambled, flattened or turned inside out returns to its rest shape."""

import numpy as np
import pytest
from bodies import NO_TERRAIN, jelly

from skitter.elastic.block import build_topology


def scramble(nodes, rng):
    return rng.uniform(nodes.min(), nodes.max(), nodes.shape)


def flatten(nodes, rng):
    return nodes * [1, 0, 1]


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
@pytest.mark.parametrize("ruin", [scramble, flatten, collapse, turn_inside_out])
def test_block_recovers(ruin, real):
    figure = jelly(cells=(2, 2, 2), real=real)
    nodes = ruin(figure.plan.soft[0].nodes, np.random.default_rng(3))
    figure.write_nodes(figure.soft_state.position, 0, nodes)
    figure.advance(12000, NO_TERRAIN)
    assert shape_error(figure) < 0.01
    assert signed_volume(figure) == pytest.approx(1.0, rel=0.02)  # not its mirror image


def signed_volume(figure):
    corners = figure.node_position.astype(float)[build_topology((2, 2, 2)).tets]
    return np.linalg.det(corners[:, 1:] - corners[:, :1]).sum() / 6
