"""A climber of round numbers: eight legs of five hinges, an abdomen, 30 g."""

from types import SimpleNamespace

import numpy as np

from skitter.rotation import matrix_from_turn
from skitter.scene.spec import PlaneTerrain
from skitter.terrain.build import build_terrain
from skitter.terrain.surface import TerrainArrays

LENGTHS, RADII = (0.8, 2.2, 1.4, 1.8, 0.8), (0.25, 0.25, 0.2, 0.15, 0.1)
AXES = ((0, 1, 0), (0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1))
REST = (0.0, 0.9, -0.9, -0.7, -0.4)


def make_figure(legs: int = 8, abdomen: bool = True, servo: float = 100.0) -> SimpleNamespace:
    """A body whose legs stand out to all sides."""
    count, joints = len(LENGTHS), legs * len(LENGTHS)
    way = [(45 + 30 * (leg // 2)) * (1 if leg % 2 == 0 else -1) for leg in range(legs)]
    turn = np.array([matrix_from_turn((0, angle, 0)) for angle in way])
    mass = np.tile(0.25 * np.array(LENGTHS) / np.mean(LENGTHS), legs)
    trunk = np.diag([2.0, 8.0, 8.0])
    return SimpleNamespace(
        leg_first=np.arange(0, joints + 1, count),
        hip=turn[:, :, 0] * 0.8,
        hip_turn=turn,
        axis=np.tile(np.array(AXES, float), (legs, 1)),
        length=np.tile(LENGTHS, legs),
        radius=np.tile(RADII, legs),
        rest=np.tile(REST, legs),
        limit=np.tile([-2.0, 2.0, -1.0, 1.0], (joints, 1)),
        seg_mass=mass,
        servo=np.full(joints, servo),
        elasticity=np.full(joints, 0.3),
        thorax_size=np.array([2.4, 1.0, 1.8]),
        trunk_mass=12.0,
        trunk_inertia=trunk,
        trunk_centre=np.array([0.1, 0.0, 0.0]),
        has_abdomen=abdomen,
        pedicel=np.array([-1.2, 0.0, 0.0]),
        abdomen_size=np.array([3.0, 1.8, 2.0]),
        abdomen_mass=8.0,
        abdomen_inertia=np.diag([2.9, 5.2, 4.9]),
        abdomen_middle=np.array([-1.5, 0.0, 0.0]),
        total_mass=12.0 + 8.0 * abdomen + float(mass.sum()),
    )


def make_floor(friction: float = 1.0, slope: float = 0.0) -> tuple[TerrainArrays, TerrainArrays]:
    """A plane through the origin, so steep along x [rad], and nothing in its way."""
    normal = (float(np.sin(slope)), float(np.cos(slope)), 0.0)
    plane = PlaneTerrain(shape="plane", friction=friction, normal=normal)
    return build_terrain([plane]).arrays, build_terrain([]).arrays
