"""Whether a scene can begin: what would fly apart at once is told as a mistake in the scene."""

from skitter.creatures.stability import check_time_step
from skitter.scene.load import Scene
from skitter.start.doubts import list_doubts
from skitter.start.placement import check_placement
from skitter.start.places import doubt_places
from skitter.start.step_limit import check_step_limit
from skitter.terrain import Terrain

__all__ = ["check_start", "doubt_places", "list_doubts"]


def check_start(scene: Scene, terrain: Terrain) -> None:
    """Refuse what can be known to fail without simulating it."""
    check_time_step(scene)
    check_step_limit(scene)
    check_placement(scene, terrain)
