"""Vectors, matrices and rows of numbers, for kernels: everything here disappears into its caller.

Matrices are nine numbers row by row; symmetric ones xx xy xz yy yz zz.
"""

from skitter.compiled import inlined


@inlined
def load3(row, k):
    return row[k], row[k + 1], row[k + 2]


@inlined
def load6(row, k):
    return row[k], row[k + 1], row[k + 2], row[k + 3], row[k + 4], row[k + 5]


@inlined
def load9(row, k):
    return (
        row[k], row[k + 1], row[k + 2], row[k + 3], row[k + 4], row[k + 5], row[k + 6], row[k + 7],
        row[k + 8],
    )  # fmt: skip


@inlined
def store3(row, k, x):
    row[k], row[k + 1], row[k + 2] = x


@inlined
def store6(row, k, x):
    row[k], row[k + 1], row[k + 2], row[k + 3], row[k + 4], row[k + 5] = x


@inlined
def store9(row, k, x):
    (
        row[k], row[k + 1], row[k + 2], row[k + 3], row[k + 4], row[k + 5], row[k + 6], row[k + 7],
        row[k + 8],
    ) = x  # fmt: skip


@inlined
def add3(row, k, x):
    row[k] += x[0]
    row[k + 1] += x[1]
    row[k + 2] += x[2]


@inlined
def add6(row, k, x):
    add3(row, k, (x[0], x[1], x[2]))
    add3(row, k + 3, (x[3], x[4], x[5]))


@inlined
def add9(row, k, x):
    add6(row, k, (x[0], x[1], x[2], x[3], x[4], x[5]))
    add3(row, k + 6, (x[6], x[7], x[8]))


@inlined
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inlined
def turn_out(R, x):
    """R x: from the link's axes to its parent's."""
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
        R[6] * x[0] + R[7] * x[1] + R[8] * x[2],
    )


@inlined
def turn_in(R, x):
    """R'x: from the parent's axes to the link's."""
    return (
        R[0] * x[0] + R[3] * x[1] + R[6] * x[2],
        R[1] * x[0] + R[4] * x[1] + R[7] * x[2],
        R[2] * x[0] + R[5] * x[1] + R[8] * x[2],
    )


@inlined
def apply(S, x):
    """A symmetric matrix times a vector."""
    return (
        S[0] * x[0] + S[1] * x[1] + S[2] * x[2],
        S[1] * x[0] + S[3] * x[1] + S[4] * x[2],
        S[2] * x[0] + S[4] * x[1] + S[5] * x[2],
    )


@inlined
def multiply(A, B):
    """Two matrices."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@inlined
def turn_symmetric(R, S):
    """R S R'."""
    x = R[0] * S[0] + R[1] * S[1] + R[2] * S[2]
    y = R[0] * S[1] + R[1] * S[3] + R[2] * S[4]
    z = R[0] * S[2] + R[1] * S[4] + R[2] * S[5]
    u = R[3] * S[0] + R[4] * S[1] + R[5] * S[2]
    v = R[3] * S[1] + R[4] * S[3] + R[5] * S[4]
    w = R[3] * S[2] + R[4] * S[4] + R[5] * S[5]
    p = R[6] * S[0] + R[7] * S[1] + R[8] * S[2]
    q = R[6] * S[1] + R[7] * S[3] + R[8] * S[4]
    t = R[6] * S[2] + R[7] * S[4] + R[8] * S[5]
    return (
        x * R[0] + y * R[1] + z * R[2],
        x * R[3] + y * R[4] + z * R[5],
        x * R[6] + y * R[7] + z * R[8],
        u * R[3] + v * R[4] + w * R[5],
        u * R[6] + v * R[7] + w * R[8],
        p * R[6] + q * R[7] + t * R[8],
    )


@inlined
def turn_general(R, B):
    """R B R'."""
    M = multiply(R, B)
    return (
        M[0] * R[0] + M[1] * R[1] + M[2] * R[2],
        M[0] * R[3] + M[1] * R[4] + M[2] * R[5],
        M[0] * R[6] + M[1] * R[7] + M[2] * R[8],
        M[3] * R[0] + M[4] * R[1] + M[5] * R[2],
        M[3] * R[3] + M[4] * R[4] + M[5] * R[5],
        M[3] * R[6] + M[4] * R[7] + M[5] * R[8],
        M[6] * R[0] + M[7] * R[1] + M[8] * R[2],
        M[6] * R[3] + M[7] * R[4] + M[8] * R[5],
        M[6] * R[6] + M[7] * R[7] + M[8] * R[8],
    )


@inlined
def turn_about_z(R, c, s):
    """R times a turn about z of cosine c and sine s."""
    return (
        R[0] * c + R[1] * s, R[1] * c - R[0] * s, R[2],
        R[3] * c + R[4] * s, R[4] * c - R[3] * s, R[5],
        R[6] * c + R[7] * s, R[7] * c - R[6] * s, R[8],
    )  # fmt: skip


@inlined
def quaternion_axes(w, x, y, z):
    """The matrix of a quaternion, whatever its length: stages of a step leave the unit ball."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y),
    )  # fmt: skip


@inlined
def invert_symmetric(S):
    """The inverse of a symmetric 3 x 3 matrix."""
    xx, xy = S[3] * S[5] - S[4] * S[4], S[2] * S[4] - S[1] * S[5]
    xz, yy = S[1] * S[4] - S[2] * S[3], S[0] * S[5] - S[2] * S[2]
    yz, zz = S[1] * S[2] - S[0] * S[4], S[0] * S[3] - S[1] * S[1]
    s = 1.0 / (S[0] * xx + S[1] * xy + S[2] * xz)
    return s * xx, s * xy, s * xz, s * yy, s * yz, s * zz


@inlined
def symmetric_part(A, B):
    """The numbers xx xy xz yy yz zz of A B', which is symmetric."""
    return (
        A[0] * B[0] + A[1] * B[1] + A[2] * B[2],
        A[0] * B[3] + A[1] * B[4] + A[2] * B[5],
        A[0] * B[6] + A[1] * B[7] + A[2] * B[8],
        A[3] * B[3] + A[4] * B[4] + A[5] * B[5],
        A[3] * B[6] + A[4] * B[7] + A[5] * B[8],
        A[6] * B[6] + A[7] * B[7] + A[8] * B[8],
    )


@inlined
def unfold(S):
    return S[0], S[1], S[2], S[1], S[3], S[4], S[2], S[4], S[5]


@inlined
def transpose(B):
    return B[0], B[3], B[6], B[1], B[4], B[7], B[2], B[5], B[8]


@inlined
def subtract6(A, B):
    return A[0] - B[0], A[1] - B[1], A[2] - B[2], A[3] - B[3], A[4] - B[4], A[5] - B[5]
