"""Cholesky's factor of a banded matrix, from one end of it up to any column.

The lower half lies as band[column, row - column]. Columns are eliminated in panels of PANEL: the
panel itself one by one, then every column behind it once, by all of the panel, with rows innermost:
eight products for one load and store of the result, in SIMD. Compiled like everything else here,
it needs no lock and gives the same bits whatever the number of threads, which a BLAS does not
promise; it is as fast as LAPACK's, see docs/performance.md.
"""

import numpy as np

from skitter.compiled import inlined, kernel

PANEL = 8
PAD = PANEL  # zeros behind the numbers of a column


@inlined
def subtract_panel(a, out, c0, c1, c2, c3, c4, c5, c6, c7):
    """out -= the eight columns, each times its number of a."""
    a0, a1, a2, a3 = a[0], a[1], a[2], a[3]
    a4, a5, a6, a7 = a[4], a[5], a[6], a[7]
    for i in range(len(out)):
        out[i] -= (a0 * c0[i] + a1 * c1[i] + a2 * c2[i] + a3 * c3[i]) + (
            a4 * c4[i] + a5 * c5[i] + a6 * c6[i] + a7 * c7[i]
        )


@inlined
def subtract_column(a, column, out):
    for i in range(len(out)):
        out[i] -= a * column[i]


@kernel
def factor_column(column):
    """Divide by the root of the diagonal, which becomes its inverse; false if it has none."""
    if not column[0] > 0.0:
        return False
    scale = 1.0 / np.sqrt(column[0])
    column[0] = scale
    for i in range(1, len(column)):
        column[i] *= scale
    return True


@kernel
def factor_panel(band, first, stop):
    """Eliminate columns [first, stop), in the panel only."""
    width = band.shape[1] - PAD
    for j in range(first, stop):
        if not factor_column(band[j]):
            return False
        for t in range(j + 1, stop):
            away = t - j
            subtract_column(band[j, away], band[j, away:width], band[t, 0 : width - away])
    return True


@kernel
def factor_band(band, stop, a):
    """Eliminate columns [0, stop) in place; those behind get what is left of the matrix.

    A column has PAD zeros behind its numbers, and zeros where it goes beyond the matrix, so that
    all eight of a panel can be taken as equally long. The diagonal of the factor is kept as its
    inverse. `a` [PANEL] is work space. Returns whether the matrix is positive so far.
    """
    columns, width = band.shape[0], band.shape[1] - PAD
    j = 0
    while j + PANEL <= stop:
        if not factor_panel(band, j, j + PANEL):
            return False
        for t in range(j + PANEL, min(j + PANEL - 1 + width, columns)):
            o = t - j  # row t, seen from the first column of the panel
            n = width + PANEL - 1 - o  # rows that its last column has left
            for p in range(PANEL):
                a[p] = band[j + p, o - p]
            subtract_panel(
                a, band[t, 0:n], band[j, o : o + n], band[j + 1, o - 1 : o - 1 + n],
                band[j + 2, o - 2 : o - 2 + n], band[j + 3, o - 3 : o - 3 + n],
                band[j + 4, o - 4 : o - 4 + n], band[j + 5, o - 5 : o - 5 + n],
                band[j + 6, o - 6 : o - 6 + n], band[j + 7, o - 7 : o - 7 + n],
            )  # fmt: skip
        j += PANEL
    return factor_rest(band, j, stop)


@kernel
def factor_rest(band, first, stop):
    """Eliminate the columns [first, stop) that fill no panel, one by one."""
    columns, width = band.shape[0], band.shape[1] - PAD
    for j in range(first, stop):
        if not factor_column(band[j]):
            return False
        for t in range(j + 1, min(j + width, columns)):
            away = t - j
            subtract_column(band[j, away], band[j, away:width], band[t, 0 : width - away])
    return True


@kernel
def solve_lower(band, stop, b):
    """Forward: the first `stop` of L y = b in place; what is behind gets what is left."""
    width = band.shape[1] - PAD
    for j in range(stop):
        y = b[j] * band[j, 0]
        b[j] = y
        below = min(width, len(b) - j)
        subtract_column(y, band[j, 1:below], b[j + 1 : j + below])


@kernel
def solve_upper(band, stop, b):
    """Backward: the first `stop` of L^T x = b in place; what is behind must be solved."""
    width = band.shape[1] - PAD
    for j in range(stop - 1, -1, -1):
        below = min(width, len(b) - j)
        column, x = band[j], b[j:]
        total = 0.0
        for i in range(1, below):
            total += column[i] * x[i]
        b[j] = (b[j] - total) * column[0]
