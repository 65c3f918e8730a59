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
    w, x, y, z = np.moveaxis(np.asarray(quaternion, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def matrix_y_to(normal: ArrayLike) -> np.ndarray:
    """A rotation whose second column is the direction of `normal`."""
    y = np.asarray(normal, float)
    y = y / np.linalg.norm(y)
    helper = np.eye(3)[np.argmin(np.abs(y))]
    x = np.cross(y, helper)
    x /= np.linalg.norm(x)
    return np.stack([x, y, np.cross(x, y)], axis=1)
