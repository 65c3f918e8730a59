"""The kinds of creatures there are: which class brings a species to life."""

from collections.abc import Callable

import numpy as np

from skitter.creatures.articulated.articulated import Articulated
from skitter.creatures.climber.blocks import Block
from skitter.creatures.climber.climber import Climber
from skitter.creatures.creature import Creature
from skitter.creatures.figure import Figure
from skitter.creatures.myriapod import Myriapod
from skitter.creatures.physics import Physics
from skitter.creatures.swimmer import Swimmer
from skitter.creatures.worm.worm import Worm
from skitter.scene.spec import CreaturePlacement
from skitter.species.kinds import SpeciesSpec

CREATURES: dict[str, Callable[..., Creature]] = {
    creature.kind: creature
    for creature in (Articulated, Block, Climber, Figure, Myriapod, Swimmer, Worm)
}


def build_creature(
    name: str,
    species: SpeciesSpec,
    placement: CreaturePlacement,
    physics: Physics,
    rng: np.random.Generator,
) -> Creature:
    """A creature where a scene puts it; it is ready once it has begun."""
    return CREATURES[species.kind](name, species, placement, physics, rng)
