"""Eels: an action bends the joints of the body, by the muscles of their two sides.

All eels of a herd swim in one compiled call, their muscles side by side in its lanes
(`skitter.creatures.school`). Every block has a bend between -1 (to the right) and 1 (to the left),
by which its sides are as long as the eel's own controller would have them (Fang 2015 eq. 5.5):

    s_l = sin(pi/4 - pi/4 bend) ,   s_r = cos(pi/4 - pi/4 bend) ,   l = l_min + s (l_max - l_min) .

A stroke of the species is a bend that goes to and fro at an even pace, each joint a phase behind
the one before (`bend_strokes`), so that its own controller can be written as actions.
"""

from typing import Any

import numpy as np

from skitter.compiled import LANES
from skitter.control.swim import FREQUENCY, GOAL_FREQUENCY, GOAL_LEVEL, PHASE
from skitter.control.swim_build import build_state
from skitter.creatures.physics import Physics
from skitter.creatures.school import School
from skitter.creatures.swimmer import Swimmer
from skitter.errors import SimulationError
from skitter.learn.entry import COMMON, Entry, list_many
from skitter.learn.herd import Herd, Trunk, find_axes, find_bends
from skitter.rotation import quaternion_to_matrix
from skitter.scene.spec import CreaturePlacement
from skitter.terrain import build_terrain
from skitter.water.surface import build_still_water
from skitter.world import World

STEPS = 20  # of the bodies, in a step of the environment
FASTEST = 16.0  # 1/s that a bend may change by: strokes of up to 4 Hz
HALF = np.pi / 2  # rad of phase for a bend of 1
AFLOAT = (0.0, -0.3, 0.0)  # cm
DRIFT = 0.5  # cm/s, of the first velocity, along and across
FIRST_BEND = 0.1


def bend_strokes(
    time: float,
    joints: int,
    frequency: float,
    phase_deg: float,
    head: float = 1.0,
    tail: float = 1.0,
) -> np.ndarray:
    """Bends [joint] of strokes of so many Hz at a time, s, each joint some degrees behind the one
    before; with `head` and `tail` 1, those that the species' own controller asks for."""
    rank = np.arange(joints)
    cycles = frequency * time - rank * phase_deg / 360
    # theta of eq. 5.5, folded: |sin| and |cos| of theta/2 + pi/4 go to and fro between 0 and 1
    fold = np.abs(np.mod(2 * cycles + 0.5, 2) - 1) * 2 - 1
    return np.asarray(fold * np.linspace(head, tail, joints))


