"""Points inside a body of tets: each moves with the tet that it lies in at rest.

A point is a mean of the four nodes of its tet, weighted by its barycentric coordinates there, so
all points are one sparse matrix times the nodes. Outside of all tets the nearest one is carried
on. From tet to tet such a map has kinks, which show as bands of light on what is long and smooth:
averaged over a short stretch along the body they are gone, and the rest stays as it is, because a
weighted mean of a straight line is on the line.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial import cKDTree

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
CANDIDATES = 32  # tets near a point among which its own is looked for
TAPS = 7  # places along a stretch that are averaged


def embed(points: Floats, rest: Floats, tets: Ints) -> sparse.csr_matrix:
    """The matrix [point, node] that takes nodes to points, given both at rest, cm."""
    corner = rest[tets]
    middle = corner.mean(axis=1)
    edges = np.swapaxes(corner[:, 1:] - corner[:, :1], 1, 2)
    inverse = np.linalg.inv(edges)
    count = min(CANDIDATES, len(tets))
    near = cKDTree(middle).query(points, k=count)[1].reshape(len(points), count)
    off = points[:, None] - corner[near, 0]
    last = np.einsum("pkij,pkj->pki", inverse[near], off)
    weights = np.concatenate([1 - last.sum(axis=-1, keepdims=True), last], axis=-1)
    chosen = np.argmax(weights.min(axis=-1), axis=1)
    rows = np.arange(len(points))
    own, share = tets[near[rows, chosen]], weights[rows, chosen]
    place = (share.ravel(), (np.repeat(rows, 4), own.ravel()))
    return sparse.csr_matrix(place, shape=(len(points), len(rest)))


def embed_smoothly(points: Floats, rest: Floats, tets: Ints, along: Floats) -> sparse.csr_matrix:
    """The same without kinks, averaged over as long a stretch along the body [3] as a tet has."""
    edge = float(np.median(np.ptp(rest[tets] @ along, axis=1)))
    shifts = (np.arange(TAPS) - (TAPS - 1) / 2) / TAPS * edge
    all_ = np.concatenate([points + shift * along for shift in shifts])
    mean = sparse.kron(np.full((1, TAPS), 1 / TAPS), sparse.identity(len(points)))
    return sparse.csr_matrix(mean @ embed(all_, rest, tets))
