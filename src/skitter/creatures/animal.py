"""What walkers and swimmers share: a head that eats and is led, and a mind for the water."""

import numpy as np

from skitter.control import sight
from skitter.control.sight import Place
from skitter.control.swim import FREQUENCY, GOAL_LEVEL
from skitter.control.walker import Surroundings
from skitter.creatures.figure import Figure
from skitter.creatures.physics import Physics
from skitter.rotation import quaternion_to_matrix
from skitter.scene.spec import CreaturePlacement
from skitter.species.myriapod import MyriapodSpec
from skitter.species.swimmer import SwimmerSpec
from skitter.terrain import Terrain
from skitter.water.surface import WaterSurface

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
        self.is_puppet = bool(self.commands)
        self.food_count = np.zeros(1, np.int64)
        self.memory = sight.start_memory(self.find_place().forward)

    def command(self, speed: float, turn: float) -> None:
        """Take the head over: cm/s, and rad/s to the left, from now on."""
        self.is_puppet = True
        self.memory[sight.LED_SPEED], self.memory[sight.LED_TURN] = speed, turn

    def obey(self, time: float) -> None:
        """Follow the latest of the scene's commands whose time has come."""
        due = [command for command in self.commands if command.time <= time + 1e-9]
        if due:
            self.command(due[-1].speed, float(np.radians(due[-1].turn_deg)))

    @property
    def food_eaten(self) -> int:
        """Pieces of food eaten so far."""
        return int(self.food_count[0])

    @property
    def mouth(self) -> np.ndarray:
        """The front of the head [3], cm."""
        x = quaternion_to_matrix(self.body_orientation[0].astype(float))[:, 0]
        return np.asarray(self.body_position[0] + x * self.species.head.size[0] / 2)

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

    def look(
        self,
        now: float,
        seconds: float,
        terrain: Terrain,
        around: Surroundings,
        water: WaterSurface,
    ) -> None:
        """Decide how to swim during the next frame of so many seconds."""
        spec, eyes, memory = self.species.swim, self.species.eyes, self.memory
        if spec is None:
            return
        items, place = self.swim_state.swimmer[0], self.find_place()
        if not self.is_swimming:
            memory[sight.WET_SINCE] = now
            sight.smooth_heading(memory, place.forward, 1.0)
            return
        stroke = sight.STROKE_SHARE / max(items[FREQUENCY], SLOWEST_STROKE)
        heading = sight.smooth_heading(memory, place.forward, min(1.0, seconds / stroke))
        if self.is_puppet:
            speed, turn = sight.follow_lead(memory, spec)
        elif eyes is None:
            return
        elif self.wants_land(now):
            speed, turn = sight.seek_land(spec, eyes, memory, heading, place, terrain)
        else:
            free = sight.see_walls(eyes, heading, place, terrain, around, water)
            speed, turn = sight.decide(
                spec, eyes, memory, heading, place, now, free, around.food, self.rng
            )
        items[GOAL_LEVEL] = float(speed != 0)
        sight.steer(spec, memory, items, speed, turn)

    def wants_land(self, now: float) -> bool:
        """Whether it would come out of the water."""
        return False
