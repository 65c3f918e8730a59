"""Rotations outside the compiled core: quaternions are w, x, y, z and rotate body to world."""

import numpy as np
from numpy.typing import ArrayLike


def matrix_from_turn(turn_deg: ArrayLike) -> np.ndarray:
    """Rotation matrix of turns about x, then y, then z, in degrees."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def matrix_to_quaternion(matrix: np.ndarray) -> np.ndarray:
    """Unit quaternion of a rotation matrix, w >= 0.

    The eigenvector of a symmetric 4 x 4 matrix: no cases to tell apart, and it tolerates
    a matrix that is a rotation only to rounding.
    """
    (a, b, c), (d, e, f), (g, h, i) = np.asarray(matrix, float)
    k = np.array(
        [
            [a + e + i, h - f, c - g, d - b],
            [h - f, a - e - i, b + d, c + g],
            [c - g, b + d, e - a - i, f + h],
            [d - b, c + g, f + h, i - a - e],
        ]
    )
    quaternion = np.linalg.eigh(k)[1][:, -1]
    return quaternion if quaternion[0] >= 0 else -quaternion


def matrices_to_quaternions(matrix: np.ndarray) -> np.ndarray:
    """Unit quaternions [..., 4] of many rotation matrices [..., 3, 3], from the largest component.

    Shepperd 1978. Quicker than the eigenvector above, and the matrices must be rotations.
    """
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(np.asarray(matrix, float), (-2, -1), (0, 1))
    rows = np.array(  # four times the products of each component with all of them
        [
            [1 + a + e + i, h - f, c - g, d - b],
            [h - f, 1 + a - e - i, b + d, c + g],
            [c - g, b + d, 1 - a + e - i, f + h],
            [d - b, c + g, f + h, 1 - a - e + i],
        ]
    )
    largest = np.argmax(np.stack([rows[k, k] for k in range(4)]), axis=0)
    chosen = np.moveaxis(np.take_along_axis(rows, largest[None, None], axis=0)[0], 0, -1)
    return chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)


def quaternion_to_matrix(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrices [..., 3, 3] of unit quaternions [..., 4]."""
    q = np.asarray(quaternion, float)
    w, x, y, z = (q[..., k] for k in range(4))
    matrix = np.empty((3, 3, *q.shape[:-1]))  # filled in place: this is done several times a frame
    matrix[0, 0] = 1 - 2 * (y * y + z * z)
    matrix[0, 1] = 2 * (x * y - w * z)
    matrix[0, 2] = 2 * (x * z + w * y)
    matrix[1, 0] = 2 * (x * y + w * z)
    matrix[1, 1] = 1 - 2 * (x * x + z * z)
    matrix[1, 2] = 2 * (y * z - w * x)
    matrix[2, 0] = 2 * (x * z - w * y)
    matrix[2, 1] = 2 * (y * z + w * x)
    matrix[2, 2] = 1 - 2 * (x * x + y * y)
    return matrix.transpose(*range(2, matrix.ndim), 0, 1)


def cross_rows(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b, row by row [n, 3]; for a few rows several times as fast as NumPy's own."""
    product = np.empty(a.shape, np.result_type(a, b))
    for k, i, j in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        product[:, k] = a[:, i] * b[:, j] - a[:, j] * b[:, i]
    return product


def matrix_y_to(normal: ArrayLike) -> np.ndarray:
    """A rotation whose second column is the direction of `normal`."""
    y = np.asarray(normal, float)
    y = y / np.linalg.norm(y)
    helper = np.eye(3)[np.argmin(np.abs(y))]
    x = np.cross(y, helper)
    x /= np.linalg.norm(x)
    return np.stack([x, y, np.cross(x, y)], axis=1)
