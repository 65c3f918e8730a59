"""A myriapod in the world: a figure whose legs carry it (Fang 2015 chapters 3 and 4)."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from skitter.channel import Static
from skitter.compiled import CELL_LANES
from skitter.control.antennae import place_antenna
from skitter.control.behaviour import Shown
from skitter.control.bodies import read_axes_of
from skitter.control.build import build_walker_model, build_walker_state
from skitter.control.sight import WET_SINCE
from skitter.control.switcher import settle_legs
from skitter.control.targeter import look_everywhere
from skitter.control.walker import (
    BUMP,
    COMMAND_SPEED,
    COMMAND_TURN,
    IN_WATER,
    WANTS_LAND,
    Surroundings,
    WalkerModel,
)
from skitter.creatures import bars, frame, leg_touch, life, swim_frame, walker_frame
from skitter.creatures.animal import Animal
from skitter.creatures.creature import Around, Creature, Touched
from skitter.creatures.numbers import NUMBERS, change_numbers, read_numbers
from skitter.creatures.physics import Physics
from skitter.creatures.push import free_legs
from skitter.creatures.standing import lay_on_surface, set_feet
from skitter.meeting.shapes import Shapes
from skitter.rotation import matrix_to_quaternion, quaternion_to_matrix
from skitter.scene.spec import CreaturePlacement
from skitter.species.myriapod import MyriapodSpec
from skitter.state import State
from skitter.terrain import Terrain
from skitter.things import Things


class Myriapod(Animal):
    """A creature with a head, segments with legs, and a tail."""

    kind = "myriapod"
    rows: ClassVar = (
        *frame.ROWS, *walker_frame.ROWS, *swim_frame.MUSCLE_ROWS, *swim_frame.MIND_ROWS,
        *life.ROWS,
    )  # fmt: skip
    numbers = NUMBERS
    push_rate = 10.0
    species: MyriapodSpec

    def __init__(
        self,
        name: str,
        species: MyriapodSpec,
        placement: CreaturePlacement,
        physics: Physics,
        rng: np.random.Generator,
    ):
        super().__init__(name, species, placement, physics, rng)
        self.placement = placement
        self.walker = self._build_walker(species)
        self.walker_state = build_walker_state(self.walker, species.antenna.links + 1, rng)
        self.shapes = leg_touch.add_legs(self, self.shapes)
        self.tips_before = self.walker_state.leg_tip.copy()
        self.tips_time, self.tip_speed = np.zeros(1), np.zeros_like(self.tips_before)
        self.life = life.build_life(self)
        self.heeds = self.life is not None

    def _build_walker(self, species: MyriapodSpec) -> WalkerModel:
        inertia = np.array([w.inertia[np.triu_indices(3)] for w in self.weights])
        held = np.array([part.fixed for part in self.plan.rigid])
        return build_walker_model(species, self.middle_offset, inertia, held)

    def begin(self, around: Around) -> None:
        """Stand on the terrain, if it shall, and see what is below and around."""
        terrain, state = around.terrain, self.walker_state
        if self.placement.start == "stand" and len(terrain.arrays.kind):
            self._stand(self.placement, terrain)
        obstacles = around.things.barrier.arrays
        look_everywhere(terrain.arrays, obstacles, self.body_state, state)
        settle_legs(self.walker, state, self.body_state, self.body_scratch.frame)
        self.place_antennae()
        self.tips_before[:] = state.leg_tip
        # its clock shows the world's time, which its recorded footfalls are told by
        state.clock[0] = self.tips_time[0] = around.time
        for starts in (state.leg_stance_start, state.leg_swing_start):
            starts[starts >= 0] += around.time

    def sense(self, around: Around) -> Surroundings:
        told = super().sense(around)
        if around.things.spare and len(told.obstacles.kind) == 0:
            self.walker_state.head[BUMP] = 0.0  # a head feels only where there are obstacles
        return told

    def start_frame(self, around: Around) -> None:
        if self.life is None:
            super().start_frame(around)
            return
        self.told = self.life.decide(self, around, self.sense(around))
        if around.water.density > 0 and not self.life.is_curled:
            self.look(around, self.told)

    def advance_part(self, around: Around, part: int, parts: int) -> None:
        if self.life is None or not self.life.is_curled:
            super().advance_part(around, part, parts)
        elif part == parts - 1:  # a coil takes its whole frame at once
            self.life.advance(self, around)

    def feed(self, things: Things) -> None:
        if self.life is None or not self.life.feed(self, things):
            super().feed(things)

    def show(self) -> Shown:
        return super().show() if self.life is None else self.life.show(self)

    def meet(self, others: Mapping[str, Creature], around: Around) -> None:
        if self.life is not None:
            self.life.meet(self, others, around)

    def be_caught(self) -> bool:
        return self.life is not None and self.life.be_caught(self)

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

    def place_antennae(self) -> None:
        axes, middle = read_axes_of(self.body_scratch.frame, self.body_state, 0)
        for k in range(2):
            place_antenna(self.walker.antenna, self.walker_state, k, axes, *middle)

    def lead(self, speed: float, turn: float) -> None:
        super().lead(speed, turn)
        self.walker_state.head[COMMAND_SPEED] = speed
        self.walker_state.head[COMMAND_TURN] = turn

    def lose_footing(self, pushed: np.ndarray) -> None:
        free_legs(self.walker_state, pushed)

    def set_species(self, species: MyriapodSpec) -> None:
        self.species, self.walker = species, self._build_walker(species)
        settle_legs(self.walker, self.walker_state, self.body_state, self.body_scratch.frame)

    def show_shapes(self) -> Shapes:
        """Its parts, and three rods for each leg."""
        legs, bodies = self.walker.leg, len(self.shape_middle)
        link = legs.length / self.species.leg.length * self.species.leg.links[1]
        leg_touch.place_legs(
            legs, self.walker_state, link, self.body_state, self.body_scratch.frame,
            self.shapes.row[bodies:],
        )  # fmt: skip
        return super().show_shapes()

    def forget_meeting(self) -> None:
        super().forget_meeting()
        self.walker_state.leg_blocked[:] = 0

    def yield_limbs(self, touched: Touched, gap: np.ndarray) -> None:
        leg = touched.part - len(self.shape_middle)
        leg_touch.yield_legs(
            self.walker.leg, self.walker_state, self.body_state, self.body_scratch.frame, leg,
            touched.point, touched.normal, gap,
        )  # fmt: skip

    def list_bars(self) -> np.ndarray:
        """Its parts, and every link of a leg."""
        return np.concatenate([super().list_bars(), bars.list_legs(self)])

    def list_statics(self) -> list[Static]:
        return super().list_statics() + walker_frame.list_statics(self)

    def read_values(self) -> dict[str, np.ndarray]:
        own = self.life.read() if self.life is not None else {}
        return super().read_values() | walker_frame.read(self) | own

    def state_arrays(self) -> dict[str, np.ndarray]:
        own = self.life.list_arrays() if self.life is not None else {}
        return super().state_arrays() | walker_frame.list_arrays(self) | own

    def state(self) -> State:
        return super().state() | {"numbers": read_numbers(self.species)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        if not np.array_equal(state["numbers"], read_numbers(self.species)):
            self.set_species(change_numbers(self.species, state["numbers"]))
        super().restore(state)

    def measure_tips(self) -> np.ndarray:
        """Velocities of the tips of the legs [leg, 3], cm/s, since this was last asked."""
        now, tips = self.walker_state.clock[0], self.walker_state.leg_tip
        seconds = now - self.tips_time[0]
        if seconds > 0:
            self.tip_speed[:] = (tips - self.tips_before) / seconds
            self.tips_before[:], self.tips_time[0] = tips, now
        return self.tip_speed

    @property
    def body_mode(self) -> int:
        """IN_AIR, ON_GROUND, IN_WATER, ...; see control/walker.py."""
        return int(self.walker_state.body_mode[0])

    @property
    def is_swimming(self) -> bool:
        return self.body_mode == IN_WATER

    def wants_land(self, now: float) -> bool:
        """After a while in water it would come out, unless it is led."""
        spec = self.species.swim
        wants = spec is not None and now - self.memory[WET_SINCE] >= spec.bout
        self.walker_state.head[WANTS_LAND] = wants
        return bool(wants)
