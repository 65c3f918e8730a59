"""Crawls in which the claims about worms are measured, each run once for all that ask for it."""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from skitter.measure.worm import SETTLED, Track, follow, read_track
from skitter.runner import run
from skitter.scene.load import load_scene
from skitter.species.worm import WormSpec
from skitter.world import World

if TYPE_CHECKING:
    from skitter.record import Recording

NAME = "worm"
MODAL_SECONDS = 6.0  # six cycles of the mode
MUSCLE_SECONDS = 12.0  # four cycles of the crawl
REFLEX_SECONDS = 20.0  # reflexes are slower and take longer to find their wave
ON_IT = "creatures.0.with"  # where a change to the worm of a scene is set


@cache
def crawl(scene: str, seconds: float, *changes: str) -> "Recording":
    """A recording of a built-in scene with some fields changed, as by `--set`."""
    return run(scene, seconds=seconds, overrides=changes)


def crawl_by_mode(scene: str = "worm", *changes: str) -> Track:
    return read_track(crawl(scene, MODAL_SECONDS, *changes), NAME)


def crawl_by_muscles(scene: str = "worm_muscles", *changes: str) -> Track:
    return read_track(crawl(scene, MUSCLE_SECONDS, *changes), NAME)


@cache
def lead(scene: str, speed: float) -> Track:
    """The track of a worm that is led straight on at a speed, cm/s, backward where negative.

    The commands of a scene lead forward only, so that it is led as a person does.
    """
    world = World.from_scene(scene)
    world.creatures[0].command(speed, 0.0)
    rate = world.scene.spec.frame_rate
    time, midlines = [], []
    for _ in range(round(MUSCLE_SECONDS * rate)):
        world.advance(1 / rate)
        time.append(world.time)
        midlines.append(np.array(world.read()[f"{NAME}.midline"]))
    return follow(np.array(time), np.array(midlines), settled=SETTLED)


def load_worm(scene: str) -> WormSpec:
    """The species of a scene's worm."""
    found = load_scene(scene).species[0]
    assert isinstance(found, WormSpec)
    return found
