"""One leg: where its tip is, how it bends to a place, how it moves towards a pose.

The geometry is that of species/stance.py, here in compiled form. A leg's plane is turned by theta
about the segment's y axis; theta = 0 points sideways, and positive theta forward on either side.
"""

import numpy as np

from skitter.compiled import inlined, kernel


@kernel
def compute_tip(upper, rod, psi, side, theta, alpha, beta):
    """Tip from its root, in the segment's axes."""
    ray = alpha - beta - psi
    out = upper * np.cos(alpha) + rod * np.cos(ray)
    up = upper * np.sin(alpha) + rod * np.sin(ray)
    return out * np.sin(theta), up, side * out * np.cos(theta)


@kernel
def compute_bend(upper, rod, psi, side, x, y, z):
    """theta, alpha, beta that put the tip there, knee up; cut to what the leg can reach."""
    out = np.sqrt(x * x + z * z)
    reach = np.sqrt(out * out + y * y)
    corner = (upper * upper + reach * reach - rod * rod) / (2.0 * upper * reach)
    alpha = np.arctan2(y, out) + np.arccos(min(max(corner, -1.0), 1.0))
    ray = np.arctan2(y - upper * np.sin(alpha), out - upper * np.cos(alpha))
    return np.arctan2(x, side * z), alpha, max(alpha - ray - psi, 0.0)


@inlined
def can_stand(legs, k, x, y, z, slope_back):
    """Whether leg k can hold its tip there: the same as that the bend has a convex solution with
    theta in its range, but without a single angle."""
    across = legs.side[k] * z
    reach = x * x + y * y + z * z
    return (
        (across > 0.0)
        & (x > slope_back * across)
        & (x < legs.slope_front[k] * across)
        & (reach > legs.nearest[k])
        & (reach < legs.farthest[k])
    )


@inlined
def move_pose(legs, angle, k, state, most):
    """Turn the joints of leg k towards the pose of its state, together, by at most `most`; returns
    the largest turn and whether they have arrived."""
    a = legs.pose[k, state, 0] - angle[k, 0]
    b = legs.pose[k, state, 1] - angle[k, 1]
    c = legs.pose[k, state, 2] - angle[k, 2]
    far = max(abs(a), abs(b), abs(c))
    share = most / far if far > most else 1.0
    angle[k, 0] += share * a
    angle[k, 1] += share * b
    angle[k, 2] += share * c
    return min(far, most), far <= most


@kernel
def stands_there(legs, k, x, y, z):
    """`can_stand`, for callers outside kernels."""
    return can_stand(legs, k, x, y, z, legs.slope_back[k])
