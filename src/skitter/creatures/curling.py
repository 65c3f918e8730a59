"""How a myriapod coils: which shape it has in a frame, and the frame itself."""

from typing import TYPE_CHECKING

import numpy as np

from skitter.control.behaviour import COIL, COILED, DEAD, UNCOIL
from skitter.control.curl import ON_SIDE, UPRIGHT, Curl
from skitter.control.defending import MODE, SIDE, SINCE, is_curled
from skitter.control.spiral import (
    MIDDLE,
    bend_joints,
    blend_joints,
    find_bends,
    find_joints,
    place_chain,
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

TOPPLE = 0.3  # of the time it takes to coil, in which it turns over
NEAR_GROUND = 1.0  # body heights above the ground: from there its legs turn it over
LIES = 0.5  # cosine, above which it lies on a side already, and stays on that one
FOLDED = np.array([0.15, -1.2])  # rad, of antennae between the turns
FOLD_RATE = 6.0  # rad/s
RISE_RATE, RISE_MOST = 10.0, 8.0  # 1/s and cm/s, at which legs lift it to its walking height


class Curling:
    """The coil of one creature: what never changes about it, and what does."""

    def __init__(self, one: "Myriapod"):
        spec = one.species.defend
        sizes = np.array([part.size for part in one.plan.rigid])
        self.lengths, self.heights = sizes[:, 0], sizes[:, 1]
        self.blocks = np.full(len(sizes) - 1, one.species.joint.length)
        self.tallest = float(self.heights.max())
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

    def list_arrays(self) -> dict[str, np.ndarray]:
        curl = self.curl
        return {
            "curl_start": self.start, "curl_amount": self.amount, "curl_fit": curl.fit,
            "curl_place": curl.place, "curl_turn": curl.turn, "curl_strength": curl.strength,
        }  # fmt: skip

    def begin(self, one: "Myriapod") -> None:
        """Start from the shape that it has."""
        turns = one.body_orientation.astype(float)
        self.start[:] = find_joints(turns)
        self.curl.fit[:] = turns[len(turns) // 2]
        self.amount[:] = 0.0
        self.curl.strength[:] = 1.0
        self._shape(one, 0.0, 1)
        let_go(one)

    def stretch(self) -> None:
        """The way back leads to the straight body."""
        self.start[:] = MIDDLE

    def drop(self, one: "Myriapod") -> None:
        """Nothing holds it any more."""
        self.begin(one)
        self.curl.strength[:] = 0.0

    def _shape(self, one: "Myriapod", amount: float, end: int) -> None:
        """Where all parts are in the shape, at one end of a frame."""
        joints = blend_joints(self.start, self.coil, amount)
        places, turns = place_chain(joints, self.lengths, self.blocks)
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
            self._shape(one, find_amount(int(mode), passed), 1)
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
        """Whether legs turn it over, and how: on its side to coil, on its belly at the end."""
        if mode == COILED or len(around.terrain.arrays.kind) == 0:
            return
        middles = one.body_position.astype(float)
        far, normals = around.terrain.sample(middles)[:2]
        if np.median(far) > NEAR_GROUND * self.tallest:
            return
        normal = normals.mean(axis=0)
        normal = normal / max(float(np.linalg.norm(normal)), 1e-9)
        rising = mode == UNCOIL and passed > 1 - TOPPLE
        rate = np.pi / (TOPPLE * seconds)  # a quarter turn in half of that time
        rise = 0.0
        if rising:
            lack = one.species.walk.height - float(np.median(far))
            rise = float(np.clip(RISE_RATE * lack, -RISE_MOST, RISE_MOST))
        lies = float(quaternion_to_matrix(self.curl.fit)[:, 2] @ normal)
        if abs(lies) > LIES:
            side = -np.sign(lies)
        self.curl.lean[:] = UPRIGHT if rising else ON_SIDE, rate, *normal, side, rise


def find_amount(mode: int, passed: float) -> float:
    """How much of the coil there is, by the share of its time that has passed."""
    share = min(max((passed - TOPPLE) / (1 - TOPPLE), 0.0), 1.0)
    if mode == UNCOIL:
        share = 1 - min(max(passed / (1 - TOPPLE), 0.0), 1.0)
    if mode == COILED:
        share = 1.0
    return share * share * (3 - 2 * share)


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