class Swimmers(Herd):
    """Eels in endless still water."""

    rate = 50.0
    scene = {  # noqa: RUF012  nobody changes it
        "title": "An eel that learns",
        "time_step": 1 / 1000,
        "terrain": [{"shape": "plane", "at": [0, -5, 0], "colour": "#b9a583"}],
        "creatures": [{"species": "eel", "name": "eel", "at": list(AFLOAT)}],
    }

    def start_rows(self) -> None:
        species: Any = self.loaded.species[0]
        physics = Physics(1 / (STEPS * self.rate), self.loaded.spec.gravity, np.float32)
        place = CreaturePlacement(species="eel", at=AFLOAT)
        self.school = School(species, place, physics, np.zeros((self.count, 2)))
        self.parts = len(self.school.plan.rigid) // self.count
        self.joints = len(self.school.plan.soft) // self.count
        self._lead_blocks()
        self.begun, self.owners = self.school.state(), find_owners(self.school)
        self.terrain, self.water = build_terrain([]), build_still_water(0.0, 1.0)
        ends = self.school.body_position.astype(float)[[0, self.parts - 1], 0]
        self.length = float(ends[0] - ends[1]) + species.head.size[0]
        names = [f"{k + 1}" for k in range(self.joints)]
        about = "bend of the joint that is asked for, 1 to the left; joint 1 is behind the head"
        self.actions = list_many(names, "bend", "1", 1.0, about)
        self.observations = (*COMMON, *self.list_looks(names))
        self.shown: Swimmer | None = None

    def _lead_blocks(self) -> None:
        """Let every block be driven by itself: to the kernel each is a swimmer of one block."""
        blocks = self.count * self.joints
        self.school.swim = self.school.swim._replace(owner=np.arange(blocks), rank=np.zeros(blocks))
        self.school.swim_state = build_state(blocks, blocks)
        self.school.swim_state.swimmer[:, GOAL_LEVEL] = 1.0

    @staticmethod
    def list_looks(names: list[str]) -> tuple[Entry, ...]:
        return (
            *list_many(names, "angle", "rad", 2.0, "of the joint, positive to the left"),
            *list_many(names, "angle_rate", "rad/s", 60.0, "of the joint"),
            *list_many(names, "asked", "1", 1.0, "bend that the muscles have been brought to"),
        )

    @property
    def phase(self) -> np.ndarray:
        """Of all blocks [creature, joint], rad, for reading and writing."""
        return self.school.swim_state.swimmer.reshape(self.count, self.joints, -1)[:, :, PHASE]

    def start(self, k: int, rng: np.random.Generator, variation: float) -> None:
        """At rest afloat, but for a drift and bends at random; muscles come to their tone over the
        ramp of the species."""
        self.known = None
        drift = variation * rng.uniform(-DRIFT, DRIFT, 2)
        bends = variation * rng.uniform(-FIRST_BEND, FIRST_BEND, self.joints)
        self.put_back(k)
        velocity = np.array([drift[0], 0.0, drift[1]])
        first, school = k * self.parts, self.school
        for body in range(first, first + self.parts):
            pose = school.body_centre[body], school.body_orientation[body]
            school.set_body(body, *pose, velocity, np.zeros(3))
        for block in range(k * self.joints, (k + 1) * self.joints):
            nodes = np.tile(velocity, (len(school.node_places[block]), 1))
            school.write_nodes(school.soft_state.velocity, block, nodes)
        self.phase[k] = -HALF * bends

    def put_back(self, k: int) -> None:
        """One as it began; the others stay as they are."""
        for name, array in self.school.state_arrays().items():
            own = self.owners[name] == k
            array[own] = self.begun[name][own]

    def act(self, actions: np.ndarray) -> None:
        most = HALF * FASTEST * self.seconds
        way = np.clip(-HALF * actions - self.phase, -most, most)
        rates = (way / (2 * np.pi * self.seconds)).reshape(-1)
        items = self.school.swim_state.swimmer
        items[:, FREQUENCY] = items[:, GOAL_FREQUENCY] = rates

    def advance(self, moving: np.ndarray) -> None:
        """All of them; one that flies apart is put back, and the others begin the step again."""
        self.known, self.failed[:] = None, False
        kept = self.school.state()
        while True:
            try:
                self.school.advance(STEPS, self.terrain, None, self.water)
                return
            except SimulationError:
                wild = self.find_wildest()
            self.school.restore(kept)
            self.put_back(wild)
            self.failed[wild] = True
            kept = self.school.state()

    def find_wildest(self) -> int:
        """The one that moves fastest, or no longer as a number."""
        speeds = np.abs(self.school.body_velocity).reshape(self.count, -1).max(axis=1)
        return int(np.argmax(np.nan_to_num(speeds, nan=np.inf)))

    def rows(self, values: np.ndarray) -> np.ndarray:
        """Values of bodies [creature, part, ...]."""
        return values.astype(float).reshape(self.count, self.parts, *values.shape[1:])

    def find_trunk(self) -> Trunk:
        school = self.school
        places, velocity = self.rows(school.body_position), self.rows(school.body_velocity)
        turns = self.rows(quaternion_to_matrix(school.body_orientation))
        up = turns[:, :, :, 1].mean(axis=1)
        return Trunk(places.mean(axis=1), velocity.mean(axis=1), find_axes(places, up))

    def look(self) -> np.ndarray:
        turns = self.rows(quaternion_to_matrix(self.school.body_orientation))
        up = turns[:, :, :, 1].mean(axis=1)
        up /= np.linalg.norm(up, axis=1, keepdims=True)
        spin = np.einsum("npj,nj->np", self.rows(self.school.body_spin), up)
        angle, rate = find_bends(turns[:, :, :, 0], up), spin[:, :-1] - spin[:, 1:]
        return np.column_stack([angle, rate, -self.phase / HALF])

    def find_fallen(self) -> np.ndarray:
        """Those that have rolled over onto their backs."""
        return np.asarray(self.trunk.axes[:, 1, 1] < 0)

    def show(self, k: int) -> Swimmer:
        """A swimmer of its own with the body of one of the school."""
        if self.shown is None:
            world = World(self.loaded, threads=1)
            self.shown = world.creatures[0]  # type: ignore[assignment]
            world.close()
        one, school = self.shown, self.school
        assert one is not None
        for body in range(self.parts):
            row = k * self.parts + body
            pose = school.body_centre[row], school.body_orientation[row]
            one.set_body(body, *pose, school.body_velocity[row], np.zeros(3))
        nodes = school.node_position.reshape(self.count * self.joints, -1, 3)
        for block in range(self.joints):
            one.write_nodes(one.soft_state.position, block, nodes[k * self.joints + block])
        one.settle()
        return one


def find_owners(school: School) -> dict[str, np.ndarray]:
    """Which swimmer every number of the state belongs to, by array; -1: to nobody, or to all.

    Bodies are lanes of packs, cells lanes of rows, and numbers of one lane stand a whole number of
    lanes apart.
    """
    bodies, blocks = (len(n) // school.count for n in (school.plan.rigid, school.plan.soft))
    of_block = np.arange(len(school.plan.soft)) // blocks
    lanes = np.full(school.body_state.rows.shape[0] * LANES, -1)
    lanes[: len(school.plan.rigid)] = np.arange(len(school.plan.rigid)) // bodies
    nodes = np.full(school.soft_state.position.shape, -1)
    for block, places in enumerate(school.node_places):
        nodes[places[:, None] + LANES * np.arange(3)] = of_block[block]
    cells = of_block[school.soft.cell_block]
    found = {"node_position": nodes, "node_velocity": nodes}
    for name, array in school.state_arrays().items():
        if name in ("body", "contact", "frame"):
            found[name] = spread(lanes.reshape(-1, LANES), array.shape)
        elif name in ("rotation", "rest"):
            found[name] = spread(cells, array.shape)
        elif name not in found:
            own = of_block if len(array) == len(of_block) else np.full(len(array), -1)
            found[name] = np.broadcast_to(own.reshape(-1, *[1] * (array.ndim - 1)), array.shape)
    return found


def spread(lanes: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Owners of lanes [row, lane] for an array [row, ..., item and lane]."""
    rows = lanes.reshape(len(lanes), *[1] * (len(shape) - 2), lanes.shape[1])
    times = shape[-1] // lanes.shape[1]
    return np.broadcast_to(np.tile(rows, times), shape)
