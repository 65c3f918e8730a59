"""Carrying out events: each is checked as a scene file would be, then it changes the world."""

from typing import TYPE_CHECKING

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


def act(world: "World", event: Event) -> None:
    """Carry out one event."""
    match event:
        case PlaceFood():
            lay_food(world, event)
        case PlaceObstacle():
            put_up_obstacle(world, event)
        case MoveThing():
            move_thing(world, event)
        case RemoveThing():
            remove_thing(world, event)
        case Steer():
            steer(world, event)
        case Release():
            release(world, event)
        case Poke():
            poke(world, event)
        case AddCreature():
            add_creature(world, event)
        case RemoveCreature():
            remove_creature(world, event)
        case SetParameter():
            change_number(world, event)
        case SetGravity():
            change_gravity(world, event)
        case SetRain():
            change_rain(world, event)
        case _:
            raise UserError(f"{describe(event)} is no event; valid: those of skitter.events")
