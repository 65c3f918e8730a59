"""A myriapod in the world: a figure whose legs carry it (Fang 2015 chapters 3 and 4)."""

import numpy as np

from skitter.compiled import CELL_LANES
from skitter.control.antennae import place_antenna
from skitter.control.bodies import read_axes_of
from skitter.control.build import build_walker_model, build_walker_state
from skitter.control.switcher import settle_legs
from skitter.control.targeter import look_everywhere
from skitter.control.walker import COMMAND_SPEED, COMMAND_TURN, Surroundings
from skitter.creatures.figure import Figure
from skitter.creatures.physics import Physics
from skitter.creatures.standing import lay_on_surface, set_feet
from skitter.rotation import matrix_to_quaternion, quaternion_to_matrix
from skitter.scene.spec import CreaturePlacement
from skitter.species.myriapod import MyriapodSpec
from skitter.terrain import Terrain


class Myriapod(Figure):
    """A creature with a head, segments with legs, and a tail."""

    kind = "myriapod"
    species: MyriapodSpec

    def __init__(
        self,
        name: str,
        species: MyriapodSpec,
        placement: CreaturePlacement,
        physics: Physics,
        rng: np.random.Generator,
        terrain: Terrain,
        around: Surroundings,
    ):
        super().__init__(name, species, placement, physics, rng)
        self.commands = sorted(placement.commands, key=lambda command: command.time)
        self.is_puppet = bool(self.commands)
        self.food_count = np.zeros(1, np.int64)
        offsets = np.array(
            [p.centre - w.centre for p, w in zip(self.plan.rigid, self.weights, strict=True)]
        )
        inertia = np.array([w.inertia[np.triu_indices(3)] for w in self.weights])
        held = np.array([part.fixed for part in self.plan.rigid])
        self.walker = build_walker_model(species, offsets, inertia, held)
        self.walker_state = build_walker_state(self.walker, species.antenna.links + 1, rng)
        if placement.start == "stand" and len(terrain.arrays.kind):
            self._stand(placement, terrain)
        frame = self.body_scratch.frame
        look_everywhere(terrain.arrays, around.obstacles, self.body_state, self.walker_state)
        settle_legs(self.walker, self.walker_state, self.body_state, frame)
        self._place_antennae()

    def _stand(self, placement: CreaturePlacement, terrain: Terrain) -> None:
        """Lay the body along the surface and set the feet."""
        poses = lay_on_surface(self.walker, placement, terrain)
        for index, pose in enumerate(poses):
            arm = pose.axes @ (self.weights[index].centre - self.plan.rigid[index].centre)
            self.set_body(
                index,
                pose.middle + arm,
                matrix_to_quaternion(pose.axes),
                np.zeros(3),
                np.zeros(3),
            )
        self._bend_blocks()
        self.settle()
        axes = quaternion_to_matrix(self.body_orientation.astype(float))
        centres = self.body_centre.astype(float)
        set_feet(self.walker, self.walker_state, centres, axes, terrain, self.rng)

    def _bend_blocks(self) -> None:
        """Put the soft blocks between their bodies, wherever those are."""
        turns = quaternion_to_matrix(self.body_orientation.astype(float))
        middles = self.body_position.astype(float)
        for block, part in enumerate(self.plan.soft):
            ends = [
                middles[body] + (part.nodes - self.plan.rigid[body].centre) @ turns[body].T
                for body in (part.start, part.end)
                if body is not None
            ]
            along = part.nodes[:, 0]
            share = ((along - along.max()) / (along.min() - along.max()))[:, None]
            nodes = (1 - share) * ends[0] + share * ends[-1]
            self.write_nodes(self.soft_state.position, block, nodes)
            self.write_nodes(self.soft_state.velocity, block, np.zeros_like(nodes))
            turn = self.body_orientation[part.start if part.start is not None else 0]
            self.soft_state.block_rotation[block] = turn
            rows, lanes = np.nonzero(self.soft.cell_block == block)
            for row, value in enumerate(turn):
                self.soft_state.rotation[rows, :, row * CELL_LANES + lanes] = value

    def _place_antennae(self) -> None:
        axes, middle = read_axes_of(self.body_scratch.frame, self.body_state, 0)
        for k in range(2):
            place_antenna(self.walker.antenna, self.walker_state, k, axes, *middle)

    def command(self, speed: float, turn: float) -> None:
        """Take the head over: cm/s, and rad/s to the left, from now on."""
        self.is_puppet = True
        self.walker_state.head[COMMAND_SPEED] = speed
        self.walker_state.head[COMMAND_TURN] = turn

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
