"""Walks in which the claims about the hexapod are measured, each run once for all that ask."""

from functools import cache
from typing import TYPE_CHECKING

from skitter.measure.articulated import Walk, read_settled_walk, read_walk
from skitter.runner import run
from skitter.scene.load import load_scene
from skitter.species.articulated import ArticulatedSpec
from skitter.species.gait import GaitSpec

if TYPE_CHECKING:
    from skitter.record import Recording

NAME = "roach"
ON_IT = "creatures.0.with"  # where a change to the roach of a scene is set


@cache
def run_scene(scene: str, seconds: float, *changes: str) -> "Recording":
    """A recording of a built-in scene with some fields changed, as by `--set`."""
    return run(scene, seconds=seconds, overrides=changes)


def walk(scene: str, seconds: float, *changes: str) -> Walk:
    """The roach of a scene from the moment that all its legs have stepped."""
    return read_settled_walk(run_scene(scene, seconds, *changes), NAME)


def walk_whole(scene: str, seconds: float, *changes: str, name: str = NAME) -> Walk:
    """A creature of a scene from the first frame to the last."""
    return read_walk(run_scene(scene, seconds, *changes), name)


def load_roach(scene: str = "roach_tripod") -> ArticulatedSpec:
    """The species of a scene's first creature."""
    found = load_scene(scene).species[0]
    assert isinstance(found, ArticulatedSpec)
    return found


def load_gait(scene: str = "roach_tripod") -> GaitSpec:
    gait = load_roach(scene).gait
    assert gait is not None
    return gait
