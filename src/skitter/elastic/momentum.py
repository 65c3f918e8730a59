"""Forces that are meant to be internal, made so: without net force and without net torque.

Mujika 2018 section 6. Of all corrections that take the net force f0 and the net torque t0 away, the
one with the least sum of squares is f_i = -l_f - r_i x l_t, with r_i from the centre of mass. Put
into the two conditions, with A = sum [r_i]x and B = sum [r_i]x [r_i]x,

    f0 - n l_f - A l_t = 0,        t0 - A l_f - B l_t = 0

so that  l_t = (B - A A / n)^-1 (t0 - A f0 / n)  and  l_f = (f0 - A l_t) / n.  The paper's eq. 4 and
5 have A A / n and A l_t with the opposite sign; that is the same only where A = 0, with r_i from
the mean of the nodes instead of the centre of mass.
"""

import numpy as np


def cross_matrix(vectors: np.ndarray) -> np.ndarray:
    """Sum of [r]x over vectors [n, 3]."""
    x, y, z = vectors.sum(axis=0)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def compensate(force: np.ndarray, x: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Forces [node, 3] at x [node, 3] with the least change that makes them internal."""
    r, count = x - centre, len(x)
    net, torque = force.sum(axis=0), np.cross(r, force).sum(axis=0)
    A = cross_matrix(r)
    B = r.T @ r - np.eye(3) * np.einsum("ni,ni", r, r)  # [r]x [r]x = r r^T - r.r 1
    turn = np.linalg.solve(B - A @ A / count, torque - A @ net / count)
    push = (net - A @ turn) / count
    return np.asarray(force - push - np.cross(r, turn))


def measure_net(force: np.ndarray, x: np.ndarray, centre: np.ndarray) -> tuple[float, float]:
    """Net force and net torque about the centre, relative to the sums of their sizes."""
    torque = np.cross(x - centre, force)
    sizes = [np.linalg.norm(one, axis=1).sum() for one in (force, torque)]
    nets = [np.linalg.norm(one.sum(axis=0)) for one in (force, torque)]
    net, turn = (float(n / s) if s > 0 else 0.0 for n, s in zip(nets, sizes, strict=True))
    return net, turn
