"""St. Venant-Kirchhoff elasticity of a tetrahedral mesh: energy, forces and exact tangent.

Mujika 2018 section 4 after Sifakis and Barbic 2012. With F the deformation gradient of a
tetrahedron, g_a the rest gradient of its corner a and V its rest volume,

    strain            E = (F^T F - 1) / 2
    stress            S = lambda tr(E) 1 + 2 mu E            (second Piola-Kirchhoff)
    energy            V (lambda tr(E)^2 / 2 + mu E:E)
    force on a        f_a = -V F S g_a
    tangent           K_ab = -df_a/dx_b = V [ (g_a . S g_b) 1
                        + lambda q_a q_b^T + mu q_b q_a^T + mu (g_a . g_b) F F^T ],   q_a = F g_a

The first term of the tangent, that of the stress itself, is negative where a body is pressed
together; `safe` puts S + s 1 in its place, with s just so large (Gershgorin) that it cannot be.

Two terms of our own are part of S, so that they are internal forces like the rest, without net
force and torque:

- muscles: an active stress along the fibre n of a tetrahedron, S += T (1 + 2 E_nn / c) n n^T. It
  falls as the fibre shortens and is gone where the square of its length is 1 - c of what it was
  (SHORTEST); of constant stress half of Young's modulus would crush any muscle to a point. Its
  tangent is V (2 T / c) (n . g_a) (n . g_b) p p^T with p = F n;
- internal friction (Kelvin and Voigt): the strain rate of the step counts as strain,
  E + tau (E - E_before) / h. It knows no rotation, and its tangent is that of E times 1 + tau / h.

Everything is float64. Tetrahedra are worked on in groups of ROW, one to a SIMD lane: a row holds
one number of all tetrahedra of a group. The corners of a tetrahedron are sorted, so that blocks of
the lower half of the matrix stay there.
"""

from typing import NamedTuple

import numpy as np

from skitter.compiled import kernel

ROW = 16  # tetrahedra of a group
SHORTEST = 0.5  # length of a fibre that pulls no more, of that at rest
RANGE = 1 - SHORTEST**2  # c
# rows of a group's work space
X, F, S, Q, B, P, BLOCK = (ROW * k for k in (0, 12, 21, 27, 39, 45, 48))
WORK = ROW * 57


class Elements(NamedTuple):
    """The tetrahedra of a mesh, grouped; those that only fill the last group have no volume."""

    node: np.ndarray  # [group, 4, ROW] int64, corners in rising order, by numbers of their own:
    first: int  # node k is the mesh's node first + sign k
    sign: int
    gradient: np.ndarray  # [group, 12 ROW] 1/cm, corner by corner
    volume: np.ndarray  # [group, ROW] cm³
    mu: np.ndarray  # [group, ROW] dyn/cm²
    lam: np.ndarray  # [group, ROW] dyn/cm²
    fibre: np.ndarray  # [group, 3 ROW] unit vector n, or zero
    fibre_gradient: np.ndarray  # [group, 4 ROW] 1/cm, n . g_a of the corners


def build_elements(
    nodes: np.ndarray,  # [node, 3] cm
    tets: np.ndarray,  # [tet, 4]
    mu: np.ndarray,  # [tet] dyn/cm²
    lam: np.ndarray,  # [tet] dyn/cm²
    fibre: np.ndarray | None = None,  # [tet, 3] unit vectors, or zero
    *,
    first: int = 0,
    sign: int = 1,
) -> Elements:
    """The elements of a mesh at rest, or some of them; nodes may be counted from the end."""
    own = np.sort((tets - first) * sign, axis=1)
    tets = first + sign * own
    edges = (nodes[tets[:, 1:]] - nodes[tets[:, :1]]).transpose(0, 2, 1)
    inner = np.linalg.inv(edges)
    gradient = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
    fibre = np.zeros((len(tets), 3)) if fibre is None else fibre
    return Elements(
        node=group(own.astype(np.int64)),
        first=first,
        sign=sign,
        gradient=flatten(group(gradient.reshape(len(tets), 12))),
        volume=group(np.abs(np.linalg.det(edges)) / 6),
        mu=group(np.asarray(mu, float)),
        lam=group(np.asarray(lam, float)),
        fibre=flatten(group(np.asarray(fibre, float))),
        fibre_gradient=flatten(group(np.einsum("tac,tc->ta", gradient, fibre))),
    )


