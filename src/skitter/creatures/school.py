"""Many swimmers in one compiled call, for sweeps: their segments are lanes too.

They share a place and do not meet; each has a frequency and a phase shift of its own.
"""

import numpy as np

from skitter.control.swim import FREQUENCY, GOAL_FREQUENCY, GOAL_SHIFT, SHIFT
from skitter.control.swim_build import build_swimmer
from skitter.creatures.figure import Figure
from skitter.creatures.physics import Physics
from skitter.creatures.plan import BodyPlan, build_plan
from skitter.scene.spec import CreaturePlacement
from skitter.species.swimmer import SwimmerSpec


def repeat_plan(plan: BodyPlan, count: int) -> BodyPlan:
    """So many copies of a body, one behind the other in the lists, at the same place."""
    rigid, soft = [], []
    for number in range(count):
        first = number * len(plan.rigid)
        rigid += plan.rigid
        for part in plan.soft:
            start, end = (None if k is None else k + first for k in (part.start, part.end))
            soft.append(type(part)(part.name, part.cells, part.nodes, start, end))
    return BodyPlan(rigid, soft)


class School(Figure):
    """Swimmers of one species side by side."""

    kind = "school"

    def __init__(
        self,
        species: SwimmerSpec,
        placement: CreaturePlacement,
        physics: Physics,
        strokes: np.ndarray,  # [swimmer, 2] Hz, rad
    ):
        self.count = len(strokes)
        super().__init__("school", species, placement, physics, np.random.default_rng(0))
        self.swim, self.swim_state = self._join_swimmers(species)
        items = self.swim_state.swimmer
        items[:, FREQUENCY] = items[:, GOAL_FREQUENCY] = strokes[:, 0]
        items[:, SHIFT] = items[:, GOAL_SHIFT] = strokes[:, 1]

    def _build_plan(self) -> BodyPlan:
        return repeat_plan(build_plan(self.species), self.count)

    def _join_swimmers(self, species: SwimmerSpec) -> tuple:
        blocks = len(self.plan.soft) // self.count
        model, state = build_swimmer(species.swim, np.arange(blocks, dtype=float))
        owner = np.repeat(np.arange(self.count), blocks)
        model = model._replace(owner=owner, rank=np.tile(model.rank, self.count))
        parts = {
            key: np.tile(value, (self.count, *[1] * (value.ndim - 1)))
            for key, value in state._asdict().items()
        }
        return model, type(state)(**parts)

    def take_work(self) -> np.ndarray:
        """Work on the water during the last advance [swimmer], erg."""
        spent, work = self.wet_scratch, np.zeros(self.count)
        bodies = spent.body_work.reshape(-1)[: len(self.plan.rigid)].astype(float)
        work += bodies.reshape(self.count, -1).sum(axis=1)
        blocks = np.zeros(len(self.plan.soft))
        for number, pack in enumerate(self.packs):
            blocks[pack.blocks] = spent.soft_work[number, : len(pack.blocks)]
        return np.asarray(work + blocks.reshape(self.count, -1).sum(axis=1))

    @property
    def middles(self) -> np.ndarray:
        """Middle of every swimmer's bodies [swimmer, 3], cm."""
        return np.asarray(self.body_position.astype(float).reshape(self.count, -1, 3).mean(axis=1))
