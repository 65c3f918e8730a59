"""What a myriapod is about: hunting, defence, foraging, in the order in which they matter.

A dead or coiled one does nothing else. Danger comes before prey, prey before food. Whoever a person
or the scene leads does none of it. An obstacle or another creature that its antennae feel comes
before any goal, as in the brain: for as long as that lasts, the brain leads.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from skitter.control import defending, foraging, hunting
from skitter.control.behaviour import (
    BEHAVIOURS,
    COIL,
    DEAD,
    FLEE,
    FREE,
    UNCOIL,
    Aim,
    Shown,
    find_named,
)
from skitter.control.foraging import Forager
from skitter.control.walker import (
    BUMP,
    CLEAR_UNTIL,
    COMMAND_SPEED,
    COMMAND_TURN,
    Surroundings,
)
from skitter.creatures.creature import BALL_ROW, Around, Creature
from skitter.creatures.curling import Curling, look_down, stand_up
from skitter.creatures.rows import Row, name_values
from skitter.rotation import quaternion_to_matrix
from skitter.things import Things

if TYPE_CHECKING:
    from skitter.creatures.myriapod import Myriapod

ROWS = (
    Row("behaviour", (), "uint8", "1", name_values(BEHAVIOURS)),
    Row("alive", (), "uint8", "1", "0 once it has been caught"),
    Row("coil", (), "float64", "1", "0 straight, 1 coiled"),
    Row("attacks", (), "int32", "1", "times that danger came near, so far"),
    Row("chases", (), "int32", "1", "begun so far"),
    Row("catches", (), "int32", "1", "prey caught so far"),
    Row("escapes", (), "int32", "1", "chases given up or lost so far"),
    Row("carries", (), "uint8", "1", "1 while it carries food"),
    Row("fetched", (), "int32", "1", "pieces of food picked up so far"),
    Row("brought", (), "int32", "1", "pieces of food brought to the nest so far"),
    Row("trail_felt", ("side",), "float64", "1/cm2", "pheromone at the left and right antenna"),
)
TURN_GAIN = 2.5  # turn per radian off its way, of the largest
SLOW = 0.8  # rad off its way, at which it is slowest
SLOWEST = 0.3  # of its speed, to turn
AWAY = 10.0  # cm, to where it flees


class Life:
    """The behaviours of one creature, and what it remembers."""

    def __init__(self, one: "Myriapod"):
        species = one.species
        self.hunt, self.defend, self.forage = species.hunt, species.defend, species.forage
        self.hunter = np.zeros(hunting.HUNT_ITEMS)
        self.prey = np.zeros(defending.DEFEND_ITEMS)
        self.prey[defending.REACT_AT] = -1.0
        self.forager = np.zeros(foraging.FORAGE_ITEMS)
        self.curling = Curling(one)

    # -- what others see -------------------------------------------------------------------------

    @property
    def is_alive(self) -> bool:
        return bool(self.prey[defending.MODE] != DEAD)

    @property
    def is_curled(self) -> bool:
        """Whether it keeps a shape instead of walking, or is dead."""
        return defending.is_curled(self.prey)

    @property
    def is_hard(self) -> bool:
        """Whether jaws cannot hurt it."""
        return self.is_alive and bool(self.curling.amount[0] >= defending.HARD)

    def show(self, one: "Myriapod") -> Shown:
        prey = tuple(self.hunt.prey) if self.hunt is not None else ()
        balls = one.list_balls()
        return Shown(one.name, one.breed, balls, self.is_alive, self.is_hard, prey)

    # -- a frame ---------------------------------------------------------------------------------

    def decide(self, one: "Myriapod", around: Around, told: Surroundings) -> Surroundings:
        """What its brain is told: to go its own way, or where to."""
        self._defend(one, around)
        if self.is_curled or one.is_puppet:
            return told
        aim = self._flee(one, around)
        if aim is None and self.hunt is not None:
            fast = self.hunt.speed or one.species.walk.speed
            aim = hunting.hunt(
                self.hunt, self.hunter, one.mouth, one.bite, fast, around.shown, around.time,
                around.seconds,
            )  # fmt: skip
        others = self._leave_out_prey(around, told)
        if aim is None and self.forage is not None and around.nest is not None:
            aim = self._forage(one, around)
        told = told._replace(others=others)
        if aim is None or feels_something(one, around.time):
            return told
        steer(one, aim)
        return told._replace(is_puppet=True)

    def _leave_out_prey(self, around: Around, told: Surroundings) -> np.ndarray:
        """What its antennae turn away from: all but the one that it is after."""
        target = find_named(around.shown, int(self.hunter[hunting.TARGET]))
        if target is None:
            return told.others
        rest = [one.balls for one in around.shown if one is not target]
        return np.concatenate([np.zeros((0, BALL_ROW)), *rest])

    def _defend(self, one: "Myriapod", around: Around) -> None:
        """React to danger; a new mode begins or ends a coil."""
        if self.defend is None or not self.is_alive:
            return
        before = self.prey[defending.MODE]
        if one.is_puppet and before in (FREE, FLEE):
            return
        gap, _ = defending.find_danger(one.breed, one.list_balls(), around.shown)
        defending.defend(self.defend, self.prey, gap, around.time, one.rng)
        after = self.prey[defending.MODE]
        if after == before:
            return
        _, normal = look_down(one, around, self.curling.tallest)
        if after == COIL:
            self.curling.begin(one, normal, self.prey)
        elif after == UNCOIL:
            self.curling.stretch(normal, self.prey)
        elif before == UNCOIL:
            self.curling.amount[:] = 0.0
            stand_up(one)

    def _flee(self, one: "Myriapod", around: Around) -> Aim | None:
        if self.prey[defending.MODE] != FLEE:
            return None
        _, where = defending.find_danger(one.breed, one.list_balls(), around.shown)
        head = one.position
        away = head - where
        away = away / max(float(np.linalg.norm(away)), 1e-9)
        return Aim(head + AWAY * away, one.species.speed_limit)

    def _forage(self, one: "Myriapod", around: Around) -> Aim | None:
        assert self.forage is not None and around.nest is not None
        axes = quaternion_to_matrix(one.body_orientation[0].astype(float))
        tips = one.walker_state.antenna_point[:, -1]
        me = Forager(one.position, axes[:, 0], axes[:, 1], tips, AWAY)
        goal = foraging.forage(
            self.forage, self.forager, me, around.nest, around.things, around.trails
        )
        return None if goal is None else Aim(goal, one.species.walk.speed)

    def advance(self, one: "Myriapod", around: Around) -> None:
        """A frame of one that is coiled or dead."""
        seconds = self.defend.wind_time if self.defend is not None else 1.0
        self.curling.advance(one, around, self.prey, seconds)

    def feed(self, one: "Myriapod", things: Things) -> bool:
        """Whether it picks food up, or would, instead of eating it."""
        if self.is_curled:
            return True
        if self.forage is None or self.forager[foraging.MODE] == FREE:
            return False
        foraging.pick_up(self.forager, things, one.mouth, one.bite)
        return True

    def meet(self, one: "Myriapod", others: Mapping[str, Creature], around: Around) -> None:
        """Bite, and mark the way home."""
        if self.hunt is not None and hunting.has_bitten(self.hunt, self.hunter):
            shown = [Shown(name, "", np.zeros((0, BALL_ROW))) for name in others]
            caught = find_named(shown, int(self.hunter[hunting.TARGET]))
            if caught is not None and others[caught.name].be_caught():
                hunting.start_meal(self.hunter, around.time)
            else:
                hunting.refuse(self.hunt, self.hunter, around.time)
        if self.forage is not None and around.trails is not None and not self.is_curled:
            foraging.lay(self.forage, self.forager, around.trails, one.position, around.seconds)

    def be_caught(self, one: "Myriapod") -> bool:
        """It dies, unless it is hard or dead already."""
        if not self.is_alive or self.is_hard:
            return False
        self.curling.drop(one)
        self.prey[defending.MODE] = DEAD
        return True

    # -- what is recorded ------------------------------------------------------------------------

    @property
    def behaviour(self) -> int:
        for memory in (self.prey[defending.MODE], self.hunter[hunting.MODE]):
            if memory != FREE:
                return int(memory)
        return int(self.forager[foraging.MODE])

    def read(self) -> dict[str, np.ndarray]:
        """The present values of ROWS that its species has a use for."""
        values: dict[str, object] = {"behaviour": self.behaviour, "alive": self.is_alive}
        if self.defend is not None:
            amount = self.curling.amount[0] if self.is_alive else 0.0
            values |= {"coil": amount, "attacks": self.prey[defending.ATTACKS]}
        if self.hunt is not None:
            values |= {
                "chases": self.hunter[hunting.CHASES],
                "catches": self.hunter[hunting.CATCHES],
                "escapes": self.hunter[hunting.ESCAPES],
            }
        if self.forage is not None:
            values |= read_forager(self.forager)
        types = {row.label: row.dtype for row in ROWS}
        return {label: np.asarray(value, types[label]) for label, value in values.items()}

    def list_arrays(self) -> dict[str, np.ndarray]:
        """Everything that changes; the arrays themselves."""
        own = {"hunter": self.hunter, "prey": self.prey, "forager": self.forager}
        return {f"life_{label}": array for label, array in own.items()} | {
            f"life_{label}": array for label, array in self.curling.list_arrays().items()
        }


def read_forager(memory: np.ndarray) -> dict[str, object]:
    return {
        "carries": memory[foraging.CARRIES],
        "fetched": memory[foraging.FETCHED],
        "brought": memory[foraging.BROUGHT],
        "trail_felt": memory[[foraging.FELT_LEFT, foraging.FELT_RIGHT]],
    }


def feels_something(one: "Myriapod", now: float) -> bool:
    """Whether something is in its way, which its brain then turns away from."""
    walker = one.walker_state
    touched = bool(walker.antenna_touch.any()) or walker.head[BUMP] != 0.0
    return touched or bool(now < walker.head[CLEAR_UNTIL])


def steer(one: "Myriapod", aim: Aim) -> None:
    """Tell its head to turn towards a goal, slowly where that is aside."""
    axes = quaternion_to_matrix(one.body_orientation[0].astype(float))
    way = axes.T @ (aim.goal - one.position)
    angle = float(np.arctan2(-way[2], way[0])) if np.abs(way).max() > 1e-6 else 0.0
    turn = one.walker.walk.head_turn * min(max(TURN_GAIN * angle, -1.0), 1.0)
    slow = 1.0 - (1.0 - SLOWEST) * min(abs(angle) / SLOW, 1.0)
    head = one.walker_state.head
    head[COMMAND_SPEED], head[COMMAND_TURN] = aim.speed * slow, turn


def build_life(one: "Myriapod") -> Life | None:
    """The behaviours of a creature whose species has some, or whom others may hunt."""
    species = one.species
    some = (species.hunt, species.defend, species.forage)
    return Life(one) if any(spec is not None for spec in some) else None
