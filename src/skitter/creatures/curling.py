"""How a myriapod coils: which shape it has in a frame, and the frame itself.

Before it winds up, every part rolls about its own axis until the body lies on its side, and its
middle line stays where it was. Turned over as one piece, a body that walks a bend would stand up as
an arch on its two ends. Rolled in place, a bend to the side becomes one to the belly, in the plane
of the ground, and winding up goes on from there; so it rolls to the side that has the belly inside.
"""

from typing import TYPE_CHECKING

import numpy as np

from skitter.control.behaviour import COIL, COILED, DEAD, UNCOIL
from skitter.control.curl import CARRIED, FLAT, Curl
from skitter.control.defending import MODE, SIDE, SINCE, is_curled
from skitter.control.spiral import (
    MIDDLE,
    bend_joints,
    blend_joints,
    find_bends,
    find_joints,
    place_chain,
    roll_joints,
    roll_parts,
)
from skitter.control.targeter import DRIVEN, look_everywhere
from skitter.control.walker import (
    ADJUSTMENT,
    GOAL_SPEED,
    GOAL_TURN,
    LOST_SINCE,
    SPEED,
    TURN,
)
from skitter.creatures.creature import Around
from skitter.creatures.curl_step import advance_curled
from skitter.errors import SimulationError
from skitter.rotation import quaternion_to_matrix

if TYPE_CHECKING:
    from skitter.creatures.myriapod import Myriapod

TOPPLE = 0.3  # of the time it takes to coil, in which it rolls on its side
NEAR_GROUND = 1.0  # body heights above the ground: from there its legs turn it over
LIES = 0.5  # cosine, above which it lies on a side already, and stays on that one
BENT = 0.2  # rad from head to tail, above which a bend says to which side it rolls
FOLDED = np.array([0.15, -1.2])  # rad, of antennae between the turns
FOLD_RATE = 6.0  # rad/s
RISE_RATE, RISE_MOST = 10.0, 8.0  # 1/s and cm/s, at which legs lift it up and let it down


