"""Carrying out events: each is checked as a scene file would be, then it changes the world."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from skitter.errors import UserError
from skitter.events import (
    AddCreature,
    Event,
    MoveThing,
    PlaceFood,
    PlaceObstacle,
    Poke,
    Release,
    RemoveCreature,
    RemoveThing,
    SetGravity,
    SetParameter,
    SetRain,
    Steer,
)
from skitter.scene.describe import describe
from skitter.world.acting.creatures import add_creature, poke, release, remove_creature, steer
from skitter.world.acting.numbers import change_gravity, change_number
from skitter.world.acting.things import lay_food, move_thing, put_up_obstacle, remove_thing
from skitter.world.acting.water import change_rain

if TYPE_CHECKING:
    from skitter.world.world import World

__all__ = ["act"]

ACTS: dict[type[Event], Callable[["World", Any], None]] = {
    PlaceFood: lay_food,
    PlaceObstacle: put_up_obstacle,
    MoveThing: move_thing,
    RemoveThing: remove_thing,
    Steer: steer,
    Release: release,
    Poke: poke,
    AddCreature: add_creature,
    RemoveCreature: remove_creature,
    SetParameter: change_number,
    SetGravity: change_gravity,
    SetRain: change_rain,
}


def act(world: "World", event: Event) -> None:
    """Carry out one event."""
    if type(event) not in ACTS:
        raise UserError(f"{describe(event)} is no event; valid: those of skitter.events")
    ACTS[type(event)](world, event)
