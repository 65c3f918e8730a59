"""The climbers at the full level and the objects of a company, in one engine.

Every frame begins with what the members themselves know: their states, and what the engine's solver
starts from (`warm`), which each keeps for itself. So a run goes on to the last bit from a state.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skitter.control.climbing.model import Solids
from skitter.creatures.climber.engine import Engine, copy_rows
from skitter.creatures.climber.engine_layout import JOINT, JOINTS, V
from skitter.creatures.climber.engine_model import Member as EngineMember
from skitter.creatures.climber.engine_steps import ABDOMEN, Q
from skitter.creatures.climber.engine_touch import Support, find_block, find_body
from skitter.creatures.creature import Touched
from skitter.terrain.surface import AXES, CENTRE, TerrainArrays

if TYPE_CHECKING:
    from skitter.creatures.climber.climber import Climber


class Seat(NamedTuple):
    """Where one is in an engine."""

    rig: "Rig"
    number: int  # among the climbers, or among the objects

    def answer(
        self, touched: Touched, support: Support, seconds: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of a climber: velocities of points after so many seconds, and its response."""
        rig = self.rig
        rig.engine.take([one.orders for one in rig.full])
        bodies = self.find_bodies(touched.part)
        support = support._replace(part=self.find_bodies(support.part))
        return rig.engine.answer(
            self.number, bodies, touched.point, touched.normal, support, seconds
        )

    def take(self, part: np.ndarray, points: np.ndarray, forces: np.ndarray) -> None:
        """Forces on a climber, until the end of a part."""
        self.rig.engine.take_touches(self.find_bodies(part), points, forces)

    def take_block(self, points: np.ndarray, forces: np.ndarray) -> None:
        """The same, of an object."""
        engine = self.rig.engine
        bodies = np.full(len(points), find_block(engine.layout, self.number))
        engine.take_touches(bodies, points, forces)

    def find_bodies(self, part: np.ndarray) -> np.ndarray:
        """Of the engine, that some parts of a climber are."""
        lumps = len(self.rig.full[self.number].trunk.middle)
        return find_body(self.rig.engine.layout, self.number, lumps, part)


class Rig:
    """One engine, and who is in it."""

    def __init__(
        self, full: Sequence["Climber"], blocks: Sequence[Any], gravity: float, step: float
    ) -> None:
        self.full, self.blocks = list(full), list(blocks)
        self.engine = Engine(
            [describe(one) for one in full],
            [one.shape for one in blocks],
            gravity=gravity,
            step=step,
            names=[one.name for one in [*full, *blocks]],
        )

    def read_in(self) -> None:
        """Begin a frame."""
        engine = self.engine
        engine.read_in([one.body for one in self.full], [one.block for one in self.blocks])
        for felt, one in zip(engine.felt, self.full, strict=True):
            copy_rows(felt, one.felt)
        for one, accelerations, goals in self.list_warm():
            many = len(accelerations)
            accelerations[:], goals[:] = one.warm[:many], one.warm[many:]
        for one, rest, _ in self.list_rest():
            rest[:] = one.rest

    def list_warm(self) -> list[tuple[Any, np.ndarray, np.ndarray]]:
        """Everybody, with what is theirs of the engine's memory."""
        engine, layout = self.engine, self.engine.layout
        start, before = engine.data.qacc_warmstart, engine.packed.goal_before
        rows: list[tuple[Any, np.ndarray, np.ndarray]] = []
        for number, one in enumerate(self.full):
            row = layout.member[number]
            many = len(one.warm) - int(row[JOINTS])
            joint = int(row[JOINT])
            rows.append((one, start[row[V] : row[V] + many], before[joint : joint + row[JOINTS]]))
        for number, one in enumerate(self.blocks):
            at = int(layout.block[2]) + 6 * number
            rows.append((one, start[at : at + 6], before[:0]))
        return rows

    def list_rest(self) -> list[tuple["Climber", np.ndarray, np.ndarray]]:
        """All climbers, with where the springs of their hinges are at rest: for answers, and in the
        engine."""
        engine, rows = self.engine, []
        for one, row in zip(self.full, engine.layout.member.tolist(), strict=True):
            joint = slice(row[JOINT], row[JOINT] + row[JOINTS])
            first = row[Q] + 7 + 4 * row[ABDOMEN]
            springs = engine.wires.qpos_spring[first : first + row[JOINTS]]
            rows.append((one, engine.rest[joint], springs))
        return rows

    def step(self, ground: TerrainArrays, barrier: TerrainArrays, blocks: Solids) -> None:
        """One step, and what everybody knows after it."""
        engine = self.engine
        engine.take([one.orders for one in self.full])
        engine.step(ground, barrier)
        for one, body, felt in zip(self.full, engine.bodies, engine.felt, strict=True):
            copy_rows(one.body, body)
            copy_rows(one.felt, felt)
        for number, (one, state) in enumerate(zip(self.blocks, engine.blocks, strict=True)):
            copy_rows(one.block, state)
            blocks.row[number, CENTRE : CENTRE + 3] = state.place
            blocks.row[number, AXES : AXES + 9] = (state.turn @ one.surface_turn).reshape(9)

    def keep(self) -> None:
        """End a frame, or a part of one: everybody takes what the solver would start from next."""
        self.engine.let_go()
        for one, accelerations, goals in self.list_warm():
            one.warm[:] = np.concatenate([accelerations, goals])
        for one, rest, springs in self.list_rest():
            one.rest[:] = rest[:] = springs


def describe(one: "Climber") -> EngineMember:
    """A climber as the engine knows it."""
    species = one.plan.species
    abdomen = species.abdomen
    lax = (400.0, 1.0) if abdomen is None else (abdomen.stiffness, abdomen.damping)
    parts = np.array([[*part.at, *part.size] for part in species.parts]).reshape(-1, 6)
    return EngineMember(one.figure, species.friction, lax, parts)
