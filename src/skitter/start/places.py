"""Where creatures of any kind have begun: not inside the terrain, and as the scene asked.

Those that stand go to the surface nearest to `at`, wherever that is; one that lies deep inside the
terrain is hardly what was meant. Those that do not stand are where they were put.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from skitter.creatures.creature import Creature
from skitter.errors import UserError
from skitter.scene.load import Scene
from skitter.start.placement import stands
from skitter.terrain import Terrain

DEEP = 1.0  # of its length that `at` may lie inside the terrain
PLACES = ("body_position", "node_position")  # one of them is recorded of every kind


def doubt_places(scene: Scene, creatures: Sequence[Creature], terrain: Terrain) -> list[str]:
    """What is odd about where creatures have begun; who is all inside the terrain is refused."""
    if not scene.spec.terrain:
        return []
    both = enumerate(creatures)
    return [line for index, one in both for line in doubt_place(scene, index, one, terrain)]


def doubt_place(scene: Scene, index: int, one: Creature, terrain: Terrain) -> Iterator[str]:
    placement, species = scene.spec.creatures[index], scene.species[index]
    points = list_points(one)
    length = measure_length(one, points)
    if one.trouble:
        yield f"creatures[{index}]: '{one.name}' {one.trouble}"
    if not stands(species, placement):
        check_outside(scene, index, points, length / 2, terrain)
        return
    distance, _, which = terrain.sample([placement.at])
    if -distance[0] > DEEP * length:
        shape = scene.spec.terrain[int(which[0])].shape
        moved = float(np.linalg.norm(points - np.array(placement.at), axis=1).min())
        yield (
            f"creatures[{index}].at is {-distance[0]:.3g} cm inside terrain[{which[0]}], a {shape};"
            f" '{one.name}' begins on its surface, {moved:.3g} cm away; valid: a place outside"
        )


def check_outside(
    scene: Scene, index: int, points: np.ndarray, most: float, terrain: Terrain
) -> None:
    """Refuse one of which every part lies deeper inside the terrain than `most`, cm."""
    distance, _, which = terrain.sample(points)
    if len(points) and distance.max() < -most:
        item = int(which[int(distance.argmin())])
        raise UserError(
            f"creatures[{index}].at puts all of '{scene.creature_names[index]}' inside the terrain,"
            f" up to {-distance.min():.3g} cm deep in terrain[{item}], a"
            f" {scene.spec.terrain[item].shape}; valid: a place outside, or start: stand"
        )


def list_points(one: Creature) -> np.ndarray:
    """Middles of its parts, or its nodes [n, 3], cm."""
    values = one.read()
    found = [values[f"{one.name}.{key}"] for key in PLACES if f"{one.name}.{key}" in values]
    return np.asarray(found[0], float) if found else np.zeros((0, 3))


def measure_length(one: Creature, points: np.ndarray) -> float:
    """How long it is as it begins, cm."""
    sizes = [s.values for s in one.list_statics() if s.name == f"{one.name}.body_size"]
    far = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    return far + max((float(np.max(size, initial=0.0)) for size in sizes), default=0.0)