class Curling:
    """The coil of one creature: what never changes about it, and what does."""

    def __init__(self, one: "Myriapod"):
        spec = one.species.defend
        sizes = np.array([part.size for part in one.plan.rigid])
        self.lengths, self.heights = sizes[:, 0], sizes[:, 1]
        self.blocks = np.full(len(sizes) - 1, one.species.joint.length)
        self.tallest = float(self.heights.max())
        self.widest = float(sizes[:, 2].max())
        links = self.blocks + (self.lengths[1:] + self.lengths[:-1]) / 2
        bends = np.zeros(len(links))
        if spec is not None and spec.coil_range > 0:
            bends = find_bends(links, self.heights, self.blocks, spec.tightness, spec.spacing)
        self.coil = bend_joints(bends)
        count = len(sizes)
        mass = np.array([weight.mass for weight in one.weights])
        place, turn = np.zeros((2, count, 3)), np.tile(MIDDLE, (2, count, 1))
        self.curl = Curl(mass, place, turn, MIDDLE.copy(), np.zeros(7), np.ones(1))
        self.start = np.tile(MIDDLE, (count - 1, 1))  # joints as it began
        self.amount = np.zeros(1)  # 0 as it began, 1 coiled
        self.roll = np.zeros(1)  # rad, by which parts are rolled about their axes when it lies

    def list_arrays(self) -> dict[str, np.ndarray]:
        curl = self.curl
        return {
            "curl_start": self.start, "curl_amount": self.amount, "curl_roll": self.roll,
            "curl_fit": curl.fit,
            "curl_place": curl.place, "curl_turn": curl.turn, "curl_strength": curl.strength,
        }  # fmt: skip

    def begin(self, one: "Myriapod", normal: np.ndarray | None, memory: np.ndarray) -> None:
        """Start from the shape that it has, and choose on which side it will lie, rather on that
        which it has in mind. `normal` is the ground's; None far from it."""
        turns = one.body_orientation.astype(float)
        joints = find_joints(turns)
        self.roll[:] = 0.0
        if normal is not None:
            leaning = find_roll(turns, normal)
            memory[SIDE] = choose_side(leaning, joints, memory[SIDE])
            self.roll[:] = wrap(memory[SIDE] * np.pi / 2 - leaning)
        self.start[:] = roll_joints(joints, self.roll[0])
        self.curl.fit[:] = roll_parts(turns[len(turns) // 2], self.roll[0])
        self.curl.strength[:] = 1.0
        self._shape(one, 0.0, 0.0, 1)
        let_go(one)

    def stretch(self, normal: np.ndarray | None, memory: np.ndarray) -> None:
        """The way back leads to the straight body, and onto its belly from where it lies."""
        lies = 0.0 if normal is None else float(self._axis @ normal)
        if abs(lies) > LIES:
            memory[SIDE] = -np.sign(lies)
        self.start[:], self.roll[:] = MIDDLE, memory[SIDE] * np.pi / 2

    def drop(self, one: "Myriapod") -> None:
        """Nothing holds it any more."""
        self.begin(one, None, np.zeros(0))
        self.curl.strength[:] = 0.0

    @property
    def _axis(self) -> np.ndarray:
        """Across the plane of the coil, in the world."""
        return quaternion_to_matrix(self.curl.fit)[:, 2]

    def _shape(self, one: "Myriapod", amount: float, rolled: float, end: int) -> None:
        """Where all parts are in the shape, at one end of a frame. `rolled` is 1 once it lies."""
        joints = blend_joints(self.start, self.coil, amount)
        places, turns = place_chain(joints, self.lengths, self.blocks)
        turns = roll_parts(turns, (rolled - 1) * self.roll[0])
        arms = np.einsum("nij,nj->ni", quaternion_to_matrix(turns), one.middle_offset)
        places = places - arms
        curl = self.curl
        curl.place[end] = places - np.average(places, axis=0, weights=curl.mass)
        curl.turn[end] = turns
        self.amount[:] = amount

    def advance(self, one: "Myriapod", around: Around, memory: np.ndarray, seconds: float) -> None:
        """A frame: the shape at its end, then all steps. `seconds` is how long coiling takes."""
        curl, mode = self.curl, memory[MODE]
        curl.place[0], curl.turn[0] = curl.place[1], curl.turn[1]
        curl.lean[:] = 0.0
        if mode != DEAD:
            passed = (around.time + around.seconds - memory[SINCE]) / seconds
            self._shape(one, find_amount(int(mode), passed), find_rolled(int(mode), passed), 1)
            self._lean(one, around, int(mode), passed, seconds, memory[SIDE])
            if mode == UNCOIL and passed > 1:
                stand_up(one)
        fold_antennae(one, around.seconds)
        advance(one, around, curl)
        look_everywhere(
            around.terrain.arrays, around.things.barrier.arrays, one.body_state, one.walker_state
        )
        one.place_antennae()

    def _lean(
        self,
        one: "Myriapod",
        around: Around,
        mode: int,
        passed: float,
        seconds: float,
        side: float,
    ) -> None:
        """What legs do: keep it flat on the ground, let it down to begin and lift it at the end."""
        far, normal = look_down(one, around, self.tallest)
        if mode == COILED or normal is None:
            return
        kind, height = FLAT, far
        if mode == COIL and passed < TOPPLE:
            kind, height = CARRIED, self._find_clearance(find_rolled(mode, passed), side)
        elif mode == UNCOIL and passed > 1 - TOPPLE:
            kind, height = CARRIED, one.species.walk.height
        rise = float(np.clip(RISE_RATE * (height - far), -RISE_MOST, RISE_MOST))
        rate = np.pi / (TOPPLE * seconds)  # a quarter turn in half of that time
        lies = float(self._axis @ normal)
        if abs(lies) > LIES:
            side = -np.sign(lies)
        self.curl.lean[:] = kind, rate, *normal, side, rise

    def _find_clearance(self, rolled: float, side: float) -> float:
        """How high above the ground its middle must be while it rolls, cm: boxes have edges."""
        angle = side * np.pi / 2 + (rolled - 1) * self.roll[0]
        return float(self.tallest * abs(np.cos(angle)) + self.widest * abs(np.sin(angle))) / 2


def look_down(one: "Myriapod", around: Around, tallest: float) -> tuple[float, np.ndarray | None]:
    """How high above the ground it is, cm, and the ground's normal; None if legs cannot reach."""
    if len(around.terrain.arrays.kind) == 0:
        return np.inf, None
    far, normals = around.terrain.sample(one.body_position.astype(float))[:2]
    height = float(np.median(far))
    if height > NEAR_GROUND * tallest:
        return height, None
    normal = normals.mean(axis=0)
    return height, normal / max(float(np.linalg.norm(normal)), 1e-9)


def find_roll(turns: np.ndarray, normal: np.ndarray) -> float:
    """By how much a body is rolled about its own axis against one that stands, rad."""
    axes = quaternion_to_matrix(turns)
    up, right = (axes[:, :, k] @ normal for k in (1, 2))
    return float(np.arctan2(-right.mean(), up.mean()))


def choose_side(leaning: float, joints: np.ndarray, side: float) -> float:
    """The side on which it lies already, or the one that has its belly inside of its bend."""
    if abs(np.sin(leaning)) > LIES:
        return float(np.sign(leaning))
    bend = 2 * float(np.sign(joints[:, 0]) @ joints[:, 2])  # rad, to the side
    return -float(np.sign(bend)) if abs(bend) > BENT else side


def wrap(angle: float) -> float:
    """The same angle within half a turn."""
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def ease(share: float) -> float:
    """From 0 to 1, gently at both ends."""
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


def find_amount(mode: int, passed: float) -> float:
    """How much of the coil there is, by the share of its time that has passed."""
    if mode == COILED:
        return 1.0
    return ease(1 - passed / (1 - TOPPLE) if mode == UNCOIL else (passed - TOPPLE) / (1 - TOPPLE))


def find_rolled(mode: int, passed: float) -> float:
    """How far it has rolled onto its side, likewise."""
    if mode == COILED:
        return 1.0
    return ease((1 - passed) / TOPPLE if mode == UNCOIL else passed / TOPPLE)


def let_go(one: "Myriapod") -> None:
    """Legs carry it no longer: they are tucked, as in water."""
    walker = one.walker_state
    walker.submerged[:], walker.supported[:] = 1, 0
    walker.drive[:, DRIVEN] = 0.0
    walker.mode[0] = ADJUSTMENT
    for item in (SPEED, TURN, GOAL_SPEED, GOAL_TURN):
        walker.head[item] = 0.0
    walker.head[LOST_SINCE] = -1.0


def stand_up(one: "Myriapod") -> None:
    """Its legs look for the ground again."""
    one.walker_state.submerged[:] = 0


def fold_antennae(one: "Myriapod", seconds: float) -> None:
    root, most = one.walker_state.antenna_root, FOLD_RATE * seconds
    root += np.clip(FOLDED - root, -most, most)
    one.walker_state.antenna_goal[:] = root


def advance(one: "Myriapod", around: Around, curl: Curl) -> None:
    """All steps of a frame in one compiled call."""
    real, spent = one.physics.real, one.wet_scratch
    spent.soft_work[:], spent.body_work[:] = 0, 0
    failed = advance_curled(
        around.steps, real(one.physics.dt), real(one.physics.gravity), around.terrain.arrays,
        one.soft, one.soft_state, one.soft_scratch, one.body, one.body_state, one.body_scratch,
        one.walker, one.walker_state, around.water, one.wet, one.wet_scratch, curl, None,
    )  # fmt: skip
    if failed >= 0:
        raise SimulationError(
            f"creature '{one.name}' blew up in step {failed + 1} of {around.steps} of the frame"
            " while it was coiled: try a smaller time_step or defend.tightness"
        )


__all__ = ["COIL", "Curling", "is_curled", "let_go", "stand_up"]
