"""What walkers and swimmers share: a head that eats and is led, and a mind for the water."""

from collections.abc import Mapping

import numpy as np

from skitter.control import sight
from skitter.control.sight import Place
from skitter.control.swim import FREQUENCY, GOAL_LEVEL
from skitter.control.walker import Surroundings
from skitter.creatures import swim_frame
from skitter.creatures.creature import Around
from skitter.creatures.figure import Figure
from skitter.creatures.physics import Physics
from skitter.creatures.placing import find_due
from skitter.rotation import quaternion_to_matrix
from skitter.scene.spec import CreaturePlacement
from skitter.species.myriapod import MyriapodSpec
from skitter.species.swimmer import SwimmerSpec
from skitter.state import State
from skitter.things import Things

LED = "led"  # of its state: whether it is led, and whether by hand
SLOWEST_STROKE = 0.2  # Hz, for how long a heading is smoothed


class Animal(Figure):
    """A figure in a row with a head."""

    species: MyriapodSpec | SwimmerSpec

    def __init__(
        self,
        name: str,
        species: MyriapodSpec | SwimmerSpec,
        placement: CreaturePlacement,
        physics: Physics,
        rng: np.random.Generator,
    ):
        super().__init__(name, species, placement, physics, rng)
        self.commands = sorted(placement.commands, key=lambda command: command.time)
        self.is_puppet = bool(self.commands)  # led, by the scene's commands or by hand
        self.is_steered = False  # by hand
        self.food_count = np.zeros(1, np.int64)
        self.memory = sight.start_memory(self.find_place().forward)

    def start_frame(self, around: Around) -> None:
        self.told = self.sense(around)
        if around.water.density > 0:
            self.look(around, self.told)

    def sense(self, around: Around) -> Surroundings:
        """What its brain is told, after it has obeyed who leads it."""
        if not self.is_steered:
            self.obey(around.time)
        things = around.things
        points = self.body_position.astype(float) if things.spare else None
        return Surroundings(things.obstruct(points), around.others, things.smell(), self.is_puppet)

    def feed(self, things: Things) -> None:
        self.food_count[0] += things.eat(self.mouth, self.bite)

    def command(self, speed: float, turn: float) -> None:
        self.is_steered = True
        self.lead(speed, turn)

    def release(self) -> None:
        """The scene's commands are obeyed again; until the first is due, it stands still."""
        self.lead(0.0, 0.0)
        self.is_steered, self.is_puppet = False, bool(self.commands)

    def lead(self, speed: float, turn: float) -> None:
        """Take the head over: cm/s, and rad/s to the left, from now on."""
        self.is_puppet = True
        self.memory[sight.LED_SPEED], self.memory[sight.LED_TURN] = speed, turn

    def obey(self, time: float) -> None:
        """Follow the latest of the scene's commands whose time has come."""
        if due := find_due(self.commands, time):
            self.lead(due.speed, float(np.radians(due.turn_deg)))

    @property
    def food_eaten(self) -> int:
        """Pieces of food eaten so far."""
        return int(self.food_count[0])

    @property
    def mouth(self) -> np.ndarray:
        """The front of the head [3], cm."""
        axes = quaternion_to_matrix(self.body_orientation[0])
        middle = self.body_centre[0] + axes @ self.middle_offset[0]
        return np.asarray(middle + axes[:, 0] * self.species.head.size[0] / 2)

    @property
    def bite(self) -> float:
        """How far from its mouth it eats, cm."""
        return self.species.head.size[2] / 2

    @property
    def is_swimming(self) -> bool:
        """Whether it swims now, and looks about as swimmers do."""
        return True

    def find_place(self) -> Place:
        """Where its head is, and where the front of its body points."""
        middles = self.body_position.astype(float)
        third = max(1, len(middles) // 3)
        way = middles[:third].mean(axis=0) - middles[third : 2 * third].mean(axis=0)
        length = float(np.linalg.norm(np.diff(middles, axis=0), axis=1).sum())
        return Place(middles[0], way / max(np.linalg.norm(way), 1e-9), length)

    def look(self, around: Around, told: Surroundings) -> None:
        """Decide how to swim during the next frame."""
        spec, eyes, memory = self.species.swim, self.species.eyes, self.memory
        if spec is None:
            return
        items, place = self.swim_state.swimmer[0], self.find_place()
        if not self.is_swimming:
            memory[sight.WET_SINCE] = around.time
            sight.smooth_heading(memory, place.forward, 1.0)
            return
        stroke = sight.STROKE_SHARE / max(items[FREQUENCY], SLOWEST_STROKE)
        heading = sight.smooth_heading(memory, place.forward, min(1.0, around.seconds / stroke))
        if self.is_puppet:
            speed, turn = sight.follow_lead(memory, spec)
        elif eyes is None:
            return
        elif self.wants_land(around.time):
            speed, turn = sight.seek_land(spec, eyes, memory, heading, place, around.terrain)
        else:
            free = sight.see_walls(eyes, heading, place, around.terrain, told, around.water)
            speed, turn = sight.decide(
                spec, eyes, memory, heading, place, around.time, free, told.food, self.rng
            )
        items[GOAL_LEVEL] = float(speed != 0)
        sight.steer(spec, memory, items, speed, turn)

    def wants_land(self, now: float) -> bool:
        """Whether it would come out of the water."""
        return False

    def read_values(self) -> dict[str, np.ndarray]:
        return super().read_values() | swim_frame.read_mind(self)

    def state_arrays(self) -> dict[str, np.ndarray]:
        own = {"memory": self.memory, "food_count": self.food_count}
        return super().state_arrays() | own

    def state(self) -> State:
        led = np.array([self.is_puppet, self.is_steered], np.uint8)
        return super().state() | {LED: led}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)
        if LED in state:
            self.is_puppet, self.is_steered = (bool(led) for led in state[LED])
