"""A figure of rigid parts and soft blocks: its arrays, its place in the world, its frames."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from skitter.channel import Channel, Static
from skitter.compiled import LANES
from skitter.control.build import build_no_walker, build_surroundings
from skitter.control.swim_build import build_swim
from skitter.control.walker import Surroundings
from skitter.creatures import bars, frame, swim_frame, touch
from skitter.creatures.allocate import allocate_bodies, allocate_soft
from skitter.creatures.coupling import place_face
from skitter.creatures.creature import MEET_RATE, Around, Creature, Touched
from skitter.creatures.pack import (
    build_body_model,
    build_soft_model,
    locate_nodes,
    sort_into_packs,
    weigh_bodies,
)
from skitter.creatures.physics import Physics
from skitter.creatures.place import place_figure
from skitter.creatures.plan import BodyPlan, build_plan, hold_parts
from skitter.creatures.push import push_parts
from skitter.creatures.rows import Row, describe_rows
from skitter.creatures.step import advance_creature
from skitter.creatures.wet_build import build_wet, build_wet_scratch
from skitter.elastic.muscle import MuscleModel
from skitter.elastic.muscle_build import build_muscles, build_no_muscles
from skitter.errors import SimulationError
from skitter.meeting.shapes import Shapes
from skitter.rigid.bodies import (
    ANGULAR_MOMENTUM,
    ORIENTATION,
    POSITION,
    SPIN,
    VELOCITY,
    update_frames,
)
from skitter.rotation import (
    cross_rows,
    quaternion_to_matrix,
)
from skitter.scene.spec import CreaturePlacement
from skitter.species.kinds import FiguredSpec
from skitter.state import State, restore_generator, write_generator
from skitter.terrain import Terrain
from skitter.water.surface import WaterSurface, build_no_water

NO_WALKER = build_no_walker()


class Figure(Creature):
    """A creature made of rigid parts and soft blocks.

    `plan` has it at rest in its own frame, `soft` and `body` are the model arrays, `soft_state`
    and `body_state` all that changes.
    """

    kind = "figure"
    rows: ClassVar[tuple[Row, ...]] = (*frame.ROWS, *swim_frame.MUSCLE_ROWS)  # recorded of it
    meets = bumps = True
    push_rate = 40.0  # 1/s, lengths of its body that a push may move it by, or joints would tear
    clock: np.ndarray | None = None  # for a profile of the step; see skitter/clock.py

    def __init__(
        self,
        name: str,
        species: FiguredSpec,
        placement: CreaturePlacement,
        physics: Physics,
        rng: np.random.Generator,
    ):
        self.name, self.species, self.physics, self.rng = name, species, physics, rng
        self.plan = self._build_plan()
        hold_parts(self.plan, name, placement.held)
        self.weights = weigh_bodies(self.plan, species.material.density)
        self.packs = sort_into_packs(self.plan)
        self.node_places = locate_nodes(self.packs, len(self.plan.soft))
        self.places = np.concatenate([np.empty(0, int), *self.node_places])
        self._node_rows = self.places[:, None] + LANES * np.arange(3)
        self.middle_offset = self._offset_middles()
        self.soft = build_soft_model(self.plan, self.packs, species, physics)
        self.body = build_body_model(self.plan, self.weights, species, physics.real)
        self.node_mass, self.body_mass = self._free_masses()
        self.soft_state, self.soft_scratch = allocate_soft(self.plan, self.packs, self.soft)
        self.body_state, self.body_scratch = allocate_bodies(self.body)
        self.wet_scratch = build_wet_scratch(
            len(self.packs), len(self.body_state.rows), physics.real
        )
        self.walker, self.walker_state = NO_WALKER
        self.wet = build_wet(
            self.plan,
            self.packs,
            self.weights,
            species.material.density,
            physics.dt,
            physics.real,
        )
        self.water_work = np.zeros(1)  # erg, spent against water so far
        self.swim, self.swim_state = build_swim(species, len(self.plan.soft))
        self.muscle = self._build_muscles()
        self.shapes, self.shape_middle = touch.build_shapes(self)
        self.driven = np.zeros(len(self.plan.rigid), np.uint8)
        self.met_motion = np.zeros((len(self.plan.rigid), touch.MEMORY_ROW))  # within a frame
        self.told: Surroundings | None = None  # what its brain is told in this frame
        place_figure(self, placement)

    def _offset_middles(self) -> np.ndarray:
        """From the centres of mass to the middles of the parts [body, 3], in the part's axes."""
        pairs = zip(self.plan.rigid, self.weights, strict=True)
        return np.reshape([part.centre - weight.centre for part, weight in pairs], (-1, 3))

    def _build_plan(self) -> BodyPlan:
        return build_plan(self.species)

    def _build_muscles(self) -> MuscleModel:
        if len(self.swim_state.swimmer) == 0:
            return build_no_muscles(self.physics.real)
        soft, blocks = self.soft, [part.nodes for part in self.plan.soft]
        return build_muscles(blocks, self.node_places, soft.cell_node, soft.cell_block, soft.rest)

    def _free_masses(self) -> tuple[np.ndarray, np.ndarray]:
        """Masses of all nodes, zero for carried ones, and of all bodies, zero for fixed [g]."""
        lumped = self.soft.mass[self.places // (3 * LANES) * LANES + self.places % LANES]
        nodes = np.where(self.soft.inverse_mass[self.places] > 0, lumped, 0).astype(float)
        pairs = zip(self.weights, self.plan.rigid, strict=True)
        return nodes, np.array([0.0 if part.fixed else weight.mass for weight, part in pairs])

    def settle(self) -> None:
        """Make everything that follows from the state follow: spins, matrices, carried nodes."""
        for pack in range(len(self.body.rows)):
            update_frames(
                self.body.rows[pack], self.body_state.rows[pack], self.body_scratch.frame[pack]
            )
        for pack in range(len(self.packs)):
            for end in range(2):
                place_face(
                    self.soft,
                    pack,
                    end,
                    self.soft_state,
                    self.body_state,
                    self.body_scratch.frame,
                    self.body_scratch.carrier,
                )

    def set_body(
        self,
        index: int,
        position: np.ndarray,
        orientation: np.ndarray,
        velocity: np.ndarray,
        spin: np.ndarray,
    ) -> None:
        """Set the motion of a body's centre of mass; a fixed body does not move."""
        pack, lane = divmod(index, LANES)
        if self.plan.rigid[index].fixed:
            velocity, spin = np.zeros(3), np.zeros(3)
        matrix = quaternion_to_matrix(orientation)
        momentum = matrix @ self.weights[index].inertia @ matrix.T @ spin
        for first, values in (
            (POSITION, position),
            (VELOCITY, velocity),
            (ORIENTATION, orientation),
            (ANGULAR_MOMENTUM, momentum),
        ):
            rows = self.body_state.rows[pack]
            rows[first + lane : first + len(values) * LANES : LANES] = values

    def write_nodes(self, array: np.ndarray, block: int, values: np.ndarray) -> None:
        """Write node values [node, 3] of a block into a node array."""
        for axis in range(3):
            array[self.node_places[block] + axis * LANES] = values[:, axis]

    def read_nodes(self, array: np.ndarray) -> np.ndarray:
        """Values of all nodes of all blocks [node, 3], from a node array."""
        return array[self._node_rows]

    def read_bodies(self, array: np.ndarray, first: int, count: int) -> np.ndarray:
        """Values of all bodies [body, count], from rows of a body array."""
        rows = array[:, first : first + count * LANES].reshape(-1, count, LANES)
        return rows.transpose(0, 2, 1).reshape(-1, count)[: len(self.plan.rigid)]

    def advance_frame(self, around: Around) -> None:
        self.start_frame(around)
        self.advance_part(around, 0, 1)

    @property
    def meet_rate(self) -> float:
        """More where parts of it are free: soft blocks pull them on between two meetings."""
        touch.mark_driven(self.walker_state, self.walker.goal.free, self.driven)
        is_free = len(self.driven) > 0 and not self.driven.all()
        return touch.FREE_RATE if is_free else MEET_RATE

    def start_frame(self, around: Around) -> None:
        self.told = None

    def advance_part(self, around: Around, part: int, parts: int) -> None:
        first, last = (around.steps * k // parts for k in (part, part + 1))
        steps, is_last = last - first, part == parts - 1
        self.advance(steps, around.terrain, self.told, around.water, first=first, is_last=is_last)
        self.forget_meeting()
        fresh = self.met_motion[:, touch.FRESH]
        fresh[:] = 0.0 if is_last else np.maximum(fresh - 1, 0)

    def advance(
        self,
        steps: int,
        terrain: Terrain,
        told: Surroundings | None = None,
        water: WaterSurface | None = None,
        *,
        first: int = 0,
        is_last: bool = True,
    ) -> None:
        """Advance by so many steps in one compiled call, without the interpreter's lock.

        `told` is what its brain is told of its surroundings, if it has one; `first` and `is_last`
        are for a frame in parts.
        """
        real, spent = self.physics.real, self.wet_scratch
        spent.soft_work[:], spent.body_work[:] = 0, 0
        failed = advance_creature(
            steps,
            real(self.physics.dt),
            real(self.physics.gravity),
            terrain.arrays,
            self.soft,
            self.soft_state,
            self.soft_scratch,
            self.body,
            self.body_state,
            self.body_scratch,
            told or build_surroundings(),
            self.walker,
            self.walker_state,
            water or build_no_water(),
            self.wet,
            self.wet_scratch,
            self.muscle,
            self.swim,
            self.swim_state,
            self.clock,
            first,
            is_last,
        )
        # of the lanes that hold a block: what the others hold means nothing
        lanes = zip(spent.soft_work, self.soft.lane_count, strict=True)
        self.water_work += sum(float(work[:count].sum()) for work, count in lanes)
        self.water_work += spent.body_work.sum(dtype=float)
        if failed >= 0:
            raise SimulationError(
                f"creature '{self.name}' blew up in step {failed + 1} of the frame:"
                " try a smaller time_step, a softer material or lower speeds"
            )

    def list_channels(self) -> list[Channel]:
        return describe_rows(self.name, self.physics.real, self.rows, self.read_values())

    def list_statics(self) -> list[Static]:
        return frame.list_statics(self)

    def read(self) -> dict[str, np.ndarray]:
        return {f"{self.name}.{label}": value for label, value in self.read_values().items()}

    def read_values(self) -> dict[str, np.ndarray]:
        """The present values of `rows`; it need not have all of them."""
        return frame.read(self) | swim_frame.read_muscles(self)

    def state_arrays(self) -> dict[str, np.ndarray]:
        """Everything that changes; the arrays themselves, not copies."""
        return frame.list_arrays(self) | swim_frame.list_muscle_arrays(self)

    def state(self) -> State:
        own = {name: array.copy() for name, array in self.state_arrays().items()}
        return own | {"random": write_generator(self.rng)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        for name, array in self.state_arrays().items():
            array[...] = state[name]
        restore_generator(self.rng, state["random"])
        # how far it was from the terrain is not true any more
        self.body_scratch.clear[:] = 0.0
        self.soft_scratch.clear[:] = 0.0

    def push(self, at: np.ndarray, velocity: np.ndarray) -> None:
        push_parts(self, at, velocity)

    def lose_footing(self, pushed: np.ndarray) -> None:
        """What a push does to it besides: `pushed` are the bodies that feel it [body] bool."""

    def set_gravity(self, gravity: float) -> None:
        self.physics = replace(self.physics, gravity=gravity)
        down = self.soft.gravity.reshape(-1, 3, LANES)  # of all nodes; carried ones do not fall
        free = self.soft.inverse_mass.reshape(-1, 3, LANES)[:, 1] > 0
        down[:, 1] = np.where(free, -gravity, 0.0)

    @property
    def body_orientation(self) -> np.ndarray:
        """Orientations of the rigid parts [body, 4], w x y z, from the part's axes to the world."""
        return self.read_bodies(self.body_state.rows, ORIENTATION, 4)

    @property
    def body_centre(self) -> np.ndarray:
        """Centres of mass of the rigid parts [body, 3], cm."""
        return self.read_bodies(self.body_state.rows, POSITION, 3)

    @property
    def body_position(self) -> np.ndarray:
        """Middles of the rigid parts [body, 3], cm."""
        return self.body_centre + self._middle_arms()

    @property
    def body_spin(self) -> np.ndarray:
        """Angular velocities of the rigid parts [body, 3], rad/s, in the world."""
        return self.read_bodies(self.body_scratch.frame, SPIN, 3)

    @property
    def body_velocity(self) -> np.ndarray:
        """Velocities of the middles of the rigid parts [body, 3], cm/s."""
        arms = cross_rows(self.body_spin, self._middle_arms())
        return self.read_bodies(self.body_state.rows, VELOCITY, 3) + arms

    def _middle_arms(self) -> np.ndarray:
        """From the centres of mass to the middles of the parts [body, 3], in the world."""
        matrix = quaternion_to_matrix(self.body_orientation)
        return np.einsum("nij,nj->ni", matrix, self.middle_offset)

    def list_balls(self) -> np.ndarray:
        radius = [np.sort(part.size)[1] / 2 for part in self.plan.rigid]
        return np.column_stack([self.body_position.astype(float), radius]).reshape(-1, 4)

    def list_bars(self) -> np.ndarray:
        """Every rigid part and every soft block."""
        return np.concatenate([bars.list_bodies(self), bars.list_blocks(self)])

    def forget_meeting(self) -> None:
        """What a meeting has decided holds until the next one."""
        self.body_scratch.stops.many[:] = 0

    def show_shapes(self) -> Shapes:
        touch.place_shapes(
            self.body_state, self.body_scratch.frame, self.shape_middle, self.shapes.row
        )
        return self.shapes

    def find_motors(self, part: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        touch.mark_driven(self.walker_state, self.walker.goal.free, self.driven)
        part = part[self.driven[part] > 0]
        return part, touch.list_motors(self, part, seconds)

    def place_parts(self, part: np.ndarray) -> np.ndarray:
        return self.body_centre[part].astype(float)

    def answer(self, touched: Touched) -> None:
        touch.answer(self, touched)

    def take_impulses(self, touched: Touched, seconds: float) -> None:
        touch.take(self, touched)

    @property
    def node_position(self) -> np.ndarray:
        """Positions of the soft nodes [node, 3], cm."""
        return self.read_nodes(self.soft_state.position)

    @property
    def node_velocity(self) -> np.ndarray:
        """Velocities of the soft nodes [node, 3], cm/s."""
        return self.read_nodes(self.soft_state.velocity)

    @property
    def top_speed(self) -> float:
        speeds = np.concatenate([self.body_velocity.ravel(), self.node_velocity.ravel()])
        return float(np.abs(speeds).max(initial=0.0))

    @property
    def position(self) -> np.ndarray:
        if self.plan.rigid:
            return self.body_position[0].astype(float)
        return self.node_position.mean(axis=0, dtype=float)
