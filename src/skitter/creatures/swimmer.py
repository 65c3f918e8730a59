"""A swimmer in the world: a figure in a row whose muscles drive it (Fang 2015 chapter 5)."""

import numpy as np

from skitter.control import sight
from skitter.control.sight import LED, LED_SPEED, LED_TURN, MODE, Place
from skitter.control.swim import FREQUENCY, GOAL_LEVEL, TURN
from skitter.control.walker import Surroundings
from skitter.creatures.figure import Figure
from skitter.creatures.physics import Physics
from skitter.rotation import quaternion_to_matrix
from skitter.scene.spec import Command, CreaturePlacement
from skitter.species.swimmer import SwimmerSpec
from skitter.terrain import Terrain
from skitter.water.surface import WaterSurface


class Swimmer(Figure):
    """A creature that swims, straight on, led, or after what it sees."""

    kind = "swimmer"
    species: SwimmerSpec

    def __init__(
        self,
        name: str,
        species: SwimmerSpec,
        placement: CreaturePlacement,
        physics: Physics,
        rng: np.random.Generator,
    ):
        super().__init__(name, species, placement, physics, rng)
        self.commands: list[Command] = sorted(placement.commands, key=lambda one: one.time)
        self.is_puppet = bool(self.commands)
        self.food_count = np.zeros(1, np.int64)
        self.memory = sight.start_memory(self.find_place().forward, species.swim)

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
        """Decide what to do during the next frame."""
        items, spec, eyes = self.swim_state.swimmer[0], self.species.swim, self.species.eyes
        place = self.find_place()
        stroke = sight.STROKE_SHARE / max(items[FREQUENCY], 0.2)
        heading = sight.smooth_heading(self.memory, place.forward, min(1.0, seconds / stroke))
        if self.is_puppet:
            self.memory[MODE] = LED
            speed, turn = self.memory[LED_SPEED], self.memory[LED_TURN]
            items[GOAL_LEVEL] = float(speed > 0 or turn != 0)
        elif eyes is None:
            return
        else:
            free = sight.see_walls(eyes, heading, place, terrain, around, water)
            speed, turn = sight.decide(
                spec, eyes, self.memory, heading, place, now, free, around.food, self.rng
            )
        sight.steer(spec, self.memory, items, speed, turn)

    def command(self, speed: float, turn: float) -> None:
        """Take it over: cm/s, and rad/s to the left, from now on."""
        self.is_puppet = True
        most = np.radians(self.species.swim.turn_deg)
        self.memory[LED_SPEED] = speed
        self.memory[LED_TURN] = np.clip(turn / most, -1.0, 1.0)

    def obey(self, time: float) -> None:
        """Follow the latest of the scene's commands whose time has come."""
        due = [command for command in self.commands if command.time <= time + 1e-9]
        if due:
            self.command(due[-1].speed, float(np.radians(due[-1].turn_deg)))

    @property
    def turn(self) -> float:
        """How far it turns, -1 to 1, positive to the left."""
        return float(self.swim_state.swimmer[0, TURN])

    @property
    def mouth(self) -> np.ndarray:
        """The front of the head [3], cm."""
        x = quaternion_to_matrix(self.body_orientation[0].astype(float))[:, 0]
        return np.asarray(self.body_position[0] + x * self.species.head.size[0] / 2)

    @property
    def bite(self) -> float:
        """How far from its mouth it eats, cm."""
        return self.species.head.size[2] / 2
