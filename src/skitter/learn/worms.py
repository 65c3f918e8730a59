"""Nematodes on agar: an action activates the body-wall muscles of twelve sectors.

A positive one asks the dorsal muscles of a sector to contract, a negative one the ventral muscles:
a muscle only contracts. Between the middles of sectors what is asked for changes linearly, and all
95 muscles follow it with the lag of the species (Boyle et al. 2012), as they follow its own wave.
The body has a quarter of the tetrahedra of the species' default, for speed.
"""

from typing import Any

import numpy as np

from skitter.control.stations import PLACE, STATIONS
from skitter.creatures.worm.worm import Worm
from skitter.learn.entry import Entry, list_many
from skitter.learn.herd import UP, Singles, Trunk, find_axes

SECTORS = 12
MIDDLES = (np.arange(SECTORS) + 0.5) / SECTORS
FIRST_HEADING = np.radians(10)  # to which a body may be turned at first
FIRST_BEND = 0.2  # of full activation, asked for at first


class Asked:
    """What is asked of muscles from outside, in the place of a wave or a reflex."""

    def __init__(self) -> None:
        self.state = {"asked": np.zeros(STATIONS)}

    @property
    def phase(self) -> float:
        return 0.0

    def ask(
        self, bend: np.ndarray, active: np.ndarray, seconds: float, speed: float, turn: float
    ) -> np.ndarray:
        return self.state["asked"]


class Worms(Singles):
    """Adult C. elegans."""

    rate = 25.0
    scene = {  # noqa: RUF012  nobody changes it
        "title": "A nematode that learns",
        "time_step": 0.02,
        "terrain": [{"shape": "plane", "friction": 1.0}],
        "creatures": [
            {
                "species": "c_elegans_muscles",
                "name": "worm",
                "with": {"body": {"slabs": 29, "around": 8, "rings": 3}},
            }
        ],
    }
    creatures: list[Worm]

    def build(self) -> Worm:
        one: Any = super().build()
        one.drive.crawl.source = Asked()
        return one

    def prepare(self) -> None:
        self.length = self.creatures[0].body.length
        names = [f"{k + 1}" for k in range(SECTORS)]
        about = "of full activation, dorsal where positive, ventral where negative; 1 is the head"
        self.actions = list_many(names, "contract", "1", 1.0, about)

    def list_looks(self) -> tuple[Entry, ...]:
        names = [f"{k + 1}" for k in range(STATIONS)]
        return (
            *list_many(names, "bend", "1", 60.0, "curvature times length, positive to dorsal"),
            *list_many(names, "active", "1", 1.0, "activation there, dorsal less ventral"),
        )

    def vary(self, one: Any, k: int, rng: np.random.Generator, variation: float) -> None:
        """Turned a little about the vertical, with a little of an activation."""
        angle = variation * rng.uniform(-FIRST_HEADING, FIRST_HEADING)
        sine, cosine = np.sin(angle), np.cos(angle)
        turn = np.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])
        middle = one.centre
        one.motion.x = (one.motion.x - middle) @ turn.T + middle
        first = variation * rng.uniform(-FIRST_BEND, FIRST_BEND, SECTORS)
        one.drive.crawl.source.state["asked"] = np.interp(PLACE, MIDDLES, first)

    def act(self, actions: np.ndarray) -> None:
        for one, action in zip(self.creatures, actions, strict=True):
            asked = np.interp(PLACE, MIDDLES, action)
            one.drive.crawl.source.state["asked"] = asked  # type: ignore[attr-defined]

    def find_trunk(self) -> Trunk:
        """A worm has no back of its own here: its up is the world's."""
        lines = np.array([one.body.find_midline(one.motion.x) for one in self.creatures])
        speeds = [one.body.mass @ one.motion.v / one.body.mass.sum() for one in self.creatures]
        up = np.tile(UP, (self.count, 1))
        return Trunk(
            np.array([one.centre for one in self.creatures]), np.array(speeds), find_axes(lines, up)
        )

    def look(self) -> np.ndarray:
        rows = []
        for one in self.creatures:
            bend = one.body.find_curvature(one.motion.x, one.body.find_midline(one.motion.x))
            felt = np.interp(PLACE, np.linspace(0, 1, len(bend)), bend) * self.length
            active = one.drive.crawl.activation  # type: ignore[attr-defined]
            rows.append(np.concatenate([felt, active[:, 0] - active[:, 1]]))
        return np.array(rows)

    def find_fallen(self) -> np.ndarray:
        """A worm cannot fall."""
        return np.zeros(self.count, bool)
