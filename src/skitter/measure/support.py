"""How far inside the polygon of its feet a creature's weight falls."""

import numpy as np
from numpy.typing import NDArray

from skitter.measure.steps import Floats


def find_margins(centre: Floats, feet: Floats, touching: NDArray[np.bool_]) -> Floats:
    """Signed distances [frame] from a centre [frame, 2] to the edge of the convex hull of those
    feet [frame, foot, 2] that touch [frame, foot], positive inside, in their unit; nan without any.

    That of a point and a convex shape is the least, over all directions, of how far the shape
    reaches beyond the point. The least is reached across an edge, or away from a corner, so that
    only those directions are tried; a line or a point has no inside.
    """
    about = feet - centre[:, None]
    first, second = np.nonzero(~np.eye(feet.shape[1], dtype=bool))
    edge = about[:, second] - about[:, first]
    across = np.stack([edge[..., 1], -edge[..., 0]], axis=-1)
    way = np.concatenate([across, -about], axis=1)
    known = np.concatenate([touching[:, first] & touching[:, second], touching], axis=1)
    size = np.linalg.norm(way, axis=2)
    way = way / np.where(size > 0, size, 1.0)[..., None]
    reach = np.einsum("fdk,fpk->fdp", way, about)
    reach = np.where(touching[:, None], reach, -np.inf).max(axis=2)
    least = np.where(known & (size > 0), reach, np.inf).min(axis=1)
    # with all feet on one spot below the centre there is no direction to try
    least = np.where(np.isinf(least), 0.0, least)
    return np.where(touching.any(axis=1), least, np.nan)
