"""Mass, inertia and contact probes of rigid shapes."""

import itertools

import numpy as np


def box_mass(size: np.ndarray, density: float) -> tuple[float, np.ndarray]:
    """Mass and inertia tensor about the centre of a solid box."""
    mass = density * float(np.prod(size))
    square = np.asarray(size) ** 2
    return mass, np.diag(mass * (square.sum() - square) / 12)


def capsule_mass(radius: float, length: float, density: float) -> tuple[float, np.ndarray]:
    """Mass and inertia tensor about the centre of a solid capsule along x.

    A cylinder and two half balls; the centre of mass of a half ball lies 3/8 r from its flat face.
    """
    cylinder = density * np.pi * radius**2 * length
    ball = density * 4 / 3 * np.pi * radius**3
    along = cylinder * radius**2 / 2 + ball * 2 / 5 * radius**2
    offset = length / 2 + 3 / 8 * radius
    half_ball = ball * (2 / 5 - (3 / 8) ** 2) * radius**2 + ball * offset**2
    across = cylinder * (radius**2 / 4 + length**2 / 12) + half_ball
    return cylinder + ball, np.diag([along, across, across])


def box_probes(size: np.ndarray, points: int) -> np.ndarray:
    """Points on the surface of a box [n, 4], the fourth number a radius of zero.

    The eight corners come first: on a plane no other point can be lower.
    """
    grid = np.linspace(-0.5, 0.5, points)
    inner = [p for p in itertools.product(grid, repeat=3) if 0 < sum(abs(c) == 0.5 for c in p) < 3]
    corners = list(itertools.product((-0.5, 0.5), repeat=3))
    places = np.array(corners + inner) * np.asarray(size)
    return np.hstack([places, np.zeros((len(places), 1))])


def capsule_probes(radius: float, length: float, points: int) -> np.ndarray:
    """Balls along the axis of a capsule [n, 4]; the two ends come first."""
    at = np.concatenate([[-0.5, 0.5], np.linspace(-0.5, 0.5, points)[1:-1]]) * length
    probes = np.zeros((len(at), 4))
    probes[:, 0], probes[:, 3] = at, radius
    return probes


def combine_masses(
    mass: float,
    centre: np.ndarray,
    inertia: np.ndarray,
    points: np.ndarray,
    point_masses: np.ndarray,
) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia about it, of a body together with point masses on it."""
    total = mass + point_masses.sum()
    middle = (mass * centre + point_masses @ points) / total
    tensor = inertia + shift_inertia(mass, centre - middle)
    for point, point_mass in zip(points, point_masses, strict=True):
        tensor = tensor + shift_inertia(point_mass, point - middle)
    return total, middle, tensor


def shift_inertia(mass: float, offset: np.ndarray) -> np.ndarray:
    """Inertia of a point mass at an offset (the parallel axis theorem)."""
    return mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
