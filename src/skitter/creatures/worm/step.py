"""One step of a worm: backward Euler, linearised, solved by a banded factor.

Mujika 2018 section 8. With x0, v0 at the start and h the step, the end x of it solves

    M (x - x0 - h v0) / h² + D (x - x0) / h = f(x)

f: elastic forces with muscles and internal friction, contact, the mode's forces and weight; D the
drag of the medium. One solve with the matrix at x0 is the paper's step. What it leaves over is
taken away by further solves with the same factor, which cost a tenth of the first; a new factor is
made where they do not get there quickly, the tangent is made positive where it is not, and a step
that still fails is taken as two halves. Steps that end in anything but numbers are refused.

Obstacles are a second surface of the same contact: without a film, and as stiff as the body. The
plane at which an obstacle stops a point is that of the start of a step, so a step in which points
near one go too far is taken as two halves, too.

Others push with forces that stay the same in a step. How the body answers to them is what the
matrix at the end of the step says (`Stepper.respond`); the end of such a step is found together
with those others (`Stepper.finish`).
"""

from dataclasses import dataclass, field, replace

import numpy as np

from skitter.compiled import kernel
from skitter.creatures.worm.body import Body
from skitter.elastic.anchored import (
    Footing,
    Grip,
    add_contact,
    build_footing,
    find_ground,
    settle_anchors,
)
from skitter.elastic.banded import NotPositive, add_blocks, add_diagonal, share_points
from skitter.elastic.momentum import compensate
from skitter.elastic.stvk import ROW, WORK, add_forces, add_tangent, measure_strain
from skitter.errors import SimulationError
from skitter.terrain.surface import TerrainArrays

EXACT = 5e-3  # of the radius: a step is solved when the last correction is smaller,
CLOSE = 0.03  # or than this much of the way of the step
FACTORS = 20  # most factors of a step
SOLVES = 6  # with one factor
SLOW = 0.5  # a correction that is not smaller than the last by this asks for a new factor
HALVINGS = 10
PATIENCE = 10  # factors
ENOUGH = 3  # factors of a step after which a correction of
FAIR = 0.25  # of the radius is small enough
LEAP = 3.0  # radii: a correction that is larger is cut
FAR = 0.5  # radii that a point may go in a step while it comes near an obstacle
FAR_PIECES = 64  # of a step, at most, for that


@dataclass(frozen=True)
class Outside:
    """What acts on a body from outside during a step, besides the ground."""

    weight: float  # cm/s², of every gram, downwards
    activity: np.ndarray | None  # [node, 3] dyn, forces of a drive, not yet made internal
    along: float  # g/(cm s), drag of the medium for each cm of length
    across: float
    obstacles: TerrainArrays | None = None
    fair: float = 1.0  # by how much less of a correction is fair than usual, in a shorter step


@dataclass
class Motion:
    """What changes about a body."""

    x: np.ndarray  # [node, 3] cm
    v: np.ndarray  # [node, 3] cm/s
    foot: Footing
    tension: list[np.ndarray]  # [group, ROW] of each part, dyn/cm²: active stress along the fibres
    internal: np.ndarray  # [node, 3] dyn, of elements and drive, at the end of the last step
    wall: Footing  # on obstacles
    contact: np.ndarray = field(default_factory=lambda: np.zeros(3))  # dyn, of the last step
    solves: int = 0  # of the last step
    factors: int = 0
    patience: int = 0  # factors to be made safe before the exact tangent is tried again

    def copy(self) -> "Motion":
        """All of it as it is now; only tensions are shared."""
        foot, wall = (Footing(*(array.copy() for array in one)) for one in (self.foot, self.wall))
        return replace(self, foot=foot, wall=wall)


def build_motion(body: Body, x: np.ndarray, v: np.ndarray) -> Motion:
    tension = [np.zeros(one.volume.shape) for one in body.elements]
    foot, wall = (build_footing(len(one.node)) for one in (body.touch, body.skin))
    return Motion(x.copy(), v.copy(), foot, tension, np.zeros_like(x), wall)


@kernel
def fill_drag(direction, share, along, across, blocks):
    """Drag of each node of the surface, less along the body than across it [point, 3, 3], g/s."""
    for k in range(len(share)):
        for i in range(3):
            for j in range(3):
                blocks[k, i, j] = share[k] * (along - across) * direction[k, i] * direction[k, j]
            blocks[k, i, i] += share[k] * across


@kernel
def add_drag(node, blocks, x, start, rate, force):
    """Add -D (x - start) / h, dyn; `rate` is 1 / h."""
    for k in range(len(node)):
        n = node[k]
        for i in range(3):
            for j in range(3):
                force[n, i] -= rate * blocks[k, i, j] * (x[n, j] - start[n, j])


