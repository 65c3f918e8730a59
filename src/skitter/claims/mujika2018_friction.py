"""The claim of Mujika 2018 about friction: Coulomb's limits, apart along and across the body.

A point of one node on an incline is stepped by backward Euler with the forces of the worm's
contact, each step to convergence. Nothing of a body is in the way.
"""

import numpy as np

from skitter.claims.registry import Finding, claim
from skitter.elastic.anchored import (
    Grip,
    add_contact,
    build_footing,
    compute_jacobian,
    find_ground,
    settle_anchors,
)
from skitter.errors import SimulationError
from skitter.scene.spec import PlaneTerrain
from skitter.terrain import build_terrain

GRAVITY, MASS, STEP = 981.0, 5e-9, 0.02  # cm/s², g, s
SINK = 8e-5  # cm, how deep the point lies in level ground
STIFFNESS = MASS * GRAVITY / SINK  # dyn/cm
FORWARD, BACKWARD, ACROSS = 0.1, 1.0, 0.6
# Degrees from downhill to the body's direction, and the coefficient of slipping downhill then.
WAYS = {
    "forward": (0.0, FORWARD),
    "backward": (180.0, BACKWARD),
    "to the left": (90.0, ACROSS),
    "to the right": (-90.0, ACROSS),
}
STEPS = 100  # in which a point that slips has shown it
FINE = 2e-3  # degrees
ITERATIONS = 50
CONVERGED = 1e-13  # cm


class Incline:
    """A slope that falls towards +x, in degrees, and a point on it that its weight presses in."""

    def __init__(self, slope: float, heading: float):
        a, f = np.radians(slope), np.radians(heading)
        self.normal = np.array([np.sin(a), np.cos(a), 0.0])
        down, side = np.array([np.cos(a), -np.sin(a), 0.0]), np.array([0.0, 0.0, 1.0])
        self.direction = np.array([np.cos(f) * down + np.sin(f) * side])
        normal = (float(self.normal[0]), float(self.normal[1]), 0.0)
        self.terrain = build_terrain([PlaneTerrain(shape="plane", normal=normal, friction=1.0)])
        self.grip = Grip(
            node=np.zeros((1, 3), np.int64), weight=np.array([[1.0, 0.0, 0.0]]),
            share=np.array([0.01]), stiffness=np.array([STIFFNESS]), forward=FORWARD,
            backward=BACKWARD, across=ACROSS, film=0.0, reach=0.002,
        )  # fmt: skip
        self.foot = build_footing(1)
        self.x = np.array([-SINK * np.cos(a) * self.normal])
        self.v = np.zeros((1, 3))

    def find_force(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of the ground [3], dyn, and its slope [3, 3], dyn/cm."""
        force, blocks = np.zeros((1, 3)), np.zeros((1, 3, 3))
        add_contact(self.grip, self.foot, x, 0.0, force, blocks)
        touches = blocks.any()
        slope = compute_jacobian(self.grip, self.foot, 0, x[0]) if touches else np.zeros((3, 3))
        return force[0], slope

    def step(self) -> None:
        find_ground(self.terrain.arrays, self.grip, self.direction, self.x, self.foot)
        x, weight = self.x.copy(), np.array([0.0, -MASS * GRAVITY, 0.0])
        for _ in range(ITERATIONS):
            force, slope = self.find_force(x)
            left = force + weight - MASS * (x - self.x - STEP * self.v)[0] / STEP**2
            change = np.linalg.solve(MASS / STEP**2 * np.eye(3) - slope, left)
            x = x + change
            if np.abs(change).max() < CONVERGED * max(1.0, np.abs(x).max()):
                break
        else:
            raise SimulationError("a point on an incline: the iteration does not converge")
        settle_anchors(self.grip, self.foot, x)
        self.x, self.v = x, (x - self.x) / STEP

    def slips(self) -> bool:
        """Whether it leaves by more than its spring gives way where it holds."""
        for _ in range(STEPS):
            self.step()
        way = self.x[0] - self.x[0] @ self.normal * self.normal
        return bool(np.linalg.norm(way) > 5 * SINK)


def find_slip(heading: float) -> float:
    """The slope from which on the point slips, degrees, by bisection."""
    low, high = 0.0, 80.0
    while high - low > FINE:
        middle = (low + high) / 2
        low, high = (low, middle) if Incline(middle, heading).slips() else (middle, high)
    return (low + high) / 2


@claim(
    id="mujika2018/anisotropic-friction-exact",
    paper="Mujika 2018 section 7, equations 8 to 13",
    statement="Friction holds up to Coulomb's limit, one of its own along the body forward,"
    " backward and across",
    scene="a point on an incline of growing slope, the body's direction downhill, uphill and"
    " across, with coefficients of 0.1, 1 and 0.6",
    sense="at most",
    expected=0.0,
    tolerance=0.005,
    unit="degrees",
    why="largest error of the angle at which it slips, the arc tangent of the coefficient; the"
    " slope is found to a thousandth of a degree",
)
def measure_slip_angles() -> Finding:
    parts, errors = {}, []
    for way, (heading, coefficient) in WAYS.items():
        parts[way] = find_slip(heading)
        errors.append(abs(parts[way] - float(np.degrees(np.arctan(coefficient)))))
    return Finding(float(np.max(errors)), parts)