def group(values: np.ndarray) -> np.ndarray:
    """Values of tetrahedra [tet, ...] as [group, ..., ROW], the last group filled with zeros."""
    count = -(-len(values) // ROW)
    full = np.zeros((count * ROW, *values.shape[1:]), values.dtype)
    full[: len(values)] = values
    return np.ascontiguousarray(np.moveaxis(full.reshape(count, ROW, *values.shape[1:]), 1, -1))


def flatten(rows: np.ndarray) -> np.ndarray:
    """Rows of groups [group, k, ROW] as [group, k ROW]."""
    return rows.reshape(len(rows), -1)


@kernel
def gather(elements, e, x, w):
    """Corners of a group into its work space."""
    for a in range(4):
        for i in range(ROW):
            n = elements.first + elements.sign * elements.node[e, a, i]
            for c in range(3):
                w[X + (3 * a + c) * ROW + i] = x[n, c]


@kernel
def deform(x, g, f):
    """F = sum_a x_a g_a^T, rows xx, xy, ... of a group."""
    for i in range(ROW):
        x0, y0, z0 = x[i], x[i + ROW], x[i + 2 * ROW]
        x1, y1, z1 = x[i + 3 * ROW] - x0, x[i + 4 * ROW] - y0, x[i + 5 * ROW] - z0
        x2, y2, z2 = x[i + 6 * ROW] - x0, x[i + 7 * ROW] - y0, x[i + 8 * ROW] - z0
        x3, y3, z3 = x[i + 9 * ROW] - x0, x[i + 10 * ROW] - y0, x[i + 11 * ROW] - z0
        for c in range(3):
            a, b, d = g[i + (3 + c) * ROW], g[i + (6 + c) * ROW], g[i + (9 + c) * ROW]
            f[i + c * ROW] = x1 * a + x2 * b + x3 * d
            f[i + (3 + c) * ROW] = y1 * a + y2 * b + y3 * d
            f[i + (6 + c) * ROW] = z1 * a + z2 * b + z3 * d


@kernel
def strain(f, e):
    """E = (F^T F - 1) / 2 as xx, xy, xz, yy, yz, zz."""
    for i in range(ROW):
        a, b, c = f[i], f[i + ROW], f[i + 2 * ROW]
        d, k, m = f[i + 3 * ROW], f[i + 4 * ROW], f[i + 5 * ROW]
        p, q, r = f[i + 6 * ROW], f[i + 7 * ROW], f[i + 8 * ROW]
        e[i] = 0.5 * (a * a + d * d + p * p - 1.0)
        e[i + ROW] = 0.5 * (a * b + d * k + p * q)
        e[i + 2 * ROW] = 0.5 * (a * c + d * m + p * r)
        e[i + 3 * ROW] = 0.5 * (b * b + k * k + q * q - 1.0)
        e[i + 4 * ROW] = 0.5 * (b * c + k * m + q * r)
        e[i + 5 * ROW] = 0.5 * (c * c + m * m + r * r - 1.0)


@kernel
def stress(mu, lam, fibre, tension, before, rate, s):
    """The stress in place of the strain; `rate` is tau / h."""
    for i in range(ROW):
        xx = s[i] + rate * (s[i] - before[i])
        xy = s[i + ROW] + rate * (s[i + ROW] - before[i + ROW])
        xz = s[i + 2 * ROW] + rate * (s[i + 2 * ROW] - before[i + 2 * ROW])
        yy = s[i + 3 * ROW] + rate * (s[i + 3 * ROW] - before[i + 3 * ROW])
        yz = s[i + 4 * ROW] + rate * (s[i + 4 * ROW] - before[i + 4 * ROW])
        zz = s[i + 5 * ROW] + rate * (s[i + 5 * ROW] - before[i + 5 * ROW])
        n0, n1, n2 = fibre[i], fibre[i + ROW], fibre[i + 2 * ROW]
        square = n0 * n0 * s[i] + n1 * n1 * s[i + 3 * ROW] + n2 * n2 * s[i + 5 * ROW]
        mixed = n0 * n1 * s[i + ROW] + n0 * n2 * s[i + 2 * ROW] + n1 * n2 * s[i + 4 * ROW]
        t = tension[i] * (1.0 + 2.0 / RANGE * (square + 2.0 * mixed))
        all_round, m = lam[i] * (xx + yy + zz), 2.0 * mu[i]
        s[i] = all_round + m * xx + t * n0 * n0
        s[i + ROW] = m * xy + t * n0 * n1
        s[i + 2 * ROW] = m * xz + t * n0 * n2
        s[i + 3 * ROW] = all_round + m * yy + t * n1 * n1
        s[i + 4 * ROW] = m * yz + t * n1 * n2
        s[i + 5 * ROW] = all_round + m * zz + t * n2 * n2


@kernel
def push_corner(volume, f, s, g, p):
    """Force -V F S g on one corner of each tetrahedron, dyn."""
    for i in range(ROW):
        g0, g1, g2, v = g[i], g[i + ROW], g[i + 2 * ROW], -volume[i]
        t0 = v * (s[i] * g0 + s[i + ROW] * g1 + s[i + 2 * ROW] * g2)
        t1 = v * (s[i + ROW] * g0 + s[i + 3 * ROW] * g1 + s[i + 4 * ROW] * g2)
        t2 = v * (s[i + 2 * ROW] * g0 + s[i + 4 * ROW] * g1 + s[i + 5 * ROW] * g2)
        p[i] = f[i] * t0 + f[i + ROW] * t1 + f[i + 2 * ROW] * t2
        p[i + ROW] = f[i + 3 * ROW] * t0 + f[i + 4 * ROW] * t1 + f[i + 5 * ROW] * t2
        p[i + 2 * ROW] = f[i + 6 * ROW] * t0 + f[i + 7 * ROW] * t1 + f[i + 8 * ROW] * t2


@kernel
def prepare_tangent(f, g, n, q, b, p):
    """q_a = F g_a of all corners, F F^T, and p = F n."""
    for i in range(ROW):
        f0, f1, f2 = f[i], f[i + ROW], f[i + 2 * ROW]
        f3, f4, f5 = f[i + 3 * ROW], f[i + 4 * ROW], f[i + 5 * ROW]
        f6, f7, f8 = f[i + 6 * ROW], f[i + 7 * ROW], f[i + 8 * ROW]
        for a in range(4):
            g0, g1, g2 = g[i + 3 * a * ROW], g[i + (3 * a + 1) * ROW], g[i + (3 * a + 2) * ROW]
            q[i + 3 * a * ROW] = f0 * g0 + f1 * g1 + f2 * g2
            q[i + (3 * a + 1) * ROW] = f3 * g0 + f4 * g1 + f5 * g2
            q[i + (3 * a + 2) * ROW] = f6 * g0 + f7 * g1 + f8 * g2
        n0, n1, n2 = n[i], n[i + ROW], n[i + 2 * ROW]
        p[i] = f0 * n0 + f1 * n1 + f2 * n2
        p[i + ROW] = f3 * n0 + f4 * n1 + f5 * n2
        p[i + 2 * ROW] = f6 * n0 + f7 * n1 + f8 * n2
        b[i] = f0 * f0 + f1 * f1 + f2 * f2
        b[i + ROW] = f0 * f3 + f1 * f4 + f2 * f5
        b[i + 2 * ROW] = f0 * f6 + f1 * f7 + f2 * f8
        b[i + 3 * ROW] = f3 * f3 + f4 * f4 + f5 * f5
        b[i + 4 * ROW] = f3 * f6 + f4 * f7 + f5 * f8
        b[i + 5 * ROW] = f6 * f6 + f7 * f7 + f8 * f8


@kernel
def lift_stress(s):
    """S + s 1 with the least s >= 0 by which Gershgorin's discs are not negative."""
    for i in range(ROW):
        xy, xz, yz = abs(s[i + ROW]), abs(s[i + 2 * ROW]), abs(s[i + 4 * ROW])
        low = min(s[i] - xy - xz, s[i + 3 * ROW] - xy - yz, s[i + 5 * ROW] - xz - yz)
        lift = max(-low, 0.0)
        s[i] += lift
        s[i + 3 * ROW] += lift
        s[i + 5 * ROW] += lift


@kernel
def fill_block(scale, volume, mu, lam, s, ga, gb, qa, qb, b, k):
    """K_ab of a group; `scale` is 1 + tau / h, by which internal friction stiffens."""
    for i in range(ROW):
        a0, a1, a2 = ga[i], ga[i + ROW], ga[i + 2 * ROW]
        b0, b1, b2 = gb[i], gb[i + ROW], gb[i + 2 * ROW]
        t0 = s[i] * b0 + s[i + ROW] * b1 + s[i + 2 * ROW] * b2
        t1 = s[i + ROW] * b0 + s[i + 3 * ROW] * b1 + s[i + 4 * ROW] * b2
        t2 = s[i + 2 * ROW] * b0 + s[i + 4 * ROW] * b1 + s[i + 5 * ROW] * b2
        own = volume[i] * (a0 * t0 + a1 * t1 + a2 * t2)
        la, m = scale * volume[i] * lam[i], scale * volume[i] * mu[i]
        n = m * (a0 * b0 + a1 * b1 + a2 * b2)
        p0, p1, p2 = qa[i], qa[i + ROW], qa[i + 2 * ROW]
        r0, r1, r2 = qb[i], qb[i + ROW], qb[i + 2 * ROW]
        xx, xy, xz = b[i], b[i + ROW], b[i + 2 * ROW]
        yy, yz, zz = b[i + 3 * ROW], b[i + 4 * ROW], b[i + 5 * ROW]
        k[i] = (la + m) * p0 * r0 + n * xx + own
        k[i + ROW] = la * p0 * r1 + m * r0 * p1 + n * xy
        k[i + 2 * ROW] = la * p0 * r2 + m * r0 * p2 + n * xz
        k[i + 3 * ROW] = la * p1 * r0 + m * r1 * p0 + n * xy
        k[i + 4 * ROW] = (la + m) * p1 * r1 + n * yy + own
        k[i + 5 * ROW] = la * p1 * r2 + m * r1 * p2 + n * yz
        k[i + 6 * ROW] = la * p2 * r0 + m * r2 * p0 + n * xz
        k[i + 7 * ROW] = la * p2 * r1 + m * r2 * p1 + n * yz
        k[i + 8 * ROW] = (la + m) * p2 * r2 + n * zz + own


@kernel
def add_muscle(volume, tension, na, nb, p, k):
    """What an active fibre adds to K_ab: it pulls less as it shortens."""
    for i in range(ROW):
        t = 2.0 / RANGE * volume[i] * tension[i] * na[i] * nb[i]
        p0, p1, p2 = p[i], p[i + ROW], p[i + 2 * ROW]
        k[i] += t * p0 * p0
        k[i + ROW] += t * p0 * p1
        k[i + 2 * ROW] += t * p0 * p2
        k[i + 3 * ROW] += t * p0 * p1
        k[i + 4 * ROW] += t * p1 * p1
        k[i + 5 * ROW] += t * p1 * p2
        k[i + 6 * ROW] += t * p0 * p2
        k[i + 7 * ROW] += t * p1 * p2
        k[i + 8 * ROW] += t * p2 * p2


@kernel
def is_active(tension):
    """Whether any fibre of a group pulls."""
    total = 0.0
    for i in range(ROW):
        total += abs(tension[i])
    return total > 0.0


@kernel
def scatter_block(node, a, b, k, band):
    """Add K_ab, b <= a, to the lower half of the matrix: band[column, row - column]."""
    for i in range(ROW):
        column, below = 3 * node[b, i], 3 * (node[a, i] - node[b, i])
        for c in range(3):
            for r in range(c if a == b else 0, 3):
                band[column + c, below + r - c] += k[i + (3 * r + c) * ROW]


@kernel
def add_forces(elements, x, tension, before, rate, work, force):
    """Add the internal forces at x [node, 3] to `force` [node, 3], dyn.

    `tension` [group, ROW] is the active stress along the fibres, dyn/cm²; `before` [group, 6 ROW]
    the strain at the start of the step, `rate` is tau / h; `work` [WORK].
    """
    for e in range(len(elements.volume)):
        gather(elements, e, x, work)
        g = elements.gradient[e]
        deform(work[X:F], g, work[F:S])
        strain(work[F:S], work[S:Q])
        stress(
            elements.mu[e], elements.lam[e], elements.fibre[e], tension[e],
            before[e], rate, work[S:Q],
        )  # fmt: skip
        for a in range(4):
            push = work[BLOCK : BLOCK + 3 * ROW]
            push_corner(
                elements.volume[e], work[F:S], work[S:Q], g[3 * a * ROW : (3 * a + 3) * ROW], push
            )
            for i in range(ROW):
                n = elements.first + elements.sign * elements.node[e, a, i]
                force[n, 0] += push[i]
                force[n, 1] += push[i + ROW]
                force[n, 2] += push[i + 2 * ROW]


@kernel
def add_tangent(elements, x, tension, before, rate, safe, work, band):
    """Add the tangent K at x to the lower half of a banded matrix, band[column, row - column].

    Rows and columns go by the elements' own numbers of the nodes.
    """
    for e in range(len(elements.volume)):
        gather(elements, e, x, work)
        g = elements.gradient[e]
        deform(work[X:F], g, work[F:S])
        strain(work[F:S], work[S:Q])
        stress(
            elements.mu[e], elements.lam[e], elements.fibre[e], tension[e],
            before[e], rate, work[S:Q],
        )  # fmt: skip
        if safe:
            lift_stress(work[S:Q])
        prepare_tangent(work[F:S], g, elements.fibre[e], work[Q:B], work[B:P], work[P:BLOCK])
        active = is_active(tension[e])
        for a in range(4):
            for b in range(a + 1):
                fill_block(
                    1.0 + rate, elements.volume[e], elements.mu[e], elements.lam[e], work[S:Q],
                    g[3 * a * ROW : (3 * a + 3) * ROW], g[3 * b * ROW : (3 * b + 3) * ROW],
                    work[Q + 3 * a * ROW : Q + (3 * a + 3) * ROW],
                    work[Q + 3 * b * ROW : Q + (3 * b + 3) * ROW],
                    work[B:P], work[BLOCK:WORK],
                )  # fmt: skip
                if active:
                    add_muscle(
                        elements.volume[e], tension[e],
                        elements.fibre_gradient[e, a * ROW : (a + 1) * ROW],
                        elements.fibre_gradient[e, b * ROW : (b + 1) * ROW],
                        work[P:BLOCK], work[BLOCK:WORK],
                    )  # fmt: skip
                scatter_block(elements.node[e], a, b, work[BLOCK:WORK], band)


@kernel
def measure_strain(elements, x, work, before):
    """The strain of all tetrahedra at x into `before` [group, 6 ROW]."""
    for e in range(len(elements.volume)):
        gather(elements, e, x, work)
        deform(work[X:F], elements.gradient[e], work[F:S])
        strain(work[F:S], before[e])


def compute_energy(elements: Elements, x: np.ndarray) -> float:
    """Elastic energy at x [node, 3], erg."""
    before = np.zeros((len(elements.volume), 6 * ROW))
    measure_strain(elements, x, np.zeros(WORK), before)
    xx, xy, xz, yy, yz, zz = before.reshape(-1, 6, ROW).transpose(1, 0, 2)
    square = xx**2 + yy**2 + zz**2 + 2 * (xy**2 + xz**2 + yz**2)
    density = 0.5 * elements.lam * (xx + yy + zz) ** 2 + elements.mu * square
    return float((elements.volume * density).sum())


def compute_forces(
    elements: Elements, x: np.ndarray, tension: np.ndarray | None = None
) -> np.ndarray:
    """Elastic forces at x [node, 3], dyn, with those of muscles but without internal friction."""
    groups, force = len(elements.volume), np.zeros_like(x)
    tension = np.zeros((groups, ROW)) if tension is None else tension
    add_forces(elements, x, tension, np.zeros((groups, 6 * ROW)), 0.0, np.zeros(WORK), force)
    return force