class Stepper:
    """Steps of one body; keeps the room for its matrix."""

    def __init__(self, body: Body, grip: Grip, damping: float, wall: Grip | None = None):
        self.body, self.grip, self.damping = body, grip, damping
        self.wall = wall  # against obstacles; none: it does not meet any
        self.enough, self.fair = ENOUGH, FAIR  # 1 and infinity: the paper's single solve
        self.exact, self.close = EXACT, CLOSE
        self.system, points = body.system, len(body.surface)
        self._before = [np.zeros((len(one.volume), 6 * ROW)) for one in body.elements]
        self._work = [np.zeros(WORK) for _ in body.elements]
        self._forces = [np.zeros((len(body.mass), 3)) for _ in body.elements]
        self._drag, self._grip_blocks = np.zeros((points, 3, 3)), np.zeros((len(grip.node), 3, 3))
        self._skin, self._ones = body.surface[:, None], np.ones((points, 1))
        self._gripping = share_points(grip.node, self.system.parts)
        self._dragged = share_points(self._skin, self.system.parts)
        self._wall_blocks = np.zeros((len(body.skin.node), 3, 3))
        self._walled = share_points(body.skin.node, self.system.parts)

    def advance(
        self,
        motion: Motion,
        seconds: float,
        terrain: TerrainArrays,
        outside: Outside,
    ) -> None:
        """One step, or several shorter ones where it cannot be taken at once."""
        done, pieces, motion.solves, motion.factors = 0, 1, 0, 0
        while done < pieces:
            most = FAR if pieces < FAR_PIECES else np.inf
            if self._try(motion, seconds / pieces, terrain, outside, most):
                done += 1
            elif pieces >= 2**HALVINGS:
                raise SimulationError(
                    f"a step of {seconds:g} s cannot be solved, nor can a {pieces}th of it"
                )
            else:
                done, pieces = 2 * done, 2 * pieces

    def _try(
        self, motion: Motion, h: float, terrain: TerrainArrays, outside: Outside, most: float
    ) -> bool:
        """Take a step of h seconds if it can be solved; else leave everything as it is."""
        kept = motion.copy()
        self._start(motion, terrain, outside)
        x = self._solve(motion, h, outside)
        if x is None or not np.isfinite(x).all() or self._goes_far(motion, x, outside, most):
            motion.foot, motion.wall = kept.foot, kept.wall
            return False
        self._settle(motion, x, h, outside)
        return True

    def _start(self, motion: Motion, terrain: TerrainArrays, outside: Outside) -> None:
        """What a step needs to know of where it starts: strains, ground, obstacles and drag."""
        body = self.body
        ahead = body.find_directions(body.find_midline(motion.x))
        for k, elements in enumerate(body.elements):
            measure_strain(elements, motion.x, self._work[k], self._before[k])
        find_ground(terrain, self.grip, ahead[body.touch.station], motion.x, motion.foot)
        if (met := self._find_met(outside)) is not None:
            grip, obstacles = met
            find_ground(obstacles, grip, ahead[body.skin.station], motion.x, motion.wall)
        else:
            motion.wall.touching[:] = False
        self.set_drag(motion.x, outside)

    def _find_met(self, outside: Outside) -> tuple[Grip, TerrainArrays] | None:
        """The obstacles of a step, if there are any, and how the skin holds on to them."""
        if self.wall is None or outside.obstacles is None or len(outside.obstacles.row) == 0:
            return None
        return self.wall, outside.obstacles

    def _goes_far(self, motion: Motion, x: np.ndarray, outside: Outside, most: float) -> bool:
        """Whether a point goes more than so many radii where an obstacle is within its way."""
        if self._find_met(outside) is None:
            return False
        way = np.linalg.norm(x - motion.x, axis=1)[self.body.skin.node].max(axis=1)
        return bool(((way > most * self.body.radius) & (motion.wall.gap < way)).any())

    def respond(
        self, motion: Motion, x: np.ndarray, h: float, terrain: TerrainArrays, outside: Outside,
        forces: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """A step of h seconds that ends near x, linearised there: what is missing to its end
        [node, 3], cm, and how much further some forces [m, node, 3], dyn, would take it.

        `motion` is that of the start of the step, and stays as it is.
        """
        start = motion.copy()
        self._start(start, terrain, outside)
        left, _ = self._find_rest(start, x, h, outside, 0.0)
        if not self._factor(start, x, h):
            raise SimulationError(f"the matrix of a step of {h:g} s is not positive")
        shift = np.array([self.system.solve(one) for one in forces]).reshape(forces.shape)
        return self.system.solve(left), shift

    def finish(
        self, motion: Motion, x: np.ndarray, h: float, terrain: TerrainArrays, outside: Outside
    ) -> None:
        """End a step of h seconds at x, which somebody else has found."""
        self._start(motion, terrain, outside)
        self._find_rest(motion, x, h, outside, 0.0)
        self._settle(motion, x, h, outside)

    def _settle(self, motion: Motion, x: np.ndarray, h: float, outside: Outside) -> None:
        settle_anchors(self.grip, motion.foot, x)
        if (met := self._find_met(outside)) is not None:
            settle_anchors(met[0], motion.wall, x)
        motion.v = (x - motion.x) / h
        motion.x = x

    def set_drag(self, x: np.ndarray, outside: Outside) -> None:
        """The drag of the next step, of a body that lies as in x."""
        body = self.body
        direction = body.find_directions(body.find_midline(x))[body.station]
        fill_drag(direction, body.share, outside.along, outside.across, self._drag)

    def _solve(self, motion: Motion, h: float, outside: Outside) -> np.ndarray | None:
        """The end of a step [node, 3], or none."""
        x, ahead = motion.x.copy(), 1.0
        left, touch = self._find_rest(motion, x, h, outside, ahead)
        last = np.inf
        for _ in range(FACTORS):
            if not self._factor(motion, x, h):
                return None
            motion.factors += 1
            for _ in range(SOLVES):
                try:
                    change = self.system.solve(left)
                except NotPositive:  # which conjugate gradients find out only now
                    motion.patience = PATIENCE
                    break
                motion.solves += 1
                size = float(np.abs(change).max())
                if not np.isfinite(size):
                    return None
                x = x + change * min(1.0, LEAP * self.body.radius / max(size, 1e-30))
                left, now = self._find_rest(motion, x, h, outside, 0.0)
                if self.is_exact(size, motion.x, x):
                    return x
                if (
                    motion.factors >= self.enough
                    and size < outside.fair * self.fair * self.body.radius
                ):
                    return x
                slow, last, touch, before = size > SLOW * last, size, now, touch
                if slow or now != before:
                    break
        return None

    def is_exact(self, size: float, start: np.ndarray, x: np.ndarray) -> bool:
        """Whether a step from `start` to x is solved by a last correction of that size, cm."""
        way = float(np.abs(x - start).max())
        return size < max(self.exact * self.body.radius, self.close * way)

    def _find_rest(
        self, motion: Motion, x: np.ndarray, h: float, outside: Outside, ahead: float
    ) -> tuple[np.ndarray, int]:
        """Forces that are not balanced at x [node, 3], dyn; and a mark of which nodes touch."""
        body = self.body
        force = np.zeros_like(x)
        self._grip_blocks[:] = 0.0
        touch = add_contact(self.grip, motion.foot, x, ahead, force, self._grip_blocks)
        motion.contact = force.sum(axis=0)
        self._wall_blocks[:] = 0.0
        if (met := self._find_met(outside)) is not None:
            other = add_contact(met[0], motion.wall, x, ahead, force, self._wall_blocks)
            touch += len(self.grip.node) ** 3 * other
        add_drag(body.surface, self._drag, x, motion.x, 1 / h, force)
        force -= body.mass[:, None] * (x - motion.x - h * motion.v) / h**2
        force[:, 1] -= body.mass * outside.weight
        motion.internal = self._find_internal(motion, x, h, outside)
        return force + motion.internal, touch

    def _find_internal(
        self, motion: Motion, x: np.ndarray, h: float, outside: Outside
    ) -> np.ndarray:
        """Forces of the elements and of the drive, which have no net force or torque."""

        def push(k: int) -> None:
            self._forces[k][:] = 0.0
            add_forces(
                self.body.elements[k], x, motion.tension[k], self._before[k], self.damping / h,
                self._work[k], self._forces[k],
            )  # fmt: skip

        self.system.each(push)
        total = np.sum(self._forces, axis=0)
        if outside.activity is not None:
            centre = self.body.mass @ x / self.body.mass.sum()
            total += compensate(outside.activity, x, centre)
        return np.asarray(total)

    def _factor(self, motion: Motion, x: np.ndarray, h: float) -> bool:
        """The factor of the matrix at x; where that is not positive, of one that should be."""
        for safe in (False, True) if motion.patience == 0 else (True,):
            try:
                self.fill_matrix(motion, x, h, safe)
                self.system.factor()
                motion.patience = max(motion.patience - 1, 0)
                return True
            except NotPositive:
                motion.patience = PATIENCE
        return False

    def fill_matrix(self, motion: Motion, x: np.ndarray, h: float, safe: bool) -> None:
        """The matrix at x, part by part; what belongs to a node of the slice, once."""
        body, grip, skin, drag = self.body, self.grip, self.body.skin, self._drag / h
        is_walled = self._wall_blocks.any()

        def fill(k: int) -> None:
            part = self.system.parts[k]
            part.band[:] = 0.0
            add_tangent(
                body.elements[k], x, motion.tension[k], self._before[k], self.damping / h, safe,
                self._work[k], part.band,
            )  # fmt: skip
            where = part.first, part.sign, part.band
            count = part.count if part.owner else part.inner
            add_diagonal(part.pick(body.mass)[:count] / h**2, part.band)
            add_blocks(self._gripping[k], grip.node, grip.weight, self._grip_blocks, *where)
            if is_walled:
                add_blocks(self._walled[k], skin.node, skin.weight, self._wall_blocks, *where)
            add_blocks(self._dragged[k], self._skin, self._ones, drag, *where)

        self.system.each(fill)
